import CarillonJSON
import IntegrationSupport
import Testing

/// How a notification can be noticed, and which of its needs are not met, by all that a device may report.
@Suite struct NeedsTests {
  struct Row: CustomTestStringConvertible, Sendable {
    var name: String
    var status = "authorized"
    /// Of these all others are enabled; `absent` leaves one out.
    var settings: [String: String] = [:]
    var content = "\"title\":\"Pill\",\"sound\":\"default\""
    var reach: String
    var unmet: [String] = []

    var testDescription: String { name }
  }

  private static let quiet = ["alert", "lockScreen", "sound"]

  private static let rows = [
    Row(name: "all is on", reach: "audible"),
    Row(name: "nothing was reported", settings: ["*": "absent"], reach: "audible"),
    Row(name: "no sound", settings: ["sound": "disabled"], reach: "visible", unmet: ["sound"]),
    Row(
      name: "a sound this version does not know", settings: ["sound": "hummed"], reach: "visible",
      unmet: ["sound"]),
    Row(
      name: "sound is not supported", settings: ["sound": "notSupported"], reach: "visible", unmet: ["sound"]),
    Row(
      name: "notification center alone",
      settings: ["sound": "disabled", "alert": "disabled", "lockScreen": "disabled"],
      reach: "quiet", unmet: quiet),
    Row(
      name: "sound alone",
      settings: ["alert": "disabled", "lockScreen": "disabled", "notificationCenter": "disabled"],
      reach: "soundOnly", unmet: ["alert", "lockScreen"]),
    Row(name: "no badge", settings: ["badge": "disabled"], reach: "audible", unmet: ["badge"]),
    Row(name: "a content without a sound", content: "\"title\":\"Pill\"", reach: "visible"),
    Row(name: "provisional delivers quietly", status: "provisional", reach: "quiet", unmet: quiet),
    Row(name: "ephemeral does, too", status: "ephemeral", reach: "quiet", unmet: quiet),
    Row(name: "a summary is iOS' affair", settings: ["scheduledDelivery": "enabled"], reach: "audible"),
    Row(
      name: "a level above what is allowed meets the same needs",
      settings: ["timeSensitive": "disabled", "criticalAlert": "notSupported"],
      content: "\"title\":\"Pill\",\"sound\":\"default\",\"interruptionLevel\":\"critical\"", reach: "audible"
    ),
  ]

  private static let names = ["alert", "sound", "badge", "lockScreen", "notificationCenter"]

  private static func settings(_ row: Row) -> [String: String] {
    var settings = Dictionary(uniqueKeysWithValues: names.map { ($0, row.settings["*"] ?? "enabled") })
    settings.merge(row.settings.filter { $0.key != "*" }) { $1 }
    return settings.filter { $0.value != "absent" }
  }

  private static func put(_ content: String) -> String {
    """
    {"id":"pill","content":{\(content)},"needs":["sound","alert","badge","lockScreen"],
     "trigger":{"kind":"instant","at":"\(Reports.time(3_600))"}}
    """
  }

  @Test func eachIsToldOfWhatIsHeld() async throws {
    try await withTruthfulDevices { _, client in
      for row in Self.rows {
        var device = TruthfulDevice(client)
        device.status = row.status
        device.settings = Self.settings(row)
        try await device.sync(put: [Self.put(row.content)])
        let plan = try await client.send("GET", Reports.path(device.id, "/plan")).json
        let held = try #require(plan["held"]?.array?.first, "\(row.name)")
        #expect(held["reach"]?.string == row.reach, "\(row.name)")
        #expect(held["unmetNeeds"]?.array?.compactMap(\.string).sorted() == row.unmet, "\(row.name)")
        let shown = try await device.show()
        #expect(shown["reach"]?[row.reach]?.int == 1, "\(row.name)")
        for need in Self.names.dropLast() {
          #expect(shown["unmetNeeds"]?[need]?.int ?? 0 == (row.unmet.contains(need) ? 1 : 0), "\(row.name)")
        }
      }
    }
  }

  /// What nobody may see has a reason, and no needs that could be met.
  @Test(arguments: [("denied", "denied"), ("notDetermined", "notDetermined"), ("whispered", "unknownStatus")])
  func whatIsWithheldHasAReasonInstead(_ status: String, _ reason: String) async throws {
    try await withTruthfulDevices { _, client in
      var device = TruthfulDevice(client)
      device.status = status
      try await device.sync(put: [Self.put("\"title\":\"Pill\"")])
      let plan = try await client.send("GET", Reports.path(device.id, "/plan")).json
      #expect(plan["held"]?.array == [])
      #expect(plan["withheld"]?.array?.first?["reason"]?.string == reason)
      let shown = try await device.show()
      #expect(shown["reach"]?["audible"]?.int ?? 0 == 0 && shown["unmetNeeds"]?["sound"]?.int ?? 0 == 0)
      #expect(shown["authorizationStatus"]?.string == status)
    }
  }

  /// A level above active is exempt from quiet hours only where its setting says so: without a word it is not.
  @Test(
    arguments: [("timeSensitive", "timeSensitive"), ("critical", "criticalAlert")],
    ["enabled", "disabled", nil])
  func aLevelIsBelievedToItsSettingAlone(_ level: (word: String, setting: String), _ value: String?)
    async throws
  {
    let quiet = "{\"quietHours\":{\"windows\":[{\"allDay\":true,\"days\":[1,2]}]}}"
    try await withTruthfulDevices(policy: quiet) { _, client in
      var device = TruthfulDevice(client)
      if let value { device.settings[level.setting] = value }
      let content = "\"title\":\"Pill\",\"interruptionLevel\":\"\(level.word)\""
      try await device.sync(put: [Self.put(content)])
      let plan = try await client.send("GET", Reports.path(device.id, "/plan")).json
      let held = try #require(plan["held"]?.array?.first)
      #expect((held["moves"]?.array == []) == (value == "enabled"), "\(held)")
    }
  }
}
