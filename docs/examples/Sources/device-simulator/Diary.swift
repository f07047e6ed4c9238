import CarillonClient
import CarillonTesting

/// Writes down what a phone does, as it happens.
struct Diary {
  let phone: Phone
  let midnight: Instant
  private var titles: [NotificationID: String] = [:]
  private var reasons: [NotificationID: String] = [:]
  private var rung: Set<NotificationID> = []

  init(phone: Phone, midnight: Instant) {
    self.phone = phone
    self.midnight = midnight
  }

  /// From six in the morning to midnight.
  consuming func write() async throws {
    print("\(Story.day) in Madrid\n")
    try await begin()
    for minute in 361...1_439 {
      phone.clock.advance(to: midnight.adding(seconds: Int64(minute) * 60))
      try await live()
    }
    try await end()
  }

  /// The app asks for all its reminders at once.
  private mutating func begin() async throws {
    let carillon = phone.carillon
    for reminder in Story.reminders { titles[reminder.notification.head.id] = reminder.title }
    try await withThrowingTaskGroup { group in
      for reminder in Story.reminders {
        group.addTask { _ = try await carillon.schedule(reminder.notification) }
      }
      try await group.waitForAll()
    }
    let slots = try await carillon.sync().slots
    note("app", "\(titles.count) reminders: \(slots.held) held, \(slots.queued) wait for a place")
  }

  /// One minute.
  private mutating func live() async throws {
    for notification in phone.center.delivered where rung.insert(notification.id).inserted {
      note("rings", titles[notification.id] ?? notification.id.text)
    }
    for event in Story.events where event.at == time() { try await happen(event.what) }
    for reminder in Story.reminders where reminder.daysAhead == 0 {
      let id = reminder.notification.head.id
      // Once its time is there nothing is left to explain.
      if reminder.at == time(in: 1) { reasons[id] = try await why(id) }
      if reminder.at == time(), !rung.contains(id) {
        note("silent", "\(reminder.title): \(reasons[id] ?? "")")
      }
    }
  }

  private func end() async throws {
    let unread = try await phone.carillon.sync().unread
    note("app", "\(rung.count) have rung today, \(unread) are unread in the inbox")
  }

  // MARK: Events

  private mutating func happen(_ event: Story.Event) async throws {
    switch event {
    case .sync: await tell { try await phone.carillon.sync() }
    case .switchNotifications(let on):
      note("person", "switches notifications \(on ? "on" : "off")")
      phone.switchNotifications(on: on)
      await tell { try await phone.carillon.settingsDidChange() }
    case .airplaneMode(let isOn):
      note("person", "switches airplane mode \(isOn ? "on" : "off")")
      phone.radio.airplaneMode(isOn)
      if !isOn { await tell { try await phone.carillon.sync() } }
    case .schedule(let reminder):
      titles[reminder.notification.head.id] = reminder.title
      note("person", "asks for \"\(reminder.title)\" at \(reminder.at)")
      await tell { try await phone.carillon.schedule(reminder.notification) }
    }
  }

  private func tell(_ work: () async throws -> SyncOutcome) async {
    do {
      let outcome = try await work()
      let applied = outcome.applied
      let what =
        "\(applied.added.count) added, \(applied.removed.count) removed, \(applied.pendingCount) pending"
      switch outcome.confirmation {
      case .server: note("sync", what)
      case .device(let error): note("phone", "plans by itself, since \(error.detail): \(what)")
      }
    } catch {
      note("sync", "\(error)")
    }
  }

  /// As the server says it to support.
  private func why(_ id: NotificationID) async throws -> String {
    let service = TenantClient(transport: phone.server, key: "ck_any", effects: phone.clock.effects)
    return try await service.explain(id, on: try await phone.carillon.deviceId()).summary
  }

  // MARK: Lines

  /// `08:00` on the phone's clock.
  ///
  /// - Parameter later: minutes.
  private func time(in later: Int64 = 0) -> String {
    let minutes = (phone.clock.now.seconds - midnight.seconds) / 60 + later
    func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(two(minutes / 60)):\(two(minutes % 60))"
  }

  private func note(_ who: String, _ what: String) {
    print("\(time())  \(who)\(String(repeating: " ", count: 8 - who.count))\(what)")
  }
}
