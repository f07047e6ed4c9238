/// Choices read from bytes, the first first; when they run out, every choice is the first.
struct ByteSource {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isEmpty: Bool { position >= bytes.count }

  mutating func byte() -> UInt8 {
    guard position < bytes.count else { return 0 }
    defer { position += 1 }
    return bytes[position]
  }

  /// Takes one byte for up to 256 values, else two or four.
  mutating func int(in range: ClosedRange<Int>) -> Int {
    let span = UInt64(range.upperBound - range.lowerBound) + 1
    var value = UInt64(byte())
    if span > 256 { value = value << 8 | UInt64(byte()) }
    if span > 65_536 { value = value << 16 | UInt64(byte()) << 8 | UInt64(byte()) }
    return range.lowerBound + Int(value % span)
  }

  mutating func chance(_ percent: Int) -> Bool { int(in: 0...99) >= 100 - percent }

  mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[int(in: 0...elements.count - 1)]
  }

  mutating func maybe<Value>(_ percent: Int, _ make: (inout ByteSource) -> Value) -> Value? {
    chance(percent) ? make(&self) : nil
  }

  mutating func rest() -> ArraySlice<UInt8> {
    defer { position = bytes.count }
    return bytes[min(position, bytes.count)...]
  }
}
