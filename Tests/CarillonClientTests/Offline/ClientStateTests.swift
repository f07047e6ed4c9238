import CarillonJSON
import CarillonModel
import Testing

@testable import CarillonClient

/// What an installation remembers of its plan.
@Suite struct ClientStateTests {
  private static let start = Instant(seconds: 1_796_032_800)

  private static func addition(_ id: String, revision: String = "0000000000000001") -> SyncAddition {
    SyncAddition(
      id: NotificationID(unchecked: id), revision: revision, fireAt: start,
      trigger: .instant(start), content: Array(#"{"title":"ä \"b\" 🎐"}"#.utf8))
  }

  private static func answer(_ diff: SyncDiff = SyncDiff()) -> SyncResponse {
    var answer = SyncResponse(
      planVersion: 7, serverTime: start, diff: diff,
      slots: SlotCounts(slots: 64, foreign: 0, capacity: 64, held: 1, queued: 0))
    answer.unread = 3
    return answer
  }

  private static func pending(_ additions: SyncAddition...) -> [PendingRequest] {
    additions.map { PendingRequest(id: $0.id, revision: $0.revision) }
  }

  private var state: ClientState { ClientState(deviceId: DeviceID(UUID128(high: 1, low: 2))) }

  @Test func whatIsStoredIsRead() throws {
    var state = state
    state.sequence = 9
    state.plan = [Self.addition("a"), Self.addition("b@20261201T0900")]
    state.plan[0].type = "habit"
    state.plan[1].source = "b"
    state.plan[1].fireAt = nil
    state.plan[1].trigger = .location(LocationTrigger(latitude: 1, longitude: 2, radius: 30, distance: 4))
    state.plannedHere = [Self.addition("c")]
    state.policy = SyncPolicy(version: 4, document: Array(#"{"slots": 60}"#.utf8))
    state.zoneData = "2026a"
    state.unread = 5
    #expect(try ClientState(stored: state.stored) == state)
  }

  /// In memory as in the file, whatever kind it is.
  @Test(
    arguments: [
      .instant(start), .local(LocalDateTime(wallSeconds: 1_796_112_001)),
      .calendar(
        CalendarTrigger(
          components: CalendarComponents(hour: 8, weekday: 2), repeats: true, timeZone: "Asia/Tokyo")),
      .interval(IntervalTrigger(seconds: 90.5, repeats: false, anchor: start)),
      .location(LocationTrigger(latitude: 1, longitude: -2, radius: 30, onExit: true, repeats: true)),
    ] as [Trigger])
  func aPlanIsReadAsItWasTold(trigger: Trigger) {
    var plan = [Self.addition("a"), Self.addition("ä@20261201T0900"), Self.addition("c")]
    plan[1].trigger = trigger
    plan[1].type = "habit"
    plan[1].source = "ä"
    plan[2].fireAt = nil
    var state = state
    state.plan = plan
    #expect(state.plan == plan)
  }

  @Test func aFileOfTheFirstFormatIsRead() throws {
    let text =
      #"{"format":1,"deviceId":"5f0c7a6e-0d7e-4c39-9a63-1f8a3f6f2d10","sequence":12,"planVersion":3,"outbox":[{"number":1,"cancel":"a"}]}"#
    let state = try ClientState(stored: Array(text.utf8))
    #expect(state.sequence == 12 && state.planVersion == 3 && state.outbox.count == 1)
    #expect(state.plan.isEmpty && state.policy == nil)
  }

  @Test func thePlanIsWhatWasReportedWithoutWhatLeavesAndWithWhatComes() {
    let (a, b, c) = (Self.addition("a"), Self.addition("b"), Self.addition("c"))
    let changed = Self.addition("b", revision: "0000000000000002")
    var state = state
    state.plan = [a, b, c]
    state.plannedHere = [changed, Self.addition("here")]
    // b as it was planned here, c no more, and one that nobody knows.
    state.adopt(
      Self.answer(SyncDiff(remove: ["a"], add: [Self.addition("d")])), confirming: [],
      pending: Self.pending(a, changed, Self.addition("here"), Self.addition("stranger")))
    #expect(state.plan == [changed, Self.addition("here"), Self.addition("d")])
    #expect(state.plannedHere.isEmpty && state.unread == 3 && state.planVersion == 7)
    // Nothing new: the same.
    let before = state
    state.adopt(
      Self.answer(), confirming: [], pending: Self.pending(changed, Self.addition("here"), Self.addition("d"))
    )
    #expect(state == before)
  }

  @Test func thePolicyStaysUntilAnotherComes() {
    var state = state
    var answer = Self.answer()
    answer.policy = SyncPolicy(version: 2, document: Array("{}".utf8))
    state.adopt(answer, confirming: [], pending: [])
    state.adopt(Self.answer(), confirming: [], pending: [])
    #expect(state.policy?.version == 2)
  }

  /// However large the contents, the state fits into its file: what has no room is not known, and keeps its place.
  @Test func aPlanTooLargeIsKnownInPart() throws {
    var state = state
    let large = (0..<64).map { number in
      var addition = Self.addition("n.\(number)")
      addition.content = Array("{\"title\":\"\(String(repeating: "x", count: 65_000))\"}".utf8)
      return addition
    }
    state.adopt(Self.answer(SyncDiff(add: large)), confirming: [], pending: [])
    #expect((20..<40).contains(state.plan.count))
    state.keep(plannedHere: large)
    #expect(state.stored.count < ClientState.planBytes + 65_536 && state.plannedHere.isEmpty)
    // An outbox of an earlier version, when it could be larger.
    var crowded = self.state
    for number in 0..<100 {
      crowded.outbox.append(
        .put(reminder("o.\(number)", after: 60, title: String(repeating: "x", count: 65_000))))
    }
    crowded.adopt(Self.answer(SyncDiff(add: large)), confirming: [], pending: [])
    #expect(crowded.stored.count <= FileStateStore.largestFile)
  }
}
