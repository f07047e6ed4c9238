import CarillonAPI
import CarillonJSON
import CarillonModel
import Foundation
import Testing

@Suite struct OpenAPITests {
  private static let document: JSONValue = {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../..")
    let file = root.appending(path: "Sources/CarillonServer/openapi.yaml")
    let bytes = (try? Data(contentsOf: file)).map(Array.init) ?? []
    return (try? JSONValue(parsing: bytes)) ?? .null
  }()

  private static var operations: [(method: String, path: String, value: JSONValue)] {
    (document["paths"]?.object ?? []).flatMap { path in
      (path.value.object ?? []).filter { ["get", "put", "post", "delete"].contains($0.name) }
        .map { ($0.name.uppercased(), path.name, $0.value) }
    }
  }

  /// Served as `/openapi.json` byte for byte.
  @Test func isJSON() {
    #expect(Self.document["openapi"]?.string == "3.1.0")
  }

  @Test func listsExactlyWhatIsServed() {
    let documented = Self.operations.map {
      "\($0.method) \($0.path) \($0.value["operationId"]?.string ?? "")"
    }
    let served = Endpoint.allCases
      .map { "\($0.method.rawValue) \($0.template) \($0.rawValue)" }
    #expect(documented.sorted() == served.sorted())
  }

  /// `maxLength` counts characters, and the server bytes: where there is one, the description says so.
  @Test func lengthsOfTextsAreToldInBytes() {
    var met = 0
    func look(at value: JSONValue, _ place: String, toldBy description: String? = nil) {
      if let most = value["maxLength"]?.int {
        met += 1
        let told = value["description"]?.string ?? description
        #expect(told?.contains("\(most) bytes") == true, "\(place)")
      }
      for member in value.object ?? [] {
        // A parameter tells it of its schema.
        let told = member.name == "schema" ? value["description"]?.string : nil
        look(at: member.value, "\(place)/\(member.name)", toldBy: told)
      }
      for (index, item) in (value.array ?? []).enumerated() { look(at: item, "\(place)/\(index)") }
    }
    look(at: Self.document["components"] ?? .null, "components")
    look(at: Self.document["paths"] ?? .null, "paths")
    #expect(met >= 15)
    // Whom a batch addresses is who a device reports, and no text that a device cannot report may be sent.
    let schemas = Self.document["components"]?["schemas"]
    #expect(schemas?["UserID"]?["maxLength"] == schemas?["DeviceText"]?["maxLength"])
    for operation in schemas?["BatchOperation"]?["oneOf"]?.array ?? [] {
      #expect(operation["properties"]?["userId"]?["$ref"] == "#/components/schemas/UserID")
    }
  }

