import CarillonJSON
import CarillonModel

/// What a policy would do to the devices of a tenant, as `POST /v1/policy/preview` answers. Nothing was changed.
public struct PolicyPreviewResponse: Hashable, Sendable {
  /// The moment all plans were made for.
  public var plannedAt = Instant(milliseconds: 0)
  /// Of the policy in force; 0 before the first.
  public var policyVersion = 0
  /// Whether any device that was looked at would hold, or wait for, anything else.
  public var findsChanges = false
  public var devices = Devices()
  /// All plans under the policy in force, added up.
  public var before = Side()
  /// All plans under the policy that is tried, added up.
  public var after = Side()
  /// The first of the changed devices.
  public var changedDevices: [Change] = []
  /// The two plans of the device that was named; nil: none was.
  public var device: Plans?

  public struct Devices: Hashable, Sendable {
    /// The tenant's.
    public var total = 0
    public var planned = 0
    public var changed = 0
    /// Whose zone is not in the zone data.
    public var skipped = 0

    public init() {}
  }

  public struct Side: Hashable, Sendable {
    public var held = 0
    public var queued = 0
    public var withheld = 0
    public var expired = 0
    /// Held, but at another time than was wished.
    public var moved = 0
    public var starvedDevices = 0
    public var evictionsByType: [String: Int] = [:]
    public var withheldByReason: [String: Int] = [:]

    public init() {}
  }

  /// What differs between a device's two plans.
  public struct Change: Hashable, Sendable {
    public var deviceId: DeviceID
    public var added = 0
    public var removed = 0
    /// Held both times, with another trigger or content.
    public var replaced = 0
    public var changesQueued = false
    public var changesWithheld = false

    public init(deviceId: DeviceID) { self.deviceId = deviceId }
  }

  public struct Plans: Hashable, Sendable {
    public var change: Change
    public var before: Plan
    public var after: Plan

    public init(change: Change, before: Plan, after: Plan) {
      self.change = change
      self.before = before
      self.after = after
    }
  }

  public init() {}
}

extension PolicyPreviewResponse {
  /// Reads an answer; members of newer servers are ignored.
  public init(_ body: [UInt8]) throws(JSONError) {
    self = try JSONReader.read(body) { (reader) throws(JSONError) in try Self(from: &reader) }
  }

  private init(from reader: inout JSONReader) throws(JSONError) {
    var plannedAt: Instant?
    try reader.object { (reader, name) throws(JSONError) in
      switch name {
      case "plannedAt": plannedAt = try reader.instant()
      case "policyVersion": policyVersion = try reader.int()
      case "changes": findsChanges = try reader.bool()
      case "devices": devices = try Devices(from: &reader)
      case "before": before = try Side(from: &reader)
      case "after": after = try Side(from: &reader)
      case "changedDevices":
        try reader.array { (reader) throws(JSONError) in
          var none: (before: Plan?, after: Plan?) = (nil, nil)
          changedDevices.append(try Change.read(&reader, &none))
        }
      case "device":
        if try reader.null() { return }
        var plans: (before: Plan?, after: Plan?) = (nil, nil)
        let change = try Change.read(&reader, &plans)
        guard let before = plans.before else { throw reader.missingMember("before") }
        guard let after = plans.after else { throw reader.missingMember("after") }
        device = Plans(change: change, before: before, after: after)
      default: try reader.skip()
      }
    }
    guard let plannedAt else { throw reader.missingMember("plannedAt") }
    self.plannedAt = plannedAt
  }
}

extension PolicyPreviewResponse.Devices {
  fileprivate init(from reader: inout JSONReader) throws(JSONError) {
    self.init()
    try reader.object { (reader, name) throws(JSONError) in
      switch name {
      case "total": total = try reader.int()
      case "planned": planned = try reader.int()
      case "changed": changed = try reader.int()
      case "skipped": skipped = try reader.int()
      default: try reader.skip()
      }
    }
  }
}

extension PolicyPreviewResponse.Side {
  fileprivate init(from reader: inout JSONReader) throws(JSONError) {
    self.init()
    try reader.object { (reader, name) throws(JSONError) in
      switch name {
      case "held": held = try reader.int()
      case "queued": queued = try reader.int()
      case "withheld": withheld = try reader.int()
      case "expired": expired = try reader.int()
      case "moved": moved = try reader.int()
      case "starvedDevices": starvedDevices = try reader.int()
      case "evictionsByType": evictionsByType = try reader.counts()
      case "withheldByReason": withheldByReason = try reader.counts()
      default: try reader.skip()
      }
    }
  }
}

extension PolicyPreviewResponse.Change {
  /// - Parameter plans: filled with those that stand beside the change.
  fileprivate static func read(
    _ reader: inout JSONReader, _ plans: inout (before: Plan?, after: Plan?)
  ) throws(JSONError) -> Self {
    var id: DeviceID?
    var change = Self(deviceId: DeviceID(UUID128(high: 0, low: 0)))
    try reader.object { (reader, name) throws(JSONError) in
      switch name {
      case "deviceId": id = try reader.deviceID()
      case "added": change.added = try reader.int()
      case "removed": change.removed = try reader.int()
      case "replaced": change.replaced = try reader.int()
      case "changesQueued": change.changesQueued = try reader.bool()
      case "changesWithheld": change.changesWithheld = try reader.bool()
      case "before": plans.before = try Plan(from: &reader)
      case "after": plans.after = try Plan(from: &reader)
      default: try reader.skip()
      }
    }
    guard let id else { throw reader.missingMember("deviceId") }
    change.deviceId = id
    return change
  }
}

extension JSONReader {
  /// `{"name": 3, …}`
  mutating func counts() throws(JSONError) -> [String: Int] {
    var counts: [String: Int] = [:]
    try object { (reader, name) throws(JSONError) in
      let key = name.string
      counts[key] = try reader.int()
    }
    return counts
  }
}
