import CarillonClient
import CarillonModel
import Foundation
import IntegrationSupport
import TestSupport
import Testing

/// Whatever two phones and a service do, in reach of each other or not, and whatever gets lost on the way: once
/// everything has been told, each phone holds the server's plan, byte for byte.
///
/// Fifty users at a time live on one clock, side by side; the clock moves between their steps.
@Suite(.timeLimit(.minutes(30))) struct ConvergenceTests {
  private static let users = 50
  private static let steps = 5

  /// A seed for each fifty users: the same ones in the ordinary run, new ones with `CARILLON_LONG`.
  private static let seeds: [UInt64] = {
    if let again = DeliverySimulationTests.again { return again }
    if ProcessInfo.processInfo.environment["CARILLON_LONG"] == nil { return Array(1...20) }
    return (0..<100).map { _ in UInt64.random(in: 0...999_999_999) }
  }()

  @Test func theDeviceEndsWithTheServersPlan() async throws {
    for seed in Self.seeds {
      // Time goes on from where it stands: with a server of its own a seed comes out the same alone.
      try await TestServer.with { server in
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)"))
        try await live(seed, on: server, over: URLSessionTransport(server: url))
      }
    }
  }

  private func live(_ seed: UInt64, on server: TestServer, over wire: URLSessionTransport) async throws {
    var world = WishMaker(random: SeededGenerator(seed: seed))
    let tenant = try await server.makeTenant()
    let backend = TenantClient(transport: wire, key: tenant.key)
    if let policy = try? Policy(parsing: Array(world.pick(WishMaker.policies).utf8)) {
      try await backend.setPolicy(policy)
    }
    let users = (0..<Self.users).map { number in
      SimulatedUser(
        "u\(number)", backend: backend, over: wire, clock: { server.clock.now },
        wishes: WishMaker(random: SeededGenerator(seed: seed &* 1_000 &+ UInt64(number))))
    }
    for step in 1...Self.steps {
      try await each(users) { user, _ in try await user.live() }
      if step == 3, world.chance(50),
        let policy = try? Policy(parsing: Array(world.pick(WishMaker.policies).utf8))
      {
        let version = try await backend.policy().version
        try await backend.setPolicy(policy, ifMatch: version)
      }
      server.clock.advance(seconds: world.pick([1, 60, 900, 7_200, 43_200, 200_000]))
    }
    try await each(users) { user, number in
      try await user.end("CARILLON_SEED=\(seed), user \(number)")
    }
  }

  private func each(
    _ users: [SimulatedUser], _ act: @escaping @Sendable (SimulatedUser, Int) async throws -> Void
  ) async throws {
    try await withThrowingTaskGroup { group in
      for (number, user) in users.enumerated() { group.addTask { try await act(user, number) } }
      try await group.waitForAll()
    }
  }
}
