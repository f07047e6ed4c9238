import CarillonModel
import CarillonPlanner
import CarillonZones
import Foundation

extension SyncEngine {
  /// The system's zone data; nil where there is none.
  private static let zones = try? ZoneFolder()

  /// Makes the device hold what it plans by itself.
  ///
  /// - Returns: nil when the error is not one of a server that cannot be reached, or nothing could be planned.
  func planHere(after error: CarillonError) async -> SyncOutcome? {
    guard error.leavesPlanningToDevice else { return nil }
    do {
      guard let plan = try await localPlan() else { return nil }
      try await save(plan.state)
      var applier = PlanApplier(remove: plan.remove, add: plan.add)
      let applied = await applier.run(on: center, effects: configuration.effects)
      return SyncOutcome(
        deviceId: plan.state.deviceId, planVersion: plan.state.planVersion, slots: plan.slots,
        refreshBy: plan.refreshBy, applied: applied, rejected: [],
        priming: PrimingDecision(.none, .noValueAction), unread: plan.state.unread, backoff: nil,
        notices: [], reports: 0, confirmation: .device(error))
    } catch {
      return nil
    }
  }

  /// What the device would hold by its own planning at this moment; nil where there is no zone data.
  func localPlan() async throws(CarillonError) -> LocalPlan? {
    guard let zones = Self.zones else { return nil }
    let settings = await center.notificationSettings()
    let pending = await center.pendingRequests()
    let delivered = await center.deliveredNotifications()
    let info = configuration.device()
    // Where the app does not say, the system does.
    let zone = [info.timeZone, TimeZone.current.identifier].lazy.compactMap(\.self)
      .compactMap { zones.zone(named: $0) }.first
    let device = PlanningDevice(
      authorizationStatus: settings.authorizationStatus, settings: settings.settings, zone: zone ?? .utc,
      firstWeekday: info.firstWeekday ?? 1, minimumDaysInFirstWeek: info.minimumDaysInFirstWeek ?? 1)
    let moment = DeviceMoment(
      device: device, pending: pending, delivered: delivered, now: configuration.effects.now())
    return LocalPlan(try await loaded(), on: moment, zones: zones)
  }
}
