import CarillonAPI
import CarillonJSON
import CarillonModel
import Foundation
import IntegrationSupport
import TestSupport
import Testing

/// Random weeks of one device: whatever was put, cancelled, denied, missed or reported late, the inbox holds each
/// occurrence whose time has come once, and nothing else.
@Suite struct InboxSimulationTests {
  /// In which what was put anew had another time, in the past or to come, and was taken for what rang by the older one.
  private static let regressions: [UInt64] = [596_488_330, 633_295_399, 692_610_801]

  private static let seeds: [UInt64] = {
    let environment = ProcessInfo.processInfo.environment
    if let again = DeliverySimulationTests.again { return again }
    if environment["CARILLON_LONG"] == nil { return regressions + [1, 2, 3, 4] }
    return (0..<40).map { _ in UInt64.random(in: 0...999_999_999) }
  }()

  private struct Entry {
    var acceptedAt: Instant
    /// Nil: every hour at this second of the hour.
    var at: Instant?
    var second: Int64 = 0
    var title: String
  }

  /// What must be in the inbox: `id@time title`.
  private struct Recount {
    var queue: [String: Entry] = [:]
    var items: Set<String> = []
    var lookedAt: Instant

    /// Time goes on: what came due is announced with the content of then.
    mutating func advance(to now: Instant) {
      for (id, entry) in queue {
        if let at = entry.at {
          if at > entry.acceptedAt, at > lookedAt, at <= now { items.insert("\(id)@\(at) \(entry.title)") }
          continue
        }
        let first = max(lookedAt, entry.acceptedAt).seconds
        var fire = first - first % 3600 + entry.second
        while fire <= now.seconds {
          if fire > first { items.insert("\(id)@\(Instant(seconds: fire)) \(entry.title)") }
          fire += 3600
        }
      }
      lookedAt = now
    }
  }

  @Test(arguments: seeds) func theInboxIsTheRecount(_ seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    try await TestServer.withTenant(policy: "{\"slots\":3}") { server, tenant in
      let phone = InboxPhone(server, tenant)
      var recount = Recount(lookedAt: server.clock.now)
      for step in 0..<60 {
        server.clock.advance(seconds: Int64.random(in: 1...1500, using: &random))
        let now = server.clock.now
        recount.advance(to: now)
        let id = "n\(Int.random(in: 0..<8, using: &random))"
        switch Int.random(in: 0..<10, using: &random) {
        case 0...3:
          let title = "T\(step)"
          let repeats = Int.random(in: 0..<4, using: &random) == 0
          let second = Int64.random(in: 0..<60, using: &random) * 60
          let at = now.adding(seconds: Int64.random(in: -600...6000, using: &random))
          let trigger =
            repeats
            ? "{\"kind\":\"calendar\",\"components\":{\"minute\":\(second / 60)},\"repeats\":true}"
            : "{\"kind\":\"instant\",\"at\":\"\(at)\"}"
          let item = "{\"id\":\"\(id)\",\"content\":{\"title\":\"\(title)\"},\"trigger\":\(trigger)}"
          if Bool.random(using: &random) {
            try await phone.sync(",\"put\":[\(item)]")
          } else {
            let answer = try await phone.client.send(
              "PUT", Reports.path(phone.id, "/notifications/\(id)"), body: item)
            try #require([200, 201].contains(answer.status), "\(answer)")
          }
          recount.queue[id] = Entry(
            acceptedAt: now, at: repeats ? nil : at, second: second, title: title)
        case 4:
          _ = try await phone.client.send("DELETE", Reports.path(phone.id, "/notifications/\(id)"))
          recount.queue[id] = nil
        case 5:
          phone.status = ["authorized", "denied", "provisional", "notDetermined"].randomElement(
            using: &random)!
          try await phone.sync()
        case 6: _ = try await phone.client.send("GET", Reports.path(phone.id, "/plan"))
        default: try await phone.sync()
        }
      }
      try await phone.sync()
      var found: [String] = []
      var cursor = ""
      repeat {
        let page = try await phone.inbox("?state=all&limit=200\(cursor)")
        for item in page["items"]?.array ?? [] {
          found.append(
            "\(item["notification"]?.string ?? "")@\(item["at"]?.string ?? "") \(item["title"]?.string ?? "")"
          )
        }
        cursor = page["nextCursor"]?.string.map { "&cursor=\($0)" } ?? ""
      } while !cursor.isEmpty
      let wanted = recount.items
      #expect(Set(found).count == found.count, "seed \(seed)")
      #expect(Set(found).subtracting(wanted).sorted() == [], "seed \(seed): not announced")
      #expect(wanted.subtracting(found).sorted() == [], "seed \(seed): missing")
      // Some lives are quiet, none is empty.
      #expect(!wanted.isEmpty, "seed \(seed)")
    }
  }
}
