import CarillonAPI
import CarillonJSON
import CarillonModel

/// What an installation must remember: little, and nothing that can be asked of the system instead.
public struct ClientState: Hashable, Sendable {
  /// What is kept of plans; of more, the last ones are not known. Some 30 KB are usual.
  static let planBytes = 2 * 1024 * 1024
  /// What may wait in the outbox, so that the state always fits into its file: beside it and the plans there is the
  /// policy, which has ``WireLimits/bodyBytes`` at most.
  static let outboxBytes = FileStateStore.largestFile - planBytes - 1024 * 1024

  /// Made once, at the first start. It never travels to another device.
  public var deviceId: DeviceID
  /// Of the last report; grows with each.
  public var sequence: Int64
  /// The last plan the server answered with; 0 before the first.
  public var planVersion: Int
  /// When the device must have synced; nil when nothing waits.
  public var refreshBy: Instant?
  /// What the app asked for and the server has not yet confirmed.
  public var outbox: Outbox
  /// What the server planned for this device, as far as its answers told. Kept packed.
  public var plan: [SyncAddition] {
    get { packedPlan.requests }
    set { packedPlan = PackedRequests(newValue) }
  }
  var packedPlan: PackedRequests
  /// What was planned here since the last answer: what ``plan`` has not, or has otherwise.
  public var plannedHere: [SyncAddition]
  /// The policy that was in force at the last answer; nil: none came yet.
  public var policy: SyncPolicy?
  /// Which release of the zone data ``plannedHere`` was planned with.
  public var zoneData: String?
  /// Items of the inbox at the last answer, which badges count on from.
  public var unread: Int

  public init(deviceId: DeviceID) {
    self.deviceId = deviceId
    sequence = 0
    planVersion = 0
    refreshBy = nil
    outbox = Outbox()
    packedPlan = PackedRequests([])
    plannedHere = []
    unread = 0
  }
}

/// One wish of the app.
public enum OutboxOperation: Hashable, Sendable {
  case put(Notification)
  case cancel(NotificationID)
  case event(SyncEvent)

  /// Whose wish it is; a later one of the same id replaces it. Nil for what only happened.
  var id: NotificationID? {
    switch self {
    case .put(let notification): notification.head.id
    case .cancel(let id): id
    case .event: nil
    }
  }

  /// What it takes in a report, a little more rather than less.
  var wireBytes: Int {
    switch self {
    case .put(let notification): notification.wireBytes.count + 1
    case .cancel(let id): id.text.utf8.count * 6 + 3
    case .event(let event): event.wireBytes.count + 1
    }
  }
}

extension Notification {
  var wireBytes: [UInt8] {
    var writer = JSONWriter()
    write(to: &writer)
    return writer.bytes
  }

  /// The notification as the server would read it, so that what it must refuse is refused before it is kept.
  func checked() throws(CarillonError) -> Notification {
    let bytes = wireBytes
    guard bytes.count <= SyncEngine.operationBytes else {
      throw CarillonError(
        .tooLarge, "\(head.id.text) has \(bytes.count) bytes, \(SyncEngine.operationBytes) are allowed")
    }
    do {
      return try Notification(parsing: bytes)
    } catch {
      throw CarillonError(RejectedItem(id: head.id.text, error: error))
    }
  }
}

extension SyncEvent {
  var wireBytes: [UInt8] {
    var writer = JSONWriter()
    write(to: &writer)
    return writer.bytes
  }
}

/// What waits to be confirmed: wishes, at most one per notification (a later one replaces an earlier), and events.
public struct Outbox: Hashable, Sendable {
  public struct Entry: Hashable, Sendable {
    /// Grows; tells a wish from the one that replaced it while it was on its way.
    public var number: Int
    public var operation: OutboxOperation
  }

  /// By number.
  public private(set) var entries: [Entry] = []
  private var lastNumber = 0

  public init() {}

  /// - Parameter entries: by number.
  init(entries: [Entry]) {
    self.entries = entries
    lastNumber = entries.last?.number ?? 0
  }

  public var isEmpty: Bool { entries.isEmpty }
  public var count: Int { entries.count }

  /// Writes a wish in other words; it stays the same wish.
  mutating func reword(_ notification: Notification) {
    guard let index = entries.firstIndex(where: { $0.operation.id == notification.head.id }) else { return }
    entries[index].operation = .put(notification)
  }

  var wireBytes: Int { entries.reduce(0) { $0 + $1.operation.wireBytes } }

  mutating func append(_ operation: OutboxOperation) {
    if let id = operation.id { entries.removeAll { $0.operation.id == id } }
    lastNumber += 1
    entries.append(Entry(number: lastNumber, operation: operation))
  }

  /// Takes out what the server has answered. An entry that was replaced meanwhile has another number, and stays.
  mutating func confirm(_ numbers: Set<Int>) {
    entries.removeAll { numbers.contains($0.number) }
  }
}
