import CarillonAPI
import CarillonJSON
import CarillonModel

enum ReportTarget {
  static func check(_ bytes: [UInt8]) throws(Finding) {
    try report(bytes)
    try batch(bytes)
    try marks(bytes)
  }

  private static func marks(_ bytes: [UInt8]) throws(Finding) {
    for mark in Route.InboxMark.allCases {
      guard let read = try? ReceivedInboxMark(bytes, mark: mark) else { continue }
      let targets: InboxMarkRequest.Targets =
        read.before.map { .before($0) } ?? .ids((read.keys ?? []).map { InboxItemID($0).text })
      let sent = InboxMarkRequest(targets, until: read.until).json(for: mark)
      let again = try? ReceivedInboxMark(sent, mark: mark)
      try expect(again == read, "a mark reads back as another")
    }
    guard let question = try? PrimingQuestion(bytes) else { return }
    try expect((try? PrimingQuestion(question.json)) == question, "a question reads back as another")
  }

  private static func report(_ bytes: [UInt8]) throws(Finding) {
    let scan = Result { () throws(JSONError) in try ReportScan(bytes) }
    let received: ReceivedReport
    do throws(JSONError) { received = try ReceivedReport(bytes) } catch {
      return try expectPlace(error, in: bytes)
    }
    guard case .success(let scan) = scan else { throw Finding("the scan refuses what is a report") }
    try expect(scan.digest == received.digest, "scan and report have different digests")
    try expect(scan.sequence == received.request.sequence, "scan and report have different sequences")
    let hasEffects =
      !received.request.put.isEmpty || !received.request.cancel.isEmpty || !received.request.events.isEmpty
      || !received.rejected.isEmpty
    try expect(scan.hasEffects || !hasEffects, "the scan overlooks an event, a put or a cancel")
    for rejected in received.rejected { try expectPlace(rejected.error, in: bytes) }
    try roundTrip(received.request)
  }

  private static func roundTrip(_ request: SyncRequest) throws(Finding) {
    var sent = request
    guard var again = try? ReceivedReport(sent.json).request else {
      throw Finding("a report cannot be read back")
    }
    try expect(areSame(again.put, sent.put), "a report's puts read back as others")
    again.put = []
    sent.put = []
    try expect(again == sent, "a report reads back as another")
  }

  private static func areSame(_ left: [Notification], _ right: [Notification]) -> Bool {
    left.count == right.count && zip(left, right).allSatisfy { NotificationTarget.isSame($0, $1) }
  }

  private static func batch(_ bytes: [UInt8]) throws(Finding) {
    guard let batch = try? ReceivedBatch(bytes) else { return }
    let operations = batch.operations.compactMap { try? $0.get() }
    guard let again = try? ReceivedBatch(BatchRequest(operations).json).operations.map({ try $0.get() })
    else { throw Finding("a batch cannot be read back") }
    try expect(again.count == operations.count, "a batch reads back as another")
    for (left, right) in zip(again, operations) {
      switch (left.action, right.action) {
      case (.put(let first), .put(let second)):
        try expect(
          left.target == right.target && NotificationTarget.isSame(first, second),
          "a put reads back as another")
      default: try expect(left == right, "an operation reads back as another")
      }
    }
  }
}