  /// What comes in chunks is refused wherever a body may come.
  @Test func operationsWithABodyTellThatItsLengthIsWanted() {
    for operation in Self.operations {
      #expect(
        (operation.value["requestBody"] != nil) == (operation.value["responses"]?["411"] != nil),
        "\(operation.method) \(operation.path)")
    }
  }

  @Test func operationsTellWhoMayCall() {
    for operation in Self.operations {
      guard let endpoint = Endpoint(rawValue: operation.value["operationId"]?.string ?? "") else { continue }
      let schemes = operation.value["security"]?.array?.compactMap { $0.object?.first?.name } ?? []
      switch endpoint.credential {
      case .none: #expect(schemes.isEmpty)
      case .tenantKey: #expect(schemes == ["tenantKey"])
      case .tenantKeyOrDeviceToken: #expect(schemes == ["tenantKey", "deviceToken"])
      }
    }
  }

  /// Every write takes an `Idempotency-Key` and tells what comes of it; nothing else does.
  @Test func writesMayBeSentAgain() {
    let parameter = "#/components/parameters/IdempotencyKey"
    for operation in Self.operations {
      guard let endpoint = Endpoint(rawValue: operation.value["operationId"]?.string ?? "") else { continue }
      let takesKey =
        operation.value["parameters"]?.array?.contains { $0["$ref"]?.string == parameter } ?? false
      #expect(takesKey == endpoint.isWrite, "\(endpoint)")
      guard endpoint.isWrite else { continue }
      let responses = operation.value["responses"]?.object ?? []
      #expect(Set(responses.map(\.name)).isSuperset(of: ["400", "409", "422"]), "\(endpoint)")
      for response in responses where response.name.hasPrefix("2") {
        #expect(response.value["headers"]?["Idempotency-Replay"] != nil, "\(endpoint) \(response.name)")
      }
    }
  }

  /// Of `/v1` every answer to somebody who is known; a 401 and a 411 are given before the rate is looked at.
  @Test func answersTellOfTheRate() {
    for operation in Self.operations where operation.path.hasPrefix("/v1") {
      for response in operation.value["responses"]?.object ?? [] {
        let headers = Self.headers(of: response.value)
        for name in ["RateLimit", "RateLimit-Policy"] {
          #expect(
            headers.contains(name) == (!["401", "411"].contains(response.name)),
            "\(operation.path) \(response.name) \(name)")
        }
      }
    }
  }

  private static func headers(of response: JSONValue) -> [String] {
    var response = response
    if let target = response["$ref"]?.string {
      for (index, part) in target.dropFirst(2).split(separator: "/").enumerated() {
        response = (index == 0 ? document : response)[String(part)] ?? .null
      }
    }
    return response["headers"]?.object?.map(\.name) ?? []
  }

  @Test func everyReferenceLeadsSomewhere() {
    var references: [String] = []
    Self.walk(Self.document) { name, value in
      if name == "$ref", let target = value.string { references.append(target) }
    }
    #expect(references.count > 100)
    for reference in Set(references) {
      var value: JSONValue? = Self.document
      for part in reference.dropFirst(2).split(separator: "/") { value = value?[String(part)] }
      #expect(reference.hasPrefix("#/") && value != nil, "\(reference)")
    }
  }

  @Test func noSchemaIsLeftOver() {
    var references: Set<String> = []
    Self.walk(Self.document) { name, value in
      if name == "$ref", let target = value.string { references.insert(target) }
    }
    for group in ["schemas", "responses", "parameters", "headers"] {
      for entry in Self.document["components"]?[group]?.object ?? [] {
        #expect(references.contains("#/components/\(group)/\(entry.name)"), "\(entry.name)")
      }
    }
  }

  /// The catalogue's words are those of the server.
  @Test func exampleProblemsAreOurs() throws {
    var count = 0
    Self.walk(Self.document) { name, value in
      guard name == "example", let text = value["code"]?.string, value["retryable"] != nil else { return }
      count += 1
      let code = ProblemCode(rawValue: text)
      #expect(code != nil, "\(text)")
      #expect(value["status"]?.int == code?.status)
      #expect(value["title"]?.string == code?.title)
      #expect(value["retryable"]?.bool == code?.isRetryable)
    }
    #expect(count >= 12)
  }

  @Test func examplesAreWhatTheWireReads() throws {
    func example(_ operation: String, request: Bool) throws -> [UInt8] {
      let found = Self.operations.first { $0.value["operationId"]?.string == operation }
      let place = request ? found?.value["requestBody"] : found?.value["responses"]?["200"]
      return try #require(place?["content"]?["application/json"]?["example"]).bytes
    }
    let report = try ReceivedReport(try example("syncDevice", request: true))
    #expect(report.rejected.isEmpty)
    let answer = try SyncResponse(try example("syncDevice", request: false))
    #expect(answer.diff.add.count == 1)
    let operations = try ReceivedBatch(try example("batchNotifications", request: true)).operations
    #expect(operations.allSatisfy { (try? $0.get()) != nil })
    #expect(try BatchResponse(try example("batchNotifications", request: false)).results.count == 2)
    _ = try NotificationItem(try example("getNotification", request: false))
    _ = try DeviceItem(try example("getDevice", request: false))
    _ = try Notification(
      parsing: try example("putNotification", request: true), id: NotificationID(unchecked: "habit.9"))
  }

  private static func walk(_ value: JSONValue, _ visit: (String, JSONValue) -> Void) {
    switch value {
    case .array(let items): for item in items { walk(item, visit) }
    case .object(let members):
      for member in members {
        visit(member.name, member.value)
        walk(member.value, visit)
      }
    default: break
    }
  }
}
