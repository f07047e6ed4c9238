import CarillonJSON
import Testing

/// What a preview prints is a contract: these outputs change with the wire's major version only.
@Suite struct FrozenShapeTests {
  static let queue = """
    [
      {"id": "habit.1", "content": {"title": "水を飲む 💧", "badge": 7, "sound": "default"},
       "trigger": {"kind": "instant", "at": "2026-03-05T08:00:00Z"}},
      {"id": "habit.2", "content": {"title": "Stretch", "body": "Two minutes"}, "needs": ["sound", "lockScreen"],
       "trigger": {"kind": "local", "at": "2026-03-04T08:00"}},
      {"id": "bad", "content": {"title": "No"},
       "trigger": {"kind": "calendar", "components": {"month": 2, "day": 30}, "repeats": true}},
      {"id": "old", "content": {"title": "Old"}, "trigger": {"kind": "instant", "at": "2026-03-01T08:00:00Z"}},
      {"id": "zone", "content": {"title": "Zone"},
       "trigger": {"kind": "calendar", "components": {"hour": 2}, "repeats": true, "timeZone": "Europe/Atlantis"}},
      {"content": {"title": "Nameless"}, "trigger": {"kind": "instant", "at": "2026-03-05T08:00:00Z"}},
      {"id": "silent", "content": {"badge": 1}, "trigger": {"kind": "instant", "at": "2026-03-05T08:00:00Z"}},
      {"id": "tip\\u202Eexe", "content": {"title": "Later"}, "trigger": {"kind": "instant", "at": "2026-03-06T08:00:00Z"}}
    ]
    """
  static let device = """
    {"sequence": 7, "planVersion": 16, "authorizationStatus": "authorized",
     "device": {"platform": "iOS", "timeZone": "Europe/Madrid"},
     "settings": {"alert": "enabled", "sound": "disabled", "badge": "disabled", "lockScreen": "enabled"},
     "pending": [{"id": "gone", "revision": "0123456789abcdef"}, {"id": "theirs"}],
     "put": [{"id": "late", "content": {"title": "Late"}, "trigger": {"kind": "instant", "at": "2026-03-04"}}]}
    """
  static let policy = """
    {"slots": 3, "types": [{"name": "habit", "prefixes": ["habit"], "priority": 0}]}
    """

  /// The release of the zone data is the machine's, so it stands for itself.
  private func preview(_ format: String) async throws -> Tenantctl.Outcome {
    let files = try PreviewFiles(device: Self.device, queue: Self.queue)
    let policy = try files.folder.file("P.json", Self.policy)
    let now = "2026-03-04T00:00:00Z"
    let release = try #require(try await files.plan(now: now)["zoneData"]?.string)
    var outcome = try await files.preview(now: now, ["--policy", policy], format: format)
    outcome.output.replace(release, with: "RELEASE")
    return outcome
  }

  private func expect(_ outcome: Tenantctl.Outcome, prints output: String) {
    #expect(outcome.output == output)
    #expect(outcome.errors == "tenantctl: 4 items were refused; 'rejected' says why.\n")
    #expect(outcome.code == 8)
  }

  @Test("JSON: one document on one line")
  func json() async throws {
    let lines = FrozenOutputs.json.split(separator: "\n").map { $0.drop { $0 == " " } }
    expect(try await preview("json"), prints: lines.joined() + "\n")
  }

  @Test("NDJSON: one notification a line, with the part of the plan it stands in")
  func ndjson() async throws { expect(try await preview("ndjson"), prints: FrozenOutputs.ndjson + "\n") }

  @Test("CSV: the same with a header, lines ended as RFC 4180 wants")
  func csv() async throws {
    expect(try await preview("csv"), prints: FrozenOutputs.csv.replacing("\n", with: "\r\n") + "\r\n")
  }

  @Test("Table: columns by what a terminal shows, nothing that could move its cursor or turn its text")
  func table() async throws { expect(try await preview("table"), prints: FrozenOutputs.table + "\n") }
}
