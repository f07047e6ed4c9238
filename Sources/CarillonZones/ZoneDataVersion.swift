/// Which IANA release a folder holds.
enum ZoneDataVersion {
  /// The release named by the folder itself, else a digest of some of its zones, so that new data never looks
  /// like the old.
  static func read(_ path: String) -> String {
    if let line = firstLine("\(path)/tzdata.zi"), line.hasPrefix("# version ") {
      let name = line.dropFirst("# version ".count)
      if isVersion(name) { return String(name) }
    }
    for file in ["+VERSION", "version"] {
      if let line = firstLine("\(path)/\(file)"), isVersion(line[...]) { return line }
    }
    return digest(path)
  }

  private static func firstLine(_ path: String) -> String? {
    guard let bytes = File.bytes(path, atMost: 200) else { return nil }
    return String(validating: bytes.prefix { $0 != 0x0a && $0 != 0x0d }, as: UTF8.self)
  }

  private static func isVersion(_ text: Substring) -> Bool {
    (1...32).contains(text.utf8.count)
      && text.utf8.allSatisfy {
        $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
      }
  }

  /// Zones of every continent, most of them with changes of rules in recent years.
  private static let sample = [
    "Africa/Cairo", "Africa/Casablanca", "America/Asuncion", "America/Mexico_City", "America/New_York",
    "America/Santiago", "America/Sao_Paulo", "America/Vancouver", "Antarctica/Troll", "Asia/Almaty",
    "Asia/Gaza", "Asia/Tehran", "Australia/Lord_Howe", "Europe/Chisinau", "Europe/London", "Pacific/Apia",
  ]

  private static func digest(_ path: String) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for name in sample {
      for byte in File.bytes("\(path)/\(name)") ?? [] {
        hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
      }
    }
    let digits = String(hash, radix: 16)
    return "digest-" + String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }
}
