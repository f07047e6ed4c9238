/// Header fields in the order they came; names compare without case (RFC 9110).
///
/// All fields share one block of bytes: a request's header costs two allocations however many fields it has,
/// and a `String` is made only of the values that are asked for. Bytes that are not UTF-8 become U+FFFD.
public struct HTTPHeaders: Sendable {
  private struct Field {
    var name: Range<Int32>
    var value: Range<Int32>
  }

  private var bytes: [UInt8] = []
  private var fields: [Field] = []

  public init() {}

  public init(_ fields: [(name: String, value: String)]) {
    for field in fields { add(field.name, field.value) }
  }

  public var count: Int { fields.count }

  /// The first field of that name.
  public subscript(_ name: String) -> String? {
    fields.first { matches($0, name) }.map { string($0.value) }
  }

  /// Every field of that name, in order.
  public func all(_ name: String) -> [String] {
    fields.filter { matches($0, name) }.map { string($0.value) }
  }

  public mutating func add(_ name: String, _ value: String) {
    let start = bytes.count
    bytes.append(contentsOf: name.utf8)
    let middle = bytes.count
    bytes.append(contentsOf: value.utf8)
    fields.append(Field(name: Int32(start)..<Int32(middle), value: Int32(middle)..<Int32(bytes.count)))
  }

  mutating func reserve(bytes count: Int) {
    bytes.reserveCapacity(count)
    fields.reserveCapacity(16)
  }

  mutating func add(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
    let start = bytes.count
    bytes.append(contentsOf: name)
    let middle = bytes.count
    bytes.append(contentsOf: value)
    fields.append(Field(name: Int32(start)..<Int32(middle), value: Int32(middle)..<Int32(bytes.count)))
  }

  private func matches(_ field: Field, _ name: String) -> Bool {
    var name = name
    return name.withUTF8 { name in
      guard name.count == field.name.count else { return false }
      return bytes.withUnsafeBufferPointer { bytes in
        for index in 0..<name.count
        where ASCII.lowercase(bytes[Int(field.name.lowerBound) + index]) != ASCII.lowercase(name[index]) {
          return false
        }
        return true
      }
    }
  }

  private func string(_ range: Range<Int32>) -> String {
    String(decoding: bytes[Int(range.lowerBound)..<Int(range.upperBound)], as: UTF8.self)
  }
}

extension HTTPHeaders: Sequence {
  public func makeIterator() -> some IteratorProtocol<(name: String, value: String)> {
    fields.lazy.map { (name: string($0.name), value: string($0.value)) }.makeIterator()
  }
}
