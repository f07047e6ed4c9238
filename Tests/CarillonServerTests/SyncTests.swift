import CarillonJSON
import CarillonModel
import IntegrationSupport
import Testing

@Suite struct SyncTests {
  @Test func firstSyncBringsSixtyFourAndTheSecondNothing() async throws {
    try await TestServer.with { server in
      let client = server.client(try await server.makeTenant())
      let device = Reports.newDevice()
      let batch = try await client.send(
        "POST", "/v1/notifications",
        body: Reports.batch(device, (0..<155).map { Reports.notification(Reports.name($0), inHours: $0 + 1) })
      )
      #expect(batch.status == 200)
      #expect(batch.json["results"]?.array?.allSatisfy { $0["status"]?.string == "stored" } == true)

      var mirror = DeviceMirror()
      let first = try await client.send("POST", Reports.path(device), body: Reports.full(sequence: 1))
      #expect(first.status == 200, "\(first)")
      #expect(first.json.added == (0..<64).map(Reports.name))
      #expect(first.json.removed == [])
      #expect(first.json["slots"]?["held"]?.int == 64)
      #expect(first.json["slots"]?["queued"]?.int == 91)
      #expect(first.json["refreshBy"]?.string == Reports.time(65 * 3600))
      mirror.apply(first.json)

      let plans = "SELECT xmin::text || ' ' || ctid::text FROM carillon.plans"
      let written = try await server.database.column(plans)
      for sequence in 2...4 {
        let next = try await client.send(
          "POST", Reports.path(device), body: Reports.full(sequence: sequence, pending: mirror.pending))
        #expect(next.json.added == [] && next.json.removed == [])
        #expect(next.json["planVersion"]?.int == first.json["planVersion"]?.int)
      }
      #expect(try await server.database.column(plans) == written, "an unchanged plan was written again")
    }
  }

  @Test func eachChangeGivesItsDiffAndNeverMoreThanSixtyFour() async throws {
    try await TestServer.with { server in
      let client = server.client(try await server.makeTenant())
      let device = Reports.newDevice()
      var mirror = DeviceMirror()
      var sequence = 0
      func sync(foreign: Int = 0, _ extra: String = "") async throws -> JSONValue {
        sequence += 1
        let answer = try await client.send(
          "POST", Reports.path(device),
          body: Reports.full(sequence: sequence, pending: mirror.pending, foreign: foreign, extra: extra))
        try #require(answer.status == 200, "\(answer)")
        mirror.apply(answer.json)
        return answer.json
      }
      _ = try await sync(",\"put\":[\(Reports.queue(155))]")
      #expect(mirror.held.count == 64)

      // One is cancelled: it leaves, the next in line comes.
      let deleted = try await client.send("DELETE", Reports.path(device, "/notifications/p.010"))
      #expect(deleted.status == 204)
      let afterDelete = try await sync()
      #expect(afterDelete.removed == ["p.010"])
      #expect(afterDelete.added == ["p.064"])

      // Ten foreign requests take ten slots: the last ten leave, and no foreign id is ever named.
      let afterForeign = try await sync(foreign: 10)
      #expect(afterForeign.removed.sorted() == (55...64).map(Reports.name))
      #expect(afterForeign.added == [])
      #expect(afterForeign["slots"]?["capacity"]?.int == 54)

      // iOS dropped one: the diff heals it.
      mirror.drop("p.003")
      let afterDrop = try await sync(foreign: 10)
      #expect(afterDrop.added == ["p.003"])
      #expect(mirror.held.count == 54)
      #expect(mirror.peak <= 64)
    }
  }

