import CarillonAPI
import CarillonJSON
import CarillonModel
import CarillonStore
import IntegrationSupport
import Testing

/// Text that means something to SQL, a shell, a template, a log or a terminal is text here: it comes back as it was
/// sent, and nothing else happens.
@Suite struct HostileTextTests {
  /// Fit for every field that takes text.
  private static let words = [
    "'; DROP TABLE carillon.devices; --", "x' OR '1'='1", "\\'; SELECT pg_sleep(9); --", "$1, $2::regclass",
    "%s%s%n%x", "$(reboot)`reboot`", "{{7*7}}${7*7}<%= 7 %>", "../../../etc/passwd", "a/b?c=d&e#f%2F",
    "<script>alert(1)</script>", "=HYPERLINK(\"x\")", "{\"level\":\"error\"}", "null", "-1", "NaN",
    "\u{202E}gnitset\u{202C}", "e\u{301}\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}", "\u{FEFF}bom",
    "\u{2028}line\u{2029}", "carillon.notifications", "{a,b}", "NULL\\000", "E'\\x27'",
  ]
  /// Fit for a notification's own texts, which may have lines.
  private static let lines = [
    "two\nlines", "\r\n{\"level\":\"error\",\"message\":\"forged\"}", "tab\tbell\u{7}esc\u{1B}[31m",
  ]

  private func json(_ text: String) -> String {
    String(decoding: JSONValue.string(text).canonicalBytes, as: UTF8.self)
  }

  private func notification(_ id: String, _ text: String) -> String {
    let (id, text) = (json(id), json(text))
    return """
      {"id":\(id),"type":\(id),"group":\(id),"trigger":{"kind":"instant","at":"\(Reports.time(3600))"},
       "content":{"title":\(text),"subtitle":\(text),"body":\(text),"sound":\(text),"threadId":\(text),
       "categoryId":\(text),"userInfo":{\(text):[\(text)]}}}
      """
  }

  /// Every field of a report that takes text.
  private func report(_ word: String, sequence: Int, put: String) -> String {
    let w = json(word)
    return """
      {"sequence":\(sequence),"authorizationStatus":"authorized","pending":[{"id":\(w),"revision":\(w)}],
       "device":{"platform":\(w),"osVersion":\(w),"appVersion":\(w),"bundleId":\(w),"timeZone":"Europe/Madrid",
       "locale":\(w),"deviceKey":\(w),"userId":\(w),"cohort":\(w),"backgroundRefresh":\(w),
       "push":{"token":"0a1b","environment":\(w)}},
       "settings":{"alert":"enabled","sound":\(w),"notificationCenter":"enabled","alertStyle":\(w),"showPreviews":\(w)},
       "delivered":[\(w)],"put":[\(put)],"cancel":[\(w)],
       "events":[{"id":\(w),"kind":\(w),"notification":\(w),"name":\(w),"at":"\(Reports.time(0))"}]}
      """
  }

  private func checkNotification(_ item: JSONValue?, _ id: String, _ text: String) {
    #expect(item?["id"]?.string == id)
    for member in ["title", "subtitle", "body", "sound", "threadId", "categoryId"] {
      #expect(item?["content"]?[member]?.string == text, "\(member)")
    }
    #expect(item?["content"]?["userInfo"]?[text]?[0]?.string == text)
  }

