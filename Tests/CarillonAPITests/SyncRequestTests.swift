import CarillonAPI
import CarillonJSON
import CarillonModel
import TestSupport
import Testing

@Suite struct SyncRequestTests {
  @Test func readsTheDocumentedReport() throws {
    let report = try ReceivedReport(Sample.report)
    let request = report.request
    #expect(report.rejected.isEmpty)
    #expect(request.sequence == 42)
    #expect(request.sentAt == Instant("2026-11-30T10:00:00Z"))
    #expect(request.device?.timeZone == "Europe/Madrid")
    #expect(request.device?.minimumDaysInFirstWeek == 4)
    #expect(request.device?.push == PushRegistration(token: "0aff", environment: "production"))
    #expect(request.authorizationStatus == .authorized)
    #expect(request.settings?.carPlay == .notSupported)
    #expect(request.settings?.alertStyle == "banner")
    #expect(request.settings?.providesAppNotificationSettings == true)
    #expect(request.planVersion == 16)
    #expect(
      request.pending == [
        PendingRequest(id: NotificationID(unchecked: "habit.1"), revision: "9f2c0d1e5b7a8c34")
      ])
    #expect(request.foreign == ForeignRequests(count: 3, regions: 0))
    #expect(request.delivered?.map(\.text) == ["habit.0"])
    #expect(request.events.first?.kind == .tapped)
    #expect(request.put.map(\.head.id.text) == ["habit.9"])
    #expect(request.cancel.map(\.text) == ["habit.3"])
    #expect(request.hasEffects)
  }

  @Test(arguments: [
    #"{"sequence":0}"#,
    #"{"sequence":0,"later":{"a":[1,{"b":null}]},"device":null,"pending":null,"put":null}"#,
  ])
  func absentUnknownAndNullMeanUnchanged(body: String) throws {
    let report = try ReceivedReport(Array(body.utf8))
    #expect(report.request == SyncRequest(sequence: 0))
    #expect(!report.request.hasEffects)
  }

  @Test func unknownWordsAreKeptAsGiven() throws {
    let body = """
      {"sequence":1,"authorizationStatus":"maybe","settings":{"alert":"loud","later":1},
       "events":[{"id":"e","kind":"smelled","at":"2026-11-30T08:00:05Z","x":1}],"device":{"x":1,"platform":"visionOS"}}
      """
    let request = try ReceivedReport(Array(body.utf8)).request
    #expect(request.authorizationStatus == .unknown("maybe"))
    #expect(request.settings?.alert == .unknown("loud"))
    #expect(request.events.first?.kind == .unknown("smelled"))
    #expect(request.device?.platform == "visionOS")
  }

  @Test(arguments: [
    (#"{"sequence":1,"device":{"timeZone":"+02:00"}}"#, "fixedOffsetTimeZone", "/device/timeZone"),
    (#"{"sequence":1,"device":{"timeZone":"Etc/GMT+2"}}"#, "fixedOffsetTimeZone", "/device/timeZone"),
    (#"{"sequence":1,"device":{"timeZone":"../etc"}}"#, "invalidTimeZone", "/device/timeZone"),
    (#"{"sequence":1,"device":{"firstWeekday":8}}"#, "outOfRange", "/device/firstWeekday"),
    (
      #"{"sequence":1,"device":{"push":{"token":"xyz","environment":"production"}}}"#, "invalidValue",
      "/device/push/token"
    ),
    (#"{"sequence":1,"sentAt":"yesterday"}"#, "invalidInstant", "/sentAt"),
    (#"{"sequence":1,"planVersion":-1}"#, "outOfRange", "/planVersion"),
    (#"{"sequence":1,"pending":[{"revision":"x"}]}"#, "missingMember", "/pending/0"),
    (#"{"sequence":1,"pending":{}}"#, "unexpectedType", "/pending"),
    (#"{"sequence":1,"foreign":{"count":-1}}"#, "outOfRange", "/foreign/count"),
    (
      #"{"sequence":1,"events":[{"kind":"tapped","at":"2026-11-30T08:00:05Z"}]}"#, "missingMember",
      "/events/0"
    ),
    (
      #"{"sequence":1,"events":[{"id":"","kind":"tapped","at":"2026-11-30T08:00:05Z"}]}"#, "outOfRange",
      "/events/0/id"
    ),
    (#"{"sequence":9223372036854775808}"#, "outOfRange", "/sequence"),
    (#"{"sentAt":"2026-11-30T08:00:05Z"}"#, "missingMember", ""),
  ])
  func refusesAReportThatIsWrong(body: String, code: String, pointer: String) {
    #expect {
      try ReceivedReport(Array(body.utf8))
    } throws: {
      guard let error = $0 as? JSONError else { return false }
      return error.code == code && error.pointer == pointer
    }
  }

  @Test(arguments: [
    ("pending", #"{"id":"a"}"#, WireLimits.pending), ("delivered", #""a""#, WireLimits.delivered),
    ("events", #"{"id":"e","kind":"tapped","at":"2026-11-30T08:00:05Z"}"#, WireLimits.events),
    ("cancel", #""a""#, WireLimits.cancels),
    (
      "put", #"{"id":"a","content":{"title":"t"},"trigger":{"kind":"local","at":"2026-12-01T08:00"}}"#,
      WireLimits.puts
    ),
  ])
  func everyListHasItsLimit(member: String, item: String, limit: Int) throws {
    func body(_ count: Int) -> [UInt8] {
      Array(
        "{\"sequence\":1,\"\(member)\":[\(Array(repeating: item, count: count).joined(separator: ","))]}".utf8
      )
    }
    #expect(throws: Never.self) { try ReceivedReport(body(limit)) }
    #expect(throws: JSONError.self) { try ReceivedReport(body(limit + 1)) }
  }

  @Test func badPutsAndCancelsStandAlone() throws {
    let body = """
      {"sequence":1,"put":[
        {"id":"good","content":{"title":"t"},"trigger":{"kind":"local","at":"2026-12-01T08:00"}},
        {"id":"bad","content":{"title":"t"},"trigger":{"kind":"local","at":"2026-02-30T08:00"}},
        {"content":{"title":"t"},"trigger":{"kind":"local","at":"2026-12-01T08:00"}},
        7,
        {"id":"good2","content":{"body":"b"},"trigger":{"kind":"interval","seconds":90,"repeats":true}}
      ],"cancel":["x","",1]}
      """
    let report = try ReceivedReport(Array(body.utf8))
    #expect(report.request.put.map(\.head.id.text) == ["good", "good2"])
    #expect(report.request.cancel.map(\.text) == ["x"])
    #expect(report.rejected.map(\.id) == ["bad", nil, nil, nil, nil])
    #expect(
      report.rejected.map(\.error.pointer) == [
        "/put/1/trigger/at", "/put/2", "/put/3", "/cancel/1", "/cancel/2",
      ])
    #expect(
      report.rejected.map(\.error.code)
        == ["invalidLocalTime", "missingMember", "unexpectedType", "invalidId", "unexpectedType"])
  }

  @Test func requestsOfOthersCountAsForeign() throws {
    let long = String(repeating: "x", count: 129)
    for members in [
      #""pending":[{"id":"a"},{"id":"\#(long)"},{"id":"a\nb"}],"foreign":{"count":2,"regions":1}"#,
      #""foreign":{"count":2,"regions":1},"pending":[{"id":"a"},{"id":"\#(long)"},{"id":""}]"#,
    ] {
      let request = try ReceivedReport(Array("{\"sequence\":1,\(members)}".utf8)).request
      #expect(request.pending?.map(\.id.text) == ["a"])
      #expect(request.foreign == ForeignRequests(count: 4, regions: 1))
    }
  }

  @Test(arguments: 0..<40) func whatTheClientWritesTheServerReads(seed: UInt64) throws {
    var random = Randomizer(seed: seed)
    for _ in 0..<20 {
      let request = random.report()
      let report = try ReceivedReport(request.json)
      #expect(report.request == request, "seed \(seed)")
      #expect(report.rejected.isEmpty)
      #expect(report.digest == (try ReportScan(request.json).digest))
      #expect(report.request.json == request.json)
    }
  }

  /// Damaged reports are refused or read, never more than that.
  @Test(arguments: 0..<20) func damagedReportsDoNoHarm(seed: UInt64) {
    var random = Randomizer(seed: seed)
    var refused = 0
    for _ in 0..<300 {
      let body = random.damaged(random.coin() ? Sample.report : random.report().json)
      do {
        let report = try ReceivedReport(body)
        #expect(report.digest == (try ReportScan(body).digest), "seed \(seed)")
      } catch {
        refused += 1
        #expect(!Problem(error).json.isEmpty)
      }
    }
    #expect(refused > 0, "seed \(seed)")
  }
}
