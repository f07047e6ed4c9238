import CarillonJSON
import IntegrationSupport
import Testing

/// What a plan's tag promises holds for the device and the plan it was made for.
@Suite struct PlanTagTests {
  private struct Phone {
    let client: HTTPTestClient
    let id: String
    var sequence = 0

    init(_ client: HTTPTestClient, _ id: String = Reports.newDevice()) {
      self.client = client
      self.id = id
    }

    mutating func sync(_ extra: String) async throws {
      sequence += 1
      let answer = try await client.send(
        "POST", Reports.path(id), body: Reports.full(sequence: sequence, extra: extra))
      try #require(answer.status == 200, "\(answer)")
    }

    mutating func put(_ id: String) async throws {
      try await sync(",\"put\":[\(Reports.notification(id, inHours: 5))]")
    }

    func plan(_ tag: String? = nil) async throws -> HTTPTestClient.Response {
      try await client.send(
        "GET", Reports.path(id, "/plan"), headers: tag.map { [("If-None-Match", $0)] } ?? [])
    }

    func tag() async throws -> String { try #require(try await plan().header("ETag")) }
  }

  private func withPhone(_ body: (TestServer, inout Phone) async throws -> Void) async throws {
    try await TestServer.with { server in
      var phone = Phone(server.client(try await server.makeTenant()))
      try await phone.put("a")
      try await body(server, &phone)
    }
  }

  private func held(_ answer: HTTPTestClient.Response) -> [String] {
    answer.json["held"]?.array?.compactMap { $0["id"]?.string } ?? []
  }

  @Test func anotherDeviceIsNotTakenForIt() async throws {
    try await withPhone { server, phone in
      let tag = try await phone.tag()
      #expect(try await phone.plan(tag).status == 304)
      var other = Phone(phone.client)
      try await other.put("b")
      let answer = try await other.plan(tag)
      #expect(answer.status == 200 && held(answer) == ["b"])
    }
  }

  /// A seal is no secret: whoever forges one is told what is so.
  @Test func aPromiseOfATimeThatTheDatabaseCannotHoldIsNone() async throws {
    try await withPhone { server, phone in
      let genuine = try await phone.tag().filter { $0 != "\"" }.split(separator: ".").map(String.init)
      try #require(genuine.count == 10)
      for place in 1...7 {
        var parts = genuine.dropLast()
        parts[place] = String(Int64.max, radix: 16)
        var seal = StableHash()
        seal.combine("\(phone.id) \(parts[0]) \(parts[1...].joined(separator: "."))")
        let answer = try await phone.plan("\"\((parts + [seal.hex]).joined(separator: "."))\"")
        #expect(answer.status == 304, "\(place): \(answer)")
        parts[0] = "0-0-0"
        seal = StableHash()
        seal.combine("\(phone.id) \(parts[0]) \(parts[1...].joined(separator: "."))")
        let other = try await phone.plan("\"\((parts + [seal.hex]).joined(separator: "."))\"")
        #expect(other.status == 200, "\(place): \(other)")
      }
    }
  }

  @Test func anErasedDeviceThatComesAgainIsAnother() async throws {
    try await withPhone { server, phone in
      let tag = try await phone.tag()
      #expect(try await phone.client.send("DELETE", "/v1/devices/\(phone.id)").status == 204)
      server.clock.advance(seconds: 1)
      var again = Phone(phone.client, phone.id)
      try await again.put("b")
      let answer = try await again.plan(tag)
      #expect(answer.status == 200 && held(answer) == ["b"])
    }
  }

  /// Each part of it, changed.
  @Test func aTagThatWasChangedPromisesNothing() async throws {
    try await withPhone { server, phone in
      let tag = try await phone.tag()
      let parts = tag.dropFirst().dropLast().split(separator: ".", omittingEmptySubsequences: false)
      #expect(parts.count == 10)
      for index in parts.indices where index > 0 {
        var changed = parts
        changed[index] = changed[index] == "1" ? "2" : "1"
        // What names the plan still does: then it is made again, and found to be the same.
        #expect(try await phone.plan("\"\(changed.joined(separator: "."))\"").status == 304)
      }
      var changed = parts
      changed[0] = "evil"
      let answer = try await phone.plan("\"\(changed.joined(separator: "."))\"")
      #expect(answer.status == 200 && held(answer) == ["a"])
      #expect(try await phone.plan("\"\(parts[0])\"").status == 304)
    }
  }

  /// Whatever changes a plan or its count of unread items ends the promise.
  @Test func whatChangesAPlanEndsIt() async throws {
    try await withPhone { server, phone in
      for change in ["put", "cancel", "policy", "fire", "mark", "zone"] {
        let tag = try await phone.tag()
        #expect(try await phone.plan(tag).status == 304, "\(change)")
        switch change {
        case "put": try await phone.put("b")
        case "cancel": _ = try await phone.client.send("DELETE", Reports.path(phone.id, "/notifications/b"))
        case "policy": _ = try await phone.client.send("PUT", "/v1/policy", body: "{\"slots\":1}")
        case "fire": server.clock.advance(seconds: 5 * 3_600 + 1)
        case "mark":
          let body = "{\"before\":\"\(Reports.time(6 * 3_600))\"}"
          _ = try await phone.client.send("POST", Reports.path(phone.id, "/inbox/read"), body: body)
        default:
          try await phone.sync(
            ",\"put\":[{\"id\":\"d\",\"content\":{\"title\":\"D\"},\"trigger\":{\"kind\":\"local\",\"at\":\"2030-01-01T09:00:00\"}}]"
          )
        }
        let answer = try await phone.plan(tag)
        #expect(answer.status == 200, "\(change)")
      }
    }
  }
}
