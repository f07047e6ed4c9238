import CarillonAPI
import CarillonJSON
import CarillonModel
import Testing

/// Every document the wire reads, cut, swapped and overwritten at random: it is read or refused with a typed error.
@Suite struct DamageTests {
  static let documents:
    [(name: String, bytes: [UInt8], read: @Sendable ([UInt8]) throws(JSONError) -> Void)] = [
      ("report", Sample.report, { (body) throws(JSONError) in _ = try ReceivedReport(body) }),
      (
        "answer", SyncResponseTests.response().json,
        { (body) throws(JSONError) in _ = try SyncResponse(body) }
      ),
      (
        "batch", BatchRequest([BatchTests.put, BatchTests.cancel]).json,
        { (body) throws(JSONError) in _ = try ReceivedBatch(body) }
      ),
      (
        "results", BatchResponse([BatchResult(index: 0, rejectedBy: Problem(.queueFull, "Full."))]).json,
        { (body) throws(JSONError) in _ = try BatchResponse(body) }
      ),
      (
        "item",
        NotificationItem(
          head: Sample.notification("a").head, content: Sample.notification("a").content.canonicalBytes,
          type: "habit", priority: 0, fireAt: Sample.now, state: .held, createdAt: Sample.now
        ).json, { (body) throws(JSONError) in _ = try NotificationItem(body) }
      ),
      (
        "device",
        DeviceItem(
          id: Sample.device, info: DeviceInfo(), authorizationStatus: .denied,
          settings: NotificationSettings(),
          planVersion: 1, sequence: 2, createdAt: Sample.now, updatedAt: Sample.now, seenAt: nil
        ).json, { (body) throws(JSONError) in _ = try DeviceItem(body) }
      ),
      (
        "plan", Array(#"{"version":1,"held":[{"id":"a","content":{"title":"t"}}],"queued":[]}"#.utf8),
        { (body) throws(JSONError) in _ = try PlanResponse(body) }
      ),
    ]

  @Test(arguments: 0..<12) func isReadOrRefused(seed: UInt64) {
    var random = Randomizer(seed: seed)
    for document in Self.documents {
      var refused = 0
      for _ in 0..<200 {
        let body = random.damaged(document.bytes)
        do { try document.read(body) } catch {
          refused += 1
          #expect(!Problem(error).json.isEmpty)
        }
        // Whatever came, it can be told as a problem.
        #expect(ReceivedProblem(status: 500, body: body).status == 500)
      }
      #expect(refused > 0, "\(document.name), seed \(seed)")
    }
  }

  @Test(arguments: 0..<12) func targetsAndFieldsAreReadOrRefused(seed: UInt64) {
    var random = Randomizer(seed: seed)
    for route in Sample.routes {
      for _ in 0..<10 {
        let path = String(decoding: random.damaged(Array(route.path.utf8)), as: UTF8.self)
        let query = route.query.map { String(decoding: random.damaged(Array($0.utf8)), as: UTF8.self) }
        guard let found = try? Route(method: route.method, path: path, query: query) else { continue }
        // What was understood can be said again, and means the same.
        let again = try? Route(method: found.method, path: found.path, query: found.query)
        #expect(again == found, "seed \(seed): \(path)?\(query ?? "")")
      }
    }
    for _ in 0..<500 {
      let field = String(decoding: random.damaged(Array(#""3", W/"17-3-ab", *"#.utf8)), as: UTF8.self)
      guard case .tags(let tags)? = try? EntityTagCondition(field) else { continue }
      let said = tags.map(\.description).joined(separator: ", ")
      #expect((try? EntityTagCondition(said)) == .tags(tags), "seed \(seed): \(field)")
    }
  }
}
