/// What reports are bounded by.
public enum ReportLimits {
  /// Of the days that can be asked for.
  public static let years = 2000...2199
  /// Days one answer may span.
  public static let days = 400
  /// The days an answer spans when it is not told.
  public static let usualDays = 30
  /// Rows one answer may be made of.
  public static let rows = 200_000
  /// Days that rolled-up counters are kept.
  public static let daysKept = 800
  /// Days that are counted after the fact when a tenant was not counted for a while: what devices remember.
  public static let daysCaughtUp = 90
  /// Types, cohorts, app versions or weeks of one day; the rarest beyond are counted together as ``others``.
  public static let values = 200
  /// Stands for all that are too many to be counted apart.
  public static let others = "(others)"
  /// Bytes of a type or cohort in a query.
  public static let valueBytes = 256
}
