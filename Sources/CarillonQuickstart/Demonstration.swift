import CarillonClient
import CarillonJSON
import CarillonModel
import CarillonTesting
import CarillonZones
import Foundation

/// What the quickstart does, for any transport: policy, queues, two syncs, two tables.
public struct Demonstration: Sendable {
  let tenant: TenantClient
  let transport: any Transport
  let server: URL
  let key: String
  let zones: ZoneFolder
  let stateFolder: String
  let effects: Effects

  /// - Parameters:
  ///   - key: the tenant's; the demonstration's devices use it too, where an app would mint device tokens.
  ///   - stateFolder: where the devices keep their state and what their notification centers hold.
  public init(
    tenant: TenantClient, transport: any Transport, server: URL, key: String, zones: ZoneFolder,
    stateFolder: String, effects: Effects
  ) {
    self.tenant = tenant
    self.transport = transport
    self.server = server
    self.key = key
    self.zones = zones
    self.stateFolder = stateFolder
    self.effects = effects
  }

  /// - Parameter print: takes one line or more of text for a person.
  public func run(print: (String) -> Void) async throws {
    print(try await putPolicy())
    for device in DemoDevice.all {
      print("")
      print(try await show(device))
    }
  }

  // MARK: Policy

  /// Puts the article's policy where the tenant has none; another one that stands there is left alone.
  private func putPolicy() async throws -> String {
    do {
      let put = try await tenant.setPolicy(.article)
      return "Policy: the article's five types, version \(put.version)."
    } catch {
      guard error.problem?.knownCode == .preconditionRequired else { throw error }
      let present = try await tenant.policy()
      return present.policy == .article
        ? "Policy: the article's five types, version \(present.version) as before."
        : "Policy: version \(present.version) of this tenant stays."
    }
  }

  // MARK: Devices

  private func show(_ device: DemoDevice) async throws -> String {
    guard let zone = zones.zone(named: device.timeZone) else {
      throw DemonstrationError(description: "the system's zone data lacks \(device.timeZone)")
    }
    let queue = try device.queue(from: effects.now(), in: zone)
    let results = try await tenant.enqueue(
      queue.map { BatchOperation(.put($0), for: .device(device.id)) })
    if let refused = results.first(where: { $0.status == .rejected }) {
      throw DemonstrationError(
        description: "\(queue[refused.index].head.id.text) was refused: \(refused.problem?.detail ?? "")")
    }
    let outcome = try await sync(device)
    let table = PlanTable(
      device: device, zone: zone, queue: queue,
      stored: results.count { $0.status == .stored }, outcome: outcome,
      plan: try await tenant.plan(of: outcome.deviceId))
    return table.text
  }

  private func sync(_ device: DemoDevice) async throws -> SyncOutcome {
    let memory = CenterFile(path: "\(stateFolder)/\(device.name).center.json")
    let center = InMemoryNotificationCenter(timeZone: device.timeZone, now: effects.now)
    if let snapshot = try memory.read() { center.restore(snapshot) }
    var effects = effects
    effects.uuid = { device.id.uuid }
    let key = key
    let carillon = Carillon(
      configuration: .init(server: server, device: { device.info }, effects: effects), center: center,
      transport: transport, store: FileStateStore(path: "\(stateFolder)/\(device.name).json"),
      credential: { _ in key })
    let outcome = try await carillon.sync()
    try memory.write(center.snapshot)
    return outcome
  }
}

/// Something the demonstration cannot go on without.
public struct DemonstrationError: Error, CustomStringConvertible {
  public let description: String
}

extension Policy {
  /// The policy of the article on priority budgets; without any, the server's defaults are the same.
  static var article: Policy {
    func type(_ name: String, _ prefix: String, _ priority: Int) -> NotificationType {
      NotificationType(name: name, prefixes: ["com.example.\(prefix)"], priority: priority)
    }
    var policy = Policy()
    policy.types = [
      type("habit", "habitReminder", 0), type("entry", "entryReminder", 0), type("day1", "day1Reminder", 1),
      type("depletion", "depletionReminder", 2), type("inactivity", "inactivityReminder", 3),
    ]
    return policy
  }
}
