import CarillonTesting
import Testing

@testable import CarillonClient

/// Lists over all their pages, batches as they come, and many tasks at once.
@Suite struct TenantListTests {
  private let clock = ManualClock(TestDevice.start)
  private let server: FakeServer
  private let client: TenantClient
  private let device = DeviceID(UUID128(high: 7, low: 7))

  init() {
    server = FakeServer(effects: clock.effects)
    client = TenantClient(transport: server, key: "ck_test", effects: clock.effects)
  }

  // MARK: Pages

  @Test(arguments: [0, 1, 199, 200, 201, 400, 401]) func aSequenceGoesOverAllPages(_ count: Int) async throws
  {
    for number in 0..<count { server.put(reminder("a.\(1000 + number)", after: 3600), for: device) }
    var ids: [String] = []
    for try await item in client.allNotifications(of: device) { ids.append(item.head.id.text) }
    #expect(ids == (0..<count).map { "a.\(1000 + $0)" })
    #expect(server.requests.count == max(1, (count + 199) / 200))
  }

  @Test func aPageIsReadWhenItIsNeeded() async throws {
    for number in 0..<450 { server.put(reminder("a.\(1000 + number)", after: 3600), for: device) }
    var iterator = client.allNotifications(of: device).makeAsyncIterator()
    for _ in 0..<200 { _ = try await iterator.next() }
    #expect(server.requests.count == 1)
    _ = try await iterator.next()
    #expect(server.requests.count == 2)
  }

  @Test func aPageThatLeadsToItselfEndsInAnError() async throws {
    let cursor = Cursor(list: .devices, key: "a").text
    let body = Array("{\"items\":[],\"nextCursor\":\"\(cursor)\"}".utf8)
    server.inject(.answers(.init(status: 200, body: body)), .answers(.init(status: 200, body: body)))
    var iterator = client.allDevices().makeAsyncIterator()
    let error = await #expect(throws: CarillonError.self) { try await iterator.next() }
    #expect(error?.code == .unexpectedAnswer)
  }

  @Test func devicesAndVersionsAreListed() async throws {
    var ids: Set<DeviceID> = []
    for number in 0..<205 {
      let id = DeviceID(UUID128(high: 1, low: UInt64(number)))
      ids.insert(id)
      server.put(reminder("a", after: 60), for: id)
    }
    var seen: [DeviceItem] = []
    for try await item in client.allDevices() { seen.append(item) }
    #expect(seen.count == 205 && Set(seen.map(\.id)) == ids)
    #expect(try await client.devices(limit: 1).items == [seen[0]])
    #expect(try await client.device(seen[0].id).standing == DeviceStanding())

    for slots in 1...3 {
      var policy = Policy()
      policy.slots = slots
      server.setPolicy(policy)
    }
    var versions: [Int] = []
    for try await item in client.allPolicyVersions() { versions.append(item.version) }
    #expect(versions == [3, 2, 1])
    #expect(try await client.policy(version: 2).policy.slots == 2)
    let unknown = await #expect(throws: CarillonError.self) { try await client.policy(version: 9) }
    #expect(unknown?.problem?.knownCode == .policyNotFound)
  }

  @Test(arguments: [0, 201, -1]) func aPageHasALimit(_ limit: Int) async {
    let error = await #expect(throws: CarillonError.self) { try await client.devices(limit: limit) }
    #expect(error?.code == .refused && server.requests.isEmpty)
  }

  // MARK: Batches as they come

  @Test func aStreamIsReadNoFasterThanItsResultsAreTaken() async throws {
    let (read, stream) = counted(2_500)
    var iterator = client.enqueue(all: stream).makeAsyncIterator()
    #expect(read.value == 0)
    let first = try await iterator.next()
    #expect(first?.index == 0 && read.value == 1_000 && server.requests.count == 1)
    for _ in 1..<1_000 { _ = try await iterator.next() }
    #expect(read.value == 1_000)
    var last = try await iterator.next()
    #expect(last?.index == 1_000 && read.value == 2_000)
    while let result = try await iterator.next() { last = result }
    #expect(last?.index == 2_499 && server.requests.count == 3 && server.queue(of: device).count == 2_500)
  }

  @Test func aStreamIsSplitByBytes() async throws {
    let long = String(repeating: "x", count: 60_000)
    let operations = (0..<200).map { number in
      BatchOperation(.put(reminder("a.\(number)", after: 60, title: long)), for: .device(device))
    }
    var indices: [Int] = []
    for try await result in client.enqueue(all: operations.async) { indices.append(result.index) }
    #expect(indices == Array(0..<200) && server.requests.count > 1)
    #expect(server.requests.allSatisfy { ($0.body?.count ?? 0) <= WireLimits.batchBodyBytes })
  }

