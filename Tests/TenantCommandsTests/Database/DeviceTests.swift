import CarillonJSON
import CarillonModel
import CarillonPostgres
import CarillonStore
import TestSupport
import Testing

@Suite struct DeviceTests {
  static let device = "0190b5c8-6a5e-7c3e-9b1f-2d7d6c1a0f11"
  static let shell = "0190b5c8-6a5e-7c3e-9b1f-2d7d6c1a0f12"
  static let newer = "0190b5c8-6a5e-7c3e-9b1f-2d7d6c1a0f13"
  static let now = Instant("2026-03-04T00:00:00Z")!

  /// One device with a report and a plan, and one that has a queue only.
  private func seeded() async throws -> Installation {
    let installation = try await Installation()
    let made = try await installation.json("tenant create acme")
    let tenant = try #require(made["id"]?.string.flatMap { TenantID($0) })
    let url = installation.url(.app)
    try await withLoop { loop in
      let pool = PostgresPool(loop: loop, conninfo: url)
      pool.start()
      let store = Store(pool: pool)
      _ = try await store.apply(Self.report(), tenant: tenant, device: DeviceID(Self.device)!)
      _ = try await store.putNotifications(
        tenant: tenant, device: DeviceID(Self.shell)!, [Self.item("habit.1")], now: Self.now)
      await pool.close()
    }
    return installation
  }

  private static func notification(_ id: String) -> CarillonModel.Notification {
    let content = NotificationContent(title: "Stretch", body: "Two minutes")
    return CarillonModel.Notification(
      head: NotificationHead(
        id: NotificationID(id)!, trigger: .instant(Instant("2026-03-05T08:00:00Z")!), summary: content.summary
      ),
      content: content)
  }

  private static func item(_ id: String) -> QueueItem {
    let notification = notification(id)
    return QueueItem(head: notification.head, content: notification.content.canonicalBytes)
  }

  private static func report() -> DeviceChange {
    var change = DeviceChange(expectedRowVersion: nil, now: now)
    var state = DeviceState(authorizationStatus: .authorized)
    state.info.platform = "iOS"
    state.info.appVersion = "3.2.0"
    state.info.timeZone = "Europe/Madrid"
    state.info.deviceKey = "k1"
    state.info.push = PushRegistration(token: "00ff00ff", environment: "production")
    state.settings.alert = .enabled
    change.state = state
    change.sequence = 42
    change.puts = [item("habit.1"), item("habit.2")]
    var plan = Plan()
    plan.version = 17
    plan.zoneData = "2025b"
    plan.slots = 1
    plan.capacity = 1
    let head = notification("habit.1").head
    plan.held = [
      HeldRequest(
        id: head.id, source: head.id, type: "habit", priority: 0, fireAt: Instant("2026-03-05T08:00:00Z"),
        revision: "28747e23a5b5f60e", trigger: head.trigger, reach: .visible, unmetNeeds: [.sound],
        slot: .rank)
    ]
    plan.queued = [
      QueuedRequest(
        id: "habit.2", type: "habit", fireAt: Instant("2026-03-05T08:00:00Z"), rank: 2,
        reason: .noSlot)
    ]
    plan.evictionsByType = ["habit": 1]
    plan.refreshBy = Instant("2026-03-05T08:00:00Z")
    change.plan = PlanDraft(
      version: 17, policyVersion: 0, zoneData: "2025b", digest: 1, document: PlanCodec.encode(plan),
      sent: [head.id])
    change.history = past
    return change
  }

  private static var past: DeviceHistory {
    var history = DeviceHistory()
    history.change = DeviceStateChange(
      sequence: 42, sentAt: nil, appVersion: "3.2.0", authorizationStatus: .authorized, fatigue: .degraded,
      members: [.init(path: "settings.sound", from: "enabled", to: "disabled")])
    history.change?.edits = .init(
      puts: ["habit.1"], cancels: ["habit.with.a.very.long.name.indeed"], user: nil)
    history.change?.edits.more = 3
    var held = StoredDelivery(
      notification: "habit.9", wishedAt: Instant("2026-03-03T08:00:00Z")!, request: "habit.9", type: "habit",
      dueAt: Instant("2026-03-03T08:30:00Z")!, outcome: .inferredDelivered,
      held: .init(revisionHash: 1, planVersion: 16, repeats: false))
    held.reach = .visible
    held.unmetNeeds = [.sound]
    let missed = StoredDelivery(
      notification: "habit.8", wishedAt: Instant("2026-03-02T08:00:00Z")!, request: "habit.8", type: "habit",
      dueAt: Instant("2026-03-02T08:00:00Z")!, outcome: .missed, reason: "noSlot")
    history.deliveries = [held, missed]
    var truth = DeviceTruth()
    truth.fatiguedAt = Instant("2026-03-01T00:00:00Z")!
    truth.drift = DriftCounts(dropped: 2, unplanned: 1, at: Instant("2026-03-03T00:00:00Z")!)
    history.truth = truth
    return history
  }

