import CarillonAPI
import CarillonModel

/// A full report of some 1.2 KB, as a device sends it at each sync.
enum SampleReport {
  static let request: SyncRequest = {
    var request = SyncRequest(sequence: 4_711)
    request.sentAt = SampleQueue.now
    var device = DeviceInfo()
    device.platform = "iOS"
    device.osVersion = "26.1"
    device.appVersion = "3.2.0"
    device.bundleId = "com.example.app"
    device.timeZone = SampleQueue.zoneName
    device.firstWeekday = 2
    device.minimumDaysInFirstWeek = 4
    device.locale = "es_ES"
    request.device = device
    request.authorizationStatus = .authorized
    var settings = NotificationSettings()
    settings.alert = .enabled
    settings.sound = .enabled
    settings.badge = .enabled
    settings.lockScreen = .enabled
    settings.notificationCenter = .enabled
    settings.carPlay = .notSupported
    settings.criticalAlert = .notSupported
    settings.timeSensitive = .enabled
    settings.scheduledDelivery = .disabled
    settings.alertStyle = "banner"
    settings.showPreviews = "whenAuthenticated"
    settings.providesAppNotificationSettings = false
    request.settings = settings
    request.planVersion = 17
    request.pending = (0..<10).map { number in
      PendingRequest(
        id: NotificationID(unchecked: "com.example.habitReminder.\(number)"),
        revision: "0123456789abcde\(number)")
    }
    request.foreign = ForeignRequests(count: 2, regions: 1)
    request.delivered = []
    return request
  }()
}
