/// Callers that wait for a turn of shared work: everybody who came before a turn starts is served by it.
///
/// An actor lets others in whenever it awaits, so "one after the other" needs a line. A value: it says when to start
/// a turn, its owner runs it.
struct WorkLine<Wish, Answer> {
  struct Ticket: Hashable {
    fileprivate let number: Int
  }

  struct Waiter {
    let ticket: Ticket
    let wish: Wish
    /// Nil once nobody waits for it.
    fileprivate(set) var answer: ((Answer) -> Void)?
  }

  private var nextNumber = 0
  private var waiting: [Waiter] = []
  private var served: [Waiter] = []
  private var isRunning = false

  mutating func ticket() -> Ticket {
    nextNumber += 1
    return Ticket(number: nextNumber)
  }

  /// - Returns: whether its owner has to start running turns.
  mutating func join(_ ticket: Ticket, wish: Wish, answer: @escaping (Answer) -> Void) -> Bool {
    waiting.append(Waiter(ticket: ticket, wish: wish, answer: answer))
    defer { isRunning = true }
    return !isRunning
  }

  /// What the next turn is to do; nil when nobody waits, and then the owner stops.
  mutating func nextTurn() -> [Waiter]? {
    precondition(isRunning && served.isEmpty, "turns follow one another")
    guard !waiting.isEmpty else {
      isRunning = false
      return nil
    }
    served = waiting
    waiting = []
    return served
  }

  /// - Returns: those served by this turn.
  mutating func endTurn() -> [Waiter] {
    defer { served = [] }
    return served
  }

  /// Somebody waits no longer; what they wished stays part of the work.
  ///
  /// - Returns: how to tell them, when they have not been answered yet.
  mutating func leave(_ ticket: Ticket) -> ((Answer) -> Void)? {
    if let place = served.firstIndex(where: { $0.ticket == ticket }) { return served[place].takeAnswer() }
    if let place = waiting.firstIndex(where: { $0.ticket == ticket }) { return waiting[place].takeAnswer() }
    return nil
  }
}

extension WorkLine.Waiter {
  fileprivate mutating func takeAnswer() -> ((Answer) -> Void)? {
    defer { answer = nil }
    return answer
  }
}
