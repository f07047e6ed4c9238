import CarillonJSON
import CarillonModel
import CarillonStore
import IntegrationSupport
import Testing

/// One device that reports and asks for the next step, over HTTP.
private struct Phone {
  let server: TestServer
  let client: HTTPTestClient
  let id = Reports.newDevice()

  init(_ server: TestServer, _ tenant: TestTenant) {
    self.server = server
    client = server.client(tenant)
  }

  /// - Parameter events: `(id, kind)`; a kind of `valueAction` is `reminder.created`, `tapped n` is of notification `n`.
  func sync(
    _ sequence: Int, _ status: String, events: [(id: String, kind: String)] = [], secondsAgo: Int64 = 0
  ) async throws -> JSONValue {
    let now = server.clock.now
    let list = events.map { event in
      let words = event.kind.split(separator: " ")
      var name = event.kind == "valueAction" ? ",\"name\":\"reminder.created\"" : ""
      if words.count > 1 { name = ",\"notification\":\"\(words[1])\"" }
      return
        "{\"id\":\"\(event.id)\",\"kind\":\"\(words[0])\"\(name),\"at\":\"\(now.adding(seconds: -secondsAgo))\"}"
    }
    let body = """
      {"sequence":\(sequence),"sentAt":"\(now)","device":{"timeZone":"Europe/Madrid"},
       "authorizationStatus":"\(status)","events":[\(list.joined(separator: ","))],"pending":[]}
      """
    let answer = try await client.send("POST", Reports.path(id), body: body)
    try #require(answer.status == 200, "\(answer)")
    return answer.json
  }

  func ask(_ body: String = "{\"action\":\"reminder.created\"}") async throws -> JSONValue {
    let answer = try await client.send("POST", Reports.path(id, "/priming"), body: body)
    try #require(answer.status == 200, "\(answer)")
    return answer.json
  }

  func step(_ body: String = "{\"action\":\"reminder.created\"}") async throws -> String? {
    try await ask(body)["step"]?.string
  }
}

@Suite struct PrimingTests {
  private func withPhone<R: Sendable>(_ body: (Phone) async throws -> R) async throws -> R {
    try await TestServer.with { server in try await body(Phone(server, try await server.makeTenant())) }
  }

  static let day: Int64 = 86_400

  /// Field case 15, A to E: "later" is no denial, and the dialog comes once.
  @Test func fieldCase15() async throws {
    try await withPhone { phone in
      let clock = phone.server.clock
      let first = try await phone.sync(1, "notDetermined")
      #expect(first["priming"]?["step"]?.string == "none")
      #expect(try await phone.step() == "showPrimer")
      _ = try await phone.sync(
        2, "notDetermined", events: [("e1", "primingShown"), ("e2", "primingPostponed")])
      let postponed = clock.now
      clock.advance(seconds: 6 * Self.day)
      let waits = try await phone.ask()
      #expect(waits["step"]?.string == "wait")
      #expect(waits["retryAt"]?.string == postponed.adding(seconds: 7 * Self.day).description)
      clock.advance(seconds: 2 * Self.day)
      #expect(try await phone.step() == "showPrimer")
      _ = try await phone.sync(
        3, "notDetermined", events: [("e3", "primingShown"), ("e4", "primingAccepted")])
      #expect(try await phone.step() == "showDialog")
      // E: the callback came before the user answered.
      _ = try await phone.sync(4, "notDetermined", events: [("e5", "dialogShown")])
      let unknown = try await phone.ask()
      #expect(unknown["step"]?.string == "none" && unknown["reason"]?.string == "answerUnknown")
      _ = try await phone.sync(5, "denied")
      #expect(try await phone.step() == "none")
      #expect(try await phone.step("{\"context\":\"featureDegraded\"}") == "openSettings")
      let degraded = "{\"action\":\"reminder.created\",\"context\":\"featureDegraded\"}"
      #expect(try await phone.step(degraded) == "openSettings")
    }
  }

  /// Field case 16: what was asked on one installation says nothing of another one.
  @Test func fieldCase16() async throws {
    try await TestServer.with { server in
      let tenant = try await server.makeTenant()
      let (old, restored) = (Phone(server, tenant), Phone(server, tenant))
      _ = try await old.sync(1, "authorized", events: [("e1", "primingAccepted"), ("e2", "dialogShown")])
      _ = try await restored.sync(1, "notDetermined")
      #expect(try await restored.step() == "showPrimer")
      let before = try await old.ask()
      #expect(before["step"]?.string == "none" && before["reason"]?.string == "authorized")
      _ = try await restored.sync(2, "authorized")
      #expect(try await restored.ask()["reason"]?.string == "authorized")
    }
  }

