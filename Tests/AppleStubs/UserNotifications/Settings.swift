import Foundation

public enum UNAuthorizationStatus: Int, Sendable {
  case notDetermined = 0
  case denied = 1
  case authorized = 2
  case provisional = 3
  #if IOS || VISIONOS
    case ephemeral = 4
  #endif
}

public enum UNNotificationSetting: Int, Sendable {
  case notSupported = 0
  case disabled = 1
  case enabled = 2
}

#if !WATCHOS
  public enum UNAlertStyle: Int, Sendable {
    case none = 0
    case banner = 1
    case alert = 2
  }

  public enum UNShowPreviewsSetting: Int, Sendable {
    case always = 0
    case whenAuthenticated = 1
    case never = 2
  }
#endif

open class UNNotificationSettings: NSObject {
  open var authorizationStatus: UNAuthorizationStatus { fatalError() }
  open var soundSetting: UNNotificationSetting { fatalError() }
  open var alertSetting: UNNotificationSetting { fatalError() }
  open var notificationCenterSetting: UNNotificationSetting { fatalError() }
  open var criticalAlertSetting: UNNotificationSetting { fatalError() }
  open var timeSensitiveSetting: UNNotificationSetting { fatalError() }
  open var scheduledDeliverySetting: UNNotificationSetting { fatalError() }
  open var directMessagesSetting: UNNotificationSetting { fatalError() }
  open var providesAppNotificationSettings: Bool { fatalError() }

  #if !WATCHOS
    open var badgeSetting: UNNotificationSetting { fatalError() }
    open var lockScreenSetting: UNNotificationSetting { fatalError() }
    open var alertStyle: UNAlertStyle { fatalError() }
    open var showPreviewsSetting: UNShowPreviewsSetting { fatalError() }
  #endif

  #if IOS
    open var carPlaySetting: UNNotificationSetting { fatalError() }
  #endif
  #if IOS || WATCHOS
    open var announcementSetting: UNNotificationSetting { fatalError() }
  #endif
}
