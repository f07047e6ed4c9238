/// Counters of one day.
public struct ReportRow: Hashable, Sendable {
  public var day: CivilDate
  /// Empty: no type. Of ``ReportSubject/fatigue`` a ``FatigueGrouping``.
  public var type: String
  /// Empty: of devices without one.
  public var cohort: String
  public var counts: ReportCounts

  public init(day: CivilDate, type: String, cohort: String, counts: ReportCounts) {
    self.day = day
    self.type = type
    self.cohort = cohort
    self.counts = counts
  }
}

/// The counters of a subject, in the order of its measures.
public struct ReportCounts: Hashable, Sendable {
  /// Those that are missing at the end are zero.
  public var values: [Int]

  public init(_ values: [Int] = []) { self.values = values }

  public subscript(index: Int) -> Int {
    get { index < values.count ? values[index] : 0 }
    set {
      if index >= values.count { values += [Int](repeating: 0, count: index + 1 - values.count) }
      values[index] = newValue
    }
  }

  public subscript(measure: NotificationMeasure) -> Int { self[measure.rawValue] }
  public subscript(measure: PermissionMeasure) -> Int { self[measure.rawValue] }
  public subscript(measure: FatigueMeasure) -> Int { self[measure.rawValue] }

  /// Devices by the span from their first sight to their grant: an index of ``PermissionMeasure/grantBounds``, or
  /// their number for those beyond all.
  public func granted(within bound: Int) -> Int { self[PermissionMeasure.allCases.count + bound] }

  /// Departures that a sign preceded by so many days, ``FatigueMeasure/longestLeadDays`` at most.
  public func left(afterDays days: Int) -> Int { self[FatigueMeasure.allCases.count + days] }

  /// Without the zeros at the end.
  public var trimmed: ReportCounts {
    var values = values
    while values.last == 0 { values.removeLast() }
    return ReportCounts(values)
  }

  public static func += (left: inout ReportCounts, right: ReportCounts) {
    for (index, value) in right.values.enumerated() where value != 0 { left[index] += value }
  }
}

extension ReportCounts {
  /// What came due.
  public var due: Int { DeliveryOutcome.allCases.reduce(0) { $0 + self[NotificationMeasure($1)] } }

  /// What somebody may have noticed.
  public var noticed: Int { self[.delivered] + self[.inferredDelivered] + self[.rescued] }

  /// Departures that a sign preceded.
  public var warned: Int { (0...FatigueMeasure.longestLeadDays).reduce(0) { $0 + left(afterDays: $1) } }

  /// The days of warning of the middle departure, the earlier of two; nil: none was warned of.
  public var medianLeadDays: Int? {
    let warned = warned
    var seen = 0
    for days in 0...FatigueMeasure.longestLeadDays {
      seen += left(afterDays: days)
      if warned > 0, seen * 2 >= warned { return days }
    }
    return nil
  }
}
