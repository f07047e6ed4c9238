/// A work on its way, and the task that waits for it.
final class PendingWork {
  let work: Work
  private let continuation: UnsafeContinuation<Result<[Rows], PostgresError>, Never>
  private var rows: [Rows] = []

  init(_ work: Work, _ continuation: UnsafeContinuation<Result<[Rows], PostgresError>, Never>) {
    self.work = work
    self.continuation = continuation
  }

  /// Before each attempt: a failed one leaves rows that nobody may see.
  func begin() {
    rows.removeAll()
    rows.reserveCapacity(work.statements.count)
  }

  func append(_ rows: Rows) { self.rows.append(rows) }

  func succeed() { continuation.resume(returning: .success(rows)) }

  func fail(_ error: PostgresError) { continuation.resume(returning: .failure(error)) }
}