  @Test func textComesBackAsItWasSent() async throws {
    try await TestServer.with { server in
      let other = server.client(try await server.makeTenant())
      let untouched = Reports.path(Reports.newDevice())
      #expect(try await other.send("POST", untouched, body: Reports.full(sequence: 1)).status == 200)
      let client = server.client(try await server.makeTenant())
      let catalogue = "SELECT count(*)::text FROM pg_class WHERE relnamespace = 'carillon'::regnamespace"
      let relations = try await server.database.column(catalogue)

      for word in Self.words {
        let device = Reports.newDevice()
        let answer = try await client.send(
          "POST", Reports.path(device), body: report(word, sequence: 1, put: notification(word, word)))
        #expect(answer.status == 200, "\(word): \(answer)")
        let shown = try await client.send("GET", Reports.path(device, "")).json
        for member in ["platform", "osVersion", "appVersion", "bundleId", "locale", "userId", "cohort"] {
          #expect(shown["device"]?[member]?.string == word, "\(member) of \(shown)")
        }
        #expect(shown["settings"]?["alertStyle"]?.string == word)

        let item = Route.getNotification(
          DeviceID(try #require(UUID128(device))), try #require(NotificationID(word)))
        let held = try await client.send("GET", item.target)
        #expect(held.status == 200, "\(word): \(held)")
        checkNotification(held.json, word, word)
        let list = try await client.send("GET", Reports.path(device, "/notifications")).json
        checkNotification(list["items"]?[0], word, word)
        #expect(list["items"]?.array?.count == 1)
        let plan = try await client.send("GET", Reports.path(device, "/plan"))
        checkNotification(plan.json["held"]?[0], word, word)
        #expect(try await client.send("DELETE", item.target).status == 204)
      }
      #expect(try await server.database.column(catalogue) == relations)
      #expect(try await other.send("GET", untouched.replacing("/sync", with: "")).status == 200)
    }
  }

  @Test func linesStayInsideTheirNotification() async throws {
    try await TestServer.with { server in
      let client = server.client(try await server.makeTenant())
      for text in Self.lines {
        let device = Reports.newDevice()
        let answer = try await client.send(
          "POST", Reports.path(device),
          body: Reports.full(sequence: 1, extra: ",\"put\":[\(notification("n", text))]"))
        #expect(answer.status == 200, "\(answer)")
        let plan = try await client.send("GET", Reports.path(device, "/plan"))
        checkNotification(plan.json["held"]?[0], "n", text)
        // Nobody's name has lines: they would forge lines where names are listed.
        let named = try await client.send(
          "POST", Reports.path(device), body: report(text, sequence: 2, put: ""))
        #expect((400...422).contains(named.status), "\(named)")
      }
    }
  }

  /// What a request says never becomes a log line or a metric of its own.
  @Test func logAndMetricsStayWellFormed() async throws {
    try await TestServer.with { server in
      let client = server.client(try await server.makeTenant())
      for text in Self.words + Self.lines {
        let path =
          "/v1/"
          + Array(text.utf8).map { "%" + String($0 / 16, radix: 16) + String($0 % 16, radix: 16) }.joined()
        #expect(try await client.send("GET", path).status == 404)
        let printable = text.unicodeScalars.allSatisfy { (0x20..<0x7F).contains($0.value) }
        if printable {
          let named = try await client.send("GET", "/v1/devices", headers: [("X-Request-Id", text)])
          #expect(named.status == 200)
        }
        _ = try await client.send("POST", Reports.path(Reports.newDevice()), body: json(text))
        let policy = "{\"types\":[{\"name\":\(json(text)),\"prefixes\":[\(json(text))],\"priority\":1}]}"
        _ = try await client.send("POST", "/v1/policy/preview", body: "{\"policy\":\(policy)}")
      }
      for line in server.log.all {
        let value = try JSONValue(parsing: Array(line.utf8))
        #expect(value["level"]?.string != nil && line.split(separator: "\n").count == 1, "\(line)")
        #expect(value["message"]?.string != "forged")
      }
      let metrics = try await server.admin.send("GET", "/metrics").text
      for line in metrics.split(separator: "\n") where !line.hasPrefix("#") {
        #expect(
          line.wholeMatch(
            of: /carillon_[a-z_]+(\{[a-z_]+="[A-Za-z0-9_.+]*"(,[a-z_]+="[A-Za-z0-9_.+]*")*\})? [-+0-9.eInf]+/)
            != nil, "\(line)")
      }
    }
  }
}
