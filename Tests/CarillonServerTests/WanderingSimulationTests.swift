import CarillonJSON
import CarillonModel
import IntegrationSupport
import TestSupport
import Testing

/// As ``DeliverySimulationTests``, for a device that travels between its reports, or whose clock is wrong.
@Suite struct WanderingSimulationTests {
  enum Wandering: CaseIterable { case travels, isAhead, isBehind, jumps }

  /// A cap moved, in a plan that the device never got, what rang early by the plan before; and brought to a later time
  /// again what had rung. And told twice what a plan that was asked for had noted, and a journey west put off; and
  /// what rang by a plan of which a newer one, made for somebody else, went on to hold it. And gave up what waited for
  /// something that never came. And did not believe what rang by the second plan that held it; and brought again what a
  /// journey had put off and another one leapt over, and what an older plan rang by the clock of there.
  private static let regressions: [UInt64] = [
    799_915_322, 966_206_682, 950_608_602, 352_560_684, 738_416_053, 113_530_452, 871_976_119, 407_857_328,
    27_972_575, 396_778_945, 432_878_864,
  ]

  private static let seeds: [UInt64] = {
    let seeds = DeliverySimulationTests.seeds
    let isOrdinary = seeds.contains(1)
    return isOrdinary ? regressions + seeds.suffix(3) : seeds
  }()

  private static let late = ",\"overdue\":\"deliverNow\""

  /// What a life came to.
  private struct Record {
    var life: SimulatedLife
    var wished: [String: Int64] = [:]
    var late: Set<String> = []
    var floating: Set<String> = []
  }

  @Test(arguments: seeds, Wandering.allCases)
  func nothingIsHeardTwiceOrWrittenDownWrongly(_ seed: UInt64, _ wandering: Wandering) async throws {
    try await TestServer.with(loops: 1) { server in
      let client = server.client(try await server.makeTenant())
      if seed.isMultiple(of: 2) {
        let policy = "{\"frequencyCaps\":[{\"limit\":3,\"per\":1800}]}"
        try #require(try await client.send("PUT", "/v1/policy", body: policy).status == 200)
      }
      var record = Record(life: SimulatedLife(client))
      try await live(&record, wandering, seed, server)
      try await check(record, wandering, client, "seed \(seed), \(wandering): \(record.life.rung)")
    }
  }

  private func live(
    _ record: inout Record, _ wandering: Wandering, _ seed: UInt64, _ server: TestServer
  ) async throws {
    var random = SeededGenerator(seed: seed)
    // Of its own: what a life is does not depend on who looks at it.
    var looks = SeededGenerator(seed: ~seed)
    switch wandering {
    case .travels, .jumps: break
    case .isAhead: record.life.ahead = Int64.random(in: 30...1_200, using: &random)
    case .isBehind: record.life.ahead = -Int64.random(in: 30...3_000, using: &random)
    }
    for step in 0..<60 {
      let now = server.clock.now
      var puts: [String] = []
      if step < 45, Int.random(in: 0..<3, using: &random) > 0 {
        puts.append(put("n\(step)", &record, now: now, using: &random))
      }
      if let put = puts.first, Bool.random(using: &random) {
        let path = Reports.path(record.life.id, "/notifications/n\(step)")
        #expect(try await record.life.client.send("PUT", path, body: put).status == 201)
        puts = []
      }
      if step > 0, Int.random(in: 0..<4, using: &random) == 0 {
        #expect(try await record.life.client.send("GET", Reports.path(record.life.id, "/plan")).status == 200)
      }
      try await record.life.sync(",\"put\":[\(puts.joined(separator: ","))]", now: now)
      let heard = record.life.rung.count
      server.clock.advance(seconds: Int64.random(in: 1...600, using: &random))
      if step > 0, Int.random(in: 0..<4, using: &looks) == 0 {
        #expect(try await record.life.client.send("GET", Reports.path(record.life.id, "/plan")).status == 200)
      }
      if Int.random(in: 0..<3, using: &random) == 0 {
        wander(&record.life, wandering, step, server.clock.now, &random)
      }
      server.clock.advance(seconds: Int64.random(in: step < 45 ? 1...600 : 1_800...10_800, using: &random))
      record.life.ring(until: server.clock.now)
      for rung in record.life.rung[heard...] where wandering == .jumps || Bool.random(using: &random) {
        record.life.tell(rung, as: Bool.random(using: &random) ? "tapped" : "delivered")
      }
    }
  }

