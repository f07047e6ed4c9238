import CarillonJSON
import CarillonModel
import Foundation
import IntegrationSupport
import Testing

/// Every operation of the served document, tried with another tenant's ids in each place of a request that can carry one:
/// path, query, header and body. An operation that is new is tried as soon as it stands in the document; a parameter that
/// is new must be given a value here.
@Suite struct DocumentIsolationTests {
  /// A value for each parameter of the document, by its name.
  struct Ids {
    var device: String
    var notification: String
    var user: String
    var cohort: String
    var type: String
    var tags: [String]
    var cursors: [String]
    var idempotencyKey: String
    var tenant: String

    /// Nil: nobody has thought of this parameter.
    func values(of parameter: Parameter) -> [String]? {
      switch parameter.name {
      case "deviceId": [device]
      case "id", "notification": [notification]
      case "cursor": cursors
      case "type": [type]
      case "cohort": [cohort]
      case "If-Match", "If-None-Match": tags
      case "Idempotency-Key": [idempotencyKey]
      case "X-Request-Id": ["of-the-owner"]
      case "limit": ["200"]
      case "wait": ["0"]
      case "version": ["1"]
      case "from": ["2026-11-01"]
      case "to": ["2026-11-30"]
      default: parameter.choices
      }
    }

    /// The document's example with these ids in place of its own.
    func body(_ example: JSONValue) -> JSONValue {
      switch example {
      case .array(let items): .array(items.map(body))
      case .object(let members):
        .object(
          members.map { member in
            JSONMember(member.name, replacement(member.name, member.value) ?? body(member.value))
          })
      default: example
      }
    }

    private func replacement(_ name: String, _ value: JSONValue) -> JSONValue? {
      switch (name, value) {
      case ("deviceId", .string): .string(device)
      case ("userId", .string): .string(user)
      case ("id", .string), ("notification", .string): .string(notification)
      case ("cohort", .string): .string(cohort)
      case ("cancel", .array), ("delivered", .array): [.string(notification)]
      default: nil
      }
    }
  }

  struct Parameter {
    var name: String
    var place: String
    var isRequired: Bool
    var choices: [String]?
  }

  struct Operation {
    var id: String
    var method: String
    var path: String
    var parameters: [Parameter]
    var example: JSONValue?
    var hasBody: Bool

    /// The request with one optional parameter set, or none; nil when a parameter has no value.
    func requests(_ ids: Ids) -> [Attempt]? {
      var base = Attempt(method: method, path: path)
      base.body = hasBody ? example.map { ids.body($0) } : nil
      var paths = [base]
      for parameter in parameters where parameter.isRequired {
        guard let values = ids.values(of: parameter) else { return nil }
        paths = paths.flatMap { path in values.map { path.setting(parameter, $0) } }
      }
      var all = paths
      for parameter in parameters where !parameter.isRequired {
        guard let values = ids.values(of: parameter) else { return nil }
        all += values.map { paths[0].setting(parameter, $0) }
      }
      return all + smuggled(paths[0], ids)
    }

    /// What no document names, and a careless server might look at.
    private func smuggled(_ base: Attempt, _ ids: Ids) -> [Attempt] {
      var query = base
      query.query += [("tenant_id", ids.tenant), ("tenantId", ids.tenant), ("userId", ids.user)]
      var headers = base
      headers.headers += [
        ("X-Tenant-Id", ids.tenant), ("X-Tenant", ids.tenant), ("X-Device-Id", ids.device),
        ("X-User-Id", ids.user),
        ("X-Forwarded-User", ids.user), ("X-Original-URL", "/v1/devices/\(ids.device)"),
        ("X-HTTP-Method-Override", "DELETE"), ("Cookie", "tenant=\(ids.tenant); app.tenant_id=\(ids.tenant)"),
      ]
      guard case .object(let members)? = base.body else { return [query, headers] }
      var body = base
      body.body = .object(
        members + [JSONMember("tenantId", .string(ids.tenant)), JSONMember("tenant_id", .string(ids.tenant))])
      return [query, headers, body]
    }
  }

  struct Attempt {
    var method: String
    var path: String
    var query: [(String, String)] = []
    var headers: [(String, String)] = []
    var body: JSONValue?

