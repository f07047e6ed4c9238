import CarillonJSON
import CarillonModel
import IntegrationSupport
import Testing

/// One device over HTTP, which holds what it is told to and reports it.
final class InboxPhone {
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
  var unread: Int? { self["inbox"]?["unread"]?.int }
}

extension TestServer {
  /// A server with a tenant, and perhaps its policy.
  static func withTenant<R: Sendable>(
    policy: String? = nil, _ body: (TestServer, TestTenant) async throws -> R
  ) async throws -> R {
    try await with { server in
      let tenant = try await server.makeTenant()
      if let policy {
        let answer = try await server.client(tenant).send("PUT", "/v1/policy", body: policy)
        try #require(answer.status == 200, "\(answer)")
      }
      return try await body(server, tenant)
    }
  }
}
