import CarillonJSON
import CarillonModel
import CarillonStore

/// What must still be so for a plan to be the one that was answered: then a caller who has it is told so without
/// planning again.
///
/// It travels with the caller, as part of the entity tag: nothing is written for a plan that is only read. It holds for
/// the device and the plan it was made for and for no other; one that is forged deceives nobody but who sends it.
public struct PlanPromise: Hashable, Sendable {
  /// When the device came to be: an erased one that comes again counts its versions anew. In milliseconds since 1970.
  var createdAt: Int64
  /// Of the device after the answer.
  var rowVersion: Int64
  var inboxVersion: Int64
  var policyVersion: Int64
  /// A hash of the zone data's release.
  var zoneData: Int64
  /// In milliseconds since 1970. A server's clock that stands before it was wrong then, or is now.
  var since: Int64
  /// When time alone changes the plan or the inbox.
  var until: Int64
  /// Whether the device itself had asked: only then does the plan count as handed out.
  var isItsOwn: Bool

  /// Clocks of servers differ by less.
  static let mostMillisecondsBehind: Int64 = 60_000

  func holds(zoneData release: String, isItsOwn: Bool, now: Instant) -> Bool {
    zoneData == Self.hash(of: release) && self.isItsOwn == isItsOwn
      && now.milliseconds < until && now.milliseconds > since - Self.mostMillisecondsBehind
  }

  static func hash(of release: String) -> Int64 {
    var hash = StableHash()
    hash.combine(release)
    return Int64(truncatingIfNeeded: hash.state >> 32)
  }
}

extension PlanPromise: LosslessStringConvertible {
  /// Hexadecimal numbers between full stops, and `o` or `a`: its own, or anybody's.
  public var description: String {
    numbers.map { String($0, radix: 16) }
      .joined(separator: ".") + (isItsOwn ? ".o" : ".a")
  }

  /// Nil also where a number is greater than any that was written here: the database would refuse such a time.
  public init?(_ description: String) {
    let parts = description.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 8, let owner = ["o", "a"].firstIndex(of: parts[7]) else { return nil }
    let numbers = parts[..<7].compactMap { Int64($0, radix: 16) }
    guard numbers.count == 7, numbers.allSatisfy({ StoredNumbers.counters.contains(Int($0)) })
    else { return nil }
    (createdAt, rowVersion, inboxVersion) = (numbers[0], numbers[1], numbers[2])
    (policyVersion, zoneData, since, until) = (numbers[3], numbers[4], numbers[5], numbers[6])
    isItsOwn = owner == 0
  }

  private var numbers: [Int64] {
    [createdAt, rowVersion, inboxVersion, policyVersion, zoneData, since, until]
  }

  /// Of the promise, the device and what names its plan: what was handed to one device, or with another plan, proves
  /// nothing here.
  public func seal(_ device: DeviceID, plan: some StringProtocol) -> String {
    var hash = StableHash()
    hash.combine("\(device.text) \(plan) \(self)")
    return StableHash.hex(hash.state)
  }
}
