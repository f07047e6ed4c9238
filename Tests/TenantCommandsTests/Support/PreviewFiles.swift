import CarillonJSON
import Foundation

/// A folder with the files that a preview reads.
struct PreviewFiles {
  let folder: TemporaryFolder

  /// - Parameter queue: the JSON of an array of notifications, or the name of one of the project's own queues.
  init(device: String = Self.device(), queue: String) throws {
    folder = try TemporaryFolder()
    _ = try folder.file("D.json", device)
    _ = try folder.file("Q.json", queue)
  }

  /// An authorized device that may do everything.
  static func device(zone: String = "Europe/Madrid", members: String = "") -> String {
    """
    {"sequence": 1, "authorizationStatus": "authorized", "device": {"platform": "iOS", "timeZone": "\(zone)"},
     "settings": {"alert": "enabled", "sound": "enabled", "badge": "enabled", "lockScreen": "enabled",
                  "notificationCenter": "enabled"}\(members)}
    """
  }

  /// The types of the article's queue, by prefix.
  static let articlePolicy = """
    {"types": [
      {"name": "habit", "prefixes": ["com.example.habitReminder"], "priority": 0},
      {"name": "entry", "prefixes": ["com.example.entryReminder"], "priority": 0},
      {"name": "day1", "prefixes": ["com.example.day1Reminder"], "priority": 1},
      {"name": "depletion", "prefixes": ["com.example.depletionReminder"], "priority": 2},
      {"name": "inactivity", "prefixes": ["com.example.inactivityReminder"], "priority": 3}]}
    """

  /// One of the queues that the quick start shows.
  static func sample(_ name: String) throws -> String {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized
    return try String(
      contentsOf: root.appending(path: "Sources/CarillonQuickstart/Queues/\(name).json"), encoding: .utf8)
  }

  func preview(
    now: String, _ more: [String] = [], format: String = "json", environment: [String: String] = [:]
  ) async throws -> Tenantctl.Outcome {
    try await Tenantctl.run(
      [
        "plan", "preview", "--device", folder.path("D.json"), "--queue", folder.path("Q.json"), "--now", now,
        "-o", format,
      ] + more, environment: environment)
  }

  func plan(now: String, _ more: [String] = []) async throws -> JSONValue {
    try JSONValue(parsing: try await preview(now: now, more).output)
  }
}

extension JSONValue {
  /// The ids of a part of a plan.
  func ids(_ part: String) -> [String] { self[part]?.array?.compactMap { $0["id"]?.string } ?? [] }
}
