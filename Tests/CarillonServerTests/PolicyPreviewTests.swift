import CarillonJSON
import CarillonModel
import CarillonServer
import CarillonStore
import IntegrationSupport
import Testing

/// `POST /v1/policy/preview` on the real server.
@Suite struct PolicyPreviewTests {
  /// What a preview must leave as it is: every row of every table, with its place and its transaction.
  private static let rows =
    ["devices", "device_syncs", "notifications", "plans", "device_events", "policies", "tenants"]
    .map { "SELECT '\($0)' || t.ctid::text || t.xmin::text || t::text AS row FROM carillon.\($0) AS t" }
    .joined(separator: " UNION ALL ") + " ORDER BY row"

  /// Devices 1…count that hold what they were told: `night` at 03:00 in Istanbul, `day` at noon.
  private func makeDevices(_ count: Int, _ client: HTTPTestClient) async throws {
    for number in 1...count {
      var mirror = DeviceMirror()
      for sequence in 1...2 {
        let answer = try await client.send(
          "POST", Reports.path(Reports.device(number)),
          body: Reports.full(
            sequence: sequence, pending: mirror.pending,
            extra: sequence == 1
              ? ",\"put\":[\(Self.at("night", "2026-12-01T00:00:00Z")),\(Self.at("day", "2026-12-01T09:00:00Z"))]"
              : ""))
        try #require(answer.status == 200, "\(answer)")
        mirror.apply(answer.json)
      }
    }
  }

  private static func at(_ id: String, _ instant: String) -> String {
    """
    {"id":"\(id)","content":{"title":"Hello"},"trigger":{"kind":"instant","at":"\(instant)"}}
    """
  }

  private static let quiet = #"{"quietHours":{"windows":[{"from":"22:00","to":"07:30"}]}}"#

  private func preview(
    _ client: HTTPTestClient, _ policy: String, _ more: String = ""
  ) async throws -> HTTPTestClient.Response {
    try await client.send("POST", "/v1/policy/preview", body: "{\"policy\":\(policy)\(more)}")
  }

  @Test func itCountsWhatChangesAndWritesNothing() async throws {
    try await TestServer.with { server in
      let client = server.client(try await server.makeTenant())
      try await makeDevices(5, client)
      let before = try await server.database.column(Self.rows)
      let answer = try await preview(client, Self.quiet, ",\"deviceId\":\"\(Reports.device(3))\"")
      #expect(answer.status == 200, "\(answer)")
      let json = answer.json
      #expect(json["changes"] == true && json["policyVersion"] == 0)
      #expect(json["plannedAt"]?.string == Reports.time(0))
      #expect(json["devices"] == ["total": 5, "planned": 5, "changed": 5, "skipped": 0])
      #expect(json["before"]?["held"] == 10 && json["before"]?["moved"] == 0)
      #expect(json["after"]?["held"] == 10 && json["after"]?["moved"] == 5)
      #expect(json["changedDevices"]?.array?.map { $0["deviceId"]?.string } == (1...5).map(Reports.device))
      #expect(json["changedDevices"]?.array?.allSatisfy { $0["replaced"] == 1 && $0["added"] == 0 } == true)
      let device = try #require(json["device"])
      #expect(device["deviceId"]?.string == Reports.device(3) && device["replaced"] == 1)
      #expect(fire("night", device["before"]) == "2026-12-01T00:00:00Z")
      #expect(fire("night", device["after"]) == "2026-12-01T04:30:00Z")
      #expect(fire("day", device["before"]) == fire("day", device["after"]))
      #expect(device["before"]?["policyVersion"] == 0 && device["after"]?["policyVersion"] == 1)

      // The policy in force, in other words, changes nothing.
      let same = try await preview(client, #"{"slots":64,"order":"soonestFirst"}"#)
      #expect(
        same.json["changes"] == false && same.json["changedDevices"] == [] && same.json["device"] == .null)
      #expect(same.json["before"] == same.json["after"])
      #expect(try await server.database.column(Self.rows) == before)
    }
  }

