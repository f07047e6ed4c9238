import CarillonJSON

/// A word that an Apple enumeration may grow: what this version does not know is kept as given.
protocol OpenWord {
  init(word: String)
  var word: String { get }
}

extension AuthorizationStatus: OpenWord {
  public init(word: String) {
    switch word {
    case "notDetermined": self = .notDetermined
    case "denied": self = .denied
    case "authorized": self = .authorized
    case "provisional": self = .provisional
    case "ephemeral": self = .ephemeral
    default: self = .unknown(word)
    }
  }

  public var word: String {
    switch self {
    case .notDetermined: "notDetermined"
    case .denied: "denied"
    case .authorized: "authorized"
    case .provisional: "provisional"
    case .ephemeral: "ephemeral"
    case .unknown(let word): word
    }
  }

  public init(from reader: inout JSONReader) throws(JSONError) {
    self.init(word: try reader.plainText(bytes: 1...DeviceInfo.longestText))
  }
}

extension NotificationSetting: OpenWord {
  public init(word: String) {
    switch word {
    case "notSupported": self = .notSupported
    case "disabled": self = .disabled
    case "enabled": self = .enabled
    default: self = .unknown(word)
    }
  }

  public var word: String {
    switch self {
    case .notSupported: "notSupported"
    case .disabled: "disabled"
    case .enabled: "enabled"
    case .unknown(let word): word
    }
  }
}

extension NotificationSettings {
  /// Reads what a device reports; members that nobody knows are left out, as a newer system reports more.
  public init(from reader: inout JSONReader) throws(JSONError) {
    self.init()
    func setting(_ reader: inout JSONReader) throws(JSONError) -> NotificationSetting? {
      guard try !reader.null() else { return nil }
      return NotificationSetting(word: try reader.plainText(bytes: 1...DeviceInfo.longestText))
    }
    try reader.object { (reader, name) throws(JSONError) in
      switch name {
      case "alert": alert = try setting(&reader)
      case "sound": sound = try setting(&reader)
      case "badge": badge = try setting(&reader)
      case "lockScreen": lockScreen = try setting(&reader)
      case "notificationCenter": notificationCenter = try setting(&reader)
      case "carPlay": carPlay = try setting(&reader)
      case "criticalAlert": criticalAlert = try setting(&reader)
      case "timeSensitive": timeSensitive = try setting(&reader)
      case "scheduledDelivery": scheduledDelivery = try setting(&reader)
      case "directMessages": directMessages = try setting(&reader)
      case "announcement": announcement = try setting(&reader)
      case "alertStyle": alertStyle = try reader.shortOptionalText()
      case "showPreviews": showPreviews = try reader.shortOptionalText()
      case "providesAppNotificationSettings":
        providesAppNotificationSettings = try reader.optional { (reader) throws(JSONError) in
          try reader.bool()
        }
      default: try reader.skip()
      }
    }
  }

  public func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("alert", ifPresent: alert?.word)
    writer.member("sound", ifPresent: sound?.word)
    writer.member("badge", ifPresent: badge?.word)
    writer.member("lockScreen", ifPresent: lockScreen?.word)
    writer.member("notificationCenter", ifPresent: notificationCenter?.word)
    writer.member("carPlay", ifPresent: carPlay?.word)
    writer.member("criticalAlert", ifPresent: criticalAlert?.word)
    writer.member("timeSensitive", ifPresent: timeSensitive?.word)
    writer.member("scheduledDelivery", ifPresent: scheduledDelivery?.word)
    writer.member("directMessages", ifPresent: directMessages?.word)
    writer.member("announcement", ifPresent: announcement?.word)
    writer.member("alertStyle", ifPresent: alertStyle)
    writer.member("showPreviews", ifPresent: showPreviews)
    if let provides = providesAppNotificationSettings {
      writer.member("providesAppNotificationSettings", provides)
    }
    writer.endObject()
  }
}
