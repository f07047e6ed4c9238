import CarillonModel

/// What a device's authorization and settings let a notification do.
struct Reachability {
  /// Nil: requests may be held.
  var refusal: WithheldRequest.Reason?
  /// Provisional and ephemeral: delivered, but to the notification center alone.
  private var isQuiet: Bool
  private let settings: NotificationSettings
  /// By text, sound and badge in the content, as three bits.
  private var reaches: [Reach] = []

  init(status: AuthorizationStatus, settings: NotificationSettings) {
    self.settings = settings
    refusal =
      switch status {
      case .denied: .denied
      case .notDetermined: .notDetermined
      case .unknown: .unknownStatus
      case .authorized, .provisional, .ephemeral: nil
      }
    isQuiet = status == .provisional || status == .ephemeral
    for bits in 0..<8 {
      reaches.append(reach(text: bits & 1 != 0, sound: bits & 2 != 0, badge: bits & 4 != 0))
    }
  }

  @inline(__always)
  func reach(of content: ContentSummary) -> Reach {
    reaches[(content.hasText ? 1 : 0) | (content.hasSound ? 2 : 0) | (content.hasBadge ? 4 : 0)]
  }

  private func reach(text: Bool, sound: Bool, badge: Bool) -> Reach {
    let badges = badge && Self.can(settings.badge)
    if isQuiet {
      if text || sound, Self.can(settings.notificationCenter) { return .quiet }
      return badges ? .badgeOnly : .none
    }
    let alerts = Self.can(settings.alert) || Self.can(settings.lockScreen)
    let lists = Self.can(settings.notificationCenter)
    let sounds = sound && Self.can(settings.sound)
    if sounds, alerts || lists { return .audible }
    if text, alerts { return .visible }
    if text, lists { return .quiet }
    if sounds { return .soundOnly }
    return badges ? .badgeOnly : .none
  }

  /// The needs that this device cannot meet, in the order the words are listed in.
  func unmet(_ needs: Set<Need>) -> [Need] {
    if needs.isEmpty { return [] }
    return Need.allCases.filter { needs.contains($0) && !meets($0) }
  }

  private func meets(_ need: Need) -> Bool {
    switch need {
    case .sound: !isQuiet && Self.can(settings.sound)
    case .alert: !isQuiet && Self.can(settings.alert)
    case .badge: Self.can(settings.badge)
    case .lockScreen: !isQuiet && Self.can(settings.lockScreen)
    }
  }

  /// What the system makes of the level: without its setting a higher one is active.
  func effective(_ level: InterruptionLevel) -> InterruptionLevel {
    switch level {
    case .passive, .active: level
    case .timeSensitive: settings.timeSensitive == .enabled ? level : .active
    case .critical: settings.criticalAlert == .enabled ? level : .active
    }
  }

  /// A setting that was never reported is taken as on: only a device that says no is believed to mean no.
  private static func can(_ setting: NotificationSetting?) -> Bool { setting == nil || setting == .enabled }
}
