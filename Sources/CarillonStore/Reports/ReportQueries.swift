import CarillonJSON
import CarillonModel
import CarillonPostgres

extension Parameters {
  /// Counted from 1970-01-01.
  mutating func day(_ day: CivilDate?) { int4(day.map { Int32($0.daysSinceEpoch) }) }

  fileprivate mutating func hold(_ hold: ReportHold) {
    tenant(hold.tenant)
    day(hold.day)
    uuid(high: hold.holder.high, low: hold.holder.low)
  }
}

extension Rows {
  fileprivate func day(_ row: Int, _ column: Int) -> CivilDate {
    CivilDate(daysSinceEpoch: Int(int(row, column)))
  }
}

extension Query where Answer == [ReportRow] {
  static func reportRows(
    _ subject: ReportSubject, tenant: TenantID, period: ClosedRange<CivilDate>, type: String?,
    cohort: String?,
    limit: Int
  ) -> Query {
    .list(
      .reportCountsPage,
      { parameters in
        parameters.tenant(tenant)
        parameters.text(subject.rawValue)
        parameters.day(period.lowerBound)
        parameters.day(period.upperBound)
        parameters.text(type)
        parameters.text(cohort)
        parameters.count(limit)
      },
      row: { (rows, row) throws(StoreError) in
        let counts = rows.int8Array(row, 3).map(Int.init)
        guard counts.allSatisfy(StoredNumbers.counts.contains) else { throw .unreadable(.counter) }
        return ReportRow(
          day: rows.day(row, 0), type: rows.text(row, 1), cohort: rows.text(row, 2),
          counts: ReportCounts(counts))
      })
  }
}

extension Query where Answer == CivilDate? {
  static func newestReportDay(tenant: TenantID, before today: CivilDate) -> Query {
    Query(
      .reportDaysNewest,
      { parameters in
        parameters.tenant(tenant)
        parameters.day(today)
      }, read: { $0.optional(0, 0, Rows.day) })
  }

  static func claimReportDay(
    _ day: CivilDate?, tenant: TenantID, holder: UUID128, until: Instant, now: Instant
  ) -> Query {
    .first(
      .reportDaysClaim,
      { parameters in
        parameters.tenant(tenant)
        parameters.uuid(high: holder.high, low: holder.low)
        parameters.instant(until)
        parameters.instant(now)
        parameters.day(now.utcDay)
        parameters.day(day)
      }, row: { rows, row in rows.day(row, 0) })
  }
}

extension Query where Answer == Int {
  static func heldReportDays(tenant: TenantID, now: Instant) -> Query {
    Query(.reportDaysHeld) { parameters in
      parameters.tenant(tenant)
      parameters.instant(now)
    } read: {
      Int($0.int(0, 0))
    }
  }
}

extension Query where Answer == DeviceID? {
  static func reportBound(tenant: TenantID, from first: DeviceID, limit: Int) -> Query {
    .first(
      .reportCountsBound,
      { parameters in
        parameters.tenant(tenant)
        parameters.device(first)
        parameters.int8(Int64(limit))
      }, row: { rows, row in rows.device(row, 0) })
  }
}

extension Query where Answer == [ReportPart.Count] {
  static func reportCounts(
    tenant: TenantID, day: CivilDate, from first: DeviceID, before next: DeviceID?
  ) -> Query {
    Query(.reportCountsPart) { parameters in
      parameters.tenant(tenant)
      parameters.device(first)
      parameters.uuid(next.map { ($0.uuid.high, $0.uuid.low) })
      parameters.instant(day.startInUTC)
      parameters.instant(day.adding(days: 1).startInUTC)
      parameters.day(day)
    } read: { rows in
      (0..<rows.count).compactMap { row in
        ReportSubject(rawValue: rows.text(row, 0)).map {
          ReportPart.Count(
            subject: $0, type: rows.text(row, 1), cohort: rows.text(row, 2), measure: rows.text(row, 3),
            count: Int(rows.int(row, 4)))
        }
      }
    }
  }
}

/// Whether the day is held.
extension Query where Answer == Bool {
  static func keepReportDay(_ hold: ReportHold, until: Instant) -> Query {
    Query(.reportDaysKeep) { parameters in
      parameters.hold(hold)
      parameters.instant(until)
    } read: {
      $0.count == 1
    }
  }

  static func finishReportDay(_ hold: ReportHold, now: Instant) -> Query {
    Query(.reportDaysFinish) { parameters in
      parameters.hold(hold)
      parameters.instant(now)
      // Zero stands for a day that was not counted; no day is before it is over.
      parameters.count(max(1, now.utcDay.daysSinceEpoch - hold.day.daysSinceEpoch))
    } read: {
      $0.count == 1
    }
  }
}

extension Query where Answer == Void {
  static func clearReportDay(_ hold: ReportHold) -> Query {
    Query(.reportCountsClear, { $0.hold(hold) }, read: { _ in })
  }

  static func addReportRows(_ rows: [ReportSubject: [ReportRow]], of hold: ReportHold) -> Query {
    Query(.reportCountsAdd) { parameters in
      parameters.hold(hold)
      parameters.jsonb(document(rows))
    } read: { _ in
    }
  }

  static func releaseReportDay(_ hold: ReportHold) -> Query {
    Query(.reportDaysRelease, { $0.hold(hold) }, read: { _ in })
  }

  private static func document(_ rows: [ReportSubject: [ReportRow]]) -> [UInt8] {
    var writer = JSONWriter(capacity: 128 * rows.values.reduce(0) { $0 + $1.count })
    writer.array { writer in
      for subject in ReportSubject.allCases {
        for row in rows[subject] ?? [] {
          writer.object { writer in
            writer.member("counted", subject.rawValue)
            writer.member("type", row.type)
            writer.member("cohort", row.cohort)
            writer.name("counts")
            writer.array { writer in
              for value in row.counts.trimmed.values { writer.int(value) }
            }
          }
        }
      }
    }
    return writer.bytes
  }
}
