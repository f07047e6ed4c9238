import CarillonAPI
import CarillonStore

extension DeviceItem {
  /// The wire's form of a stored device.
  public init(_ stored: StoredDevice) {
    self.init(
      id: stored.id, info: stored.state.info, authorizationStatus: stored.state.authorizationStatus,
      settings: stored.state.settings, planVersion: stored.planVersion, sequence: stored.sequence,
      createdAt: stored.createdAt, updatedAt: stored.updatedAt, seenAt: stored.seenAt)
    forkedFrom = stored.lineage.forkedFrom
    supersededBy = stored.lineage.supersededBy
    supersededAt = stored.lineage.supersededAt
  }
}
