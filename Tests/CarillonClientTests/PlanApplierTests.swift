import CarillonJSON
import CarillonModel
import Testing

@testable import CarillonClient

/// The applier alone: what it asks for, in which order, whatever the center answers.
@Suite struct PlanApplierTests {
  static let noon = Instant(seconds: 1_800_000_000)

  private static func addition(
    _ id: String, revision: String = "0000000000000001", in seconds: Int64 = 3600
  ) -> PlannedAddition {
    let fireAt = noon.adding(seconds: seconds)
    return PlannedAddition(
      id: NotificationID(unchecked: id), revision: revision, fireAt: fireAt, trigger: .instant(fireAt),
      content: NotificationContent(title: id))
  }

  private static func held(_ id: String, revision: String? = "0000000000000001") -> CenterRequest {
    let request = CenterRequest(
      id: NotificationID(unchecked: id), content: NotificationContent(title: id),
      trigger: .interval(seconds: 3600, repeats: true))
    return revision.map { request.marked(revision: $0) } ?? request
  }

  private static func ids(_ names: String...) -> [NotificationID] {
    names.map { NotificationID(unchecked: $0) }
  }

  @Test func removesThenLooksThenAddsThenLooksAgain() {
    var applier = PlanApplier(remove: Self.ids("a"), add: [Self.addition("b")])
    #expect(applier.start() == .readPending)
    #expect(applier.next(after: .pending([Self.held("a")]), now: Self.noon) == .remove(Self.ids("a")))
    #expect(applier.next(after: .removed, now: Self.noon) == .readPending)
    guard case .add(let request) = applier.next(after: .pending([]), now: Self.noon) else {
      Issue.record("an add follows the removes")
      return
    }
    #expect(request.id.text == "b" && request.revision == "0000000000000001")
    #expect(applier.next(after: .added, now: Self.noon) == .readPending)
    guard case .finish(let result) = applier.next(after: .pending([request]), now: Self.noon) else {
      Issue.record("it ends by reading back")
      return
    }
    #expect(result.removed == Self.ids("a") && result.added == Self.ids("b") && result.pendingCount == 1)
    #expect(result.dropped.isEmpty && result.remaining.isEmpty)
  }

  @Test func waitsUntilALateRemoveTookEffect() {
    var applier = PlanApplier(remove: Self.ids("a"), add: [Self.addition("b")])
    _ = applier.next(after: .pending([Self.held("a")]), now: Self.noon)
    _ = applier.next(after: .removed, now: Self.noon)
    for wait in PlanApplier.removalWaits.prefix(3) {
      #expect(applier.next(after: .pending([Self.held("a")]), now: Self.noon) == .wait(wait))
      #expect(applier.next(after: .waited, now: Self.noon) == .readPending)
    }
    guard case .add = applier.next(after: .pending([]), now: Self.noon) else {
      Issue.record("the add comes once the remove took effect")
      return
    }
  }

  @Test func goesOnWhenARemoveNeverTakesEffectAndSaysSo() {
    let stuck = [Self.held("a")]
    var applier = PlanApplier(remove: Self.ids("a"), add: [])
    _ = applier.next(after: .pending(stuck), now: Self.noon)
    var action = applier.next(after: .removed, now: Self.noon)
    var waits: [Double] = []
    for _ in 0..<100 {
      switch action {
      case .readPending: action = applier.next(after: .pending(stuck), now: Self.noon)
      case .wait(let seconds):
        waits.append(seconds)
        action = applier.next(after: .waited, now: Self.noon)
      case .finish(let result):
        #expect(result.remaining == Self.ids("a") && waits == PlanApplier.removalWaits)
        return
      default:
        Issue.record("\(action)")
        return
      }
    }
    Issue.record("it never ended")
  }

  @Test func neverRemovesWhatIsNotOurs() {
    var applier = PlanApplier(remove: Self.ids("theirs"), add: [])
    let foreign = [Self.held("theirs", revision: nil)]
    #expect(applier.next(after: .pending(foreign), now: Self.noon) == .readPending)
    guard case .finish(let result) = applier.next(after: .pending(foreign), now: Self.noon) else {
      Issue.record("nothing is to be done")
      return
    }
    #expect(result.isEmpty && result.pendingCount == 1)
  }

  @Test func addsWhatFitsWhenTheDeviceIsFull() {
    let full = (0..<64).map { Self.held("theirs.\($0)", revision: nil) }
    var applier = PlanApplier(remove: [], add: [Self.addition("a"), Self.addition("theirs.1")])
    guard case .add(let request) = applier.next(after: .pending(full), now: Self.noon) else {
      Issue.record("a replacement needs no room")
      return
    }
    #expect(request.id.text == "theirs.1")
    _ = applier.next(after: .added, now: Self.noon)
    guard case .finish(let result) = applier.next(after: .pending(full), now: Self.noon) else {
      Issue.record("the other one has no room")
      return
    }
    #expect(result.refused == [.init(id: NotificationID(unchecked: "a"), reason: .noRoom)])
  }

  @Test func leavesAnUnchangedIntervalAlone() {
    var applier = PlanApplier(remove: [], add: [Self.addition("a")])
    #expect(applier.next(after: .pending([Self.held("a")]), now: Self.noon) == .readPending)
  }

  /// What is dropped silently by iOS is seen by reading back.
  @Test func seesWhatWasDropped() {
    var applier = PlanApplier(remove: [], add: [Self.addition("a"), Self.addition("b")])
    guard case .add(let first) = applier.next(after: .pending([]), now: Self.noon) else { return }
    _ = applier.next(after: .added, now: Self.noon)
    _ = applier.next(after: .added, now: Self.noon)
    guard case .finish(let result) = applier.next(after: .pending([first]), now: Self.noon) else {
      Issue.record("it ends by reading back")
      return
    }
    #expect(result.dropped == Self.ids("b"))
  }
}
