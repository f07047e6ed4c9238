import CarillonJSON
import CarillonModel

/// Apple's `UNNotificationRequest`: what a center holds until it fires.
public struct CenterRequest: Hashable, Sendable {
  public var id: NotificationID
  public var content: NotificationContent
  /// Nil fires at once; such a request is never pending.
  public var trigger: CenterTrigger?

  public init(id: NotificationID, content: NotificationContent, trigger: CenterTrigger?) {
    self.id = id
    self.content = content
    self.trigger = trigger
  }

  /// The member of `userInfo` that marks a request as ours and says which version of it this is.
  public static let revisionKey = "carillon.revision"

  /// The revision it was added with. Nil: not ours, so it is counted and otherwise left alone.
  public var revision: String? { content.userInfo?[Self.revisionKey]?.string }

  /// The same request, marked as ours.
  func marked(revision: String) -> CenterRequest {
    var members: [JSONMember] = []
    if case .object(let present)? = content.userInfo {
      members = present.filter { $0.name != Self.revisionKey }
    }
    members.append(JSONMember(Self.revisionKey, .string(revision)))
    var marked = self
    marked.content.userInfo = .object(members)
    return marked
  }
}

/// The triggers iOS has.
public enum CenterTrigger: Hashable, Sendable {
  /// `UNCalendarNotificationTrigger`. The zone is an IANA name; nil is the device's zone when it fires.
  case calendar(CalendarComponents, timeZone: String?, repeats: Bool)
  /// `UNTimeIntervalNotificationTrigger`, counted from when it is added. Above 0; at least 60 when it repeats.
  case interval(seconds: Double, repeats: Bool)
  /// `UNLocationNotificationTrigger` over a circular region.
  case location(LocationTrigger)

  public var repeats: Bool {
    switch self {
    case .calendar(_, _, let repeats): repeats
    case .interval(_, let repeats): repeats
    case .location(let region): region.repeats
    }
  }
}