  /// Field case 16 as it comes: the installation's id was restored along with the app's files, its key was not.
  @Test(arguments: ["notDetermined", "authorized"]) func aRestoredPhoneIsAskedAnew(_ status: String)
    async throws
  {
    try await withPhone { phone in
      func sync(_ key: String, _ sequence: Int, _ status: String, _ more: String = "") async throws
        -> JSONValue
      {
        let body = """
          {"sequence":\(sequence),"device":{"deviceKey":"\(key)"},"authorizationStatus":"\(status)"\(more)}
          """
        let answer = try await phone.client.send("POST", Reports.path(phone.id), body: body)
        try #require(answer.status == 200, "\(answer)")
        return answer.json
      }
      let now = phone.server.clock.now
      let shown = ",\"events\":[{\"id\":\"e\",\"kind\":\"dialogShown\",\"at\":\"\(now)\"}]"
      _ = try await sync("old", 50, "authorized", shown)
      let restored = try #require(try await sync("new", 3, status)["deviceId"]?.string)
      #expect(restored != phone.id)
      let answer = try await phone.client.send(
        "POST", Reports.path(restored, "/priming"), body: "{\"action\":\"reminder.created\"}")
      #expect(answer.json["step"]?.string == (status == "authorized" ? "none" : "showPrimer"))
      let shownAt = try await phone.server.database.column(
        "SELECT device_id::text FROM carillon.device_priming WHERE dialog_shown_at IS NOT NULL")
      #expect(shownAt == [phone.id])
    }
  }

  /// Field case 18: the newest report decides, whatever an older one says later.
  @Test func fieldCase18() async throws {
    try await withPhone { phone in
      let put = try await phone.client.send(
        "PUT", Reports.path(phone.id, "/notifications/a"), body: Reports.notification("a", inHours: 9))
      #expect(put.status == 201)
      #expect(try await phone.sync(10, "authorized").added == ["a"])
      let denied = try await phone.sync(11, "denied")
      #expect(denied["slots"]?["held"]?.int == 0)
      #expect(denied["priming"]?["reason"]?.string == "denied")
      let late = try await phone.sync(10, "authorized")
      #expect(late["stale"]?.bool == true && late.added == [])
      #expect(try await phone.step("{\"context\":\"featureDegraded\"}") == "openSettings")
      #expect(try await phone.sync(12, "authorized").added == ["a"])
    }
  }

