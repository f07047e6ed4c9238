import CarillonModel

/// What only one installation of a tenant can have at a time.
public enum IdentityClaim: Hashable, Sendable {
  /// A phone, as one app sees it: apps of one maker share the key, and do not replace each other.
  case deviceKey(String, bundleId: String?)
  /// A push token of an app in an environment.
  case push(PushRegistration, bundleId: String?)
  /// The new id of the copy of an installation on a phone with this key. Never moves.
  case fork(of: DeviceID, deviceKey: String)

  /// What a device claims by what it has reported; an empty text claims nothing.
  public static func all(of info: DeviceInfo) -> [IdentityClaim] {
    var claims: [IdentityClaim] = []
    if let key = info.deviceKey, !key.isEmpty { claims.append(.deviceKey(key, bundleId: info.bundleId)) }
    if let push = info.push, !push.token.isEmpty { claims.append(.push(push, bundleId: info.bundleId)) }
    return claims
  }

  public var isDeviceKey: Bool { if case .deviceKey = self { true } else { false } }

  /// The stored form. The parts contain no control characters, so that no two claims look alike.
  var text: String {
    switch self {
    case .deviceKey(let key, let bundleId): "key\n\(bundleId ?? "")\n\(key)"
    case .push(let push, let bundleId): "push\n\(bundleId ?? "")\n\(push.environment)\n\(push.token)"
    case .fork(let device, let key): Self.forks(of: device) + key
    }
  }

  /// Whether ``text`` of some claim could be so.
  package static func isStoredForm(_ text: String) -> Bool {
    let parts = text.split(separator: "\n", omittingEmptySubsequences: false)
    let isPlain = parts.allSatisfy { part in
      !part.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
    guard isPlain, parts.last?.isEmpty == false else { return false }
    return switch parts[0] {
    case "key": parts.count == 3
    case "push": parts.count == 4 && !parts[2].isEmpty
    case "fork": parts.count == 3 && DeviceID(String(parts[1]))?.text == String(parts[1])
    default: false
    }
  }

  /// What the claims on an installation's copies begin with.
  static func forks(of device: DeviceID) -> String { "fork\n\(device.text)\n" }
}

/// What one sync changes of who has what, in its own transaction. It touches several devices, since what moves must
/// at no time belong to two or to none.
public struct IdentityChange: Hashable, Sendable {
  /// A claim and whose it is.
  public struct Held: Hashable, Sendable {
    public var claim: IdentityClaim
    public var holder: DeviceID

    public init(_ claim: IdentityClaim, by holder: DeviceID) {
      self.claim = claim
      self.holder = holder
    }
  }

  /// Nobody had them.
  public var claimed: [IdentityClaim] = []
  /// Somebody else had them, the one named here.
  public var moved: [Held] = []
  /// Nobody has them from now on.
  public var released: [Held] = []
  /// The installation this new one is a copy of.
  public var forkedFrom: DeviceID?
  /// The id has passed to another phone: sequence and priming begin anew.
  public var startsAnew = false

  public init() {}
}
