import CarillonAPI
import CarillonJSON
import CarillonModel
import CarillonPlanner
import CarillonService
import CarillonStore

/// What a batch asks of one device.
struct BatchPart: Sendable {
  var device: DeviceID
  var operations: [(index: Int, action: BatchOperation.Action)]
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
    var taken: [(index: Int, operation: QueueOperation)] = []
    for (index, action) in part.operations {
      if case .put(let notification) = action {
        do throws(TriggerRefusal) {
          try check(notification, in: context, now: call.now)
        } catch {
          let problem = ReceivedProblem(Problem(error, prefix: "/operations/\(index)/notification"))
          refused.append(BatchResult(index: index, rejectedBy: problem))
          changed.outcomes.append((index, .failure(problem)))
          continue
        }
      }
      taken.append((index, QueueOperation(action)))
    }
    guard !taken.isEmpty else { return changed }
    let draft = call.once.map { once in
      QueueAnswerDraft(
        AnswerDraft(
          key: once.key, answer: KeptAnswer(status: 200, body: KeptPart.head(refused)), isPart: true,
          now: call.now),
        foreseen: nil)
    }
    let outcomes = try await serving { () async throws(ServiceError) in
      try await change(
        taken.map(\.operation), in: context, tenant: call.tenant, device: part.device, quotas: call.quotas,
        keeping: draft,
        now: call.now)
    }
    for (index, outcome) in zip(taken.map(\.index), outcomes) {
      changed.outcomes.append((index, .success(outcome)))
    }
    return changed
  }
}

/// What is kept of a device's part of a batch: the operations that were refused, as a batch's answer, and behind a
/// line's end what the database answered to the others.
private struct KeptPart {
  private let refused: [BatchResult]
  private let words: [Substring]

  static func head(_ refused: [BatchResult]) -> [UInt8] {
    BatchResponse(refused).json + [UInt8(ascii: "\n")]
  }

  init(_ bytes: [UInt8]) throws(Problem) {
    // JSON as we write it holds no line's end.
    let end = bytes.firstIndex(of: UInt8(ascii: "\n")) ?? bytes.endIndex
    do throws(JSONError) {
      refused = try BatchResponse(Array(bytes[..<end])).results
    } catch {
      throw Problem(StoreError.unreadable(.answer))
    }
    words = String(decoding: bytes[end...].dropFirst(), as: UTF8.self).split(separator: ",")
  }

  /// - Parameter part: of the same batch.
  func again(_ part: BatchPart) throws(Problem) -> ChangedPart {
    let refusedIndices = Set(refused.map(\.index))
    let taken = part.operations.filter { !refusedIndices.contains($0.index) }
    guard let outcomes = QueueOutcome.outcomes(of: taken.map { QueueOperation($0.action) }, words: words)
    else { throw Problem(StoreError.unreadable(.answer)) }
    var changed = ChangedPart(outcomes: [], isReplay: true)
    for result in refused {
      changed.outcomes.append((result.index, .failure(result.problem ?? ReceivedProblem(.inProgress))))
    }
    for (operation, outcome) in zip(taken, outcomes) {
      changed.outcomes.append((operation.index, .success(outcome)))
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
