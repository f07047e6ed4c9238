import CarillonAPI
import CarillonJSON
import CarillonModel

extension TenantClient {
  /// Bytes of one batch; the wire allows 8 MiB.
  static let batchBytes = 4 * 1024 * 1024

  /// Puts and cancels many, for any devices or users. Larger lists are sent in batches of 1,000 operations, one
  /// after the other.
  ///
  /// - Returns: one result for each operation, with its place in the list; each stands alone.
  /// - Throws: when a batch was not answered. Those before it are done, and doing it all again is harmless.
  public func enqueue(
    _ operations: [BatchOperation]
  ) async throws(CarillonError) -> [BatchResult] {
    var results: [BatchResult] = []
    results.reserveCapacity(operations.count)
    var rest = operations[...]
    while !rest.isEmpty {
      let batch = rest.prefix(Self.nextBatch(of: rest))
      rest = rest.dropFirst(batch.count)
      results += try await send(Array(batch), from: results.count)
    }
    return results
  }

  func send(
    _ batch: [BatchOperation], from first: Int
  ) async throws(CarillonError) -> [BatchResult] {
    let answer = try await send(.batchNotifications, body: BatchRequest(batch).json)
    let response = try read(answer) { (body) throws(JSONError) in try BatchResponse(body) }
    guard response.results.count == batch.count else {
      throw CarillonError(
        .unexpectedAnswer, "\(response.results.count) results for \(batch.count) operations")
    }
    return response.results.map { result in
      var placed = result
      placed.index += first
      return placed
    }
  }

  /// How many operations the next batch takes: at least one.
  static func nextBatch(of operations: ArraySlice<BatchOperation>) -> Int {
    var bytes = 0
    var count = 0
    for operation in operations.prefix(WireLimits.batchOperations) {
      bytes += operation.wireBytes
      if count > 0, bytes > batchBytes { break }
      count += 1
    }
    return count
  }
}

extension BatchOperation {
  /// A little more rather than less.
  var wireBytes: Int {
    switch action {
    case .put(let notification): notification.wireBytes.count + 2_000
    case .cancel(let id): id.text.utf8.count * 6 + 2_000
    }
  }
}
