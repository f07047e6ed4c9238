import CarillonJSON
import CarillonModel
import IntegrationSupport
import Testing

/// Delivery is graded, never guessed: each combination of what a device was allowed, held, reports and tells.
@Suite struct DeliveryGradeTests {
  /// At the time.
  enum Status: String, CaseIterable {
    case authorized, provisional, ephemeral, denied, notDetermined, whispered
  }

  enum Held: CaseIterable {
    /// It applied the plan and showed the request.
    case shown
    /// The answer never reached it.
    case lost
    /// There was no slot for it.
    case noSlot
    /// It showed the request, and then that it had lost it.
    case vanished
  }

  /// Once it was due.
  enum Pending: CaseIterable { case gone, still, unsaid }

  enum Told: String, CaseIterable { case nothing, inNotificationCenter, tapped, dismissed, delivered }

  struct Combination: Hashable {
    var status: Status
    var held: Held
    var pending: Pending
    var told: Told

    /// What never reached a device, or left it, cannot still be pending there.
    var isPossible: Bool {
      if pending == .still { return held == .shown && mayShow }
      return true
    }

    var mayShow: Bool { [.authorized, .provisional, .ephemeral].contains(status) }

    /// PLANNING.md, section 7, as a table.
    var outcome: String {
      switch told {
      // The device said so.
      case .tapped, .dismissed, .delivered: return "delivered"
      case .inNotificationCenter:
        // An older notification of this id may stand there, where the new one never came.
        if held == .shown || held == .vanished, mayShow { return "delivered" }
      case .nothing: break
      }
      // Denied at the time.
      if status == .denied { return "suppressed" }
      // It never reached the device: nothing is held where nothing may be shown.
      if !mayShow || held == .noSlot || held == .lost { return "missed" }
      // Another status made another plan, and by the version it reports it has not got that.
      if held == .vanished, status != .authorized { return "removedOnDevice" }
      // The report does not say, or the device's clock is behind.
      if pending != .gone { return "open" }
      switch held {
      case .shown: return "inferredDelivered"
      case .vanished: return "removedOnDevice"
      case .lost, .noSlot: fatalError("said above")
      }
    }
  }

  private static let combinations = Status.allCases.flatMap { status in
    Held.allCases.flatMap { held in
      Pending.allCases.flatMap { pending in
        Told.allCases.map { Combination(status: status, held: held, pending: pending, told: $0) }
      }
    }
  }.filter(\.isPossible)

  /// Up to the time when it is due.
  private func live(_ device: inout TruthfulDevice, _ combination: Combination) async throws {
    let put = [TruthfulDevice.put("x", at: 600)]
    if combination.held == .lost { device.status = combination.status.rawValue }
    try await device.sync(
      put: put, foreign: combination.held == .noSlot ? 64 : 0, isLost: combination.held == .lost)
    guard combination.held != .lost else { return }
    try await device.sync(foreign: combination.held == .noSlot ? 64 : 0)
    if combination.held == .vanished {
      device.mirror.drop("x")
      try await device.sync(isLost: true)
    }
    guard combination.status != .authorized else { return }
    device.status = combination.status.rawValue
    try await device.sync(
      foreign: combination.held == .noSlot ? 64 : 0, isLost: combination.held == .vanished)
  }

  /// What it reports when it was due.
  private func report(_ device: inout TruthfulDevice, _ combination: Combination, now: Instant) async throws {
    let due = Reports.start.adding(seconds: 660)
    if combination.pending == .gone { device.mirror.drop("x") }
    var events: [String] = []
    if [.tapped, .dismissed, .delivered].contains(combination.told) {
      events = [device.event(combination.told.rawValue, "x", at: due)]
    }
    try await device.sync(
      pending: combination.pending == .unsaid ? .unsaid : .mirrored,
      foreign: combination.held == .noSlot ? 64 : 0,
      delivered: combination.told == .inNotificationCenter ? ["x"] : [], events: events)
  }

  @Test func everyCombinationIsGradedAsTheTableSays() async throws {
    #expect(Self.combinations.count > 200)
    try await withTruthfulDevices { server, client in
      var devices: [Combination: TruthfulDevice] = [:]
      for combination in Self.combinations {
        var device = TruthfulDevice(client)
        try await live(&device, combination)
        devices[combination] = device
      }
      server.clock.advance(seconds: 700)
      for combination in Self.combinations {
        try await report(&devices[combination]!, combination, now: server.clock.now)
        let rows = try await devices[combination]!.deliveries()
        #expect(rows.map { $0["outcome"]?.string } == [combination.outcome], "\(combination)")
        let row = rows.first
        #expect(row?["notification"]?.string == "x" && row?["wishedAt"]?.string == Reports.time(600))
        #expect(row?["at"]?.string == Reports.time(600) && row?["type"]?.string == "unknown")
        #expect((row?["settledAt"]?.string == nil) == (combination.outcome == "open"))
        #expect((row?["tappedAt"]?.string == nil) == (combination.told != .tapped))
        #expect((row?["dismissedAt"]?.string == nil) == (combination.told != .dismissed))
      }
      // What was open is settled by the next report that says what is pending.
      server.clock.advance(seconds: 700)
      for combination in Self.combinations where combination.outcome == "open" {
        devices[combination]!.mirror.drop("x")
        try await devices[combination]!.sync()
        var settled = combination
        settled.pending = .gone
        #expect(try await devices[combination]!.outcomes() == ["x": settled.outcome], "\(combination)")
      }
      // A tap, however late, proves that it was delivered.
      for combination in Self.combinations where combination.told == .nothing {
        let tap = devices[combination]!.event("tapped", "x", at: server.clock.now)
        // Once more under the same id: told once.
        for _ in 1...2 { try await devices[combination]!.sync(pending: .unsaid, events: [tap]) }
        let rows = try await devices[combination]!.deliveries()
        #expect(rows.map { $0["outcome"]?.string } == ["delivered"], "\(combination)")
        #expect(rows.first?["tappedAt"]?.string == server.clock.now.description)
      }
    }
  }
}
