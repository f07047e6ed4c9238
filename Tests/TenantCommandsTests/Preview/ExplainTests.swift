import CarillonJSON
import Testing

/// `plan preview --explain`: the story of one notification, from files alone.
@Suite struct ExplainTests {
  private static let queue = """
    [{"id": "standup", "content": {"title": "Stand-up"},
      "trigger": {"kind": "recurrence", "start": "2026-03-02T09:00", "rule": "FREQ=DAILY;COUNT=4"}},
     {"id": "bad", "content": {"title": "x"}, "trigger": {"kind": "interval", "seconds": 0, "repeats": false}}]
    """

  private func explain(_ id: String, format: String = "table") async throws -> Tenantctl.Outcome {
    let files = try PreviewFiles(queue: Self.queue)
    return try await files.preview(now: "2026-03-04T00:00:00Z", ["--explain", id], format: format)
  }

  @Test func theStoryHasTheOccurrences() async throws {
    #expect(
      try await explain("standup")
        == Tenantctl.Outcome(
          output: """
            standup
            It is held, number 1 in the order. Nothing waits for a slot.

            Type      'unknown': no prefix of the policy matches its id.
            Priority  99. The type 'unknown' has priority 99.
            Time      It asks for 2026-03-04T08:00:00Z. That is when it will ring.
            Notice    It can be seen, but not heard.
            Order     Number 1, where the soonest comes first.
            Slots     2 of 64 taken. Nothing waits.

            FIRE AT               OCCURRENCE             STATE  RANK
            2026-03-04T08:00:00Z  standup@20260304T0900  held      1
            2026-03-05T08:00:00Z  standup@20260305T0900  held      2

            """, errors: "", code: 0))
  }

  @Test func whatWasRefusedSaysWhy() async throws {
    let refused = try await explain("bad", format: "json")
    let json = try JSONValue(parsing: refused.output)
    #expect(json["state"] == "rejected" && json["reason"] == "invalidInterval")
    #expect(json["summary"]?.string?.hasPrefix("It was refused at /1/trigger/seconds: ") == true)
    #expect(refused.code == 0)
    let unknown = try await explain("nobody", format: "csv")
    #expect(unknown.code == 5)
    #expect(unknown.output.contains("\r\nnobody,unknown,"), "\(unknown.output)")
  }
}
