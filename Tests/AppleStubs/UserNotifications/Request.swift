import CoreLocation
import Foundation

open class UNNotificationRequest: NSObject {
  public convenience init(
    identifier: String, content: UNNotificationContent, trigger: UNNotificationTrigger?
  ) { fatalError() }

  open var identifier: String { fatalError() }
  open var content: UNNotificationContent { fatalError() }
  open var trigger: UNNotificationTrigger? { fatalError() }
}

open class UNNotificationContent: NSObject {
  open var title: String { fatalError() }
  open var subtitle: String { fatalError() }
  open var body: String { fatalError() }
  open var userInfo: [AnyHashable: Any] { fatalError() }
}

open class UNMutableNotificationContent: UNNotificationContent {
  open override var title: String {
    get { fatalError() }
    set { fatalError() }
  }
  open override var subtitle: String {
    get { fatalError() }
    set { fatalError() }
  }
  open override var body: String {
    get { fatalError() }
    set { fatalError() }
  }
  open override var userInfo: [AnyHashable: Any] {
    get { fatalError() }
    set { fatalError() }
  }
  open var badge: NSNumber?
  open var threadIdentifier = ""
  open var categoryIdentifier = ""
  open var sound: UNNotificationSound?
  open var relevanceScore = 0.0
  open var interruptionLevel = UNNotificationInterruptionLevel.active
}

public enum UNNotificationInterruptionLevel: UInt, Sendable {
  case passive, active, timeSensitive, critical
}

open class UNNotificationTrigger: NSObject {
  open var repeats: Bool { fatalError() }
}

open class UNTimeIntervalNotificationTrigger: UNNotificationTrigger {
  public convenience init(timeInterval: TimeInterval, repeats: Bool) { fatalError() }
  open var timeInterval: TimeInterval { fatalError() }
}

open class UNCalendarNotificationTrigger: UNNotificationTrigger {
  public convenience init(dateMatching dateComponents: DateComponents, repeats: Bool) { fatalError() }
  open var dateComponents: DateComponents { fatalError() }
}

#if IOS
  open class UNLocationNotificationTrigger: UNNotificationTrigger {
    public convenience init(region: CLRegion, repeats: Bool) { fatalError() }
    open var region: CLRegion { fatalError() }
  }
#endif

public struct UNNotificationSoundName: RawRepresentable, Hashable, Sendable {
  public var rawValue: String
  public init(_ rawValue: String) { self.rawValue = rawValue }
  public init(rawValue: String) { self.rawValue = rawValue }
}

open class UNNotificationSound: NSObject {
  open class var `default`: UNNotificationSound { fatalError() }
  open class var defaultCritical: UNNotificationSound { fatalError() }
  open class func defaultCriticalSound(withAudioVolume volume: Float) -> UNNotificationSound { fatalError() }

  #if !WATCHOS
    public convenience init(named name: UNNotificationSoundName) { fatalError() }
    open class func criticalSoundNamed(_ name: UNNotificationSoundName) -> UNNotificationSound {
      fatalError()
    }
    open class func criticalSoundNamed(
      _ name: UNNotificationSoundName, withAudioVolume volume: Float
    ) -> UNNotificationSound { fatalError() }
  #endif
}
