import CarillonAPI
import CarillonModel
import CarillonStore

extension DeviceState {
  /// The state after a report: what it names is taken, what it leaves out stays. Settings that were told while less was
  /// allowed than now are not known any more.
  func merging(_ report: SyncRequest) -> DeviceState {
    var state = self
    if let info = report.device { state.info.take(info) }
    if let status = report.authorizationStatus {
      // What was told while less was allowed is of that time: iOS then reports all as off.
      if status.allowance > authorizationStatus.allowance { state.settings = NotificationSettings() }
      state.authorizationStatus = status
    }
    if let settings = report.settings { state.settings.take(settings) }
    if let pending = report.pending { state.pending = pending.withoutRepetitions }
    if let foreign = report.foreign { state.foreign = foreign }
    return state
  }

  func differsOnlyInRequests(from other: DeviceState) -> Bool {
    var state = self
    (state.pending, state.foreign) = (other.pending, other.foreign)
    return state == other && pending != nil
  }
}

extension AuthorizationStatus {
  /// How much may be shown.
  fileprivate enum Allowance: Comparable { case nothing, quietly, everything }

  fileprivate var allowance: Allowance {
    switch self {
    case .denied, .notDetermined, .unknown: .nothing
    case .provisional, .ephemeral: .quietly
    case .authorized: .everything
    }
  }
}

extension [PendingRequest] {
  /// A device holds one request of an id: of several the last counts.
  fileprivate var withoutRepetitions: [PendingRequest] {
    var last = [NotificationID: Int](minimumCapacity: count)
    for (index, request) in enumerated() { last[request.id] = index }
    return last.count == count ? self : enumerated().filter { last[$1.id] == $0 }.map(\.element)
  }
}

extension DeviceInfo {
  mutating func take(_ newer: DeviceInfo) {
    platform = newer.platform ?? platform
    osVersion = newer.osVersion ?? osVersion
    appVersion = newer.appVersion ?? appVersion
    bundleId = newer.bundleId ?? bundleId
    timeZone = newer.timeZone ?? timeZone
    firstWeekday = newer.firstWeekday ?? firstWeekday
    minimumDaysInFirstWeek = newer.minimumDaysInFirstWeek ?? minimumDaysInFirstWeek
    locale = newer.locale ?? locale
    deviceKey = newer.deviceKey ?? deviceKey
    userId = newer.userId ?? userId
    cohort = newer.cohort ?? cohort
    push = newer.push ?? push
    backgroundRefresh = newer.backgroundRefresh ?? backgroundRefresh
  }
}

extension NotificationSettings {
  mutating func take(_ newer: NotificationSettings) {
    alert = newer.alert ?? alert
    sound = newer.sound ?? sound
    badge = newer.badge ?? badge
    lockScreen = newer.lockScreen ?? lockScreen
    notificationCenter = newer.notificationCenter ?? notificationCenter
    carPlay = newer.carPlay ?? carPlay
    criticalAlert = newer.criticalAlert ?? criticalAlert
    timeSensitive = newer.timeSensitive ?? timeSensitive
    scheduledDelivery = newer.scheduledDelivery ?? scheduledDelivery
    directMessages = newer.directMessages ?? directMessages
    announcement = newer.announcement ?? announcement
    alertStyle = newer.alertStyle ?? alertStyle
    showPreviews = newer.showPreviews ?? showPreviews
    providesAppNotificationSettings =
      newer.providesAppNotificationSettings ?? providesAppNotificationSettings
  }
}
