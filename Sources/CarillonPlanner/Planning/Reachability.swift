import CarillonModel

/// What a device's authorization and settings let a notification do.
struct Reachability {
  /// Nil: requests may be held.
  let refusal: WithheldRequest.Reason?
  private let reaches: Reaches
  private let unmet: [Need]
  private let allowsTimeSensitive: Bool
  private let allowsCritical: Bool

  init(status: AuthorizationStatus, settings: NotificationSettings) {
    refusal =
      switch status {
      case .denied: .denied
      case .notDetermined: .notDetermined
      case .unknown: .unknownStatus
      case .authorized, .provisional, .ephemeral: nil
      }
    let capabilities = Capabilities(
      settings, isQuiet: status == .provisional || status == .ephemeral)
    reaches = Reaches(capabilities)
    unmet = Need.allCases.filter { !capabilities.meets($0) }
    allowsTimeSensitive = settings.timeSensitive == .enabled
    allowsCritical = settings.criticalAlert == .enabled
  }

  /// A device that allows all.
  static let unlimited = Reachability(status: .authorized, settings: NotificationSettings())

  @inline(__always)
  func reach(of content: ContentKind) -> Reach { reaches.reach(of: content) }

  /// Whatever a content has, it can be noticed.
  var reachesWithAll: Bool { refusal == nil && reaches.areAllSome }

  /// The needs that this device cannot meet, in the order the words are listed in.
  func unmet(_ needs: Set<Need>) -> [Need] {
    if needs.isEmpty || unmet.isEmpty { return [] }
    return unmet.filter { needs.contains($0) }
  }

  /// What the system makes of the level: without its setting a higher one is active.
  func effective(_ level: InterruptionLevel) -> InterruptionLevel {
    switch level {
    case .passive, .active: level
    case .timeSensitive: allowsTimeSensitive ? level : .active
    case .critical: allowsCritical ? level : .active
    }
  }
}

/// The settings as what can be done with them. A setting that was never reported is taken as on: only a device that
/// says no is believed to mean no.
private struct Capabilities {
  /// Provisional and ephemeral: delivered, but to the notification center alone.
  let isQuiet: Bool
  let sounds: Bool
  let alerts: Bool
  let badges: Bool
  let showsOnLockScreen: Bool
  let lists: Bool

  init(_ settings: NotificationSettings, isQuiet: Bool) {
    func can(_ setting: NotificationSetting?) -> Bool { setting == nil || setting == .enabled }
    self.isQuiet = isQuiet
    sounds = can(settings.sound)
    alerts = can(settings.alert)
    badges = can(settings.badge)
    showsOnLockScreen = can(settings.lockScreen)
    lists = can(settings.notificationCenter)
  }

  func meets(_ need: Need) -> Bool {
    switch need {
    case .sound: !isQuiet && sounds
    case .alert: !isQuiet && alerts
    case .badge: badges
    case .lockScreen: !isQuiet && showsOnLockScreen
    }
  }

  func reach(text: Bool, sound: Bool, badge: Bool) -> Reach {
    let badges = badge && self.badges
    if isQuiet {
      if text || sound, lists { return .quiet }
      return badges ? .badgeOnly : .none
    }
    let alerts = alerts || showsOnLockScreen
    let sounds = sound && self.sounds
    if sounds, alerts || lists { return .audible }
    if text, alerts { return .visible }
    if text, lists { return .quiet }
    if sounds { return .soundOnly }
    return badges ? .badgeOnly : .none
  }
}

/// Which of text, sound and badge a content has.
struct ContentKind {
  let bits: UInt8

  init(_ content: ContentSummary) {
    bits = (content.hasText ? 1 : 0) | (content.hasSound ? 2 : 0) | (content.hasBadge ? 4 : 0)
  }
}

/// The reach of each of the eight kinds of content (with text, sound and badge, or without), four bits each.
private struct Reaches {
  private var bits: UInt32 = 0

  init(_ capabilities: Capabilities) {
    for kind in 0..<8 {
      let reach = capabilities.reach(text: kind & 1 != 0, sound: kind & 2 != 0, badge: kind & 4 != 0)
      bits |= Self.code(reach) << UInt32(4 * kind)
    }
  }

  @inline(__always)
  func reach(of content: ContentKind) -> Reach {
    switch bits >> UInt32(4 * content.bits) & 0xF {
    case 0: .audible
    case 1: .visible
    case 2: .quiet
    case 3: .soundOnly
    case 4: .badgeOnly
    default: .none
    }
  }

  /// Whether any kind of content can be noticed, but for the one that has nothing.
  var areAllSome: Bool {
    (1..<8).allSatisfy { bits >> UInt32(4 * $0) & 0xF != Self.code(.none) }
  }

  private static func code(_ reach: Reach) -> UInt32 {
    switch reach {
    case .audible: 0
    case .visible: 1
    case .quiet: 2
    case .soundOnly: 3
    case .badgeOnly: 4
    case .none: 5
    }
  }
}
