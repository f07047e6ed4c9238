import CarillonJSON
import CarillonModel
import CarillonStore
import Foundation
import IntegrationSupport
import TestSupport
import Testing

/// A policy is in force for all that is already planned: wishes are kept, moved times never are.
@Suite struct RetroactivePolicyTests {
  private static let quiet = #"{"quietHours":{"windows":[{"from":"22:00","to":"07:30"}]}}"#
  private static let loud = "{}"
  private static let devices = (1...4).map(Reports.device)

  /// At night in Istanbul, where all devices of these tests are.
  private static let night = """
    {"id":"night","content":{"title":"Hello"},"trigger":{"kind":"local","at":"2100-01-01T03:00"}}
    """
  private static let wished = "2100-01-01T00:00:00Z"
  private static let moved = "2100-01-01T04:30:00Z"

  /// Several devices, synced as their apps would.
  private struct Fleet {
    var mirrors: [String: DeviceMirror] = [:]
    private var sequence = 0

    /// One sync of each; the fire times of what each was told to add.
    mutating func sync(_ client: HTTPTestClient, _ extra: String = "") async throws -> [String?] {
      sequence += 1
      var fires: [String?] = []
      for device in RetroactivePolicyTests.devices {
        let answer = try await client.send(
          "POST", Reports.path(device),
          body: Reports.full(sequence: sequence, pending: mirrors[device]?.pending ?? "[]", extra: extra))
        try #require(answer.status == 200, "\(answer)")
        mirrors[device, default: DeviceMirror()].apply(answer.json)
        let adds = answer.json["diff"]?["add"]?.array ?? []
        fires.append(adds.first?["fireAt"]?.string)
        #expect(adds.count <= 1 && answer.json.removed == [])
      }
      return fires
    }
  }

  private func put(_ policy: String, over version: Int, _ client: HTTPTestClient) async throws {
    let headers = version == 0 ? [] : [("If-Match", "\"\(version)\"")]
    let answer = try await client.send("PUT", "/v1/policy", headers: headers, body: policy)
    try #require(answer.status == 200, "\(answer)")
  }

  private static func all(_ fire: String?) -> [String?] { devices.map { _ in fire } }

  @Test func theNextSyncOfEveryDeviceIsPlannedByTheNewPolicy() async throws {
    try await TestServer.with { server in
      let client = server.client(try await server.makeTenant())
      let perDevice =
        ["devices", "device_syncs", "notifications", "plans"]
        .map { "SELECT t.ctid::text || t.xmin::text || t::text AS row FROM carillon.\($0) AS t" }
        .joined(separator: " UNION ALL ") + " ORDER BY row"
      // Of all a plan says, its versions aside.
      let documents = """
        SELECT encode(substr(document, 18), 'hex')
        FROM carillon.plans ORDER BY device_id
        """
      var fleet = Fleet()
      try await put(Self.quiet, over: 0, client)
      #expect(try await fleet.sync(client, ",\"put\":[\(Self.night)]") == Self.all(Self.moved))
      for _ in 1...2 { #expect(try await fleet.sync(client) == Self.all(nil)) }
      let atFirst = try await server.database.column(documents)
      let moved = try #require(Instant(Self.moved)).milliseconds
      let digits = withUnsafeBytes(of: moved.littleEndian) { bytes in
        bytes.map { String(format: "%02x", $0) }.joined()
      }
      try #require(atFirst.count == Self.devices.count && atFirst[0]?.contains(digits) == true)

      // Putting a policy writes to no device.
      let before = try await server.database.column(perDevice)
      try await put(Self.loud, over: 1, client)
      #expect(try await server.database.column(perDevice) == before)
      #expect(try await fleet.sync(client) == Self.all(Self.wished))
      for _ in 1...2 { #expect(try await fleet.sync(client) == Self.all(nil)) }
      #expect(try await server.database.column(documents) != atFirst)

      try await put(Self.quiet, over: 2, client)
      #expect(try await fleet.sync(client) == Self.all(Self.moved))
      for _ in 1...2 { #expect(try await fleet.sync(client) == Self.all(nil)) }
      #expect(try await server.database.column(documents) == atFirst)
    }
  }

  @Test func theTagOfAPlanEndsWithThePolicy() async throws {
    try await TestServer.with { server in
      let client = server.client(try await server.makeTenant())
      let path = Reports.path(Self.devices[0], "/plan")
      var fleet = Fleet()
      _ = try await fleet.sync(client, ",\"put\":[\(Self.night)]")
      var tags: [String] = []
      for version in 0...3 {
        if version > 0 {
          try await put(version.isMultiple(of: 2) ? Self.loud : Self.quiet, over: version - 1, client)
        }
        let plan = try await client.send(
          "GET", path, headers: tags.last.map { [("If-None-Match", $0)] } ?? [])
        #expect(plan.status == 200 && plan.json["policyVersion"]?.int == version)
        let fire = plan.json["held"]?.array?.first?["fireAt"]?.string
        #expect(fire == (version.isMultiple(of: 2) ? Self.wished : Self.moved))
        let tag = try #require(plan.header("ETag"))
        #expect(!tags.contains(tag))
        tags.append(tag)
        let again = try await client.send("GET", path, headers: [("If-None-Match", tag)])
        #expect(again.status == 304)
      }
    }
  }

  /// What one process compiled of a policy is never used after another process has put a new one.
  @Test func twoProcessesOnOneDatabaseAgree() async throws {
    let database = try await MigratedDatabase.make()
    let arguments = ["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--loops", "1"]
    let processes = try (1...2).map { _ in
      try ProgramTests.Running(arguments, environment: ["DATABASE_URL": database.conninfo(.app)])
    }
    let tenant = try await TestTenant.make(
      "acme", operatorConninfo: database.conninfo(.operator), at: Reports.start)
    var clients: [HTTPTestClient] = []
    for process in processes {
      try #require(await process.read(until: "ready"), "\(process.lines)")
      clients.append(HTTPTestClient(port: try #require(process.port("port")), key: tenant.key))
    }
    var fleet = Fleet()
    #expect(try await fleet.sync(clients[0], ",\"put\":[\(Self.night)]") == Self.all(Self.wished))
    #expect(try await fleet.sync(clients[1]) == Self.all(nil))
    for version in 0...3 {
      let isQuiet = version.isMultiple(of: 2)
      try await put(isQuiet ? Self.quiet : Self.loud, over: version, clients[version / 2])
      let fire = isQuiet ? Self.moved : Self.wished
      // The one that has not put it syncs first.
      #expect(try await fleet.sync(clients[1 - version / 2]) == Self.all(fire))
      for client in clients { #expect(try await fleet.sync(client) == Self.all(nil)) }
    }
    for process in processes {
      process.process.terminate()
      _ = await process.readToEnd()
      #expect(process.process.terminationStatus == 0)
    }
  }
}
