import CarillonJSON
import CarillonModel
import CarillonStore
import IntegrationSupport
import Testing

/// Field case 21's kind: after an account switch without a clean logout the new user sees nothing of the old one's, not
/// in the plan, the diff, lists, explanations or the inbox.
@Suite struct OwnershipTests {
  private func ids(_ phone: InboxPhone) async throws -> [String] {
    let answer = try await phone.client.send("GET", Reports.path(phone.id, "/notifications?limit=200"))
    return answer.json["items"]?.array?.compactMap { $0["id"]?.string } ?? []
  }

  private func planned(_ phone: InboxPhone) async throws -> [String] {
    let plan = try await phone.client.send("GET", Reports.path(phone.id, "/plan")).json
    return ["held", "queued", "withheld", "expired"].flatMap { part in
      plan[part]?.array?.compactMap { $0["id"]?.string } ?? []
    }.sorted()
  }

  private func explained(_ phone: InboxPhone, _ id: String) async throws -> String? {
    let path = Reports.path(phone.id, "/plan/explain?notification=\(id)")
    return try await phone.client.send("GET", path).json["state"]?.string
  }

  private func shown(_ phone: InboxPhone, _ id: String) async throws -> Int {
    try await phone.client.send("GET", Reports.path(phone.id, "/notifications/\(id)")).status
  }

  /// A phone on which ann has `hers`, and nobody `any`, an hour ahead and held.
  private func withPhone(_ body: (TestServer, TestTenant, InboxPhone) async throws -> Void) async throws {
    try await TestServer.withTenant { server, tenant in
      let phone = InboxPhone(server, tenant)
      try await phone.put("any", at: 3_600)
      try await phone.sync()
      phone.user = "ann"
      try await phone.sync()
      try await phone.put("hers", at: 3_600)
      try await phone.sync()
      #expect(phone.held.keys.sorted() == ["any", "hers"])
      try await body(server, tenant, phone)
    }
  }

  private func expectNothingOfAnn(_ phone: InboxPhone) async throws {
    #expect(phone.held.keys.sorted() == ["any"])
    #expect(try await ids(phone) == ["any"])
    #expect(try await planned(phone) == ["any"])
    #expect(try await explained(phone, "hers") == "unknown")
    #expect(try await shown(phone, "hers") == 404)
  }

  @Test func whoSignsOutAndInAgainHasItsOwnBack() async throws {
    try await withPhone { _, _, phone in
      phone.user = ""
      #expect(try await phone.sync().removed == ["hers"])
      try await expectNothingOfAnn(phone)
      phone.user = "ann"
      #expect(try await phone.sync().added == ["hers"])
      #expect(try await ids(phone) == ["any", "hers"])
      #expect(try await explained(phone, "hers") == "held")
      #expect(try await shown(phone, "hers") == 200)
    }
  }

