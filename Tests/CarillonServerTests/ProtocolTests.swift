import CarillonJSON
import CarillonPostgres
import CarillonStore
import Foundation
import IntegrationSupport
import TestSupport
import Testing

/// What the server answers to requests that are wrong, and that every error is a problem of the catalogue.
@Suite struct ProtocolTests {
  private func expectProblem(
    _ answer: HTTPTestClient.Response, _ status: Int, _ code: String, _ comment: Comment? = nil
  ) {
    #expect(answer.status == status, comment)
    #expect(answer.header("Content-Type") == "application/problem+json", comment)
    #expect(answer.json["code"]?.string == code, comment)
    #expect(answer.json["status"]?.int == status, comment)
    #expect(answer.json["requestId"]?.string == answer.header("X-Request-Id"), comment)
    for member in ["type", "title", "detail"] {
      #expect(answer.json[member]?.string?.isEmpty == false, comment)
    }
    #expect(answer.json["retryable"]?.bool != nil, comment)
  }

  @Test func wrongRequestsAreProblems() async throws {
    try await TestServer.with { server in
      let client = server.client(try await server.makeTenant())
      let device = Reports.newDevice()
      let path = Reports.path(device)

      expectProblem(try await client.send("GET", "/v2/nothing"), 404, "routeNotFound")
      let method = try await client.send("PATCH", path)
      expectProblem(method, 405, "methodNotAllowed")
      #expect(method.header("Allow") == "POST")
      expectProblem(
        try await client.send("POST", path, headers: [("Content-Type", "text/plain")], body: "{}"), 415,
        "unsupportedMediaType")
      let garbage = try await client.send("POST", path, body: "{\"sequence\": 1, oops}")
      expectProblem(garbage, 400, "invalidJSON")
      #expect(garbage.json["detail"]?.string?.contains("byte 16") == true, "\(garbage)")
      expectProblem(
        try await client.send(
          "POST", path, body: "{\"sequence\":1,\"x\":\"" + String(repeating: "a", count: 300_000) + "\"}"),
        413, "bodyTooLarge")
      expectProblem(try await client.send("POST", path, body: ""), 400, "invalidJSON")
      expectProblem(try await client.send("POST", path, body: "{}"), 422, "validationFailed")
      let zone = try await client.send(
        "POST", path, body: "{\"sequence\":1,\"device\":{\"timeZone\":\"Mars/Olympus\"}}")
      expectProblem(zone, 422, "validationFailed")
      #expect(zone.json["errors"]?[0]?["pointer"]?.string == "/device/timeZone")
      expectProblem(
        try await client.send("POST", path, body: "{\"sequence\":1,\"device\":{\"timeZone\":\"+02:00\"}}"),
        422,
        "validationFailed")
      expectProblem(try await client.send("GET", "/v1/devices/not-a-uuid/plan"), 400, "invalidParameter")
      expectProblem(try await client.send("GET", Reports.path(device, "/plan")), 404, "deviceNotFound")
      expectProblem(
        try await client.send("GET", Reports.path(device, "/notifications?cursor=forged")), 400,
        "invalidCursor")
      expectProblem(try await server.client.send("POST", path, body: "{}"), 401, "unauthenticated")
      for target in ["/v1/devices?cursor=forged", "/v1/devices/not-a-uuid/plan", "/v1/devices?limit=0"] {
        expectProblem(try await server.client.send("GET", target), 401, "unauthenticated")
      }
      let stranger = HTTPTestClient(port: server.port, key: "ck_nobody_nothing")
      expectProblem(try await stranger.send("POST", path, body: "{}"), 401, "invalidCredential")
      // Nothing of all this made a device.
      #expect(try await server.database.column("SELECT count(*)::text FROM carillon.devices") == ["0"])
    }
  }

