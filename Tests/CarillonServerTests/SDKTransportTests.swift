import CarillonClient
import CarillonTesting
import Foundation
import IntegrationSupport
import Testing

/// What Foundation's URLSession is known for, against the real server.
@Suite(.timeLimit(.minutes(2))) struct SDKTransportTests {
  private func url(_ server: TestServer) throws -> URL {
    try #require(URL(string: "http://127.0.0.1:\(server.port)"))
  }

  private func reminder(_ id: String) -> CarillonModel.Notification {
    .init(
      id: NotificationID(unchecked: id), content: NotificationContent(title: id, body: "It is time."),
      trigger: .instant(Reports.start.adding(seconds: 3600)))
  }

  /// Each with a session of its own, or all over one.
  @Test(arguments: [true, false]) func twoHundredClientsSyncAtOnce(sharesSession: Bool) async throws {
    try await TestServer.with { server in
      let tenant = try await server.makeTenant()
      let url = try url(server)
      let shared = URLSessionTransport(server: url)
      try await withThrowingTaskGroup { group in
        for index in 0..<200 {
          let clock = ManualClock(server.clock.now, seed: UInt64(index) + 1)
          let center = InMemoryNotificationCenter(timeZone: "Europe/Madrid", now: { clock.now })
          let carillon = Carillon(
            configuration: .init(server: url, effects: clock.effects), center: center,
            transport: sharesSession ? shared : nil, store: InMemoryStateStore(),
            credential: { _ in tenant.key })
          let wish = reminder("r.\(index)")
          group.addTask {
            try await carillon.schedule(wish)
            #expect(center.pending.map(\.id) == [wish.head.id])
          }
        }
        try await group.waitForAll()
      }
    }
  }

  /// Foundation's six connections a host would all be taken by those who wait.
  @Test func whoWaitsDoesNotHoldUpTheOthers() async throws {
    try await TestServer.with { server in
      let tenant = try await server.makeTenant()
      let backend = TenantClient(server: try url(server), key: tenant.key)
      var waiting: [Task<TaggedPlan?, any Error>] = []
      var devices: [DeviceID] = []
      for index in 0..<20 {
        let device = DeviceID(UUID128(high: 9, low: UInt64(index)))
        devices.append(device)
        // Without a report it may show nothing, and its plan holds nothing.
        let report = try await server.client(tenant).send(
          "POST", Reports.path(device.text), body: Reports.full(sequence: 1))
        try #require(report.status == 200, "\(report)")
        try await backend.put(reminder("a"), for: device)
        _ = try await backend.plan(of: device, unless: nil)
        let known = try await backend.plan(of: device, unless: nil)
        waiting.append(Task { try await backend.plan(of: device, unless: known, wait: 60) })
      }
      while server.waitingForPlans != 20 { await Task.yield() }
      for device in devices { try await backend.put(reminder("b"), for: device) }
      for task in waiting {
        let news = try await task.value
        #expect(news?.plan.held.map(\.id) == ["a", "b"] && news?.contents.count == 2)
      }
    }
  }

  @Test func aCancelledRequestEndsAtOnceAndTheSessionGoesOn() async throws {
    try await TestServer.with { server in
      let backend = TenantClient(server: try url(server), key: try await server.makeTenant().key)
      let device = DeviceID(UUID128(high: 9, low: 9))
      try await backend.put(reminder("a"), for: device)
      for _ in 0..<3 {
        _ = try await backend.plan(of: device, unless: nil)
        let known = try await backend.plan(of: device, unless: nil)
        let task = Task { try await backend.plan(of: device, unless: known, wait: 60) }
        while server.waitingForPlans == 0 { await Task.yield() }
        task.cancel()
        let error = await #expect(throws: CarillonError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        #expect(try await backend.plan(of: device, unless: known) == nil)
        // Its place at the server is free when its wait ends: a change ends it.
        try await backend.put(reminder("b"), for: device)
        try await backend.cancel("b", for: device)
        while server.waitingForPlans > 0 { await Task.yield() }
      }
    }
  }

  @Test func reportsPagesAndPreviewsComeOverTheWire() async throws {
    try await TestServer.with { server in
      let backend = TenantClient(server: try url(server), key: try await server.makeTenant().key)
      let device = DeviceID(UUID128(high: 9, low: 9))
      let results = try await backend.enqueue(
        (0..<450).map { BatchOperation(.put(reminder("r.\(1000 + $0)")), for: .device(device)) })
      #expect(results.allSatisfy { $0.status == .stored })
      var ids: [String] = []
      for try await item in backend.allNotifications(of: device) { ids.append(item.head.id.text) }
      #expect(ids == (0..<450).map { "r.\(1000 + $0)" })
      var devices: [DeviceID] = []
      for try await item in backend.allDevices() { devices.append(item.id) }
      #expect(devices == [device])
      #expect(try await backend.device(device).standing != nil)
      for try await _ in backend.allChanges(of: device) {}
      for try await _ in backend.allDeliveries(of: device) {}
      for kind in Route.ReportKind.allCases { #expect(try await backend.report(kind).kind == kind) }
      #expect(try await backend.explain("r.1000", on: device).id == "r.1000")

      let first = try await backend.setPolicy(Policy())
      var policy = Policy()
      policy.slots = 3
      let preview = try await backend.preview(policy, device: device)
      #expect(preview.policyVersion == first.version && preview.devices.total == 1)
      #expect(preview.device?.change.deviceId == device)
      _ = try await backend.setPolicy(policy, ifMatch: first.version)
      let late = await #expect(throws: CarillonError.self) {
        try await backend.setPolicy(policy, ifMatch: first.version)
      }
      #expect(late?.code == .conflict && late?.currentVersion == 2)
      var versions: [Int] = []
      for try await item in backend.allPolicyVersions() { versions.append(item.version) }
      #expect(versions == [2, 1])
      #expect(try await backend.policy(version: 1) == first)
    }
  }
}
