import CarillonJSON
import CarillonModel
import TestSupport

/// Valid values of the model, made at random from a seed.
enum RandomModel {
  static func trigger(_ random: inout SeededGenerator) -> Trigger {
    switch Int.random(in: 0..<6, using: &random) {
    case 0: return .instant(instant(&random))
    case 1: return .local(local(&random))
    case 2: return .calendar(calendar(&random))
    case 3:
      return .interval(
        IntervalTrigger(
          seconds: Double.random(in: 60...1e6, using: &random), repeats: Bool.random(using: &random),
          anchor: maybe(&random, instant)))
    case 4:
      return .recurrence(
        RecurrenceTrigger(
          start: local(&random), rule: "FREQ=DAILY;INTERVAL=\(Int.random(in: 1...99, using: &random))",
          except: (0..<Int.random(in: 0...3, using: &random)).map { _ in local(&random) },
          timeZone: maybe(&random, zone)))
    default:
      return .location(
        LocationTrigger(
          latitude: Double.random(in: -90...90, using: &random),
          longitude: Double.random(in: -180...180, using: &random),
          radius: Double.random(in: 1...5000, using: &random), onEntry: true,
          onExit: Bool.random(using: &random),
          repeats: Bool.random(using: &random),
          distance: maybe(&random) { Double.random(in: 0...1e6, using: &$0) }))
    }
  }

  static func calendar(_ random: inout SeededGenerator) -> CalendarTrigger {
    var components = CalendarComponents()
    components.hour = Int.random(in: 0...23, using: &random)
    components.minute = maybe(&random) { Int.random(in: 0...59, using: &$0) }
    components.second = maybe(&random) { Int.random(in: 0...59, using: &$0) }
    switch Int.random(in: 0..<5, using: &random) {
    case 0: components.weekday = Int.random(in: 1...7, using: &random)
    case 1: components.day = Int.random(in: 1...31, using: &random)
    case 2:
      components.month = Int.random(in: 1...12, using: &random)
      components.day = Int.random(in: 1...28, using: &random)
      components.year = maybe(&random) { Int.random(in: 2000...2199, using: &$0) }
    case 3:
      components.weekday = Int.random(in: 1...7, using: &random)
      components.weekdayOrdinal = Int.random(in: 1...5, using: &random)
    default:
      components.weekday = Int.random(in: 1...7, using: &random)
      components.weekOfYear = Int.random(in: 1...53, using: &random)
      components.yearForWeekOfYear = maybe(&random) { Int.random(in: 2000...2199, using: &$0) }
    }
    return CalendarTrigger(
      components: components, repeats: Bool.random(using: &random), timeZone: maybe(&random, zone),
      onMissingDay: MissingDayRule.allCases.randomElement(using: &random)!,
      startsAt: maybe(&random) {
        .date(LocalDateTime(date: CivilDate(daysSinceEpoch: Int.random(in: 11_000...20_000, using: &$0))))
      },
      endsAt: maybe(&random) {
        .dateTime(LocalDateTime(wallSeconds: Int64.random(in: 2_000_000_000...3_000_000_000, using: &$0)))
      })
  }

  static func head(_ random: inout SeededGenerator) -> NotificationHead {
    NotificationHead(
      id: NotificationID(unchecked: "n\(random.next() % 100)"),
      type: maybe(&random) { "type \($0.next() % 9) é" },
      trigger: trigger(&random), overdue: OverdueRule.allCases.randomElement(using: &random)!,
      expiresAt: maybe(&random, instant),
      needs: Set(Need.allCases.filter { _ in Bool.random(using: &random) }),
      inbox: Bool.random(using: &random), group: maybe(&random) { "g\($0.next())" },
      summary: ContentSummary(
        hasText: Bool.random(using: &random), hasSound: Bool.random(using: &random),
        hasBadge: Bool.random(using: &random),
        interruptionLevel: InterruptionLevel.allCases.randomElement(using: &random)!, hash: random.next()))
  }

  static func plan(_ random: inout SeededGenerator) -> Plan {
    var plan = Plan()
    plan.version = Int.random(in: 0...1000, using: &random)
    plan.zoneData = "2025b"
    plan.starved = Bool.random(using: &random)
    for index in 0..<Int.random(in: 0...5, using: &random) {
      let source = NotificationID(unchecked: "h\(index)")
      let id = Bool.random(using: &random) ? source : NotificationID(unchecked: "h\(index)@20260103T0900")
      plan.held.append(
        HeldRequest(
          id: id, source: source, type: "habit", priority: index, fireAt: maybe(&random, instant),
          revision: StableHash.hex(random.next()), trigger: trigger(&random),
          reach: Reach.allCases.randomElement(using: &random)!,
          unmetNeeds: Need.allCases.filter { _ in Bool.random(using: &random) },
          moves: Moves(
            (0..<Int.random(in: 0...2, using: &random)).map { _ in
              Move(by: "quietHours", from: instant(&random), to: instant(&random))
            }),
          slot: HeldRequest.Slot.allCases.randomElement(using: &random)!,
          badge: maybe(&random) { Int.random(in: 1...99, using: &$0) }))
    }
    for index in 0..<Int.random(in: 0...4, using: &random) {
      let id = NotificationID(unchecked: "q\(index)")
      plan.queued.append(
        QueuedRequest(
          id: id, type: "entry", fireAt: maybe(&random, instant), rank: index + 1,
          reason: QueuedRequest.Reason.allCases.randomElement(using: &random)!))
      plan.withheld.append(
        WithheldRequest(id: id, reason: WithheldRequest.Reason.allCases.randomElement(using: &random)!))
      plan.expired.append(ExpiredRequest(id: id, fireAt: instant(&random)))
      plan.rejected.append(
        RejectedRequest(id: id, pointer: "/trigger/timeZone", code: "unknownTimeZone", detail: "no such zone")
      )
      plan.evictionsByType["type \(index)"] = index
    }
    plan.refreshBy = maybe(&random, instant)
    plan.coversUntil = maybe(&random, instant)
    return plan
  }

  static func instant(_ random: inout SeededGenerator) -> Instant {
    Instant(milliseconds: Int64.random(in: 946_684_800_000..<7_258_118_400_000, using: &random))
  }

  static func local(_ random: inout SeededGenerator) -> LocalDateTime {
    LocalDateTime(wallSeconds: Int64.random(in: 946_684_800..<7_258_118_400, using: &random))
  }

  static func zone(_ random: inout SeededGenerator) -> String {
    ["Europe/Madrid", "UTC", "America/Argentina/Buenos_Aires", "Etc/GMT+2"].randomElement(using: &random)!
  }

  static func maybe<Value>(_ random: inout SeededGenerator, _ make: (inout SeededGenerator) -> Value)
    -> Value?
  {
    Bool.random(using: &random) ? make(&random) : nil
  }
}
