import CarillonJSON
import CarillonModel
import CarillonServer
import IntegrationSupport
import Testing

@Suite struct FleetTests {
  /// 1,000 devices of 50 tenants at once: every one ends with exactly its own plan.
  @Test func everyDeviceEndsWithItsOwnPlan() async throws {
    try await TestServer.with { server in
      var tenants: [TestTenant] = []
      for index in 0..<50 { tenants.append(try await server.makeTenant("tenant-\(index)")) }
      let before = await server.server.remoteEnqueueCount
      try await withThrowingTaskGroup { group in
        for index in 0..<1_000 {
          let client = server.client(tenants[index % 50])
          group.addTask { try await syncToTheEnd(index, client) }
        }
        try await group.waitForAll()
      }
      // Nothing hopped between threads.
      #expect(await server.server.remoteEnqueueCount == before)

      // The same device ids exist under no other tenant.
      let rows = try await server.database.column("SELECT count(*)::text FROM carillon.devices")
      #expect(rows == ["1000"])
    }
  }

  private func syncToTheEnd(_ index: Int, _ client: HTTPTestClient) async throws {
    let device = Reports.newDevice()
    var mirror = DeviceMirror()
    let mine = (0..<(index % 7 + 1)).map { "d\(index).\($0)" }
    let puts = mine.enumerated().map { Reports.notification($1, inHours: $0 + 1, title: "of \(index)") }
    for sequence in 1...3 {
      let extra = sequence == 1 ? ",\"put\":[\(puts.joined(separator: ","))]" : ""
      let answer = try await client.send(
        "POST", Reports.path(device),
        body: Reports.full(sequence: sequence, pending: mirror.pending, extra: extra))
      try #require(answer.status == 200, "\(answer)")
      if sequence > 1 { #expect(answer.json.added == [] && answer.json.removed == []) }
      mirror.apply(answer.json)
    }
    #expect(mirror.held.keys.sorted() == mine)
    let plan = try await client.send("GET", Reports.path(device, "/plan"))
    let held = plan.json["held"]?.array ?? []
    #expect(held.compactMap { $0["id"]?.string } == mine)
    #expect(held.allSatisfy { $0["content"]?["title"]?.string == "of \(index)" })
  }
}
