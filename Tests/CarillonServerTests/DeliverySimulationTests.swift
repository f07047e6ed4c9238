import CarillonJSON
import CarillonModel
import Foundation
import IntegrationSupport
import TestSupport
import Testing

/// A device that lives for a while: it rings what it holds, loses answers, asks twice, comes late. Whatever happens,
/// nobody hears more than the cap allows, or the same thing twice, and what wants to be delivered late is.
@Suite struct DeliverySimulationTests {
  private static let limit = 2
  private static let window: Int64 = 1_800

  /// In which a plan that was asked for found a place in the past for what waited behind something of which nobody knew
  /// yet, and gave it up. And in which the answer of the first plan that held a request was lost, and that of the next
  /// one was not: it was not believed to have rung, and came again.
  private static let regressions: [UInt64] = [
    787_461_525, 331_962_029, 374_928_829, 615_771_771, 856_417_711, 27_972_575, 49_749_721, 325_372_901,
  ]

  /// What `CARILLON_SEED` names, one or several with commas between: seen again by every simulation.
  static let again: [UInt64]? = ProcessInfo.processInfo.environment["CARILLON_SEED"].map { text in
    text.split(separator: ",").compactMap { UInt64($0) }
  }

  /// The same ones in the ordinary run; `CARILLON_LONG` looks for what nobody has seen yet.
  static let seeds: [UInt64] = {
    let environment = ProcessInfo.processInfo.environment
    if let again { return again }
    if environment["CARILLON_LONG"] == nil { return regressions + [1, 2, 3] }
    return (0..<60).map { _ in UInt64.random(in: 0...999_999_999) }
  }()

  /// Half the seeds have quiet hours, in which the life begins.
  @Test(arguments: seeds, [false, true])
  func nothingIsHeardTwiceOrTooOften(_ seed: UInt64, _ losesAnswers: Bool) async throws {
    let isQuiet = seed.isMultiple(of: 2)
    try await TestServer.with(loops: 1) { server in
      var random = SeededGenerator(seed: seed)
      // Of its own: what a life is does not depend on who looks at it.
      var looks = SeededGenerator(seed: ~seed)
      let client = server.client(try await server.makeTenant())
      let quiet = isQuiet ? ",\"quietHours\":{\"windows\":[{\"from\":\"22:00\",\"to\":\"07:30\"}]}" : ""
      let policy = "{\"frequencyCaps\":[{\"limit\":\(Self.limit),\"per\":\(Self.window)}]\(quiet)}"
      try #require(try await client.send("PUT", "/v1/policy", body: policy).status == 200)
      var life = SimulatedLife(client)
      /// Wished ids; whether each is to be delivered late, too.
      var late: Set<String> = []
      var wished: [String: Int64] = [:]
      var wasLost = false
      for step in 0..<60 {
        let now = server.clock.now
        var puts: [String] = []
        if step < 45, Int.random(in: 0..<3, using: &random) > 0 {
          let id = "n\(step)"
          let offset = Int64.random(in: -900...2_400, using: &random)
          let isLate = Bool.random(using: &random)
          if isLate { late.insert(id) }
          wished[id] = offset
          puts.append(
            """
            {"id":"\(id)","content":{"title":"\(id)"},"overdue":"\(isLate ? "deliverNow" : "expire")",
             "trigger":{"kind":"instant","at":"\(now.adding(seconds: offset))"}}
            """)
        }
        // By the tenant or by the device itself: a repeated report takes nothing in.
        let repeats = wasLost && puts.isEmpty && Bool.random(using: &random)
        if let put = puts.first, Bool.random(using: &random) {
          let path = Reports.path(life.id, "/notifications/n\(step)")
          #expect(try await client.send("PUT", path, body: put).status == 201)
          puts = []
        }
        if step > 0, Int.random(in: 0..<4, using: &random) == 0 {
          #expect(try await client.send("GET", Reports.path(life.id, "/plan")).status == 200)
        }
        let isLost = losesAnswers && step < 45 && Int.random(in: 0..<4, using: &random) == 0
        try await life.sync(
          ",\"put\":[\(puts.joined(separator: ","))]", isLost: isLost, repeats: repeats, now: now)
        wasLost = isLost
        let seconds = Int64.random(in: step < 45 ? 1...900 : 1_800...10_800, using: &random)
        let early = Int64.random(in: 0...seconds, using: &looks)
        server.clock.advance(seconds: early)
        if Int.random(in: 0..<4, using: &looks) == 0 {
          #expect(try await client.send("GET", Reports.path(life.id, "/plan")).status == 200)
        }
        server.clock.advance(seconds: seconds - early)
        life.ring(until: server.clock.now)
      }

      let comment = Comment(rawValue: "seed \(seed): \(life.rung)")
      let counts = Dictionary(life.rung.map { ($0.id, 1) }, uniquingKeysWith: +)
      #expect(counts.values.allSatisfy { $0 == 1 }, comment)
      #expect(life.pending.isEmpty, comment)
      for id in late { #expect(counts[id] == 1, "\(id) was never heard; \(comment)") }
      if isQuiet {
        // 07:30 in Istanbul on the first day, 22:00 on it, and again.
        let hours = life.rung.map { ($0.at.milliseconds / 1000 + 3 * 3_600) % 86_400 }
        #expect(hours.allSatisfy { $0 >= 27_000 && $0 < 79_200 }, comment)
      }
      // And so it is written down: each wish once, delivered or not as it was.
      let answer = try await client.send("GET", Reports.path(life.id, "/deliveries?limit=200"))
      let rows = answer.json["items"]?.array ?? []
      let written = Set(rows.compactMap { $0["notification"]?.string })
      #expect(written.count == rows.count && written.isSubset(of: wished.keys), comment)
      #expect(written == Set(wished.keys), "\(wished.keys.filter { !written.contains($0) }); \(comment)")
      for row in rows {
        let (id, outcome) = (row["notification"]?.string ?? "", row["outcome"]?.string ?? "")
        let isDelivered = outcome == "inferredDelivered"
        // Where an answer was lost on its way, one that was taken for delivered may not have been heard.
        #expect(
          isDelivered == (counts[id] != nil) || losesAnswers && isDelivered, "\(id) is \(outcome); \(comment)"
        )
        #expect(isDelivered || ["missed", "expired"].contains(outcome), "\(id) is \(outcome); \(comment)")
        guard isDelivered, let rung = life.rung.first(where: { $0.id == id }) else { continue }
        #expect(row["at"]?.string == rung.at.description, comment)
      }
      // What is put for a time to come is heard unless an answer on its way was lost.
      if !losesAnswers {
        for (id, offset) in wished where offset > 0 { #expect(counts[id] == 1, "\(id); \(comment)") }
        for (id, offset) in wished where offset < -Self.window && !late.contains(id) && !isQuiet {
          #expect(counts[id] == nil, "\(id); \(comment)")
        }
        let times = life.rung.map(\.at).sorted()
        for (first, last) in zip(times, times.dropFirst(Self.limit)) {
          #expect(last.milliseconds - first.milliseconds >= Self.window * 1000, comment)
        }
      }
    }
  }
}
