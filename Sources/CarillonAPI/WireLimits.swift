import CarillonJSON

/// What one request may hold. More is refused with 413 or 422, and nothing is changed.
public enum WireLimits {
  /// Of a sync, and of every body but a batch.
  public static let bodyBytes = 256 * 1024
  public static let batchBodyBytes = 8 * 1024 * 1024
  /// Of a report's `sequence`: room for more reports than any device sends, and none that nothing newer can follow.
  public static let sequence = 0...((1 << 53) - 1)
  /// Requests the device really holds; iOS keeps 64, a device in trouble may report more.
  public static let pending = 1_000
  public static let delivered = 1_000
  public static let events = 500
  public static let puts = 1_000
  public static let cancels = 1_000
  public static let batchOperations = 1_000
  /// Items that one mark names.
  public static let inboxIDs = 1_000
  /// Of an event's id, a user's id, a device key and other short texts.
  public static let shortTextBytes = 256
  /// Of `Idempotency-Key`.
  public static let idempotencyKeyBytes = 255
  /// Devices that one preview of a policy plans.
  public static let previewSample = 0...1_000
  public static let defaultPreviewSample = 100
  /// Of a long poll.
  public static let waitSeconds = 0...60
  /// Seconds a device token may live.
  public static let tokenSeconds = 60...86_400
  public static let defaultTokenSeconds = 3_600

  /// What reading a sync may cost.
  public static let syncJSON = JSONLimits(depth: 64, values: 100_000, bytes: bodyBytes)
  /// What reading a batch may cost.
  public static let batchJSON = JSONLimits(depth: 64, values: 2_000_000, bytes: batchBodyBytes)
}
