/// The requests that wait, in their order.
///
/// A list whose elements are made when they are looked at: a plan is made, compared and thrown away far more often than
/// its waiting list is read, so the planner writes numbers, and ids and names stay where they are.
public struct QueuedRequests: Hashable, Sendable {
  /// One request by numbers.
  public struct Place: Sendable {
    /// Milliseconds since 1970; nil for a location.
    @usableFromInline let fire: Int64?
    /// Index into the ids, and behind them into the made ones.
    @usableFromInline let id: Int32
    /// Index into the names of types.
    @usableFromInline let type: Int32
    @usableFromInline let rank: Int32
    @usableFromInline let reason: QueuedRequest.Reason

    @inlinable
    public init(id: Int32, type: Int32, fire: Int64?, rank: Int32, reason: QueuedRequest.Reason) {
      self.id = id
      self.type = type
      self.fire = fire
      self.rank = rank
      self.reason = reason
    }
  }

  private enum Storage: Sendable {
    case values([QueuedRequest])
    case places([Place], ids: [NotificationID], made: [NotificationID], types: [String])
  }

  private var storage: Storage

  /// - Parameters:
  ///   - ids: of the queue.
  ///   - made: ids that planning made.
  ///   - types: names of types.
  public init(_ places: [Place], ids: [NotificationID], made: [NotificationID], types: [String]) {
    storage = places.isEmpty ? .values([]) : .places(places, ids: ids, made: made, types: types)
  }

  public init(_ values: [QueuedRequest]) { storage = .values(values) }

  /// All of them, made.
  private var values: [QueuedRequest] {
    switch storage {
    case .values(let values): values
    case .places: map { $0 }
    }
  }

  public static func == (left: QueuedRequests, right: QueuedRequests) -> Bool { left.elementsEqual(right) }

  public func hash(into hasher: inout Hasher) { hasher.combine(values) }
}

extension QueuedRequests: RandomAccessCollection, MutableCollection, RangeReplaceableCollection,
  ExpressibleByArrayLiteral
{
  public init() { storage = .values([]) }

  public init(arrayLiteral elements: QueuedRequest...) { storage = .values(elements) }

  public var startIndex: Int { 0 }

  public var endIndex: Int {
    switch storage {
    case .values(let values): values.count
    case .places(let places, _, _, _): places.count
    }
  }

  public subscript(index: Int) -> QueuedRequest {
    get {
      switch storage {
      case .values(let values): return values[index]
      case .places(let places, let ids, let made, let types):
        let place = places[index]
        let id = Int(place.id)
        return QueuedRequest(
          id: id < ids.count ? ids[id] : made[id - ids.count], type: types[Int(place.type)],
          fireAt: place.fire.map { Instant(milliseconds: $0) }, rank: Int(place.rank), reason: place.reason)
      }
    }
    set { replaceSubrange(index..<index + 1, with: CollectionOfOne(newValue)) }
  }

  public mutating func replaceSubrange(_ range: Range<Int>, with elements: some Collection<QueuedRequest>) {
    var values = values
    storage = .values([])
    values.replaceSubrange(range, with: elements)
    storage = .values(values)
  }
}
