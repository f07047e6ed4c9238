import CarillonJSON
import CarillonModel
import Foundation
import IntegrationSupport

/// Bodies that tests send.
enum Reports {
  static let start = Instant(milliseconds: 1_796_000_000_000)

  static func time(_ secondsFromStart: Int64) -> String {
    start.adding(seconds: secondsFromStart).description
  }

  /// An authorized device that may show everything.
  static func full(
    sequence: Int, pending: String = "[]", foreign: Int = 0, extra: String = ""
  ) -> String {
    """
    {"sequence":\(sequence),"device":{"platform":"iOS","timeZone":"Europe/Istanbul"},"authorizationStatus":"authorized",
     "settings":{"alert":"enabled","sound":"enabled","badge":"enabled","lockScreen":"enabled","notificationCenter":"enabled"},
     "foreign":{"count":\(foreign),"regions":0},"pending":\(pending)\(extra)}
    """
  }

  static func notification(_ id: String, inHours hours: Int, title: String = "Hello") -> String {
    """
    {"id":"\(id)","content":{"title":"\(title)","body":"It is time.","sound":"default"},
     "trigger":{"kind":"instant","at":"\(time(Int64(hours) * 3600))"}}
    """
  }

  /// `p.000` … in the order of their fire, one an hour.
  static func queue(_ count: Int) -> String {
    (0..<count).map { notification(name($0), inHours: $0 + 1) }.joined(separator: ",")
  }

  static func name(_ index: Int) -> String { "p." + String(format: "%03d", index) }

  static func batch(_ device: String, _ notifications: [String]) -> String {
    let operations = notifications.map {
      "{\"op\":\"put\",\"deviceId\":\"\(device)\",\"notification\":\($0)}"
    }
    return "{\"operations\":[\(operations.joined(separator: ","))]}"
  }

  static func path(_ device: String, _ rest: String = "/sync") -> String { "/v1/devices/\(device)\(rest)" }

  /// The same id for the same number.
  static func device(_ number: Int) -> String { "00000000-0000-4000-8000-" + String(format: "%012x", number) }

  static func newDevice() -> String { UUID().uuidString.lowercased() }
}

/// What a device holds, kept as a device would: by applying the diffs it is answered.
struct DeviceMirror {
  private(set) var held: [String: String] = [:]
  /// The most it ever held.
  private(set) var peak = 0

  mutating func apply(_ answer: JSONValue) {
    for id in answer["diff"]?["remove"]?.array ?? [] { held[id.string ?? ""] = nil }
    for add in answer["diff"]?["add"]?.array ?? [] {
      held[add["id"]?.string ?? ""] = add["revision"]?.string
      peak = max(peak, held.count)
    }
  }

  mutating func drop(_ id: String) { held[id] = nil }
  mutating func add(_ id: String, revision: String) { held[id] = revision }

  var pending: String {
    let items = held.sorted { $0.key < $1.key }.map { "{\"id\":\"\($0.key)\",\"revision\":\"\($0.value)\"}" }
    return "[\(items.joined(separator: ","))]"
  }
}

extension JSONValue {
  var removed: [String] { self["diff"]?["remove"]?.array?.compactMap(\.string) ?? [] }
  var added: [String] { self["diff"]?["add"]?.array?.compactMap { $0["id"]?.string } ?? [] }
}
