import CarillonModel

extension NotificationID {
  /// Ids compare by their bytes, not by what Unicode holds equal.
  @inline(__always)
  func precedes(_ other: NotificationID) -> Bool {
    if let result = text.utf8.withContiguousStorageIfAvailable({ mine in
      other.text.utf8.withContiguousStorageIfAvailable { theirs in Self.precedes(mine, theirs) }
    }), let result {
      return result
    }
    return text.utf8.lexicographicallyPrecedes(other.text.utf8)
  }

  /// Eight bytes at a time; only to find equal ids quickly within one plan, never kept.
  var quickHash: UInt64 {
    text.utf8.withContiguousStorageIfAvailable { Self.quickHash(UnsafeRawBufferPointer($0)) }
      ?? Array(text.utf8).withUnsafeBytes { Self.quickHash($0) }
  }

  private static func quickHash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    var hash = UInt64(bytes.count)
    var position = 0
    func mix(_ word: UInt64) {
      let product = (hash ^ word).multipliedFullWidth(by: 0x9e37_79b9_7f4a_7c15)
      hash = product.high ^ product.low
    }
    while position + 8 <= bytes.count {
      mix(bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self).littleEndian)
      position += 8
    }
    var rest: UInt64 = 0
    while position < bytes.count {
      rest = rest << 8 | UInt64(bytes[position])
      position += 1
    }
    mix(rest)
    return hash
  }

  @inline(__always)
  private static func precedes(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>)
    -> Bool
  {
    for index in 0..<min(left.count, right.count) where left[index] != right[index] {
      return left[index] < right[index]
    }
    return left.count < right.count
  }
}