  /// Nothing is left to hold, but a steady answer must not outlast the time at which the inbox gets it.
  @Test func whatExpiresBeforeItsTimeReachesTheInboxAtThatTime() async throws {
    try await TestServer.with { server in
      let client = server.client(try await server.makeTenant())
      let device = Reports.newDevice()
      let put =
        #"{"id":"a","content":{"title":"a"},"trigger":{"kind":"interval","seconds":7200,"repeats":false},"expiresAt":"\#(Reports.time(3600))"}"#
      var unread: [Int?] = []
      for (sequence, after) in [(1, 0), (2, 0), (3, 0), (4, 3_000), (5, 3_000), (6, 3_000)] {
        server.clock.advance(seconds: Int64(after))
        let body = Reports.full(sequence: sequence, extra: sequence == 1 ? ",\"put\":[\(put)]" : "")
        let answer = try await client.send("POST", Reports.path(device), body: body)
        #expect(answer.json.added == [])
        unread.append(answer.json["inbox"]?["unread"]?.int)
      }
      #expect(unread == [0, 0, 0, 0, 0, 1])
    }
  }

  @Test func aServerThatIsReplacedGoesOnWhereTheOtherStopped() async throws {
    let database = try await MigratedDatabase.make()
    let device = Reports.newDevice()
    let (tenant, mirror) = try await TestServer.with(database: database) { server in
      let tenant = try await server.makeTenant()
      var mirror = DeviceMirror()
      let answer = try await server.client(tenant).send(
        "POST", Reports.path(device),
        body: Reports.full(sequence: 1, extra: ",\"put\":[\(Reports.queue(70))]"))
      mirror.apply(answer.json)
      return (tenant, mirror)
    }
    try await TestServer.with(database: database) { server in
      let client = server.client(tenant)
      let same = try await client.send(
        "POST", Reports.path(device), body: Reports.full(sequence: 2, pending: mirror.pending))
      #expect(same.status == 200 && same.json.added == [] && same.json.removed == [])
      let lost = try await client.send("POST", Reports.path(device), body: Reports.full(sequence: 3))
      #expect(lost.json.added.count == 64)
    }
  }

  /// Case 20: a report that arrives late changes nothing and is no error.
  @Test func aReportThatIsNotNewerIsStale() async throws {
    try await TestServer.with { server in
      let client = server.client(try await server.makeTenant())
      let device = Reports.newDevice()
      func report(_ sequence: Int, _ status: String) -> String {
        "{\"sequence\":\(sequence),\"authorizationStatus\":\"\(status)\",\"put\":[\(Reports.notification("a", inHours: 2))]}"
      }
      let newer = try await client.send("POST", Reports.path(device), body: report(42, "authorized"))
      #expect(newer.json["stale"] == nil && newer.json.added == ["a"])
      let late = try await client.send("POST", Reports.path(device), body: report(41, "notDetermined"))
      #expect(late.status == 200 && late.json["stale"]?.bool == true)
      #expect(late.json["planVersion"]?.int == newer.json["planVersion"]?.int)
      let again = try await client.send("POST", Reports.path(device), body: report(42, "authorized"))
      #expect(again.json["stale"]?.bool == true)
      // The answer to the first may have been lost: its repetition still says what to add.
      #expect(again.json.added == ["a"])
      let shown = try await client.send("GET", Reports.path(device, ""))
      #expect(shown.json["authorizationStatus"]?.string == "authorized")
      #expect(shown.json["sequence"]?.int == 42)
    }
  }

  /// A steady report is answered by one statement; a late one behind it must still be stale.
  @Test func unchangedReportsStillCountTheirSequence() async throws {
    try await TestServer.with { server in
      let client = server.client(try await server.makeTenant())
      let device = Reports.newDevice()
      for sequence in [10, 11, 12] {
        _ = try await client.send("POST", Reports.path(device), body: Reports.full(sequence: sequence))
      }
      let late = try await client.send(
        "POST", Reports.path(device), body: "{\"sequence\":11,\"authorizationStatus\":\"denied\"}")
      #expect(late.json["stale"]?.bool == true)
      let shown = try await client.send("GET", Reports.path(device, ""))
      #expect(shown.json["authorizationStatus"]?.string == "authorized")
    }
  }

