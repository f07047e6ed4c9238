import CarillonModel
import CarillonStore

/// Values that tests store: all made from small numbers, none from clock or chance.
enum Sample {
  static let start = Instant(seconds: 1_796_000_000)

  static func later(_ seconds: Int64) -> Instant { start.adding(seconds: seconds) }

  static func device(_ number: UInt64) -> DeviceID {
    DeviceID(UUID128(high: 0xD000_0000_0000_4000, low: 0x8000_0000_0000_0000 | number))
  }

  static func id(_ text: String) -> NotificationID { NotificationID(unchecked: text) }

  static func head(_ id: String, hour: Int = 8) -> NotificationHead {
    var components = CalendarComponents()
    components.hour = hour
    return NotificationHead(
      id: Sample.id(id), type: "habit",
      trigger: .calendar(CalendarTrigger(components: components, repeats: true, timeZone: "Europe/Madrid")),
      overdue: .deliverNow, expiresAt: later(86_400), needs: [.sound], inbox: false, group: "water",
      summary: ContentSummary(
        hasText: true, hasSound: false, hasBadge: true, interruptionLevel: .timeSensitive,
        hash: UInt64.max - 7))
  }

  static func item(_ id: String, hour: Int = 8, content: String = "") -> QueueItem {
    QueueItem(head: head(id, hour: hour), content: bytes(content.isEmpty ? #"{"title":"\#(id)"}"# : content))
  }

  static func signingKey(_ tenant: TenantID, _ id: String = "abcdefghijkl") -> StoredSigningKey {
    StoredSigningKey(
      id: id, tenant: tenant, sealedSecret: Array(repeating: 7, count: 61),
      masterKey: "0123456789abcdef", createdAt: start)
  }

  static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  static var state: DeviceState {
    var info = DeviceInfo()
    info.platform = "iOS"
    info.osVersion = "26.1"
    info.appVersion = "3.2.0"
    info.bundleId = "com.example.app"
    info.timeZone = "Europe/Madrid"
    info.firstWeekday = 2
    info.minimumDaysInFirstWeek = 4
    info.locale = "es_ES"
    info.deviceKey = "key"
    info.userId = "u1"
    info.cohort = "2026-W48"
    info.push = PushRegistration(token: "00ff", environment: "production")
    info.backgroundRefresh = "available"
    var settings = NotificationSettings()
    settings.alert = .enabled
    settings.sound = .disabled
    settings.carPlay = .notSupported
    settings.criticalAlert = .unknown("whisper")
    settings.alertStyle = "banner"
    settings.showPreviews = "always"
    settings.providesAppNotificationSettings = true
    return DeviceState(info: info, authorizationStatus: .authorized, settings: settings)
  }

  static func steady(digest: UInt64 = 7, policyVersion: Int = 0, until: Instant = later(3_600)) -> SteadyState
  {
    SteadyState(
      digest: digest, validUntil: until, policyVersion: policyVersion, answer: bytes("answer"))
  }

  static func plan(version: Int, sent: [String] = ["a", "b"]) -> PlanDraft {
    PlanDraft(
      version: version, policyVersion: 0, zoneData: "2025b", digest: UInt64.max - UInt64(version),
      document: bytes(#"{"version":\#(version)}"#), sent: sent.map(id), nextFireAt: later(60),
      deliveries: bytes("made"), evictions: ["habit": version])
  }

  /// Of a notification that stands in the queue.
  static func occurrence(
    _ id: String, wish: Int64 = 0, at: Int64? = nil, outcome: DeliveryOutcome = .open
  ) -> InboxOccurrence {
    InboxOccurrence(
      key: InboxKey(notification: Sample.id(id), wishedAt: later(wish)), at: later(at ?? wish), type: "habit",
      outcome: outcome)
  }

  static var priming: PrimingChange {
    var facts = PrimingFacts()
    facts.note(.primingShown, at: start)
    facts.note(.primingPostponed, at: later(1))
    facts.note(.primingAccepted, at: later(2))
    facts.note(.dialogShown, at: later(3))
    facts.note(.tapped, at: later(4))
    facts.note(.denied, at: later(5))
    return PrimingChange(
      facts: facts,
      answered: AnsweredPriming(
        question: PrimingQuestion(action: "reminder.created", context: "featureDegraded"),
        step: .openSettings,
        reason: .denied))
  }

  /// A change, an occurrence and a truth that are others for each number.
  static func history(_ number: Int64) -> DeviceHistory {
    var history = DeviceHistory()
    history.change = DeviceStateChange(
      sequence: number, sentAt: later(number), appVersion: "3.2.\(number)",
      authorizationStatus: .unknown("new"),
      fatigue: .degraded, members: [.init(path: "settings.sound", from: nil, to: "whisper \"\(number)\"")])
    var delivery = StoredDelivery(
      notification: id("a"), wishedAt: later(number), request: id("a@\(number)"), type: "habit",
      dueAt: later(number + 1), outcome: .inferredDelivered,
      held: .init(revisionHash: UInt64.max - 5, planVersion: 3, repeats: true))
    delivery.reach = .audible
    delivery.unmetNeeds = [.sound, .lockScreen]
    history.deliveries = [delivery]
    var truth = DeviceTruth()
    truth.lookedAt = later(number)
    truth.waiting = [id("a"), id("b")]
    truth.vanished = [id("ü")]
    truth.appliedPlanVersion = 4
    truth.tallies = [TypeTally(type: "habit", delivered: 1.5, tapped: 0.25)]
    truth.talliedAt = later(number)
    truth.wasNoticeable = true
    truth.fatiguedAt = later(-number)
    truth.drift = DriftCounts(dropped: Int(number), unplanned: 2, altered: 3, at: later(number))
    history.truth = truth
    return history
  }

  static func answer(
    _ key: String = "key", _ principal: IdempotencyKey.Principal = .tenantKey("k"), fingerprint: UInt8 = 1,
    body: String = "{}", at seconds: Int64 = 0
  ) -> AnswerDraft {
    AnswerDraft(
      key: IdempotencyKey(
        principal: principal, text: key, fingerprint: Array(repeating: fingerprint, count: 32)),
      answer: KeptAnswer(status: 200, entityTag: "\"1\"", body: bytes(body)), now: later(seconds))
  }

  /// A device's first report.
  static func firstReport(sequence: Int64 = 1) -> DeviceChange {
    var change = DeviceChange(expectedRowVersion: nil, now: start)
    change.state = state
    change.sequence = sequence
    change.steady = steady()
    change.plan = plan(version: 1)
    return change
  }
}
