import CarillonJSON
import CarillonModel
import CarillonPostgres
import CarillonStore
import TestSupport
import Testing

@Suite struct PlanExplainTests {
  private static let device = "00000000-0000-4000-8000-000000000001"
  /// Devices are planned as of now, so what they have in their queues lies far ahead.
  private static let policy = """
    {"slots":1,"quietHours":{"windows":[{"from":"22:00","to":"07:30"}]},
     "types":[{"name":"habit","prefixes":["habit."],"priority":0}]}
    """

  /// A device of one slot: `habit.night` has it, `tip` waits.
  private func seeded() async throws -> Installation {
    let installation = try await Installation()
    let made = try await installation.json("tenant create acme")
    let tenant = try #require(made["id"]?.string.flatMap { TenantID($0) })
    _ = try await installation.run("policy set acme -", input: Self.policy)
    let url = installation.url(.app)
    try await withLoop { loop in
      let pool = PostgresPool(loop: loop, conninfo: url)
      pool.start()
      var change = DeviceChange(expectedRowVersion: nil, now: Instant("2026-03-04T00:00:00Z")!)
      var state = DeviceState(authorizationStatus: .authorized)
      state.info.timeZone = "UTC"
      state.settings.alert = .enabled
      state.settings.sound = .disabled
      state.settings.notificationCenter = .enabled
      change.state = state
      change.sequence = 1
      change.puts = [
        Self.item("habit.night", "2100-01-01T03:00:00Z"), Self.item("tip", "2100-01-02T12:00:00Z"),
      ]
      _ = try await Store(pool: pool).apply(change, tenant: tenant, device: DeviceID(Self.device)!)
      await pool.close()
    }
    return installation
  }

  private static func item(_ id: String, _ at: String) -> QueueItem {
    let content = NotificationContent(title: "Hello")
    return QueueItem(
      head: NotificationHead(
        id: NotificationID(id)!, trigger: .instant(Instant(at)!), needs: [.sound], summary: content.summary),
      content: content.canonicalBytes)
  }

  @Test("One screen tells the story")
  func story() async throws {
    let installation = try await seeded()
    let outcome = try await installation.run("plan explain acme \(Self.device) habit.night")
    #expect(outcome.code == 0 && outcome.errors == "")
    #expect(
      outcome.output == """
        habit.night
        It is held, number 1 in the order, moved to 2100-01-01T07:30:00Z by quietHours. If it left, 'tip' would get its slot.

        Type      'habit', because its id begins with 'habit.'.
        Priority  0. The type 'habit' has priority 0.
        Time      It asks for 2100-01-01T03:00:00Z. Quiet hours move it to 2100-01-01T07:30:00Z.
        Notice    It can be seen, but not heard. It needs sound, which the device does not allow.
        Order     Number 1, where the soonest comes first. Next in line for its slot is 'tip' (unknown, priority 99, 2100-01-02T12:00:00Z).
        Slots     1 of 1 taken. 1 request waits.

        """)
    let waiting = try await installation.run("plan explain acme \(Self.device) tip")
    #expect(waiting.code == 0)
    #expect(
      waiting.output.contains("\nIt waits: all 1 slots are taken, the last by 'habit.night'.\n"),
      "\(waiting.output)")
    #expect(
      waiting.output.contains("Time      It asks for 2100-01-02T12:00:00Z. That is when it will ring.\n")
        == false)
    #expect(
      waiting.output.contains(
        "The last slot before it went to 'habit.night' (habit, priority 0, 2100-01-01T07:30:00Z)."))
  }

  @Test("The JSON is the wire's, frozen")
  func json() async throws {
    let installation = try await seeded()
    let outcome = try await installation.run("plan explain acme \(Self.device) tip -o json")
    #expect(outcome.code == 0 && outcome.errors == "")
    #expect(
      outcome.output == """
        {"id":"tip","notification":"tip","state":"queued","reason":"noSlot",\
        "summary":"It waits: all 1 slots are taken, the last by 'habit.night'.",\
        "type":{"name":"unknown","by":"none","prefix":null},\
        "priority":{"effective":99,"base":99,\
        "reasons":[{"code":"type","detail":"The type 'unknown' has priority 99."}]},\
        "requestedAt":"2100-01-02T12:00:00Z","fireAt":"2100-01-02T12:00:00Z","moves":[],"rank":2,"slot":null,\
        "reach":"visible","unmetNeeds":["sound"],\
        "tookSlot":{"id":"habit.night","type":"habit","priority":0,"fireAt":"2100-01-01T07:30:00Z","rank":1},\
        "waitingBefore":0,"runnerUp":null,"digest":null,"occurrences":[],\
        "slots":{"slots":1,"foreign":0,"capacity":1,"held":1,"queued":1,"order":"soonestFirst"}}

        """)
  }

  @Test("What is not there is told, and the exit code is 5")
  func unknown() async throws {
    let installation = try await seeded()
    let outcome = try await installation.run("plan explain acme \(Self.device) nobody")
    #expect(outcome.code == 5 && outcome.errors == "")
    #expect(outcome.output.hasPrefix("nobody\nThe queue of this device has no such notification.\n"))
    let line = "plan explain acme 0190b5c8-6a5e-7c3e-9b1f-2d7d6c1a0fff tip"
    #expect(try await installation.run(line).code == 5)
    #expect(try await installation.run("plan explain acme \(Self.device)").code == 2)
    let long = String(repeating: "x", count: 161)
    #expect(try await installation.run("plan explain acme \(Self.device) \(long)").code == 2)
  }
}
