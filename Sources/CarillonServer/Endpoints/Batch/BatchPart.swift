import CarillonAPI
import CarillonJSON
import CarillonModel
import CarillonPlanner
import CarillonService
import CarillonStore

/// What a batch asks of one device.
struct BatchPart: Sendable {
  var device: DeviceID
  var operations: [Operation]
  /// All of the batch by index, nil where it could not be read: what the part was when it came before need not be what
  /// it is now.
  var batch: [BatchOperation.Action?]

  /// One for a device, which may have been found by its user.
  struct Operation: Sendable {
    var index: Int
    var action: BatchOperation.Action
    var user: String?
  }
}

/// What became of it.
struct ChangedPart: Sendable {
  typealias Outcome = (index: Int, result: Result<QueueOutcome, ReceivedProblem>)

  var outcomes: [Outcome]
  /// It was done before, by the same batch.
  var isReplay = false
}

extension QueueService {
  /// How often a part looks at its key again because somebody was faster.
  private static let attempts = 8

  /// One device's part of a batch, in one transaction; under an idempotency key once.
  func change(
    _ part: BatchPart, _ call: Call, answers: IdempotencyService
  ) async throws(Problem) -> ChangedPart {
    guard let once = call.once else { return try await change(part, call) }
    for _ in 0..<Self.attempts {
      let kept = try await serving { () async throws(ServiceError) -> [UInt8]? in
        try await answers.keptPart(of: once.key, tenant: call.tenant, device: part.device, now: call.now)
      }
      if let kept { return try KeptPart(kept).again(part) }
      do throws(Problem) {
        return try await change(part, call)
      } catch {
        guard error.code == .idempotencyInProgress else { throw error }
      }
    }
    throw .inProgress
  }

  private func change(_ part: BatchPart, _ call: Call) async throws(Problem) -> ChangedPart {
    let context = try await serving { () async throws(ServiceError) -> Context in
      try await self.context(tenant: call.tenant, device: part.device)
    }
    var changed = ChangedPart(outcomes: [])
    var refused: [BatchResult] = []
    var taken: [(index: Int, operation: QueueService.Addressed)] = []
    for operation in part.operations {
      let index = operation.index
      if case .put(let notification) = operation.action {
        do throws(TriggerRefusal) {
          try check(notification, in: context, now: call.now)
        } catch {
          let problem = ReceivedProblem(Problem(error, prefix: "/operations/\(index)/notification"))
          refused.append(BatchResult(index: index, rejectedBy: problem))
          changed.outcomes.append((index, .failure(problem)))
          continue
        }
      }
      taken.append((index, Addressed(QueueOperation(operation.action), user: operation.user)))
    }
    guard !taken.isEmpty else { return changed }
    let indices = taken.map(\.index)
    func draft(_ once: Once, _ places: [Int]) -> QueueAnswerDraft {
      let head = KeptPart.head(refused, stored: places.map { indices[$0] })
      return QueueAnswerDraft(
        AnswerDraft(key: once.key, answer: KeptAnswer(status: 200, body: head), isPart: true, now: call.now),
        foreseen: nil)
    }
    let outcomes = try await serving { () async throws(ServiceError) in
      try await change(
        taken.map(\.operation), in: context, tenant: call.tenant, device: part.device, quotas: call.quotas,
        keeping: call.once.map { once in { draft(once, $0) } }, now: call.now)
    }
    for (index, outcome) in zip(indices, outcomes) {
      changed.outcomes.append((index, .success(outcome)))
    }
    return changed
  }
}

/// What is kept of a device's part of a batch, a line each: the operations that were refused, as a batch's answer; the
/// indices of those that were stored together; what the database answered to these. The rest came too late for its user.
private struct KeptPart {
  private let refused: [BatchResult]
  private let stored: [Int]
  private let words: [Substring]

  static func head(_ refused: [BatchResult], stored: [Int]) -> [UInt8] {
    let indices = stored.map { "\($0)" }.joined(separator: ",")
    return BatchResponse(refused).json + Array("\n\(indices)\n".utf8)
  }

  init(_ bytes: [UInt8]) throws(Problem) {
    // JSON as we write it holds no line's end.
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    guard lines.count == 3 else { throw Problem(StoreError.unreadable(.answer)) }
    do throws(JSONError) {
      refused = try BatchResponse(Array(lines[0])).results
    } catch {
      throw Problem(StoreError.unreadable(.answer))
    }
    stored = String(decoding: lines[1], as: UTF8.self).split(separator: ",").compactMap { Int($0) }
    words = String(decoding: lines[2], as: UTF8.self).split(separator: ",")
  }

  /// - Parameter part: of the same batch.
  func again(_ part: BatchPart) throws(Problem) -> ChangedPart {
    let operations = stored.compactMap { index in
      part.batch.indices.contains(index) ? part.batch[index].map { QueueOperation($0) } : nil
    }
    guard operations.count == stored.count,
      let outcomes = QueueOutcome.outcomes(of: operations, words: words)
    else { throw Problem(StoreError.unreadable(.answer)) }
    var changed = ChangedPart(outcomes: [], isReplay: true)
    for result in refused {
      changed.outcomes.append((result.index, .failure(result.problem ?? ReceivedProblem(.inProgress))))
    }
    for (index, outcome) in zip(stored, outcomes) { changed.outcomes.append((index, .success(outcome))) }
    // By its user the device is found again, or only now: nothing was done for it then.
    let known = Set(refused.map(\.index) + stored)
    for operation in part.operations where !known.contains(operation.index) {
      changed.outcomes.append((operation.index, .success(.otherUser)))
    }
    return changed
  }
}

extension QueueOperation {
  fileprivate init(_ action: BatchOperation.Action) {
    switch action {
    case .cancel(let id): self = .cancel(id)
    case .put(let notification):
      self = .put(QueueItem(head: notification.head, content: notification.content.canonicalBytes))
    }
  }
}
