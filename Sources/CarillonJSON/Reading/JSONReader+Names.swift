/// Finds a name that comes twice in an object.
///
/// Names are kept as short hashes and places on one stack for all open objects, which is allocated once per reader; two
/// of one hash are compared in place. What goes beyond 32 in one object goes to a hashed set, so that an object of
/// 100,000 members costs 100,000 steps.
struct NameSeen: BitwiseCopyable {
  static let mostComparedOneByOne = 32

  var hash: UInt32
  /// Where the name begins, after its quote.
  var start: UInt32
}

extension JSONReader {
  /// - Parameters:
  ///   - name: as just read.
  ///   - start: where it begins in the document, after its quote.
  ///   - base: how many names of the objects around are on the stack.
  ///   - many: the object's names, once there are many.
  /// - Returns: false when the name was there before.
  mutating func isNew(_ name: JSONName, at start: Int, base: Int, many: inout Set<[UInt8]>) -> Bool {
    if names.count - base == NameSeen.mostComparedOneByOne || start > UInt32.max {
      if many.isEmpty {
        for seen in names[base...] { many.insert(self.name(at: Int(seen.start)).withBytes { Array($0) }) }
      }
      return many.insert(name.withBytes { Array($0) }).inserted
    }
    let hash = name.withBytes { bytes in
      var hash = UInt32(truncatingIfNeeded: bytes.count)
      for byte in bytes { hash = hash &* 31 &+ UInt32(byte) }
      return hash
    }
    var index = base
    while index < names.count {
      if names[index].hash == hash {
        let old = self.name(at: Int(names[index].start))
        if old.withBytes({ old in name.withBytes { old.elementsEqual($0) } }) { return false }
      }
      index += 1
    }
    names.append(NameSeen(hash: hash, start: UInt32(start)))
    return true
  }

  /// A name that was read before.
  /// - Parameter start: its first byte after the quote.
  private borrowing func name(at start: Int) -> JSONName {
    var index = start
    var hasEscapes = false
    while index < end, bytes[index] != UInt8(ascii: "\"") {
      if bytes[index] == UInt8(ascii: "\\") {
        hasEscapes = true
        index += 1
      }
      index += 1
    }
    return name(in: start..<index, hasEscapes: hasEscapes)
  }

  borrowing func name(in range: Range<Int>, hasEscapes: Bool) -> JSONName {
    if hasEscapes { return JSONName(unescaped: unescape(range)) }
    return JSONName(plain: UnsafeRawBufferPointer(rebasing: bytes[range]))
  }
}
