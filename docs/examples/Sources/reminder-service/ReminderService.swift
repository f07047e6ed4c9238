import CarillonClient

/// Does commands in their order. Changes that follow one another go as one batch.
struct ReminderService {
  let carillon: TenantClient
  private var waiting: [(operation: BatchOperation, said: String)] = []

  init(_ carillon: TenantClient) { self.carillon = carillon }

  mutating func perform(_ command: Command) async throws {
    if case .change(let operation, let said) = command {
      waiting.append((operation, said))
      return
    }
    try await flush()
    switch command {
    case .change: break
    case .devices:
      for try await device in carillon.allDevices() {
        print("\(device.id.text)  \(device.info.userId ?? "nobody")  \(device.authorizationStatus)")
      }
    case .token(let device, let user):
      let answer =
        if let user { try await carillon.mintToken(for: device, user: user) } else {
          try await carillon.mintToken(for: device)
        }
      print(answer.token)
    case .plan(let device):
      let plan = try await carillon.plan(of: device)
      for held in plan.held { print("\(held.fireAt?.text ?? "at a place")  \(held.id)") }
      print("\(plan.held.count) held, \(plan.queued.count) wait, \(plan.withheld.count) cannot be shown")
    case .why(let device, let id): print(try await carillon.explain(id, on: device).summary)
    }
  }

  /// Sends what waits, and says what became of each.
  mutating func flush() async throws {
    let batch = waiting
    waiting = []
    for result in try await carillon.enqueue(batch.map(\.operation)) {
      let detail = result.problem.map { ": \($0.detail)" } ?? ""
      print("\(batch[result.index].said): \(result.status)\(detail)")
    }
  }
}
