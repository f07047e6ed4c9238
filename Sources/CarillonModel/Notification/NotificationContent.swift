import CarillonJSON

/// What a notification shows: Apple's `UNNotificationContent`, in its words.
///
/// At least one of `title`, `body`, `badge` and `sound` is there.
public struct NotificationContent: Hashable, Sendable {
  public var title: String?
  public var subtitle: String?
  public var body: String?
  /// A sound's name, or `default`.
  public var sound: String?
  /// 0...1; for critical sounds only, as Apple has it.
  public var soundVolume: Double?
  public var soundIsCritical = false
  public var badge: Int?
  public var threadId: String?
  public var categoryId: String?
  /// Any JSON object, depth <= 32, at most 10,000 values.
  public var userInfo: JSONValue?
  /// 0...1.
  public var relevanceScore: Double?
  /// Nil means active.
  public var interruptionLevel: InterruptionLevel?
  public var attachments: JSONValue?

  public init(title: String? = nil, body: String? = nil) {
    self.title = title
    self.body = body
  }
}
