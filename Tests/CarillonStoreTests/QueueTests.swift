import CarillonModel
import CarillonStore
import Testing

@Suite struct QueueTests {
  @Test func aPutMakesAShellAndIsRead() async throws {
    try await withStore { world in
      let (store, tenant, device) = (world.store, world.tenant, Sample.device(1))
      let items = [Sample.item("b"), Sample.item("a")]
      let outcomes = try await store.putNotifications(
        tenant: tenant, device: device, items, now: Sample.later(5))
      #expect(outcomes == [.inserted, .inserted])

      let stored = try #require(try await store.device(tenant: tenant, device: device))
      #expect(stored.state == DeviceState())
      #expect(stored.sequence == nil)
      #expect(stored.seenAt == nil)
      #expect(stored.rowVersion == 1)
      #expect(stored.planVersion == 0)
      #expect(stored.createdAt == Sample.later(5))

      let one = try await store.notification(tenant: tenant, device: device, id: Sample.id("b"))
      #expect(
        one
          == StoredNotification(
            head: items[0].head, content: items[0].content, acceptedAt: Sample.later(5)))
      #expect(try await store.notification(tenant: tenant, device: device, id: Sample.id("c")) == nil)
    }
  }

  @Test func anUnchangedPutKeepsItsTimeAndChangesNothing() async throws {
    try await withStore { world in
      let (store, tenant, device) = (world.store, world.tenant, Sample.device(1))
      _ = try await store.putNotifications(
        tenant: tenant, device: device, [Sample.item("a")], now: Sample.later(1))
      let again = try await store.putNotifications(
        tenant: tenant, device: device, [Sample.item("a")], now: Sample.later(2))
      #expect(again == [.unchanged])
      #expect(try await store.device(tenant: tenant, device: device)?.rowVersion == 1)

      let moved = try await store.putNotifications(
        tenant: tenant, device: device, [Sample.item("a", hour: 9), Sample.item("b")], now: Sample.later(3))
      #expect(moved == [.replaced, .inserted])
      let other = try await store.putNotifications(
        tenant: tenant, device: device, [Sample.item("a", hour: 9, content: "{}"), Sample.item("b")],
        now: Sample.later(4))
      #expect(other == [.replaced, .unchanged])
      let queue = try await store.loadDevice(tenant: tenant, device: device).queue
      #expect(queue.map(\.acceptedAt) == [Sample.later(4), Sample.later(3)])
      #expect(queue.map(\.head) == [Sample.head("a", hour: 9), Sample.head("b")])
    }
  }

  @Test func aCancelSaysWhetherThereWasOne() async throws {
    try await withStore { world in
      let (store, tenant, device) = (world.store, world.tenant, Sample.device(1))
      let nowhere = try await store.cancelNotifications(
        tenant: tenant, device: device, [Sample.id("a")], now: Sample.start)
      #expect(nowhere == [.absent])
      #expect(try await store.device(tenant: tenant, device: device) == nil)

      _ = try await store.putNotifications(
        tenant: tenant, device: device, [Sample.item("a")], now: Sample.start)
      let outcomes = try await store.cancelNotifications(
        tenant: tenant, device: device, [Sample.id("b"), Sample.id("a")], now: Sample.start)
      #expect(outcomes == [.absent, .cancelled])
      #expect(try await store.device(tenant: tenant, device: device)?.rowVersion == 2)
      #expect(try await store.loadDevice(tenant: tenant, device: device).queue.isEmpty)
    }
  }

  /// Several operations on one id: the last decides, and each is answered as if all had run in order.
  @Test(arguments: [
    (["+a", "-a"], [QueueOutcome.inserted, .cancelled], [String]()),
    (["+a", "+a"], [.inserted, .replaced], ["a"]),
    (["-old", "+old"], [.cancelled, .unchanged], ["old"]),
    (["+old", "-old"], [.replaced, .cancelled], []),
    (["-old", "-old"], [.cancelled, .absent], []),
    (["-new", "+new", "-new", "+new"], [.absent, .inserted, .cancelled, .inserted], ["new"]),
    (["+b", "-old", "+a"], [.inserted, .cancelled, .inserted], ["a", "b"]),
  ])
  func operationsOnOneId(_ words: [String], _ expected: [QueueOutcome], _ left: [String]) async throws {
    try await withStore { world in
      let device = Sample.device(1)
      _ = try await world.store.putNotifications(
        tenant: world.tenant, device: device, [Sample.item("old")], now: Sample.start)
      let operations = words.map { word -> QueueOperation in
        let name = String(word.dropFirst())
        return word.hasPrefix("+") ? .put(Sample.item(name)) : .cancel(Sample.id(name))
      }
      let outcomes = try await world.store.changeQueue(
        tenant: world.tenant, device: device, operations: operations, now: Sample.start)
      #expect(outcomes == expected)
      let queue = try await world.store.loadDevice(tenant: world.tenant, device: device).queue
      #expect(queue.map(\.head.id.text).filter { $0 != "old" || left.contains("old") } == left)
    }
  }

  @Test func aQueueHasALimit() async throws {
    try await withStore { world in
      let (store, tenant, device) = (world.store, world.tenant, Sample.device(1))
      let items = (0..<Store.maxQueueEntries + 1).map { Sample.item("n\($0)") }
      let outcomes = try await store.putNotifications(
        tenant: tenant, device: device, items, now: Sample.start)
      #expect(outcomes.dropLast().allSatisfy { $0 == .inserted })
      #expect(outcomes.last == .queueFull)

      let more = try await store.changeQueue(
        tenant: tenant, device: device,
        operations: [.put(Sample.item("n0", hour: 3)), .put(Sample.item("x")), .put(Sample.item("n1"))],
        now: Sample.start)
      #expect(more == [.replaced, .queueFull, .unchanged])

      let room = try await store.changeQueue(
        tenant: tenant, device: device, operations: [.cancel(Sample.id("n5")), .put(Sample.item("x"))],
        now: Sample.start)
      #expect(room == [.cancelled, .inserted])
      #expect(try await store.loadDevice(tenant: tenant, device: device).queue.count == Store.maxQueueEntries)
    }
  }

  @Test func pagesFollowTheBytesOfTheIds() async throws {
    try await withStore { world in
      let (store, tenant, device) = (world.store, world.tenant, Sample.device(1))
      let ids = ["Z", "a", "a.1", "ab", "é", "z", "日"]
      _ = try await store.putNotifications(
        tenant: tenant, device: device, ids.shuffled().map { Sample.item($0) }, now: Sample.start)
      _ = try await store.putNotifications(
        tenant: tenant, device: Sample.device(2), [Sample.item("other")], now: Sample.start)

      var pages: [[String]] = []
      var after: NotificationID?
      repeat {
        let page = try await store.notifications(tenant: tenant, device: device, after: after, limit: 3)
        pages.append(page.map(\.head.id.text))
        after = page.last?.head.id
      } while pages.last?.isEmpty == false
      #expect(pages == [["Z", "a", "a.1"], ["ab", "z", "é"], ["日"], []])
      #expect(
        try await world.operators.notifications(tenant: tenant, device: device, after: nil, limit: 2).count
          == 2)
    }
  }

  @Test func contentsOfSomeAreReadWhole() async throws {
    try await withStore { world in
      let (store, tenant, device) = (world.store, world.tenant, Sample.device(1))
      let long = #"{"body":"\#(String(repeating: "long ", count: 5_000))"}"#
      _ = try await store.putNotifications(
        tenant: tenant, device: device,
        [Sample.item("a"), Sample.item("b", content: long), Sample.item("c")],
        now: Sample.start)
      let contents = try await store.contents(
        tenant: tenant, device: device, ids: ["b", "c", "gone"].map(Sample.id), of: 1)
      #expect(
        contents == [
          Sample.id("b"): Sample.bytes(long), Sample.id("c"): Sample.bytes(#"{"title":"c"}"#),
        ])
    }
  }

  @Test func aChangedQueueEndsTheSteadyAnswer() async throws {
    try await withStore { world in
      let (store, tenant, device) = (world.store, world.tenant, Sample.device(1))
      _ = try await store.apply(Sample.firstReport(), tenant: tenant, device: device)
      func confirm(_ sequence: Int64) async throws -> SteadyAnswer? {
        try await store.confirmUnchanged(
          tenant: tenant, device: device, sequence: sequence, digest: 7, now: Sample.later(1))
      }
      #expect(try await confirm(2) != nil)
      _ = try await store.cancelNotifications(
        tenant: tenant, device: device, [Sample.id("nothing")], now: Sample.later(2))
      #expect(try await confirm(3) != nil)
      _ = try await store.putNotifications(
        tenant: tenant, device: device, [Sample.item("a")], now: Sample.later(2))
      #expect(try await confirm(4) == nil)
    }
  }
}
