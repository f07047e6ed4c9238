import CarillonAPI
import CarillonJSON
import CarillonModel
import IntegrationSupport

/// A write of each kind, on a device that has reported: what it changes can be counted.
struct WriteSample: Sendable {
  var request: KeyedRequest
  /// A number that grows by one with each effect.
  var effects: String

  /// What is done before, in its order.
  static func preparations(_ device: String) -> [KeyedRequest] {
    let puts = [Reports.notification("first", inHours: 1), Reports.notification("due", inHours: 2)]
    return [
      KeyedRequest(
        method: "POST", path: Reports.path(device),
        body: Reports.full(sequence: 1, extra: ",\"put\":[\(puts.joined(separator: ","))]"))
    ]
  }

  /// Nil for an endpoint of which nobody has thought here yet.
  static func of(_ endpoint: Endpoint, device: String) -> WriteSample? {
    let versions = "SELECT row_version::text FROM carillon.device_syncs WHERE device_id = '\(device)'"
    switch endpoint {
    case .syncDevice:
      return WriteSample(
        request: KeyedRequest(
          method: "POST", path: Reports.path(device),
          body: Reports.full(
            sequence: 2,
            extra: ",\"put\":[\(Reports.notification("second", inHours: 3))],\"cancel\":[\"first\"]")),
        effects: versions)
    case .putNotification:
      return WriteSample(
        request: KeyedRequest(
          method: "PUT", path: Reports.path(device, "/notifications/third"),
          body: Reports.notification("third", inHours: 4)),
        effects: versions)
    case .deleteNotification:
      return WriteSample(
        request: KeyedRequest(method: "DELETE", path: Reports.path(device, "/notifications/first")),
        effects: versions)
    case .batchNotifications:
      return WriteSample(
        request: KeyedRequest(
          method: "POST", path: "/v1/notifications",
          body: Reports.batch(device, [Reports.notification("fourth", inHours: 5)])),
        effects: versions)
    case .decidePriming:
      return WriteSample(
        request: KeyedRequest(
          method: "POST", path: Reports.path(device, "/priming"), body: "{\"action\":\"reminder.created\"}"),
        effects: "SELECT count(*)::text FROM carillon.priming_steps WHERE device_id = '\(device)'")
    case .putPolicy:
      return WriteSample(
        request: KeyedRequest(method: "PUT", path: "/v1/policy", body: "{\"slots\":12}"),
        effects: "SELECT max(policy_version)::text FROM carillon.tenants")
    case .markInbox:
      // Whatever is marked again keeps its first time, so what is counted is what is kept of it.
      return WriteSample(
        request: KeyedRequest(
          method: "POST", path: Reports.path(device, "/inbox/read"),
          body: "{\"before\":\"2100-01-01T00:00:00Z\"}"),
        effects: "SELECT count(*)::text FROM carillon.device_idempotency_keys WHERE device_id = '\(device)'")
    case .mintDeviceToken:
      return WriteSample(
        request: KeyedRequest(method: "POST", path: Reports.path(device, "/token"), body: "{\"ttl\":600}"),
        effects: "SELECT count(*)::text FROM carillon.device_idempotency_keys WHERE device_id = '\(device)'")
    case .eraseDevice:
      return WriteSample(
        request: KeyedRequest(method: "DELETE", path: Reports.path(device, "")),
        effects: "SELECT (-count(*))::text FROM carillon.devices WHERE device_id = '\(device)'")
    default: return nil
    }
  }
}
