import CarillonAPI
import CarillonJSON
import CarillonModel

extension TenantClient {
  /// A page of the inbox a device shows, newest first.
  ///
  /// - Parameters:
  ///   - device: whose inbox.
  ///   - state: which items.
  ///   - limit: 1...200.
  ///   - cursor: of the page before; nil: the first one.
  public func inbox(
    of device: DeviceID, _ state: InboxState = .inbox, limit: Int = PageRequest.defaultLimit,
    after cursor: String? = nil
  ) async throws(CarillonError) -> InboxPage {
    let page = try PageRequest(limit: limit, after: cursor, in: .inbox)
    let answer = try await send(.getInbox(device, page, state: state))
    return try read(answer) { (body) throws(JSONError) in try InboxPage(body) }
  }

  /// All items, newest first, read page by page.
  public func inboxItems(of device: DeviceID, _ state: InboxState = .inbox) -> InboxItems {
    InboxItems { (cursor) async throws(CarillonError) in
      try await inbox(of: device, state, after: cursor)
    }
  }

  /// Marks items, as a user does on the web. Every device that shows the inbox learns of it with its next sync.
  ///
  /// - Returns: how many are unread now.
  @discardableResult
  public func mark(
    _ mark: InboxMark, _ items: [InboxItem], of device: DeviceID
  ) async throws(CarillonError) -> Int {
    try await self.mark(.init(.ids(items.map(\.id)), until: mark.until), mark, device)
  }

  /// Marks all items that came due before a moment and are not put off.
  @discardableResult
  public func mark(
    _ mark: InboxMark, before moment: Instant, of device: DeviceID
  ) async throws(CarillonError) -> Int {
    try await self.mark(.init(.before(moment), until: mark.until), mark, device)
  }

  /// The next step on a device's way to permission.
  public func primingStep(
    of device: DeviceID, after action: String?, context: String? = nil
  ) async throws(CarillonError) -> PrimingDecision {
    let question = PrimingQuestion(action: action, context: context)
    let answer = try await send(.decidePriming(device), body: question.json)
    return try read(answer) { (body) throws(JSONError) in try PrimingDecision(body) }
  }

  private func mark(
    _ request: InboxMarkRequest, _ mark: InboxMark, _ device: DeviceID
  ) async throws(CarillonError) -> Int {
    let answer = try await send(.markInbox(device, mark.word), body: request.json(for: mark.word))
    return try read(answer) { (body) throws(JSONError) in try UnreadCount(body) }.unread
  }
}

extension PageRequest {
  init(limit: Int, after cursor: String?, in list: Cursor.List) throws(CarillonError) {
    guard Self.limits.contains(limit) else {
      throw CarillonError(.refused, "a page has \(Self.limits.lowerBound)...\(Self.limits.upperBound) items")
    }
    do throws(Problem) {
      var page = PageRequest(limit: limit)
      if let cursor { page.cursor = try Cursor(cursor, of: list) }
      self = page
    } catch {
      throw CarillonError(.refused, "the cursor is not one of this list")
    }
  }
}

extension CarillonError {
  /// Reads an answer's body.
  static func reading<Value>(
    _ body: [UInt8], _ read: ([UInt8]) throws(JSONError) -> Value
  ) throws(CarillonError) -> Value {
    do {
      return try read(body)
    } catch {
      throw CarillonError(.unexpectedAnswer, "the answer cannot be read: \(error)")
    }
  }
}