  @Test(arguments: [
    "Content-Length: 2\r\nContent-Length: 20\r\n", "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n",
    "Host: other\r\nContent-Length: 2\r\n",
  ])
  func whatCouldSmuggleIsRefusedAndTheConnectionClosed(_ headers: String) async throws {
    try await TestServer.with { server in
      let request = """
        POST \(Reports.path(Reports.newDevice())) HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n\
        \(headers)\r\n{}GET /v1/policy HTTP/1.1\r\nHost: a\r\n\r\n
        """
      // The exchange ends only when the server closes.
      let answer = String(decoding: try await server.client.exchange(Array(request.utf8)), as: UTF8.self)
      #expect(answer.hasPrefix("HTTP/1.1 400"))
      #expect(
        answer.components(separatedBy: "HTTP/1.1 ").count == 2, "a second request was answered: \(answer)")
    }
  }

  @Test func aBodyIsTakenInUTF8AndWithItsLengthAlone() async throws {
    try await TestServer.with { server in
      let client = server.client(try await server.makeTenant())
      let path = Reports.path(Reports.newDevice())
      func answer(to type: String) async throws -> HTTPTestClient.Response {
        try await client.send("POST", path, headers: [("Content-Type", type)], body: "{}")
      }
      for parameters in [
        "", "; charset=utf-8", ";charset=UTF-8", " ; Charset=\"Utf-8\"", "; profile=x",
        "; profile=x; charset=utf-8",
      ] {
        expectProblem(try await answer(to: "application/json\(parameters)"), 422, "validationFailed")
      }
      for parameters in [
        "; charset=utf-16", ";charset=UTF-16LE", "; charset=iso-8859-1", "; charset=\"utf-32\"", "; charset=",
        "; charset", "; profile=x; charset=utf-7", "; charset=utf-8; charset=utf-16", "; charset=utf8",
      ] {
        expectProblem(try await answer(to: "application/json\(parameters)"), 415, "unsupportedMediaType")
      }
      let request = """
        POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n\
        2\n{}\r\n0\r\n\r\nGET /v1/policy HTTP/1.1\r\nHost: a\r\n\r\n
        """
      let chunked = String(decoding: try await client.exchange(Array(request.utf8)), as: UTF8.self)
      #expect(chunked.hasPrefix("HTTP/1.1 411") && chunked.contains("lengthRequired"), "\(chunked)")
      #expect(chunked.components(separatedBy: "HTTP/1.").count == 2, "\(chunked)")
      let unreadable = String(
        decoding: try await client.exchange(
          Array("POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: +2\r\n\r\n{}".utf8)), as: UTF8.self)
      #expect(
        unreadable.hasPrefix("HTTP/1.1 400") && unreadable.contains("malformedRequest"), "\(unreadable)")
      #expect(unreadable.components(separatedBy: "HTTP/1.").count == 2, "\(unreadable)")
    }
  }

  @Test func plansHaveTagsThatHold() async throws {
    try await TestServer.with { server in
      let client = server.client(try await server.makeTenant())
      let device = Reports.newDevice()
      _ = try await client.send(
        "POST", Reports.path(device), body: Reports.full(sequence: 1, extra: ",\"put\":[\(Reports.queue(3))]")
      )
      let plan = try await client.send("GET", Reports.path(device, "/plan"))
      #expect(plan.status == 200)
      #expect(plan.json["held"]?.array?.count == 3)
      let tag = try #require(plan.header("ETag"))
      let same = try await client.send(
        "GET", Reports.path(device, "/plan"), headers: [("If-None-Match", tag)])
      #expect(same.status == 304 && same.body.isEmpty && same.header("ETag") == tag)
      _ = try await client.send("DELETE", Reports.path(device, "/notifications/p.001"))
      let changed = try await client.send(
        "GET", Reports.path(device, "/plan"), headers: [("If-None-Match", tag)])
      #expect(changed.status == 200 && changed.json["held"]?.array?.count == 2)
      // Time alone moves a plan, too.
      let newTag = try #require(changed.header("ETag"))
      server.clock.advance(seconds: 3_700)
      let later = try await client.send(
        "GET", Reports.path(device, "/plan"), headers: [("If-None-Match", newTag)])
      #expect(later.status == 200 && later.json["held"]?.array?.count == 1)
    }
  }

  @Test func queueItemsArePutShownListedAndDeleted() async throws {
    try await TestServer.with { server in
      let client = server.client(try await server.makeTenant())
      let device = Reports.newDevice()
      let path = Reports.path(device, "/notifications/a%2Fb")
      let body = Reports.notification("a/b", inHours: 1)
      let created = try await client.send("PUT", path, body: body)
      #expect(created.status == 201, "\(created)")
      #expect(created.json["id"]?.string == "a/b")
      #expect(created.json["state"]?.string == "accepted")
      #expect(created.json["fireAt"]?.string == Reports.time(3600))
      #expect(try await client.send("PUT", path, body: body).status == 200)
      let mismatch = try await client.send("PUT", path, body: Reports.notification("other", inHours: 1))
      expectProblem(mismatch, 422, "validationFailed")
      let impossible = """
        {"content":{"title":"x"},"trigger":{"kind":"calendar","components":{"year":2018,"month":6,"day":21,"hour":8},"repeats":true}}
        """
      expectProblem(try await client.send("PUT", path, body: impossible), 422, "validationFailed")
      #expect(try await client.send("GET", path).json["trigger"]?["kind"]?.string == "instant")

      for index in 0..<5 {
        _ = try await client.send(
          "PUT", Reports.path(device, "/notifications/\(Reports.name(index))"),
          body: Reports.notification(Reports.name(index), inHours: index + 2))
      }
      _ = try await client.send("POST", Reports.path(device), body: Reports.full(sequence: 1))
      var seen: [String] = []
      var next: String? = Reports.path(device, "/notifications?limit=2")
      while let page = next {
        let answer = try await client.send("GET", page)
        try #require(answer.status == 200, "\(answer)")
        seen += answer.json["items"]?.array?.compactMap { $0["id"]?.string } ?? []
        #expect(answer.json["items"]?.array?.allSatisfy { $0["state"]?.string == "held" } == true)
        next = answer.json["nextCursor"]?.string.map {
          Reports.path(device, "/notifications?limit=2&cursor=\($0)")
        }
        #expect((answer.header("Link") != nil) == (next != nil))
      }
      #expect(seen == ["a/b"] + (0..<5).map(Reports.name))
      #expect(try await client.send("DELETE", path).status == 204)
      expectProblem(try await client.send("DELETE", path), 404, "notificationNotFound")
    }
  }

  @Test func policiesAreVersionedAndGuarded() async throws {
    try await TestServer.with { server in
      let client = server.client(try await server.makeTenant())
      let none = try await client.send("GET", "/v1/policy")
      #expect(none.status == 200 && none.text == "{}" && none.header("ETag") == "\"0\"")
      let first = try await client.send("PUT", "/v1/policy", body: "{\"slots\":10}")
      #expect(first.status == 200 && first.header("ETag") == "\"1\"")
      expectProblem(try await client.send("PUT", "/v1/policy", body: "{}"), 428, "preconditionRequired")
      let second = try await client.send(
        "PUT", "/v1/policy", headers: [("If-Match", "\"1\"")], body: "{\"slots\":11}")
      #expect(second.header("ETag") == "\"2\"")
      for path in ["/v1/policy", "/v1/policy?version=2"] {
        let known = try await client.send("GET", path, headers: [("If-None-Match", "\"1\", W/\"2\"")])
        #expect(known.status == 304 && known.header("ETag") == "\"2\"" && known.body.isEmpty)
        // Of one name all fields are one list.
        let fields = [("If-None-Match", "\"1\""), ("If-None-Match", "\"2\"")]
        #expect(try await client.send("GET", path, headers: fields).status == 304)
        let older = try await client.send("GET", path, headers: [("If-None-Match", "\"1\"")])
        #expect(older.status == 200 && older.text == "{\"slots\":11}")
        expectProblem(
          try await client.send("GET", path, headers: [("If-None-Match", "2")]), 400, "invalidHeader")
      }
      let doubled = [("If-Match", "\"2\""), ("If-Match", "\"1\"")]
      expectProblem(
        try await client.send("PUT", "/v1/policy", headers: doubled, body: "{\"slots\":12}"), 400,
        "invalidHeader")
      for fields in [["identity", "gzip"], ["gzip", "identity"], ["identity, gzip"], ["x, identity"]] {
        let codings = fields.map { ("Content-Encoding", $0) } + [("If-Match", "\"2\"")]
        expectProblem(
          try await client.send("PUT", "/v1/policy", headers: codings, body: "{\"slots\":12}"), 415,
          "unsupportedMediaType")
      }
      let late = try await client.send(
        "PUT", "/v1/policy", headers: [("If-Match", "\"1\"")], body: "{\"slots\":12}")
      expectProblem(late, 412, "policyVersionMismatch")
      #expect(late.json["current"]?.int == 2)
      let typo = try await client.send(
        "PUT", "/v1/policy", headers: [("If-Match", "\"2\"")], body: "{\"slot\":12}")
      expectProblem(typo, 422, "validationFailed")
      #expect(try await client.send("GET", "/v1/policy").text == "{\"slots\":11}")
      let history = try await client.send("GET", "/v1/policy/versions")
      #expect(history.json["items"]?.array?.compactMap { $0["version"]?.int } == [2, 1])
    }
  }

  @Test func theAdminListenerTellsHealthAndNothingElse() async throws {
    try await TestServer.with { server in
      #expect(try await server.admin.send("GET", "/healthz").status == 200)
      let ready = try await server.admin.send("GET", "/readyz")
      #expect(ready.status == 200 && ready.json["database"]?.bool == true)
      #expect(try await server.admin.send("GET", "/version").json["version"]?.string != nil)
      let client = server.client(try await server.makeTenant())
      for _ in 1...3 { _ = try await client.send("GET", "/v1/policy") }
      let metrics = try await server.admin.send("GET", "/metrics")
      #expect(metrics.text.contains("carillon_http_responses_total{status=\"2xx\"} 3\n"), "\(metrics)")
      #expect(try await server.admin.send("GET", "/openapi.json").json["openapi"]?.string == "3.1.0")
      #expect(try await server.client.send("GET", "/openapi.json").status == 200)
      expectProblem(try await server.admin.send("GET", "/v1/policy"), 404, "routeNotFound")
      expectProblem(try await server.client.send("GET", "/healthz"), 404, "routeNotFound")
    }
  }

  @Test func aSchemaThatIsRolledBackIsNotReady() async throws {
    try await TestServer.with { server in
      let owner = server.database.conninfo(.owner)
      try await withLoop { loop in
        let connection = try await PostgresConnection.connect(owner, on: loop)
        defer { connection.close() }
        _ = try await Schema.migrator.rollback(on: connection)
      }
      let unready = try await server.admin.send("GET", "/readyz")
      #expect(unready.status == 503 && unready.json["migrations"]?.bool == false, "\(unready)")
      try await withLoop { loop in
        let connection = try await PostgresConnection.connect(owner, on: loop)
        defer { connection.close() }
        _ = try await Schema.migrator.migrate(on: connection)
      }
      #expect(try await server.admin.send("GET", "/readyz").status == 200)
    }
  }

  @Test func aBatchAnswersForEachItem() async throws {
    try await TestServer.with { server in
      let client = server.client(try await server.makeTenant())
      let device = Reports.newDevice()
      _ = try await client.send(
        "POST", Reports.path(device), body: "{\"sequence\":1,\"device\":{\"userId\":\"u1\"}}")
      let body = """
        {"operations":[
          {"op":"put","userId":"u1","notification":\(Reports.notification("a", inHours: 1))},
          {"op":"put","deviceId":"\(device)","notification":{"id":"b","content":{},"trigger":{"kind":"instant","at":"2026-12-01T08:00:00Z"}}},
          {"op":"cancel","deviceId":"\(device)","id":"never"},
          {"op":"cancel","deviceId":"\(device)","id":"a"},
          {"op":"put","userId":"nobody","notification":\(Reports.notification("c", inHours: 1))},
          {"op":"explode","deviceId":"\(device)","id":"a"}]}
        """
      let answer = try await client.send("POST", "/v1/notifications", body: body)
      #expect(answer.status == 200, "\(answer)")
      let statuses = answer.json["results"]?.array?.compactMap { $0["status"]?.string }
      #expect(statuses == ["stored", "rejected", "unchanged", "cancelled", "rejected", "rejected"])
      #expect(answer.json["results"]?[4]?["problem"]?["code"]?.string == "userNotFound")
    }
  }
}
