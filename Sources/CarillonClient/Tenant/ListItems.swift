import CarillonAPI

/// The items of a list, read page by page as they are asked for: the next page is not read before the last item of the
/// one before was taken.
///
///     for try await device in carillon.allDevices() { … }
///
/// What is added or removed meanwhile may or may not be seen; what stays is seen once.
public struct ListItems<Item: Sendable>: AsyncSequence, Sendable {
  public typealias Element = Item
  public typealias Failure = CarillonError

  /// Reads the page behind a cursor.
  let page: @Sendable (_ cursor: String?) async throws(CarillonError) -> Page<Item>

  public func makeAsyncIterator() -> Iterator { Iterator(page: page) }

  public struct Iterator: AsyncIteratorProtocol {
    let page: @Sendable (_ cursor: String?) async throws(CarillonError) -> Page<Item>
    private var waiting: ArraySlice<Item> = []
    private var cursor: String?
    private var isLast = false

    init(page: @escaping @Sendable (String?) async throws(CarillonError) -> Page<Item>) { self.page = page }

    public mutating func next() async throws(CarillonError) -> Item? {
      while waiting.isEmpty, !isLast {
        let next = try await page(cursor)
        // A server that leads in a circle would be read for ever.
        guard next.nextCursor == nil || next.nextCursor != cursor else {
          throw CarillonError(.unexpectedAnswer, "a page leads to itself")
        }
        waiting = next.items[...]
        cursor = next.nextCursor
        isLast = cursor == nil
      }
      return waiting.popFirst()
    }
  }
}
