import CarillonAPI
import CarillonJSON
import CarillonModel

/// What a sync is answered.
public enum SyncAnswer: Sendable {
  case full(SyncResponse)
  /// Nothing is new: the stored answer, with the time put in.
  case steady(SteadyForm)

  /// The JSON of the answer.
  public func write(to writer: inout JSONWriter, now: Instant) {
    switch self {
    case .full(let response): response.write(to: &writer)
    case .steady(let form): form.write(to: &writer, now: now)
    }
  }
}

/// The answer to a report without news: all that stays the same from one such report to the next, kept encoded.
public struct SteadyForm: Sendable {
  var planVersion: Int
  /// The JSON from behind the time to its end.
  var tail: [UInt8]

  init(planVersion: Int, tail: [UInt8]) {
    self.planVersion = planVersion
    self.tail = tail
  }

  init(_ response: SyncResponse) {
    planVersion = response.planVersion
    var writer = JSONWriter()
    response.write(to: &writer)
    let whole = writer.bytes
    tail = Array(whole[Self.head(response.planVersion, response.serverTime).count...])
  }

  func write(to writer: inout JSONWriter, now: Instant) {
    writer.raw(Self.head(planVersion, now) + tail)
  }

  /// The two members every answer begins with.
  private static func head(_ planVersion: Int, _ time: Instant) -> [UInt8] {
    Array("{\"planVersion\":\(planVersion),\"serverTime\":\"\(time)\"".utf8)
  }

  static func digest(report: UInt64, zoneData: String) -> UInt64 {
    var hash = StableHash(continuing: report)
    hash.combine(zoneData)
    return hash.state
  }
}

extension SyncRequest {
  /// No SDK resends a report older than this, so the ids of its events need not be known any longer.
  static let secondsEventIdsAreKept: Int64 = 90 * 86_400

  /// Whether it brings nothing that must be taken in, only state.
  var isPlain: Bool {
    put.isEmpty && cancel.isEmpty && events.isEmpty && delivered.isEmpty && rejected.isEmpty
  }
}
