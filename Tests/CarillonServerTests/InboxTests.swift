import CarillonAPI
import CarillonJSON
import CarillonModel
import IntegrationSupport
import Testing

/// One device over HTTP, which holds what it is told to and reports it.
private final class Phone {
  let server: TestServer
  let client: HTTPTestClient
  let id: String
  var user: String?
  var status = "authorized"
  var badge = "enabled"
  private(set) var held: [String: JSONValue] = [:]
  private var sequence = 0
  private(set) var planVersion = 0

  init(_ server: TestServer, _ tenant: TestTenant, user: String? = nil) {
    self.server = server
    client = server.client(tenant)
    id = Reports.newDevice()
    self.user = user
  }

  /// Reports, holds what the answer says, drops what has fired, and answers the answer.
  @discardableResult
  func sync(_ extra: String = "") async throws -> JSONValue {
    sequence += 1
    let now = server.clock.now
    held = held.filter { entry in
      entry.value["fireAt"]?.string.flatMap { Instant($0) }.map { $0 > now } ?? true
    }
    let pending = held.map { "{\"id\":\"\($0.key)\",\"revision\":\"\($0.value["revision"]?.string ?? "")\"}" }
    let userId = user.map { ",\"userId\":\"\($0)\"" } ?? ""
    let body = """
      {"sequence":\(sequence),"sentAt":"\(now)","planVersion":\(planVersion),
       "device":{"timeZone":"Europe/Madrid"\(userId)},"authorizationStatus":"\(status)",
       "settings":{"alert":"enabled","sound":"enabled","badge":"\(badge)","lockScreen":"enabled",
                   "notificationCenter":"enabled"},
       "pending":[\(pending.sorted().joined(separator: ","))]\(extra)}
      """
    let answer = try await client.send("POST", Reports.path(id), body: body)
    try #require(answer.status == 200, "\(answer)")
    let json = answer.json
    planVersion = json["planVersion"]?.int ?? 0
    for id in json.removed { held[id] = nil }
    for item in json["diff"]?["add"]?.array ?? [] { held[item["id"]?.string ?? ""] = item }
    return json
  }

  func put(_ id: String, at seconds: Int64, _ more: String = "", content: String = "\"sound\":\"default\"")
    async throws
  {
    let body = """
      {"id":"\(id)","content":{"title":"T \(id)","body":"B",\(content)},
       "trigger":{"kind":"instant","at":"\(Reports.time(seconds))"}\(more)}
      """
    let answer = try await client.send("PUT", Reports.path(self.id, "/notifications/\(id)"), body: body)
    try #require([200, 201].contains(answer.status), "\(answer)")
  }

  func inbox(_ query: String = "") async throws -> JSONValue {
    let answer = try await client.send("GET", Reports.path(id, "/inbox\(query)"))
    try #require(answer.status == 200, "\(answer)")
    return answer.json
  }

  /// The notifications' ids, newest first.
  func items(_ query: String = "") async throws -> [String] {
    try await inbox(query)["items"]?.array?.compactMap { $0["notification"]?.string } ?? []
  }

  func itemIDs() async throws -> [String] {
    try await inbox()["items"]?.array?.compactMap { $0["id"]?.string } ?? []
  }

  func mark(_ mark: String, _ body: String) async throws -> Int? {
    let answer = try await client.send("POST", Reports.path(id, "/inbox/\(mark)"), body: body)
    try #require(answer.status == 200, "\(answer)")
    return answer.json["unread"]?.int
  }

  /// Badges of what is held, in the order of fire.
  var badges: [Int?] {
    held.values.sorted { ($0["fireAt"]?.string ?? "") < ($1["fireAt"]?.string ?? "") }
      .map { $0["content"]?["badge"]?.int }
  }
}

extension JSONValue {
  fileprivate var unread: Int? { self["inbox"]?["unread"]?.int }
}

