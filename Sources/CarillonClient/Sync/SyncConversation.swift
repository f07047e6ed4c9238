/// How many reports one sync takes. A value: it says what comes next.
///
/// One report is the rule. More follow while the outbox does not fit into one, once after a change of what the
/// device holds (the server then knows it, and heals what iOS dropped), and when the answer says that the server
/// already has a newer report.
struct SyncConversation {
  enum Next: Hashable {
    case report
    case finish
    /// Even a far higher sequence is not new to the server.
    case giveUp
    /// One answer after the other gets lost.
    case tryLater
  }

  /// Answers in a row that may be lost.
  static let mostRepetitions = 8

  /// Added to the sequence when the next number is not new either: the state of this installation was put back by
  /// something (a copy of its folder), by who knows how many reports.
  static let leap: Int64 = 1 << 32

  private(set) var reports = 0
  private var staleInARow = 0
  private var repetitionsInARow = 0
  private var hasConfirmed = false

  /// What to add to the sequence for the next report.
  mutating func nextStep() -> Int64 {
    reports += 1
    // A lost answer makes the retry stale: the next number settles that.
    return staleInARow < 2 ? 1 : Self.leap
  }

  /// Whether a leap was needed to be heard.
  var hasLeapt: Bool { staleInARow >= 2 }

  /// - Parameter isRepetition: the report was sent more than once: then it is its own first try that the server knows.
  mutating func answeredStale(isRepetition: Bool) -> Next {
    if isRepetition {
      repetitionsInARow += 1
      return repetitionsInARow > Self.mostRepetitions ? .tryLater : .report
    }
    staleInARow += 1
    return staleInARow > 2 ? .giveUp : .report
  }

  /// - Parameters:
  ///   - hasMore: something waits in the outbox.
  ///   - changedDevice: requests were added or removed.
  ///   - isBusy: the server asked to be left alone for a while.
  mutating func answered(hasMore: Bool, changedDevice: Bool, isBusy: Bool) -> Next {
    (staleInARow, repetitionsInARow) = (0, 0)
    if hasMore { return .report }
    guard changedDevice, !hasConfirmed, !isBusy else { return .finish }
    hasConfirmed = true
    return .report
  }
}
