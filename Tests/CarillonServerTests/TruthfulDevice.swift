import CarillonJSON
import CarillonModel
import IntegrationSupport
import Testing

/// A device of which a test decides what it tells, and what of an answer it takes in.
struct TruthfulDevice {
  let client: HTTPTestClient
  let id: String
  var mirror = DeviceMirror()
  /// Of the plan it applied last; nil says nothing about it.
  var planVersion: Int? = 0
  var status = "authorized"
  /// Empty says nothing about them.
  var settings = Self.settings
  var zone = "Europe/Istanbul"
  /// More members of each report, each after a comma.
  var more = ""
  private(set) var sequence = 0

  /// All that a notification is noticed by.
  static let settings = [
    "alert": "enabled", "sound": "enabled", "badge": "enabled", "lockScreen": "enabled",
    "notificationCenter": "enabled",
  ]
  private var events = 0

  init(_ client: HTTPTestClient, id: String = Reports.newDevice()) {
    self.client = client
    self.id = id
  }

  enum Pending { case mirrored, unsaid, none }

  /// One event, with an id of its own.
  mutating func event(_ kind: String, _ notification: String, at time: Instant) -> String {
    events += 1
    return
      "{\"id\":\"e\(events)\",\"kind\":\"\(kind)\",\"notification\":\"\(notification)\",\"at\":\"\(time)\"}"
  }

  /// - Parameters:
  ///   - isLost: whether the answer never reaches the device.
  ///   - sequence: nil: the next one.
  @discardableResult
  mutating func sync(
    put: [String] = [], cancel: [String] = [], pending: Pending = .mirrored, foreign: Int = 0,
    delivered: [String] = [], events: [String] = [], isLost: Bool = false, sequence number: Int? = nil
  ) async throws -> JSONValue {
    if number == nil { sequence += 1 }
    func list(_ items: [String]) -> String { "[\(items.map { "\"\($0)\"" }.joined(separator: ","))]" }
    var body =
      "{\"sequence\":\(number ?? sequence),\"device\":{\"platform\":\"iOS\",\"timeZone\":\"\(zone)\"}"
    body += ",\"authorizationStatus\":\"\(status)\",\"foreign\":{\"count\":\(foreign)}"
    if !settings.isEmpty {
      let members = settings.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\"\($0.value)\"" }
      body += ",\"settings\":{\(members.joined(separator: ","))}"
    }
    switch pending {
    case .mirrored: body += ",\"pending\":\(mirror.pending)"
    case .none: body += ",\"pending\":[]"
    case .unsaid: break
    }
    if let planVersion { body += ",\"planVersion\":\(planVersion)" }
    body += ",\"put\":[\(put.joined(separator: ","))],\"cancel\":\(list(cancel))"
    body += ",\"delivered\":\(list(delivered)),\"events\":[\(events.joined(separator: ","))]\(more)}"
    let answer = try await client.send("POST", Reports.path(id), body: body)
    try #require(answer.status == 200, "\(answer)")
    guard !isLost, number == nil else { return answer.json }
    mirror.apply(answer.json)
    if planVersion != nil { planVersion = answer.json["planVersion"]?.int }
    return answer.json
  }

  static func put(_ id: String, at seconds: Int64, _ more: String = "") -> String {
    """
    {"id":"\(id)","content":{"title":"Hello","sound":"default"},
     "trigger":{"kind":"instant","at":"\(Reports.time(seconds))"}\(more)}
    """
  }

  /// Newest first.
  func deliveries() async throws -> [JSONValue] {
    try await items("/deliveries?limit=200")
  }

  /// Newest first.
  func history() async throws -> [JSONValue] { try await items("/history?limit=200") }

  func show() async throws -> JSONValue { try await client.send("GET", Reports.path(id, "")).json }

  /// The outcome of each occurrence, by notification; of several the newest.
  func outcomes() async throws -> [String: String] {
    Dictionary(
      try await deliveries().map { ($0["notification"]?.string ?? "", $0["outcome"]?.string ?? "") }
    ) { first, _ in first }
  }

  private func items(_ rest: String) async throws -> [JSONValue] {
    let answer = try await client.send("GET", Reports.path(id, rest))
    try #require(answer.status == 200, "\(answer)")
    return answer.json["items"]?.array ?? []
  }
}

/// One server with one tenant, and devices of it.
func withTruthfulDevices(
  policy: String? = nil, _ body: (TestServer, HTTPTestClient) async throws -> Void
) async throws {
  try await TestServer.with(loops: 1) { server in
    let client = server.client(try await server.makeTenant())
    if let policy {
      let put = try await client.send("PUT", "/v1/policy", body: policy)
      try #require(put.status == 200, "\(put)")
    }
    try await body(server, client)
  }
}