    func setting(_ parameter: Parameter, _ value: String) -> Attempt {
      var copy = self
      switch parameter.place {
      case "path": copy.path = path.replacing("{\(parameter.name)}", with: Self.encoded(value))
      case "query": copy.query.append((parameter.name, value))
      default: copy.headers.append((parameter.name, value))
      }
      return copy
    }

    var target: String {
      query.isEmpty ? path : path + "?" + query.map { "\($0.0)=\(Self.encoded($0.1))" }.joined(separator: "&")
    }

    /// Whether a cursor is set: it names a place in a list and nothing that is there.
    var hasCursor: Bool { query.contains { $0.0 == "cursor" } }

    private static func encoded(_ text: String) -> String {
      text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? text
    }

    func send(_ client: HTTPTestClient) async throws -> HTTPTestClient.Response {
      try await client.send(
        method, target, headers: headers, body: body.map { String(decoding: $0.bytes, as: UTF8.self) })
    }
  }

  /// All that takes a credential.
  private func operations(_ document: JSONValue) throws -> [Operation] {
    func resolved(_ value: JSONValue) throws -> JSONValue {
      guard let reference = value["$ref"]?.string else { return value }
      var found: JSONValue? = document
      for part in reference.dropFirst(2).split(separator: "/") { found = found?[String(part)] }
      return try #require(found)
    }
    var operations: [Operation] = []
    for path in document["paths"]?.object ?? [] {
      for method in path.value.object ?? [] where ["get", "put", "post", "delete"].contains(method.name) {
        let operation = method.value
        guard operation["security"]?.array?.isEmpty == false else { continue }
        let parameters = try (operation["parameters"]?.array ?? []).map { parameter in
          let parameter = try resolved(parameter)
          let schema = try resolved(parameter["schema"] ?? .null)
          return Parameter(
            name: try #require(parameter["name"]?.string), place: try #require(parameter["in"]?.string),
            isRequired: parameter["required"]?.bool == true,
            choices: schema["enum"]?.array?.compactMap(\.string))
        }
        let body = operation["requestBody"]
        operations.append(
          Operation(
            id: try #require(operation["operationId"]?.string), method: method.name.uppercased(),
            path: path.name,
            parameters: parameters, example: body?["content"]?["application/json"]?["example"],
            hasBody: body != nil))
      }
    }
    return operations
  }

