import CarillonJSON
import CarillonModel
import TestSupport
import Testing

private func policy(_ text: String) -> Result<Policy, JSONError> {
  do throws(JSONError) { return .success(try Policy(parsing: Array(text.utf8))) } catch {
    return .failure(error)
  }
}

private func types(_ items: String) -> String { #"{"types":[\#(items)]}"# }
private func windows(_ items: String) -> String { #"{"quietHours":{"windows":[\#(items)]}}"# }

@Suite("Policies")
struct PolicyTests {
  static let example =
    #"""
    { "slots": 64, "horizonDays": 30, "order": "priorityFirst",
      "types": [ { "name": "habit", "prefixes": ["com.example.habitReminder"], "priority": 0, "reserve": 40, "limit": null,
                   "quietHours": "ring", "cap": "drop", "capExempt": true, "adaptive": true, "digest": true },
                 { "name": "depletion", "priority": 2, "limit": 5 } ],
      "quietHours": { "windows": [ { "from": "22:00", "to": "07:30", "days": [1,2,3,4,5,6,7] }, { "allDay": true, "days": [1] } ],
                      "exempt": ["critical"] },
      "frequencyCaps": [ { "limit": 3, "per": 3600 }, { "limit": 9, "per": "calendarDay", "types": ["depletion", "unknown"] } ],
      "adaptivePriority": { "minSamples": 20, "maxShift": 2, "halfLifeDays": 30 },
      "fatigue": { "capScale": 0.5, "minPriority": 2, "recoveryDays": 14 },
      "priming": { "actions": ["reminder.created"], "cooldown": 604800, "maxPostpones": 3, "level": "provisional" },
      "wake": { "enabled": false, "lead": 86400, "perHour": 2 }, "rescue": { "enabled": true, "types": ["habit"], "grace": 60 },
      "unreachable": "hold", "locationSlots": 10 }
    """#

  @Test func everyMemberIsReadAndWritten() throws {
    let read = try policy(Self.example).get()
    #expect(read.order == .priorityFirst)
    #expect(read.types?.map(\.name) == ["habit", "depletion"])
    #expect(read.types?[0].reserve == 40 && read.types?[0].limit == nil && read.types?[1].limit == 5)
    #expect(read.types?[0].quietHours == .ring && read.types?[0].cap == .drop)
    #expect(read.quietHours?.windows.first == QuietWindow(from: 79_200, to: 27_000))
    #expect(read.quietHours?.windows.last?.days == [1])
    #expect(read.quietHours?.windows.last?.to == 86_400)
    #expect(read.quietHours?.exempt == [.critical])
    #expect(read.frequencyCaps.map(\.per) == [.rolling(seconds: 3600), .calendarDay])
    #expect(read.adaptivePriority?.maxShift == 2)
    #expect(read.priming.level == "provisional" && !read.wake.enabled && read.rescue.types == ["habit"])
    #expect(read.unreachable == .hold && read.locationSlots == 10)
    #expect(try Policy(parsing: read.bytes) == read)
  }

  @Test func emptyMeansTheDefaults() throws {
    let empty = try policy("{}").get()
    #expect(empty == Policy())
    #expect(try Policy(parsing: Policy().bytes) == Policy())
    #expect(empty.typesInForce.map(\.name) == ["habit", "entry", "day1", "depletion", "inactivity"])
    #expect(empty.typesInForce.map(\.priority) == [0, 0, 1, 2, 3])
    #expect(try policy(#"{"types":[]}"#).get().typesInForce.isEmpty)
  }

  @Test(arguments: [
    (#"{"slot":64}"#, JSONError.unknownMember, "/slot"), (#"{"slots":0}"#, JSONError.outOfRange, "/slots"),
    (#"{"slots":65}"#, JSONError.outOfRange, "/slots"),
    (#"{"slots":"64"}"#, JSONError.unexpectedType, "/slots"),
    (#"{"horizonDays":0}"#, JSONError.outOfRange, "/horizonDays"),
    (#"{"order":"random"}"#, JSONError.invalidValue, "/order"),
    (#"{"unreachable":"drop"}"#, JSONError.invalidValue, "/unreachable"),
    (#"{"locationSlots":21}"#, JSONError.outOfRange, "/locationSlots"),
    (#"{"slots":1,"slots":2}"#, JSONError.duplicateMember, "/slots"), ("[]", JSONError.unexpectedType, ""),
    (types(#"{"priority":0}"#), JSONError.missingMember, "/types/0"),
    (types(#"{"name":"a"}"#), JSONError.missingMember, "/types/0"),
    (types(#"{"name":"a","priority":0,"prio":1}"#), JSONError.unknownMember, "/types/0/prio"),
    (types(#"{"name":"a","priority":-1}"#), JSONError.outOfRange, "/types/0/priority"),
    (
      types(#"{"name":"a","priority":0},{"name":"a","priority":1}"#), ModelError.contradictoryPolicy,
      "/types/1/name"
    ),
    (
      types(#"{"name":"a","prefixes":["p"],"priority":0},{"name":"b","prefixes":["q","p"],"priority":1}"#),
      ModelError.contradictoryPolicy, "/types/1/prefixes/1"
    ),
    (types(#"{"name":"a","prefixes":[""],"priority":0}"#), JSONError.outOfRange, "/types/0/prefixes/0"),
    (types(#"{"name":"a","priority":0,"reserve":65}"#), JSONError.outOfRange, "/types/0/reserve"),
    (
      types(#"{"name":"a","priority":0,"reserve":5,"limit":4}"#), ModelError.contradictoryPolicy,
      "/types/0/reserve"
    ),
    (
      types(#"{"name":"a","priority":0,"reserve":40},{"name":"b","priority":0,"reserve":25}"#),
      ModelError.contradictoryPolicy, "/types"
    ),
    (
      #"{"types":[{"name":"a","priority":0,"reserve":11}],"slots":10}"#, ModelError.contradictoryPolicy,
      "/types"
    ),
    (types(#"{"name":"a","priority":0,"quietHours":"mute"}"#), JSONError.invalidValue, "/types/0/quietHours"),
    (types(#"{"name":"a","priority":0,"cap":"ring"}"#), JSONError.invalidValue, "/types/0/cap"),
    (types(#"{"name":"a","priority":0,"adaptive":1}"#), JSONError.unexpectedType, "/types/0/adaptive"),
    (windows(#"{"from":"22:00","to":"22:00"}"#), ModelError.contradictoryPolicy, "/quietHours/windows/0/to"),
    (windows(#"{"from":"22:00"}"#), JSONError.missingMember, "/quietHours/windows/0"),
    (windows(#"{"from":"24:00","to":"07:00"}"#), JSONError.invalidValue, "/quietHours/windows/0/from"),
    (windows(#"{"from":"7:00","to":"08:00"}"#), JSONError.invalidValue, "/quietHours/windows/0/from"),
    (windows(#"{"from":"07:00Z","to":"08:00"}"#), JSONError.invalidValue, "/quietHours/windows/0/from"),
    (
      windows(#"{"from":"22:00","to":"07:00","days":[0]}"#), JSONError.outOfRange,
      "/quietHours/windows/0/days/0"
    ),
    (
      windows(#"{"from":"22:00","to":"07:00","days":[8]}"#), JSONError.outOfRange,
      "/quietHours/windows/0/days/0"
    ),
    (
      windows(#"{"from":"22:00","to":"07:00","days":[]}"#), JSONError.outOfRange, "/quietHours/windows/0/days"
    ),
    (windows(#"{"allDay":true,"from":"22:00"}"#), ModelError.contradictoryPolicy, "/quietHours/windows/0"),
    (windows(#"{"allDay":true}"#), ModelError.contradictoryPolicy, "/quietHours/windows"),
    (
      windows(#"{"from":"22:00","to":"10:00"},{"from":"10:00","to":"22:00"}"#),
      ModelError.contradictoryPolicy, "/quietHours/windows"
    ),
    (#"{"quietHours":{"window":[]}}"#, JSONError.unknownMember, "/quietHours/window"),
    (#"{"quietHours":{"exempt":["urgent"]}}"#, JSONError.invalidValue, "/quietHours/exempt/0"),
    (#"{"frequencyCaps":[{"limit":0,"per":60}]}"#, JSONError.outOfRange, "/frequencyCaps/0/limit"),
    (#"{"frequencyCaps":[{"limit":1}]}"#, JSONError.missingMember, "/frequencyCaps/0"),
    (#"{"frequencyCaps":[{"limit":1,"per":0}]}"#, JSONError.outOfRange, "/frequencyCaps/0/per"),
    (#"{"frequencyCaps":[{"limit":1,"per":"day"}]}"#, JSONError.invalidValue, "/frequencyCaps/0/per"),
    (#"{"frequencyCaps":[{"limit":1,"per":60,"types":[]}]}"#, JSONError.outOfRange, "/frequencyCaps/0/types"),
    (
      #"{"frequencyCaps":[{"limit":1,"per":60,"types":["habit","habbit"]}]}"#, JSONError.invalidValue,
      "/frequencyCaps/0/types/1"
    ),
    (
      #"{"frequencyCaps":[{"limit":1,"per":60,"types":["habit"]}],"types":[]}"#, JSONError.invalidValue,
      "/frequencyCaps/0/types/0"
    ),
    (#"{"rescue":{"types":["nope"]}}"#, JSONError.invalidValue, "/rescue/types/0"),
    (#"{"fatigue":{"capScale":1.5}}"#, JSONError.outOfRange, "/fatigue/capScale"),
    (#"{"priming":{"level":"always"}}"#, JSONError.invalidValue, "/priming/level"),
    (#"{"priming":{"cooldown":-1}}"#, JSONError.outOfRange, "/priming/cooldown"),
    (#"{"adaptivePriority":{"minSamples":0}}"#, JSONError.outOfRange, "/adaptivePriority/minSamples"),
    (#"{"wake":{"lead":-1}}"#, JSONError.outOfRange, "/wake/lead"),
  ])
  func refused(_ text: String, _ code: String, _ pointer: String) {
    guard case .failure(let error) = policy(text) else {
      Issue.record("accepted: \(text)")
      return
    }
    #expect(error.code == code)
    #expect(error.pointer == pointer)
  }

  @Test(arguments: [
    windows(#"{"from":"02:00","to":"01:59"}"#), windows(#"{"from":"22:00","to":"00:00"}"#),
    windows(#"{"allDay":true,"days":[1,7]}"#),
    windows(#"{"from":"22:00","to":"10:00"},{"from":"10:00","to":"22:00","days":[2,3,4,5,6,7]}"#),
    windows(""),
    #"{"types":null,"quietHours":null,"adaptivePriority":null,"fatigue":null}"#,
    types(#"{"name":"unknown","priority":50,"quietHours":"drop"}"#), #"{"slots":1,"locationSlots":0}"#,
  ])
  func accepted(_ text: String) throws {
    let read = try policy(text).get()
    #expect(try Policy(parsing: read.bytes) == read)
  }

  @Test(.enabled(if: SharedData.folder("data/queues") != nil, "no shared folder data/queues"))
  func theArticlesPolicyAndQueuesAreRead() throws {
    let folder = try #require(SharedData.folder("data/queues"))
    #expect(try Policy(parsing: SharedData.bytes(of: folder + "/article-policy.json")).types?.count == 5)
    for (file, count) in [("article-66.json", 66), ("prayer-times-istanbul-2026-12.json", 155)] {
      var read = 0
      var refused: [RejectedItem] = []
      try JSONReader.read(try SharedData.bytes(of: folder + "/" + file)) { (reader) throws(JSONError) in
        try Notification.readEach(from: &reader, pointer: "") { result in
          switch result {
          case .success: read += 1
          case .failure(let item): refused.append(item)
          }
        }
      }
      #expect(refused.isEmpty)
      #expect(read == count)
    }
  }
}
