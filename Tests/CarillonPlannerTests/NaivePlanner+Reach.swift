import CarillonModel
import CarillonPlanner

extension NaivePlanner {
  /// Provisional and ephemeral: to the notification center alone.
  private var isQuiet: Bool {
    [.provisional, .ephemeral].contains(input.device.authorizationStatus)
  }

  /// What was never reported is taken as on.
  private func isOn(_ setting: NotificationSetting?) -> Bool { setting ?? .enabled == .enabled }

  func reach(_ head: NotificationHead) -> Reach {
    let settings = input.device.settings
    let content = head.summary
    let banner = isOn(settings.alert) || isOn(settings.lockScreen)
    let center = isOn(settings.notificationCenter)
    let sounds = content.hasSound && isOn(settings.sound)
    let badges = content.hasBadge && isOn(settings.badge)
    if isQuiet {
      if center && (content.hasText || content.hasSound) { return .quiet }
      return badges ? .badgeOnly : .none
    }
    if sounds && (banner || center) { return .audible }
    if content.hasText && banner { return .visible }
    if content.hasText && center { return .quiet }
    if sounds { return .soundOnly }
    return badges ? .badgeOnly : .none
  }

  func unmet(_ needs: Set<Need>) -> [Need] {
    let settings = input.device.settings
    var unmet: [Need] = []
    if isQuiet || !isOn(settings.sound) { unmet.append(.sound) }
    if isQuiet || !isOn(settings.alert) { unmet.append(.alert) }
    if !isOn(settings.badge) { unmet.append(.badge) }
    if isQuiet || !isOn(settings.lockScreen) { unmet.append(.lockScreen) }
    return unmet.filter(needs.contains)
  }

  func effectiveLevel(_ head: NotificationHead) -> InterruptionLevel {
    let settings = input.device.settings
    switch head.summary.interruptionLevel {
    case .timeSensitive: return settings.timeSensitive == .enabled ? .timeSensitive : .active
    case .critical: return settings.criticalAlert == .enabled ? .critical : .active
    case .active: return .active
    case .passive: return .passive
    }
  }

  /// Why the device can hold nothing, or not this one.
  func notHolding(_ head: NotificationHead) -> WithheldRequest.Reason? {
    switch input.device.authorizationStatus {
    case .denied: return .denied
    case .notDetermined: return .notDetermined
    case .unknown: return .unknownStatus
    case .authorized, .provisional, .ephemeral:
      return policy.unreachable == .withhold && reach(head) == .none ? .unreachable : nil
    }
  }
}
