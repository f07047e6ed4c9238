import CarillonJSON
import CarillonModel
import CarillonTesting
import TestSupport
import Testing

@testable import CarillonClient

/// Two installations of one user, edited by their app, online and not, and by the app's service.
actor SimulatedUser {
  private let phones: [SimulatedPhone]
  private let backend: TenantClient
  private let name: String
  private let clock: @Sendable () -> Instant
  private var wishes: WishMaker
  private(set) var log: [String] = []

  init(
    _ name: String, backend: TenantClient, over wire: any Transport, clock: @escaping @Sendable () -> Instant,
    wishes: WishMaker
  ) {
    var wishes = wishes
    self.name = name
    self.backend = backend
    self.clock = clock
    phones = (0..<2).map { _ in
      SimulatedPhone(
        user: name, key: backend.key, over: wire, clock: clock, seed: wishes.random.next())
    }
    self.wishes = wishes
  }

  // MARK: Life

  func live() async throws {
    for (number, phone) in phones.enumerated() {
      for _ in 0..<Int.random(in: 0...2, using: &wishes.random) {
        try await act(phone, "phone \(number)")
      }
    }
    if wishes.chance(40) { try await serve() }
  }

  private func act(_ phone: SimulatedPhone, _ who: String) async throws {
    switch Int.random(in: 0..<100, using: &wishes.random) {
    case 0..<35:
      let wish = wishes.notification(at: clock())
      log.append("\(who) \(phone.link.mode) puts \(wish.head.id.text) \(wish.head.trigger.text)")
      try await phone.attempt { (carillon) async throws(CarillonError) in
        _ = try await carillon.schedule(wish)
      }
    case 35..<50:
      let id = wishes.id()
      log.append("\(who) \(phone.link.mode) cancels \(id.text)")
      try await phone.attempt { (carillon) async throws(CarillonError) in _ = try await carillon.cancel(id) }
    case 50..<65:
      log.append("\(who) \(phone.link.mode) syncs")
      try await phone.attempt { (carillon) async throws(CarillonError) in _ = try await carillon.sync() }
    case 65..<80:
      phone.link.mode = wishes.pick([.up, .down, .flaky])
    case 80..<88:
      log.append("\(who) restarts")
      phone.restart()
    default: try await meddle(phone, who)
    }
  }

  /// What happens to a phone behind the SDK's back.
  private func meddle(_ phone: SimulatedPhone, _ who: String) async throws {
    switch Int.random(in: 0..<4, using: &wishes.random) {
    case 0:
      let zone = wishes.pick(["Europe/Madrid", "Asia/Tokyo", "America/New_York"])
      log.append("\(who) travels to \(zone)")
      phone.travel(to: zone)
    case 1:
      log.append("\(who) adds its own")
      try await phone.center.add(
        CenterRequest(
          id: NotificationID(unchecked: "own.\(log.count)"), content: NotificationContent(title: "own"),
          trigger: .interval(seconds: 90_000, repeats: false)))
    case 2:
      guard let lost = phone.center.pending.first?.id else { return }
      log.append("\(who) loses \(lost.text)")
      await phone.center.removePendingRequests(withIdentifiers: [lost])
    default:
      let status: AuthorizationStatus = wishes.chance(50) ? .denied : .authorized
      log.append("\(who) is \(status)")
      var settings = CenterSettings.everythingEnabled
      settings.authorizationStatus = status
      phone.center.change(settings: settings)
    }
  }

  /// The app's service, for one phone or for both.
  private func serve() async throws {
    var target = BatchOperation.Target.user(name)
    if wishes.chance(50) { target = .device(try await wishes.pick(phones).carillon.deviceId()) }
    let operation: BatchOperation
    if wishes.chance(70) {
      let wish = wishes.notification(at: clock())
      log.append("the service puts \(wish.head.id.text) \(wish.head.trigger.text) for \(target)")
      operation = BatchOperation(.put(wish), for: target)
    } else {
      let id = wishes.id()
      log.append("the service cancels \(id.text) for \(target)")
      operation = BatchOperation(.cancel(id), for: target)
    }
    _ = try await backend.enqueue([operation])
  }

  // MARK: The end

  /// With everything delivered, each phone holds what the server plans.
  func end(_ name: String) async throws {
    for phone in phones {
      phone.link.mode = .up
      phone.center.change(settings: .everythingEnabled)
    }
    for _ in 0..<2 {
      for phone in phones { try await phone.carillon.sync() }
    }
    for (number, phone) in phones.enumerated() {
      let outcome = try await phone.carillon.sync()
      log.append("phone \(number) has \(outcome.unread) unread items")
      let comment = Comment(rawValue: "\(name), phone \(number):\n\(log.joined(separator: "\n"))")
      #expect(outcome.applied.isEmpty && outcome.reports == 1, comment)
      try await check(phone, outcome.deviceId, comment)
    }
  }

  private func check(_ phone: SimulatedPhone, _ device: DeviceID, _ comment: Comment) async throws {
    var told = try #require(try await backend.plan(of: device, unless: nil))
    if phone.center.pending.contains(where: { told.leaves($0.id) }) {
      // Who asks for the plan is told of it as of something that came, and badges count it: so does the next answer.
      try await phone.carillon.sync()
      told = try #require(try await backend.plan(of: device, unless: nil))
    }
    let held = told.plan.held
    func isLeft(_ id: NotificationID) -> Bool { told.leaves(id) }
    let ours = phone.center.pending.filter { $0.revision != nil && !isLeft($0.id) }
    #expect(
      Dictionary(uniqueKeysWithValues: ours.map { ($0.id.text, $0.revision) })
        == Dictionary(uniqueKeysWithValues: held.map { ($0.id.text, Optional($0.revision)) }), comment)
    let known = try #require(try phone.state)
    #expect(known.outbox.isEmpty && known.plannedHere.isEmpty, comment)
    for request in held {
      let content = try #require(told.contents[request.id], comment)
      let planned = SyncAddition(
        id: request.id, revision: request.revision, fireAt: request.fireAt, trigger: request.trigger,
        content: content)
      guard let shown = ours.first(where: { $0.id == request.id }) else { continue }
      guard case .request(let wanted) = PlannedAddition(planned).prepared(at: clock()) else {
        Issue.record("\(request.id.text) cannot be held: \(comment)")
        continue
      }
      #expect(shown.content.canonicalBytes == wanted.content.canonicalBytes, comment)
      #expect(shown.trigger.isSame(as: wanted.trigger), comment)
      let memory = try #require(known.plan.first { $0.id == request.id }, comment)
      #expect(memory.content == content && memory.trigger == request.trigger, comment)
    }
    // And what it would make of it if it was alone from now on.
    phone.link.mode = .down
    let own = try await phone.carillon.plan()
    phone.link.mode = .up
    #expect(own.source != .server)
    let wanted = held.map { request in
      Carillon.Plan.Entry(
        id: request.id, revision: request.revision, trigger: request.trigger,
        content: told.contents[request.id].flatMap { try? NotificationContent(canonical: $0) }
          ?? NotificationContent(), fireAt: request.fireAt)
    }
    let entries = own.entries.filter { !isLeft($0.id) }
    let strange = entries.filter { !wanted.contains($0) }.map(\.line)
    let missing = wanted.filter { !entries.contains($0) }.map(\.line)
    #expect(strange == missing, comment)
    #expect(entries == wanted || !missing.isEmpty, comment)
  }
}

extension Carillon.Plan.Entry {
  fileprivate var line: String {
    "\(id.text) \(revision) \(fireAt?.text ?? "-") \(content.badge ?? 0) \(trigger.text)"
  }
}

extension TaggedPlan {
  /// What is due by the server's reckoning, and pending all the same, is left to ring for a day: after a journey the
  /// device may reckon otherwise.
  fileprivate func leaves(_ id: NotificationID) -> Bool {
    let over = Set(plan.expired.map(\.id))
    return !plan.held.contains { $0.id == id }
      && (over.contains(id) || id.occurrenceSource.map(over.contains) ?? false)
  }
}

extension Trigger {
  fileprivate var text: String {
    var writer = JSONWriter()
    writeCanonical(to: &writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}

extension CenterTrigger? {
  /// What is left of an interval depends on when it was added.
  fileprivate func isSame(as other: CenterTrigger?) -> Bool {
    switch (self, other) {
    case (.interval(_, let repeats)?, .interval(_, let others)?): repeats == others
    default: self == other
    }
  }
}
