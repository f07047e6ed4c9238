import Foundation

/// A server of our own for the time of a measurement, with an embedded database.
final class BenchServer {
  private let process: ChildProcess
  private let place: Place
  private let data: String
  private let postmaster: Int32
  let socketFolder: String

  /// CPU seconds.
  struct Times {
    var server: Double
    var database: Double

    static func - (left: Times, right: Times) -> Times {
      Times(server: left.server - right.server, database: left.database - right.database)
    }
  }

  /// The admin listener's port lies so far above the public one's.
  static let adminOffset: UInt16 = 1_000

  /// - Parameter data: a folder that is made.
  init(_ place: Place, data: String) throws {
    self.place = place
    self.data = data
    process = try ChildProcess(
      "\(place.programs)/carillon-server",
      [
        "--data", data, "--listen", "127.0.0.1:\(place.port)",
        "--admin-listen", "127.0.0.1:\(place.port + Self.adminOffset)",
      ], waitingFor: "ready")
    // The first lines of postmaster.pid: process, data folder, start time, port, socket folder.
    let lines = try Self.postmasterFile(below: data).components(separatedBy: "\n")
    guard lines.count > 4, let identifier = Int32(lines[0].trimmingCharacters(in: .whitespaces)) else {
      throw LoadFailure(detail: "the server's cluster has no postmaster.pid under \(data)")
    }
    postmaster = identifier
    socketFolder = lines[4]
  }

  func stop() { process.stop() }

  var times: Times {
    Times(
      server: ProcessTimes.ownSeconds(of: process.identifier), database: ProcessTimes.seconds(of: postmaster))
  }

  /// Returns a key of a new tenant that may ask as fast as it can.
  func makeTenant(_ name: String = "bench") throws -> String {
    _ = try run(["tenant", "create", name, "-o", "json"])
    try limit(name, perSecond: 1_000_000)
    _ = try run([
      "tenant", "limits", name, "--device-requests-per-second", "1000000", "--device-request-burst",
      "1000000",
      "-o", "json",
    ])
    let answer = try run(["key", "create", name, "--scope", "all", "-o", "json"])
    guard let match = answer.firstMatch(of: /"key"\s*:\s*"([^"]+)"/) else {
      throw LoadFailure(detail: "tenantctl key create printed no key: \(answer)")
    }
    return String(match.output.1)
  }

  /// How many requests a second a tenant may make.
  func limit(_ name: String, perSecond: Int) throws {
    _ = try run([
      "tenant", "limits", name, "--requests-per-second", "\(perSecond)", "--request-burst", "\(perSecond)",
      "-o", "json",
    ])
  }

  /// What a command of `tenantctl` prints.
  func run(_ arguments: [String]) throws -> String {
    try ChildProcess.run("\(place.programs)/tenantctl", ["--data", data] + arguments)
  }

  /// What `psql` prints, as the superuser of the server's own database.
  @discardableResult
  func sql(_ statement: String, database: String = "carillon") throws -> String {
    try ChildProcess.run(
      "\(place.postgresPrograms)/psql",
      [
        "-h", socketFolder, "-U", "postgres", "-d", database, "-v", "ON_ERROR_STOP=1", "-qAt", "-c",
        statement,
      ]
    ).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Bytes that the cluster has written to its log so far.
  func bytesOfWAL() throws -> Double {
    Double(try sql("SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')")) ?? 0
  }

  /// KiB of memory that the server has in use.
  var residentKiB: Int { ProcessTimes.residentKiB(of: process.identifier) }

  private static func postmasterFile(below folder: String) throws -> String {
    let files = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    guard let file = files.first(where: { $0.hasSuffix("postmaster.pid") }) else { return "" }
    return try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)
  }
}
