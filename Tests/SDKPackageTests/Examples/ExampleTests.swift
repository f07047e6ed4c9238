import CarillonClient
import CarillonTesting
import Foundation
import IntegrationSupport
import Testing

/// The programs of `docs/examples` do what their README says.
@Suite struct ExampleTests {
  @Test func aPhonesDayIsTold() async throws {
    let lines = try await Example.simulator.value.run()
    let starts = [
      "06:00  app     75 reminders: 64 held, 8 wait for a place",
      "06:30  silent  Run: It is held, number 1 in the order, moved to 2026-12-01T06:30:00Z by quietHours.",
      "07:30  rings   Run", "09:00  rings   Drink a glass of water",
      "13:00  person  switches notifications off",
      "13:30  silent  Stretch: The user has denied notifications",
      "14:10  sync    64 added, 0 removed, 64 pending",
      "18:00  silent  Drink a glass of water: ",
      "18:30  phone   plans by itself, since airplane mode: 1 added", "18:40  rings   The tea is ready",
      "20:00  person  switches airplane mode off",
      "22:30  silent  Three pages: It is held", "23:00  rings   The rent is due at midnight",
      "23:59  app     ",
    ]
    for start in starts {
      #expect(lines.contains { $0.hasPrefix(start) }, "no line begins with: \(start)")
    }
    #expect(lines.filter { $0.contains("rings   Drink") }.count == 8)
    // Twice the same: nothing in it depends on the moment.
    #expect(try await Example.simulator.value.run() == lines)
  }

  @Test func aServiceRemindsMintsAndExplains() async throws {
    try await TestServer.with { server in
      let tenant = try await server.makeTenant()
      let url = try #require(URL(string: "http://127.0.0.1:\(server.port)"))
      let clock = ManualClock(server.clock.now)
      let center = InMemoryNotificationCenter(timeZone: "Europe/Madrid", now: { clock.now })
      let key = tenant.key
      let phone = Carillon(
        configuration: .init(
          server: url,
          device: {
            var info = DeviceInfo.madrid
            info.userId = "u1"
            return info
          }, effects: clock.effects),
        center: center, store: InMemoryStateStore(), credential: { _ in key })
      try await phone.sync()
      let device = try await phone.deviceId().text
      let at = server.clock.now.adding(seconds: 3_600).text

      let environment = ["CARILLON_URL": url.absoluteString, "CARILLON_KEY": key]
      let lines = try await Example.service.value.run(
        [
          "remind u1 bill.may \(at) The bill is due", "remind u1 bill.june tomorrow The bill is due",
          "cancel u1 bill.april", "devices", "token \(device) u1", "plan \(device)", "why \(device) bill.may",
        ], environment: environment)
      #expect(lines.count == 8)
      #expect(lines.first == "? tomorrow is no instant; 2027-05-01T09:00:00+02:00 is one")
      #expect(lines.contains("remind u1 bill.may \(at) The bill is due: stored"))
      #expect(lines.contains("cancel u1 bill.april: unchanged"))
      #expect(lines.contains("\(device)  u1  authorized"))
      #expect(lines.contains { $0.count { $0 == "." } == 2 && $0.hasPrefix("ey") })
      #expect(lines.contains("\(at)  bill.may"))
      #expect(lines.contains("1 held, 0 wait, 0 cannot be shown"))
      try await phone.sync()
      #expect(center.pending.map(\.id) == ["bill.may"])
    }
  }

  /// The program names the libraries it wants; what Foundation wants is Foundation's.
  @Test func nothingOfTheServerIsLinked() async throws {
    let program = try Data(contentsOf: URL(fileURLWithPath: try await Example.simulator.value.path))
    func names(_ library: String) -> Bool { program.range(of: Data("\(library).so".utf8)) != nil }
    #expect(names("libFoundation"))
    for library in ["libpq", "libmicrohttpd", "libgnutls", "libz", "libcrypto"] { #expect(!names(library)) }
  }

  @Test func thePackageDependsOnOursAlone() async throws {
    let manifest = try await Manifest(of: "\(Compiler.root)/docs/examples", as: "manifest-examples")
    #expect(manifest.dependencies(of: "device-simulator") == ["CarillonClient", "CarillonTesting"])
    #expect(manifest.dependencies(of: "reminder-service") == ["CarillonClient"])
  }
}
