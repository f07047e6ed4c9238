import CarillonAPI
import CarillonJSON
import CarillonModel
import TestSupport

/// One of everything, and random ones.
enum Sample {
  static let device = DeviceID(UUID128(high: 0x8d3f_6f2e_52d4_4f29, low: 0x9c9b_0c3c_8a1c_1a11))
  static let now = Instant(seconds: 1_796_032_800)

  /// Ids that are hard on paths.
  static let ids = [
    "habit.1", "a/b", "a%2Fb", "100%", "%", "a b+c", "?x=1&y#z", "später/später", "🔔", ".", "..", "-_.~",
    "\"q\"",
    String(repeating: "é", count: 64),
  ].map { NotificationID(unchecked: $0) }

  static func notification(_ id: String, title: String = "Water the plants") -> Notification {
    var content = NotificationContent(title: title)
    content.sound = "default"
    return Notification(
      head: NotificationHead(
        id: NotificationID(unchecked: id), trigger: .instant(now.adding(seconds: 3600)),
        summary: content.summary),
      content: content)
  }

  /// Every endpoint once at least.
  static let routes: [Route] =
    [
      .syncDevice(device), .getPlan(device), .getPlan(device, wait: 30), .decidePriming(device),
      .getInbox(device), .getInbox(device, PageRequest(limit: 7), state: .archived), .mintDeviceToken(device),
      .listDevices(),
      .listDevices(PageRequest(limit: 200, cursor: Cursor(list: .devices, key: device.text))),
      .getDevice(device), .eraseDevice(device), .listDeviceChanges(device),
      .listDeliveries(
        device,
        PageRequest(
          limit: 3,
          cursor: Cursor(
            deliveryAt: Instant(seconds: 1), NotificationID(unchecked: "a b"), wishedAt: Instant(seconds: 0)))
      ),
      .listNotifications(device), .batchNotifications,
      .getPolicy(), .getPolicy(version: 3), .putPolicy, .listPolicyVersions(),
      .listPolicyVersions(PageRequest(cursor: Cursor(list: .policyVersions, key: "3"))), .previewPolicy,
      .getHealth, .getReadiness, .getMetrics, .getVersion, .getOpenAPI,
    ] + Route.InboxMark.allCases.map { .markInbox(device, $0) }
    + Route.ReportKind.allCases.map { .getReport($0) }
    + [
      .getReport(
        .delivery,
        ReportQuery(
          from: CivilDate("2026-11-01"), to: CivilDate("2026-11-30"), type: "habit & entry", cohort: "")),
      .getReport(.fatigue, ReportQuery(to: CivilDate("2026-02-28"), cohort: "2026-W48")),
    ]
    + ids.flatMap { id -> [Route] in
      [
        .putNotification(device, id), .getNotification(device, id), .deleteNotification(device, id),
        .explainPlan(device, notification: id),
        .listNotifications(device, PageRequest(cursor: Cursor(list: .notifications, key: id.text))),
      ]
    }

  /// The report of the wire's own documentation.
  static let report = Array(
    """
    { "sequence": 42, "sentAt": "2026-11-30T10:00:00Z",
      "device": { "platform": "iOS", "osVersion": "26.1", "appVersion": "3.2.0", "bundleId": "com.example.app",
                  "timeZone": "Europe/Madrid", "firstWeekday": 2, "minimumDaysInFirstWeek": 4,
                  "locale": "es_ES", "deviceKey": "…", "userId": "u1", "cohort": "2026-W48",
                  "push": { "token": "0AFF", "environment": "production" }, "backgroundRefresh": "available" },
      "authorizationStatus": "authorized",
      "settings": { "alert": "enabled", "sound": "enabled", "badge": "enabled", "lockScreen": "enabled",
                    "notificationCenter": "enabled", "carPlay": "notSupported", "criticalAlert": "notSupported",
                    "timeSensitive": "enabled", "scheduledDelivery": "disabled",
                    "directMessages": "notSupported", "announcement": "disabled", "alertStyle": "banner",
                    "showPreviews": "always", "providesAppNotificationSettings": true },
      "planVersion": 16,
      "pending": [ { "id": "habit.1", "revision": "9f2c0d1e5b7a8c34" } ],
      "foreign": { "count": 3, "regions": 0 },
      "delivered": [ "habit.0" ],
      "events": [ { "id": "e1", "kind": "tapped", "notification": "habit.0", "at": "2026-11-30T08:00:05Z" } ],
      "put": [ { "id": "habit.9", "content": { "title": "Water" },
                 "trigger": { "kind": "local", "at": "2026-12-01T08:00" } } ],
      "cancel": [ "habit.3" ] }
    """.utf8)
}

