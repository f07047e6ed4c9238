/// What `Accept-Encoding` asks for (RFC 9110, section 12.5.3). One that is not written by the rules asks for nothing.
public struct AcceptEncoding: Hashable, Sendable {
  /// Whether the client takes gzip, and likes nothing else better that it names.
  public private(set) var prefersGzip = false

  /// More than any client names; the rest of a longer list is not looked at, and it asks for nothing.
  static let mostCodings = 32

  /// - Parameter fields: all of that name, which are one list.
  public init(_ fields: [String]) {
    var gzip: Int?
    var identity: Int?
    var others: Int?
    var count = 0
    for element in fields.joined(separator: ",").utf8.split(separator: UInt8(ascii: ",")) {
      let element = Self.trimmed(element)
      // Empty elements of a list are allowed.
      if element.isEmpty { continue }
      count += 1
      guard count <= Self.mostCodings, let (coding, weight) = Self.coding(element) else { return }
      switch coding {
      case "gzip", "x-gzip": gzip = max(gzip ?? 0, weight)
      case "identity": identity = weight
      case "*": others = weight
      default: break
      }
    }
    let weight = gzip ?? others ?? 0
    prefersGzip = weight > 0 && weight >= (identity ?? 0)
  }

  /// `coding *( OWS ";" OWS "q=" qvalue )`, once at most. The weight is in thousandths.
  private static func coding(_ element: Substring.UTF8View) -> (String, Int)? {
    let parts = element.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map(trimmed)
    guard parts.count <= 2, !parts[0].isEmpty, parts[0].allSatisfy(isToken) else { return nil }
    let coding = String(Substring(parts[0])).lowercased()
    guard parts.count == 2 else { return (coding, 1000) }
    let weight = Array(parts[1])
    guard weight.count >= 3, weight[0] | 0x20 == UInt8(ascii: "q"), weight[1] == UInt8(ascii: "="),
      let value = thousandths(weight[2...])
    else { return nil }
    return (coding, value)
  }

  /// `0`, `0.` and up to three digits, `1`, `1.` and up to three zeros.
  private static func thousandths(_ text: ArraySlice<UInt8>) -> Int? {
    guard let first = text.first, first == UInt8(ascii: "0") || first == UInt8(ascii: "1"), text.count <= 5
    else { return nil }
    var value = first == UInt8(ascii: "1") ? 1000 : 0
    let rest = text.dropFirst()
    guard let point = rest.first else { return value }
    guard point == UInt8(ascii: ".") else { return nil }
    var unit = 100
    for digit in rest.dropFirst() {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
      value += Int(digit - UInt8(ascii: "0")) * unit
      unit /= 10
    }
    return value <= 1000 ? value : nil
  }

  private static func trimmed(_ bytes: Substring.UTF8View) -> Substring.UTF8View {
    var bytes = bytes
    while let first = bytes.first, first == 0x20 || first == 0x09 { bytes.removeFirst() }
    while let last = bytes.last, last == 0x20 || last == 0x09 { bytes.removeLast() }
    return bytes
  }

  private static func isToken(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}
