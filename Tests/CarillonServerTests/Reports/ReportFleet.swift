import CarillonModel
import Foundation
import IntegrationSupport
import TestSupport

/// The raw history of one made-up device: what its row and its tables hold.
struct FleetDevice {
  struct Change {
    var at: Instant
    var status: String
    var appVersion: String
    var fatigue: String?
    /// By path: from, to.
    var members: [String: (String?, String?)]
  }
  struct Delivery {
    var id: String
    var type: String
    var at: Instant
    var outcome: String
    var reason: String?
    var unmet: [String]
    var isTapped: Bool
    var isDismissed: Bool
  }

  var id: String
  var createdAt: Instant
  /// As it is in the end.
  var cohort: String?
  /// When another installation took its place.
  var supersededAt: Instant?
  var changes: [Change] = []
  var deliveries: [Delivery] = []
  var firstPrimed: Instant?
  var dialogShown: Instant?
  var answer: (word: String, at: Instant)?
  var steps: [(at: Instant, step: String)] = []
  var events: [(at: Instant, kind: String)] = []
  /// By day and type.
  var evictions: [(day: CivilDate, type: String, count: Int)] = []
}

/// A random fleet over some days.
struct ReportFleet {
  static let types = ["habit", "entry", "depletion", "inactivity"]
  let first: CivilDate
  let days: Int
  private(set) var devices: [FleetDevice] = []

  init(devices count: Int, days: Int, first: CivilDate, seed: UInt64) {
    self.first = first
    self.days = days
    var random = SeededGenerator(seed: seed)
    devices = (0..<count).map { index in Self.device(index, first, days, &random) }
  }

  private static func device(
    _ index: Int, _ first: CivilDate, _ days: Int, _ random: inout SeededGenerator
  ) -> FleetDevice {
    func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
    let born = Int64.random(in: 0..<Int64(days) * 86_400, using: &random)
    var now = first.startInUTC.adding(seconds: born)
    var device = FleetDevice(
      id: Reports.device(Int.random(in: 1..<1 << 40, using: &random) << 8 | index & 255), createdAt: now,
      cohort: chance(80) ? "2026-W\(20 + Int.random(in: 0..<4, using: &random))" : nil)
    var status = "notDetermined"
    var app = "3.\(Int.random(in: 0..<3, using: &random))"
    var fatigue: String?
    func change(_ members: [String: (String?, String?)], _ word: String? = nil) {
      device.changes.append(
        .init(at: now, status: status, appVersion: app, fatigue: word, members: members))
    }
    // A shell that somebody filled the queue of may never report.
    if chance(92) {
      var members: [String: (String?, String?)] = ["authorizationStatus": (nil, status)]
      if let cohort = device.cohort { members["device.cohort"] = (nil, cohort) }
      change(members)
    } else {
      device.cohort = nil
    }
    var end = first.adding(days: days).startInUTC
    if chance(15) {
      end = now.adding(seconds: Int64.random(in: 1...1_000_000, using: &random))
      device.supersededAt = end
    }
    while true {
      now = now.adding(seconds: Int64.random(in: 60...60_000, using: &random))
      guard now < end else { break }
      if !device.changes.isEmpty {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<8:
          device.steps.append((now, ["showPrimer", "wait", "none"].randomElement(using: &random)!))
          if chance(50) {
            device.events.append((now, "primingShown"))
            device.firstPrimed = device.firstPrimed ?? now
            device.events.append((now, chance(50) ? "primingAccepted" : "primingPostponed"))
          }
        case 8..<18 where device.answer == nil:
          if chance(80) {
            device.dialogShown = device.dialogShown ?? now
            device.events.append((now, "dialogShown"))
          }
          let granted = chance(65)
          let old = status
          status = granted ? "authorized" : "denied"
          device.answer = (granted ? "granted" : "denied", now)
          change(["authorizationStatus": (old, status)])
        case 18..<22 where status == "authorized" && fatigue != "degraded":
          fatigue = "degraded"
          change(["settings.sound": ("enabled", "disabled")], fatigue)
        case 22..<24 where fatigue == "degraded" && status == "authorized":
          fatigue = "recovered"
          change(["settings.sound": ("disabled", "enabled")], fatigue)
        case 24..<27 where ["authorized", "provisional"].contains(status):
          change([:])
          let old = status
          status = "denied"
          change(["authorizationStatus": (old, status)])
        case 27..<29 where status == "denied":
          status = "authorized"
          change(["authorizationStatus": ("denied", status)])
        case 29:
          let old = status
          status = ["provisional", "ephemeral", "mystery"].randomElement(using: &random)!
          change(["authorizationStatus": (old, status)])
        case 30:
          app = "3.\(Int.random(in: 0..<4, using: &random))"
          change(["device.appVersion": (nil, app)])
        case 31:
          let old = device.cohort
          device.cohort = chance(70) ? "moved" : nil
          if old != device.cohort { change(["device.cohort": (old, device.cohort)]) }
        default: break
        }
      }
      if chance(60) { device.deliveries.append(delivery(device.deliveries.count, now, &random)) }
      if chance(10) {
        let (day, type) = (now.utcDay, types.randomElement(using: &random)!)
        if !device.evictions.contains(where: { $0.day == day && $0.type == type }) {
          device.evictions.append((day, type, Int.random(in: 1...30, using: &random)))
        }
      }
    }
    return device
  }

  private static func delivery(
    _ index: Int, _ at: Instant, _ random: inout SeededGenerator
  ) -> FleetDevice.Delivery {
    let outcome = DeliveryOutcome.allCases.randomElement(using: &random)!
    let isMissed = outcome == .missed
    return .init(
      id: "n\(index)", type: types.randomElement(using: &random)!, at: at, outcome: outcome.rawValue,
      reason: isMissed ? ["noSlot", "typeLimit", "denied"].randomElement(using: &random)! : nil,
      unmet: ["sound", "alert", "badge", "lockScreen"].filter { _ in
        Int.random(in: 0..<8, using: &random) == 0
      },
      isTapped: outcome.isDelivered && Bool.random(using: &random),
      isDismissed: Int.random(in: 0..<9, using: &random) == 0)
  }
}
