/// Every endpoint of the wire, named once: method, path and who may call it. The raw value is its operation id in the OpenAPI document.
public enum Endpoint: String, Hashable, Sendable, CaseIterable {
  case syncDevice, getPlan, explainPlan, decidePriming
  case getInbox, markInbox
  case mintDeviceToken
  case listDevices, getDevice, eraseDevice, listDeviceChanges, listDeliveries
  case listNotifications, putNotification, getNotification, deleteNotification
  case batchNotifications
  case getPolicy, putPolicy, listPolicyVersions, previewPolicy
  case getReport
  case getHealth, getReadiness, getMetrics, getVersion, getOpenAPI

  public enum Method: String, Hashable, Sendable {
    case get = "GET"
    case put = "PUT"
    case post = "POST"
    case delete = "DELETE"
  }

  /// Which kinds of credential it takes.
  public enum Credential: Hashable, Sendable { case none, tenantKey, tenantKeyOrDeviceToken }

  /// What a tenant key must be allowed to do.
  public enum Scope: String, Hashable, Sendable { case devices, notifications, policy, reports }

  /// Where it listens.
  public enum Listener: Hashable, Sendable { case `public`, admin, both }

  public var method: Method {
    switch self {
    case .putNotification, .putPolicy: .put
    case .eraseDevice, .deleteNotification: .delete
    case .syncDevice, .decidePriming, .markInbox, .mintDeviceToken, .batchNotifications, .previewPolicy: .post
    default: .get
    }
  }

  /// Whether it changes something, so that an `Idempotency-Key` gives it one effect however often it is sent.
  public var isWrite: Bool { method != .get && self != .previewPolicy }

  /// The path with its parameters in braces.
  public var template: String {
    switch self {
    case .syncDevice: "/v1/devices/{deviceId}/sync"
    case .getPlan: "/v1/devices/{deviceId}/plan"
    case .explainPlan: "/v1/devices/{deviceId}/plan/explain"
    case .decidePriming: "/v1/devices/{deviceId}/priming"
    case .getInbox: "/v1/devices/{deviceId}/inbox"
    case .markInbox: "/v1/devices/{deviceId}/inbox/{mark}"
    case .mintDeviceToken: "/v1/devices/{deviceId}/token"
    case .listDevices: "/v1/devices"
    case .getDevice, .eraseDevice: "/v1/devices/{deviceId}"
    case .listDeviceChanges: "/v1/devices/{deviceId}/history"
    case .listDeliveries: "/v1/devices/{deviceId}/deliveries"
    case .listNotifications: "/v1/devices/{deviceId}/notifications"
    case .putNotification, .getNotification, .deleteNotification:
      "/v1/devices/{deviceId}/notifications/{id}"
    case .batchNotifications: "/v1/notifications"
    case .getPolicy, .putPolicy: "/v1/policy"
    case .listPolicyVersions: "/v1/policy/versions"
    case .previewPolicy: "/v1/policy/preview"
    case .getReport: "/v1/reports/{report}"
    case .getHealth: "/healthz"
    case .getReadiness: "/readyz"
    case .getMetrics: "/metrics"
    case .getVersion: "/version"
    case .getOpenAPI: "/openapi.json"
    }
  }

  public var listener: Listener {
    switch self {
    case .getHealth, .getReadiness, .getMetrics, .getVersion: .admin
    case .getOpenAPI: .both
    default: .public
    }
  }

  public var credential: Credential {
    switch self {
    case .getHealth, .getReadiness, .getMetrics, .getVersion, .getOpenAPI: .none
    case .mintDeviceToken, .listDevices, .getDevice, .eraseDevice, .listDeviceChanges, .listDeliveries,
      .batchNotifications, .getPolicy, .putPolicy, .listPolicyVersions, .previewPolicy, .getReport:
      .tenantKey
    default: .tenantKeyOrDeviceToken
    }
  }

  /// The scope a tenant key needs; nil where no credential is asked.
  public var scope: Scope? {
    switch self {
    case .getHealth, .getReadiness, .getMetrics, .getVersion, .getOpenAPI: nil
    case .listNotifications, .putNotification, .getNotification, .deleteNotification, .batchNotifications:
      .notifications
    case .getPolicy, .putPolicy, .listPolicyVersions, .previewPolicy: .policy
    case .getReport: .reports
    default: .devices
    }
  }

  /// The most bytes of the body of a request, told before anything else of it is looked at. A path that is none of ours
  /// is answered 404 whatever its body; it is read so far and no further.
  public static func bodyLimit(method: String, path: String) -> Int {
    // What is written plainly needs no reading: two limits, and one path that has the other.
    if method == "POST" || method == "PUT", !path.utf8.contains(UInt8(ascii: "%")) {
      return method == "POST" && path == Endpoint.batchNotifications.template
        ? WireLimits.batchBodyBytes : WireLimits.bodyBytes
    }
    return (try? Route(method: method, path: path))?.endpoint.bodyLimit ?? WireLimits.bodyBytes
  }

  /// The most bytes of its body.
  public var bodyLimit: Int {
    switch self {
    case .batchNotifications: WireLimits.batchBodyBytes
    case _ where method == .get || method == .delete: 0
    default: WireLimits.bodyBytes
    }
  }
}
