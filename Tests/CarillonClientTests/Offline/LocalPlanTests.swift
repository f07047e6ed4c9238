import CarillonJSON
import CarillonModel
import CarillonZones
import Testing

@testable import CarillonClient

/// What a device makes of its last plan and its app's wishes while the server cannot be asked.
@Suite struct LocalPlanTests {
  @Test func withoutWishesThePlanStaysWhatItIs() {
    var device = OfflineDevice()
    device.hold("once", after: 3600, badge: 4)
    device.hold("next", after: 7200, badge: 5)
    device.hold("late", .local(LocalDateTime(wallSeconds: 1_796_140_800)), fireAt: nil)
    device.hold(
      "daily", .calendar(CalendarTrigger(components: CalendarComponents(hour: 8), repeats: true)))
    device.hold(
      "grid", .interval(IntervalTrigger(seconds: 900, repeats: true)),
      fireAt: OfflineDevice.now.adding(seconds: 500))
    device.hold(
      "timer", .interval(IntervalTrigger(seconds: 900, repeats: false)),
      fireAt: OfflineDevice.now.adding(seconds: 800))
    device.hold(
      "eight", .calendar(CalendarTrigger(components: CalendarComponents(hour: 8), repeats: false)),
      fireAt: OfflineDevice.now.adding(seconds: 21 * 3600))
    device.hold("place", .location(LocationTrigger(latitude: 40, longitude: -3, radius: 100, distance: 7)))
    let plan = device.plan()
    #expect(plan.isEmpty && plan.held.count == 8 && plan.state.plannedHere.isEmpty)
    #expect(plan.state.plan == device.state.plan)
    #expect(
      Dictionary(uniqueKeysWithValues: plan.held.map { ($0.id, $0.revision) })
        == Dictionary(uniqueKeysWithValues: device.state.plan.map { ($0.id, $0.revision) }))
    #expect(plan["grid"]?.fireAt == OfflineDevice.now.adding(seconds: 500))
    #expect(plan["timer"]?.fireAt == OfflineDevice.now.adding(seconds: 800))
    #expect(plan["eight"]?.fireAt == OfflineDevice.now.adding(seconds: 21 * 3600))
    // New zone data, a new plan: this one says so.
    #expect(plan.state.zoneData == OfflineDevice.zones.version)
  }

  @Test func whatIsPutIsHeldWithTheRevisionTheServerWillGive() {
    var device = OfflineDevice()
    device.hold("there", after: 3600)
    device.put("new", after: 1800)
    let plan = device.plan()
    let wish = reminder("new", after: 1800)
    #expect(plan.added == ["new"] && plan.removed.isEmpty)
    #expect(plan["new"]?.revision == wish.head.revision(badge: nil))
    #expect(plan["new"]?.content == wish.content.canonicalBytes)
    #expect(plan.held.map(\.id) == ["new", "there"])
    #expect(plan.state.plannedHere.map(\.id) == ["new"] && plan.slots.held == 2)
    // Done, it stays done.
    device.apply(plan)
    #expect(device.plan().isEmpty)
  }

  @Test func whatIsCancelledLeaves() {
    var device = OfflineDevice()
    device.hold("a", after: 3600)
    device.hold("b", after: 7200)
    device.hold("c@20261201T0900", after: 80_000, type: "unknown")
    device.state.plan[2].source = "c"
    device.hold("digest.g@20261201T0730", after: 90_000)
    device.state.plan[3].source = "member"
    for id in ["a", "c", "member", "never.there"] { device.cancel(id) }
    let plan = device.plan()
    // The other members of a digest are not known here.
    #expect(plan.removed == ["a", "c@20261201T0900"] && plan.added.isEmpty)
    // Wished again before anybody heard of it.
    device.apply(plan)
    device.put("a", after: 3600)
    #expect(device.plan().added == ["a"])
  }

  @Test func whatIsReplacedIsOneAdd() {
    var device = OfflineDevice()
    device.hold("a", after: 3600)
    device.put("a", after: 7200)
    let plan = device.plan()
    #expect(plan.added == ["a"] && plan.removed.isEmpty)
    #expect(plan["a"]?.fireAt == OfflineDevice.now.adding(seconds: 7200))
    device.apply(plan)
    device.cancel("a")
    #expect(device.plan().removed == ["a"])
  }

  @Test func atTheLimitTheHigherRankTakesThePlaceOfTheLowest() {
    var device = OfflineDevice()
    for number in 1...64 { device.hold("a.\(number)", after: Int64(number) * 3600) }
    device.put("soon", after: 1800)
    let plan = device.plan()
    #expect(plan.removed == ["a.64"] && plan.added == ["soon"] && plan.held.count == 64)
    // Cancelled before the server heard of it, it gives the place back.
    device.apply(plan)
    device.cancel("soon")
    let back = device.plan()
    #expect(back.removed == ["soon"] && back.added == ["a.64"])
  }

  @Test func atTheLimitTheLowerRankWaits() {
    var device = OfflineDevice()
    for number in 1...64 { device.hold("a.\(number)", after: Int64(number) * 3600) }
    device.put("late", after: 70 * 3600)
    let plan = device.plan()
    #expect(plan.isEmpty && plan.slots.queued == 1)
    #expect(plan.refreshBy == OfflineDevice.now.adding(seconds: 70 * 3600))
  }

  @Test func ranksFollowTheKeptPolicyAndTheTypesTheServerNamed() {
    var device = OfflineDevice()
    device.setPolicy(
      #"{"slots": 3, "order": "priorityFirst", "types": [{"name": "med", "prefixes": ["med"], "priority": 0}, {"name": "tip", "prefixes": ["tip"], "priority": 5}]}"#
    )
    device.hold("tip.1", after: 600)
    device.hold("tip.2", after: 1200)
    // By its id a tip, by its type none.
    device.hold("tip.3", after: 1800, type: "med")
    device.put("med.1", after: 90_000)
    let plan = device.plan()
    #expect(plan.removed == ["tip.2"] && plan.added == ["med.1"])
  }

  @Test func whatIsOverIsRemoved() {
    var device = OfflineDevice()
    device.hold("over", after: 3600)
    device.hold("there", after: 9000)
    device.now = OfflineDevice.now.adding(seconds: 7200)
    let plan = device.plan()
    #expect(plan.removed == ["over"] && plan.held.map(\.id) == ["there"])
  }

  @Test func whatRangIsNotAddedAgain() {
    var device = OfflineDevice()
    device.hold("rang", after: 3600)
    device.pending = []
    device.delivered = [
      DeliveredNotification(
        id: "rang", date: OfflineDevice.now, revision: device.state.plan[0].revision)
    ]
    device.hold("lost", after: 7200)
    device.hold("reached", .location(LocationTrigger(latitude: 1, longitude: 1, radius: 50)))
    device.pending = []
    #expect(device.plan().added == ["lost"])
  }

  @Test func theAppsOwnRequestsCountAndStay() {
    var device = OfflineDevice()
    for number in 1...10 { device.show("own.\(number)") }
    for number in 1...54 { device.hold("a.\(number)", after: Int64(number) * 3600) }
    device.put("soon", after: 1800)
    let plan = device.plan()
    #expect(plan.removed == ["a.54"] && plan.added == ["soon"])
    #expect(plan.slots.foreign == 10 && plan.slots.capacity == 54)
  }

  /// More of the app's own than before: nothing that was put needs the room, so nothing is taken back for it.
  @Test func nothingIsTakenBackForRoomThatNobodyNeeds() {
    var device = OfflineDevice()
    for number in 1...60 { device.hold("a.\(number)", after: Int64(number) * 3600) }
    for number in 1...4 { device.show("own.\(number)") }
    device.setPolicy(#"{"slots": 50}"#)
    #expect(device.plan().isEmpty && device.plan().held.count == 60)
    // It has a place already.
    device.put(reminder("a.5", after: 5 * 3600, title: "other words"))
    #expect(device.plan().removed.isEmpty && device.plan().added == ["a.5"])
    device.put("soon", after: 1800)
    let plan = device.plan()
    #expect(plan.removed == ["a.60"] && plan.added == ["soon", "a.5"])
    device.apply(plan)
    #expect(device.plan().isEmpty && device.plan().held.count == 60)
  }

  @Test func whatNobodyKnowsAnyMoreKeepsItsPlace() {
    var device = OfflineDevice()
    for number in 1...63 { device.show("old.\(number)", revision: "00000000000000aa") }
    device.show("c@20261201T0900", revision: "00000000000000ab")
    device.put("new", after: 60)
    var plan = device.plan()
    #expect(plan.isEmpty && plan.slots.held == 64)
    device.cancel("old.7")
    device.cancel("c")
    device.put("old.9", after: 7200)
    plan = device.plan()
    #expect(plan.removed == ["c@20261201T0900", "old.7"])
    #expect(plan.added == ["new", "old.9"])
  }

  @Test func quietHoursOfTheKeptPolicyMoveIt() throws {
    var device = OfflineDevice()
    device.setPolicy(#"{"quietHours": {"windows": [{"from": "22:00", "to": "07:30"}]}}"#)
    // 23:30 in Madrid.
    device.put("night", after: 12 * 3600 + 1800)
    let moved = try #require(device.plan()["night"])
    // 07:30 the next day.
    #expect(moved.fireAt == OfflineDevice.now.adding(seconds: 20 * 3600 + 1800))
    #expect(moved.trigger == .instant(OfflineDevice.now.adding(seconds: 20 * 3600 + 1800)))
    // A policy of a newer server, which this SDK cannot read, is as none.
    device.setPolicy(#"{"tomorrow": true}"#)
    #expect(device.plan()["night"]?.fireAt == OfflineDevice.now.adding(seconds: 12 * 3600 + 1800))
  }

  /// An occurrence stays with its hour: it counts, and is not moved. Without room it goes like everything else.
  @Test func occurrencesStayWhereTheyAre() {
    var device = OfflineDevice()
    device.setPolicy(#"{"slots": 2, "quietHours": {"windows": [{"from": "22:00", "to": "07:30"}]}}"#)
    // 23:00 in Madrid, and 23:00Z by a clock of its own.
    let wall = Instant(seconds: 1_796_079_600)
    device.hold(
      "w@20261130T2300", .local(LocalDateTime(wallSeconds: 1_796_079_600)),
      fireAt: wall.adding(seconds: -3600), source: "w")
    device.hold("z@20261130T2300", .instant(wall), fireAt: wall, source: "z")
    let plan = device.plan()
    #expect(plan.isEmpty && plan.held.map(\.fireAt) == [wall.adding(seconds: -3600), wall])
    device.put("soon", after: 60)
    #expect(device.plan().removed == ["z@20261130T2300"] && device.plan().added == ["soon"])
  }

  @Test func badgesCountOn() {
    var device = OfflineDevice()
    device.hold("a", after: 3600, badge: 3)
    device.hold("b", after: 7200, badge: 4)
    var content = NotificationContent(title: "new")
    content.badge = 1
    device.put(
      .init(id: "new", content: content, trigger: .instant(OfflineDevice.now.adding(seconds: 5400))))
    let plan = device.plan()
    #expect(plan.added == ["new", "b"])
    let badges = plan.held.map { try? NotificationContent(canonical: $0.content).badge }
    #expect(badges == [3, 4, 5])
  }

  @Test func atMostTwentyPlaces() {
    var device = OfflineDevice()
    for number in 1...25 {
      let place = LocationTrigger(
        latitude: 40, longitude: Double(number), radius: 100, distance: Double(number))
      device.put(
        .init(
          id: NotificationID(unchecked: "p.\(number)"), content: NotificationContent(title: "here"),
          trigger: .location(place)))
    }
    let plan = device.plan()
    #expect(plan.added.count == 20 && plan.added.contains("p.20") && !plan.added.contains("p.21"))
  }

  @Test func neverSyncedItPlansByTheDefaultPolicy() {
    var device = OfflineDevice()
    device.put("habit.1", after: 600)
    device.put("other", after: 60)
    let plan = device.plan()
    #expect(plan.held.map(\.id) == ["other", "habit.1"])
    #expect(plan.held.map(\.type) == ["unknown", "habit"] && plan.slots.slots == 64)
  }

  @Test(arguments: [AuthorizationStatus.denied, .notDetermined, .unknown("later")])
  func whereNothingMayBeShownNothingIsAddedAndNothingTakenBack(status: AuthorizationStatus) {
    var device = OfflineDevice()
    device.hold("a", after: 3600)
    device.put("new", after: 1800)
    device.settings.authorizationStatus = status
    #expect(device.plan().isEmpty)
  }

  /// What counts from its acceptance would else ring here, and again by the server's reckoning.
  @Test func whatCountsFromItsPutIsPinned() throws {
    var device = OfflineDevice()
    func put(_ id: NotificationID, _ trigger: Trigger) {
      device.put(.init(id: id, content: NotificationContent(title: "x"), trigger: trigger))
    }
    put("timer", .interval(IntervalTrigger(seconds: 600, repeats: false)))
    put("eight", .calendar(CalendarTrigger(components: CalendarComponents(hour: 8), repeats: false)))
    put(
      "there",
      .calendar(
        CalendarTrigger(
          components: CalendarComponents(hour: 8), repeats: false, timeZone: "Asia/Tokyo")))
    let plan = device.plan()
    let triggers = plan.state.outbox.entries.compactMap { entry -> Trigger? in
      if case .put(let notification) = entry.operation { notification.head.trigger } else { nil }
    }
    #expect(
      triggers == [
        .interval(IntervalTrigger(seconds: 600, repeats: false, anchor: OfflineDevice.now)),
        // 2026-12-01T08:00 in Madrid, and at 23:00Z in Tokyo.
        .local(LocalDateTime(wallSeconds: 1_796_112_000)),
        .instant(Instant(seconds: 1_796_079_600)),
      ])
    #expect(plan.state.outbox.entries.map(\.number) == [1, 2, 3])
    // Planned once, it counts from then.
    device.apply(plan)
    device.now = OfflineDevice.now.adding(seconds: 300)
    #expect(device.plan().isEmpty)
    #expect(device.plan()["timer"]?.fireAt == OfflineDevice.now.adding(seconds: 600))
  }

  @Test func whatCannotBeReadKeepsItsPlace() {
    var device = OfflineDevice()
    device.hold("a", after: 3600)
    device.state.plan[0].content = Array("[]".utf8)
    #expect(device.plan().isEmpty)
  }
}
