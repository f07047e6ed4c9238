import CarillonAPI

/// Device tokens, as they come from anybody.
enum DeviceTokenTarget {
  static func check(_ bytes: [UInt8]) throws(Finding) {
    try text(String(decoding: bytes, as: UTF8.self))
    // Header and claims on two lines, so that what lies behind the coding is reached too.
    let lines = bytes.split(separator: 0x0a, maxSplits: 1, omittingEmptySubsequences: false)
    guard lines.count == 2 else { return }
    let signature = String(repeating: "A", count: 43)
    try text("\(Base64URL.text(Array(lines[0]))).\(Base64URL.text(Array(lines[1]))).\(signature)")
  }

  private static func text(_ text: String) throws(Finding) {
    guard let token = DeviceToken(text) else { return }
    try expect(text.utf8.count <= DeviceToken.maximumBytes, "a token of \(text.utf8.count) bytes is read")
    try expect(token.signature.count == DeviceToken.signatureBytes, "a signature of another length is read")
    try expect(
      token.keyID.utf8.count == 12 && token.keyID.utf8.allSatisfy { $0 < 0x80 && $0 > 0x20 },
      "a kid that is none is read: \(token.keyID)")
    try expect(
      DeviceToken.text(token.signingInput, signature: token.signature) == text,
      "what was signed is not what came")
    guard let claims = token.claims() else { return }
    let input = DeviceToken.signingInput(keyID: token.keyID, claims)
    let again = DeviceToken(DeviceToken.text(input, signature: token.signature))
    try expect(again?.claims() == claims && again?.keyID == token.keyID, "a token reads back as another")
  }
}
