import CarillonJSON
import CarillonModel
import Foundation
import IntegrationSupport
import TestSupport
import Testing

/// A server whose clock is years ahead takes nothing for old that is not.
@Suite struct ClockAheadTests {
  private static let year: Int64 = 365 * 86_400
  static let errors: [[Int64]] = [[10 * year], [10 * year, -10 * year, 10 * year], [400 * 86_400]]

  /// The keys of everything that ages, and of what hangs on a device.
  private func keys(_ database: MigratedDatabase) async throws -> Set<String> {
    let columns = [
      "notifications": "notification_id", "device_changes": "change_number",
      "deliveries": "(notification_id, wished_at)",
      "inbox_items": "(inbox_id, notification_id, wished_at)", "device_events": "event_id",
      "device_evictions": "(day, type)", "device_idempotency_keys": "key", "tenant_idempotency_keys": "key",
      "policies": "version", "report_days": "day", "devices": "device_id", "plans": "device_id",
    ]
    let parts = columns.sorted { $0.key < $1.key }
      .map { "SELECT '\($0.key) ' || \($0.value)::text FROM carillon.\($0.key)" }
    return Set(try await database.column(parts.joined(separator: " UNION ALL ")).compactMap(\.self))
  }

  /// By how much the clock is wrong, one after the other; each with the same server running, or with one that starts so.
  @Test(arguments: errors, [false, true])
  func whatIsKeptStays(_ errors: [Int64], isNewServer: Bool) async throws {
    let database = try await MigratedDatabase.make()
    let device = Reports.newDevice()
    let life = Life(device: device)
    var known: Set<String> = []
    var tenant: TestTenant!
    try await TestServer.with(database: database) { server in
      tenant = try await server.makeTenant()
      try await life.begin(server, server.client(tenant))
      known = try await keys(database)
      for table in [
        "notifications", "device_changes", "deliveries", "inbox_items", "device_events",
        "device_idempotency_keys",
        "tenant_idempotency_keys", "policies",
      ] {
        #expect(known.contains { $0.hasPrefix(table + " ") }, "nothing in \(table) to be lost")
      }
      guard !isNewServer else { return }
      for error in errors {
        server.clock.move(to: life.now.adding(seconds: error))
        try await life.goOn(server, server.client(tenant))
      }
      server.clock.move(to: life.now.adding(seconds: 60))
      try await life.goOn(server, server.client(tenant))
      try await life.end(server.client(tenant))
    }
    if isNewServer {
      for error in errors + [60] {
        try await TestServer.with(now: life.now.adding(seconds: error), database: database, tidiesUp: true) {
          server in
          try await life.goOn(server, server.client(tenant))
          try await until("a round has gone to its end") {
            try await server.admin.send("GET", "/metrics").text.contains(
              "carillon_retention_rounds_total 1\n")
          }
          if error == 60 { try await life.end(server.client(tenant)) }
        }
      }
    }
    let left = try await keys(database)
    #expect(known.subtracting(left) == [], "lost")
  }

  /// The same ten years, in which the clock ran: what stays above goes here.
  @Test func whatIsOldByAClockThatRanGoes() async throws {
    let database = try await MigratedDatabase.make()
    let life = Life(device: Reports.newDevice())
    var tenant: TestTenant!
    var known: Set<String> = []
    try await TestServer.with(database: database) { server in
      tenant = try await server.makeTenant()
      try await life.begin(server, server.client(tenant))
      known = try await keys(database)
      server.clock.move(to: life.now.adding(seconds: 10 * Self.year))
      try await server.ageWhatIsKept()
    }
    try await TestServer.with(
      now: life.now.adding(seconds: 10 * Self.year), database: database, tidiesUp: true
    ) {
      server in
      try await life.sync(server.client(tenant))
      try await until("a round has gone to its end") {
        try await server.admin.send("GET", "/metrics").text.contains("carillon_retention_rounds_total 1\n")
      }
    }
    let lost = known.subtracting(try await keys(database))
    for table in [
      "notifications", "deliveries", "inbox_items", "device_events", "device_idempotency_keys",
      "tenant_idempotency_keys",
    ] {
      #expect(lost.contains { $0.hasPrefix(table + " ") }, "\(table) keeps what is ten years old")
    }
  }