  @Test func whatTheStreamThrowsComesThrough() async throws {
    struct Broken: Error {}
    let broken = AsyncThrowingStream<BatchOperation, any Error> { $0.finish(throwing: Broken()) }
    await #expect(throws: Broken.self) { for try await _ in client.enqueue(all: broken) {} }
  }

  // MARK: Many at once

  @Test func manyTasksShareOneClient() async throws {
    let slow = SlowTransport(server)
    let client = TenantClient(transport: slow, key: "ck_test", effects: clock.effects)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<200 {
        group.addTask { try await client.put(reminder("a.\(number)", after: 60), for: device) }
      }
      try await group.waitForAll()
    }
    #expect(server.queue(of: device).count == 200)
    #expect(slow.most <= TenantClient.mostRequests && slow.most > 1)
  }

  @Test func aCancelledTaskLeavesTheRow() async throws {
    let gate = RequestGate(1)
    #expect(await gate.enter())
    let waiting = Task { await gate.enter() }
    waiting.cancel()
    #expect(await waiting.value == false)
    gate.leave()
    #expect(await gate.enter())
  }

  // MARK: Writes and conflicts

  @Test func aWriteHasOneKeyOverItsRetries() async throws {
    server.inject(.losesAnswer, .losesRequest)
    #expect(try await client.setPolicy(Policy()).version == 1)
    server.inject(.losesAnswer)
    #expect(try await client.setPolicy(Policy(), ifMatch: 1).version == 2)
    let keys = server.requests.map { request in
      request.headers.first { $0.name == "Idempotency-Key" }?.value
    }
    #expect(keys.count == 5 && Set(keys).count == 2 && !keys.contains(nil))
    _ = try await client.policy()
    #expect(server.requests.last?.headers.contains { $0.name == "Idempotency-Key" } == false)
  }

  @Test func aConflictCarriesTheCurrentVersion() async throws {
    server.setPolicy(Policy())
    server.setPolicy(Policy())
    let late = await #expect(throws: CarillonError.self) {
      try await client.setPolicy(Policy(), ifMatch: 1)
    }
    #expect(late?.code == .conflict && late?.currentVersion == 2 && late?.isRetryable == false)
    let blind = await #expect(throws: CarillonError.self) { try await client.setPolicy(Policy()) }
    #expect(blind?.code == .refused && blind?.currentVersion == 2)
  }

  // MARK: Plans

  @Test func aPlanIsReadWhenItIsAnother() async throws {
    server.put(reminder("a", after: 3600), for: device)
    let known = try #require(try await client.plan(of: device, unless: nil))
    #expect(try await client.plan(of: device, unless: known) == nil)
    server.put(reminder("b", after: 3600), for: device)
    let news = try #require(try await client.plan(of: device, unless: known, wait: 30))
    #expect(news.tag != known.tag && news.plan == server.plan(of: device))
    let error = await #expect(throws: CarillonError.self) {
      try await client.plan(of: device, unless: known, wait: 61)
    }
    #expect(error?.code == .refused)
    server.inject(.answers(.init(status: 304)))
    let odd = await #expect(throws: CarillonError.self) { try await client.plan(of: device, unless: nil) }
    #expect(odd?.code == .unexpectedAnswer)
  }

  @Test func aNotificationIsExplainedAndAPolicyTried() async throws {
    let phone = TestDevice(clock: clock, server: server)
    for number in 1...70 { server.put(reminder("a.\(number)", after: Int64(number) * 60), for: phone.id) }
    try await phone.carillon.sync()
    let held = try await client.explain("a.1", on: phone.id)
    let waits = try await client.explain("a.70", on: phone.id)
    #expect(held.state == .held && held.rank == 1 && !held.summary.isEmpty)
    #expect(waits.state == .queued && waits.waitingBefore == 5 && waits.tookSlot?.id == "a.64")

    var policy = Policy()
    policy.slots = 10
    let preview = try await client.preview(policy, device: phone.id)
    #expect(preview.findsChanges && preview.before.held == 64 && preview.after.held == 10)
    #expect(preview.changedDevices.map(\.removed) == [54])
    #expect(preview.device?.before.held.count == 64 && preview.device?.after.held.count == 10)
    #expect(try await client.policy().version == 0)
  }

  @Test(arguments: Route.ReportKind.allCases) func reportsAreAsked(_ kind: Route.ReportKind) async throws {
    let report = try await client.report(kind)
    #expect(report.kind == kind && report.rows.isEmpty)
    guard !kind.hasTypes else { return }
    let error = await #expect(throws: CarillonError.self) {
      try await client.report(kind, ReportQuery(type: "a"))
    }
    #expect(error?.code == .refused)
  }

  private func counted(_ count: Int) -> (ReadCount, CountedOperations) {
    let counter = ReadCount()
    return (counter, CountedOperations(device: device, count: count, counter: counter))
  }
}
