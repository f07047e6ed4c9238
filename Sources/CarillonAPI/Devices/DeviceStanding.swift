import CarillonJSON
import CarillonModel

/// What is known of a device beside what it last reported, as `GET /v1/devices/{deviceId}` shows it.
public struct DeviceStanding: Hashable, Sendable {
  /// When it was found to have lost sound and lock screen; nil: it has one of them, or never had both.
  public var fatiguedAt: Instant?
  public var drift = Drift()
  /// How many of the requests its plan holds can be noticed how; none are left out.
  public var reach: [Reach: Int] = [:]
  /// How many of them ask for what the settings do not give.
  public var unmetNeeds: [Need: Int] = [:]

  /// How often it was found to hold something else than it should.
  public struct Drift: Hashable, Sendable {
    /// Requests of ours that were gone before they were due.
    public var dropped = 0
    /// Requests of our kind that no plan named.
    public var unplanned = 0
    /// Requests under one of our ids that are not what was sent.
    public var altered = 0
    /// When the last was found.
    public var lastAt: Instant?

    public init() {}
  }

  public init() {}

  /// The members of an object that is open.
  func writeMembers(to writer: inout JSONWriter) {
    writer.member("fatiguedAt", orNull: fatiguedAt)
    writer.name("drift")
    writer.object { writer in
      writer.member("dropped", drift.dropped)
      writer.member("unplanned", drift.unplanned)
      writer.member("altered", drift.altered)
      writer.member("lastAt", orNull: drift.lastAt)
    }
    writer.name("reach")
    writer.object { writer in
      for reach in Reach.allCases {
        guard let count = self.reach[reach] else { continue }
        writer.name(reach.rawValue)
        writer.int(count)
      }
    }
    writer.name("unmetNeeds")
    writer.object { writer in
      for need in Need.allCases {
        guard let count = unmetNeeds[need] else { continue }
        writer.name(need.rawValue)
        writer.int(count)
      }
    }
  }
}
