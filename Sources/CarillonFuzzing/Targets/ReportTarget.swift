import CarillonAPI
import CarillonJSON
import CarillonModel

enum ReportTarget {
  static func check(_ bytes: [UInt8]) throws(Finding) {
    try report(bytes)
    try batch(bytes)
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
    let again = try? ReceivedReport(received.request.json)
    try expect(again?.request == received.request, "a report reads back as another")
  }

  private static func batch(_ bytes: [UInt8]) throws(Finding) {
    guard let batch = try? ReceivedBatch(bytes) else { return }
    let operations = batch.operations.compactMap { try? $0.get() }
    let again = try? ReceivedBatch(BatchRequest(operations).json).operations.map { try $0.get() }
    try expect(again == operations, "a batch reads back as another")
  }
}
