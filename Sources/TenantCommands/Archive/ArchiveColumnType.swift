import CarillonJSON
import CarillonStore

/// What a column holds, by the database's name for it: the database would read much out of a JSON value that the server
/// cannot read out of the column.
enum ArchiveColumnType: String {
  case text, boolean, bytea, jsonb, uuid, smallint, integer, bigint, date
  case time = "timestamp with time zone"
  case texts = "text[]"
  case numbers = "bigint[]"

  /// Any 64 bits: hashes, which nothing is reckoned from.
  private static let hashes: Set = ["digest", "report_digest", "revision"]

  /// Why no server writes `value` into a column of this type; nil: one may, as far as the type tells.
  ///
  /// - Parameter value: not null.
  func problem(with value: JSONValue, column: String) -> String? {
    switch self {
    case .text, .uuid, .time, .date: value.string == nil ? "it is no text" : nil
    case .boolean:
      if case .bool = value { nil } else { "it is neither true nor false" }
    case .bytea: value.string?.hasPrefix("\\x") == true ? nil : "it is not bytes in hexadecimal"
    case .jsonb: nil
    case .bigint where Self.hashes.contains(column): value.int == nil ? "it is no whole number" : nil
    case .bigint: Self.problem(with: value, outside: StoredNumbers.counters)
    // A number a day or an hour is never near the end of what fits, and what is counted never will be.
    case .integer, .smallint: Self.problem(with: value, outside: StoredNumbers.versions)
    // No element is null, and none a list.
    case .texts:
      value.array?.allSatisfy { $0.string != nil } == true ? nil : "it is no list of texts"
    case .numbers:
      value.array.map { list in
        list.lazy.compactMap { Self.problem(with: $0, outside: StoredNumbers.counts) }.first
      } ?? "it is no list of numbers"
    }
  }

  private static func problem(with value: JSONValue, outside range: ClosedRange<Int>) -> String? {
    guard let number = value.int, range.contains(number) else {
      return "it is no whole number of \(range.lowerBound) to \(range.upperBound)"
    }
    return nil
  }
}
