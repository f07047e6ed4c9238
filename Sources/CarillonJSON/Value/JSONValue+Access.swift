extension JSONValue {
  /// The member of that name; nil when there is none or this is no object.
  public subscript(name: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name == name }?.value
  }

  /// The item at that index; nil when there is none or this is no array.
  public subscript(index: Int) -> JSONValue? {
    guard case .array(let items) = self, items.indices.contains(index) else { return nil }
    return items[index]
  }

  public var string: String? {
    if case .string(let value) = self { value } else { nil }
  }

  public var bool: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }

  /// Nil for what is no whole number or does not fit.
  public var int: Int? {
    guard case .number(let text) = self else { return nil }
    return try? JSONReader.read(Array(text.utf8)) { (reader) throws(JSONError) in try reader.int() }
  }

  public var double: Double? {
    if case .number(let text) = self { Double(text) } else { nil }
  }

  public var array: [JSONValue]? {
    if case .array(let value) = self { value } else { nil }
  }

  public var object: [JSONMember]? {
    if case .object(let value) = self { value } else { nil }
  }

  public var isNull: Bool { self == .null }

  /// How many values there are in all, this one counted.
  public var valueCount: Int {
    switch self {
    case .array(let items): 1 + items.reduce(0) { $0 + $1.valueCount }
    case .object(let members): 1 + members.reduce(0) { $0 + $1.value.valueCount }
    default: 1
    }
  }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral {
  public init(stringLiteral value: String) { self = .string(value) }
  public init(integerLiteral value: Int) { self = .number(String(value)) }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension JSONValue: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(elements.map { JSONMember($0.0, $0.1) })
  }
}
