import CarillonJSON
import Testing

/// The queues that everyone knows, planned by the program as it ships.
@Suite struct SampleQueueTests {
  @Test(
    "The article's 66: the first 64 are held, the last two wait",
    arguments: [("UTC", "T08:00:00Z", "T09:00:00Z"), ("Europe/Madrid", "T07:00:00Z", "T08:00:00Z")])
  func article(_ zone: String, _ first: String, _ second: String) async throws {
    let text = try PreviewFiles.sample("article-66")
    let all = try JSONValue(parsing: text).array!.compactMap { $0["id"]?.string }
    let files = try PreviewFiles(device: PreviewFiles.device(zone: zone), queue: text)
    let policy = try files.folder.file("P.json", PreviewFiles.articlePolicy)
    let plan = try await files.plan(now: "2026-03-04T00:00:00Z", ["--policy", policy])
    #expect(Set(plan.ids("held")) == Set(all.prefix(64)))
    #expect(plan.ids("queued") == ["com.example.inactivityReminder.8", "com.example.inactivityReminder.9"])
    #expect(
      plan["queued"]?.array?.map { $0["fireAt"] } == [
        .string("2026-03-11" + first), .string("2026-03-11" + second),
      ])
    #expect(
      plan["queued"]?.array?.allSatisfy { $0["reason"] == "noSlot" && $0["type"] == "inactivity" } == true)
    #expect(plan["evictionsByType"] == ["inactivity": 2])
    #expect(plan["refreshBy"] == .string("2026-03-11" + first))
    #expect(plan["diff"]?["remove"] == [])
    #expect(plan["diff"]?.ids("add") == plan.ids("held"))
    for part in ["rejected", "withheld", "expired"] { #expect(plan[part] == []) }
  }

  @Test("A month of prayers: the next 64 are held, 91 wait")
  func prayers() async throws {
    let text = try PreviewFiles.sample("prayer-times")
    let all = try JSONValue(parsing: text).array!.compactMap { $0["id"]?.string }
    let files = try PreviewFiles(device: PreviewFiles.device(zone: "Europe/Istanbul"), queue: text)
    let plan = try await files.plan(now: "2026-11-30T12:00:00Z")
    #expect(plan.ids("held") == Array(all.prefix(64)))
    #expect(plan.ids("queued") == Array(all.dropFirst(64)))
    #expect(plan["queued"]?.array?.map { $0["rank"]?.int } == Array(65...155))
    #expect(plan["refreshBy"] == "2026-12-13T16:10:00Z")
    #expect(plan["coversUntil"] == "2026-12-13T14:36:00Z")
  }

  @Test("The same input gives the same bytes", arguments: ["json", "ndjson", "csv", "table"])
  func determinism(_ format: String) async throws {
    let files = try PreviewFiles(
      device: PreviewFiles.device(zone: "Europe/Istanbul"), queue: try PreviewFiles.sample("prayer-times"))
    let first = try await files.preview(now: "2026-12-10T12:00:00Z", format: format)
    let second = try await files.preview(now: "2026-12-10T12:00:00Z", format: format)
    #expect(first == second)
    #expect(first.code == 0)
    #expect(first.output.contains("prayer.isha.20261231"))
  }

  @Test("What the device holds already is not sent again")
  func pending() async throws {
    let files = try PreviewFiles(queue: try PreviewFiles.sample("article-66"))
    let plan = try await files.plan(now: "2026-03-04T00:00:00Z")
    let pending = plan["held"]!.array!.map { item -> JSONValue in
      ["id": item["id"]!, "revision": item["revision"]!]
    }
    let path = try files.folder.file(
      "pending.json", String(decoding: JSONValue.array(pending).bytes, as: UTF8.self))
    let again = try await files.plan(now: "2026-03-04T00:00:00Z", ["--pending", path])
    #expect(again["diff"] == ["remove": [], "add": []])
    #expect(again["held"] == plan["held"])
  }
}
