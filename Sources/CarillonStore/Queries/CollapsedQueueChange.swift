import CarillonModel

/// A change of a queue with each id once, as the database takes it, and the way back to an outcome for each
/// operation: of several on one id the last decides what is stored, the others are answered as if they had run.
struct CollapsedQueueChange {
  let operations: [QueueOperation]
  private(set) var puts: [QueueItem] = []
  private(set) var cancels: [NotificationID] = []
  /// Where the last operation on each id stands.
  private var last: [NotificationID: Int] = [:]

  init(_ operations: [QueueOperation]) {
    self.operations = operations
    for (index, operation) in operations.enumerated() { last[operation.id] = index }
    for (index, operation) in operations.enumerated() where last[operation.id] == index {
      switch operation {
      case .put(let item): puts.append(item)
      case .cancel(let id): cancels.append(id)
      }
    }
  }

  /// - Parameter stored: what the database answered: of the puts, then of the cancels.
  func outcomes(_ stored: [QueueOutcome]) -> [QueueOutcome] {
    let ids = puts.map(\.head.id) + cancels
    precondition(stored.count == ids.count, "one outcome an id")
    let answers = [NotificationID: QueueOutcome](uniqueKeysWithValues: zip(ids, stored))
    var isThere = answers.mapValues { [.replaced, .unchanged, .cancelled].contains($0) }
    return operations.enumerated().map { index, operation in
      let id = operation.id
      let (answer, wasThere) = (answers[id]!, isThere[id]!)
      switch operation {
      case .cancel:
        isThere[id] = false
        return wasThere ? .cancelled : .absent
      case .put:
        if answer == .queueFull { return .queueFull }
        isThere[id] = true
        if index == last[id], answer == .unchanged { return .unchanged }
        return wasThere ? .replaced : .inserted
      }
    }
  }
}

extension QueueOutcome {
  /// What became of operations that were stored together, from the words that a kept answer took in. Nil when they are
  /// not those operations' words.
  public static func outcomes(
    of operations: [QueueOperation], words: [some StringProtocol]
  ) -> [QueueOutcome]? {
    let change = CollapsedQueueChange(operations)
    let stored = words.compactMap { QueueOutcome(rawValue: String($0)) }
    guard stored.count == words.count, stored.count == change.puts.count + change.cancels.count else {
      return nil
    }
    return change.outcomes(stored)
  }
}

extension QueueOperation {
  fileprivate var id: NotificationID {
    switch self {
    case .put(let item): item.head.id
    case .cancel(let id): id
    }
  }
}
