import CarillonJSON

/// What the domain refuses, beside the codes of reading itself. Part of the wire: they never change.
public enum ModelError {
  /// An id that is empty, too long, or has control characters.
  public static let invalidId = "invalidId"
  /// The id in the body is not the one of the path.
  public static let idMismatch = "idMismatch"
  /// Neither title nor body nor badge nor sound.
  public static let emptyContent = "emptyContent"
  /// Longer than ``NotificationContent/largest``.
  public static let contentTooLarge = "contentTooLarge"
  /// No such kind of trigger.
  public static let unknownTriggerKind = "unknownTriggerKind"
  /// Not an RFC 3339 time with an offset, or a day that does not exist, or outside of 2000...2199.
  public static let invalidInstant = "invalidInstant"
  /// Not a wall time without an offset, or a day that does not exist, or outside of 2000...2199.
  public static let invalidLocalTime = "invalidLocalTime"
  /// Not the name of a zone.
  public static let invalidTimeZone = "invalidTimeZone"
  /// An offset where only a place tells what its clocks will do.
  public static let fixedOffsetTimeZone = "fixedOffsetTimeZone"
  /// Not above 0, or under 60 seconds where it repeats.
  public static let invalidInterval = "invalidInterval"
  /// No component is set.
  public static let emptyComponents = "emptyComponents"
  /// A set that no day ever matches, such as 30 February.
  public static let impossibleComponents = "impossibleComponents"
  /// A full date with a weekday or a week that it does not have.
  public static let contradictoryComponents = "contradictoryComponents"
  /// Another calendar than the Gregorian.
  public static let unsupportedCalendar = "unsupportedCalendar"
  /// The end is not after the start.
  public static let emptySpan = "emptySpan"
  /// Not an RFC 5545 recurrence rule, or one whose parts RFC 5545 does not let stand together.
  public static let invalidRule = "invalidRule"
  /// A part of a recurrence rule that is not planned here, or times less than a minute apart.
  public static let unsupportedRulePart = "unsupportedRulePart"
  /// The name of a zone, but of none in the zone data.
  public static let unknownTimeZone = "unknownTimeZone"
  /// A trigger that no time satisfies, or a repeating one that only times before now do.
  public static let canNeverFire = "canNeverFire"
  /// A region that is no place, or that nobody can enter or leave.
  public static let invalidRegion = "invalidRegion"
  /// A policy whose members cannot all hold.
  public static let contradictoryPolicy = "contradictoryPolicy"

  public static let all = [
    invalidId, idMismatch, emptyContent, contentTooLarge, unknownTriggerKind, invalidInstant,
    invalidLocalTime,
    invalidTimeZone, fixedOffsetTimeZone, invalidInterval, emptyComponents, impossibleComponents,
    contradictoryComponents, unsupportedCalendar, emptySpan, invalidRule, unsupportedRulePart,
    unknownTimeZone, canNeverFire, invalidRegion, contradictoryPolicy,
  ]
}

/// One item of a batch that was refused; the others are not touched by it.
public struct RejectedItem: Hashable, Sendable {
  /// The item's id, when it could be read.
  public var id: String?
  public var error: JSONError

  public init(id: String?, error: JSONError) {
    self.id = id
    self.error = error
  }

  /// `{"id", "pointer", "code", "detail"}`
  public func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.name("id")
    if let id { writer.string(id) } else { writer.null() }
    writer.member("pointer", error.pointer)
    writer.member("code", error.code)
    writer.member("detail", error.detail)
    writer.endObject()
  }
}