  /// With or without signing out in between.
  @Test(arguments: [true, false]) func theNextUserSeesNothingAndTheOldOneStartsAnew(_ signsOut: Bool)
    async throws
  {
    try await withPhone { server, _, phone in
      if signsOut {
        phone.user = ""
        try await phone.sync()
      }
      phone.user = "bob"
      #expect(try await phone.sync().removed == (signsOut ? [] : ["hers"]))
      try await expectNothingOfAnn(phone)
      #expect(
        try await server.database.column("SELECT notification_id FROM carillon.notifications") == ["any"])
      phone.user = "ann"
      try await phone.sync()
      try await expectNothingOfAnn(phone)
    }
  }

  /// Of two puts under one id that of who is there stands; what a report puts while it names a new user is his.
  @Test func aPutReplacesWhatSleepsAndIsTheNewUsers() async throws {
    try await withPhone { server, _, phone in
      phone.user = ""
      try await phone.sync()
      try await phone.put("hers", at: 7_200)
      #expect(try await phone.sync().added == ["hers"])
      phone.user = "bob"
      let put =
        "{\"id\":\"his\",\"content\":{\"title\":\"T\"},\"trigger\":{\"kind\":\"instant\",\"at\":\"\(Reports.time(9_000))\"}}"
      #expect(try await phone.sync(",\"put\":[\(put)]").added == ["his"])
      #expect(try await ids(phone) == ["any", "hers", "his"])
      let owners = try await server.database.column(
        "SELECT notification_id || ' ' || coalesce(user_id, '-') FROM carillon.notifications ORDER BY 1")
      #expect(owners == ["any -", "hers -", "his bob"])
    }
  }

  /// A cancel reaches what sleeps, as a put does: what was taken back must not ring when its user is back.
  @Test(arguments: [true, false]) func whatSleepsCanBeCancelled(_ byBatch: Bool) async throws {
    try await withPhone { _, _, phone in
      phone.user = ""
      try await phone.sync()
      #expect(try await shown(phone, "hers") == 404)
      let path = Reports.path(phone.id, "/notifications/hers")
      if byBatch {
        let batch = "{\"operations\":[{\"op\":\"cancel\",\"deviceId\":\"\(phone.id)\",\"id\":\"hers\"}]}"
        let answer = try await phone.client.send("POST", "/v1/notifications", body: batch)
        #expect(answer.json["results"]?.array?.first?["status"]?.string == "cancelled")
      } else {
        #expect(try await phone.client.send("DELETE", path).status == 204)
      }
      #expect(try await phone.client.send("DELETE", path).status == 404)
      phone.user = "ann"
      #expect(try await phone.sync().added == [])
      #expect(try await ids(phone) == ["any"])
    }
  }

  /// Ann's rings while the phone is offline, and she taps it; bob's report brings it.
  @Test func whatCameDueBeforeIsHersAndItsTapToo() async throws {
    try await withPhone { server, tenant, phone in
      server.clock.advance(seconds: 4_000)
      phone.user = "bob"
      let tap =
        "{\"id\":\"e1\",\"kind\":\"tapped\",\"notification\":\"hers\",\"at\":\"\(Reports.time(3_700))\"}"
      #expect(try await phone.sync(",\"events\":[\(tap)]").unread == 0)
      #expect(try await phone.items("?state=all") == [])
      let tablet = InboxPhone(server, tenant, user: "ann")
      #expect(try await tablet.sync().unread == 2)
      #expect(try await tablet.items() == ["hers", "any"])
      let outcomes = try await tablet.inbox()["items"]?.array?.compactMap { $0["outcome"]?.string }
      #expect(outcomes == ["delivered", "inferredDelivered"])
      // A tap that comes still later changes nothing of bob's.
      let late = tap.replacing("e1", with: "e2").replacing("\"hers\"", with: "\"any\"")
      #expect(try await phone.sync(",\"events\":[\(late)]").unread == 0)
      #expect(try await phone.items("?state=all") == [])
    }
  }

  /// By user: what is put for ann reaches the phones on which she is.
  @Test func aBatchForAUserIsThatUsers() async throws {
    try await withPhone { server, _, phone in
      let put =
        "{\"id\":\"batch\",\"content\":{\"title\":\"T\"},\"trigger\":{\"kind\":\"instant\",\"at\":\"\(Reports.time(9_000))\"}}"
      let body = "{\"operations\":[{\"op\":\"put\",\"userId\":\"ann\",\"notification\":\(put)}]}"
      #expect(try await phone.client.send("POST", "/v1/notifications", body: body).status == 200)
      #expect(try await phone.sync().added == ["batch"])
      phone.user = "bob"
      #expect(try await phone.sync().removed.sorted() == ["batch", "hers"])
      let again = try await phone.client.send("POST", "/v1/notifications", body: body)
      #expect(again.json["results"]?.array?.first?["problem"]?["code"] == "userNotFound")
      #expect(
        try await server.database.column("SELECT notification_id FROM carillon.notifications") == ["any"])
    }
  }

  private func listed(_ client: HTTPTestClient, _ phone: InboxPhone) async throws -> [String] {
    let answer = try await client.send("GET", Reports.path(phone.id, "/deliveries"))
    return answer.json["items"]?.array?.compactMap { $0["notification"]?.string } ?? []
  }

  /// Ids tell much: what became of ann's is hers, with a key of the tenant; a phone's token reaches no list of it; an
  /// operator sees all.
  @Test(arguments: ["bob", ""]) func deliveriesAreTheirUsers(_ next: String) async throws {
    try await withPhone { server, tenant, phone in
      server.clock.advance(seconds: 4_000)
      let client = phone.client
      let token = try await server.client(tenant, device: phone.id)
      try await phone.sync()
      #expect(try await listed(client, phone).sorted() == ["any", "hers"])
      phone.user = next
      try await phone.sync()
      #expect(try await listed(client, phone) == ["any"])
      for list in ["/deliveries", "/history"] {
        #expect(try await token.send("GET", Reports.path(phone.id, list)).status == 403)
      }
      let device = try #require(DeviceID(phone.id))
      let all = try await withOperator(server.database.conninfo(.operator)) { store in
        try await store.deliveries(tenant: tenant.id, device: device, before: nil, limit: 9)
      }
      #expect(all.map(\.notification.text).sorted() == ["any", "hers"])
      phone.user = "ann"
      try await phone.sync()
      #expect(try await listed(client, phone).sorted() == ["any", "hers"])
    }
  }

  /// The answer that took ann's away was lost, and hers rang while nobody, or bob, was there.
  @Test(arguments: ["bob", ""]) func whatRangByAnOlderPlanIsItsUsers(_ next: String) async throws {
    try await withPhone { server, tenant, phone in
      let client = phone.client
      func report(_ sequence: Int, _ pending: String) async throws {
        let body = """
          {"sequence":\(sequence),"planVersion":\(phone.planVersion),"device":{"userId":"\(next)"},
           "pending":[\(pending)]}
          """
        let answer = try await client.send("POST", Reports.path(phone.id), body: body)
        #expect(answer.status == 200, "\(answer)")
      }
      let pending = phone.held.map {
        "{\"id\":\"\($0.key)\",\"revision\":\"\($0.value["revision"]?.string ?? "")\"}"
      }
      try await report(50, pending.sorted().joined(separator: ","))
      server.clock.advance(seconds: 4_000)
      try await report(51, "")
      #expect(try await listed(client, phone) == ["any"])
      let rows = "SELECT notification_id FROM carillon.deliveries ORDER BY 1"
      #expect(try await server.database.column(rows) == ["any", "hers"])
    }
  }

  /// What a report put is in the history of who was there.
  @Test func editsAreTheirUsers() async throws {
    try await withPhone { server, tenant, phone in
      func edits() async throws -> [String] {
        let answer = try await phone.client.send("GET", Reports.path(phone.id, "/history"))
        return answer.json["items"]?.array?.flatMap { item in
          (item["puts"]?.array ?? []).map { "+\($0.string ?? "")" }
            + (item["cancels"]?.array ?? []).map { "-\($0.string ?? "")" }
        } ?? []
      }
      try await phone.sync(",\"put\":[\(TruthfulDevice.put("own", at: 9_000))],\"cancel\":[\"gone\"]")
      #expect(try await edits() == ["+own", "-gone"])
      phone.user = "bob"
      try await phone.sync()
      #expect(try await edits() == [])
      let device = try #require(DeviceID(phone.id))
      let all = try await withOperator(server.database.conninfo(.operator)) { store in
        try await store.changes(tenant: tenant.id, device: device, before: nil, limit: 9)
      }
      #expect(all.flatMap(\.edits.puts) == ["own"])
      phone.user = "ann"
      try await phone.sync()
      #expect(try await edits() == ["+own", "-gone"])
    }
  }
}
