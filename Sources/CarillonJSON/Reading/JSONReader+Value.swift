extension JSONReader {
  /// Any value, as a tree.
  public mutating func value() throws(JSONError) -> JSONValue {
    switch try peek() {
    case .null:
      _ = try null()
      return .null
    case .bool: return .bool(try bool())
    case .string: return .string(try string())
    case .number:
      try count()
      let start = position
      _ = try numberToken()
      return .number(
        String(decoding: UnsafeRawBufferPointer(rebasing: bytes[start..<position]), as: UTF8.self))
    case .array:
      var items: [JSONValue] = []
      try array { (reader) throws(JSONError) in items.append(try reader.value()) }
      return .array(items)
    case .object:
      var members: [JSONMember] = []
      try object { (reader, name) throws(JSONError) in
        let text = name.string
        members.append(JSONMember(text, try reader.value()))
      }
      return .object(members)
    }
  }

  /// Any value, held to tighter limits of its own: `limits` count from here.
  public mutating func value(limits inner: JSONLimits) throws(JSONError) -> JSONValue {
    let outer = limits
    limits.depth = min(outer.depth, depth + inner.depth)
    limits.values = min(outer.values, valueCount + inner.values)
    let result = try value()
    limits = outer
    return result
  }
}
