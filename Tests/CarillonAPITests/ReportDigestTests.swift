import CarillonAPI
import CarillonJSON
import CarillonModel
import Testing

@Suite struct ReportDigestTests {
  private func scan(_ text: String) throws -> ReportScan { try ReportScan(Array(text.utf8)) }

  @Test(arguments: [
    #"{"sequence":2,"pending":[{"id":"a"}],"planVersion":3}"#,
    #"{"sequence":1,"sentAt":"2026-11-30T10:00:00Z","pending":[{"id":"a"}],"planVersion":3}"#,
    #"{"sentAt":"x","pending":[{"id":"a"}],"sequence":9,"planVersion":3}"#,
    #"{ "sequence" : 1, "pending" : [{"id":"a"}], "planVersion" : 3 , "battery": 0.83 }"#,
    #"{"sequence":1,"p\u0065nding":[{"id":"a"}],"planVersion":3}"#,
  ])
  func doesNotDependOnSequenceTimeOrStrangers(body: String) throws {
    let base = try scan(#"{"sequence":1,"pending":[{"id":"a"}],"planVersion":3}"#)
    #expect(try scan(body).digest == base.digest)
  }

  @Test func dependsOnEverythingElse() throws {
    let bodies = [
      #"{"sequence":1}"#,
      #"{"sequence":1,"pending":[]}"#,
      #"{"sequence":1,"delivered":[]}"#,
      #"{"sequence":1,"events":[]}"#,
      #"{"sequence":1,"put":[]}"#,
      #"{"sequence":1,"cancel":[]}"#,
      #"{"sequence":1,"pending":[{"id":"a"}]}"#,
      #"{"sequence":1,"pending":[{"id":"b"}]}"#,
      #"{"sequence":1,"pending":[{"id":"a"},{"id":"b"}]}"#,
      #"{"sequence":1,"pending":[{"id":"b"},{"id":"a"}]}"#,
      #"{"sequence":1,"pending":[{"id":"a","revision":"1"}]}"#,
      #"{"sequence":1,"pending":[{"id":"a","revision":"2"}]}"#,
      #"{"sequence":1,"planVersion":1}"#, #"{"sequence":1,"planVersion":2}"#,
      #"{"sequence":1,"foreign":{"count":1}}"#, #"{"sequence":1,"foreign":{"count":2}}"#,
      #"{"sequence":1,"authorizationStatus":"denied"}"#,
      #"{"sequence":1,"settings":{}}"#, #"{"sequence":1,"device":{}}"#,
      #"{"sequence":1,"device":{"timeZone":"Europe/Madrid"}}"#,
      #"{"sequence":1,"policyVersion":0}"#, #"{"sequence":1,"policyVersion":1}"#,
    ]
    let digests = try bodies.map { try scan($0).digest }
    #expect(Set(digests).count == bodies.count)
  }

  @Test func everyBitOfAReportCounts() throws {
    let whole = try ReportScan(Sample.report)
    #expect(whole.sequence == 42)
    var others: Set<UInt64> = [whole.digest]
    var count = 1
    for place in Sample.report.indices
    where (UInt8(ascii: "0")...UInt8(ascii: "8")).contains(Sample.report[place]) {
      var body = Sample.report
      body[place] += 1
      let other = try ReportScan(body)
      // The digits of the sequence and of the time of sending say nothing.
      if other.sequence != whole.sequence || other.digest == whole.digest { continue }
      others.insert(other.digest)
      count += 1
    }
    #expect(count > 40)
    #expect(others.count == count)
  }

  @Test(arguments: [
    (#"{"sequence":1,"pending":[{"id":"a"}]}"#, false),
    (#"{"sequence":1,"events":[],"put":[ \n],"cancel":null}"#, false),
    (#"{"sequence":1,"events":[{}]}"#, true), (#"{"sequence":1,"put":[[]]}"#, true),
    (#"{"sequence":1,"cancel":["a"]}"#, true), (#"{"sequence":1,"cancel":"a"}"#, true),
  ])
  func tellsWhetherThereIsMoreThanAState(body: String, hasEffects: Bool) throws {
    #expect(try scan(body.replacing("\\n", with: "\n")).hasEffects == hasEffects)
  }

  @Test func isTheSameInEveryRelease() throws {
    // Stored with each device: a change here makes every device's next report go the long way once.
    let body = #"{"sequence":1,"planVersion":3,"pending":[{"id":"habit.1","revision":"9f2c0d1e5b7a8c34"}]}"#
    #expect(try scan(body).digest == 0xc86c_ba7b_7cae_245b)
  }
}
