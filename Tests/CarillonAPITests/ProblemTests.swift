import CarillonAPI
import CarillonJSON
import CarillonModel
import Foundation
import Testing

@Suite struct ProblemTests {
  @Test(arguments: ProblemCode.allCases) func isWrittenAndReadAsDocumented(code: ProblemCode) throws {
    var problem = Problem(
      code, "Do \"this\".", errors: [FieldError(pointer: "/a/0", code: "outOfRange", detail: "too much")],
      current: 4, retryAfter: 2)
    problem.instance = "/v1/policy"
    problem.requestId = "r1"
    let json = try JSONValue(parsing: problem.json)
    #expect(json["type"]?.string == "urn:carillon:problem:\(code.rawValue)")
    #expect(json["status"]?.int == code.status)
    #expect(json["code"]?.string == code.rawValue)
    #expect(json["retryable"]?.bool == code.isRetryable)
    #expect(json["title"]?.string?.isEmpty == false)
    #expect(json["errors"]?[0]?["pointer"]?.string == "/a/0")
    let read = ReceivedProblem(status: code.status, body: problem.json)
    #expect(read == ReceivedProblem(problem))
    #expect(read.knownCode == code)
    #expect(problem.headers.contains { $0.name == "Retry-After" && $0.value == "2" })
    #expect(problem.headers.contains { $0.name == "WWW-Authenticate" } == (code.status == 401))
  }

  @Test(arguments: [
    (502, "<html>Bad gateway</html>", true), (404, "", false), (429, "null", true), (200, "[]", false),
    (500, "{\"code\":7}", true), (503, String(repeating: "[", count: 4_000), true),
  ])
  func othersAnswersAreProblemsToo(status: Int, body: String, isRetryable: Bool) {
    let problem = ReceivedProblem(status: status, body: Array(body.utf8))
    #expect(problem.status == status)
    #expect(problem.code == "" && problem.knownCode == nil)
    #expect(problem.isRetryable == isRetryable)
  }

  @Test func aNewerServersCodeIsKept() {
    let body = #"{"code":"tooMuchCoffee","status":418,"retryable":true,"errors":[],"extra":{"a":[1]}}"#
    let problem = ReceivedProblem(status: 418, body: Array(body.utf8))
    #expect(problem.code == "tooMuchCoffee")
    #expect(problem.knownCode == nil && problem.isRetryable)
  }

  static let refusals: [(body: String, code: ProblemCode, entry: String?)] = [
    ("{", .invalidJSON, "invalidJSON"),
    (#"{"sequence":"x"}"#, .invalidJSON, "unexpectedType"),
    (#"{"sequence":1.5}"#, .invalidJSON, "unexpectedType"),
    (#"{"sequence":-1}"#, .validationFailed, "outOfRange"),
    (#"{}"#, .validationFailed, "missingMember"),
    (#"{"sequence":1,"sequence":2}"#, .validationFailed, "duplicateMember"),
    (#"{"sequence":1} x"#, .invalidJSON, "invalidJSON"),
    ("{\"sequence\":1,\"x\":\(String(repeating: "[", count: 100))", .invalidJSON, "depthLimit"),
    (String(repeating: " ", count: WireLimits.bodyBytes) + "{}", .bodyTooLarge, nil),
  ]

  @Test(arguments: refusals)
  func whatReadingFindsBecomesAProblem(body: String, code: ProblemCode, entry: String?) throws {
    do {
      _ = try ReceivedReport(Array(body.utf8))
      Issue.record("not refused")
    } catch {
      let problem = Problem(error)
      #expect(problem.code == code)
      #expect(problem.errors.first?.code == entry)
      if code == .invalidJSON { #expect(problem.detail.contains("byte \(error.offset)")) }
    }
  }

  // MARK: The document

  private static let rows: [[String]] = {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../..")
    let text = (try? String(contentsOf: root.appending(path: "docs/errors.md"), encoding: .utf8)) ?? ""
    return text.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { line in
      line.split(separator: "|").map { $0.trimmingCharacters(in: [" ", "`"]) }
    }
  }()

  @Test func theCatalogueIsTheDocuments() {
    let documented = Self.rows.filter { $0.count == 4 }.map { "\($0[0]) \($0[1]) \($0[2])" }
    let ours = ProblemCode.allCases.map { "\($0.rawValue) \($0.status) \($0.isRetryable ? "yes" : "no")" }
    #expect(documented.sorted() == ours.sorted())
  }

  @Test func theCodesInsideErrorsAreTheDocuments() {
    let reading = [
      JSONError.invalidJSON, JSONError.depthLimit, JSONError.valueLimit, JSONError.byteLimit,
      JSONError.unexpectedType, JSONError.unknownMember, JSONError.missingMember, JSONError.duplicateMember,
      JSONError.outOfRange, JSONError.invalidValue,
    ]
    let documented = Self.rows.filter { $0.count == 2 }.map { $0[0] }
    #expect(documented.sorted() == (reading + ModelError.all).sorted())
  }
}
