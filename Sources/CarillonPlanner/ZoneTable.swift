/// The offsets of one IANA zone. A value; copies share their storage.
public struct ZoneTable: Sendable {
  public let name: String
  public init(name: String) { self.name = name }
}

/// Where the planner finds the zones that triggers name.
public protocol ZoneLookup: Sendable {
  /// The release of the zone data, e.g. `2025b`.
  var version: String { get }
  /// Nil when there is no such zone.
  func zone(named name: String) -> ZoneTable?
}
