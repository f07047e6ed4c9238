import CarillonJSON
import CarillonModel
import IntegrationSupport
import Testing

/// `DELETE /v1/devices/{deviceId}`: afterwards nothing anywhere tells of the device.
@Suite struct EraseTests {
  /// What is known of the device that goes, each word its own.
  private let marks = [
    "Confidential title", "confidential.id", "phone-of-the-erased", "user-of-the-erased", "beadfacade0123",
    "en_CONFIDENTIAL", "action.confidential", "group.confidential",
  ]

  private func report(_ sequence: Int, key: String, user: String, token: String, extra: String = "") -> String
  {
    """
    {"sequence":\(sequence),"device":{"platform":"iOS","timeZone":"Europe/Istanbul","locale":"\(user == "user-of-the-erased" ? "en_CONFIDENTIAL" : "en_US")",
      "deviceKey":"\(key)","userId":"\(user)","cohort":"2026-W48","bundleId":"com.example.app",
      "push":{"token":"\(token)","environment":"production"}},
     "authorizationStatus":"authorized","settings":{"alert":"enabled","sound":"enabled","lockScreen":"enabled",
     "notificationCenter":"enabled"},"foreign":{"count":0,"regions":0}\(extra)}
    """
  }

  private func notification(_ id: String, inHours hours: Int) -> String {
    """
    {"id":"\(id)","content":{"title":"Confidential title","body":"It is time.","threadIdentifier":"group.confidential"},
     "group":"group.confidential","inbox":true,"trigger":{"kind":"instant","at":"\(Reports.time(Int64(hours) * 3_600))"}}
    """
  }

  /// Every column of every row of every table, as text, with the table's name before it.
  private func everything(in server: TestServer) async throws -> [String] {
    let tables = try await server.database.column(
      "SELECT relname::text FROM pg_class WHERE relnamespace = 'carillon'::regnamespace AND relkind IN ('r', 'p')"
    )
    #expect(tables.count >= 18)
    var rows: [String] = []
    for table in tables.compactMap(\.self) {
      rows += try await server.database.column("SELECT '\(table) ' || t::text FROM carillon.\(table) AS t")
        .compactMap(\.self)
    }
    return rows
  }

  /// Where a word stands in the rows: as text, or in the bytes that PostgreSQL shows as hexadecimal digits.
  private func places(of word: String, in rows: [String]) -> [String] {
    let digits = word.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    return rows.filter { $0.lowercased().contains(word.lowercased()) || $0.contains(digits) }
      .map { String($0.prefix { $0 != " " }) }
  }

  @Test func nothingTellsOfAnErasedDevice() async throws {
    try await TestServer.with { server in
      let tenant = try await server.makeTenant()
      let client = server.client(tenant)
      // The phone's installation before, which the one that goes has followed; and a copy of that one.
      let (before, device, witness) = (Reports.newDevice(), Reports.newDevice(), Reports.newDevice())
      func sync(_ id: String, _ body: String) async throws -> JSONValue {
        let answer = try await client.send("POST", Reports.path(id), body: body)
        try #require(answer.status == 200, "\(answer)")
        return answer.json
      }
      _ = try await sync(
        before, report(1, key: "phone-of-the-erased", user: "user-of-the-erased", token: "aa"))
      let first = try await sync(
        device,
        report(
          1, key: "phone-of-the-erased", user: "user-of-the-erased", token: "beadfacade0123",
          extra: ",\"pending\":[],\"put\":[\(notification("confidential.id", inHours: 1)),"
            + "\(notification("confidential.id.2", inHours: 48))]"))
      #expect(first.added.count == 2)
      let copy = try await sync(device, report(1, key: "another phone", user: "u2", token: "bb"))
      let copied = try #require(copy["deviceId"]?.string)
      _ = try await sync(
        witness,
        report(
          1, key: "a third phone", user: "u3", token: "cc",
          extra: ",\"put\":[\(Reports.notification("stays", inHours: 9))]"))
      _ = try await client.send(
        "POST", Reports.path(device, "/priming"), body: "{\"action\":\"action.confidential\"}")
      server.clock.advance(seconds: 2 * 3_600)
      _ = try await sync(
        device,
        report(
          2, key: "phone-of-the-erased", user: "user-of-the-erased", token: "beadfacade0123",
          extra: """
            ,"delivered":["confidential.id"],"pending":[],"events":[{"id":"event.confidential","kind":"tapped",
            "notification":"confidential.id","at":"\(Reports.time(3_700))"},{"id":"e2","kind":"valueAction",
            "name":"action.confidential","at":"\(Reports.time(3_700))"}]
            """))
      _ = try await client.send(
        "POST", Reports.path(device, "/inbox/seen"), body: "{\"before\":\"2100-01-01T00:00:00Z\"}")
      _ = try await server.client(tenant, device: device)

      let known = try await everything(in: server)
      let tables = Set(places(of: device, in: known))
      #expect(tables.isSuperset(of: ["devices", "device_syncs", "notifications", "plans", "deliveries"]))
      for mark in marks where mark != "action.confidential" {
        #expect(!places(of: mark, in: known).isEmpty, "\(mark) was never there")
      }
      #expect(known.contains { $0.hasPrefix("inbox_items ") })

      let erased = try await client.send("DELETE", Reports.path(device, ""))
      #expect(erased.status == 204 && erased.body.isEmpty)
      let left = try await everything(in: server)
      #expect(places(of: device, in: left) == [])
      #expect(places(of: device.split(separator: "-").joined(), in: left) == [])
      for mark in marks {
        // The phone's installation before is a device of its own: what it said of the phone is its own, and goes with it.
        let found = places(of: mark, in: left)
        let isShared = ["phone-of-the-erased", "user-of-the-erased", "en_CONFIDENTIAL"].contains(mark)
        #expect(
          found.allSatisfy { isShared && ["devices", "device_changes"].contains($0) }, "\(mark): \(found)")
      }
      // Nobody else's is touched.
      for other in [before, copied, witness] {
        #expect(try await client.send("GET", Reports.path(other, "")).status == 200)
      }
      #expect(try await client.send("GET", Reports.path(witness, "/notifications/stays")).status == 200)
      let shown = try await client.send("GET", Reports.path(before, "")).json
      #expect(shown["supersededAt"] != nil && shown["supersededBy"] == nil)

      for rest in ["", "/plan", "/notifications", "/inbox", "/history"] {
        #expect(try await client.send("GET", Reports.path(device, rest)).status == 404, "\(rest)")
      }
      let again = try await client.send("DELETE", Reports.path(device, ""))
      #expect(again.status == 404 && again.json["code"]?.string == "deviceNotFound")
      // The installation before goes too, and with it the rest.
      #expect(try await client.send("DELETE", Reports.path(before, "")).status == 204)
      let rest = try await everything(in: server)
      for mark in ["phone-of-the-erased", "user-of-the-erased"] { #expect(places(of: mark, in: rest) == []) }
    }
  }

