import CarillonAPI
import CarillonJSON
import CarillonModel
import Testing

@Suite struct BatchTests {
  static let put = BatchOperation(.put(Sample.notification("a")), for: .device(Sample.device))
  static let cancel = BatchOperation(.cancel(NotificationID(unchecked: "b/c")), for: .user("u1"))

  @Test func whatTheClientWritesTheServerReads() throws {
    let batch = try ReceivedBatch(BatchRequest([Self.put, Self.cancel]).json)
    #expect(batch.operations == [.success(Self.put), .success(Self.cancel)])
    #expect(try ReceivedBatch(Array(#"{"operations":[]}"#.utf8)).operations.isEmpty)
  }

  static let good = #"{"op":"cancel","userId":"u","id":"a"}"#
  static let id = Sample.device.text

  @Test(arguments: [
    (#"{"op":"cancel","userId":"u","id":""}"#, "/operations/1/id", "invalidId"),
    (#"{"op":"cancel","userId":"u"}"#, "/operations/1", "missingMember"),
    (#"{"op":"cancel","id":"a"}"#, "/operations/1", "invalidValue"),
    (#"{"op":"cancel","userId":"u","deviceId":"\#(id)","id":"a"}"#, "/operations/1", "invalidValue"),
    (#"{"op":"cancel","deviceId":"7","id":"a"}"#, "/operations/1/deviceId", "invalidId"),
    (#"{"op":"burn","userId":"u","id":"a"}"#, "/operations/1/op", "invalidValue"),
    (#"{"userId":"u","id":"a"}"#, "/operations/1", "missingMember"),
    (#"{"op":"put","userId":"u"}"#, "/operations/1", "missingMember"),
    (#"{"op":"put","userId":"u","notification":{"id":"a"}}"#, "/operations/1/notification", "missingMember"),
    (#"{"op":"cancel","usreId":"u","id":"a"}"#, "/operations/1/usreId", "unknownMember"),
    ("7", "/operations/1", "unexpectedType"),
  ])
  func eachItemStandsAlone(item: String, pointer: String, code: String) throws {
    let body = Array("{\"operations\":[\(Self.good),\(item),\(Self.good)]}".utf8)
    let operations = try ReceivedBatch(body).operations
    #expect(operations.count == 3)
    #expect((try? operations[0].get()) != nil && (try? operations[2].get()) != nil)
    guard case .failure(let problem) = operations[1] else {
      Issue.record("not refused")
      return
    }
    #expect(problem.errors.map(\.pointer) == [pointer])
    #expect(problem.errors.map(\.code) == [code])
  }

  @Test(arguments: [
    "{}", "[]", #"{"operations":{}}"#, #"{"operations":[],"x":1}"#,
    "{\"operations\":[\(Array(repeating: good, count: 1_001).joined(separator: ","))]}",
  ])
  func aBatchThatIsNoneIsRefusedWhole(body: String) {
    #expect(throws: JSONError.self) { try ReceivedBatch(Array(body.utf8)) }
  }

  @Test func resultsHaveTheirShapeAndReadBack() throws {
    let response = BatchResponse([
      BatchResult(index: 0, status: .stored), BatchResult(index: 1, status: .unchanged),
      BatchResult(index: 2, rejectedBy: Problem(.userNotFound, "No device of u2 is known.")),
    ])
    let json = try JSONValue(parsing: response.json)
    #expect(json["results"]?[0] == ["index": 0, "status": "stored"])
    #expect(json["results"]?[2]?["problem"]?["code"]?.string == "userNotFound")
    #expect(try BatchResponse(response.json) == response)
  }
}

@Suite struct ItemTests {
  @Test(arguments: NotificationItem.State.allCases)
  func aQueueItemIsTheNotificationAndMore(state: NotificationItem.State) throws {
    var notification = Sample.notification("habit.9")
    notification.head.type = "habit"
    notification.head.needs = [.sound]
    let item = NotificationItem(
      head: notification.head, content: notification.content.canonicalBytes, type: "habit", priority: 0,
      fireAt: state == .expired ? nil : Sample.now, state: state, createdAt: Sample.now)
    #expect(try NotificationItem(item.json) == item)
    let json = try JSONValue(parsing: item.json)
    #expect(json["id"]?.string == "habit.9" && json["type"]?.string == "habit")
    #expect(json["priority"]?.int == 0 && json["state"]?.string == state.rawValue)
    #expect(json["content"]?["title"]?.string == "Water the plants")
    #expect(json["createdAt"]?.string == "2026-11-30T10:00:00Z")
    #expect(json["fireAt"] != nil)
    // What a queue shows can be put again as it is.
    #expect(try Notification(parsing: item.json) == notification)
  }

  @Test func aDeviceShowsAllButItsPushToken() throws {
    var random = Randomizer(seed: 7)
    for _ in 0..<50 {
      var item = DeviceItem(
        id: Sample.device, info: random.device(), authorizationStatus: .provisional,
        settings: random.settings(), planVersion: random.number(0...9),
        sequence: random.coin() ? 3 : nil, createdAt: Sample.now, updatedAt: Sample.now,
        seenAt: random.coin() ? Sample.now : nil)
      #expect(try JSONValue(parsing: item.json)["device"]?["push"] == nil)
      item.info.push = nil
      #expect(try DeviceItem(item.json) == item)
    }
  }

  @Test func aPolicyVersionReadsBack() throws {
    let item = PolicyVersionItem(version: 3, createdAt: Sample.now, bytes: 120)
    var writer = JSONWriter()
    item.write(to: &writer)
    #expect(
      String(decoding: writer.bytes, as: UTF8.self)
        == #"{"version":3,"createdAt":"2026-11-30T10:00:00Z","bytes":120}"#)
    let read = try JSONReader.read(writer.bytes) { (reader) throws(JSONError) in
      try PolicyVersionItem(from: &reader)
    }
    #expect(read == item)
  }
}
