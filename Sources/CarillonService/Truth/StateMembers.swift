import CarillonAPI
import CarillonJSON
import CarillonModel
import CarillonStore

/// What a report changed of a device, member by member: three-valued settings and words that this version does not
/// know as they were given.
struct StateMembers {
  private(set) var changed: [DeviceStateChange.Member] = []

  /// - Parameter old: nil when nothing was reported before.
  init(from old: DeviceState?, to new: DeviceState) {
    compare("authorizationStatus", old?.authorizationStatus.word, new.authorizationStatus.word)
    let (info, before) = (new.info, old?.info ?? DeviceInfo())
    compare("device.platform", before.platform, info.platform)
    compare("device.osVersion", before.osVersion, info.osVersion)
    compare("device.appVersion", before.appVersion, info.appVersion)
    compare("device.bundleId", before.bundleId, info.bundleId)
    compare("device.timeZone", before.timeZone, info.timeZone)
    compare("device.firstWeekday", before.firstWeekday.text, info.firstWeekday.text)
    compare(
      "device.minimumDaysInFirstWeek", before.minimumDaysInFirstWeek.text, info.minimumDaysInFirstWeek.text)
    compare("device.locale", before.locale, info.locale)
    compare("device.deviceKey", before.deviceKey, info.deviceKey)
    compare("device.userId", before.userId, info.userId)
    compare("device.cohort", before.cohort, info.cohort)
    compare("device.push", before.push?.fingerprint, info.push?.fingerprint)
    compare("device.backgroundRefresh", before.backgroundRefresh, info.backgroundRefresh)
    compareSettings(old?.settings ?? NotificationSettings(), new.settings)
  }

  private mutating func compareSettings(_ old: NotificationSettings, _ new: NotificationSettings) {
    compare("settings.alert", old.alert?.word, new.alert?.word)
    compare("settings.sound", old.sound?.word, new.sound?.word)
    compare("settings.badge", old.badge?.word, new.badge?.word)
    compare("settings.lockScreen", old.lockScreen?.word, new.lockScreen?.word)
    compare("settings.notificationCenter", old.notificationCenter?.word, new.notificationCenter?.word)
    compare("settings.carPlay", old.carPlay?.word, new.carPlay?.word)
    compare("settings.criticalAlert", old.criticalAlert?.word, new.criticalAlert?.word)
    compare("settings.timeSensitive", old.timeSensitive?.word, new.timeSensitive?.word)
    compare("settings.scheduledDelivery", old.scheduledDelivery?.word, new.scheduledDelivery?.word)
    compare("settings.directMessages", old.directMessages?.word, new.directMessages?.word)
    compare("settings.announcement", old.announcement?.word, new.announcement?.word)
    compare("settings.alertStyle", old.alertStyle, new.alertStyle)
    compare("settings.showPreviews", old.showPreviews, new.showPreviews)
    compare(
      "settings.providesAppNotificationSettings", old.providesAppNotificationSettings.text,
      new.providesAppNotificationSettings.text)
  }

  private mutating func compare(_ path: String, _ old: String?, _ new: String?) {
    if old != new { changed.append(.init(path: path, from: old, to: new)) }
  }
}

extension DeviceStateChange {
  /// Nil when the report changes nothing that is remembered.
  ///
  /// - Parameters:
  ///   - old: nil when nothing was reported before.
  ///   - edits: what it put and cancelled.
  init?(_ report: SyncRequest, from old: DeviceState?, to new: DeviceState, fatigue: Fatigue?, edits: Edits) {
    guard old != new || !edits.isEmpty else { return nil }
    let members = old == new ? [] : StateMembers(from: old, to: new).changed
    guard !members.isEmpty || fatigue != nil || !edits.isEmpty else { return nil }
    self.init(
      sequence: report.sequence, sentAt: report.sentAt, appVersion: new.info.appVersion,
      authorizationStatus: new.authorizationStatus, fatigue: fatigue, members: members)
    self.edits = edits
  }
}

extension PushRegistration {
  /// The token is a credential towards Apple and stands in no history: a hash tells one from another.
  fileprivate var fingerprint: String {
    var hash = StableHash()
    hash.combine(token)
    return "\(environment) \(StableHash.hex(hash.state))"
  }
}

extension Int? {
  fileprivate var text: String? { map(String.init) }
}

extension Bool? {
  fileprivate var text: String? { map { $0 ? "true" : "false" } }
}