  /// What the erased device found out of occurrences stays in the inboxes that others see, those of its user and of the
  /// user it had before, and does not name it.
  @Test func aSharedInboxForgetsWhichDeviceItWas() async throws {
    try await TestServer.with { server in
      let client = server.client(try await server.makeTenant())
      let (gone, phone, former) = (Reports.newDevice(), Reports.newDevice(), Reports.newDevice())
      func sync(_ id: String, _ sequence: Int, user: String, _ extra: String = "") async throws {
        let body = report(
          sequence, key: "key of \(id)", user: user, token: String(id.suffix(12)), extra: extra)
        let answer = try await client.send("POST", Reports.path(id), body: body)
        try #require(answer.status == 200, "\(answer)")
      }
      func inbox(_ id: String) async throws -> [String] {
        let answer = try await client.send("GET", Reports.path(id, "/inbox"))
        return answer.json["items"]?.array?.map {
          "\($0["notification"]?.string ?? "") \($0["outcome"]?.string ?? "")"
        }
          ?? []
      }
      func origins(of id: String) async throws -> Int {
        try await server.database.column(
          "SELECT notification_id FROM carillon.inbox_items WHERE origin = '\(id)'"
        ).count
      }
      try await sync(former, 1, user: "first user")
      try await sync(phone, 1, user: "second user")
      try await sync(gone, 1, user: "first user", ",\"put\":[\(notification("one", inHours: 1))]")
      server.clock.advance(seconds: 2 * 3_600)
      try await sync(gone, 2, user: "first user", ",\"delivered\":[\"one\"],\"pending\":[]")
      try await sync(
        gone, 3, user: "second user", ",\"pending\":[],\"put\":[\(notification("two", inHours: 3))]")
      server.clock.advance(seconds: 2 * 3_600)
      try await sync(gone, 4, user: "second user", ",\"delivered\":[\"two\"],\"pending\":[]")
      #expect(try await origins(of: gone) == 2)
      let (before, beforeThat) = (try await inbox(phone), try await inbox(former))
      #expect(before.count == 1 && beforeThat.count == 1, "\(before) \(beforeThat)")

      #expect(try await client.send("DELETE", Reports.path(gone, "")).status == 204)
      #expect(places(of: gone, in: try await everything(in: server)) == [])
      #expect(try await inbox(phone) == before)
      #expect(try await inbox(former) == beforeThat)

      // Whoever finds out more may say so.
      try await sync(phone, 2, user: "second user", ",\"put\":[\(notification("two", inHours: 3))]")
      #expect(try await inbox(phone) == before)
    }
  }

  @Test func anErasedIdBeginsAnew() async throws {
    try await TestServer.with { server in
      let client = server.client(try await server.makeTenant())
      let device = Reports.newDevice()
      let put = ",\"put\":[\(Reports.notification("a", inHours: 9))]"
      _ = try await client.send("POST", Reports.path(device), body: Reports.full(sequence: 7, extra: put))
      #expect(try await client.send("DELETE", Reports.path(device, "")).status == 204)
      let anew = try await client.send("POST", Reports.path(device), body: Reports.full(sequence: 1))
      #expect(anew.status == 200 && anew.json["stale"] == nil && anew.json.added == [], "\(anew)")
    }
  }
}
