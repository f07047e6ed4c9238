import CarillonJSON
import CarillonModel

/// Something that happened on a device, told once: its id makes a repetition harmless.
public struct SyncEvent: Hashable, Sendable {
  public enum Kind: Hashable, Sendable {
    case tapped, dismissed, delivered
    case primingShown, primingAccepted, primingPostponed, dialogShown
    /// The user did something of value; ``SyncEvent/name`` says what.
    case valueAction
    /// Of a newer version of the SDK; kept as given.
    case unknown(String)
  }

  /// 1...256 bytes, made by the device.
  public var id: String
  public var kind: Kind
  public var notification: NotificationID?
  /// Of a value action.
  public var name: String?
  /// Of a value action, as ``PrimingQuestion/context``; a word nobody knows is kept and means nothing.
  public var context: String?
  /// By the device's clock.
  public var at: Instant

  public init(
    id: String, kind: Kind, notification: NotificationID? = nil, name: String? = nil, context: String? = nil,
    at: Instant
  ) {
    self.id = id
    self.kind = kind
    self.notification = notification
    self.name = name
    self.context = context
    self.at = at
  }
}

extension SyncEvent.Kind {
  public static let known: [SyncEvent.Kind] = [
    .tapped, .dismissed, .delivered, .primingShown, .primingAccepted, .primingPostponed, .dialogShown,
    .valueAction,
  ]

  public var text: String {
    switch self {
    case .tapped: "tapped"
    case .dismissed: "dismissed"
    case .delivered: "delivered"
    case .primingShown: "primingShown"
    case .primingAccepted: "primingAccepted"
    case .primingPostponed: "primingPostponed"
    case .dialogShown: "dialogShown"
    case .valueAction: "valueAction"
    case .unknown(let text): text
    }
  }

  public init(_ text: String) { self = Self.known.first { $0.text == text } ?? .unknown(text) }
}

extension SyncEvent {
  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("id", id)
      writer.member("kind", kind.text)
      if let notification { writer.member("notification", notification.text) }
      if let name { writer.member("name", name) }
      if let context { writer.member("context", context) }
      writer.member("at", at)
    }
  }

  public init(from reader: inout JSONReader) throws(JSONError) {
    var id: String?
    var kind: Kind?
    var notification: NotificationID?
    var label: String?
    var context: String?
    var at: Instant?
    try reader.object { (reader, name) throws(JSONError) in
      switch name {
      case "id": id = try reader.shortText()
      case "kind": kind = Kind(try reader.shortText())
      case "notification": notification = try reader.null() ? nil : try reader.heldID()
      case "name": label = try reader.null() ? nil : try reader.shortText()
      case "context": context = try reader.null() ? nil : try reader.shortText()
      case "at": at = try reader.instant()
      default: try reader.skip()
      }
    }
    guard let id else { throw reader.missingMember("id") }
    guard let kind else { throw reader.missingMember("kind") }
    guard let at else { throw reader.missingMember("at") }
    self.init(id: id, kind: kind, notification: notification, name: label, context: context, at: at)
  }
}
