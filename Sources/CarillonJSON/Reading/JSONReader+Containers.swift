extension JSONReader {
  /// Reads an object. The closure gets each member's name and must read its value.
  public mutating func object(
    _ body: (inout JSONReader, JSONName) throws(JSONError) -> Void
  ) throws(JSONError) {
    try begin(.object)
    let start = position
    try descend()
    let base = names.count
    var many: Set<[UInt8]> = []
    skipWhitespace()
    if position < end, bytes[position] == UInt8(ascii: "}") {
      position += 1
    } else {
      while true {
        let start = position + 1
        let name = try memberName()
        place = position
        if limits.refusesDuplicateNames, !isNew(name, at: start, base: base, many: &many) {
          throw error(code: JSONError.duplicateMember, detail: "the member \"\(name.string)\" is there twice")
        }
        let before = position
        try body(&self, name)
        precondition(position > before, "the closure must read the member's value")
        if try containerEnds(with: UInt8(ascii: "}")) { break }
        skipWhitespace()
      }
      names.removeLast(names.count - base)
    }
    depth -= 1
    place = start
  }

  /// Reads an array. The closure is called for each item and must read it.
  public mutating func array(
    _ body: (inout JSONReader) throws(JSONError) -> Void
  ) throws(JSONError) {
    try begin(.array)
    let start = position
    try descend()
    skipWhitespace()
    if position < end, bytes[position] == UInt8(ascii: "]") {
      position += 1
    } else {
      while true {
        skipWhitespace()
        place = position
        let before = position
        try body(&self)
        precondition(position > before, "the closure must read the item")
        if try containerEnds(with: UInt8(ascii: "]")) { break }
      }
    }
    depth -= 1
    place = start
  }

  /// A look ahead: the string member of that name in the object that comes next, which is not moved past. Nil when
  /// what comes next is no object, lacks the member, or has something else there; reading on tells more.
  ///
  /// For objects whose members mean different things by a kind that need not come first.
  public mutating func stringMember(_ wanted: StaticString) throws(JSONError) -> String? {
    guard try peek() == .object else { return nil }
    let saved = (position, depth, valueCount, limits)
    limits.refusesDuplicateNames = false
    var found: String?
    try object { (reader, name) throws(JSONError) in
      if found == nil, name == wanted, try reader.peek() == .string {
        found = try reader.string()
      } else {
        try reader.skip()
      }
    }
    place = saved.0
    (position, depth, valueCount, limits) = saved
    return found
  }

  /// A name and its colon, after white space was skipped; stands at the value afterwards.
  mutating func memberName() throws(JSONError) -> JSONName {
    guard position < end, bytes[position] == UInt8(ascii: "\"") else {
      throw invalid("a member's name is missing")
    }
    let token = try stringToken()
    skipWhitespace()
    guard position < end, bytes[position] == UInt8(ascii: ":") else {
      throw invalid("a colon is missing after a name")
    }
    position += 1
    skipWhitespace()
    return name(in: token.range, hasEscapes: token.hasEscapes)
  }

  /// After an item: a comma (false) or the closing byte (true).
  mutating func containerEnds(with close: UInt8) throws(JSONError) -> Bool {
    skipWhitespace()
    guard position < end else { throw invalid("the document ends inside an array or object") }
    let byte = bytes[position]
    guard byte == close || byte == UInt8(ascii: ",") else {
      throw invalid("expected a comma or the end of an array or object")
    }
    position += 1
    return byte == close
  }
}
