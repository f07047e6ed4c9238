import CarillonAPI
import CarillonJSON
import CarillonModel

extension Carillon {
  /// A page of this device's inbox, or of its user's, newest first. ``InboxPage/nextCursor`` leads to the next one.
  ///
  /// - Parameters:
  ///   - state: which items.
  ///   - limit: 1...200.
  ///   - cursor: of the page before; nil: the first one.
  /// - Throws: ``CarillonError/Code/refused`` with the problem `deviceNotFound` before the first sync.
  public func inbox(
    _ state: InboxState = .inbox, limit: Int = PageRequest.defaultLimit, after cursor: String? = nil
  ) async throws(CarillonError) -> InboxPage {
    let page = try PageRequest(limit: limit, after: cursor, in: .inbox)
    let body = try await ask { .getInbox($0, page, state: state) }
    return try CarillonError.reading(body) { (body) throws(JSONError) in try InboxPage(body) }
  }

  /// All items, newest first, read page by page.
  public nonisolated func inboxItems(_ state: InboxState = .inbox) -> InboxItems {
    InboxItems { [self] (cursor) async throws(CarillonError) in try await inbox(state, after: cursor) }
  }

  /// Marks items. Those that are not there any more are passed over, and the same mark again changes nothing.
  ///
  /// - Returns: how many are unread now: what the app's badge is to be.
  @discardableResult
  public func mark(_ mark: InboxMark, _ items: [InboxItem]) async throws(CarillonError) -> Int {
    try await self.mark(.init(.ids(items.map(\.id)), until: mark.until), mark)
  }

  /// Marks all items that came due before a moment and are not put off.
  @discardableResult
  public func mark(_ mark: InboxMark, before moment: Instant) async throws(CarillonError) -> Int {
    try await self.mark(.init(.before(moment), until: mark.until), mark)
  }

  private func mark(
    _ request: InboxMarkRequest, _ mark: InboxMark
  ) async throws(CarillonError) -> Int {
    let body = try await ask(request.json(for: mark.word)) { .markInbox($0, mark.word) }
    return try CarillonError.reading(body) { (body) throws(JSONError) in try UnreadCount(body) }.unread
  }
}

/// What is done to items of an inbox.
public enum InboxMark: Hashable, Sendable {
  case seen
  /// Seen too.
  case read
  /// Out of the inbox.
  case archive
  /// Out of it until then.
  case snooze(until: Instant)
  /// Back from a snooze.
  case unsnooze

  var word: Route.InboxMark {
    switch self {
    case .seen: .seen
    case .read: .read
    case .archive: .archive
    case .snooze, .unsnooze: .snooze
    }
  }

  var until: Instant? {
    guard case .snooze(let until) = self else { return nil }
    return until
  }
}
