import CarillonClient
import CarillonTesting
import Foundation
import Testing

// What stands between the marks stands in the articles too, word for word.

@Suite struct AppServiceSamples {
  private struct Bill {
    var id: NotificationID
    var title: String
    var dueAt: Instant
    var user: String
  }

  private static func makeClient() -> TenantClient {
    // sample: make
    let carillon = TenantClient(
      server: URL(string: "https://carillon.example.com")!,
      key: ProcessInfo.processInfo.environment["CARILLON_KEY"] ?? "")
    // end
    return carillon
  }

  /// What the samples below do, one after the other.
  @Test func aServiceFillsQueuesAndSaysWhy() async throws {
    _ = Self.makeClient()
    let phone = SamplePhone(user: "u1")
    phone.server.checkCredentials()
    let carillon = TenantClient(transport: phone.server, key: "ck_any", effects: phone.clock.effects)

    // sample: token
    func carillonToken(for device: DeviceID, of user: String) async throws -> String {
      try await carillon.mintToken(for: device, user: user).token
    }
    // end
    let device = try await phone.carillon.deviceId()
    phone.hand(try await carillonToken(for: device, of: "u1"))
    try await phone.carillon.sync()

    let bills = [
      Bill(id: "bill.due", title: "A bill is due", dueAt: Instant(seconds: 1_796_200_000), user: "u1")
    ]
    // sample: fill
    let results = try await carillon.enqueue(
      bills.map { bill in
        BatchOperation(
          .put(
            .init(
              id: bill.id, type: "bill", content: NotificationContent(title: bill.title),
              trigger: .instant(bill.dueAt))),
          for: .user(bill.user))
      })
    for result in results where result.status == .rejected {
      print(bills[result.index].id, result.problem?.detail ?? "")
    }
    // end
    #expect(results.map(\.status) == [.stored])
    try await phone.carillon.sync()
    #expect(phone.center.pending.map(\.id) == ["bill.due"])

    // sample: why
    let plan = try await carillon.plan(of: device)
    print("\(plan.held.count) held, \(plan.queued.count) wait, \(plan.withheld.count) cannot be shown")
    print(try await carillon.explain("bill.due", on: device).summary)
    // end
    #expect(plan.held.map(\.id) == ["bill.due"])

    // sample: read
    for try await device in carillon.allDevices() {
      for try await item in carillon.allNotifications(of: device.id) where item.state == .withheld {
        print(device.id.text, item.head.id)
      }
    }
    // end

    // sample: policy
    var current = try await carillon.policy()
    current.policy.frequencyCaps = [FrequencyCap(limit: 8, per: .calendarDay)]
    let preview = try await carillon.preview(current.policy)
    print("\(preview.devices.changed) of \(preview.devices.planned) plans would change")
    try await carillon.setPolicy(current.policy, ifMatch: current.version == 0 ? nil : current.version)
    // end
    #expect(try await carillon.policy().policy.frequencyCaps.count == 1)
  }
}

@Suite struct ServiceTestSamples {
  // sample: service
  @Test func aServiceRemindsItsUser() async throws {
    let clock = ManualClock(Instant("2026-12-01T06:30:00Z")!)
    let server = FakeServer(effects: clock.effects)
    let phone = DeviceID("5f0c7a6e-0d7e-4c39-9a63-1f8a3f6f2d10")!
    let service = TenantClient(transport: server, key: "ck_any", effects: clock.effects)

    try await service.put(
      .init(
        id: "bill.due", content: NotificationContent(title: "A bill is due"),
        trigger: .instant(Instant("2026-12-01T09:00:00Z")!)),
      for: phone)
    #expect(server.queue(of: phone).map(\.head.id) == ["bill.due"])
  }
  // end
}
