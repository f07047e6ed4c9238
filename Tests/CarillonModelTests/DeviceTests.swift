import CarillonJSON
import CarillonModel
import TestSupport
import Testing

private func read<R>(
  _ text: String, _ body: (inout JSONReader) throws(JSONError) -> R
) -> Result<R, JSONError> {
  do throws(JSONError) { return .success(try JSONReader.read(Array(text.utf8), body)) } catch {
    return .failure(error)
  }
}

private func written(_ body: (inout JSONWriter) -> Void) -> String {
  var writer = JSONWriter()
  body(&writer)
  return String(decoding: writer.bytes, as: UTF8.self)
}

@Suite("Devices")
struct DeviceTests {
  @Test func everyMemberIsReadAndWritten() throws {
    let text =
      #"{"platform":"iOS","osVersion":"26.1","appVersion":"3.2.0","bundleId":"com.example.app","timeZone":"Europe/Madrid","firstWeekday":2,"minimumDaysInFirstWeek":4,"locale":"es_ES","deviceKey":"k","userId":"u1","cohort":"2026-W48","push":{"token":"ab01","environment":"production"},"backgroundRefresh":"available"}"#
    let info = try read(text) { (reader) throws(JSONError) in try DeviceInfo(from: &reader) }.get()
    #expect(written(info.write) == text)
    let shouted = text.replacing("ab01", with: "AB01").replacing(
      #""platform""#, with: #""novelty":[1],"platform""#)
    #expect(try read(shouted) { (reader) throws(JSONError) in try DeviceInfo(from: &reader) }.get() == info)
  }

  @Test(arguments: [
    "+02:00", "GMT+2", "UTC+1", "GMT+0200", "UTC-05:30", "-03", "Etc/GMT+5", "Z", "GMT-0", "UT+1",
  ])
  func offsetsAreNoZones(_ zone: String) {
    let result = read(#"{"timeZone":"\#(zone)"}"#) { (reader) throws(JSONError) in
      try DeviceInfo(from: &reader)
    }
    guard case .failure(let error) = result else {
      Issue.record("accepted: \(zone)")
      return
    }
    #expect(error.code == ModelError.fixedOffsetTimeZone)
    #expect(error.pointer == "/timeZone")
  }

  @Test(arguments: [
    "UTC", "GMT", "Europe/Madrid", "America/Port-au-Prince", "America/Argentina/Buenos_Aires", "EST5EDT",
    "Etc/UTC", "GMT0",
  ])
  func zones(_ zone: String) throws {
    let info = try read(#"{"timeZone":"\#(zone)"}"#) { (reader) throws(JSONError) in
      try DeviceInfo(from: &reader)
    }.get()
    #expect(info.timeZone == zone)
  }

  @Test(arguments: [
    (#"{"timeZone":""}"#, ModelError.invalidTimeZone),
    (#"{"timeZone":"/etc/localtime"}"#, ModelError.invalidTimeZone),
    (#"{"timeZone":"../x"}"#, ModelError.invalidTimeZone),
    (#"{"timeZone":"Europe/"}"#, ModelError.invalidTimeZone),
    (#"{"timeZone":"Europe/Madrid "}"#, ModelError.invalidTimeZone),
    (#"{"timeZone":"日本"}"#, ModelError.invalidTimeZone),
    (#"{"firstWeekday":0}"#, JSONError.outOfRange), (#"{"firstWeekday":8}"#, JSONError.outOfRange),
    (#"{"minimumDaysInFirstWeek":8}"#, JSONError.outOfRange),
    (#"{"push":{"environment":"sandbox"}}"#, JSONError.missingMember),
    (#"{"push":{"token":"xyz"}}"#, JSONError.invalidValue),
    (#"{"push":{"token":"abc"}}"#, JSONError.invalidValue),
    (#"{"push":{"token":""}}"#, JSONError.invalidValue), (#"{"locale":5}"#, JSONError.unexpectedType),
    (#"{"userId":"\#(String(repeating: "u", count: 257))"}"#, JSONError.outOfRange),
    (#"{"userId":"a\nb"}"#, JSONError.outOfRange),
  ])
  func refused(_ text: String, _ code: String) {
    guard
      case .failure(let error) = read(text, { (reader) throws(JSONError) in try DeviceInfo(from: &reader) })
    else {
      Issue.record("accepted: \(text)")
      return
    }
    #expect(error.code == code)
  }

  @Test func settingsKeepWhatTheyDoNotKnow() throws {
    let text =
      #"{"alert":"enabled","sound":"disabled","badge":"notSupported","lockScreen":"enabled","notificationCenter":"enabled","carPlay":"notSupported","criticalAlert":"someday","timeSensitive":"enabled","scheduledDelivery":"disabled","directMessages":"notSupported","announcement":"disabled","alertStyle":"banner","showPreviews":"always","providesAppNotificationSettings":true}"#
    let settings = try read(text) { (reader) throws(JSONError) in try NotificationSettings(from: &reader) }
      .get()
    #expect(settings.criticalAlert == .unknown("someday"))
    #expect(settings.badge == .notSupported)
    #expect(written(settings.write) == text)
    let little = try read(#"{"alert":"enabled","newSetting":{"x":1},"sound":null}"#) {
      (reader) throws(JSONError) in
      try NotificationSettings(from: &reader)
    }.get()
    #expect(written(little.write) == #"{"alert":"enabled"}"#)
  }

  @Test(arguments: ["notDetermined", "denied", "authorized", "provisional", "ephemeral", "somethingNew"])
  func statuses(_ word: String) throws {
    let status = try read("\"\(word)\"") { (reader) throws(JSONError) in
      try AuthorizationStatus(from: &reader)
    }.get()
    #expect(status.word == word)
    #expect((status == .unknown(word)) == (word == "somethingNew"))
  }

  @Test func foreignAndPending() throws {
    let foreign = try read(#"{"count":3,"regions":1,"x":0}"#) { (reader) throws(JSONError) in
      try ForeignRequests(from: &reader)
    }.get()
    #expect(foreign == ForeignRequests(count: 3, regions: 1))
    #expect(written(foreign.write) == #"{"count":3,"regions":1}"#)
    #expect(throws: JSONError.self) {
      try read(#"{"count":-1}"#) { (reader) throws(JSONError) in try ForeignRequests(from: &reader) }.get()
    }
    let pending = try read(#"{"id":"habit.1","revision":"9f2c"}"#) { (reader) throws(JSONError) in
      try PendingRequest.read(from: &reader)
    }.get()
    #expect(pending == PendingRequest(id: NotificationID(unchecked: "habit.1"), revision: "9f2c"))
    #expect(try written(#require(pending).write) == #"{"id":"habit.1","revision":"9f2c"}"#)
    // An id that none of ours can have is somebody else's, not an error.
    let alien = try read(#"{"id":"a\u0000b"}"#) { (reader) throws(JSONError) in
      try PendingRequest.read(from: &reader)
    }.get()
    #expect(alien == nil)
  }
}
