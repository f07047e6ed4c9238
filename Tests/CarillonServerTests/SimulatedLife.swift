import CarillonJSON
import CarillonModel
import IntegrationSupport
import Testing

/// A device that lives for a while, and what its user hears: it rings what it holds by its own clock and where it is.
struct SimulatedLife {
  let client: HTTPTestClient
  let id = Reports.newDevice()
  var place = Place.istanbul
  /// Seconds by which its clock is ahead of the server's.
  var ahead: Int64 = 0
  private(set) var pending: [String: Waiting] = [:]
  private(set) var rung: [Rung] = []
  /// What was leapt over by a journey, or came when the clock had passed it: it was never heard.
  private(set) var unheard: Set<String> = []
  var planVersion = 0
  /// To be told with the next report.
  private var events: [String] = []
  private var eventCount = 0
  private var sequence = 0
  private var lastReport = ""

  enum Place: String, CaseIterable {
    case madrid = "Europe/Madrid"
    case istanbul = "Europe/Istanbul"
    case dubai = "Asia/Dubai"
    case karachi = "Asia/Karachi"

    /// Seconds east of UTC in these months.
    var offset: Int64 {
      switch self {
      case .madrid: 3_600
      case .istanbul: 10_800
      case .dubai: 14_400
      case .karachi: 18_000
      }
    }
  }

  /// One request that is pending.
  struct Waiting {
    /// The instant; or the wall time, as if it were UTC.
    var time: Instant
    var isWallTime: Bool
    var revision: String
  }

  struct Rung {
    var id: String
    /// By its own clock.
    var at: Instant
  }

  init(_ client: HTTPTestClient) { self.client = client }

  /// The server's time at which the device rings it.
  private func rings(_ waiting: Waiting) -> Instant {
    waiting.time.adding(seconds: -ahead - (waiting.isWallTime ? place.offset : 0))
  }

  mutating func ring(until now: Instant) { ring(from: nil, until: now) }

  /// - Parameter start: before that its clock showed another time.
  private mutating func ring(from start: Instant?, until now: Instant) {
    for (id, waiting) in pending where rings(waiting) <= now {
      let at = max(rings(waiting), start ?? rings(waiting))
      rung.append(Rung(id: id, at: at.adding(seconds: ahead)))
      pending[id] = nil
    }
  }

  /// What has passed by the clock of there never rings.
  mutating func travel(to place: Place, now: Instant) {
    ring(until: now)
    self.place = place
    leap(now)
  }

  /// iOS rings what a clock that is set forward has passed.
  mutating func setClock(ahead: Int64, now: Instant) {
    ring(until: now)
    self.ahead = ahead
    ring(from: now, until: now)
  }

  private mutating func leap(_ now: Instant) {
    for (id, waiting) in pending where rings(waiting) <= now {
      unheard.insert(id)
      pending[id] = nil
    }
  }

  /// The next report tells of it.
  mutating func tell(_ rung: Rung, as kind: String) {
    eventCount += 1
    let id = "e\(eventCount)"
    events.append(
      "{\"id\":\"\(id)\",\"kind\":\"\(kind)\",\"notification\":\"\(rung.id)\",\"at\":\"\(rung.at)\"}")
  }

  /// - Parameter repeats: whether the last report is sent once more, as after a lost answer.
  mutating func sync(_ more: String, isLost: Bool = false, repeats: Bool = false, now: Instant) async throws {
    if !repeats {
      sequence += 1
      let items = pending.sorted { $0.key < $1.key }
        .map { "{\"id\":\"\($0.key)\",\"revision\":\"\($0.value.revision)\"}" }
      lastReport = Reports.full(
        sequence: sequence, pending: "[\(items.joined(separator: ","))]",
        extra: """
          ,"planVersion":\(planVersion),"sentAt":"\(now.adding(seconds: ahead))",
          "events":[\(events.joined(separator: ","))]\(more)
          """
      ).replacing("Europe/Istanbul", with: place.rawValue)
      events = []
    }
    let answer = try await client.send("POST", Reports.path(id), body: lastReport)
    try #require(answer.status == 200, "\(answer)")
    guard !isLost else { return }
    planVersion = answer.json["planVersion"]?.int ?? 0
    for id in answer.json.removed { pending[id] = nil }
    for add in answer.json["diff"]?["add"]?.array ?? [] {
      let at = try #require(add["fireAt"]?.string.flatMap { Instant($0) })
      #expect(at > now, "a request for the past would never ring")
      let wall = add["trigger"]?["kind"] == "local" ? add["trigger"]?["at"]?.string : nil
      pending[add["id"]?.string ?? ""] = Waiting(
        time: wall.flatMap { Instant($0.count == 16 ? $0 + ":00Z" : $0 + "Z") } ?? at,
        isWallTime: wall != nil, revision: add["revision"]?.string ?? "")
    }
    // What its clock has passed is taken, and never rings.
    leap(now)
  }
}
