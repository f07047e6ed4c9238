import CarillonJSON
import CarillonModel
import Testing

@testable import CarillonClient

@Suite struct PlannedAdditionTests {
  static let noon = Instant(seconds: 1_767_268_800)  // 2026-01-01T12:00:00Z

  private func preparation(
    _ trigger: Trigger, fireAt: Instant?, at now: Instant
  ) -> PlannedAddition.Preparation {
    PlannedAddition(
      id: NotificationID(unchecked: "n"), revision: "00000000000000ff", fireAt: fireAt, trigger: trigger,
      content: NotificationContent(title: "n")
    ).prepared(at: now)
  }

  private func trigger(_ preparation: PlannedAddition.Preparation) -> CenterTrigger? {
    if case .request(let request) = preparation { request.trigger } else { nil }
  }

  /// Case 12: valid on the server, past on the device.
  @Test func intervalThatPassedMeanwhileIsExpired() {
    let interval = Trigger.interval(IntervalTrigger(seconds: 20, repeats: false, anchor: Self.noon))
    let fireAt = Self.noon.adding(seconds: 20)
    #expect(preparation(interval, fireAt: fireAt, at: Self.noon.adding(seconds: 25)) == .expired)
    #expect(preparation(interval, fireAt: nil, at: Self.noon.adding(seconds: 25)) == .expired)
    #expect(preparation(interval, fireAt: fireAt, at: fireAt) == .expired)
    #expect(
      trigger(preparation(interval, fireAt: fireAt, at: Self.noon.adding(seconds: 5)))
        == .interval(seconds: 15, repeats: false))
  }

  /// Case 12: what would abort the process never reaches the center.
  @Test(arguments: [
    (5.0, true, false), (59.999, true, false), (60, true, true), (0.5, false, true), (0, false, false),
    (-30, false, false), (.nan, false, false), (.infinity, true, false),
  ])
  func intervalsAreCheckedOnceMore(seconds: Double, repeats: Bool, isTaken: Bool) {
    let interval = Trigger.interval(IntervalTrigger(seconds: seconds, repeats: repeats))
    #expect((trigger(preparation(interval, fireAt: nil, at: Self.noon)) != nil) == isTaken)
  }

  @Test func anInstantBecomesAWallTimeInUTC() {
    let at = Instant(milliseconds: Self.noon.milliseconds + 3_600_000)
    guard
      case .calendar(let components, let zone, false)? = trigger(
        preparation(.instant(at), fireAt: at, at: Self.noon))
    else {
      Issue.record("a calendar trigger stands for an instant")
      return
    }
    #expect(zone == "UTC")
    #expect([components.year, components.month, components.day] == [2026, 1, 1])
    #expect([components.hour, components.minute, components.second] == [13, 0, 0])
  }

  @Test func aFractionOfASecondNeverFiresEarly() {
    let at = Instant(milliseconds: Self.noon.milliseconds + 10)
    guard
      case .calendar(let components, _, _)? = trigger(
        preparation(.instant(at), fireAt: at, at: Self.noon))
    else {
      Issue.record("a calendar trigger stands for an instant")
      return
    }
    #expect(components.second == 1)
  }

  /// Against the dates of a calendar that counts day by day.
  @Test func wallTimesBecomeTheirComponents() {
    let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    var year = 1970, month = 1, day = 1
    for days in 0..<90_000 {
      let components = CalendarComponents(LocalDateTime(wallSeconds: Int64(days) * 86_400 + 86_399))
      if components.year != year || components.month != month || components.day != day {
        Issue.record("day \(days) is \(year)-\(month)-\(day), not \(components)")
        return
      }
      let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
      day += 1
      if day > lengths[month - 1] + (month == 2 && isLeap ? 1 : 0) { (day, month) = (1, month + 1) }
      if month > 12 { (month, year) = (1, year + 1) }
    }
  }

  @Test func theRevisionIsKeptInTheReservedMember() {
    var content = NotificationContent(title: "n")
    content.userInfo = .object([
      JSONMember("a", .number("1")), JSONMember(CenterRequest.revisionKey, .string("forged")),
    ])
    let request = CenterRequest(id: NotificationID(unchecked: "n"), content: content, trigger: nil)
      .marked(revision: "00000000000000ff")
    #expect(request.revision == "00000000000000ff")
    #expect(
      request.content.userInfo
        == .object([
          JSONMember("a", .number("1")), JSONMember("carillon.revision", .string("00000000000000ff")),
        ]))
  }

  @Test func aRecurrenceIsNeverHandedOver() {
    let recurrence = Trigger.recurrence(
      RecurrenceTrigger(start: LocalDateTime(wallSeconds: 0), rule: "FREQ=DAILY"))
    guard case .unsupported = preparation(recurrence, fireAt: nil, at: Self.noon) else {
      Issue.record("iOS has no recurrence")
      return
    }
  }
}