  /// One device, as it syncs with servers.
  private final class Life: @unchecked Sendable {
    // Unchecked: the test awaits each step before the next.
    private let device: String
    private var mirror = DeviceMirror()
    private var sequence = 0
    private var isQuiet = false
    /// The right time, at the end of the beginning.
    private(set) var now = Reports.start

    init(device: String) { self.device = device }

    func sync(_ client: HTTPTestClient, _ extra: String = "") async throws {
      sequence += 1
      var body = Reports.full(sequence: sequence, pending: mirror.pending, extra: extra)
      if isQuiet { body = body.replacing("\"sound\":\"enabled\"", with: "\"sound\":\"disabled\"") }
      let answer = try await client.send("POST", Reports.path(device), body: body)
      #expect(answer.status == 200, "\(answer)")
      mirror.apply(answer.json)
    }

    /// Has something in every table.
    func begin(_ server: TestServer, _ client: HTTPTestClient) async throws {
      #expect(
        try await client.send("PUT", "/v1/policy", headers: Self.key("policy"), body: "{}").status < 300)
      try await sync(client, ",\"put\":[\(Reports.queue(80))]")
      now = Reports.start.adding(seconds: 2 * 3600 + 60)
      server.clock.move(to: now)
      // Two have rung; one was tapped.
      mirror.drop("p.000")
      mirror.drop("p.001")
      let event =
        "{\"id\":\"e1\",\"kind\":\"tapped\",\"notification\":\"p.000\",\"at\":\"\(Reports.time(3700))\"}"
      try await sync(client, ",\"delivered\":[\"p.001\"],\"events\":[\(event)]")
      isQuiet = true
      try await sync(client)
      try await put(client, replays: false)
    }

    private static func key(_ text: String) -> [(String, String)] { [("Idempotency-Key", text)] }

    /// The same request each time.
    private func put(_ client: HTTPTestClient, replays: Bool) async throws {
      let answer = try await client.send(
        "PUT", Reports.path(device, "/notifications/once"), headers: Self.key("once"),
        body: Reports.notification("once", inHours: 500))
      #expect(answer.status == 201 && (answer.header("Idempotency-Replay") == "true") == replays, "\(answer)")
    }

    func goOn(_ server: TestServer, _ client: HTTPTestClient) async throws {
      try await put(client, replays: true)
      try await sync(client)
      try await sync(client)
      for rest in ["/plan", "/inbox", "/notifications", "/deliveries", "/history", ""] {
        let answer = try await client.send("GET", Reports.path(device, rest))
        #expect(answer.status == 200, "\(rest): \(answer)")
      }
      #expect(mirror.peak <= 64)
    }

    /// What those who ask are shown.
    func end(_ client: HTTPTestClient) async throws {
      // What is still to come is held again, though nothing was to come when the device was last answered.
      #expect(mirror.held.count == 64 && mirror.held["p.002"] != nil && mirror.held["p.001"] == nil)
      let queue = try await client.send("GET", Reports.path(device, "/notifications?limit=200")).json
      #expect(queue["items"]?.array?.count == 81)
      let inbox = try await client.send("GET", Reports.path(device, "/inbox?limit=200")).json
      let ids = inbox["items"]?.array?.compactMap { $0["notification"]?.string } ?? []
      #expect(ids.contains("p.000") && ids.contains("p.001"), "\(inbox)")
      let deliveries = try await client.send("GET", Reports.path(device, "/deliveries?limit=200")).json
      #expect((deliveries["items"]?.array?.count ?? 0) >= 2)
    }
  }
}
