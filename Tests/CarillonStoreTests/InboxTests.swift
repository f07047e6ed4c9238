import CarillonModel
import CarillonPostgres
import CarillonStore
import Testing

/// The inbox in the database: what the functions of `v0009_inbox` promise.
@Suite struct InboxTests {
  /// A device with `notifications` in its queue.
  private func makeDevice(
    _ world: StoreWorld, _ number: UInt64 = 1, user: String? = nil,
    _ notifications: [String] = ["a", "b", "c"]
  ) async throws -> DeviceID {
    let device = Sample.device(number)
    var change = DeviceChange(expectedRowVersion: nil, now: Sample.start)
    change.state = state(user)
    change.sequence = 1
    change.puts = notifications.map { Sample.item($0, content: #"{"title":"T \#($0)"}"#) }
    _ = try await world.store.apply(change, tenant: world.tenant, device: device)
    return device
  }

  private func state(_ user: String?) -> DeviceState {
    var state = Sample.state
    state.info.userId = user
    return state
  }

  private func record(
    _ world: StoreWorld, _ device: DeviceID, due: [InboxOccurrence] = [], settled: [InboxOccurrence] = [],
    at now: Instant = Sample.start, _ more: (inout DeviceChange) -> Void = { _ in }
  ) async throws {
    let row = try await world.store.device(tenant: world.tenant, device: device)?.rowVersion
    var change = DeviceChange(expectedRowVersion: row, now: now)
    change.inbox = InboxChange(due: due, settled: settled)
    more(&change)
    let outcome = try await world.store.apply(change, tenant: world.tenant, device: device)
    guard case .applied = outcome else { throw Failure(description: "\(outcome)") }
  }

  private struct Failure: Error, CustomStringConvertible { var description: String }

  private func ids(
    _ world: StoreWorld, _ device: DeviceID, _ state: InboxState = .inbox, now: Instant = Sample.start
  ) async throws -> [String]? {
    try await world.store.inbox(
      tenant: world.tenant, device: device, state: state, after: nil, limit: 200, now: now)?
      .items.map { "\($0.key.notification)@\($0.key.wishedAt.seconds - Sample.start.seconds)" }
  }

  private func unread(
    _ world: StoreWorld, _ device: DeviceID, user: String? = nil, now: Instant = Sample.start
  ) async throws -> InboxCount {
    try await world.store.loadDevice(
      tenant: world.tenant, device: device, inbox: InboxQuestion(user: user, now: now)
    ).inbox
  }

  @Test func anOccurrenceIsOneItemAndKeepsItsContent() async throws {
    try await withStore { world in
      let device = try await makeDevice(world)
      let due = [Sample.occurrence("a", wish: 0, at: 60, outcome: .open), Sample.occurrence("b", wish: 30)]
      try await record(world, device, due: due)
      try await record(world, device, due: due)
      #expect(try await ids(world, device) == ["a@0", "b@30"])
      // The queue may forget it or have something else.
      try await record(world, device) { $0.cancels = [Sample.id("a")] }
      let page = try #require(
        await world.store.inbox(
          tenant: world.tenant, device: device, state: .all, after: nil, limit: 1, now: Sample.start))
      let item = try #require(page.items.first)
      #expect(item.content == Sample.bytes(#"{"title":"T a"}"#))
      #expect(item.at == Sample.later(60) && item.key.wishedAt == Sample.start && item.type == "habit")
      #expect(page.count.unread == 2)
    }
  }

  /// What came due belongs to the content of then, whatever the same report puts or cancels.
  @Test func theContentIsThatOfItsTime() async throws {
    try await withStore { world in
      let device = try await makeDevice(world)
      try await record(world, device, due: [Sample.occurrence("a"), Sample.occurrence("b", wish: 1)]) {
        change in
        change.cancels = [Sample.id("a")]
        change.puts = [Sample.item("b", content: #"{"title":"new"}"#)]
      }
      let page = try await world.store.inbox(
        tenant: world.tenant, device: device, state: .inbox, after: nil, limit: 9, now: Sample.start)
      #expect(
        page?.items.map(\.content) == [Sample.bytes(#"{"title":"T b"}"#), Sample.bytes(#"{"title":"T a"}"#)])
    }
  }

  @Test func aLaterOutcomeCorrectsTheItem() async throws {
    try await withStore { world in
      let (one, two) = (
        try await makeDevice(world, 1, user: "u"), try await makeDevice(world, 2, user: "u")
      )
      func outcome() async throws -> DeliveryOutcome? {
        try await world.store.inbox(
          tenant: world.tenant, device: one, state: .all, after: nil, limit: 1, now: Sample.start)?
          .items.first?.outcome
      }
      try await record(world, one, due: [Sample.occurrence("a")])
      #expect(try await outcome() == .open)
      try await record(world, one, settled: [Sample.occurrence("a", outcome: .missed)])
      #expect(try await outcome() == .missed)
      // Of several devices the most telling outcome stands.
      try await record(world, two, due: [Sample.occurrence("a", outcome: .inferredDelivered)])
      #expect(try await outcome() == .inferredDelivered)
      try await record(world, one, settled: [Sample.occurrence("a", outcome: .suppressed)])
      #expect(try await outcome() == .inferredDelivered)
      try await record(world, one, settled: [Sample.occurrence("a", outcome: .delivered)])
      #expect(try await outcome() == .delivered)
      // Nothing is made of what is only settled.
      try await record(world, one, settled: [Sample.occurrence("b", outcome: .delivered)])
      #expect(try await ids(world, one) == ["a@0"])
    }
  }

  @Test func marksNarrowTheLists() async throws {
    try await withStore { world in
      let device = try await makeDevice(world, 1, user: nil, (0..<6).map { "n\($0)" })
      let keys = (0..<6).map { Sample.occurrence("n\($0)", wish: Int64($0)).key }
      try await record(world, device, due: (0..<6).map { Sample.occurrence("n\($0)", wish: Int64($0)) })
      let (store, tenant) = (world.store, world.tenant)
      func mark(_ marking: InboxMarking, _ targets: InboxTargets, at now: Instant = Sample.start) async throws
        -> Int?
      { try await store.markInbox(tenant: tenant, device: device, marking, targets, now: now) }
      #expect(try await mark(.seen, .items([keys[5], keys[4]])) == 6)
      #expect(try await mark(.read, .items([keys[4]])) == 5)
      #expect(try await mark(.archive, .items([keys[3]])) == 4)
      #expect(try await mark(.snooze(until: Sample.later(100)), .items([keys[2]])) == 3)
      let lists: [(InboxState, [Int])] = [
        (.inbox, [5, 4, 1, 0]), (.unseen, [1, 0]), (.seen, [5]), (.unread, [5, 1, 0]), (.read, [4]),
        (.archived, [3]), (.snoozed, [2]), (.all, [5, 4, 3, 2, 1, 0]),
      ]
      for (state, wanted) in lists {
        #expect(try await ids(world, device, state) == wanted.map { "n\($0)@\($0)" }, "\(state)")
      }
      // It comes back by itself.
      let count = try await unread(world, device)
      #expect(count.unread == 3 && count.changesAt == Sample.later(100))
      #expect(try await unread(world, device, now: Sample.later(100)).unread == 4)
      #expect(try await ids(world, device, .inbox, now: Sample.later(100))?.contains("n2@2") == true)
      // All before a moment, but not what is put off; again, and with what nobody has.
      #expect(try await mark(.read, .before(Sample.later(5))) == 1)
      #expect(try await mark(.read, .before(Sample.later(5)), at: Sample.later(9)) == 1)
      #expect(
        try await mark(.read, .items([InboxKey(notification: "n0", wishedAt: Sample.later(77))])) == 1)
      #expect(try await ids(world, device, .snoozed) == ["n2@2"])
      #expect(try await mark(.snooze(until: nil), .items([keys[2]])) == 2)
      let read = try await world.texts(
        "SELECT DISTINCT (read_at = '\(Sample.start)')::text FROM carillon.inbox_items WHERE read_at IS NOT NULL"
      )
      #expect(read == ["true"])
      #expect(
        try await store.markInbox(
          tenant: tenant, device: Sample.device(9), .read, .items(keys), now: Sample.start) == nil)
    }
  }

  /// Field case 21's kind: one phone, two users.
  @Test func aUsersInboxIsTheirsAlone() async throws {
    try await withStore { world in
      let phone = try await makeDevice(world, 1, user: nil)
      try await record(world, phone, due: [Sample.occurrence("a")])
      #expect(try await unread(world, phone, user: "u1").unread == 1)
      // The first user takes over what the device has.
      try await record(world, phone) { $0.state = self.state("u1") }
      #expect(try await ids(world, phone) == ["a@0"])
      let tablet = try await makeDevice(world, 2, user: "u1")
      #expect(try await ids(world, tablet) == ["a@0"])
      #expect(try await world.store.devicesSharingInbox(tenant: world.tenant, device: phone).count == 2)
      // What came due before the switch is the first user's, also when the switch's report brings it.
      #expect(try await unread(world, phone, user: "u2").unread == 0)
      try await record(world, phone, due: [Sample.occurrence("b", wish: 1)]) { $0.state = self.state("u2") }
      #expect(try await ids(world, phone) == [])
      #expect(try await ids(world, tablet) == ["b@1", "a@0"])
      try await record(world, phone, due: [Sample.occurrence("c", wish: 2)])
      #expect(try await ids(world, phone) == ["c@2"])
      try await record(world, phone) { $0.state = self.state("u1") }
      #expect(try await ids(world, phone) == ["b@1", "a@0"])
    }
  }

  @Test func movedItemsKeepTheirMarks() async throws {
    try await withStore { world in
      let (one, two) = (try await makeDevice(world, 1), try await makeDevice(world, 2))
      for device in [one, two] {
        try await record(world, device, due: [Sample.occurrence("a"), Sample.occurrence("b", wish: 1)])
      }
      let key = Sample.occurrence("a").key
      _ = try await world.store.markInbox(
        tenant: world.tenant, device: one, .read, .items([key]), now: Sample.start)
      for device in [two, one] { try await record(world, device) { $0.state = self.state("u") } }
      #expect(try await ids(world, one) == ["b@1", "a@0"])
      #expect(try await ids(world, two, .unread) == ["b@1"])
      #expect(try await world.count("SELECT count(*) FROM carillon.inbox_items") == 2)
    }
  }

  @Test func erasingADeviceErasesWhatNoOtherShows() async throws {
    try await withStore { world in
      let own = try await makeDevice(world, 1)
      let (one, two) = (
        try await makeDevice(world, 2, user: "u"), try await makeDevice(world, 3, user: "u")
      )
      for device in [own, one, two] { try await record(world, device, due: [Sample.occurrence("a")]) }
      #expect(try await world.count("SELECT count(*) FROM carillon.inbox_items") == 2)
      _ = try await world.store.eraseDevice(tenant: world.tenant, device: one)
      #expect(try await ids(world, two) == ["a@0"])
      _ = try await world.store.eraseDevice(tenant: world.tenant, device: own)
      #expect(try await world.count("SELECT count(*) FROM carillon.inbox_items") == 1)
      _ = try await world.store.eraseDevice(tenant: world.tenant, device: two)
      #expect(try await world.count("SELECT count(*) FROM carillon.inbox_items") == 0)
    }
  }

  @Test func anInboxForgetsWhatIsTooOldOrTooMuch() async throws {
    try await withStore { world in
      let device = try await makeDevice(world, 1, user: nil, ["a"])
      _ = try await world.superuser.run(
        sql: "UPDATE carillon.tenants SET inbox_days = 2, inbox_items = 3, retention_at = '2100-01-01'")
      for wish in 0..<5 as Range<Int64> {
        try await record(world, device, due: [Sample.occurrence("a", wish: wish)])
      }
      #expect(try await ids(world, device, .all) == ["a@4", "a@3", "a@2"])
      let count = try await unread(world, device)
      #expect(count.unread == 3 && count.changesAt == Sample.later(2 * 86_400 + 2))
      #expect(count.most == 3 && count.begins == Sample.later(-2 * 86_400))
      let later = Sample.later(2 * 86_400 + 3)
      #expect(try await ids(world, device, .all, now: later) == ["a@4"])
      #expect(try await unread(world, device, now: later).unread == 1)
      try await record(world, device, due: [Sample.occurrence("a", wish: 2 * 86_400)], at: later)
      #expect(try await world.count("SELECT count(*) FROM carillon.inbox_items") == 2)
    }
  }

  @Test func pagesFollowEachOther() async throws {
    try await withStore { world in
      let device = try await makeDevice(world)
      // Several at one moment.
      let due = (0..<12).flatMap { number in
        ["a", "b", "c"].map { Sample.occurrence($0, wish: Int64(number), at: Int64(number / 3)) }
      }
      try await record(world, device, due: due)
      let all = try #require(try await ids(world, device))
      #expect(all.count == 36 && Set(all).count == 36)
      var seen: [String] = []
      var place: InboxPlace?
      repeat {
        let page = try #require(
          await world.store.inbox(
            tenant: world.tenant, device: device, state: .inbox, after: place, limit: 5, now: Sample.start))
        seen += page.items.map { "\($0.key.notification)@\($0.key.wishedAt.seconds - Sample.start.seconds)" }
        place = page.items.last.map { InboxPlace(at: $0.at, key: $0.key) }
      } while place != nil
      #expect(seen == all)
    }
  }

  /// A device id is the device's own choice: none of them opens a user's inbox.
  @Test func noDeviceIdIsAnInbox() async throws {
    try await withStore { world in
      let user = try await makeDevice(world, 1, user: "u")
      try await record(world, user, due: [Sample.occurrence("a")])
      let inbox = try #require(try await world.texts("SELECT inbox_id::text FROM carillon.inbox_items").first)
      let thief = DeviceID(try #require(UUID128(inbox)))
      var change = DeviceChange(expectedRowVersion: nil, now: Sample.start)
      change.state = state(nil)
      change.sequence = 1
      _ = try await world.store.apply(change, tenant: world.tenant, device: thief)
      #expect(try await ids(world, thief, .all) == [])
      #expect(try await ids(world, user, .all) == ["a@0"])
    }
  }

  /// A mark elsewhere ends the steady answer, and that of a report that is being answered meanwhile.
  @Test func aTouchedDeviceIsAnsweredAnew() async throws {
    try await withStore { world in
      let (store, tenant, device) = (world.store, world.tenant, Sample.device(1))
      _ = try await store.apply(Sample.firstReport(), tenant: tenant, device: device)
      let loaded = try #require(try await store.device(tenant: tenant, device: device))
      try await store.touchDevice(tenant: tenant, device: device)
      #expect(
        try await store.confirmUnchanged(
          tenant: tenant, device: device, sequence: 2, digest: 7, now: Sample.start) == nil)
      var change = DeviceChange(expectedRowVersion: loaded.rowVersion, now: Sample.start)
      change.sequence = 3
      change.steady = Sample.steady()
      change.inboxVersion = loaded.inboxVersion
      #expect(try await store.apply(change, tenant: tenant, device: device) == .applied(contents: [:]))
      #expect(
        try await store.confirmUnchanged(
          tenant: tenant, device: device, sequence: 4, digest: 7, now: Sample.start) == nil)
      let again = try #require(try await store.device(tenant: tenant, device: device))
      change.expectedRowVersion = again.rowVersion
      change.inboxVersion = again.inboxVersion
      change.sequence = 5
      _ = try await store.apply(change, tenant: tenant, device: device)
      #expect(
        try await store.confirmUnchanged(
          tenant: tenant, device: device, sequence: 6, digest: 7, now: Sample.start) != nil)
    }
  }
}
