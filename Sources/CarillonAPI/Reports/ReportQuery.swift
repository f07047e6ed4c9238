import CarillonModel

/// What a report is asked for: `from`, `to`, `type`, `cohort`.
public struct ReportQuery: Hashable, Sendable {
  /// A day of UTC; nil: ``ReportLimits/usualDays`` up to ``to``.
  public var from: CivilDate?
  /// A day of UTC, included; nil: the last whole one.
  public var to: CivilDate?
  /// Nil: each.
  public var type: String?
  /// Nil: each. Empty: devices without a cohort.
  public var cohort: String?

  public init(
    from: CivilDate? = nil, to: CivilDate? = nil, type: String? = nil, cohort: String? = nil
  ) {
    self.from = from
    self.to = to
    self.type = type
    self.cohort = cohort
  }

  /// The days it is about.
  ///
  /// - Parameter now: the server's time.
  /// - Throws: 400 `invalidParameter` when they are none, or more than ``ReportLimits/days``.
  public func period(now: Instant) throws(Problem) -> ClosedRange<CivilDate> {
    let last = to ?? from.map { max($0, now.utcDay.adding(days: -1)) } ?? now.utcDay.adding(days: -1)
    let first = from ?? last.adding(days: 1 - ReportLimits.usualDays)
    guard first <= last else {
      throw Problem(.invalidParameter, "'from' (\(first)) is after 'to' (\(last)); both days are included.")
    }
    guard last.daysSinceEpoch - first.daysSinceEpoch < ReportLimits.days else {
      throw Problem(
        .invalidParameter,
        "A report spans \(ReportLimits.days) days at most; bring 'from' (\(first)) and 'to' (\(last)) closer together."
      )
    }
    return first...last
  }

  /// - Throws: 400 `invalidParameter` for a `type` where the report has none.
  public func check(for kind: Route.ReportKind) throws(Problem) {
    guard type == nil || kind.hasTypes else {
      throw Problem(.invalidParameter, "The report '\(kind.rawValue)' is not by type; leave 'type' out.")
    }
    for (name, value) in [("type", type), ("cohort", cohort)] {
      guard let value else { continue }
      guard value.utf8.count <= ReportLimits.valueBytes, !value.unicodeScalars.contains("\0") else {
        throw Problem(
          .invalidParameter, "'\(name)' has \(ReportLimits.valueBytes) bytes at most, and no null character.")
      }
    }
  }
}

extension Route.ReportKind {
  /// Whether the report is by type.
  public var hasTypes: Bool { subject == .notifications }

  /// The counters it is made of.
  public var subject: ReportSubject {
    switch self {
    case .evictions, .delivery, .engagement: .notifications
    case .authorization, .priming: .permission
    case .fatigue: .fatigue
    }
  }
}
