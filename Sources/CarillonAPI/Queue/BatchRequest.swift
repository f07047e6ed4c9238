import CarillonJSON
import CarillonModel

/// Up to 1,000 changes to queues of any devices of a tenant; each stands alone.
public struct BatchRequest: Hashable, Sendable {
  public var operations: [BatchOperation]

  public init(_ operations: [BatchOperation]) { self.operations = operations }

  public var json: [UInt8] {
    var writer = JSONWriter(capacity: 4_096)
    writer.object { writer in
      writer.list("operations", operations) { $0.write(to: &$1) }
    }
    return writer.bytes
  }
}

/// One change to a queue.
public struct BatchOperation: Hashable, Sendable {
  /// Whose queue.
  public enum Target: Hashable, Sendable {
    case device(DeviceID)
    /// Every device on which this user is signed in.
    case user(String)
  }

  public enum Action: Hashable, Sendable {
    case put(Notification)
    case cancel(NotificationID)
  }

  public var target: Target
  public var action: Action

  public init(_ action: Action, for target: Target) {
    self.action = action
    self.target = target
  }
}

/// A batch as the server reads it.
public struct ReceivedBatch: Sendable {
  /// In the order of the request; a failure is the answer for its item.
  public var operations: [Result<BatchOperation, Problem>]

  /// - Throws: ``JSONError`` when the batch as a whole cannot be read, or has more operations than allowed.
  public init(_ body: [UInt8]) throws(JSONError) {
    operations = try JSONReader.read(body, limits: WireLimits.batchJSON) { (reader) throws(JSONError) in
      var slices: [Range<Int>]?
      try reader.object { (reader, name) throws(JSONError) in
        guard name == "operations" else { throw reader.unknownMember(name) }
        slices = try reader.items(atMost: WireLimits.batchOperations) { (reader) throws(JSONError) in
          try reader.raw()
        }
      }
      guard let slices else { throw reader.missingMember("operations") }
      return slices.enumerated().map { index, range in
        var item = reader.slice(range, pointer: "/operations/\(index)")
        do throws(JSONError) {
          return .success(try BatchOperation(from: &item))
        } catch {
          return .failure(Problem(error))
        }
      }
    }
  }
}

extension BatchOperation {
  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      switch action {
      case .put: writer.member("op", "put")
      case .cancel: writer.member("op", "cancel")
      }
      switch target {
      case .device(let device): writer.member("deviceId", device.text)
      case .user(let user): writer.member("userId", user)
      }
      switch action {
      case .put(let notification):
        writer.name("notification")
        notification.write(to: &writer)
      case .cancel(let id): writer.member("id", id.text)
      }
    }
  }

  /// A misspelt member is refused: what it was meant to say would be lost.
  init(from reader: inout JSONReader) throws(JSONError) {
    var verb: String?
    var device: DeviceID?
    var user: String?
    var notification: Notification?
    var id: NotificationID?
    try reader.object { (reader, name) throws(JSONError) in
      switch name {
      case "op":
        let text = try reader.string()
        guard text == "put" || text == "cancel" else {
          throw reader.error(code: JSONError.invalidValue, detail: "op is \"put\" or \"cancel\"")
        }
        verb = text
      case "deviceId": device = try reader.null() ? nil : try reader.deviceID()
      case "userId": user = try reader.null() ? nil : try reader.shortText()
      case "notification": notification = try reader.null() ? nil : try Notification(from: &reader)
      case "id": id = try reader.null() ? nil : try reader.notificationID()
      default: throw reader.unknownMember(name)
      }
    }
    guard let verb else { throw reader.missingMember("op") }
    let target: Target
    switch (device, user) {
    case (let device?, nil): target = .device(device)
    case (nil, let user?): target = .user(user)
    default:
      throw reader.error(code: JSONError.invalidValue, detail: "either deviceId or userId is wanted")
    }
    switch (verb, notification, id) {
    case ("put", let notification?, nil): self.init(.put(notification), for: target)
    case ("put", nil, _): throw reader.missingMember("notification")
    case ("cancel", nil, let id?): self.init(.cancel(id), for: target)
    case ("cancel", _, nil): throw reader.missingMember("id")
    default:
      throw reader.error(
        code: JSONError.invalidValue, detail: "a put has a notification, a cancel has an id, none has both")
    }
  }
}
