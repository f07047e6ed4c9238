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
  public static func text(hash: UInt64, badge: Int?) -> String {
    guard let badge else { return StableHash.hex(hash) }
    var hash = StableHash(continuing: hash)
    hash.combine(String(badge))
    return hash.hex
  }

  /// The same for a digest, continued over `#` and the number of its members.
  public static func text(hash: UInt64, badge: Int?, digestCount: Int?) -> String {
    guard let digestCount else { return text(hash: hash, badge: badge) }
    var hash = StableHash(continuing: hash)
    if let badge { hash.combine(String(badge)) }
    hash.combine("#\(digestCount)")
    return hash.hex
  }

  public static func text(trigger: Trigger, summary: ContentSummary, badge: Int?) -> String {
    text(hash: hash(of: trigger, summary: summary), badge: badge)
  }
}

extension NotificationHead {
  /// The revision of the request as wished, with the badge the plan gives.
  public func revision(badge: Int?) -> String { Revision.text(hash: wishHash, badge: badge) }
}
