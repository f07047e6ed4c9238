import CarillonJSON
import CarillonModel
import IntegrationSupport
import TestSupport
import Testing

/// A server whose clock is set wrong, and right again.
@Suite struct ClockJumpTests {
  private static let year: Int64 = 365 * 86_400

  /// Seconds that the clock is wrong by, one after the other.
  static let errors: [[Int64]] = [
    [-10 * year], [-3600, 3500], [-1, 1, -86_400, 40], [10 * year], [2 * 86_400, -10 * year, 400 * 86_400],
  ]

  @Test(arguments: errors)
  func whatWasPlannedIsPlannedAgain(_ errors: [Int64]) async throws {
    try await TestServer.with { server in
      let client = server.client(try await server.makeTenant())
      let device = Reports.newDevice()
      var mirror = DeviceMirror()
      var sequence = 0
      func sync(_ extra: String = "") async throws -> JSONValue {
        sequence += 1
        let body = Reports.full(sequence: sequence, pending: mirror.pending, extra: extra)
        let answer = try await client.send("POST", Reports.path(device), body: body)
        #expect(answer.status == 200, "\(answer)")
        mirror.apply(answer.json)
        return answer.json
      }
      _ = try await sync(",\"put\":[\(Reports.queue(80))]")
      let planned = mirror.held
      #expect(planned.count == 64)

      for error in errors {
        server.clock.move(to: Reports.start.adding(seconds: error))
        _ = try await sync()
        for rest in ["/plan", "/inbox", "/notifications", "/deliveries", "/history", ""] {
          let answer = try await client.send("GET", Reports.path(device, rest))
          #expect(answer.status == 200, "\(rest): \(answer)")
        }
        #expect(mirror.peak <= 64)
      }
      server.clock.move(to: Reports.start.adding(seconds: 60))
      _ = try await sync()
      #expect(mirror.held == planned)
      let list = try await client.send("GET", Reports.path(device, "/notifications?limit=200")).json
      #expect(list["items"]?.array?.count == 80)
      // And it goes on: nothing waits for the time that was wrong.
      let more = try await sync(",\"cancel\":[\"p.000\"]")
      #expect(more.removed == ["p.000"] && more.added == [Reports.name(64)])
    }
  }
}
