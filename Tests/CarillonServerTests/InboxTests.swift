import CarillonAPI
import CarillonJSON
import CarillonModel
import IntegrationSupport
import Testing

@Suite struct InboxTests {
  @Test func whatCameDueIsThereWhateverBecameOfIt() async throws {
    try await TestServer.withTenant(policy: "{\"slots\":2}") { server, tenant in
      let phone = InboxPhone(server, tenant)
      for index in 0..<4 { try await phone.put("n.\(index)", at: Int64(index + 1) * 60) }
      try await phone.put("quiet", at: 90, ",\"inbox\":false")
      #expect(try await phone.sync().unread == 0)
      #expect(try await phone.items() == [])
      server.clock.advance(seconds: 300)
      let answer = try await phone.sync()
      #expect(answer.unread == 4)
      #expect(try await phone.items() == ["n.3", "n.2", "n.1", "n.0"])
      let inbox = try await phone.inbox("?limit=1")
      let newest = try #require(inbox["items"]?.array?.first)
      #expect(newest["title"]?.string == "T n.3" && newest["body"]?.string == "B")
      #expect(newest["userInfo"]?.isNull == true && newest["snoozedUntil"]?.isNull == true)
      #expect(newest["at"]?.string == Reports.time(240) && newest["outcome"]?.string == "missed")
      #expect(
        newest["unread"]?.bool == true && newest["seen"]?.bool == false && newest["archived"]?.bool == false)
      let oldest = try await phone.inbox()["items"]?.array?.last
      #expect(oldest?["outcome"]?.string == "inferredDelivered")
      // Once, however often the device reports.
      #expect(try await phone.sync().unread == 4)
    }
  }

  /// What a device says later corrects the outcome, and makes no second item.
  @Test func anOutcomeIsCorrected() async throws {
    try await TestServer.withTenant { server, tenant in
      let phone = InboxPhone(server, tenant)
      try await phone.put("a", at: 60)
      try await phone.sync()
      server.clock.advance(seconds: 120)
      try await phone.sync()
      #expect(try await phone.inbox()["items"]?.array?.first?["outcome"]?.string == "inferredDelivered")
      let tap =
        ",\"events\":[{\"id\":\"t\",\"kind\":\"tapped\",\"notification\":\"a\",\"at\":\"\(Reports.time(90))\"}]"
      try await phone.sync(tap)
      let items = try await phone.inbox()["items"]?.array
      #expect(items?.count == 1 && items?.first?["outcome"]?.string == "delivered")
      // A tap reads nothing: the app says what was read.
      #expect(items?.first?["unread"]?.bool == true)
    }
  }

  /// Part of field case 18: nothing is held, the inbox works, and permission brings the plan back by itself.
  @Test func deniedIsAFirstClassPath() async throws {
    try await TestServer.withTenant { server, tenant in
      let phone = InboxPhone(server, tenant)
      phone.status = "denied"
      for index in 0..<3 { try await phone.put("n.\(index)", at: Int64(index + 1) * 600) }
      let first = try await phone.sync()
      #expect(first["slots"]?["held"]?.int == 0 && first.added == [])
      #expect(first["priming"]?["step"]?.string == "none" && first["priming"]?["reason"]?.string == "denied")
      let plan = try await phone.client.send("GET", Reports.path(phone.id, "/plan")).json
      #expect(plan["withheld"]?.array?.count == 3 && plan["inbox"]?["unread"]?.int == 0)
      server.clock.advance(seconds: 1200)
      #expect(try await phone.sync().unread == 2)
      let items = try await phone.inbox()["items"]?.array ?? []
      #expect(items.map { $0["outcome"]?.string } == ["suppressed", "suppressed"])
      #expect(try await phone.mark("read", "{\"ids\":[\"\(items[0]["id"]?.string ?? "")\"]}") == 1)
      let queue = try await phone.client.send("GET", Reports.path(phone.id, "/notifications")).json
      #expect(queue["items"]?.array?.count == 3)
      let link = try await phone.client.send(
        "POST", Reports.path(phone.id, "/priming"), body: "{\"context\":\"featureDegraded\"}")
      #expect(link.json["step"]?.string == "openSettings")
      phone.status = "authorized"
      let again = try await phone.sync()
      #expect(again.added == ["n.2"] && again.unread == 1)
    }
  }

  /// Field case 45: badges 3, 4, 5 on top of two unread; they follow a cancel and a mark.
  @Test func fieldCase45() async throws {
    try await TestServer.withTenant { server, tenant in
      let phone = InboxPhone(server, tenant)
      for index in 0..<2 { try await phone.put("old.\(index)", at: Int64(index + 1) * 60) }
      try await phone.sync()
      server.clock.advance(seconds: 130)
      #expect(try await phone.sync().unread == 2)
      for index in 1...3 { try await phone.put("n\(index)", at: Int64(index) * 3600, content: "\"badge\":1") }
      try await phone.sync()
      #expect(phone.badges == [3, 4, 5])
      _ = try await phone.client.send("DELETE", Reports.path(phone.id, "/notifications/n1"))
      let diff = try await phone.sync()
      #expect(diff.removed == ["n1"] && Set(diff.added) == ["n2", "n3"])
      #expect(phone.badges == [3, 4])
      #expect(try await phone.mark("read", "{\"before\":\"\(Reports.time(1000))\"}") == 0)
      try await phone.sync()
      #expect(phone.badges == [1, 2])
      // One fires unread: the next one's number stands, and nothing is added again.
      server.clock.move(to: Reports.start.adding(seconds: 2 * 3600 + 1))
      let after = try await phone.sync()
      #expect(after.unread == 1 && after.added == [] && phone.badges == [2])
    }
  }

  /// Field case 45's other half: 62 are scheduled, cancelled and scheduled again.
  @Test func schedulingAgainBeginsAtOne() async throws {
    try await TestServer.withTenant { server, tenant in
      let phone = InboxPhone(server, tenant)
      func put(_ round: Int) async throws {
        let operations = (0..<62).map { index in
          """
          {"id":"r\(round).\(index)","content":{"badge":1,"title":"x"},
           "trigger":{"kind":"instant","at":"\(Reports.time(Int64(index + 1) * 600))"}}
          """
        }
        let answer = try await phone.client.send(
          "POST", "/v1/notifications", body: Reports.batch(phone.id, operations))
        #expect(answer.status == 200)
      }
      try await put(1)
      try await phone.sync()
      #expect(phone.badges == Array(1...62))
      let ids = (0..<62).map { "\"r1.\($0)\"" }.joined(separator: ",")
      try await phone.sync(",\"cancel\":[\(ids)]")
      #expect(phone.badges == [])
      try await put(2)
      try await phone.sync()
      #expect(phone.badges == Array(1...62))
    }
  }

  /// What the tenant cancels, or puts anew, after its time: it was announced, with the content it had, though no report
  /// has come since.
  @Test(arguments: ["authorized", "denied"])
  func whatLeavesTheQueueAfterItsTimeIsStillThere(_ status: String) async throws {
    try await TestServer.withTenant { server, tenant in
      let phone = InboxPhone(server, tenant)
      phone.status = status
      for (index, id) in ["gone", "again", "early"].enumerated() {
        try await phone.put(id, at: Int64(index + 1) * 60)
      }
      try await phone.sync()
      // Nobody has looked since it was put.
      try await phone.put("late", at: 90)
      server.clock.advance(seconds: 150)
      try await phone.put("again", at: 7200, content: "\"subtitle\":\"new\"")
      let ids = ["gone", "late", "early"].map {
        "{\"op\":\"cancel\",\"deviceId\":\"\(phone.id)\",\"id\":\"\($0)\"}"
      }
      let batch = "{\"operations\":[\(ids.joined(separator: ","))]}"
      #expect(try await phone.client.send("POST", "/v1/notifications", body: batch).status == 200)
      server.clock.advance(seconds: 60)
      #expect(try await phone.sync().unread == 3)
      #expect(try await phone.items() == ["again", "late", "gone"])
      #expect(try await phone.inbox()["items"]?.array?.first?["at"]?.string == Reports.time(120))
      server.clock.move(to: Reports.start.adding(seconds: 7201))
      #expect(try await phone.sync().unread == 4)
      #expect(try await phone.items() == ["again", "again", "late", "gone"])
    }
  }

  @Test func aSnoozeEndsByItself() async throws {
    try await TestServer.withTenant { server, tenant in
      let phone = InboxPhone(server, tenant)
      try await phone.put("a", at: 60)
      try await phone.sync()
      server.clock.advance(seconds: 100)
      try await phone.sync()
      let id = try #require(try await phone.itemIDs().first)
      let until = server.clock.now.adding(seconds: 1000)
      #expect(try await phone.mark("snooze", "{\"ids\":[\"\(id)\"],\"until\":\"\(until)\"}") == 0)
      #expect(try await phone.sync().unread == 0)
      #expect(try await phone.sync().unread == 0)
      #expect(try await phone.items() == [])
      #expect(try await phone.items("?state=snoozed") == ["a"])
      server.clock.advance(seconds: 1001)
      #expect(try await phone.sync().unread == 1)
      #expect(try await phone.items() == ["a"])
    }
  }

  /// What is too many by a lowered limit leaves with the next item; until then every answer counts alike.
  @Test func aLoweredLimitLeavesOneNumber() async throws {
    try await TestServer.withTenant { server, tenant in
      let phone = InboxPhone(server, tenant)
      func numbers() async throws -> [Int?] {
        let plan = try await phone.client.send("GET", Reports.path(phone.id, "/plan")).json
        let inbox = try await phone.client.send("GET", Reports.path(phone.id, "/inbox")).json
        return [try await phone.sync().unread, plan["inbox"]?["unread"]?.int, inbox["unread"]?.int]
      }
      for index in 1...6 { try await phone.put("n\(index)", at: Int64(index) * 60) }
      try await phone.sync()
      server.clock.advance(seconds: 400)
      #expect(try await phone.sync().unread == 6)
      _ = try await server.database.column("UPDATE carillon.tenants SET inbox_items = 2 RETURNING name")
      #expect(try await numbers() == [6, 6, 6])
      try await phone.put("n7", at: 1_000)
      #expect(try await numbers() == [6, 6, 6])
      server.clock.advance(seconds: 700)
      #expect(try await phone.sync().unread == 2)
      #expect(try await numbers() == [2, 2, 2])
    }
  }

  /// Quiet hours that send to the inbox do so silently; what a cap has moved comes when it comes.
  @Test func quietHoursMayLeadToTheInbox() async throws {
    let policy = """
      {"types":[{"name":"news","prefixes":["news"],"priority":2,"quietHours":"inbox"}],
       "quietHours":{"windows":[{"from":"00:00","to":"12:00"}]}}
      """
    try await TestServer.withTenant(policy: policy) { server, tenant in
      let phone = InboxPhone(server, tenant)
      try await phone.put("news.1", at: 60)
      let answer = try await phone.sync()
      #expect(answer["slots"]?["held"]?.int == 0)
      server.clock.advance(seconds: 120)
      #expect(try await phone.sync().unread == 1)
      #expect(try await phone.items() == ["news.1"])
    }
  }

  @Test func pagesAreLinked() async throws {
    try await TestServer.withTenant { server, tenant in
      let phone = InboxPhone(server, tenant)
      for index in 0..<7 { try await phone.put("n.\(index)", at: Int64(index + 1) * 60) }
      try await phone.sync()
      server.clock.advance(seconds: 600)
      try await phone.sync()
      var (seen, target) = ([String](), Reports.path(phone.id, "/inbox?limit=3&state=unread"))
      while !target.isEmpty {
        let answer = try await phone.client.send("GET", target)
        seen += answer.json["items"]?.array?.compactMap { $0["notification"]?.string } ?? []
        let link = answer.header("Link") ?? ""
        #expect(link.isEmpty == (answer.json["nextCursor"]?.isNull == true))
        #expect(link.isEmpty || link.contains("state=unread"))
        target = link.split(separator: ">").first.map { String($0.dropFirst()) } ?? ""
      }
      #expect(seen == (0..<7).reversed().map { "n.\($0)" })
    }
  }

  @Test(arguments: [
    ("read", "{}", 422), ("read", "{\"ids\":[\"nonsense\"]}", 422),
    ("read", "{\"ids\":[],\"before\":\"2026-01-01T00:00:00Z\"}", 422),
    ("read", "{\"before\":\"2026-01-01\"}", 422), ("read", "{\"ids\":[1]}", 400),
    ("read", "{\"id\":[]}", 422),
    ("snooze", "{\"ids\":[]}", 422), ("seen", "{\"ids\":[],\"until\":null}", 422),
    ("read", "{\"ids\":[]}", 200),
    ("snooze", "{\"ids\":[],\"until\":null}", 200), ("forget", "{\"ids\":[]}", 404),
  ])
  func aMarkIsChecked(_ mark: String, _ body: String, _ status: Int) async throws {
    try await TestServer.withTenant { server, tenant in
      let phone = InboxPhone(server, tenant)
      let nobody = try await phone.client.send(
        "POST", Reports.path(phone.id, "/inbox/read"), body: "{\"ids\":[]}")
      #expect(nobody.status == 404)
      try await phone.sync()
      let answer = try await phone.client.send("POST", Reports.path(phone.id, "/inbox/\(mark)"), body: body)
      #expect(answer.status == status, "\(answer)")
      let list = try await phone.client.send("GET", Reports.path(phone.id, "/inbox?state=lost"))
      #expect(list.status == 400 && list.json["code"]?.string == "invalidParameter")
    }
  }
}
