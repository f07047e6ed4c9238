import CarillonJSON
import CarillonModel

/// Small values that several documents share.
extension JSONReader {
  mutating func notificationID() throws(JSONError) -> NotificationID {
    guard let id = NotificationID(try string()) else {
      throw error(
        code: ModelError.invalidId, detail: "an id has 1...128 bytes of UTF-8 without control characters")
    }
    return id
  }

  /// Also one that planning made: an occurrence or a digest.
  mutating func heldID() throws(JSONError) -> NotificationID {
    guard let id = NotificationID(made: try string()) else {
      throw error(
        code: ModelError.invalidId,
        detail: "an id has 1...\(NotificationID.longestMade) bytes of UTF-8 without control characters")
    }
    return id
  }

  mutating func deviceID() throws(JSONError) -> DeviceID {
    guard let id = DeviceID(try string()) else {
      throw error(code: ModelError.invalidId, detail: "a device id is a UUID of 36 characters")
    }
    return id
  }

  /// 1 to 256 bytes without control characters.
  mutating func shortText(bytes limit: Int = WireLimits.shortTextBytes) throws(JSONError) -> String {
    let text = try string()
    guard (1...limit).contains(text.utf8.count) else {
      throw error(code: JSONError.outOfRange, detail: "1...\(limit) bytes are wanted")
    }
    guard text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
      throw error(code: JSONError.invalidValue, detail: "control characters are not allowed")
    }
    return text
  }

  /// One of a closed set of words.
  mutating func oneOf<Word: RawRepresentable>(
    _ type: Word.Type
  ) throws(JSONError) -> Word where Word.RawValue == String {
    let text = try string()
    guard let word = Word(rawValue: text) else {
      throw error(code: JSONError.invalidValue, detail: "\"\(text)\" is not a word this version knows")
    }
    return word
  }

  /// The items of an array, at most so many.
  mutating func items<Item>(
    atMost limit: Int, _ item: (inout JSONReader) throws(JSONError) -> Item
  ) throws(JSONError) -> [Item] {
    var items: [Item] = []
    try array { (reader) throws(JSONError) in
      guard items.count < limit else {
        throw reader.error(code: JSONError.outOfRange, detail: "at most \(limit) items are allowed")
      }
      items.append(try item(&reader))
    }
    return items
  }
}

extension JSONReader {
  /// `{"id", "pointer", "code", "detail"}`
  mutating func rejectedItem() throws(JSONError) -> RejectedItem {
    var id: String?
    var error = JSONError(code: "", detail: "")
    try object { (reader, name) throws(JSONError) in
      switch name {
      case "id": id = try reader.null() ? nil : try reader.string()
      case "pointer": error.pointer = try reader.string()
      case "code": error.code = try reader.string()
      case "detail": error.detail = try reader.string()
      default: try reader.skip()
      }
    }
    return RejectedItem(id: id, error: error)
  }
}

extension JSONWriter {
  /// A member that is an array.
  mutating func list<Item>(
    _ name: StaticString, _ items: some Sequence<Item>, _ write: (Item, inout JSONWriter) -> Void
  ) {
    self.name(name)
    array { writer in
      for item in items { write(item, &writer) }
    }
  }
}