  @Test func aChangedQueueOrPolicyOrTimeEndsTheSteadyState() async throws {
    try await TestServer.with { server in
      let client = server.client(try await server.makeTenant())
      let device = Reports.newDevice()
      var mirror = DeviceMirror()
      var sequence = 0
      func sync() async throws -> JSONValue {
        sequence += 1
        let answer = try await client.send(
          "POST", Reports.path(device), body: Reports.full(sequence: sequence, pending: mirror.pending))
        mirror.apply(answer.json)
        return answer.json
      }
      _ = try await client.send(
        "POST", "/v1/notifications",
        body: Reports.batch(
          device, [Reports.notification("a", inHours: 1), Reports.notification("b", inHours: 2)]))
      for _ in 1...3 { _ = try await sync() }
      _ = try await client.send(
        "PUT", Reports.path(device, "/notifications/c"), body: Reports.notification("c", inHours: 3))
      #expect(try await sync().added == ["c"])
      for _ in 1...2 { #expect(try await sync().added == []) }
      let policy = try await client.send("PUT", "/v1/policy", body: "{\"slots\":2}")
      #expect(policy.status == 200, "\(policy)")
      #expect(try await sync().removed == ["c"])
      for _ in 1...2 { #expect(try await sync().removed == []) }
      // "a" fires: iOS has dropped it from pending, and "c" takes the slot.
      server.clock.advance(seconds: 3601)
      mirror.drop("a")
      #expect(try await sync().added == ["c"])
    }
  }

  /// Case 31 C over the wire: two held events of one group become one request that says how many.
  @Test func aDigestSaysHowManyItStandsFor() async throws {
    try await TestServer.with { server in
      let client = server.client(try await server.makeTenant())
      let device = Reports.newDevice()
      let policy = """
        {"types":[{"name":"news","prefixes":["news."],"priority":1,"digest":true}],
         "quietHours":{"windows":[{"allDay":true,"days":[1,2,3,4,5,6]}]}}
        """
      #expect(try await client.send("PUT", "/v1/policy", body: policy).status == 200)
      let puts = ["news.a", "news.b"].enumerated().map { index, id in
        """
        {"id":"\(id)","group":"daily","content":{"title":"\(id)","userInfo":{"k":1}},
         "trigger":{"kind":"instant","at":"\(Reports.time(Int64(index + 1) * 3600))"}}
        """
      }
      let answer = try await client.send(
        "POST", Reports.path(device),
        body: Reports.full(sequence: 1, extra: ",\"put\":[\(puts.joined(separator: ","))]"))
      let adds = answer.json["diff"]?["add"]?.array ?? []
      #expect(adds.count == 1, "\(answer)")
      #expect(adds.first?["id"]?.string?.hasPrefix("digest.daily@") == true)
      #expect(adds.first?["content"]?["userInfo"]?["count"]?.int == 2)
      #expect(adds.first?["content"]?["userInfo"]?["k"]?.int == 1)
    }
  }

  @Test func oneBadPutDoesNotSinkTheReport() async throws {
    try await TestServer.with { server in
      let client = server.client(try await server.makeTenant())
      let device = Reports.newDevice()
      let bad =
        "{\"id\":\"bad\",\"content\":{\"title\":\"x\"},\"trigger\":{\"kind\":\"interval\",\"seconds\":5,\"repeats\":true}}"
      let answer = try await client.send(
        "POST", Reports.path(device),
        body: Reports.full(
          sequence: 1, extra: ",\"put\":[\(bad),\(Reports.notification("good", inHours: 1))]"))
      #expect(answer.status == 200)
      #expect(answer.json.added == ["good"])
      let rejected = answer.json["rejected"]?.array ?? []
      #expect(rejected.count == 1 && rejected.first?["id"]?.string == "bad")
      #expect(rejected.first?["pointer"]?.string == "/put/0/trigger/seconds")
    }
  }
}
