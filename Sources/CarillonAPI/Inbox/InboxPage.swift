import CarillonJSON
import CarillonModel

/// A page of an inbox, and how many items of the whole are unread:
/// `{"items": […], "nextCursor": "…" | null, "unread": n}`.
public struct InboxPage: Hashable, Sendable {
  public var items: [InboxItem]
  /// Nil on the last page.
  public var nextCursor: String?
  public var unread: Int

  public init(items: [InboxItem], nextCursor: String?, unread: Int) {
    self.items = items
    self.nextCursor = nextCursor
    self.unread = unread
  }

  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.list("items", items) { $0.write(to: &$1) }
      writer.name("nextCursor")
      if let nextCursor { writer.string(nextCursor) } else { writer.null() }
      writer.member("unread", unread)
    }
  }

  public init(_ body: [UInt8]) throws(JSONError) {
    self = try JSONReader.read(body) { (reader) throws(JSONError) in
      var page = InboxPage(items: [], nextCursor: nil, unread: 0)
      try reader.object { (reader, name) throws(JSONError) in
        switch name {
        case "items":
          try reader.array { (reader) throws(JSONError) in page.items.append(try InboxItem(from: &reader)) }
        case "nextCursor": page.nextCursor = try reader.null() ? nil : try reader.string()
        case "unread": page.unread = try reader.int(in: 0...Int.max)
        default: try reader.skip()
        }
      }
      return page
    }
  }
}

/// `{"unread": n}`: the answer to a mark.
public struct UnreadCount: Hashable, Sendable {
  public var unread: Int

  public init(_ unread: Int) { self.unread = unread }

  public var json: [UInt8] {
    var writer = JSONWriter()
    writer.object { $0.member("unread", unread) }
    return writer.bytes
  }

  public init(_ body: [UInt8]) throws(JSONError) {
    unread = try JSONReader.read(body) { (reader) throws(JSONError) in
      var unread: Int?
      try reader.object { (reader, name) throws(JSONError) in
        if name == "unread" { unread = try reader.int(in: 0...Int.max) } else { try reader.skip() }
      }
      guard let unread else { throw reader.missingMember("unread") }
      return unread
    }
  }
}
