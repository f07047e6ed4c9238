import CarillonJSON
import CarillonModel
import CarillonPlanner

/// One of the two devices of the demonstration.
struct DemoDevice: Sendable {
  let id: DeviceID
  /// For file names.
  let name: String
  let title: String
  let timeZone: String
  let locale: String
  private let queueFile: [UInt8]

  static let all = [
    DemoDevice(
      id: DeviceID(UUID128(high: 0x5f0c_7a6e_0d7e_4c39, low: 0x9a63_1f8a_3f6f_2d10)), name: "madrid",
      title: "66 reminders of a habit app", timeZone: "Europe/Madrid", locale: "es_ES",
      queueFile: PackageResources.article_66_json),
    DemoDevice(
      id: DeviceID(UUID128(high: 0x8b1d_24c0_6a52_4e7f, low: 0xb0c4_77e1_95d2_03aa)), name: "istanbul",
      title: "155 prayer times of a month", timeZone: "Europe/Istanbul", locale: "tr_TR",
      queueFile: PackageResources.prayer_times_json),
  ]

  /// What the device reports of itself.
  var info: DeviceInfo {
    var info = DeviceInfo()
    info.platform = "iOS"
    info.osVersion = "26.1"
    info.appVersion = "1.0"
    info.bundleId = "com.example.quickstart"
    info.timeZone = timeZone
    info.locale = locale
    info.deviceKey = "quickstart-\(name)"
    return info
  }

  private static func readQueue(_ reader: inout JSONReader) throws(JSONError) -> [Notification] {
    var queue: [Notification] = []
    try reader.array { (reader) throws(JSONError) in queue.append(try Notification(from: &reader)) }
    return queue
  }

  /// The queue, moved by whole days so that its first day is the device's tomorrow.
  func queue(from now: Instant, in zone: ZoneTable) throws -> [Notification] {
    let queue = try JSONReader.read(queueFile, Self.readQueue)
    let firstDay = queue.compactMap { $0.head.trigger.day(in: zone) }.min() ?? 0
    let tomorrow = zone.local(at: now).daysSinceEpoch + 1
    return queue.map { notification in
      var moved = notification
      moved.head.trigger = notification.head.trigger.moved(byDays: tomorrow - firstDay)
      return moved
    }
  }
}

extension Trigger {
  /// The local day it names, counted from 1970; nil for one that names none.
  fileprivate func day(in zone: ZoneTable) -> Int? {
    switch self {
    case .instant(let at): zone.local(at: at).daysSinceEpoch
    case .local(let wall): wall.daysSinceEpoch
    case .calendar(let calendar): calendar.components.date?.daysSinceEpoch
    case .interval, .recurrence, .location: nil
    }
  }

  /// The same time of day on another day.
  fileprivate func moved(byDays days: Int) -> Trigger {
    switch self {
    case .instant(let at): return .instant(at.adding(seconds: Int64(days) * 86_400))
    case .local(let wall): return .local(LocalDateTime(wallSeconds: wall.wallSeconds + Int64(days) * 86_400))
    case .calendar(var calendar):
      guard let date = calendar.components.date else { return self }
      let moved = CivilDate(daysSinceEpoch: date.daysSinceEpoch + days)
      calendar.components.year = moved.year
      calendar.components.month = moved.month
      calendar.components.day = moved.day
      return .calendar(calendar)
    case .interval, .recurrence, .location: return self
    }
  }
}

extension CalendarComponents {
  fileprivate var date: CivilDate? {
    guard let year, let month, let day else { return nil }
    return CivilDate(year: year, month: month, day: day)
  }
}
