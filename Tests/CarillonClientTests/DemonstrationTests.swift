import CarillonClient
import CarillonQuickstart
import CarillonTesting
import CarillonZones
import Foundation
import Testing

/// The quickstart, on the in-process server.
@Suite struct DemonstrationTests {
  @Test func twoDevicesHoldTheirPlansAndASecondRunChangesNothing() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("carillon-\(UUID())").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let clock = ManualClock(TestDevice.start)
    let server = FakeServer(effects: clock.effects)
    func run() async throws -> [String] {
      var lines: [String] = []
      try await Demonstration(
        tenant: TenantClient(transport: server, key: "k", effects: clock.effects), transport: server,
        server: FakeServer.url, key: "k", zones: try ZoneFolder(), stateFolder: folder,
        effects: clock.effects
      ).run { lines += $0.components(separatedBy: "\n") }
      return lines
    }
    let first = try await run()
    #expect(first.first == "Policy: the article's five types, version 1.")
    #expect(first.contains { $0.contains("66 notifications, 66 new or changed") })
    #expect(first.contains { $0.contains("2 for a slot (inactivity 2)") })
    #expect(first.contains { $0.contains("91 for a slot") })
    #expect(first.count { $0.contains("64 added, 0 removed, 64 pending") } == 2)
    #expect(first.allSatisfy { $0.count <= 110 && !$0.hasSuffix(" ") })
    // Tomorrow on the device's own clock.
    #expect(first.contains { $0.contains("Tue 2026-12-01 08:00") })
    let second = try await run()
    #expect(second.first == "Policy: the article's five types, version 1 as before.")
    #expect(second.count { $0.contains("nothing to change, it holds the plan already") } == 2)
    #expect(second.count { $0.contains("notifications, none new") } == 2)
  }
}
