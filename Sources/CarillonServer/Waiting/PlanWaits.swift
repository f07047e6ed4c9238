import CarillonModel
import Synchronization

/// Who waits for a plan to change, on whichever loop: a write on any of them wakes those it may concern, and they look
/// again. Shared by all loops.
final class PlanWaits: Sendable {
  /// So many wait at a time for one device, for all devices of one tenant, and at this server; one more is answered at
  /// once, as if it had not asked to wait.
  struct Limits: Sendable {
    var ofDevice = 4
    var ofTenant = 500
    var ofServer = 2_000
  }

  private struct State {
    var waits: [TenantID: [DeviceID: [PlanWait]]] = [:]
    var ofTenant: [TenantID: Int] = [:]
    var ofServer = 0
    var isDraining = false
  }

  private let limits: Limits
  private let state = Mutex(State())
  /// Looked at by every write: mostly nobody waits.
  private let count = Atomic(0)

  init(limits: Limits = Limits()) { self.limits = limits }

  /// How many wait.
  var waiting: Int { count.load(ordering: .relaxed) }

  /// Nil: there is no room, or the server stops. ``end(_:)`` gives the room back.
  func begin(_ tenant: TenantID, _ device: DeviceID) -> PlanWait? {
    state.withLock { state in
      guard !state.isDraining, state.ofServer < limits.ofServer,
        state.ofTenant[tenant, default: 0] < limits.ofTenant,
        state.waits[tenant]?[device]?.count ?? 0 < limits.ofDevice
      else { return nil }
      let wait = PlanWait(tenant: tenant, device: device)
      state.waits[tenant, default: [:]][device, default: []].append(wait)
      state.ofTenant[tenant, default: 0] += 1
      state.ofServer += 1
      count.store(state.ofServer, ordering: .sequentiallyConsistent)
      return wait
    }
  }

  func end(_ wait: PlanWait) {
    state.withLock { state in
      state.waits[wait.tenant]?[wait.device]?.removeAll { $0 === wait }
      if state.waits[wait.tenant]?[wait.device]?.isEmpty == true {
        state.waits[wait.tenant]?[wait.device] = nil
      }
      if state.waits[wait.tenant]?.isEmpty == true { state.waits[wait.tenant] = nil }
      let left = state.ofTenant[wait.tenant, default: 1] - 1
      state.ofTenant[wait.tenant] = left == 0 ? nil : left
      state.ofServer -= 1
      count.store(state.ofServer, ordering: .sequentiallyConsistent)
    }
  }

  /// Something was written.
  ///
  /// - Parameter device: whose plan alone it concerns; nil: it may concern any of the tenant's.
  func wake(_ tenant: TenantID, _ device: DeviceID?) {
    guard count.load(ordering: .sequentiallyConsistent) > 0 else { return }
    let woken = state.withLock { state -> [PlanWait] in
      guard let ofTenant = state.waits[tenant] else { return [] }
      if let device { return ofTenant[device] ?? [] }
      return ofTenant.values.flatMap { $0 }
    }
    for wait in woken { wait.wake() }
  }

  /// All that wait are answered, and nobody waits from now on.
  func drain() {
    let woken = state.withLock { state in
      state.isDraining = true
      return state.waits.values.flatMap { $0.values.flatMap { $0 } }
    }
    for wait in woken { wait.expire() }
  }
}

/// One who waits. It is woken for another look, as often as there is a reason, and in the end for good.
final class PlanWait: Sendable {
  let tenant: TenantID
  let device: DeviceID

  private struct State {
    var isOver = false
    /// There was a reason since the last look.
    var isWoken = false
    var sleeper: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())

  init(tenant: TenantID, device: DeviceID) {
    self.tenant = tenant
    self.device = device
  }

  /// Whether this was the last look.
  var isOver: Bool { state.withLock { $0.isOver } }

  func wake() { resume { $0.isWoken = true } }
  func expire() { resume { $0.isOver = true } }

  private func resume(_ change: (inout State) -> Void) {
    let sleeper = state.withLock { state in
      change(&state)
      defer { state.sleeper = nil }
      return state.sleeper
    }
    sleeper?.resume()
  }

  /// Returns when there is a reason to look, which may have come before.
  func sleep() async {
    await withCheckedContinuation { continuation in
      let isAwake = state.withLock { state in
        if state.isWoken || state.isOver { return true }
        state.sleeper = continuation
        return false
      }
      if isAwake { continuation.resume() }
    }
    state.withLock { $0.isWoken = false }
  }
}
