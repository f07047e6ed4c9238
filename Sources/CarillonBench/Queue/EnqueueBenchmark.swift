import Foundation

/// Batches of a thousand puts over HTTP against one INSERT of a thousand rows like them by pgbench, in turn.
///
/// A batch goes to fifty devices, twenty each, as an app's backend sends a morning's reminders; all are new.
struct EnqueueBenchmark {
  struct Settings {
    var connections = 4
    var seconds = 8
    var rounds = 3
    var place: Place
  }

  static let operationsPerBatch = 1_000
  static let operationsPerDevice = 20

  let settings: Settings
  let progress: (String) -> Void

  func run() async throws -> [Measurement] {
    try await Workbench.with(settings.place, progress) { bench in try await run(on: bench) }
  }

  private func run(on bench: Workbench) async throws -> [Measurement] {
    let key = try bench.server.makeTenant()
    _ = try bench.server.run([
      "tenant", "limits", "bench", "--batch-operations-per-second", "1000000", "-o", "json",
    ])
    let floor = InsertFloor(
      socketFolder: bench.server.socketFolder, programs: settings.place.postgresPrograms)
    try floor.prepare(on: bench.server)

    var stored = Measurement(name: "operations in batches of 1,000", unit: "1/s", values: [])
    var rows = Measurement(name: "rows of pgbench", unit: "1/s", values: [])
    var median = Measurement(name: "batch p50", unit: "ms", values: [])
    var log = Measurement(name: "WAL an operation", unit: "bytes", values: [])
    let batches = batches(key: key)
    for round in 1...settings.rounds {
      progress("round \(round) of \(settings.rounds)")
      let before = try bench.server.bytesOfWAL()
      let result = try await bench.run(
        connections: settings.connections, seconds: settings.seconds, next: batches)
      guard !result.sampleText.contains("rejected") else {
        throw LoadFailure(detail: "operations were refused: \(result.sampleText)")
      }
      let operations = Double(Self.operationsPerBatch)
      stored.values.append(result.perSecond * operations)
      median.values.append(result.percentile(0.5))
      log.values.append((try bench.server.bytesOfWAL() - before) / (Double(result.answers) * operations))
      rows.values.append(
        try floor.run(clients: settings.connections, seconds: settings.seconds) * operations)
    }
    return [stored, rows, .ratio("operations for each row", stored, rows), median, log]
  }

  /// Each batch its own devices.
  private func batches(key: String) -> @Sendable (Int, inout [UInt8]) -> Bool {
    let start = Date().addingTimeInterval(86_400)
    // One body for all, in which each batch puts its number in place of the mark, as eight hexadecimal digits.
    let mark = "########"
    let operations = (0..<Self.operationsPerBatch).map { index in
      let device = String(index / Self.operationsPerDevice, radix: 16)
      let id = "\(mark)-0000-4000-8000-\(String(repeating: "0", count: 12 - device.count))\(device)"
      let notification = ReportBodies.notification(
        "habit.\(index % Self.operationsPerDevice)", at: start.addingTimeInterval(Double(index % 24) * 3600))
      return "{\"op\":\"put\",\"deviceId\":\"\(id)\",\"notification\":\(notification)}"
    }
    let parts = "{\"operations\":[\(operations.joined(separator: ","))]}".split(separator: mark)
      .map { Array($0.utf8) }
    let counter = Counter()
    return { _, buffer in
      let digits = String(counter.next(), radix: 16)
      let number = Array((String(repeating: "0", count: 8 - digits.count) + digits).utf8)
      RequestWriter.post(
        "/v1/notifications", key: key, [Array(parts.joined(separator: number))], into: &buffer)
      return true
    }
  }
}
