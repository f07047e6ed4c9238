import CarillonModel
import CarillonPostgres

/// The domain's types as parameters.
extension Parameters {
  mutating func tenant(_ id: TenantID) { uuid(high: id.uuid.high, low: id.uuid.low) }
  mutating func device(_ id: DeviceID) { uuid(high: id.uuid.high, low: id.uuid.low) }
  mutating func id(_ id: NotificationID) { text(id.text) }
  mutating func ids(_ ids: some Sequence<NotificationID>) { textArray(ids.map(\.text)) }
  mutating func instant(_ instant: Instant?) { timestamptz(milliseconds: instant?.milliseconds) }
  /// A counter of ours: 32 bits in the database.
  mutating func version(_ version: Int?) { int4(version.map { Int32($0) }) }
  mutating func count(_ count: Int) { int4(Int32(clamping: count)) }
  /// The bits of a hash.
  mutating func digest(_ digest: UInt64?) { int8(digest.map { Int64(bitPattern: $0) }) }
}

/// The domain's types as columns.
extension Rows {
  func tenant(_ row: Int, _ column: Int) -> TenantID {
    let words = uuid(row, column)
    return TenantID(UUID128(high: words.high, low: words.low))
  }

  func device(_ row: Int, _ column: Int) -> DeviceID {
    let words = uuid(row, column)
    return DeviceID(UUID128(high: words.high, low: words.low))
  }

  func id(_ row: Int, _ column: Int) -> NotificationID { NotificationID(unchecked: text(row, column)) }

  func instant(_ row: Int, _ column: Int) -> Instant { Instant(milliseconds: timestamptz(row, column)) }

  func version(_ row: Int, _ column: Int) -> Int { Int(int(row, column)) }

  /// What the server counts on from: within ``StoredNumbers/counters``.
  func counter(_ row: Int, _ column: Int) throws(StoreError) -> Int64 {
    let value = int(row, column)
    guard StoredNumbers.counters.contains(Int(value)) else { throw .unreadable(.counter) }
    return value
  }

  /// The same in 32 bits: within ``StoredNumbers/versions``.
  func countedVersion(_ row: Int, _ column: Int) throws(StoreError) -> Int {
    let value = version(row, column)
    guard StoredNumbers.versions.contains(value) else { throw .unreadable(.counter) }
    return value
  }

  func digest(_ row: Int, _ column: Int) -> UInt64 { UInt64(bitPattern: int(row, column)) }

  /// Nil where the column is null.
  func optional<Value>(_ row: Int, _ column: Int, _ read: (Rows) -> (Int, Int) -> Value) -> Value? {
    isNull(row, column) ? nil : read(self)(row, column)
  }
}
