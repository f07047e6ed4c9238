import CarillonEventLoop
import CarillonOptions
import Foundation

/// Where a server is measured, and where the programs stand that are run for it.
struct Place: Sendable {
  var port: UInt16
  /// Where `carillon-server` and `tenantctl` stand.
  var programs: String
  /// Where `pgbench` and `psql` stand.
  var postgresPrograms: String
}

/// A server with a database of its own and something to load it with, for the time of one measurement.
struct Workbench {
  let server: BenchServer
  let load: Load
  let port: UInt16

  /// Everything that was started has ended when this returns.
  static func with<R>(
    _ place: Place, _ progress: (String) -> Void, _ body: (Workbench) async throws -> R
  ) async throws -> R {
    let data = NSTemporaryDirectory() + "carillon-bench-\(getpid())-\(place.port)"
    defer { try? FileManager.default.removeItem(atPath: data) }
    progress("starting a server with a database of its own")
    let server = try BenchServer(place, data: data)
    defer { server.stop() }
    let loop = try EventLoop(name: "load")
    loop.start()
    defer { loop.stop() }
    return try await body(Workbench(server: server, load: Load(on: loop), port: place.port))
  }

  /// Loads the server; whatever it refuses ends the measurement.
  ///
  /// - Parameters:
  ///   - seconds: nil runs until `next` says false on every connection.
  ///   - port: nil: the server's own.
  func run(
    connections: Int, seconds: Int?, port: UInt16? = nil,
    next: @escaping @Sendable (_ connection: Int, _ buffer: inout [UInt8]) -> Bool
  ) async throws -> Load.Result {
    try await load.run(
      port: port ?? self.port, connections: connections, for: seconds.map { .seconds($0) }, next: next
    ).whole()
  }
}

extension Load.Result {
  /// - Throws: when something was refused, or nothing was answered.
  func whole() throws(LoadFailure) -> Load.Result {
    guard failures == 0, answers > 0 else {
      throw LoadFailure(detail: "\(failures) of \(answers) requests failed: \(sampleText)")
    }
    return self
  }
}
