/// How far what is counted in rows goes. A server comes nowhere near; a row that says more was not written by one, is
/// never imported, and is read as damaged (``StoreError/unreadable(_:)``) instead of being counted on from.
public enum StoredNumbers {
  /// In 64 bits: versions of rows, sequences, what JSON carries without loss.
  public static let counters = 0...(1 << 53)
  /// In 32 bits, or fewer: half of what fits, so that there is always a next one.
  public static let versions = 0...(1 << 30)
  /// Of one report's counter: any that a report can hold can be added up.
  public static let counts = 0...(1 << 40)
  /// Milliseconds from 1970 of the years 1 to 9999: what sums of times cannot overflow.
  public static let milliseconds = -62_135_596_800_000...253_402_300_799_999
}
