import CarillonJSON
import Foundation

/// What a device of the fleet reports, without the beginning `{"sequence":N`.
struct ReportBodies {
  /// Brings the queue; nothing is held.
  private(set) var first: [UInt8]
  /// Holds the plan; nothing has changed.
  private(set) var steady: [UInt8] = []
  /// Puts one notification at one time, and at another; holds what the one before brought about.
  private(set) var changes: [[UInt8]] = [[], []]

  private let start: Date
  /// Id and revision, in the order of their fires.
  private var held: [(id: String, revision: String)] = []

  /// - Parameter notifications: one an hour, from tomorrow on.
  init(notifications: Int) {
    start = Date().addingTimeInterval(86_400)
    let puts = (0..<notifications).map { [start] index in
      Self.notification("habit.\(index)", at: start.addingTimeInterval(Double(index) * 3600))
    }
    first = Self.report(pending: [], puts: puts)
  }

  mutating func learnPlan(_ answer: JSONValue) throws {
    held = try Self.additions(of: answer)
    steady = Self.report(pending: held)
    changes[0] = Self.report(pending: held, puts: [changed(0)])
  }

  mutating func learnChange(_ turn: Int, _ answer: JSONValue) throws {
    let added = try Self.additions(of: answer)
    guard added.count == 1 else {
      throw LoadFailure(detail: "a changing sync brought \(added.count) requests, not one")
    }
    // It fires before all others: where there was no room, the last of them left.
    let others = held.filter { $0.id != added[0].id }.prefix(63)
    held = added + others
    changes[1 - turn] = Self.report(pending: held, puts: [changed(1 - turn)])
    steady = Self.report(pending: held)
  }

  private func changed(_ turn: Int) -> String {
    Self.notification("habit.changed", at: start.addingTimeInterval(-3600 * Double(1 + turn)))
  }

  private static func additions(of answer: JSONValue) throws -> [(id: String, revision: String)] {
    let added = answer["diff"]?["add"]?.array ?? []
    guard !added.isEmpty else { throw LoadFailure(detail: "a sync brought no request") }
    return added.map { ($0["id"]?.string ?? "", $0["revision"]?.string ?? "") }
  }

  static func report(pending: [(id: String, revision: String)], puts: [String] = []) -> [UInt8] {
    let held = pending.map { "{\"id\":\"\($0.id)\",\"revision\":\"\($0.revision)\"}" }
    let wishes = puts.isEmpty ? "" : ",\"put\":[\(puts.joined(separator: ","))]"
    return Array(",\(state),\"pending\":[\(held.joined(separator: ","))]\(wishes)}".utf8)
  }

  static func notification(_ id: String, at date: Date) -> String {
    """
    {"id":"\(id)","content":{"title":"Habit \(id)","body":"Two minutes are enough.","sound":"default"},\
    "trigger":{"kind":"instant","at":"\(date.formatted(.iso8601))"}}
    """
  }

  private static let state = """
    "device":{"platform":"iOS","osVersion":"26.1","appVersion":"3.2.0","bundleId":"com.example.app",\
    "timeZone":"Europe/Madrid","firstWeekday":2,"minimumDaysInFirstWeek":4,"locale":"es_ES"},\
    "authorizationStatus":"authorized","settings":\(PostgresFloor.settings),\
    "foreign":{"count":0,"regions":0},"delivered":[]
    """
}
