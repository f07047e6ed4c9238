import CarillonModel

/// One request's endpoint with its parameters, decoded and checked. The server gets it from a request, a client
/// makes its request of it; both by the templates of ``Endpoint``.
///
///     let route = try Route(method: "GET", path: "/v1/devices/…/plan", query: "wait=30")
///     Route.putNotification(device, id).path      // percent-encoded
public enum Route: Hashable, Sendable {
  case syncDevice(DeviceID)
  /// - wait: seconds to hold the answer until the plan changes.
  case getPlan(DeviceID, wait: Int? = nil)
  case explainPlan(DeviceID, notification: NotificationID)
  case decidePriming(DeviceID)
  case getInbox(DeviceID, PageRequest = PageRequest(), state: InboxState = .inbox)
  case markInbox(DeviceID, InboxMark)
  case mintDeviceToken(DeviceID)
  case listDevices(PageRequest = PageRequest())
  case getDevice(DeviceID)
  case eraseDevice(DeviceID)
  case listDeviceChanges(DeviceID, PageRequest = PageRequest())
  case listDeliveries(DeviceID, PageRequest = PageRequest())
  case listNotifications(DeviceID, PageRequest = PageRequest())
  case putNotification(DeviceID, NotificationID)
  case getNotification(DeviceID, NotificationID)
  case deleteNotification(DeviceID, NotificationID)
  case batchNotifications
  /// - version: nil for the current one.
  case getPolicy(version: Int? = nil)
  case putPolicy
  case listPolicyVersions(PageRequest = PageRequest())
  case previewPolicy
  case getReport(ReportKind, ReportQuery = ReportQuery())
  case getHealth, getReadiness, getMetrics, getVersion, getOpenAPI

  public enum InboxMark: String, Hashable, Sendable, CaseIterable { case read, seen, archive, snooze }

  public enum ReportKind: String, Hashable, Sendable, CaseIterable {
    case evictions, authorization, priming, fatigue, delivery, engagement
  }

  public var endpoint: Endpoint {
    switch self {
    case .syncDevice: .syncDevice
    case .getPlan: .getPlan
    case .explainPlan: .explainPlan
    case .decidePriming: .decidePriming
    case .getInbox: .getInbox
    case .markInbox: .markInbox
    case .mintDeviceToken: .mintDeviceToken
    case .listDevices: .listDevices
    case .getDevice: .getDevice
    case .eraseDevice: .eraseDevice
    case .listDeviceChanges: .listDeviceChanges
    case .listDeliveries: .listDeliveries
    case .listNotifications: .listNotifications
    case .putNotification: .putNotification
    case .getNotification: .getNotification
    case .deleteNotification: .deleteNotification
    case .batchNotifications: .batchNotifications
    case .getPolicy: .getPolicy
    case .putPolicy: .putPolicy
    case .listPolicyVersions: .listPolicyVersions
    case .previewPolicy: .previewPolicy
    case .getReport: .getReport
    case .getHealth: .getHealth
    case .getReadiness: .getReadiness
    case .getMetrics: .getMetrics
    case .getVersion: .getVersion
    case .getOpenAPI: .getOpenAPI
    }
  }

  /// The device it is about, if it is about one: what a device token is held against.
  public var device: DeviceID? {
    switch self {
    case .syncDevice(let device), .getPlan(let device, _), .explainPlan(let device, _),
      .decidePriming(let device), .getInbox(let device, _, _), .markInbox(let device, _),
      .mintDeviceToken(let device), .getDevice(let device), .eraseDevice(let device),
      .listDeviceChanges(let device, _), .listDeliveries(let device, _),
      .listNotifications(let device, _), .putNotification(let device, _), .getNotification(let device, _),
      .deleteNotification(let device, _):
      device
    default: nil
    }
  }
}
