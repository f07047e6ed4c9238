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
