import CarillonAPI
import CarillonClient
import CarillonTesting
import Testing

/// The inbox through the SDK.
@Suite struct InboxTests {
  @Test func whatCameDueIsThereNewestFirst() async throws {
    let device = TestDevice()
    for number in 1...7 {
      device.server.put(reminder("a.\(number)", after: Int64(number) * 60), for: device.id)
    }
    try await device.carillon.sync()
    #expect(try await device.carillon.inbox().items.isEmpty)
    device.clock.advance(by: 5 * 60 + 1)
    let outcome = try await device.carillon.sync()
    #expect(outcome.unread == 5)
    let page = try await device.carillon.inbox(limit: 2)
    #expect(page.items.map(\.notification) == ["a.5", "a.4"] && page.unread == 5 && page.nextCursor != nil)
    #expect(page.items[0].title == "a.5" && page.items[0].unread && !page.items[0].seen)
    var all: [NotificationID] = []
    for try await item in device.carillon.inboxItems() { all.append(item.notification) }
    #expect(all == ["a.5", "a.4", "a.3", "a.2", "a.1"])
  }

  @Test func marksNarrowTheCount() async throws {
    let device = TestDevice()
    for number in 1...5 { device.server.put(reminder("a.\(number)", after: Int64(number)), for: device.id) }
    try await device.carillon.sync()
    device.clock.advance(by: 10)
    let items = try await device.carillon.inbox().items
    #expect(try await device.carillon.mark(.read, [items[0], items[1]]) == 3)
    #expect(try await device.carillon.mark(.read, [items[0]]) == 3)
    #expect(try await device.carillon.mark(.archive, [items[2]]) == 2)
    #expect(
      try await device.carillon.mark(.snooze(until: device.clock.now.adding(seconds: 60)), [items[3]]) == 1)
    #expect(try await device.carillon.inbox(.snoozed).items.map(\.id) == [items[3].id])
    #expect(try await device.carillon.mark(.unsnooze, [items[3]]) == 2)
    #expect(try await device.carillon.mark(.seen, before: device.clock.now) == 2)
    #expect(try await device.carillon.inbox(.unseen).items.isEmpty)
    #expect(try await device.carillon.sync().unread == 2)
  }

  /// Field case 45: badges count on from what is unread.
  @Test func badgesCountOnFromWhatIsUnread() async throws {
    let device = TestDevice()
    for number in 1...4 {
      var content = NotificationContent(title: "\(number)")
      content.badge = 1
      device.server.put(
        Carillon.Notification(
          id: NotificationID(unchecked: "a.\(number)"), content: content,
          trigger: .instant(TestDevice.start.adding(seconds: Int64(number) * 60))), for: device.id)
    }
    try await device.carillon.sync()
    #expect(badges(device) == [1, 2, 3, 4])
    device.clock.advance(by: 2 * 60)
    try await device.carillon.sync()
    #expect(badges(device) == [3, 4])
    try await device.carillon.mark(.read, before: device.clock.now.adding(seconds: 1))
    try await device.carillon.sync()
    #expect(badges(device) == [1, 2])
  }

  private func badges(_ device: TestDevice) -> [Int?] {
    device.center.pending.sorted { $0.id < $1.id }.map(\.content.badge)
  }

  @Test func aBackendReadsAndMarks() async throws {
    let device = TestDevice()
    let backend = TenantClient(transport: device.server, key: "ck_k_s", effects: device.clock.effects)
    device.server.put(reminder("a", after: 1), for: device.id)
    try await device.carillon.sync()
    device.clock.advance(by: 1)
    var items: [InboxItem] = []
    for try await item in backend.inboxItems(of: device.id) { items.append(item) }
    #expect(items.map(\.notification) == ["a"])
    #expect(try await backend.mark(.read, items, of: device.id) == 0)
    #expect(try await backend.inbox(of: device.id, .read).items.count == 1)
    #expect(try await device.carillon.inbox(.unread).items.isEmpty)
  }
}
