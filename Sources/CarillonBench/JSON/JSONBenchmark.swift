import CarillonAPI
import CarillonJSON
import Foundation

/// Reading and writing a report against Foundation's coders, on the same bytes.
struct JSONBenchmark {
  struct Settings {
    var rounds = 3
    /// How long each sample runs at least, in seconds.
    var sample = 0.1
  }

  let settings: Settings
  let progress: (String) -> Void

  func run() throws -> [Measurement] {
    let request = SampleReport.request
    let bytes = request.json
    let data = Data(bytes)
    let report = try FoundationReport.decode(data)
    try agree(bytes, report)
    progress("both read and write the same report of \(bytes.count) bytes")
    var contests = [
      Contest(
        "read a report", rival: "Foundation", unit: "us", scale: 1e-3,
        ours: { (try? ReceivedReport(bytes))?.request.pending?.count ?? 0 },
        rival: { (try? FoundationReport.decode(data))?.pending?.count ?? 0 }),
      // All that the server reads of one that says nothing new.
      Contest(
        "scan a report", rival: "Foundation", unit: "us", scale: 1e-3,
        ours: { (try? ReportScan(bytes)).map { Int(truncatingIfNeeded: $0.digest) } ?? 0 },
        rival: { (try? FoundationReport.decode(data))?.pending?.count ?? 0 }),
      Contest(
        "write a report", rival: "Foundation", unit: "us", scale: 1e-3, ours: { request.json.count },
        rival: { (try? report.encode())?.count ?? 0 }),
    ]
    let sampler = Sampler(seconds: settings.sample)
    for round in 1...settings.rounds {
      progress("round \(round) of \(settings.rounds)")
      for index in contests.indices { contests[index].round(sampler) }
    }
    return contests.flatMap(\.rows)
  }

  /// Both must read and write the same document.
  private func agree(_ bytes: [UInt8], _ report: FoundationReport) throws {
    let theirs = try JSONValue(parsing: Array(report.encode())).canonicalBytes
    guard try ReceivedReport(theirs).request == ReceivedReport(bytes).request,
      try JSONValue(parsing: bytes).canonicalBytes == theirs
    else { throw LoadFailure(detail: "the two write different reports") }
  }
}
