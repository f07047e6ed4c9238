import CarillonModel

/// The revision of a held request: FNV-1a 64 over the content's canonical JSON without its badge, continued over
/// the trigger's canonical JSON, over the badge's number in decimal where it has one, and for a digest over `#` and
/// the number of its members.
enum Revision {
  static func text(content: UInt64, trigger: Trigger, badge: Int?, digestCount: Int?) -> String {
    var hash = content
    func add(_ text: String) {
      for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    }
    add(String(describing: trigger))
    if let badge { add(String(badge)) }
    if let digestCount { add("#\(digestCount)") }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }
}
