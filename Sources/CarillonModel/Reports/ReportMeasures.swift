/// What the counters of a rolled-up row are about. The raw value is stored.
public enum ReportSubject: String, Hashable, Sendable, CaseIterable {
  /// By type and cohort: what became of what came due that day, and what had no slot.
  case notifications
  /// By cohort: states and answers.
  case permission
  /// By cohort, by app version, and by week of installation.
  case fatigue

  /// The words of the counters in the order they are stored in. New ones come last.
  public var measures: [String] {
    switch self {
    case .notifications: NotificationMeasure.allCases.map { "\($0)" }
    case .permission:
      PermissionMeasure.allCases.map { "\($0)" }
        + PermissionMeasure.grantBounds.indices.map { "grantedAfter\($0)" }
        + ["grantedAfter\(PermissionMeasure.grantBounds.count)"]
    case .fatigue:
      FatigueMeasure.allCases.map { "\($0)" }
        + (0...FatigueMeasure.longestLeadDays).map { "leftAfter\($0)" }
    }
  }
}

/// Counters of ``ReportSubject/notifications``.
public enum NotificationMeasure: Int, Hashable, Sendable, CaseIterable {
  // Of what came due, by ``DeliveryOutcome``.
  case open, delivered, inferredDelivered, suppressed, removedOnDevice, missed, rescued, expired
  /// Had at least one need that the settings did not meet.
  case unmet
  case unmetSound, unmetAlert, unmetBadge, unmetLockScreen
  case tapped, dismissed
  /// Came due while it waited for a slot, or at its type's limit.
  case lost, lostToLimit
  /// Left without a slot by a plan of the day, the most of each device.
  case evicted
  case evictedDevices

  public init(_ outcome: DeliveryOutcome) {
    switch outcome {
    case .open: self = .open
    case .delivered: self = .delivered
    case .inferredDelivered: self = .inferredDelivered
    case .suppressed: self = .suppressed
    case .removedOnDevice: self = .removedOnDevice
    case .missed: self = .missed
    case .rescued: self = .rescued
    case .expired: self = .expired
    }
  }
}

/// Counters of ``ReportSubject/permission``; the devices as they were at the end of the day.
public enum PermissionMeasure: Int, Hashable, Sendable, CaseIterable {
  case devices
  case notDetermined, denied, authorized, provisional, ephemeral, unknown
  // The funnel: once shown the app's own screen, once asked by iOS, granted, still allowed.
  case primed, asked, granted, kept
  // That day, what was answered to a question for the next step.
  case none, wait, showPrimer, showDialog, requestProvisional, openSettings
  // That day, what devices told.
  case primingShown, primingAccepted, primingPostponed, dialogShown
  // That day, what iOS was told.
  case answeredGranted, answeredDenied

  /// Seconds from the first sight of a device to its grant: below each, and from the last one on.
  public static let grantBounds = [60, 300, 3_600, 21_600, 86_400, 259_200, 604_800, 2_592_000]
}

/// Counters of ``ReportSubject/fatigue``; the devices that have an answer at the end of the day.
public enum FatigueMeasure: Int, Hashable, Sendable, CaseIterable {
  case devices
  /// Allowed, but with neither sound nor lock screen.
  case degraded
  case denied
  /// Went from allowed to denied that day.
  case left

  /// More days of warning are counted as so many.
  public static let longestLeadDays = 90
}

/// By what ``ReportSubject/fatigue`` is counted.
public enum FatigueGrouping: String, Hashable, Sendable, CaseIterable {
  case cohort, appVersion, installWeek
}