  @Test("A device is shown as the wire shows it, without its push token")
  func show() async throws {
    let installation = try await seeded()
    let outcome = try await installation.run("device show acme \(Self.device) -o json")
    #expect(
      outcome
        == Tenantctl.Outcome(
          output: """
            {"deviceId":"\(Self.device)","device":{"platform":"iOS","appVersion":"3.2.0","timeZone":"Europe/Madrid",\
            "deviceKey":"k1"},"authorizationStatus":"authorized","settings":{"alert":"enabled"},"planVersion":17,"sequence":42,\
            "createdAt":"2026-03-04T00:00:00Z","updatedAt":"2026-03-04T00:00:00Z","seenAt":"2026-03-04T00:00:00Z","pushEnvironment":"production",\
            "fatiguedAt":"2026-03-01T00:00:00Z",\
            "drift":{"dropped":2,"unplanned":1,"altered":0,"lastAt":"2026-03-03T00:00:00Z"},\
            "reach":{"visible":1},"unmetNeeds":{"sound":1}}

            """, errors: "", code: 0))
  }

  @Test("21B 22 A device tells of which it is a copy, and which one came after it")
  func lineage() async throws {
    let installation = try await seeded()
    let tenant = try #require(
      try await installation.json("tenant list")["items"]?[0]?["id"]?.string.flatMap { TenantID($0) })
    let url = installation.url(.app)
    try await withLoop { loop in
      let pool = PostgresPool(loop: loop, conninfo: url)
      pool.start()
      var newer = DeviceChange(expectedRowVersion: nil, now: Self.now)
      newer.sequence = 1
      newer.identity = IdentityChange()
      newer.identity?.forkedFrom = DeviceID(Self.shell)
      newer.identity?.moved = [.init(.deviceKey("k1", bundleId: nil), by: DeviceID(Self.device)!)]
      let outcome = try await Store(pool: pool).apply(newer, tenant: tenant, device: DeviceID(Self.newer)!)
      #expect(outcome == .applied(contents: [:]))
      await pool.close()
    }
    let older = try await installation.json("device show acme \(Self.device)")
    #expect(older["supersededBy"] == .string(Self.newer))
    #expect(older["supersededAt"] == .string("2026-03-04T00:00:00Z"))
    #expect(older["pushEnvironment"] == nil)
    #expect(
      try await installation.json("device show acme \(Self.newer)")["forkedFrom"] == .string(Self.shell))
    let table = try await installation.run("device show acme \(Self.device)").output
    #expect(table.contains(Self.newer))
  }

  @Test("The history of a device is listed newest first, page by page")
  func history() async throws {
    let installation = try await seeded()
    let outcome = try await installation.run("device history acme \(Self.device) -o json")
    #expect(
      outcome
        == Tenantctl.Outcome(
          output: """
            {"items":[{"number":1,"at":"2026-03-04T00:00:00Z","sequence":42,"sentAt":null,"appVersion":"3.2.0",\
            "authorizationStatus":"authorized","fatigue":"degraded",\
            "changes":[{"member":"settings.sound","from":"enabled","to":"disabled"}],"puts":["habit.1"],\
            "cancels":["habit.with.a.very.long.name.indeed"],\
            "more":3}],"nextCursor":null}

            """, errors: "", code: 0))
    let table = try await installation.run("device history acme \(Self.device)").output
    #expect(
      table == """
        AT                    SEQ  WHAT              CHANGE
        2026-03-04T00:00:00Z   42  sound             enabled > disabled
        2026-03-04T00:00:00Z   42  fatigue           degraded
        2026-03-04T00:00:00Z   42  cancelled         habit.with.a.very.long.name…
        2026-03-04T00:00:00Z   42  put               habit.1
        2026-03-04T00:00:00Z   42  put or cancelled  3 more

        """)
    #expect(table.split(separator: "\n").allSatisfy { $0.count <= 80 })
    #expect(
      try await installation.run("device history acme \(Self.device) --cursor abc").errors
        == "tenantctl: 'abc' is no cursor. Give the 'nextCursor' of the list before.\n")
  }

  @Test("What became of what came due is listed newest first, page by page")
  func deliveries() async throws {
    let installation = try await seeded()
    let first = try await installation.json("device deliveries acme \(Self.device) --limit 1")
    let item = try #require(first["items"]?.array?.first)
    #expect(
      String(decoding: item.bytes, as: UTF8.self) == """
        {"notification":"habit.9","wishedAt":"2026-03-03T08:00:00Z","request":"habit.9","type":"habit",\
        "at":"2026-03-03T08:30:00Z","outcome":"inferredDelivered","reason":null,\
        "settledAt":"2026-03-04T00:00:00Z","tappedAt":null,"dismissedAt":null,"reach":"visible",\
        "unmetNeeds":["sound"]}
        """)
    let cursor = try #require(first["nextCursor"]?.string)
    let rest = try await installation.json(
      "device deliveries acme \(Self.device) --limit 1 --cursor \(cursor)")
    #expect(rest["items"]?.array?.map { $0["reason"]?.string } == ["noSlot"])
    #expect(rest["nextCursor"] == .null)
    let csv = try await installation.run("device deliveries acme \(Self.device) -o csv")
    #expect(csv.output.hasPrefix("at,notification,type,outcome,reason,reach,unmetNeeds,tappedAt"))
  }

  @Test("A list that is cut says where it goes on")
  func list() async throws {
    let installation = try await seeded()
    let first = try await installation.json("device list acme --limit 1")
    #expect(first["items"]?.array?.map { $0["deviceId"] } == [.string(Self.device)])
    #expect(first["nextCursor"] == .string(Self.device))
    let rest = try await installation.json("device list acme --limit 1 --cursor \(Self.device)")
    #expect(rest["items"]?.array?.map { $0["deviceId"] } == [.string(Self.shell)])
    #expect(rest["nextCursor"] == .null)
    #expect(
      try await installation.run("device list acme").output == """
        DEVICE ID                             PLATFORM  APP VERSION  TIME ZONE      AUTHORIZATION STATUS  PLAN VERSION  SEEN AT
        \(Self.device)  iOS       3.2.0        Europe/Madrid  authorized                      17  2026-03-04T00:00:00Z
        \(Self.shell)  -         -            -              notDetermined                    0  -

        """)
  }

  @Test("A plan is shown whole, contents from the queue")
  func plan() async throws {
    let installation = try await seeded()
    #expect(
      try await installation.run("plan show acme \(Self.device) -o json")
        == Tenantctl.Outcome(
          output: """
            {"version":17,"policyVersion":0,"zoneData":"2025b","slots":1,"foreign":0,"capacity":1,"starved":false,\
            "held":[{"id":"habit.1","type":"habit","priority":0,"fireAt":"2026-03-05T08:00:00Z",\
            "revision":"28747e23a5b5f60e","trigger":{"at":"2026-03-05T08:00:00Z","kind":"instant"},\
            "reach":"visible","unmetNeeds":["sound"],"moves":[],"slot":"rank",\
            "content":{"body":"Two minutes","title":"Stretch"}}],\
            "queued":[{"id":"habit.2","type":"habit","fireAt":"2026-03-05T08:00:00Z","rank":2,"reason":"noSlot"}],\
            "rejected":[],"withheld":[],"expired":[],"evictionsByType":{"habit":1},\
            "refreshBy":"2026-03-05T08:00:00Z","coversUntil":null}

            """, errors: "", code: 0))
    let table = try await installation.run("plan show acme \(Self.device)")
    #expect(table.code == 0)
    #expect(table.output.hasPrefix("held (1)\nFIRE AT "))
  }

  @Test("What is not there is not found")
  func missing() async throws {
    let installation = try await seeded()
    let nobody = "0190b5c8-6a5e-7c3e-9b1f-2d7d6c1a0fff"
    for line in [
      "device show acme \(nobody)", "plan show acme \(nobody)", "device history acme \(nobody)",
      "device deliveries acme \(nobody)",
    ] {
      #expect(
        try await installation.run(line)
          == Tenantctl.Outcome(
            output: "",
            errors: """
              tenantctl: the tenant 'acme' has no device '\(nobody)'. 'tenantctl device list acme' shows those it has.

              """, code: 5))
    }
    #expect(
      try await installation.run("plan show acme \(Self.shell)").errors
        == "tenantctl: the device '\(Self.shell)' has no plan yet. It gets one when it syncs.\n")
  }
}
