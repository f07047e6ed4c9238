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
    var writer = JSONWriter(capacity: 96)
    return hash(of: trigger, summary: summary, buffer: &writer)
  }

  /// The same, with a buffer that many calls share.
  public static func hash(of trigger: Trigger, summary: ContentSummary, buffer: inout JSONWriter) -> UInt64 {
    buffer.reset()
    trigger.writeCanonical(to: &buffer)
    var hash = StableHash(continuing: summary.hash)
    hash.combine(buffer.bytes)
    return hash.state
  }

  /// - Parameters:
  ///   - hash: of content and trigger, ``hash(of:summary:)`` or ``NotificationHead/wishHash``.
  ///   - badge: the number the plan gives; nil when the content carries none or the request repeats.
  ///   - digestCount: how many a digest stands for, continued over `#` and the number; nil when it is none.
  public static func hash(_ hash: UInt64, badge: Int?, digestCount: Int? = nil) -> UInt64 {
    if badge == nil, digestCount == nil { return hash }
    var hash = StableHash(continuing: hash)
    if let badge { hash.combine(String(badge)) }
    if let digestCount { hash.combine("#\(digestCount)") }
    return hash.state
  }

  public static func text(hash: UInt64, badge: Int?, digestCount: Int? = nil) -> String {
    StableHash.hex(self.hash(hash, badge: badge, digestCount: digestCount))
  }

  /// What 16 lower-case hexadecimal digits write. Another text is no revision of ours: it stands for a number that
  /// only the same text stands for.
  public static func hash(ofText text: String) -> UInt64 {
    text.withBytes { bytes in
      var hash: UInt64 = 0
      var isRevision = bytes.count == 16
      for byte in bytes where isRevision {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): hash = hash &<< 4 | UInt64(byte &- UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"):
          hash = hash &<< 4 | UInt64(byte &- UInt8(ascii: "a") &+ 10)
        default: isRevision = false
        }
      }
      if isRevision { return hash }
      var other = StableHash()
      other.combine(UnsafeRawBufferPointer(bytes))
      return other.state
    }
  }

  public static func text(trigger: Trigger, summary: ContentSummary, badge: Int?) -> String {
    text(hash: hash(of: trigger, summary: summary), badge: badge)
  }
}

extension NotificationHead {
  /// The revision of the request as wished, with the badge the plan gives.
  public func revision(badge: Int?) -> String { Revision.text(hash: wishHash, badge: badge) }
}