  /// What the owner has, every part of it with a mark.
  private func settle(_ owner: TestTenant, _ device: String, in server: TestServer) async throws -> Ids {
    let client = server.client(owner)
    func put(_ id: String, _ hours: Int) -> String {
      """
      {"id":"\(id)","type":"secret-type","inbox":true,"content":{"title":"Confidential"},
       "trigger":{"kind":"instant","at":"\(Reports.time(Int64(hours) * 3_600))"}}
      """
    }
    let report = """
      {"sequence":1,"device":{"platform":"iOS","timeZone":"Europe/Istanbul","userId":"secret-user","cohort":"secret-cohort",
       "deviceKey":"Confidential key","push":{"token":"c0f1de","environment":"production"}},
       "authorizationStatus":"authorized","settings":{"alert":"enabled"},"pending":[],
       "put":[\(put("secret.1", 1)),\(put("secret.2", 30)),\(put("secret.3", 60))]}
      """
    let synced = try await client.send(
      "POST", Reports.path(device), headers: [("Idempotency-Key", "owner-key")], body: report)
    try #require(synced.status == 200, "\(synced)")
    let other = Reports.newDevice()
    _ = try await client.send("POST", Reports.path(other), body: Reports.full(sequence: 1))
    for slots in [33, 34] {
      _ = try await client.send(
        "PUT", "/v1/policy", headers: slots == 33 ? [] : [("If-Match", "\"1\"")], body: "{\"slots\":\(slots)}"
      )
    }
    server.clock.advance(seconds: 2 * 3_600)
    let plan = try await client.send("GET", Reports.path(device, "/plan"))
    var cursors: [String] = []
    for path in [
      "/v1/devices?limit=1", "/v1/policy/versions?limit=1", Reports.path(device, "/notifications?limit=1"),
      Reports.path(device, "/inbox?limit=1"), Reports.path(device, "/history?limit=1"),
    ] {
      let page = try await client.send("GET", path)
      if let cursor = page.json["nextCursor"]?.string { cursors.append(cursor) }
    }
    #expect(cursors.count >= 3)
    return Ids(
      device: device, notification: "secret.1", user: "secret-user", cohort: "secret-cohort",
      type: "secret-type",
      tags: ["\"2\"", try #require(plan.header("ETag"))], cursors: cursors, idempotencyKey: "owner-key",
      tenant: owner.id.text)
  }

  private var nobodys: Ids {
    Ids(
      device: Reports.newDevice(), notification: "nobodys.1", user: "nobody", cohort: "no-cohort",
      type: "no-type",
      tags: ["\"2\"", "\"9-9-0123456789abcdef\""], cursors: ["x"], idempotencyKey: "nobodys-key",
      tenant: Reports.newDevice())
  }

  @Test func theDocumentHasAValueForEveryParameterAndAnExampleForEveryBody() async throws {
    try await TestServer.with(loops: 1) { server in
      let document = try await server.client.send("GET", "/openapi.json").json
      for operation in try operations(document) {
        #expect(operation.requests(nobodys) != nil, "\(operation.id) has a parameter that is not tried here")
        #expect(operation.hasBody == (operation.example != nil), "\(operation.id) has no example to try")
      }
    }
  }

  /// As another tenant's key: each answer is the one that ids get which nobody has, so that not even their existence
  /// shows. Field case 40 B is among these: a tenant in the query selects nothing.
  @Test func anotherTenantsKeyFindsNothingInAnyPlaceOfARequest() async throws {
    try await TestServer.with { server in
      let owner = try await server.makeTenant()
      let ids = try await settle(owner, Reports.newDevice(), in: server)
      let before = try await TenantRows.of(owner, in: server)
      let document = try await server.client.send("GET", "/openapi.json").json
      let operations = try operations(document)
      #expect(operations.count >= 20)
      for operation in operations {
        let attempts = try #require(operation.requests(ids))
        var control = nobodys
        control.cursors = ids.cursors
        let controls = try #require(operation.requests(control))
        for (index, attempt) in attempts.enumerated() {
          // New ones each time: what an earlier attempt has made of its own is not there.
          let answer = try await attempt.send(server.client(try await server.makeTenant()))
          check(answer, "\(operation.id): \(attempt.target)", owner)
          guard !attempt.hasCursor, index < controls.count, attempts.count == controls.count else { continue }
          let expected = try await controls[index].send(server.client(try await server.makeTenant()))
          #expect(
            answer.status == expected.status && answer.json["code"] == expected.json["code"],
            "\(operation.id): \(attempt.target) is answered \(answer.status), what nobody has \(expected.status)"
          )
        }
      }
      #expect(try await TenantRows.of(owner, in: server) == before)
    }
  }

  /// As a device: another tenant's, of another id and of the same, another one of the same tenant, and this one in the
  /// hands of another user.
  @Test func anotherDeviceFindsNothingInAnyPlaceOfARequest() async throws {
    try await TestServer.with { server in
      let owner = try await server.makeTenant()
      let stranger = try await server.makeTenant()
      let ids = try await settle(owner, Reports.newDevice(), in: server)
      let elsewhere = try await server.client(stranger, device: Reports.newDevice())
      let namesake = try await server.client(stranger, device: ids.device)
      let sibling = try await server.client(owner, device: Reports.newDevice())
      let nextUser = try await server.client(owner, device: ids.device, user: "next-user")
      let before = try await TenantRows.of(owner, in: server)
      let document = try await server.client.send("GET", "/openapi.json").json
      for operation in try operations(document) {
        for attempt in try #require(operation.requests(ids)) {
          for client in [elsewhere, sibling, nextUser] {
            let answer = try await attempt.send(client)
            // A cursor of another list is refused by its form, before anybody is asked who they are.
            let isRefused = answer.status == 403 || attempt.hasCursor && answer.status == 400
            #expect(isRefused, "\(operation.id): \(attempt.target): \(answer)")
            check(answer, "\(operation.id): \(attempt.target)", owner)
          }
          check(try await attempt.send(namesake), "\(operation.id): \(attempt.target)", owner)
        }
      }
      #expect(try await TenantRows.of(owner, in: server) == before)
    }
  }

  private func check(_ answer: HTTPTestClient.Response, _ attempt: String, _ owner: TestTenant) {
    #expect(answer.status < 500, "\(attempt): \(answer)")
    for mark in ["Confidential", owner.name, "c0f1de", "\"slots\":33", "\"slots\":34"] {
      #expect(!answer.text.contains(mark), "\(attempt) shows \(mark)")
    }
  }
}
