import CarillonTesting
import Testing

@testable import CarillonClient

/// The backend's side of the SDK.
@Suite struct TenantClientTests {
  private let clock = ManualClock(TestDevice.start)
  private let server: FakeServer
  private let client: TenantClient
  private let device = DeviceID(UUID128(high: 7, low: 7))

  init() {
    server = FakeServer(effects: clock.effects)
    client = TenantClient(transport: server, key: "ck_test", effects: clock.effects)
  }

  @Test func aQueueIsFilledReadAndEmptied() async throws {
    let stored = try await client.put(reminder("a/b é", after: 3600), for: device)
    #expect(stored.head.id == "a/b é" && stored.state == .accepted)
    #expect(try await client.notification("a/b é", for: device) == stored)
    try await client.cancel("a/b é", for: device)
    let error = await #expect(throws: CarillonError.self) {
      try await client.cancel("a/b é", for: device)
    }
    #expect(error?.problem?.knownCode == .notificationNotFound)
    #expect(
      server.requests.allSatisfy { $0.headers.contains(TransportHeader("Authorization", "Bearer ck_test")) })
  }

  @Test func aCancelWhoseAnswerWasLostIsDone() async throws {
    try await client.put(reminder("a", after: 3600), for: device)
    server.inject(.losesAnswer)
    try await client.cancel("a", for: device)
    #expect(server.queue(of: device).isEmpty)
  }

  @Test func aQueueIsReadPageByPage() async throws {
    for number in 10..<35 { server.put(reminder("a.\(number)", after: 3600), for: device) }
    var ids: [String] = []
    var cursor: String?
    repeat {
      let page = try await client.notifications(of: device, limit: 10, after: cursor)
      ids += page.items.map(\.head.id.text)
      cursor = page.nextCursor
    } while cursor != nil
    #expect(ids == (10..<35).map { "a.\($0)" })
    let error = await #expect(throws: CarillonError.self) {
      try await client.notifications(of: device, after: "forged")
    }
    #expect(error?.code == .refused)
  }

  @Test func aLongListGoesInBatchesOfAThousand() async throws {
    let operations = (0..<2_500).map { number in
      BatchOperation(.put(reminder("a.\(number)", after: 3600)), for: .device(device))
    }
    let results = try await client.enqueue(operations)
    #expect(results.map(\.index) == Array(0..<2_500))
    #expect(results.allSatisfy { $0.status == .stored } && server.requests.count == 3)
    #expect(server.queue(of: device).count == 2_500)
    #expect(try await client.enqueue(Array(operations.prefix(3))).allSatisfy { $0.status == .unchanged })
    let keys = server.requests.compactMap { request in
      request.headers.first { $0.name == "Idempotency-Key" }?.value
    }
    #expect(keys.count == 4 && Set(keys).count == 4)
  }

  @Test func aRetriedBatchKeepsItsKey() async throws {
    server.inject(.losesAnswer)
    _ = try await client.enqueue([BatchOperation(.put(reminder("a", after: 60)), for: .device(device))])
    let keys = server.requests.map { request in
      request.headers.first { $0.name == "Idempotency-Key" }?.value
    }
    #expect(keys.count == 2 && keys[0] != nil && keys[0] == keys[1])
  }

  @Test func aBatchStaysBelowTheBytesOfTheWire() {
    let long = String(repeating: "x", count: 60_000)
    let operations = (0..<200).map { number in
      BatchOperation(.put(reminder("a.\(number)", after: 60, title: long)), for: .device(device))
    }
    var rest = operations[...]
    while !rest.isEmpty {
      let count = TenantClient.nextBatch(of: rest)
      #expect(count >= 1 && BatchRequest(Array(rest.prefix(count))).json.count <= WireLimits.batchBodyBytes)
      rest = rest.dropFirst(count)
    }
  }

  @Test func eachOperationStandsAlone() async throws {
    let bad = Carillon.Notification(
      id: "bad", content: NotificationContent(title: "bad"),
      trigger: .interval(IntervalTrigger(seconds: 5, repeats: true)))
    let results = try await client.enqueue([
      BatchOperation(.put(reminder("a", after: 60)), for: .device(device)),
      BatchOperation(.put(bad), for: .device(device)),
      BatchOperation(.cancel("nothing"), for: .device(device)),
    ])
    #expect(results.map(\.status) == [.stored, .rejected, .unchanged])
    #expect(results[1].problem?.errors.first?.pointer == "/operations/1/notification/trigger/seconds")
  }

  @Test func aPolicyIsPutUnderTheVersionItFollows() async throws {
    var policy = Policy()
    policy.order = .priorityFirst
    let first = try await client.setPolicy(policy)
    #expect(first == VersionedPolicy(policy: policy, version: 1))
    policy.slots = 60
    let blind = await #expect(throws: CarillonError.self) { try await client.setPolicy(policy) }
    #expect(blind?.problem?.knownCode == .preconditionRequired)
    #expect(try await client.setPolicy(policy, ifMatch: first.version).version == 2)
    let late = await #expect(throws: CarillonError.self) {
      try await client.setPolicy(Policy(), ifMatch: first.version)
    }
    #expect(late?.problem?.knownCode == .policyVersionMismatch && late?.problem?.current == 2)
    #expect(try await client.policy() == VersionedPolicy(policy: policy, version: 2))
  }

  @Test func aPlanShowsWhatIsHeldAndWhy() async throws {
    let device = TestDevice(clock: clock, server: server)
    for number in 1...70 { server.put(reminder("a.\(number)", after: Int64(number) * 60), for: device.id) }
    try await device.carillon.sync()
    let plan = try await client.plan(of: device.id)
    #expect(plan.held.count == 64 && plan.queued.map(\.id.text) == (65...70).map { "a.\($0)" })
    #expect(plan.refreshBy == TestDevice.start.adding(seconds: 65 * 60))
    let unknown = await #expect(throws: CarillonError.self) { try await client.plan(of: self.device) }
    #expect(unknown?.problem?.knownCode == .deviceNotFound)
  }
}
