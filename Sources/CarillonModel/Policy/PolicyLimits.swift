/// The bounds of a policy's members. What iOS itself limits has Apple's number.
public enum PolicyLimits {
  /// iOS keeps 64 pending requests of an app.
  public static let slots = 1...64
  /// iOS monitors 20 regions of an app.
  public static let locationSlots = 0...20
  public static let horizonDays = 1...366
  public static let priority = 0...99
  public static let mostTypes = 256
  public static let mostPrefixes = 256
  /// Bytes of a type's name or a prefix.
  public static let nameBytes = 1...128
  public static let mostWindows = 64
  public static let mostCaps = 32
  public static let capLimit = 1...10_000
  /// Seconds of a rolling cap.
  public static let capSeconds = 1...31_622_400
  public static let mostActions = 256
  /// Seconds that any rule may wait: ten years.
  public static let longestWait = 315_360_000
}
