import CarillonModel

/// Why bytes are not a zone that can be used.
public struct ZoneTableError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Code: String, Hashable, Sendable {
    case notTZif, unsupportedVersion, leapSeconds, truncated, malformed
  }
  public let code: Code
  public let zone: String

  public var description: String {
    let what =
      switch code {
      case .notTZif: "is not a TZif file"
      case .unsupportedVersion: "is a TZif file of version 1; install tzdata compiled as version 2 or later"
      case .leapSeconds: "counts leap seconds, which instants do not; use the zone of the plain folder"
      case .truncated: "ends too early"
      case .malformed: "holds times or rules that make no sense"
      }
    return "The data of time zone \(zone) \(what)."
  }
}

extension ZoneTable {
  /// Reads a TZif file of version 2 or later (RFC 8536): its 64-bit block, and its footer for all later years.
  ///
  /// - Parameter name: the name it will have; not checked.
  public init(name: String, tzif bytes: [UInt8]) throws(ZoneTableError) {
    var reader = TZifReader(bytes: bytes, zone: name)
    let (initialOffset, transitions) = try reader.read()
    var changes: [(at: Int, offset: Int)] = []
    for transition in transitions where transition.offset != changes.last?.offset ?? initialOffset {
      let jump = transition.offset - (changes.last?.offset ?? initialOffset)
      guard abs(jump) <= Self.largestJump,
        changes.last.map({ transition.at - $0.at >= Self.closestChanges }) ?? true
      else { throw ZoneTableError(code: .malformed, zone: name) }
      changes.append(transition)
    }
    self.init(name: name, initialOffset: initialOffset, transitions: changes)
  }
}

private struct TZifReader {
  let bytes: [UInt8]
  let zone: String
  var position = 0

  init(bytes: [UInt8], zone: String) {
    self.bytes = bytes
    self.zone = zone
  }

  struct Header {
    var isUTCount, isStandardCount, leapCount, timeCount, typeCount, nameCount: Int

    func length(timeSize: Int) -> Int {
      timeCount * (timeSize + 1) + typeCount * 6 + nameCount + leapCount * (timeSize + 4)
        + isStandardCount + isUTCount
    }
  }

  /// The offset before 1970 and all transitions from then up to the table's end.
  mutating func read() throws(ZoneTableError) -> (initial: Int, transitions: [(at: Int, offset: Int)]) {
    let first = try header()
    position += first.length(timeSize: 4)
    let header = try header()
    guard header.typeCount > 0 else { throw fail(.malformed) }
    guard header.leapCount == 0 else { throw fail(.leapSeconds) }
    let blockEnd = position + header.length(timeSize: 8)

    var times: [Int] = []
    for _ in 0..<header.timeCount { times.append(try integer(8)) }
    var types: [Int] = []
    for _ in 0..<header.timeCount { types.append(try integer(1) & 0xff) }
    var offsets: [Int] = []
    for _ in 0..<header.typeCount {
      offsets.append(try integer(4))
      position += 2
    }
    guard types.allSatisfy({ $0 < offsets.count }), zip(times, times.dropFirst()).allSatisfy({ $0 < $1 }),
      offsets.allSatisfy({ abs($0) <= ZoneTable.farthestOffset })
    else { throw fail(.malformed) }

    var initial = offsets[0]
    var transitions: [(at: Int, offset: Int)] = []
    for (time, type) in zip(times, types) {
      if time < 0 {
        initial = offsets[type]
      } else if time < ZoneTable.Storage.end {
        transitions.append((time, offsets[type]))
      }
    }
    position = blockEnd
    expand(try footer(), after: times.last, into: &transitions, initial: &initial)
    return (initial, transitions)
  }

  private func expand(
    _ rule: PosixRule?, after last: Int?, into transitions: inout [(at: Int, offset: Int)], initial: inout Int
  ) {
    guard let rule else { return }
    guard rule.daylight != nil else {
      if last == nil { initial = rule.standardOffset }
      return
    }
    let start = min(max(last ?? .min, -2 * 366 * Civil.secondsPerDay), ZoneTable.Storage.end)
    for year in Civil.date(start / Civil.secondsPerDay).year - 1..<2501 {
      for transition in rule.transitions(in: year)
      where transition.at > start && transition.at < ZoneTable.Storage.end {
        if transition.at < 0 {
          initial = transition.offset
        } else {
          // A clock that is on summer time all the year ends it and begins it in one instant.
          if transition.at <= transitions.last?.at ?? -1 { transitions.removeLast() }
          transitions.append(transition)
        }
      }
    }
  }

  /// Nil for an empty footer: the last offset holds for ever.
  private mutating func footer() throws(ZoneTableError) -> PosixRule? {
    guard position < bytes.count, bytes[position] == 0x0a,
      let end = bytes[(position + 1)...].firstIndex(of: 0x0a)
    else { throw fail(.truncated) }
    let text = bytes[(position + 1)..<end]
    if text.isEmpty { return nil }
    guard text.count <= PosixRule.longest, let rule = PosixRule(text) else { throw fail(.malformed) }
    return rule
  }

  private mutating func header() throws(ZoneTableError) -> Header {
    guard position + 44 <= bytes.count else { throw fail(position == 0 ? .notTZif : .truncated) }
    guard bytes[position..<(position + 4)].elementsEqual("TZif".utf8) else { throw fail(.notTZif) }
    guard bytes[position + 4] >= UInt8(ascii: "2") else { throw fail(.unsupportedVersion) }
    position += 20
    var counts: [Int] = []
    for _ in 0..<6 { counts.append(try integer(4)) }
    // More than any zone has; keeps the arithmetic below far from overflow.
    guard counts.allSatisfy({ (0...100_000).contains($0) }) else { throw fail(.malformed) }
    return Header(
      isUTCount: counts[0], isStandardCount: counts[1], leapCount: counts[2], timeCount: counts[3],
      typeCount: counts[4], nameCount: counts[5])
  }

  /// A signed big-endian number of that many bytes.
  private mutating func integer(_ size: Int) throws(ZoneTableError) -> Int {
    guard position + size <= bytes.count else { throw fail(.truncated) }
    var value = bytes[position] & 0x80 != 0 ? -1 : 0
    for byte in bytes[position..<(position + size)] { value = value << 8 | Int(byte) }
    position += size
    return value
  }

  private func fail(_ code: ZoneTableError.Code) -> ZoneTableError { ZoneTableError(code: code, zone: zone) }
}
