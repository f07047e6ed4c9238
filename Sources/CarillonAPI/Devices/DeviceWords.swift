import CarillonJSON
import CarillonModel

extension AuthorizationStatus {
  /// As Apple and the wire name it.
  public var wireText: String {
    switch self {
    case .notDetermined: "notDetermined"
    case .denied: "denied"
    case .authorized: "authorized"
    case .provisional: "provisional"
    case .ephemeral: "ephemeral"
    case .unknown(let text): text
    }
  }

  public init(wireText text: String) {
    switch text {
    case "notDetermined": self = .notDetermined
    case "denied": self = .denied
    case "authorized": self = .authorized
    case "provisional": self = .provisional
    case "ephemeral": self = .ephemeral
    default: self = .unknown(text)
    }
  }
}

extension NotificationSetting {
  /// As Apple and the wire name it.
  public var wireText: String {
    switch self {
    case .notSupported: "notSupported"
    case .disabled: "disabled"
    case .enabled: "enabled"
    case .unknown(let text): text
    }
  }

  public init(wireText text: String) {
    switch text {
    case "notSupported": self = .notSupported
    case "disabled": self = .disabled
    case "enabled": self = .enabled
    default: self = .unknown(text)
    }
  }
}

private typealias SettingPath = any WritableKeyPath<NotificationSettings, NotificationSetting?> & Sendable

/// Members that are a setting, by name: reading and writing share the table.
private let settingMembers: [(name: StaticString, path: SettingPath)] = [
  ("alert", \.alert), ("sound", \.sound), ("badge", \.badge), ("lockScreen", \.lockScreen),
  ("notificationCenter", \.notificationCenter), ("carPlay", \.carPlay), ("criticalAlert", \.criticalAlert),
  ("timeSensitive", \.timeSensitive), ("scheduledDelivery", \.scheduledDelivery),
  ("directMessages", \.directMessages), ("announcement", \.announcement),
]

extension JSONReader {
  /// Apple's settings; members nobody knows are ignored.
  mutating func notificationSettings() throws(JSONError) -> NotificationSettings {
    var settings = NotificationSettings()
    try object { (reader, name) throws(JSONError) in
      if try reader.null() { return }
      if let member = settingMembers.first(where: { name == $0.name }) {
        settings[keyPath: member.path] = NotificationSetting(wireText: try reader.shortText())
        return
      }
      switch name {
      case "alertStyle": settings.alertStyle = try reader.shortText()
      case "showPreviews": settings.showPreviews = try reader.shortText()
      case "providesAppNotificationSettings": settings.providesAppNotificationSettings = try reader.bool()
      default: try reader.skip()
      }
    }
    return settings
  }
}

extension JSONWriter {
  mutating func settings(_ settings: NotificationSettings) {
    object { writer in
      for member in settingMembers {
        if let setting = settings[keyPath: member.path] { writer.member(member.name, setting.wireText) }
      }
      if let style = settings.alertStyle { writer.member("alertStyle", style) }
      if let previews = settings.showPreviews { writer.member("showPreviews", previews) }
      if let provides = settings.providesAppNotificationSettings {
        writer.member("providesAppNotificationSettings", provides)
      }
    }
  }
}
