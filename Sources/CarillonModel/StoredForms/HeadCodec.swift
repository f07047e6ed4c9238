/// A head as the bytes that are stored beside each entry of a queue: what planning reads, without JSON on the way.
///
/// The id is not among them: it is the entry's key. All numbers are little-endian.
///
/// | bytes | what |
/// | --- | --- |
/// | 1 | format, 1 |
/// | 1 | flags: 1 inbox, 2 deliverNow, 4 type, 8 expiresAt, 16 group, 32 text, 64 sound, 128 badge |
/// | 1 | needs in bits 0...3 (sound, alert, badge, lockScreen), interruption level in bits 4...5 |
/// | 8 | the content's hash |
/// | 8 | the hash of content and wished trigger |
/// | 1 + n | the trigger's kind and its members, see `TriggerCodec` |
/// | 8 | expiresAt in milliseconds, if flagged |
/// | 1 + n, 1 + n | type and group: length and UTF-8, if flagged |
///
/// A daily calendar trigger takes 25 bytes, with a zone and a type some 45. Another format gets another first byte,
/// and old ones stay readable.
public enum HeadCodec {
  public static let format: UInt8 = 1

  private enum Flag {
    static let inbox: UInt8 = 1
    static let deliverNow: UInt8 = 2
    static let type: UInt8 = 4
    static let expiresAt: UInt8 = 8
    static let group: UInt8 = 16
    static let text: UInt8 = 32
    static let sound: UInt8 = 64
    static let badge: UInt8 = 128
  }

  public static func encode(_ head: NotificationHead) -> [UInt8] {
    var writer = ByteWriter()
    writer.byte(format)
    var flags: UInt8 = 0
    if head.inbox { flags |= Flag.inbox }
    if head.overdue == .deliverNow { flags |= Flag.deliverNow }
    if head.type != nil { flags |= Flag.type }
    if head.expiresAt != nil { flags |= Flag.expiresAt }
    if head.group != nil { flags |= Flag.group }
    if head.summary.hasText { flags |= Flag.text }
    if head.summary.hasSound { flags |= Flag.sound }
    if head.summary.hasBadge { flags |= Flag.badge }
    writer.byte(flags)
    var words: UInt8 = 0
    for (bit, need) in Need.allCases.enumerated() where head.needs.contains(need) { words |= 1 << UInt8(bit) }
    words |= head.summary.interruptionLevel.code << 4
    writer.byte(words)
    writer.integer(head.summary.hash)
    writer.integer(head.wishHash)
    TriggerCodec.encode(head.trigger, to: &writer)
    if let expiresAt = head.expiresAt { writer.integer(expiresAt.milliseconds) }
    if let type = head.type { writer.shortText(type) }
    if let group = head.group { writer.shortText(group) }
    return writer.bytes
  }

  /// - Parameter id: the entry's key.
  public static func decode(
    _ bytes: UnsafeRawBufferPointer, id: NotificationID
  ) throws(StoredFormError) -> NotificationHead {
    var reader = ByteReader(bytes)
    guard try reader.byte() == format else { throw reader.damaged("unknown format") }
    let flags = try reader.byte()
    let words = try reader.byte()
    guard words & 0xC0 == 0 else { throw reader.damaged("unknown flags") }
    let summary = ContentSummary(
      hasText: flags & Flag.text != 0, hasSound: flags & Flag.sound != 0, hasBadge: flags & Flag.badge != 0,
      interruptionLevel: InterruptionLevel(code: words >> 4), hash: try reader.integer())
    let wishHash: UInt64 = try reader.integer()
    let trigger = try TriggerCodec.decode(&reader)
    var head = NotificationHead(id: id, trigger: trigger, summary: summary, wishHash: wishHash)
    head.inbox = flags & Flag.inbox != 0
    if flags & Flag.deliverNow != 0 { head.overdue = .deliverNow }
    if words & 0x0F != 0 {
      for (bit, need) in Need.allCases.enumerated() where words & 1 << UInt8(bit) != 0 {
        head.needs.insert(need)
      }
    }
    if flags & Flag.expiresAt != 0 { head.expiresAt = try reader.instant() }
    if flags & Flag.type != 0 { head.type = try reader.shortText() }
    if flags & Flag.group != 0 { head.group = try reader.shortText() }
    guard reader.isAtEnd else { throw reader.damaged("bytes are left over") }
    return head
  }

  public static func decode(_ bytes: [UInt8], id: NotificationID) throws(StoredFormError) -> NotificationHead
  {
    try bytes.withUnsafeBufferPointer { (buffer) throws(StoredFormError) in
      try decode(UnsafeRawBufferPointer(buffer), id: id)
    }
  }
}

extension InterruptionLevel {
  fileprivate var code: UInt8 {
    switch self {
    case .passive: 0
    case .active: 1
    case .timeSensitive: 2
    case .critical: 3
    }
  }

  /// - Parameter code: 0...3.
  fileprivate init(code: UInt8) {
    switch code {
    case 0: self = .passive
    case 1: self = .active
    case 2: self = .timeSensitive
    default: self = .critical
    }
  }
}
