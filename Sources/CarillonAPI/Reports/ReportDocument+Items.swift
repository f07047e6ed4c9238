import CarillonJSON
import CarillonModel

/// The members of an item, report by report.
extension JSONWriter {
  mutating func evictions(_ counts: ReportCounts) {
    member("evicted", counts[.evicted])
    member("devices", counts[.evictedDevices])
    member("lost", counts[.lost])
    member("lostToLimit", counts[.lostToLimit])
  }

  mutating func delivery(_ counts: ReportCounts) {
    member("due", counts.due)
    name("outcomes")
    object { writer in
      for outcome in DeliveryOutcome.allCases {
        writer.name(outcome.rawValue)
        writer.int(counts[NotificationMeasure(outcome)])
      }
    }
    member("unmet", counts[.unmet])
    name("unmetNeeds")
    object { writer in
      writer.member("alert", counts[.unmetAlert])
      writer.member("badge", counts[.unmetBadge])
      writer.member("lockScreen", counts[.unmetLockScreen])
      writer.member("sound", counts[.unmetSound])
    }
  }

  mutating func engagement(_ counts: ReportCounts) {
    member("delivered", counts.noticed)
    member("tapped", counts[.tapped])
    member("dismissed", counts[.dismissed])
    share("tapRate", counts[.tapped], of: counts.noticed)
  }

  mutating func authorization(_ counts: ReportCounts) {
    member("devices", counts[.devices as PermissionMeasure])
    name("states")
    permissions(counts, PermissionMeasure.states)
    name("funnel")
    permissions(counts, [.primed, .asked, .granted, .kept])
  }

  mutating func priming(_ counts: ReportCounts) {
    name("steps")
    permissions(counts, [.none, .wait, .showPrimer, .showDialog, .requestProvisional, .openSettings])
    name("events")
    permissions(counts, [.primingShown, .primingAccepted, .primingPostponed, .dialogShown])
    name("answers")
    object { writer in
      writer.member("granted", counts[.answeredGranted])
      writer.member("denied", counts[.answeredDenied])
    }
    name("secondsToGrant")
    array { writer in
      for index in 0...PermissionMeasure.grantBounds.count where counts.granted(within: index) > 0 {
        writer.object { writer in
          writer.name("below")
          if index < PermissionMeasure.grantBounds.count {
            writer.int(PermissionMeasure.grantBounds[index])
          } else {
            writer.null()
          }
          writer.member("devices", counts.granted(within: index))
        }
      }
    }
  }

  mutating func fatigue(_ counts: ReportCounts) {
    let devices = counts[.devices as FatigueMeasure]
    member("devices", devices)
    member("degraded", counts[.degraded])
    member("denied", counts[.denied as FatigueMeasure])
    share("shareDegraded", counts[.degraded], of: devices)
    share("shareDenied", counts[.denied as FatigueMeasure], of: devices)
    member("left", counts[.left])
    member("warned", counts.warned)
    name("medianLeadDays")
    if let days = counts.medianLeadDays { int(days) } else { null() }
    name("leadDays")
    array { writer in
      for days in 0...FatigueMeasure.longestLeadDays where counts.left(afterDays: days) > 0 {
        writer.object { writer in
          writer.member("days", days)
          writer.member("left", counts.left(afterDays: days))
        }
      }
    }
  }

  private mutating func permissions(_ counts: ReportCounts, _ measures: [PermissionMeasure]) {
    object { writer in
      for measure in measures {
        writer.name("\(measure)" as String)
        writer.int(counts[measure])
      }
    }
  }

  /// Four decimals; null where there is nothing to have a share of.
  private mutating func share(_ name: StaticString, _ part: Int, of whole: Int) {
    self.name(name)
    guard whole > 0 else { return null() }
    double((Double(part) / Double(whole) * 10_000).rounded() / 10_000)
  }
}

extension PermissionMeasure {
  /// The five states, and those that this version does not know.
  public static let states: [PermissionMeasure] = [
    .notDetermined, .denied, .authorized, .provisional, .ephemeral, .unknown,
  ]
}