/// Random values of the wire, as wild as the wire allows.
struct Randomizer {
  var random: SeededGenerator

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
  mutating func coin() -> Bool { Bool.random(using: &random) }

  mutating func text() -> String {
    let alphabet = Array("abc.%/ \"\\é🔔~")
    return String((0...number(0...12)).map { _ in alphabet[number(0...alphabet.count - 1)] })
  }

  mutating func id() -> NotificationID { NotificationID(unchecked: text()) }
  mutating func instant() -> Instant {
    Instant(milliseconds: Int64(number(946_684_800...4_000_000_000)) * 1000)
  }

  mutating func list<Item>(_ count: Int, _ make: (inout Self) -> Item) -> [Item] {
    (0..<number(0...count)).map { _ in make(&self) }
  }

  mutating func device() -> DeviceInfo {
    var info = DeviceInfo()
    if coin() { info.platform = text() }
    if coin() { info.timeZone = ["Europe/Madrid", "UTC", "America/Argentina/Buenos_Aires"][number(0...2)] }
    if coin() { info.firstWeekday = number(1...7) }
    if coin() { info.minimumDaysInFirstWeek = number(1...7) }
    if coin() { info.userId = text() }
    if coin() { info.deviceKey = text() }
    if coin() { info.push = PushRegistration(token: "0a1b", environment: text()) }
    return info
  }

  mutating func settings() -> NotificationSettings {
    var settings = NotificationSettings()
    let values: [NotificationSetting?] = [nil, .enabled, .disabled, .notSupported, .unknown("later")]
    settings.alert = values[number(0...4)]
    settings.sound = values[number(0...4)]
    settings.announcement = values[number(0...4)]
    if coin() { settings.alertStyle = text() }
    if coin() { settings.providesAppNotificationSettings = coin() }
    return settings
  }

  mutating func event() -> SyncEvent {
    let kinds = SyncEvent.Kind.known + [.unknown("later")]
    return SyncEvent(
      id: text(), kind: kinds[number(0...kinds.count - 1)], notification: coin() ? id() : nil,
      name: coin() ? text() : nil, context: coin() ? text() : nil, at: instant())
  }

  mutating func report() -> SyncRequest {
    var request = SyncRequest(sequence: Int64(number(WireLimits.sequence)))
    if coin() { request.sentAt = instant() }
    if coin() { request.device = device() }
    if coin() {
      let values: [AuthorizationStatus] = [.authorized, .denied, .provisional, .unknown("x")]
      request.authorizationStatus = values[number(0...3)]
    }
    if coin() { request.settings = settings() }
    if coin() { request.planVersion = number(0...1_000) }
    if coin() {
      request.pending = list(70) { PendingRequest(id: $0.id(), revision: $0.coin() ? "9f2c" : nil) }
    }
    if coin() { request.foreign = ForeignRequests(count: number(0...64), regions: number(0...20)) }
    if coin() { request.delivered = list(10) { $0.id() } }
    request.events = list(5) { $0.event() }
    request.put = list(3) { Sample.notification($0.text(), title: $0.text()) }
    request.cancel = list(3) { $0.id() }
    return request
  }

  /// The bytes with a few of them overwritten, removed, added or cut off.
  mutating func damaged(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    for _ in 0...number(0...3) where !bytes.isEmpty {
      let place = number(0...bytes.count - 1)
      switch number(0...3) {
      case 0: bytes[place] = UInt8(number(0...255))
      case 1: bytes.remove(at: place)
      case 2: bytes.insert(Array("{}[]\",:0-e\\u%/".utf8)[number(0...13)], at: place)
      default: bytes.removeSubrange(place...)
      }
    }
    return bytes
  }
}
