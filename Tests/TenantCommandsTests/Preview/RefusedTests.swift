import CarillonJSON
import Testing

/// A preview refuses what the server would refuse at the same time, and plans the rest.
@Suite struct RefusedTests {
  @Test("What can never fire is refused, what has passed expires") func refused() async throws {
    func item(_ id: String, _ trigger: String) -> String {
      #"{"id":"\#(id)","content":{"title":"T"},"trigger":{\#(trigger)}}"#
    }
    let past = #""kind":"calendar","components":{"year":2018,"month":6,"day":21,"hour":8}"#
    let queue = [
      item("past", past + #","repeats":true"#), item("once", past),
      item("ended", #""kind":"calendar","components":{"hour":8},"repeats":true,"endsAt":"2026-03-01""#),
      item("rule", #""kind":"recurrence","start":"2026-01-01T09:00","rule":"FREQ=WEEKLY;BYMONTHDAY=1""#),
      item("second", #""kind":"recurrence","start":"2026-01-01T09:00","rule":"FREQ=SECONDLY""#),
      item("over", #""kind":"recurrence","start":"2026-01-01T09:00","rule":"FREQ=DAILY;COUNT=2""#),
      item("zone", #""kind":"calendar","components":{"hour":8},"repeats":true,"timeZone":"Mars/Olympus""#),
      item("good", #""kind":"calendar","components":{"hour":8},"repeats":true"#),
    ]
    let device = PreviewFiles.device(
      members: #", "put": [\#(item("put", #""kind":"calendar","components":{"weekOfMonth":1,"day":9}"#))]"#)
    let files = try PreviewFiles(device: device, queue: "[\(queue.joined(separator: ","))]")
    let outcome = try await files.preview(now: "2026-03-04T00:00:00Z")
    #expect(outcome.code == 8)
    let plan = try JSONValue(parsing: outcome.output)
    #expect(plan.ids("held") == ["good"])
    #expect(plan.ids("expired") == ["once"])
    let rejected = plan["rejected"]?.array ?? []
    #expect(plan.ids("rejected") == ["past", "ended", "rule", "second", "over", "zone", "put"])
    #expect(
      rejected.map { $0["pointer"]?.string } == [
        "/0/trigger/components", "/2/trigger/components", "/3/trigger/rule", "/4/trigger/rule",
        "/5/trigger/rule", "/6/trigger/timeZone", "/put/0/trigger/components",
      ])
    #expect(
      rejected.map { $0["code"]?.string } == [
        "canNeverFire", "canNeverFire", "invalidRule", "unsupportedRulePart", "canNeverFire",
        "unknownTimeZone", "canNeverFire",
      ])
  }
}