  @Test func aSyncAnswersAValueActionAndNothingElse() async throws {
    try await withPhone { phone in
      #expect(try await phone.sync(1, "notDetermined")["priming"]?["step"]?.string == "none")
      let action = [(id: "v1", kind: "valueAction")]
      #expect(
        try await phone.sync(2, "notDetermined", events: action)["priming"]?["step"]?.string == "showPrimer")
      // The answer was lost: the same report, and the same event in a newer one, are answered alike.
      #expect(
        try await phone.sync(2, "notDetermined", events: action)["priming"]?["step"]?.string == "showPrimer")
      #expect(
        try await phone.sync(3, "notDetermined", events: action)["priming"]?["step"]?.string == "showPrimer")
      // One that lay in the outbox is told at a launch, where nothing is shown.
      let old = try await phone.sync(
        4, "notDetermined", events: [("v2", "valueAction")], secondsAgo: 2 * Self.day)
      #expect(old["priming"]?["step"]?.string == "none")
      #expect(try await phone.sync(5, "notDetermined")["priming"]?["step"]?.string == "none")
      #expect(try await steps(phone).count == 1)
    }
  }

  @Test func anEventCountsOnce() async throws {
    try await withPhone { phone in
      for sequence in 1...4 {
        _ = try await phone.sync(
          sequence, "notDetermined", events: [("p1", "primingPostponed"), ("p1", "primingPostponed")])
      }
      phone.server.clock.advance(seconds: 8 * Self.day)
      #expect(try await phone.step() == "showPrimer")
      for (sequence, id) in [(5, "p2"), (6, "p3")] {
        _ = try await phone.sync(sequence, "notDetermined", events: [(id, "primingPostponed")])
      }
      phone.server.clock.advance(seconds: 800 * Self.day)
      #expect(try await phone.ask()["reason"]?.string == "postponedTooOften")
    }
  }

  /// "Later" was said two days before the report, on a phone whose clock is wrong by years.
  @Test func aDevicesClockTellsHowLongAgoAndNotWhen() async throws {
    try await withPhone { phone in
      let answer = try await phone.client.send(
        "POST", Reports.path(phone.id),
        body: """
          {"sequence":1,"sentAt":"2031-01-03T00:00:00Z","authorizationStatus":"notDetermined",
           "events":[{"id":"e","kind":"primingPostponed","at":"2031-01-01T00:00:00Z"}]}
          """)
      #expect(answer.status == 200)
      #expect(
        try await phone.ask()["retryAt"]?.string
          == phone.server.clock.now.adding(seconds: 5 * Self.day).description)
    }
  }

  @Test func thePolicyNamesTheActions() async throws {
    try await TestServer.with { server in
      let tenant = try await server.makeTenant()
      let policy =
        "{\"priming\":{\"actions\":[\"reminder.created\"],\"level\":\"provisional\",\"cooldown\":60}}"
      #expect(try await server.client(tenant).send("PUT", "/v1/policy", body: policy).status == 200)
      let phone = Phone(server, tenant)
      _ = try await phone.sync(1, "notDetermined")
      #expect(try await phone.ask("{\"action\":\"app.launched\"}")["reason"]?.string == "notAValueAction")
      #expect(try await phone.ask("{}")["reason"]?.string == "noValueAction")
      #expect(try await phone.step() == "requestProvisional")
      _ = try await phone.sync(2, "provisional")
      #expect(try await phone.ask()["reason"]?.string == "noTapYet")
      // A tap on nobody knows what, or on what is not ours, is no evidence.
      _ = try await phone.sync(3, "provisional", events: [("t1", "tapped"), ("t2", "tapped other")])
      #expect(try await phone.ask()["reason"]?.string == "noTapYet")
      let put = Reports.notification("n", inHours: 1)
      #expect(
        try await phone.client.send("PUT", Reports.path(phone.id, "/notifications/n"), body: put).status
          == 201)
      // Nor is one on what is still to come, or was over when it was put, even where the device holds it.
      let past = Reports.notification("past", inHours: -1)
      #expect(
        try await phone.client.send("PUT", Reports.path(phone.id, "/notifications/past"), body: past).status
          == 201)
      #expect(try await phone.sync(4, "provisional").added == ["n"])
      let early = [("t3", "tapped n"), ("t4", "tapped past")]
      _ = try await phone.sync(5, "provisional", events: early)
      #expect(try await phone.ask()["reason"]?.string == "noTapYet")
      phone.server.clock.advance(seconds: 3_601)
      _ = try await phone.sync(6, "provisional", events: [("t3", "tapped n")])
      #expect(try await phone.ask()["reason"]?.string == "noTapYet", "an event counts once")
      _ = try await phone.sync(7, "provisional", events: [("t5", "tapped n")])
      let promotion = try await phone.ask()
      #expect(promotion["step"]?.string == "showPrimer")
      #expect(promotion["evidence"]?["taps"]?.int == 1)
      #expect(promotion["evidence"]?["lastTapAt"]?.string == server.clock.now.description)
    }
  }

  /// The events of a report count in the order in which it lists them, whatever their times: a device's clock decides
  /// nothing. Turned round they still make no state that cannot be.
  @Test func eventsCountAsTheyAreListed() async throws {
    try await withPhone { phone in
      let story = [("e1", "primingShown"), ("e2", "primingPostponed"), ("e3", "primingAccepted")]
      _ = try await phone.sync(1, "notDetermined", events: story)
      #expect(try await phone.step() == "showDialog")
    }
    try await withPhone { phone in
      let story = [("e1", "primingAccepted"), ("e2", "primingPostponed"), ("e3", "primingShown")]
      _ = try await phone.sync(1, "notDetermined", events: story)
      #expect(try await phone.step() == "wait")
    }
    // The answer comes first, and the dialog with a later report, by a clock that says nothing of when.
    try await withPhone { phone in
      _ = try await phone.sync(1, "authorized")
      phone.server.clock.advance(seconds: 600)
      _ = try await phone.sync(2, "authorized", events: [("e1", "dialogShown"), ("e2", "primingShown")])
      let row = try await phone.server.database.column(
        "SELECT (dialog_shown_at <= system_answered_at)::text FROM carillon.device_priming")
      #expect(row == ["true"])
    }
  }

  /// Once the dialog is spent, a device that gets its notifications quietly can get more only in Settings.
  @Test func aQuietDeviceWithoutADialogIsSentToSettings() async throws {
    try await withPhone { phone in
      _ = try await phone.sync(1, "provisional")
      #expect(try await phone.ask("{\"context\":\"featureDegraded\"}")["reason"]?.string == "noTapYet")
      _ = try await phone.sync(2, "provisional", events: [("e1", "dialogShown")])
      let degraded = try await phone.ask("{\"context\":\"featureDegraded\"}")
      #expect(degraded["step"]?.string == "openSettings" && degraded["reason"]?.string == "answerUnknown")
      let other = try await phone.ask()
      #expect(other["step"]?.string == "none" && other["reason"]?.string == "answerUnknown")
    }
  }

  /// Parallel questions and reports: no answer allows the dialog after a report of it was answered.
  @Test func parallelQuestionsGetOneAnswer() async throws {
    try await withPhone { phone in
      _ = try await phone.sync(1, "notDetermined", events: [("e1", "primingAccepted")])
      let answers = try await withThrowingTaskGroup(of: String?.self) { group in
        for _ in 0..<12 { group.addTask { try await phone.step() } }
        var all: [String?] = []
        for try await answer in group { all.append(answer) }
        return all
      }
      #expect(answers == Array(repeating: "showDialog", count: 12))
      #expect(try await steps(phone).count == 12)
      _ = try await phone.sync(2, "notDetermined", events: [("e2", "dialogShown")])
      #expect(try await phone.step() == "none")
    }
  }

  private func steps(_ phone: Phone) async throws -> [String?] {
    try await phone.server.database.column(
      "SELECT step FROM carillon.priming_steps WHERE device_id = '\(phone.id)' ORDER BY step_number")
  }

  @Test func theHistoryOfAnswersHasALimit() async throws {
    try await withPhone { phone in
      _ = try await phone.sync(1, "notDetermined")
      #expect(try await steps(phone) == [])
      _ = try await phone.ask("{}")
      #expect(try await steps(phone) == [])
      for _ in 0..<(Store.mostPrimingSteps + 5) { _ = try await phone.ask() }
      #expect(try await steps(phone).count == Store.mostPrimingSteps)
    }
  }

  @Test(arguments: [
    ("[]", 400, "invalidJSON"), ("{\"action\":1}", 400, "invalidJSON"),
    ("{\"action\":\"\"}", 422, "validationFailed"), ("{\"action\":\"a\\u0000\"}", 422, "validationFailed"),
    ("{\"action\":null,\"later\":[]}", 200, ""),
    ("{\"context\":\"featureDegarded\"}", 422, "validationFailed"),
    ("{\"context\":null}", 200, ""),
  ])
  func aQuestionIsChecked(_ body: String, _ status: Int, _ code: String) async throws {
    try await withPhone { phone in
      let nobody = try await phone.client.send("POST", Reports.path(phone.id, "/priming"), body: "{}")
      #expect(nobody.status == 404 && nobody.json["code"]?.string == "deviceNotFound")
      _ = try await phone.sync(1, "notDetermined")
      let answer = try await phone.client.send("POST", Reports.path(phone.id, "/priming"), body: body)
      #expect(answer.status == status && answer.json["code"]?.string ?? "" == code, "\(answer)")
      guard body.contains("Degarded") else { return }
      let error = answer.json["errors"]?[0]
      #expect(error?["pointer"] == "/context" && error?["code"] == "invalidValue")
      #expect(error?["detail"]?.string?.contains("featureDegraded") == true)
      #expect(try await steps(phone) == [])
    }
  }

  /// A value action that a report tells brings its context along, and is kept with it.
  @Test func aReportsActionHasAContext() async throws {
    try await withPhone { phone in
      func sync(_ sequence: Int, _ members: String) async throws -> JSONValue? {
        let body = """
          {"sequence":\(sequence),"authorizationStatus":"denied","events":[
           {"id":"e\(sequence)","kind":"valueAction","at":"\(phone.server.clock.now)"\(members)}]}
          """
        let answer = try await phone.client.send("POST", Reports.path(phone.id), body: body)
        try #require(answer.status == 200, "\(answer)")
        return answer.json["priming"]?["step"]
      }
      #expect(try await sync(1, ",\"name\":\"a\"") == "none")
      #expect(try await sync(2, ",\"name\":\"a\",\"context\":\"featureDegraded\"") == "openSettings")
      #expect(try await sync(3, ",\"context\":\"featureDegraded\"") == "openSettings")
      // A report is not refused for a word that this version does not know.
      #expect(try await sync(4, ",\"name\":\"a\",\"context\":\"later\"") == "none")
      let contexts = try await phone.server.database.column(
        "SELECT coalesce(context, '-') FROM carillon.priming_steps ORDER BY step_number")
      #expect(contexts == ["-", "featureDegraded", "featureDegraded", "later"])
    }
  }
}
