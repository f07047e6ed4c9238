import CarillonJSON
import CarillonModel

/// What `POST /v1/policy/preview` is asked: which devices' plans a policy would change.
public struct PolicyPreviewRequest: Hashable, Sendable {
  /// The policy to try; read as strictly as when it is put.
  public var policy: Policy
  /// How many devices to plan under both policies; 0 plans the one that is named and no other.
  public var sample: Int
  /// A device whose two plans are shown side by side.
  public var deviceId: DeviceID?

  public init(policy: Policy, sample: Int = WireLimits.defaultPreviewSample, deviceId: DeviceID? = nil) {
    self.policy = policy
    self.sample = sample
    self.deviceId = deviceId
  }

  public var json: [UInt8] {
    var writer = JSONWriter(capacity: 1_024)
    writer.object { writer in
      writer.name("policy")
      policy.write(to: &writer)
      writer.member("sample", sample)
      if let deviceId { writer.member("deviceId", deviceId.text) }
    }
    return writer.bytes
  }

  /// Strict in all of it: a misspelt member would preview something else than was meant.
  public init(_ body: [UInt8]) throws(JSONError) {
    self = try JSONReader.read(body) { (reader) throws(JSONError) in try Self(from: &reader) }
  }

  private init(from reader: inout JSONReader) throws(JSONError) {
    var policy: Policy?
    var sample: Int?
    var device: DeviceID?
    try reader.object { (reader, name) throws(JSONError) in
      switch name {
      case "policy": policy = try Policy(from: &reader)
      case "sample": sample = try reader.null() ? nil : try reader.int(in: WireLimits.previewSample)
      case "deviceId": device = try reader.null() ? nil : try reader.deviceID()
      default: throw reader.unknownMember(name)
      }
    }
    guard let policy else { throw reader.missingMember("policy") }
    if sample == 0, device == nil {
      throw reader.error(
        code: JSONError.invalidValue, detail: "a sample of 0 plans nothing: name a deviceId, or take more",
        member: "sample")
    }
    self.init(policy: policy, sample: sample ?? WireLimits.defaultPreviewSample, deviceId: device)
  }
}
