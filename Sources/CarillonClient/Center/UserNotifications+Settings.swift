#if canImport(UserNotifications) && (os(iOS) || os(visionOS) || os(macOS) || os(watchOS))
  import CarillonModel
  import UserNotifications

  // Apple's enumerations to ours. Cases that a later system adds become `unknown`, which means "cannot".

  extension CenterSettings {
    init(_ native: UNNotificationSettings) {
      var settings = NotificationSettings()
      settings.alert = NotificationSetting(native.alertSetting)
      settings.sound = NotificationSetting(native.soundSetting)
      #if !os(watchOS)
        settings.badge = NotificationSetting(native.badgeSetting)
        settings.lockScreen = NotificationSetting(native.lockScreenSetting)
        settings.alertStyle = native.alertStyle.word
        settings.showPreviews = native.showPreviewsSetting.word
        settings.providesAppNotificationSettings = native.providesAppNotificationSettings
      #endif
      settings.notificationCenter = NotificationSetting(native.notificationCenterSetting)
      #if os(iOS)
        settings.carPlay = NotificationSetting(native.carPlaySetting)
        settings.announcement = NotificationSetting(native.announcementSetting)
      #endif
      settings.criticalAlert = NotificationSetting(native.criticalAlertSetting)
      if #available(iOS 15, macOS 12, watchOS 8, *) {
        settings.timeSensitive = NotificationSetting(native.timeSensitiveSetting)
        settings.scheduledDelivery = NotificationSetting(native.scheduledDeliverySetting)
        settings.directMessages = NotificationSetting(native.directMessagesSetting)
      }
      self.init(
        authorizationStatus: AuthorizationStatus(native.authorizationStatus), settings: settings)
    }
  }

  extension AuthorizationStatus {
    init(_ native: UNAuthorizationStatus) {
      // By number: not every case exists on every platform.
      switch native.rawValue {
      case 0: self = .notDetermined
      case 1: self = .denied
      case 2: self = .authorized
      case 3: self = .provisional
      case 4: self = .ephemeral
      case let other: self = .unknown(String(other))
      }
    }
  }

  extension NotificationSetting {
    init(_ native: UNNotificationSetting) {
      switch native {
      case .notSupported: self = .notSupported
      case .disabled: self = .disabled
      case .enabled: self = .enabled
      @unknown default: self = .unknown(String(native.rawValue))
      }
    }
  }

  #if !os(watchOS)
    extension UNAlertStyle {
      fileprivate var word: String {
        switch self {
        case .none: "none"
        case .banner: "banner"
        case .alert: "alert"
        @unknown default: String(rawValue)
        }
      }
    }

    extension UNShowPreviewsSetting {
      fileprivate var word: String {
        switch self {
        case .always: "always"
        case .whenAuthenticated: "whenAuthenticated"
        case .never: "never"
        @unknown default: String(rawValue)
        }
      }
    }
  #endif
#endif