  private func wander(
    _ life: inout SimulatedLife, _ wandering: Wandering, _ step: Int, _ now: Instant,
    _ random: inout SeededGenerator
  ) {
    switch wandering {
    case .isAhead, .isBehind: break
    case .travels:
      if step < 45 { life.travel(to: .allCases.randomElement(using: &random)!, now: now) }
    case .jumps:
      let year: Int64 = 365 * 86_400
      let ahead = [0, 0, 600, 10 * year].randomElement(using: &random)!
      life.setClock(ahead: step < 45 ? ahead : 0, now: now)
    }
  }

  private func put(
    _ id: String, _ record: inout Record, now: Instant, using random: inout SeededGenerator
  ) -> String {
    let offset = Int64.random(in: -900...5_400, using: &random)
    let isLate = Bool.random(using: &random)
    if isLate { record.late.insert(id) }
    record.wished[id] = offset
    var trigger = "{\"kind\":\"instant\",\"at\":\"\(now.adding(seconds: offset))\"}"
    if Bool.random(using: &random) {
      record.floating.insert(id)
      let wall = now.adding(seconds: offset + record.life.place.offset).description.prefix(19)
      trigger = "{\"kind\":\"local\",\"at\":\"\(wall)\"}"
    }
    return
      "{\"id\":\"\(id)\",\"content\":{\"title\":\"\(id)\"},\"trigger\":\(trigger)\(isLate ? Self.late : "")}"
  }

  private func check(
    _ record: Record, _ wandering: Wandering, _ client: HTTPTestClient, _ text: String
  ) async throws {
    let comment = Comment(rawValue: text)
    let heard = Dictionary(record.life.rung.map { ($0.id, 1) }, uniquingKeysWith: +)
    #expect(heard.values.allSatisfy { $0 == 1 }, comment)
    #expect(record.life.pending.isEmpty, comment)
    let answer = try await client.send("GET", Reports.path(record.life.id, "/deliveries?limit=200"))
    let rows = answer.json["items"]?.array ?? []
    var outcomes: [String: String] = [:]
    for row in rows { outcomes[row["notification"]?.string ?? ""] = row["outcome"]?.string }
    // Each once.
    #expect(
      outcomes.count == rows.count && Set(outcomes.keys) == Set(record.wished.keys), "\(rows) \(comment)")
    let inbox = try await client.send("GET", Reports.path(record.life.id, "/inbox?state=all&limit=200"))
    let items = inbox.json["items"]?.array?.compactMap { $0["notification"]?.string } ?? []
    #expect(Set(items).count == items.count, "\(items) \(comment)")
    for (id, offset) in record.wished {
      let outcome = outcomes[id] ?? ""
      let isDelivered = ["delivered", "inferredDelivered"].contains(outcome)
      if heard[id] != nil {
        #expect(isDelivered && items.contains(id), "\(id) is \(outcome); \(comment)")
      } else {
        // Nobody can know whether the device had left before the time came, or took it when its clock had passed it.
        let isUnknowable = record.life.unheard.contains(id) && outcome == "inferredDelivered"
        #expect(!isDelivered || isUnknowable, "\(id) is \(outcome); \(comment)")
        let isLost = record.life.unheard.contains(id) || record.floating.contains(id) && wandering == .travels
        let isWanted = offset > 0 || record.late.contains(id)
        #expect(
          !isWanted || isLost && (isDelivered || !record.late.contains(id)), "\(id) is \(outcome); \(comment)"
        )
      }
    }
    // What is added to a clock that has passed it is lost, once that clock is set right.
    guard wandering != .jumps else { return }
    let drift = try await client.send("GET", Reports.path(record.life.id, "")).json["drift"]
    #expect(
      drift?["dropped"]?.int == 0 && drift?["altered"]?.int == 0, "\(String(describing: drift)) \(comment)")
  }
}
