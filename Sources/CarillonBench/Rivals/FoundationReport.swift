import Foundation

/// A device's report as an app would declare it for Foundation's coders: the rival of CarillonJSON.
struct FoundationReport: Codable, Equatable {
  struct Device: Codable, Equatable {
    var platform, osVersion, appVersion, bundleId, timeZone, locale: String?
    var firstWeekday, minimumDaysInFirstWeek: Int?
  }

  struct Settings: Codable, Equatable {
    var alert, sound, badge, lockScreen, notificationCenter, carPlay, criticalAlert, timeSensitive: String?
    var scheduledDelivery, directMessages, announcement, alertStyle, showPreviews: String?
    var providesAppNotificationSettings: Bool?
  }

  struct Pending: Codable, Equatable {
    var id: String
    var revision: String?
  }

  struct Foreign: Codable, Equatable {
    var count, regions: Int
  }

  var sequence: Int
  var sentAt: String?
  var device: Device?
  var authorizationStatus: String?
  var settings: Settings?
  var planVersion: Int?
  var pending: [Pending]?
  var foreign: Foreign?
  var delivered: [String]?

  static func decode(_ data: Data) throws -> FoundationReport {
    try JSONDecoder().decode(FoundationReport.self, from: data)
  }

  func encode() throws -> Data { try JSONEncoder().encode(self) }
}
