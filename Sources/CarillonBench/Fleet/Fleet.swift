import CarillonJSON
import Foundation

/// Devices of many tenants with queues of many sizes, and the steady reports they send. The same seed makes the same.
final class Fleet: Sendable {
  struct Shape {
    var devices: Int
    var tenants: Int
    var seed: UInt64
    /// Notifications in a queue, and how many in a hundred devices have so many.
    var queues: [(size: Int, percent: UInt64)] = [
      (20, 45), (40, 25), (80, 15), (160, 10), (320, 4), (500, 1),
    ]
  }

  private struct Tenant {
    var key: String
    var id: String
    /// The share of all devices that this one and those before it have.
    var upTo: Double
  }

  let shape: Shape
  private let tenants: [Tenant]
  /// Of each template: what it reports once it holds its plan.
  private let bodies: [[UInt8]]
  private let counter = Counter()

  /// Makes tenants and templates through the server, and everybody else from their rows.
  init(_ shape: Shape, on bench: Workbench, progress: (String) -> Void) async throws {
    self.shape = shape
    // One has half of all, the next a quarter, and so on down to an even share of what is left.
    var tenants: [Tenant] = []
    var left = 1.0
    for number in 0..<shape.tenants {
      let isLast = number == shape.tenants - 1
      left -= isLast ? left : max(left / 2, left / Double(shape.tenants - number))
      let name = "fleet-\(number)"
      let key = try bench.server.makeTenant(name)
      let id = try bench.server.sql("SELECT tenant_id FROM carillon.tenants WHERE name = '\(name)'")
      tenants.append(Tenant(key: key, id: id, upTo: isLast ? 1 : 1 - left))
    }
    self.tenants = tenants
    progress("a template for each size of queue")
    var bodies: [[UInt8]] = []
    for (place, queue) in shape.queues.enumerated() {
      bodies.append(try await Self.template(place, queue.size, key: tenants[0].key, on: bench))
    }
    self.bodies = bodies
    try TableClone(server: bench.server).copy(shape.devices, member: member, progress)
  }

  /// Two real syncs, as of every device.
  private static func template(
    _ place: Int, _ size: Int, key: String, on bench: Workbench
  ) async throws -> [UInt8] {
    var report = ReportBodies(notifications: size)
    for step in 1...2 {
      let once = Once()
      let body = step == 1 ? report.first : report.steady
      let result = try await bench.run(connections: 1, seconds: nil) { _, buffer in
        guard once.take() else { return false }
        RequestWriter.post(
          "/v1/devices/\(templateIdentifier(place))/sync", key: key,
          [Array("{\"sequence\":\(step)".utf8), body], into: &buffer)
        return true
      }
      if step == 1 { try report.learnPlan(try JSONValue(parsing: result.sample)) }
    }
    return report.steady
  }

  private static func templateIdentifier(_ place: Int) -> String {
    "ffffffff-0000-4000-8000-00000000000\(place)"
  }

  private func member(_ device: Int) -> TableClone.Member {
    TableClone.Member(
      tenant: tenant(of: device).id, device: SyncFleet.identifier(device),
      template: Self.templateIdentifier(template(of: device)))
  }

  private func tenant(of device: Int) -> Tenant {
    let share = Double(mixed(device, 1) >> 11) / Double(1 << 53)
    return tenants.first { share < $0.upTo } ?? tenants[tenants.count - 1]
  }

  private func template(of device: Int) -> Int {
    var percent = mixed(device, 2) % 100
    for (place, queue) in shape.queues.enumerated() {
      if percent < queue.percent { return place }
      percent -= queue.percent
    }
    return 0
  }

  /// The device's number, scattered by the seed.
  private func mixed(_ device: Int, _ purpose: UInt64) -> UInt64 {
    var value = (UInt64(device) &* 4 &+ purpose) &+ shape.seed &* 0x9e37_79b9_7f4a_7c15
    value = (value ^ value >> 30) &* 0xbf58_476d_1ce4_e5b9
    value = (value ^ value >> 27) &* 0x94d0_49bb_1331_11eb
    return value ^ value >> 31
  }

  /// Steady reports of devices all over the fleet, one after the other as a stride takes them.
  @Sendable func next(connection: Int, into buffer: inout [UInt8]) -> Bool {
    let number = counter.next()
    report(of: number &* 7_919 % shape.devices, sequence: number, into: &buffer)
    return true
  }

  /// A report of each device once, of the fleet's biggest tenant alone.
  func once(tenant: Int) -> @Sendable (Int, inout [UInt8]) -> Bool {
    let devices = devices(of: tenant)
    let counter = Counter()
    let sequences = self.counter
    return { _, buffer in
      let place = counter.next()
      guard place < devices.count else { return false }
      self.report(of: devices[place], sequence: sequences.next(), into: &buffer)
      return true
    }
  }

  func devices(of tenant: Int) -> [Int] {
    (0..<shape.devices).filter { self.tenant(of: $0).id == tenants[tenant].id }
  }

  func key(of tenant: Int) -> String { tenants[tenant].key }
  func identifier(of tenant: Int) -> String { tenants[tenant].id }

  private func report(of device: Int, sequence: Int, into buffer: inout [UInt8]) {
    RequestWriter.post(
      "/v1/devices/\(SyncFleet.identifier(device))/sync", key: tenant(of: device).key,
      [Array("{\"sequence\":\(sequence + 100)".utf8), bodies[template(of: device)]], into: &buffer)
  }
}
