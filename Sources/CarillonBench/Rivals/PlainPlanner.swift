import CarillonModel
import CarillonPlanner
import Foundation

/// The plain algorithm that an app would write: the next date of each request by Foundation's calendar, the type by a
/// list of prefixes, a sort by date and priority, and all beyond 64 dropped. It knows no quiet hours and no caps.
struct PlainPlanner {
  private enum When {
    case date(Date)
    case components(DateComponents)
    case interval(from: Date, every: TimeInterval)
  }

  private struct Request {
    var id: String
    var when: When
  }

  struct Kept {
    var id: String
    var date: Date
    var priority: Int
  }

  private let requests: [Request]
  private let priorities: [(prefix: String, priority: Int)]
  private let calendar: FoundationCalendar
  private let now: Date
  private let most: Int

  init(_ input: PlanInput) throws {
    calendar = try FoundationCalendar(zoneName: input.device.zone.name)
    now = Date(input.now)
    most = input.policy.policy.slots
    priorities = input.policy.policy.typesInForce.flatMap { type in
      type.prefixes.map { ($0, type.priority) }
    }
    requests = try input.queue.map { entry in
      Request(id: entry.head.id.text, when: try Self.when(entry))
    }
  }

  private static func when(_ entry: QueueEntry) throws -> When {
    switch entry.head.trigger {
    case .instant(let at): return .date(Date(at))
    case .local(let time): return .components(DateComponents(time))
    case .calendar(let trigger): return .components(DateComponents(trigger.components))
    case .interval(let trigger):
      return .interval(from: Date(trigger.anchor ?? entry.acceptedAt), every: trigger.seconds)
    case .recurrence, .location:
      throw LoadFailure(detail: "the plain algorithm has no answer for \(entry.head.id)")
    }
  }

  func plan() -> [Kept] {
    var kept: [Kept] = []
    for index in requests.indices {
      guard let date = fire(index), date > now else { continue }
      kept.append(Kept(id: requests[index].id, date: date, priority: priority(of: requests[index].id)))
    }
    kept.sort { ($0.date, $0.priority) < ($1.date, $1.priority) }
    return Array(kept.prefix(most))
  }

  /// The next date of the request at an index of the queue.
  func fire(_ index: Int) -> Date? {
    switch requests[index].when {
    case .date(let date): return date
    case .components(let components): return calendar.next(components, after: now)
    case .interval(let start, let seconds):
      let steps = (now.timeIntervalSince(start) / seconds).rounded(.down) + 1
      return start.addingTimeInterval(steps * seconds)
    }
  }

  private func priority(of id: String) -> Int {
    priorities.first { id.hasPrefix($0.prefix) }?.priority ?? 99
  }
}
