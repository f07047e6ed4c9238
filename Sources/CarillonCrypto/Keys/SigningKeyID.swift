/// Names a key that signs: twelve characters `a`...`z`, `2`...`7`, 60 random bits. No secret.
public enum SigningKeyID {
  public static func make(using random: inout some RandomNumberGenerator) -> String {
    String(Base32.text(random.bytes(8)).prefix(12))
  }
}
