import CarillonAPI
import CarillonHTTP
import CarillonJSON
import CarillonModel
import CarillonPlanner
import CarillonService
import CarillonStore

extension Worker {
  /// `POST /v1/notifications`: each item stands alone, each device's items are one transaction. All devices are
  /// worked on at once, so that their transactions share batches.
  func batch(_ call: Call) async throws(Problem) -> HTTPResponse {
    let batch = try reading { () throws(JSONError) in try ReceivedBatch(call.body) }
    var answer = BatchAnswer(count: batch.operations.count)
    var targets = BatchTargets()
    var users: [String: Result<[DeviceID], Problem>] = [:]
    for (index, operation) in batch.operations.enumerated() {
      switch operation {
      case .failure(let problem): answer.reject(index, problem)
      case .success(let operation):
        switch operation.target {
        case .device(let device): targets.add(operation.action, index: index, device: device)
        case .user(let user):
          if users[user] == nil { users[user] = try await devices(ofUser: user, call) }
          switch users[user] {
          case .success(let devices)?:
            for device in devices { targets.add(operation.action, index: index, device: device) }
          case .failure(let problem)?: answer.reject(index, problem)
          case nil: break
          }
        }
      }
    }
    for part in await changeAll(targets.parts, call) {
      for (index, outcome) in part { answer.note(index, outcome) }
    }
    return .json(200, answer.response.json)
  }

  private func changeAll(_ parts: [BatchTargets.Part], _ call: Call) async -> [[BatchTargets.Outcome]] {
    await withTaskGroup(of: [BatchTargets.Outcome].self) { group in
      for part in parts { group.addTask { await self.change(part, call) } }
      var outcomes: [[BatchTargets.Outcome]] = []
      for await outcome in group { outcomes.append(outcome) }
      return outcomes
    }
  }

  private func change(_ part: BatchTargets.Part, _ call: Call) async -> [BatchTargets.Outcome] {
    do {
      return try await parts.queue.change(part, call)
    } catch {
      return part.operations.map { ($0.index, .failure(error)) }
    }
  }

  /// A failure is the operation's own; what fails on our side fails the batch, of which nothing has been done yet.
  private func devices(
    ofUser user: String, _ call: Call
  ) async throws(Problem) -> Result<[DeviceID], Problem> {
    do {
      let devices = try await parts.queue.devices(ofUser: user, tenant: call.tenant)
      guard devices.isEmpty else { return .success(devices) }
      return .failure(Problem(.userNotFound, "No device has reported this userId yet."))
    } catch {
      guard case .tooManyDevices = error else { throw Problem(error) }
      return .failure(Problem(error))
    }
  }
}

/// A batch's operations, sorted by device, in their order.
struct BatchTargets {
  typealias Outcome = (index: Int, result: Result<QueueOutcome, Problem>)

  struct Part: Sendable {
    var device: DeviceID
    var operations: [(index: Int, action: BatchOperation.Action)]
  }

  private(set) var parts: [Part] = []
  private var places: [DeviceID: Int] = [:]

  mutating func add(_ action: BatchOperation.Action, index: Int, device: DeviceID) {
    if let place = places[device] {
      parts[place].operations.append((index, action))
    } else {
      places[device] = parts.count
      parts.append(Part(device: device, operations: [(index, action)]))
    }
  }
}

extension QueueService {
  fileprivate func change(_ part: BatchTargets.Part, _ call: Call) async throws(Problem) -> [BatchTargets
    .Outcome]
  {
    let context = try await serving { () async throws(ServiceError) -> Context in
      try await self.context(tenant: call.tenant, device: part.device)
    }
    var outcomes: [BatchTargets.Outcome] = []
    var operations: [QueueOperation] = []
    var indices: [Int] = []
    for (index, action) in part.operations {
      switch action {
      case .cancel(let id): operations.append(.cancel(id))
      case .put(let notification):
        do throws(TriggerRefusal) {
          try check(notification, in: context, now: call.now)
        } catch {
          outcomes.append((index, .failure(Problem(error, prefix: "/operations/\(index)/notification"))))
          continue
        }
        operations.append(
          .put(QueueItem(head: notification.head, content: notification.content.canonicalBytes)))
      }
      indices.append(index)
    }
    guard !operations.isEmpty else { return outcomes }
    let changed = try await serving { () async throws(ServiceError) in
      try await change(operations, in: context, tenant: call.tenant, device: part.device, now: call.now)
    }
    for (index, outcome) in zip(indices, changed) { outcomes.append((index, .success(outcome))) }
    return outcomes
  }
}

/// Gathers the results of a batch. An operation for a user has one outcome a device; the first refusal is told,
/// else the greatest change.
private struct BatchAnswer {
  private var results: [BatchResult?]

  init(count: Int) { results = Array(repeating: nil, count: count) }

  mutating func reject(_ index: Int, _ problem: Problem) {
    if results[index]?.status != .rejected { results[index] = BatchResult(index: index, rejectedBy: problem) }
  }

  mutating func note(_ index: Int, _ result: Result<QueueOutcome, Problem>) {
    switch result {
    case .failure(let problem): reject(index, problem)
    case .success(.queueFull): reject(index, Problem(ServiceError.queueFull))
    case .success(.inserted), .success(.replaced): settle(index, .stored)
    case .success(.cancelled): settle(index, .cancelled)
    case .success(.unchanged), .success(.absent): settle(index, .unchanged)
    }
  }

  private mutating func settle(_ index: Int, _ status: BatchResult.Status) {
    let known = results[index]?.status
    if known == nil || known == .unchanged { results[index] = BatchResult(index: index, status: status) }
  }

  var response: BatchResponse {
    BatchResponse(results.enumerated().map { $1 ?? BatchResult(index: $0, status: .unchanged) })
  }
}
