import CarillonAPI
import CarillonHTTP
import CarillonJSON
import CarillonModel
import CarillonService
import CarillonStore

extension Worker {
  /// `POST /v1/notifications`: each item stands alone, each device's items are one transaction. All devices are
  /// worked on at once, so that their transactions share batches.
  func batch(_ call: Call) async throws(Problem) -> HTTPResponse {
    let batch = try reading { () throws(JSONError) in try ReceivedBatch(call.body) }
    let rate = try checkRate(ofBatch: batch.operations.count, call)
    if let once = call.once, !once.hasBegun {
      try await serving { () async throws(ServiceError) in
        try await parts.answers.beginBatch(once.key, tenant: call.tenant, now: call.now)
      }
    }
    var answer = BatchAnswer(
      count: batch.operations.count, queueLimit: call.limits[.notificationsPerDevice])
    var targets = BatchTargets(of: batch.operations.map { try? $0.get().action })
    var users: [String: Result<[DeviceID], Problem>] = [:]
    for (index, operation) in batch.operations.enumerated() {
      switch operation {
      case .failure(let problem): answer.reject(index, ReceivedProblem(problem))
      case .success(let operation):
        switch operation.target {
        case .device(let device): targets.add(operation.action, index: index, device: device)
        case .user(let user):
          if users[user] == nil { users[user] = try await devices(ofUser: user, call) }
          switch users[user] {
          case .success(let devices)?:
            for device in devices {
              targets.add(operation.action, index: index, device: device, user: user)
            }
          case .failure(let problem)?: answer.reject(index, ReceivedProblem(problem))
          case nil: break
          }
        }
      }
    }
    let changed = await changeAll(targets.parts, call)
    for part in targets.parts { waits.wake(call.tenant, part.device) }
    for part in changed {
      for (index, outcome) in part.outcomes { answer.note(index, outcome) }
    }
    var response = HTTPResponse.json(200, answer.response.json)
    rate.add(to: &response)
    // Nothing of it was done now.
    if !changed.isEmpty, changed.allSatisfy(\.isReplay) { response.headers.append(HTTPResponse.replay) }
    return response
  }

  private func changeAll(_ parts: [BatchPart], _ call: Call) async -> [ChangedPart] {
    await withTaskGroup(of: ChangedPart.self) { group in
      for part in parts { group.addTask { await self.change(part, call) } }
      var changed: [ChangedPart] = []
      for await part in group { changed.append(part) }
      return changed
    }
  }

  private func change(_ part: BatchPart, _ call: Call) async -> ChangedPart {
    do {
      return try await parts.queue.change(part, call, answers: parts.answers)
    } catch {
      let problem = ReceivedProblem(error)
      return ChangedPart(outcomes: part.operations.map { ($0.index, .failure(problem)) })
    }
  }

  /// A failure is the operation's own; what fails on our side fails the batch, of which nothing has been done yet.
  private func devices(
    ofUser user: String, _ call: Call
  ) async throws(Problem) -> Result<[DeviceID], Problem> {
    do {
      let devices = try await parts.queue.devices(ofUser: user, tenant: call.tenant)
      guard devices.isEmpty else { return .success(devices) }
      return .failure(.noDeviceOfUser)
    } catch {
      guard case .tooManyDevices = error else { throw Problem(error) }
      return .failure(Problem(error))
    }
  }
}

/// A batch's operations, sorted by device, in their order.
private struct BatchTargets {
  private(set) var parts: [BatchPart] = []
  private var places: [DeviceID: Int] = [:]
  private let batch: [BatchOperation.Action?]

  /// - Parameter batch: see ``BatchPart/batch``.
  init(of batch: [BatchOperation.Action?]) { self.batch = batch }

  mutating func add(
    _ action: BatchOperation.Action, index: Int, device: DeviceID, user: String? = nil
  ) {
    let operation = BatchPart.Operation(index: index, action: action, user: user)
    if let place = places[device] {
      parts[place].operations.append(operation)
    } else {
      places[device] = parts.count
      parts.append(BatchPart(device: device, operations: [operation], batch: batch))
    }
  }
}

/// Gathers the results of a batch. An operation for a user has one outcome a device; the first refusal is told,
/// else the greatest change.
private struct BatchAnswer {
  private var results: [BatchResult?]
  private let queueLimit: Int
  /// Those that came too late to some device of their user.
  private var orphans: Set<Int> = []

  /// - Parameter queueLimit: of each device.
  init(count: Int, queueLimit: Int) {
    results = Array(repeating: nil, count: count)
    self.queueLimit = queueLimit
  }

  mutating func reject(_ index: Int, _ problem: ReceivedProblem) {
    guard results[index]?.status != .rejected else { return }
    results[index] = BatchResult(index: index, rejectedBy: problem)
  }

  mutating func note(_ index: Int, _ result: Result<QueueOutcome, ReceivedProblem>) {
    switch result {
    case .failure(let problem): reject(index, problem)
    case .success(.queueFull):
      reject(index, ReceivedProblem(Problem(ServiceError.queueFull(most: queueLimit))))
    case .success(.inserted), .success(.replaced): settle(index, .stored)
    case .success(.cancelled): settle(index, .cancelled)
    case .success(.unchanged), .success(.absent): settle(index, .unchanged)
    // Somebody else's by now: as if the device had not been found. The user's others count.
    case .success(.otherUser): orphans.insert(index)
    }
  }

  private mutating func settle(_ index: Int, _ status: BatchResult.Status) {
    let known = results[index]?.status
    if known == nil || known == .unchanged { results[index] = BatchResult(index: index, status: status) }
  }

  var response: BatchResponse {
    BatchResponse(
      results.enumerated().map { index, result in
        if let result { return result }
        return orphans.contains(index)
          ? BatchResult(index: index, rejectedBy: Problem.noDeviceOfUser)
          : BatchResult(index: index, status: .unchanged)
      })
  }
}

extension Problem {
  fileprivate static var noDeviceOfUser: Problem {
    Problem(.userNotFound, "No device has reported this userId yet.")
  }
}