@Suite struct InboxTests {
  private func withTenant<R: Sendable>(
    policy: String? = nil, _ body: (TestServer, TestTenant) async throws -> R
  ) async throws -> R {
    try await TestServer.with { server in
      let tenant = try await server.makeTenant()
      if let policy {
        let answer = try await server.client(tenant).send("PUT", "/v1/policy", body: policy)
        try #require(answer.status == 200, "\(answer)")
      }
      return try await body(server, tenant)
    }
  }

  @Test func whatCameDueIsThereWhateverBecameOfIt() async throws {
    try await withTenant(policy: "{\"slots\":2}") { server, tenant in
      let phone = Phone(server, tenant)
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
    try await withTenant { server, tenant in
      let phone = Phone(server, tenant)
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
    try await withTenant { server, tenant in
      let phone = Phone(server, tenant)
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
    try await withTenant { server, tenant in
      let phone = Phone(server, tenant)
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
    try await withTenant { server, tenant in
      let phone = Phone(server, tenant)
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

  /// Field case 43, without the push: what is read on one device changes the other's number at its next sync, also
  /// when that one's report says nothing new.
  @Test func fieldCase43() async throws {
    try await withTenant { server, tenant in
      let (phone, tablet) = (Phone(server, tenant, user: "u"), Phone(server, tenant, user: "u"))
      for device in [phone, tablet] { try await device.sync() }
      for index in 0..<3 {
        for device in [phone, tablet] { try await device.put("m\(index)", at: Int64(index + 1) * 60) }
      }
      for device in [phone, tablet] { try await device.put("next", at: 7200, content: "\"badge\":1") }
      for device in [phone, tablet] { try await device.sync() }
      server.clock.advance(seconds: 600)
      // An occurrence on both is one item.
      #expect(try await phone.sync().unread == 3)
      #expect(try await tablet.sync().unread == 3)
      #expect(try await tablet.items() == ["m2", "m1", "m0"])
      for device in [phone, tablet] { while try await !device.sync().added.isEmpty {} }
      let steady = try await phone.sync()
      #expect(steady.unread == 3 && steady.added == [] && phone.badges == [4])
      let two = try await tablet.itemIDs().prefix(2).map { "\"\($0)\"" }.joined(separator: ",")
      #expect(try await tablet.mark("read", "{\"ids\":[\(two)]}") == 1)
      let after = try await phone.sync()
      #expect(after.unread == 1 && after.added == ["next"] && phone.badges == [2])
      // Opening the app without reading changes nothing.
      #expect(try await phone.sync().unread == 1)
    }
  }

  /// A notification on one device of a user alone changes what the other one is told.
  @Test func anItemOfOneDeviceIsToldToTheOther() async throws {
    try await withTenant { server, tenant in
      let (phone, tablet) = (Phone(server, tenant, user: "u"), Phone(server, tenant, user: "u"))
      try await phone.put("only", at: 60)
      for device in [phone, tablet] {
        try await device.sync()
        try await device.sync()
      }
      server.clock.advance(seconds: 120)
      #expect(try await tablet.sync().unread == 0)
      #expect(try await phone.sync().unread == 1)
      #expect(try await tablet.sync().unread == 1)
    }
  }

  @Test func aSecondUserSeesNothingOfTheFirst() async throws {
    try await withTenant { server, tenant in
      let phone = Phone(server, tenant)
      try await phone.put("before", at: 60)
      try await phone.put("hers", at: 180)
      try await phone.sync()
      server.clock.advance(seconds: 120)
      try await phone.sync()
      phone.user = "ann"
      #expect(try await phone.sync().unread == 1)
      #expect(try await phone.items() == ["before"])
      server.clock.advance(seconds: 120)
      // What came due before the switch is hers, though his report brings it.
      phone.user = "bob"
      #expect(try await phone.sync().unread == 0)
      #expect(try await phone.items("?state=all") == [])
      let tablet = Phone(server, tenant, user: "ann")
      #expect(try await tablet.sync().unread == 2)
      #expect(try await tablet.items() == ["hers", "before"])
    }
  }

  @Test func aSnoozeEndsByItself() async throws {
    try await withTenant { server, tenant in
      let phone = Phone(server, tenant)
      try await phone.put("a", at: 60)
      try await phone.sync()
      server.clock.advance(seconds: 100)
      try await phone.sync()
      let id = try #require(try await phone.itemIDs().first)
      let until = server.clock.now.adding(seconds: 1000)
      #expect(try await phone.mark("snooze", "{\"ids\":[\"\(id)\"],\"until\":\"\(until)\"}") == 0)
      #expect(try await phone.sync().unread == 0)
      #expect(try await phone.sync().unread == 0)
      #expect(try await phone.items() == [] && phone.items("?state=snoozed") == ["a"])
      server.clock.advance(seconds: 1001)
      #expect(try await phone.sync().unread == 1)
      #expect(try await phone.items() == ["a"])
    }
  }

  /// Quiet hours that send to the inbox do so silently; what a cap has moved comes when it comes.
  @Test func quietHoursMayLeadToTheInbox() async throws {
    let policy = """
      {"types":[{"name":"news","prefixes":["news"],"priority":2,"quietHours":"inbox"}],
       "quietHours":{"windows":[{"allDay":true}]}}
      """
    try await withTenant(policy: policy) { server, tenant in
      let phone = Phone(server, tenant)
      try await phone.put("news.1", at: 60)
      let answer = try await phone.sync()
      #expect(answer["slots"]?["held"]?.int == 0)
      server.clock.advance(seconds: 120)
      #expect(try await phone.sync().unread == 1)
      #expect(try await phone.items() == ["news.1"])
    }
  }

  @Test func pagesAreLinked() async throws {
    try await withTenant { server, tenant in
      let phone = Phone(server, tenant)
      for index in 0..<7 { try await phone.put("n.\(index)", at: Int64(index + 1) * 60) }
      try await phone.sync()
      server.clock.advance(seconds: 600)
      try await phone.sync()
      var (seen, target) = ([String](), Reports.path(phone.id, "/inbox?limit=3&state=unread"))
      while !target.isEmpty {
        let answer = try await phone.client.send("GET", target)
        seen += answer.json["items"]?.array?.compactMap { $0["notification"]?.string } ?? []
        let link = answer.headers["Link"] ?? ""
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
    try await withTenant { server, tenant in
      let phone = Phone(server, tenant)
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

  /// Two devices of a user that report, and a web page that marks, all at once: nobody waits for ever, and in the end
  /// everybody is told the same.
  @Test func manyAtOnceComeToAgree() async throws {
    try await withTenant { server, tenant in
      let devices = (0..<4).map { _ in Phone(server, tenant, user: "u") }
      for (index, device) in devices.enumerated() {
        for number in 0..<5 { try await device.put("d\(index).\(number)", at: Int64(number + 1) * 60) }
        try await device.sync()
      }
      server.clock.advance(seconds: 600)
      let paths = devices.map(\.id)
      let client = server.client(tenant)
      try await withThrowingTaskGroup(of: Int.self) { group in
        for path in paths {
          for sequence in 10..<16 {
            group.addTask {
              let body = "{\"sequence\":\(sequence),\"pending\":[]}"
              return try await client.send("POST", Reports.path(path), body: body).status
            }
            group.addTask {
              let body = "{\"before\":\"\(Reports.time(Int64(sequence - 9) * 60))\"}"
              return try await client.send("POST", Reports.path(path, "/inbox/read"), body: body).status
            }
          }
        }
        for try await status in group { #expect(status == 200) }
      }
      let left = try await client.send(
        "POST", Reports.path(paths[0], "/inbox/read"), body: "{\"before\":\"\(Reports.time(181))\"}")
      #expect(left.json["unread"]?.int != nil)
      for path in paths {
        let answer = try await client.send(
          "POST", Reports.path(path), body: "{\"sequence\":99,\"pending\":[]}")
        #expect(answer.json.unread == left.json["unread"]?.int)
      }
      let items = try await client.send("GET", Reports.path(paths[0], "/inbox?state=all&limit=200"))
      #expect(items.json["items"]?.array?.count == 20)
    }
  }
}
