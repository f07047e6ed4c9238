import CarillonAPI

/// What became of a stream of operations, in their order, as it is taken: the back-pressure of
/// ``TenantClient/enqueue(all:)``.
///
/// The operations of one batch and its results are held, never more: the next operation is not asked for before the
/// results of the batch before were taken.
public struct BatchResults<Operations: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Operations.Element == BatchOperation {
  public typealias Element = BatchResult
  public typealias Failure = any Error

  let client: TenantClient
  let operations: Operations

  public func makeAsyncIterator() -> Iterator {
    Iterator(client: client, operations: operations.makeAsyncIterator())
  }

  public struct Iterator: AsyncIteratorProtocol {
    private let client: TenantClient
    private var operations: Operations.AsyncIterator
    /// Read, and one too many for the batch before.
    private var left: BatchOperation?
    private var results: ArraySlice<BatchResult> = []
    private var sent = 0
    private var isOver = false

    init(client: TenantClient, operations: Operations.AsyncIterator) {
      self.client = client
      self.operations = operations
    }

    /// - Throws: ``CarillonError`` when a batch was not answered, and what `operations` throws. Everything before is
    ///   done.
    public mutating func next() async throws -> BatchResult? {
      if results.isEmpty, !isOver {
        let batch = try await nextBatch()
        if !batch.isEmpty {
          results = try await client.send(batch, from: sent)[...]
          sent += batch.count
        }
      }
      return results.popFirst()
    }

    private mutating func nextBatch() async throws -> [BatchOperation] {
      var batch: [BatchOperation] = []
      var bytes = 0
      while batch.count < WireLimits.batchOperations {
        var operation = left
        left = nil
        if operation == nil { operation = try await operations.next(isolation: #isolation) }
        guard let operation else {
          isOver = true
          break
        }
        bytes += operation.wireBytes
        if !batch.isEmpty, bytes > TenantClient.batchBytes {
          left = operation
          break
        }
        batch.append(operation)
      }
      return batch
    }
  }
}

extension TenantClient {
  /// Puts and cancels as many as come, in batches of 1,000 operations and 4 MiB at most, one after the other.
  ///
  ///     for try await result in carillon.enqueue(all: reminders.map { BatchOperation(.put($0), for: .user("u1")) }) {
  ///       if let problem = result.problem { log(result.index, problem.detail) }
  ///     }
  ///
  /// - Parameter operations: read no faster than the results are taken.
  /// - Returns: one result for each operation, with its place in the stream; each stands alone.
  public func enqueue<Operations: AsyncSequence & Sendable>(
    all operations: Operations
  ) -> BatchResults<Operations> where Operations.Element == BatchOperation {
    BatchResults(client: self, operations: operations)
  }
}
