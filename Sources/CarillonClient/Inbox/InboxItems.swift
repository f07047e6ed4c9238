import CarillonAPI
import CarillonModel

/// The items of an inbox, newest first, read page by page as they are asked for.
///
///     for try await item in carillon.inboxItems(.unread) { … }
public struct InboxItems: AsyncSequence, Sendable {
  public typealias Element = InboxItem
  public typealias Failure = CarillonError

  /// Reads the page behind a cursor.
  let page: @Sendable (_ cursor: String?) async throws(CarillonError) -> InboxPage

  public func makeAsyncIterator() -> Iterator { Iterator(page: page) }

  public struct Iterator: AsyncIteratorProtocol {
    let page: @Sendable (_ cursor: String?) async throws(CarillonError) -> InboxPage
    private var waiting: ArraySlice<InboxItem> = []
    private var cursor: String?
    private var isLast = false

    init(page: @escaping @Sendable (String?) async throws(CarillonError) -> InboxPage) { self.page = page }

    public mutating func next() async throws(CarillonError) -> InboxItem? {
      while waiting.isEmpty, !isLast {
        let next = try await page(cursor)
        waiting = next.items[...]
        cursor = next.nextCursor
        isLast = cursor == nil
      }
      return waiting.popFirst()
    }
  }
}
