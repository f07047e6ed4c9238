import CarillonJSON
import CarillonModel
import CarillonPostgres
import CarillonStore
import IntegrationSupport
import TestSupport
import Testing

@Suite struct PolicyPreviewTests {
  private static let first = "00000000-0000-4000-8000-000000000001"
  /// Devices are planned as of now, so what they have in their queues lies far ahead.
  private static let night = Instant("2100-01-01T03:00:00Z")!
  private static let day = Instant("2100-01-01T12:00:00Z")!
  private static let quiet = #"{"quietHours":{"windows":[{"from":"22:00","to":"07:30"}]}}"#

  /// A tenant whose devices all have one notification at night and one at noon.
  private func seeded(devices: Int) async throws -> Installation {
    let installation = try await Installation()
    let made = try await installation.json("tenant create acme")
    let tenant = try #require(made["id"]?.string.flatMap { TenantID($0) })
    let url = installation.url(.app)
    try await withLoop { loop in
      let pool = PostgresPool(loop: loop, conninfo: url)
      pool.start()
      var change = DeviceChange(expectedRowVersion: nil, now: Instant("2026-03-04T00:00:00Z")!)
      var state = DeviceState(authorizationStatus: .authorized)
      state.info.timeZone = "UTC"
      state.settings.alert = .enabled
      state.settings.notificationCenter = .enabled
      change.state = state
      change.sequence = 1
      change.puts = [Self.item("night", Self.night), Self.item("day", Self.day)]
      _ = try await Store(pool: pool).apply(change, tenant: tenant, device: DeviceID(Self.first)!)
      await pool.close()
    }
    // The others are copies of the first.
    for (table, columns) in [
      ("devices", "authorization_status, settings, time_zone, created_at, updated_at"),
      ("device_syncs", "created_at, row_version, sequence, plan_version"),
      ("notifications", "notification_id, head, content, accepted_at, put_version"),
    ] {
      _ = try await installation.database.column(
        """
        INSERT INTO carillon.\(table) (tenant_id, device_id, \(columns))
        SELECT tenant_id, ('00000000-0000-4000-8000-' || lpad(to_hex(i), 12, '0'))::uuid, \(columns)
        FROM carillon.\(table), generate_series(2, \(devices)) AS i
        """)
    }
    return installation
  }

  private static func item(_ id: String, _ at: Instant) -> QueueItem {
    let content = NotificationContent(title: "Hello")
    return QueueItem(
      head: NotificationHead(id: NotificationID(id)!, trigger: .instant(at), summary: content.summary),
      content: content.canonicalBytes)
  }

  private func preview(
    _ installation: Installation, _ more: String = "", policy: String = quiet
  ) async throws -> Tenantctl.Outcome {
    try await installation.run("policy preview acme --policy - \(more)", input: policy)
  }

