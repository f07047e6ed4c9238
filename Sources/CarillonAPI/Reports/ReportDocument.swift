import CarillonJSON
import CarillonModel

/// A report as it is answered: `{"report", "from", "to", "rolledUpThrough", "items": […]}`, an item for each day, type
/// and cohort of which there is something to say, in this order.
public struct ReportDocument: Hashable, Sendable {
  public var kind: Route.ReportKind
  public var from: CivilDate
  public var to: CivilDate
  /// The newest day that was counted; nil: none was.
  public var rolledUpThrough: CivilDate?
  public var rows: [ReportRow]

  public init(
    kind: Route.ReportKind, period: ClosedRange<CivilDate>, rolledUpThrough: CivilDate?, rows: [ReportRow]
  ) {
    self.kind = kind
    from = period.lowerBound
    to = period.upperBound
    self.rolledUpThrough = rolledUpThrough
    self.rows = rows.filter { kind.speaks(of: $0.counts) }
  }

  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("report", kind.rawValue)
      writer.day("from", from)
      writer.day("to", to)
      writer.day("rolledUpThrough", rolledUpThrough)
      writer.name("items")
      writer.array { writer in
        for row in rows { kind.write(row, to: &writer) }
      }
    }
  }

  public var json: [UInt8] {
    var writer = JSONWriter(capacity: 256 + 192 * rows.count)
    write(to: &writer)
    return writer.bytes
  }
}

extension Route.ReportKind {
  /// Whether a row says anything in this report.
  fileprivate func speaks(of counts: ReportCounts) -> Bool {
    switch self {
    case .evictions: counts[.evicted] + counts[.lost] + counts[.lostToLimit] > 0
    case .delivery: counts.due > 0
    case .engagement: counts.noticed + counts[.tapped] + counts[.dismissed] > 0
    case .authorization: counts[.devices as PermissionMeasure] > 0
    case .priming: counts.values.dropFirst(PermissionMeasure.none.rawValue).contains { $0 > 0 }
    case .fatigue: counts[.devices as FatigueMeasure] + counts[.left] > 0
    }
  }

  fileprivate func write(_ row: ReportRow, to writer: inout JSONWriter) {
    writer.object { writer in
      writer.day("day", row.day)
      if self == .fatigue {
        writer.member("by", row.type)
        writer.known("value", row.cohort)
      } else {
        if hasTypes { writer.member("type", row.type) }
        writer.known("cohort", row.cohort)
      }
      switch self {
      case .evictions: writer.evictions(row.counts)
      case .delivery: writer.delivery(row.counts)
      case .engagement: writer.engagement(row.counts)
      case .authorization: writer.authorization(row.counts)
      case .priming: writer.priming(row.counts)
      case .fatigue: writer.fatigue(row.counts)
      }
    }
  }
}

extension JSONWriter {
  fileprivate mutating func day(_ name: StaticString, _ day: CivilDate?) {
    self.name(name)
    if let day { asciiString { day.append(to: &$0) } } else { null() }
  }

  /// Null for what nobody told.
  fileprivate mutating func known(_ name: StaticString, _ text: String) {
    self.name(name)
    if text.isEmpty { null() } else { string(text) }
  }
}