  /// What was answered is what happens when the policy is put.
  @Test func itTellsWhatThePolicyThenDoes() async throws {
    try await TestServer.with { server in
      let client = server.client(try await server.makeTenant())
      try await makeDevices(1, client)
      let device = Reports.device(1)
      let told = try await preview(client, #"{"slots":1}"#, ",\"sample\":0,\"deviceId\":\"\(device)\"")
      #expect(told.json["devices"]?["planned"] == 0 && told.json["changes"] == true)
      _ = try await client.send("PUT", "/v1/policy", body: #"{"slots":1}"#)
      let plan = try await client.send("GET", Reports.path(device, "/plan"))
      func shape(_ plan: JSONValue?) -> [[JSONValue?]] {
        ["held", "queued", "withheld", "expired"].map { part in
          (plan?[part]?.array ?? []).flatMap { [$0["id"], $0["revision"], $0["reason"], $0["fireAt"]] }
        }
      }
      #expect(shape(plan.json) == shape(told.json["device"]?["after"]))
      #expect(plan.json["version"] == told.json["device"]?["after"]?["version"])
      #expect(plan.json["policyVersion"] == told.json["device"]?["after"]?["policyVersion"])
      // And now both sides are the same.
      let again = try await preview(client, #"{"slots":1}"#)
      #expect(again.json["changes"] == false && again.json["policyVersion"] == 1)
    }
  }

  @Test func aSampleIsBoundedAndTheSameEachTime() async throws {
    try await TestServer.with { server in
      let tenant = try await server.makeTenant()
      let client = server.client(tenant)
      try await makeDevices(40, client)
      let hops = await server.server.remoteEnqueueCount
      let first = try await preview(client, Self.quiet, ",\"sample\":7")
      #expect(first.json["devices"] == ["total": 40, "planned": 7, "changed": 7, "skipped": 0])
      let again = try await preview(client, Self.quiet, ",\"sample\":7")
      #expect(again.text == first.text)
      // Not simply the first ones.
      let ids = first.json["changedDevices"]?.array?.compactMap { $0["deviceId"]?.string } ?? []
      #expect(ids == ids.sorted() && ids != (1...7).map(Reports.device))
      let whole = try await preview(client, Self.quiet, ",\"sample\":1000")
      #expect(whole.json["devices"]?["planned"] == 40)
      // It gave way to others between two devices, and never left its loop.
      #expect(await server.server.remoteEnqueueCount == hops)
    }
  }

  /// A device whose zone the server does not know stands in the way of nothing.
  @Test func aDeviceThatCannotBePlannedIsSkipped() async throws {
    try await TestServer.with { server in
      let client = server.client(try await server.makeTenant())
      try await makeDevices(2, client)
      _ = try await server.database.column(
        "UPDATE carillon.devices SET time_zone = 'Mars/Olympus' WHERE device_id = '\(Reports.device(1))'")
      let answer = try await preview(client, Self.quiet)
      #expect(answer.json["devices"] == ["total": 2, "planned": 1, "changed": 1, "skipped": 1])
    }
  }

  @Test(arguments: [
    ("", 400, ""), ("[]", 400, ""), ("{}", 422, ""), (#"{"policy":[]}"#, 400, "/policy"),
    (#"{"policy":{"slot":7}}"#, 422, "/policy/slot"), (#"{"policy":{"slots":0.5}}"#, 400, "/policy/slots"),
    (
      #"{"policy":{"slots":1,"types":[{"name":"a","prefixes":["a"],"priority":0,"reserve":2}]}}"#, 422,
      "/policy/types"
    ),
    (
      #"{"policy":{"quietHours":{"windows":[{"from":"7","to":"8"}]}}}"#, 422,
      "/policy/quietHours/windows/0/from"
    ),
    (#"{"policy":{},"sample":-1}"#, 422, "/sample"), (#"{"policy":{},"sample":1001}"#, 422, "/sample"),
    (#"{"policy":{},"sample":"all"}"#, 400, "/sample"), (#"{"policy":{},"sample":0}"#, 422, "/sample"),
    (#"{"policy":{},"deviceId":"42"}"#, 422, "/deviceId"),
    (#"{"policy":{},"tenantId":"x"}"#, 422, "/tenantId"),
    (#"{"policy":{},"policy":{}}"#, 422, "/policy"),
  ])
  func aBodyThatIsNoneIsRefused(_ body: String, _ status: Int, _ pointer: String) async throws {
    try await TestServer.with(loops: 1) { server in
      let client = server.client(try await server.makeTenant())
      let answer = try await client.send("POST", "/v1/policy/preview", body: body)
      #expect(answer.status == status, "\(answer)")
      #expect(answer.json["errors"]?.array?.first?["pointer"]?.string == pointer, "\(answer)")
    }
  }

  @Test func onlyAKeyForPoliciesMayAskAndOnlyOfItsOwnDevices() async throws {
    try await TestServer.with { server in
      let owner = try await server.makeTenant()
      try await makeDevices(1, server.client(owner))
      let stranger = server.client(try await server.makeTenant(scopes: [.policy]))
      let foreign = try await preview(stranger, Self.quiet, ",\"deviceId\":\"\(Reports.device(1))\"")
      #expect(foreign.status == 404 && foreign.json["code"] == "deviceNotFound")
      let none = try await preview(stranger, Self.quiet)
      #expect(none.json["devices"] == ["total": 0, "planned": 0, "changed": 0, "skipped": 0])
      let other = server.client(try await server.makeTenant(scopes: [.devices, .notifications, .reports]))
      #expect(try await preview(other, Self.quiet).json["code"] == "insufficientScope")
      let get = try await stranger.send("GET", "/v1/policy/preview")
      #expect(get.status == 405 && get.header("Allow") == "POST")
    }
  }

  private func fire(_ id: String, _ plan: JSONValue?) -> String? {
    plan?["held"]?.array?.first { $0["id"]?.string == id }?["fireAt"]?.string
  }
}
