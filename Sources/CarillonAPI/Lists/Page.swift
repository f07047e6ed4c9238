import CarillonJSON

/// Which part of a list is wanted.
public struct PageRequest: Hashable, Sendable {
  public static let limits = 1...200
  public static let defaultLimit = 50

  public var limit: Int
  /// Nil for the first page.
  public var cursor: Cursor?

  public init(limit: Int = PageRequest.defaultLimit, cursor: Cursor? = nil) {
    self.limit = limit
    self.cursor = cursor
  }
}

/// One page of a list: `{"items": […], "nextCursor": "…" | null}`.
public struct Page<Item> {
  public var items: [Item]
  /// The text of a ``Cursor``; nil on the last page.
  public var nextCursor: String?

  public init(items: [Item], nextCursor: String?) {
    self.items = items
    self.nextCursor = nextCursor
  }

  public func write(to writer: inout JSONWriter, item: (Item, inout JSONWriter) -> Void) {
    writer.object { writer in
      writer.name("items")
      writer.array { writer in
        for value in items { item(value, &writer) }
      }
      writer.name("nextCursor")
      if let nextCursor { writer.string(nextCursor) } else { writer.null() }
    }
  }

  public init(
    from reader: inout JSONReader, item: (inout JSONReader) throws(JSONError) -> Item
  ) throws(JSONError) {
    var items: [Item] = []
    var nextCursor: String?
    try reader.object { (reader, name) throws(JSONError) in
      switch name {
      case "items": try reader.array { (reader) throws(JSONError) in items.append(try item(&reader)) }
      case "nextCursor": nextCursor = try reader.null() ? nil : try reader.string()
      default: try reader.skip()
      }
    }
    self.init(items: items, nextCursor: nextCursor)
  }

  /// The value of the `Link` field (RFC 8288), nil on the last page.
  ///
  /// - Parameter route: the list's route as it was asked for.
  public func link(_ route: Route) -> String? {
    guard let nextCursor, let next = route.next(cursorText: nextCursor) else { return nil }
    return "<\(next)>; rel=\"next\""
  }
}

extension Page: Sendable where Item: Sendable {}
extension Page: Equatable where Item: Equatable {}
