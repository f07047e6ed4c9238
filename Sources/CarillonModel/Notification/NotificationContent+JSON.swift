import CarillonJSON

extension NotificationContent {
  /// Bytes of the canonical form.
  public static let largest = 65_536
  public static let mostAttachments = 16
  /// `userInfo` itself is the first level and is not counted among the values.
  public static let userInfoLimits = JSONLimits(depth: 32, values: 10_001)

  /// Reads a content. Members that nobody knows are left out: what a newer SDK adds must not lose the rest.
  public init(from reader: inout JSONReader) throws(JSONError) {
    self.init()
    try reader.object { (reader, name) throws(JSONError) in
      switch name {
      case "title": title = try reader.optionalString()
      case "subtitle": subtitle = try reader.optionalString()
      case "body": body = try reader.optionalString()
      case "sound": try readSound(&reader)
      case "badge": badge = try reader.optionalInt(in: 0...Int(Int32.max))
      case "threadId": threadId = try reader.optionalString()
      case "categoryId": categoryId = try reader.optionalString()
      case "userInfo": userInfo = try reader.optional(NotificationContent.readUserInfo)
      case "relevanceScore":
        relevanceScore = try reader.optional { (reader) throws(JSONError) in try reader.double(in: 0...1) }
      case "interruptionLevel":
        interruptionLevel = try reader.optional { (reader) throws(JSONError) in
          try reader.word(InterruptionLevel.self)
        }
      case "attachments": attachments = try reader.optional(NotificationContent.readAttachments)
      default: try reader.skip()
      }
    }
    guard hasText || sound != nil || badge != nil else {
      throw reader.error(
        code: ModelError.emptyContent, detail: "title, body, badge or sound must be there")
    }
  }

  /// A name, or Apple's critical sound: `{"name", "critical", "volume"}`.
  private mutating func readSound(_ reader: inout JSONReader) throws(JSONError) {
    guard try reader.peek() == .object else {
      sound = try reader.optional(NotificationContent.readSoundName)
      return
    }
    sound = "default"
    try reader.object { (reader, name) throws(JSONError) in
      switch name {
      case "name": sound = try reader.optional(NotificationContent.readSoundName) ?? "default"
      case "critical": try reader.update(&soundIsCritical)
      case "volume":
        soundVolume = try reader.optional { (reader) throws(JSONError) in try reader.double(in: 0...1) }
      default: throw reader.unknownMember(name)
      }
    }
  }

  private static func readSoundName(_ reader: inout JSONReader) throws(JSONError) -> String {
    let name = try reader.string()
    guard !name.isEmpty else {
      throw reader.error(code: JSONError.invalidValue, detail: "a sound has a name; \"default\" is one")
    }
    return name
  }

  private static func readUserInfo(_ reader: inout JSONReader) throws(JSONError) -> JSONValue {
    guard try reader.peek() == .object else {
      throw reader.error(code: JSONError.unexpectedType, detail: "userInfo is an object")
    }
    return try reader.value(limits: userInfoLimits)
  }

  private static func readAttachments(_ reader: inout JSONReader) throws(JSONError) -> JSONValue {
    guard try reader.peek() == .array else {
      throw reader.error(code: JSONError.unexpectedType, detail: "attachments are an array")
    }
    let value = try reader.value(limits: userInfoLimits)
    guard value.array?.count ?? 0 <= mostAttachments else {
      throw reader.error(code: JSONError.outOfRange, detail: "more than \(mostAttachments) attachments")
    }
    return value
  }

  /// Title or body, and not empty.
  public var hasText: Bool { !(title ?? "").isEmpty || !(body ?? "").isEmpty }

  /// Writes the canonical form, which is also the form of the wire and of the database.
  /// - Parameter badge: stands in for the content's own.
  public func writeCanonical(to writer: inout JSONWriter, badge: Int?) {
    writer.beginObject()
    if let attachments {
      writer.name("attachments")
      attachments.writeCanonical(to: &writer)
    }
    writer.member("badge", ifPresent: badge)
    writer.member("body", ifPresent: body)
    writer.member("categoryId", ifPresent: categoryId)
    writer.member("interruptionLevel", ifPresent: interruptionLevel?.rawValue)
    if let relevanceScore { writer.member("relevanceScore", relevanceScore) }
    writeSound(to: &writer)
    writer.member("subtitle", ifPresent: subtitle)
    writer.member("threadId", ifPresent: threadId)
    writer.member("title", ifPresent: title)
    if let userInfo {
      writer.name("userInfo")
      userInfo.writeCanonical(to: &writer)
    }
    writer.endObject()
  }

  private func writeSound(to writer: inout JSONWriter) {
    guard let sound else { return }
    writer.name("sound")
    guard soundIsCritical || soundVolume != nil else { return writer.string(sound) }
    writer.beginObject()
    if soundIsCritical { writer.member("critical", true) }
    writer.member("name", sound)
    if let soundVolume { writer.member("volume", soundVolume) }
    writer.endObject()
  }

  public var canonicalBytes: [UInt8] {
    var writer = JSONWriter()
    writeCanonical(to: &writer, badge: badge)
    return writer.bytes
  }

  /// Reads what ``canonicalBytes`` gave.
  public init(canonical bytes: [UInt8]) throws(JSONError) {
    self = try JSONReader.read(bytes) { (reader) throws(JSONError) in try NotificationContent(from: &reader) }
  }

  /// What planning must know of this content.
  public var summary: ContentSummary {
    var writer = JSONWriter()
    writeCanonical(to: &writer, badge: nil)
    var hash = StableHash()
    hash.combine(writer.bytes)
    return ContentSummary(
      hasText: hasText, hasSound: sound != nil, hasBadge: badge != nil,
      interruptionLevel: interruptionLevel ?? .active, hash: hash.state)
  }

  /// A stored content with the badge that the plan gives it, or without one: for what goes to a device.
  ///
  /// Works on the canonical bytes, in one pass and without a tree.
  /// - Parameter bytes: a canonical content.
  public static func replacingBadge(in bytes: [UInt8], with badge: Int?) throws(JSONError) -> [UInt8] {
    var writer = JSONWriter(capacity: bytes.count + 8)
    try JSONReader.read(bytes) { (reader) throws(JSONError) in
      var isWritten = false
      writer.beginObject()
      try reader.object { (reader, name) throws(JSONError) in
        let range = try reader.raw()
        if name == "badge" { return }
        if !isWritten, name != "attachments" {
          writer.member("badge", ifPresent: badge)
          isWritten = true
        }
        writer.name(name.string)
        writer.raw(reader.bytes(in: range))
      }
      if !isWritten { writer.member("badge", ifPresent: badge) }
      writer.endObject()
    }
    return writer.bytes
  }
}
