import CarillonClient
import CarillonModel
import CarillonPlanner

/// A device's plan as a person reads it: what is held, what waits, and until when all is well.
struct PlanTable {
  /// Rows shown of what is held.
  static let rows = 10

  let device: DemoDevice
  let zone: ZoneTable
  let queue: [Notification]
  /// Of the queue, how many the server did not have already.
  let stored: Int
  let outcome: SyncOutcome
  let plan: Plan

  var text: String {
    let titles = Dictionary(
      queue.map { ($0.head.id, $0.content.title ?? $0.content.body ?? "") },
      uniquingKeysWith: { first, _ in first })
    var grid = TextGrid(["#", "fires", "type", "priority", "title", "id"])
    for (index, held) in plan.held.prefix(Self.rows).enumerated() {
      grid.add([
        String(index + 1), held.fireAt.map(local) ?? "at a place", held.type, String(held.priority),
        titles[held.source] ?? "", held.id.text,
      ])
    }
    var lines = [
      "\(device.title)",
      "  device \(outcome.deviceId.uuid.text), \(device.timeZone), plan \(plan.version)", "",
    ]
    lines += grid.lines.map { "  \($0)" }
    if plan.held.count > Self.rows, let last = plan.held.last?.fireAt {
      lines.append("  and \(plan.held.count - Self.rows) more, the last at \(local(last))")
    }
    lines.append("")
    lines += facts.map { "  \($0)" }
    return lines.joined(separator: "\n")
  }

  private var facts: [String] {
    var grid = TextGrid([])
    grid.add([
      "queue", "\(queue.count) notifications, \(stored == 0 ? "none new" : "\(stored) new or changed")",
    ])
    let first = plan.held.first?.fireAt.map(local) ?? "-"
    let last = plan.held.last?.fireAt.map(local) ?? "-"
    grid.add(["held", "\(plan.held.count) of \(plan.capacity) slots, \(first) to \(last)"])
    let waiting = plan.evictionsByType.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    grid.add([
      "waiting",
      plan.queued.isEmpty
        ? "none" : "\(plan.queued.count) for a slot (\(waiting.joined(separator: ", ")))",
    ])
    grid.add(["sync by", plan.refreshBy.map(local) ?? "no need"])
    grid.add(["device", changes])
    return grid.lines
  }

  private var changes: String {
    let applied = outcome.applied
    guard !applied.isEmpty else { return "nothing to change, it holds the plan already" }
    var parts = ["\(applied.added.count) added", "\(applied.removed.count) removed"]
    if !applied.expired.isEmpty { parts.append("\(applied.expired.count) expired") }
    if !applied.refused.isEmpty { parts.append("\(applied.refused.count) refused") }
    return parts.joined(separator: ", ") + ", \(applied.pendingCount) pending"
  }

  private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]

  /// `Tue 2026-12-01 08:00` on the device's clock.
  private func local(_ instant: Instant) -> String {
    let wall = zone.local(at: instant)
    let time = wall.text.split(separator: "T").map(String.init)
    return "\(Self.weekdays[wall.date.weekday - 1]) \(time.joined(separator: " "))"
  }
}

/// Rows of words in columns that line up.
struct TextGrid {
  private var rows: [[String]]

  /// - Parameter header: empty for none.
  init(_ header: [String]) { rows = header.isEmpty ? [] : [header] }

  mutating func add(_ row: [String]) { rows.append(row) }

  var lines: [String] {
    let columns = rows.map(\.count).max() ?? 0
    let widths = (0..<columns).map { column in
      rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
    }
    return rows.map { row in
      let cells = zip(row, widths).map { cell, width in
        cell + String(repeating: " ", count: width - cell.count)
      }
      return String(cells.joined(separator: "  ").reversed().drop { $0 == " " }.reversed())
    }
  }
}
