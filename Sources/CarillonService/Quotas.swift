import CarillonStore

/// What a tenant may have, as a use case must know it.
public struct Quotas: Sendable {
  /// How many notifications the queue of a device holds.
  public var notificationsPerDevice: Int
  /// Asked each time before a device is made.
  public var admitsDevice: @Sendable () -> Bool

  public init(
    notificationsPerDevice: Int = Store.maxQueueEntries,
    admitsDevice: @escaping @Sendable () -> Bool = { true }
  ) {
    self.notificationsPerDevice = notificationsPerDevice
    self.admitsDevice = admitsDevice
  }
}