  @Test("The JSON of a preview is frozen, the exit code tells whether anything changes, nothing is written")
  func shape() async throws {
    let installation = try await seeded(devices: 1)
    let rows =
      ["devices", "device_syncs", "notifications", "plans", "policies", "tenants"]
      .map { "SELECT t.ctid::text || t.xmin::text || t::text AS row FROM carillon.\($0) AS t" }
      .joined(separator: " UNION ALL ") + " ORDER BY row"
    let before = try await installation.database.column(rows)
    let outcome = try await preview(installation, "-o json --device \(Self.first) --sample 5")
    #expect(outcome.code == 3 && outcome.errors == "")
    let revisions = outcome.output.matches(of: /"revision":"([0-9a-f]{16})"/).map { String($0.output.1) }
    try #require(revisions.count == 4)
    let zoneData = try #require(outcome.output.firstMatch(of: /"zoneData":"([^"]+)"/)?.output.1)
    #expect(
      outcome.output.replacing(/"plannedAt":"20[^"]+Z"/, with: "\"plannedAt\":\"now\"") == """
        {"plannedAt":"now","policyVersion":0,"changes":true,\
        "devices":{"total":1,"planned":1,"changed":1,"skipped":0},\
        "before":{"held":2,"queued":0,"withheld":0,"expired":0,"moved":0,"starvedDevices":0,\
        "evictionsByType":{},"withheldByReason":{}},\
        "after":{"held":2,"queued":0,"withheld":0,"expired":0,"moved":1,"starvedDevices":0,\
        "evictionsByType":{},"withheldByReason":{}},\
        "changedDevices":[{"deviceId":"\(Self.first)","added":0,"removed":0,"replaced":1,\
        "changesQueued":false,"changesWithheld":false}],\
        "device":{"deviceId":"\(Self.first)","added":0,"removed":0,"replaced":1,\
        "changesQueued":false,"changesWithheld":false,\
        "before":{"version":1,"policyVersion":0,"zoneData":"\(zoneData)","slots":64,"foreign":0,"capacity":64,\
        "starved":false,"held":[\
        {"id":"night","type":"unknown","priority":99,"fireAt":"2100-01-01T03:00:00Z","revision":"\(revisions[0])",\
        "trigger":{"at":"2100-01-01T03:00:00Z","kind":"instant"},"reach":"visible","unmetNeeds":[],"moves":[],\
        "slot":"rank"},\
        {"id":"day","type":"unknown","priority":99,"fireAt":"2100-01-01T12:00:00Z","revision":"\(revisions[1])",\
        "trigger":{"at":"2100-01-01T12:00:00Z","kind":"instant"},"reach":"visible","unmetNeeds":[],"moves":[],\
        "slot":"rank"}],"queued":[],"rejected":[],"withheld":[],"expired":[],"evictionsByType":{},\
        "refreshBy":null,"coversUntil":null},\
        "after":{"version":1,"policyVersion":1,"zoneData":"\(zoneData)","slots":64,"foreign":0,"capacity":64,\
        "starved":false,"held":[\
        {"id":"night","type":"unknown","priority":99,"fireAt":"2100-01-01T07:30:00Z","revision":"\(revisions[2])",\
        "trigger":{"at":"2100-01-01T07:30:00Z","kind":"instant"},"reach":"visible","unmetNeeds":[],\
        "moves":[{"by":"quietHours","from":"2100-01-01T03:00:00Z","to":"2100-01-01T07:30:00Z"}],"slot":"rank"},\
        {"id":"day","type":"unknown","priority":99,"fireAt":"2100-01-01T12:00:00Z","revision":"\(revisions[3])",\
        "trigger":{"at":"2100-01-01T12:00:00Z","kind":"instant"},"reach":"visible","unmetNeeds":[],"moves":[],\
        "slot":"rank"}],"queued":[],"rejected":[],"withheld":[],"expired":[],"evictionsByType":{},\
        "refreshBy":null,"coversUntil":null}}}

        """)
    let same = try await preview(installation, "-o json", policy: "{\"slots\":64}")
    #expect(same.code == 0 && same.errors == "")
    #expect(try await installation.database.column(rows) == before)
  }

  @Test("A table says in a few lines what changes")
  func table() async throws {
    let installation = try await seeded(devices: 2)
    let outcome = try await preview(installation, "--all --device \(Self.first)")
    #expect(
      outcome
        == Tenantctl.Outcome(
          output: """
            Planned 2 of 2 devices against the defaults: 2 plans change.

                   BEFORE  AFTER  CHANGE
            held        4      4        \("")
            moved       0      2      +2

            DEVICE ID                             ADDED  REMOVED  REPLACED  QUEUE  WITHHELD
            00000000-0000-4000-8000-000000000001      0        0         1  no     no
            00000000-0000-4000-8000-000000000002      0        0         1  no     no

            Device 00000000-0000-4000-8000-000000000001
            ID     BEFORE                     AFTER
            night  held 2100-01-01T03:00:00Z  held 2100-01-01T07:30:00Z (quietHours)
            1 is the same.

            """, errors: "", code: 3))
    let alone = try await preview(installation, "--device \(Self.first)", policy: "{}")
    #expect(
      alone
        == Tenantctl.Outcome(
          output: """
            Planned 0 of 2 devices against the defaults: 0 plans change.

            Device 00000000-0000-4000-8000-000000000001
            2 are the same.

            """, errors: "", code: 0))
    let lines = try await preview(installation, "--all -o csv")
    #expect(
      lines.output == """
        deviceId,added,removed,replaced,changesQueued,changesWithheld\r
        00000000-0000-4000-8000-000000000001,0,0,1,no,no\r
        00000000-0000-4000-8000-000000000002,0,0,1,no,no\r

        """)
  }

  @Test("All devices are planned, page by page; a sample is as large as it was asked to be")
  func all() async throws {
    let installation = try await seeded(devices: 600)
    func devices(_ more: String) async throws -> JSONValue? {
      let outcome = try await preview(installation, "-o json \(more)")
      #expect(outcome.code == 3 && outcome.errors == "")
      let json = try JSONValue(parsing: outcome.output)
      #expect(json["changedDevices"]?.array?.count == min(100, json["devices"]?["changed"]?.int ?? 0))
      return json["devices"]
    }
    #expect(try await devices("--all") == ["total": 600, "planned": 600, "changed": 600, "skipped": 0])
    #expect(try await devices("") == ["total": 600, "planned": 100, "changed": 100, "skipped": 0])
    #expect(try await devices("--sample 17") == ["total": 600, "planned": 17, "changed": 17, "skipped": 0])
    #expect(
      try await devices("--sample 5000") == ["total": 600, "planned": 600, "changed": 600, "skipped": 0])
  }

  @Test("On a terminal, long work says how far it has come")
  func progress() async throws {
    let installation = try await seeded(devices: 120)
    let line = "echo '{}' | tenantctl policy preview acme --policy - --all"
    let environment = ["DATABASE_URL": installation.url(.operator), "TERM": "xterm"]
    let terminal = try await Tenantctl.shell("script -qec \"\(line)\" /dev/null", environment: environment)
    #expect(terminal.output.contains("\r\u{1B}[K100 of 120 devices planned"))
    #expect(terminal.output.contains("\r\u{1B}[KPlanned 120 of 120 devices"))
    let pipe = try await Tenantctl.shell(line, environment: environment)
    #expect(pipe.errors == "" && !pipe.output.contains("\u{1B}"))
  }

  @Test("A policy that is none, a device that is not there, a tenant that is not there")
  func mistakes() async throws {
    let installation = try await seeded(devices: 1)
    let refused = try await preview(installation, policy: "{\"slots\":60,\"order\":\"random\"}")
    #expect(refused.code == 1 && refused.output == "")
    #expect(refused.errors.hasPrefix("tenantctl: standard input at /order (byte "), "\(refused.errors)")
    #expect(try await preview(installation, "--device 0190b5c8-6a5e-7c3e-9b1f-2d7d6c1a0fff").code == 5)
    #expect(try await installation.run("policy preview acne --policy -", input: "{}").code == 5)
    #expect(try await preview(installation, "--sample 3 --all").code == 2)
    #expect(try await preview(installation, "--sample 0").code == 2)
    #expect(try await preview(installation, "--device 42").code == 2)
    #expect(try await installation.run("policy preview acme").code == 2)
  }
}
