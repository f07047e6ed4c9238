import CarillonJSON

/// What a report says, as 64 bits that depend neither on its sequence nor on when it was sent.
///
/// Two reports with equal digests ask for the same answer as long as nothing else has changed: the server then
/// answers without reading them further. Fed with the raw bytes of the members this version knows, eight at a
/// time; not for secrets, not against malice: a device that forges one harms itself alone. Stored, so a change
/// of the mixing costs each device one full sync.
struct ReportDigest {
  private(set) var state: UInt64 = 0x9e37_79b9_7f4a_7c15

  mutating func combine(_ bytes: UnsafeRawBufferPointer) {
    var offset = 0
    while offset + 8 <= bytes.count {
      mix(bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self).littleEndian)
      offset += 8
    }
    var rest: UInt64 = 0
    for index in offset..<bytes.count { rest = rest << 8 | UInt64(bytes[index]) }
    mix(rest)
    // The length, so that no two ways to cut the same bytes look alike.
    mix(UInt64(bytes.count))
  }

  /// A multiply-and-fold step: every bit of the word reaches every bit of the state.
  private mutating func mix(_ word: UInt64) {
    let product = (state ^ word).multipliedFullWidth(by: 0xa076_1d64_78bd_642f)
    state = (product.high ^ product.low) &+ 0xe703_7ed1_a0b4_28db
  }
}

/// The little of a report that the hot path needs: one pass that checks the JSON and keeps nothing.
public struct ReportScan: Hashable, Sendable {
  public var sequence: Int64
  public var digest: UInt64
  /// Whether it brings events, puts or cancels: then it must be read whole, whatever its digest.
  public var hasEffects: Bool

  /// - Throws: ``JSONError`` when it is no JSON object with a `sequence`; other members are not looked into.
  public init(_ body: [UInt8]) throws(JSONError) {
    self = try JSONReader.read(body, limits: WireLimits.syncJSON) { (reader) throws(JSONError) in
      var sequence: Int?
      var digest = ReportDigest()
      var hasEffects = false
      try reader.object { (reader, name) throws(JSONError) in
        if name == "sequence" {
          sequence = try reader.int(in: WireLimits.sequence)
          return
        }
        guard let mark = SyncRequest.digestMark(of: name) else { return try reader.skip() }
        let range = try reader.raw()
        let bytes = reader.bytes(in: range)
        digest.combine(mark)
        digest.combine(bytes)
        if mark >= SyncRequest.firstEffectMark { hasEffects = hasEffects || !Self.isEmpty(bytes) }
      }
      guard let sequence else { throw reader.missingMember("sequence") }
      return ReportScan(sequence: Int64(sequence), digest: digest.state, hasEffects: hasEffects)
    }
  }

  private init(sequence: Int64, digest: UInt64, hasEffects: Bool) {
    self.sequence = sequence
    self.digest = digest
    self.hasEffects = hasEffects
  }

  /// Whether a valid value is null or an array of nothing.
  private static func isEmpty(_ bytes: UnsafeRawBufferPointer) -> Bool {
    if bytes.first == UInt8(ascii: "n") { return true }
    guard bytes.first == UInt8(ascii: "[") else { return false }
    return bytes.dropFirst().dropLast().allSatisfy { $0 == 0x20 || (0x09...0x0D).contains($0) }
  }
}

extension ReportDigest {
  mutating func combine(_ number: UInt64) {
    withUnsafeBytes(of: number.littleEndian) { combine($0) }
  }
}

extension SyncRequest {
  /// From here on the members are events, puts and cancels.
  static let firstEffectMark: UInt64 = 8

  /// A number for each member that counts for the digest; nil for `sentAt` and for what nobody knows.
  static func digestMark(of name: JSONName) -> UInt64? {
    switch name {
    case "policyVersion": 0
    case "device": 1
    case "authorizationStatus": 2
    case "settings": 3
    case "planVersion": 4
    case "pending": 5
    case "foreign": 6
    case "delivered": 7
    case "events": 8
    case "put": 9
    case "cancel": 10
    default: nil
    }
  }
}
