import CarillonJSON

/// What tells one version of a request from another: 16 lower-case hexadecimal digits that a device keeps with each
/// request it adds, and reports.
///
/// It is ``StableHash`` (FNV-1a, 64 bits) over the canonical JSON of the content without its badge, continued over
/// the canonical JSON of the trigger that the device adds, and, where the plan gives a badge, over that number in
/// decimal digits.
public enum Revision {
  /// Before the badge.
  public static func hash(of trigger: Trigger, summary: ContentSummary) -> UInt64 {
    var hasher = RevisionHasher()
    return hasher.hash(of: trigger, summary: summary)
  }

  /// - Parameters:
  ///   - hash: of content and trigger, ``hash(of:summary:)`` or ``NotificationHead/wishHash``.
  ///   - badge: the number the plan gives; nil when the content carries none or the request repeats.
  ///   - digestCount: how many a digest stands for, continued over `#` and the number; nil when it is none.
  public static func hash(_ hash: UInt64, badge: Int?, digestCount: Int? = nil) -> UInt64 {
    if badge == nil, digestCount == nil { return hash }
    var hash = StableHash(continuing: hash)
    if let badge { hash.combine(number: badge) }
    if let digestCount {
      hash.combine("#" as StaticString)
      hash.combine(number: digestCount)
    }
    return hash.state
  }

  public static func text(hash: UInt64, badge: Int?, digestCount: Int? = nil) -> String {
    StableHash.hex(self.hash(hash, badge: badge, digestCount: digestCount))
  }

  /// What 16 lower-case hexadecimal digits write. Another text is no revision of ours: it stands for a number that
  /// only the same text stands for.
  public static func hash(ofText text: String) -> UInt64 {
    text.withBytes { bytes in
      let bytes = UnsafeRawBufferPointer(bytes)
      if bytes.count == 16,
        let high = value(ofDigits: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))),
        let low = value(ofDigits: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
      {
        return high << 32 | low
      }
      var other = StableHash()
      other.combine(bytes)
      return other.state
    }
  }

  /// What eight lower-case hexadecimal digits write, all at once; nil for other bytes.
  ///
  /// - Parameter digits: the first in the highest byte.
  private static func value(ofDigits digits: UInt64) -> UInt64? {
    let ones: UInt64 = 0x0101_0101_0101_0101
    guard digits & (ones &* 0x80) == 0 else { return nil }
    // A byte's high bit tells whether it is at least the bound; no byte carries into the next.
    func isAtLeast(_ bound: UInt64) -> UInt64 { (digits &+ ones &* (0x80 &- bound)) & (ones &* 0x80) }
    let isDigit = isAtLeast(0x30) & ~isAtLeast(0x3A)
    let isLetter = isAtLeast(0x61) & ~isAtLeast(0x67)
    guard isDigit | isLetter == ones &* 0x80 else { return nil }
    // A letter's low bits count from 1.
    var nibbles = (digits & (ones &* 0x0F)) &+ (isLetter >> 7) &* 9
    nibbles = (nibbles | nibbles >> 4) & 0x00FF_00FF_00FF_00FF
    nibbles = (nibbles | nibbles >> 8) & 0x0000_FFFF_0000_FFFF
    return (nibbles | nibbles >> 16) & 0xFFFF_FFFF
  }

  public static func text(trigger: Trigger, summary: ContentSummary, badge: Int?) -> String {
    text(hash: hash(of: trigger, summary: summary), badge: badge)
  }
}

/// Hashes many triggers through one buffer.
public struct RevisionHasher {
  private var buffer = JSONWriter(capacity: 96)

  public init() {}

  /// ``Revision/hash(of:summary:)``.
  public mutating func hash(of trigger: Trigger, summary: ContentSummary) -> UInt64 {
    switch trigger {
    case .local(let time):
      if let hash = Self.hash(of: time, continuing: summary.hash) { return hash }
    case .instant(let time):
      if let hash = Self.hash(of: time, continuing: summary.hash) { return hash }
    default: break
    }
    buffer.reset()
    trigger.writeCanonical(to: &buffer)
    var hash = StableHash(continuing: summary.hash)
    hash.combine(buffer.bytes)
    return hash.state
  }
}

extension RevisionHasher {
  /// The canonical JSON of a wall time has always the same length, so that it is written without a writer: most of
  /// what is moved is a wall time.
  ///
  /// - Returns: nil for a time whose text is longer.
  fileprivate static func hash(of time: LocalDateTime, continuing state: UInt64) -> UInt64? {
    guard (0...9_999).contains(time.date.year), time.secondOfDay % 60 == 0 else { return nil }
    var hash = StableHash(continuing: state)
    hash.combine("{\"at\":\"" as StaticString)
    hash.combine(time.date, minute: time.secondOfDay / 60)
    hash.combine("\",\"kind\":\"local\"}" as StaticString)
    return hash.state
  }

  /// Likewise of an instant.
  ///
  /// - Returns: nil for a time whose text is longer.
  fileprivate static func hash(of time: Instant, continuing state: UInt64) -> UInt64? {
    guard time.milliseconds >= 0, time.milliseconds % 1000 == 0 else { return nil }
    let seconds = Int(time.milliseconds / 1000)
    let date = CivilDate(daysSinceEpoch: seconds / 86_400)
    guard date.year <= 9_999 else { return nil }
    var hash = StableHash(continuing: state)
    hash.combine("{\"at\":\"" as StaticString)
    hash.combine(date, minute: seconds % 86_400 / 60)
    hash.combine(":" as StaticString)
    hash.combine(twoDigits: seconds % 60)
    hash.combine("Z\",\"kind\":\"instant\"}" as StaticString)
    return hash.state
  }
}

extension StableHash {
  /// `2026-12-01T08:00`
  ///
  /// - Parameter minute: of the day.
  fileprivate mutating func combine(_ date: CivilDate, minute: Int) {
    combine(fourDigits: date.year)
    combine("-" as StaticString)
    combine(twoDigits: date.month)
    combine("-" as StaticString)
    combine(twoDigits: date.day)
    combine("T" as StaticString)
    combine(twoDigits: minute / 60)
    combine(":" as StaticString)
    combine(twoDigits: minute % 60)
  }
}

extension NotificationHead {
  /// The revision of the request as wished, with the badge the plan gives.
  public func revision(badge: Int?) -> String { Revision.text(hash: wishHash, badge: badge) }
}
