import CarillonJSON
import CarillonModel
import Testing

/// One member of a policy: where it stands, what it takes and what it refuses.
struct PolicyMember: CustomTestStringConvertible, Sendable {
  /// A JSON pointer to the member.
  var pointer: String
  /// A document with `?` in the member's place.
  var document: String
  var good: [String] = []
  /// Values, and the code each is refused with at the pointer.
  var bad: [(value: String, code: String)] = []
  /// Whether null stands for leaving it out.
  var mayBeNull = true

  var testDescription: String { pointer }

  func document(with value: String) -> String { document.replacing("?", with: value) }

  private static let notWholeNumbers = ["\"1\"", "true", "1.5", "1e-1", "[1]", "{}"].map {
    ($0, JSONError.unexpectedType)
  }

  static func number(
    _ pointer: String, _ document: String, _ range: ClosedRange<Int>, mayBeNull: Bool = true
  ) -> PolicyMember {
    PolicyMember(
      pointer: pointer, document: document, good: ["\(range.lowerBound)", "\(range.upperBound)"],
      bad: [
        ("\(range.lowerBound - 1)", JSONError.outOfRange), ("\(range.upperBound + 1)", JSONError.outOfRange),
        ("-9223372036854775808", JSONError.outOfRange), ("99999999999999999999", JSONError.outOfRange),
      ] + notWholeNumbers, mayBeNull: mayBeNull)
  }

  static func word(_ pointer: String, _ document: String, _ words: [String]) -> PolicyMember {
    PolicyMember(
      pointer: pointer, document: document, good: words.map { "\"\($0)\"" },
      bad: [
        ("\"\"", JSONError.invalidValue), ("\"\(words[0]) \"", JSONError.invalidValue),
        ("\"\(words[0].uppercased())\"", JSONError.invalidValue), ("1", JSONError.unexpectedType),
        ("true", JSONError.unexpectedType), ("[]", JSONError.unexpectedType),
        ("{}", JSONError.unexpectedType),
      ])
  }

  static func flag(_ pointer: String, _ document: String) -> PolicyMember {
    PolicyMember(
      pointer: pointer, document: document, good: ["true", "false"],
      bad: ["0", "1", "\"true\"", "[]", "{}"].map { ($0, JSONError.unexpectedType) })
  }

  static func container(_ pointer: String, _ document: String, isList: Bool) -> PolicyMember {
    PolicyMember(
      pointer: pointer, document: document, good: [isList ? "[]" : "{}"],
      bad: [isList ? "{}" : "[]", "1", "\"a\"", "true"].map { ($0, JSONError.unexpectedType) })
  }

  private static func type(_ member: String) -> (String, String) {
    ("/types/0/\(member)", #"{"types":[{"name":"a","priority":1,"\#(member)":?}]}"#)
  }

  static let all: [PolicyMember] = [
    number("/slots", #"{"slots":?}"#, 1...64), number("/horizonDays", #"{"horizonDays":?}"#, 1...366),
    number("/locationSlots", #"{"locationSlots":?}"#, 0...20),
    word("/order", #"{"order":?}"#, ["soonestFirst", "priorityFirst"]),
    word("/unreachable", #"{"unreachable":?}"#, ["withhold", "hold"]),
    container("/types", #"{"types":?}"#, isList: true),
    container("/quietHours", #"{"quietHours":?}"#, isList: false),
    container("/quietHours/windows", #"{"quietHours":{"windows":?}}"#, isList: true),
    container("/quietHours/exempt", #"{"quietHours":{"exempt":?}}"#, isList: true),
    container("/frequencyCaps", #"{"frequencyCaps":?}"#, isList: true),
    container("/adaptivePriority", #"{"adaptivePriority":?}"#, isList: false),
    container("/fatigue", #"{"fatigue":?}"#, isList: false),
    container("/priming", #"{"priming":?}"#, isList: false),
    container("/wake", #"{"wake":?}"#, isList: false),
    container("/rescue", #"{"rescue":?}"#, isList: false),
    container("/rescue/types", #"{"rescue":{"types":?}}"#, isList: true),
    container("/priming/actions", #"{"priming":{"actions":?}}"#, isList: true),
    number("/types/0/priority", #"{"types":[{"name":"a","priority":?}]}"#, 0...99, mayBeNull: false),
    number(type("reserve").0, type("reserve").1, 0...64), number(type("limit").0, type("limit").1, 0...64),
    word(type("quietHours").0, type("quietHours").1, ["hold", "inbox", "drop", "ring"]),
    word(type("cap").0, type("cap").1, ["hold", "inbox", "drop"]),
    flag(type("capExempt").0, type("capExempt").1), flag(type("adaptive").0, type("adaptive").1),
    flag(type("digest").0, type("digest").1),
    container(type("prefixes").0, type("prefixes").1, isList: true),
    number(
      "/frequencyCaps/0/limit", #"{"frequencyCaps":[{"limit":?,"per":60}]}"#, 1...10_000, mayBeNull: false),
    number("/adaptivePriority/minSamples", #"{"adaptivePriority":{"minSamples":?}}"#, 1...1_000_000),
    number("/adaptivePriority/maxShift", #"{"adaptivePriority":{"maxShift":?}}"#, 0...99),
    number("/adaptivePriority/halfLifeDays", #"{"adaptivePriority":{"halfLifeDays":?}}"#, 1...3650),
    number("/fatigue/minPriority", #"{"fatigue":{"minPriority":?}}"#, 0...99),
    number("/fatigue/recoveryDays", #"{"fatigue":{"recoveryDays":?}}"#, 1...366),
    PolicyMember(
      pointer: "/fatigue/capScale", document: #"{"fatigue":{"capScale":?}}"#,
      good: ["0", "1", "0.25", "-0.0", "1e-400"],
      bad: [
        ("-0.1", JSONError.outOfRange), ("1.000001", JSONError.outOfRange), ("1e400", JSONError.outOfRange),
        ("\"0.5\"", JSONError.unexpectedType),
      ]),
    number("/priming/cooldown", #"{"priming":{"cooldown":?}}"#, 0...315_360_000),
    number("/priming/maxPostpones", #"{"priming":{"maxPostpones":?}}"#, 0...1000),
    word("/priming/level", #"{"priming":{"level":?}}"#, ["authorized", "provisional"]),
    flag("/wake/enabled", #"{"wake":{"enabled":?}}"#),
    number("/wake/lead", #"{"wake":{"lead":?}}"#, 0...315_360_000),
    number("/wake/perHour", #"{"wake":{"perHour":?}}"#, 1...60),
    flag("/rescue/enabled", #"{"rescue":{"enabled":?}}"#),
    number("/rescue/grace", #"{"rescue":{"grace":?}}"#, 0...86_400),
    PolicyMember(
      pointer: "/frequencyCaps/0/per", document: #"{"frequencyCaps":[{"limit":1,"per":?}]}"#,
      good: ["1", "31622400", "\"calendarDay\""],
      bad: [
        ("0", JSONError.outOfRange), ("-60", JSONError.outOfRange), ("31622401", JSONError.outOfRange),
        ("99999999999999999999", JSONError.outOfRange), ("0.5", JSONError.unexpectedType),
        ("\"calendarday\"", JSONError.invalidValue), ("\"60\"", JSONError.invalidValue),
        ("true", JSONError.unexpectedType), ("[60]", JSONError.unexpectedType),
      ], mayBeNull: false),
  ]
}

private func read(_ text: String) -> Result<Policy, JSONError> {
  do throws(JSONError) { return .success(try Policy(parsing: Array(text.utf8))) } catch {
    return .failure(error)
  }
}

private func expectRefusal(_ text: String, _ code: String, _ pointer: String) {
  guard case .failure(let error) = read(text) else {
    Issue.record("accepted: \(text)")
    return
  }
  #expect(error.code == code, "\(text)")
  #expect(error.pointer == pointer, "\(text)")
}

/// A policy is read strictly: a typo in it would lose reminders.
@Suite("Policies, strictly")
struct PolicyStrictnessTests {
  @Test(arguments: PolicyMember.all) func member(_ member: PolicyMember) throws {
    for value in member.good {
      let policy = try read(member.document(with: value)).get()
      #expect(try Policy(parsing: policy.bytes) == policy, "\(member.document(with: value))")
    }
    for (value, code) in member.bad { expectRefusal(member.document(with: value), code, member.pointer) }
    let null = member.document(with: "null")
    if member.mayBeNull {
      // What may be absent may be null, and means the same.
      let name = member.pointer.split(separator: "/").last!
      let without = member.document.replacing("\"\(name)\":?", with: "").replacing(",}", with: "}")
      #expect(try read(null).get() == read(without).get(), "\(null)")
    } else {
      expectRefusal(null, JSONError.unexpectedType, member.pointer)
    }
  }

  @Test(
    "a member nobody knows is refused wherever it stands",
    arguments: [
      (#"{?}"#, ""), (#"{"types":[{"name":"a","priority":1,?}]}"#, "/types/0"),
      (#"{"quietHours":{?}}"#, "/quietHours"),
      (#"{"quietHours":{"windows":[{"from":"22:00","to":"07:00",?}]}}"#, "/quietHours/windows/0"),
      (#"{"frequencyCaps":[{"limit":1,"per":60},{"limit":1,"per":60,?}]}"#, "/frequencyCaps/1"),
      (#"{"adaptivePriority":{?}}"#, "/adaptivePriority"), (#"{"fatigue":{?}}"#, "/fatigue"),
      (#"{"priming":{?}}"#, "/priming"), (#"{"wake":{?}}"#, "/wake"), (#"{"rescue":{?}}"#, "/rescue"),
    ])
  func unknownMembers(_ document: String, _ place: String) {
    for name in ["quietHour", "Slots", "_comment", "a~/b"] {
      let escaped = name.replacing("~", with: "~0").replacing("/", with: "~1")
      expectRefusal(
        document.replacing("?", with: "\"\(name)\":null"), JSONError.unknownMember, "\(place)/\(escaped)")
    }
  }

  @Test(
    "a member given twice is refused",
    arguments: [
      (#"{"wake":{},"wake":{}}"#, "/wake"),
      (#"{"types":[{"name":"a","priority":1,"priority":1}]}"#, "/types/0/priority"),
      (#"{"quietHours":{"windows":[],"windows":[]}}"#, "/quietHours/windows"),
      (#"{"frequencyCaps":[{"limit":1,"per":60,"limit":2}]}"#, "/frequencyCaps/0/limit"),
      (#"{"fatigue":{"capScale":1,"capScale":1}}"#, "/fatigue/capScale"),
    ])
  func duplicates(_ document: String, _ pointer: String) {
    expectRefusal(document, JSONError.duplicateMember, pointer)
  }

  @Test func everyDefaultIsTheDocumentedOne() throws {
    let spelt = #"""
      { "slots": 64, "horizonDays": 30, "order": "soonestFirst",
        "types": [ { "name": "habit", "prefixes": ["habit"], "priority": 0 },
                   { "name": "entry", "prefixes": ["entry"], "priority": 0 },
                   { "name": "day1", "prefixes": ["day1"], "priority": 1, "reserve": null, "limit": null },
                   { "name": "depletion", "prefixes": ["depletion"], "priority": 2, "quietHours": "hold", "cap": "hold" },
                   { "name": "inactivity", "prefixes": ["inactivity"], "priority": 3, "capExempt": false,
                     "adaptive": false, "digest": false } ],
        "frequencyCaps": [], "priming": { "cooldown": 604800, "maxPostpones": 3, "level": "authorized" },
        "wake": { "enabled": true, "lead": 86400, "perHour": 2 }, "rescue": { "enabled": false, "types": [], "grace": 60 },
        "unreachable": "withhold", "locationSlots": 20 }
      """#
    var expected = try read(spelt).get()
    #expect(expected.types == NotificationType.defaults)
    expected.types = nil
    #expect(try read("{}").get() == expected)
    #expect(expected.quietHours == nil && expected.adaptivePriority == nil && expected.fatigue == nil)
    #expect(expected.priming.actions == nil)
    #expect(NotificationType.unknown.priority == 99)
    #expect(
      try read(#"{"quietHours":{}}"#).get().quietHours?.exempt == [.timeSensitive, .critical])
    #expect(
      try read(#"{"quietHours":{"windows":[{"from":"22:00","to":"07:00"}]}}"#).get().quietHours?.windows[0]
        .days == [1, 2, 3, 4, 5, 6, 7])
    #expect(
      try read(#"{"adaptivePriority":{},"fatigue":{}}"#).get()
        == read(
          #"{"adaptivePriority":{"minSamples":20,"maxShift":1,"halfLifeDays":30},"fatigue":{"capScale":0.5,"minPriority":2,"recoveryDays":14}}"#
        ).get())
  }
}

/// What each member allows by itself and all of them together do not.
@Suite("Policies that contradict themselves")
struct PolicyContradictionTests {
  private static func windows(_ items: String) -> String { #"{"quietHours":{"windows":[\#(items)]}}"# }

  @Test(
    "windows that cover the whole week",
    arguments: [
      #"{"allDay":true}"#, #"{"allDay":true,"days":[1,2,3]},{"allDay":true,"days":[7,6,5,4]}"#,
      #"{"from":"00:00","to":"12:00"},{"from":"12:00","to":"00:00"}"#,
      #"{"from":"22:00","to":"06:00"},{"from":"05:00","to":"14:00"},{"from":"14:00","to":"22:00"}"#,
      #"{"allDay":true,"days":[2,3,4,5,6]},{"from":"00:00","to":"12:00","days":[1,7]},{"from":"12:00","to":"00:00","days":[1,7]}"#,
      #"{"from":"00:00","to":"23:59:59"},{"from":"23:59:59","to":"00:00"}"#,
      #"{"from":"23:00","to":"22:00","days":[1,2,3,4,5,6,7]},{"from":"21:30","to":"23:30"}"#,
      #"{"from":"12:00","to":"11:59"},{"from":"11:59","to":"12:00","days":[1,2,3,4,5,6,7]}"#,
    ])
  func wholeWeek(_ items: String) {
    expectRefusal(Self.windows(items), ModelError.contradictoryPolicy, "/quietHours/windows")
  }

  @Test(
    "windows that leave an opening",
    arguments: [
      #"{"allDay":true,"days":[1,2,3,4,5,6]}"#, #"{"from":"12:00","to":"11:59:59"}"#,
      #"{"from":"00:00","to":"12:00"},{"from":"12:00","to":"00:00","days":[1,2,3,4,5,6]}"#,
      #"{"from":"22:00","to":"06:00"},{"from":"06:00","to":"21:59"}"#,
      // A window's days are those on which it starts: the night from Saturday to Sunday is open.
      #"{"from":"06:00","to":"22:00"},{"from":"22:00","to":"06:00","days":[1,2,3,4,5,6]}"#,
      #"{"allDay":true,"days":[2,3,4,5,6]},{"from":"00:00","to":"23:00","days":[1,7]}"#,
    ])
  func opening(_ items: String) throws {
    let policy = try read(Self.windows(items)).get()
    #expect(try Policy(parsing: policy.bytes) == policy)
  }

  @Test(
    "a window's members",
    arguments: [
      (#"{"from":"22:00","to":"22:00"}"#, ModelError.contradictoryPolicy, "/to"),
      (#"{"to":"00:00","from":"00:00:00","days":[1]}"#, ModelError.contradictoryPolicy, "/to"),
      (#"{"allDay":true,"to":"07:00"}"#, ModelError.contradictoryPolicy, ""),
      (#"{"allDay":false}"#, JSONError.missingMember, ""), (#"{"to":"07:00"}"#, JSONError.missingMember, ""),
      (#"{"from":"22:00","to":"24:00"}"#, JSONError.invalidValue, "/to"),
      (#"{"from":"22:60","to":"07:00"}"#, JSONError.invalidValue, "/from"),
      (#"{"from":"22:00:60","to":"07:00"}"#, JSONError.invalidValue, "/from"),
      (#"{"from":"22","to":"07:00"}"#, JSONError.invalidValue, "/from"),
      (#"{"from":"22:00 ","to":"07:00"}"#, JSONError.invalidValue, "/from"),
      (#"{"from":"-1:00","to":"07:00"}"#, JSONError.invalidValue, "/from"),
      (#"{"from":"٢٢:00","to":"07:00"}"#, JSONError.invalidValue, "/from"),
      (#"{"from":22,"to":"07:00"}"#, JSONError.unexpectedType, "/from"),
      (#"{"from":"22:00","to":"07:00","days":[1,0]}"#, JSONError.outOfRange, "/days/1"),
      (#"{"from":"22:00","to":"07:00","days":[1.5]}"#, JSONError.unexpectedType, "/days/0"),
      (#"{"from":"22:00","to":"07:00","days":["Sunday"]}"#, JSONError.unexpectedType, "/days/0"),
      (#"{"from":"22:00","to":"07:00","days":[]}"#, JSONError.outOfRange, "/days"),
    ])
  func window(_ item: String, _ code: String, _ pointer: String) {
    expectRefusal(
      Self.windows(#"{"from":"10:00","to":"11:00"},\#(item)"#), code, "/quietHours/windows/1\(pointer)")
  }

  @Test(
    "types against each other, and against slots, caps and rescue",
    arguments: [
      (
        #"{"types":[{"name":"a","priority":0,"reserve":32},{"name":"b","priority":0,"reserve":33}]}"#,
        ModelError.contradictoryPolicy, "/types"
      ),
      (
        #"{"slots":2,"types":[{"name":"a","priority":0,"reserve":1},{"name":"b","priority":0,"reserve":2}]}"#,
        ModelError.contradictoryPolicy, "/types"
      ),
      (
        #"{"types":[{"name":"a","priority":0,"limit":2,"reserve":3}]}"#, ModelError.contradictoryPolicy,
        "/types/0/reserve"
      ),
      (
        #"{"types":[{"name":"a","priority":0,"limit":0,"reserve":1}]}"#, ModelError.contradictoryPolicy,
        "/types/0/reserve"
      ),
      (
        #"{"types":[{"name":"a","priority":0},{"name":"b","priority":0},{"name":"a","priority":0}]}"#,
        ModelError.contradictoryPolicy, "/types/2/name"
      ),
      (
        #"{"types":[{"name":"a","prefixes":["x","x"],"priority":0}]}"#, ModelError.contradictoryPolicy,
        "/types/0/prefixes/1"
      ),
      (
        #"{"types":[{"name":"a","prefixes":["x"],"priority":0},{"name":"b","prefixes":["x"],"priority":0}]}"#,
        ModelError.contradictoryPolicy, "/types/1/prefixes/0"
      ),
      (
        #"{"types":[{"name":"\u00e9","priority":0},{"name":"e\u0301","priority":0}]}"#,
        ModelError.contradictoryPolicy, "/types/1/name"
      ), (#"{"types":[{"name":"","priority":0}]}"#, JSONError.outOfRange, "/types/0/name"),
      (#"{"types":[{"name":"a\u0007","priority":0}]}"#, JSONError.outOfRange, "/types/0/name"),
      (#"{"types":[{"name":null,"priority":0}]}"#, JSONError.unexpectedType, "/types/0/name"),
      (
        #"{"types":[{"name":"a","prefixes":[1],"priority":0}]}"#, JSONError.unexpectedType,
        "/types/0/prefixes/0"
      ),
      (
        #"{"types":[{"name":"a","priority":0}],"frequencyCaps":[{"limit":1,"per":60,"types":["habit"]}]}"#,
        JSONError.invalidValue, "/frequencyCaps/0/types/0"
      ),
      (
        #"{"frequencyCaps":[{"limit":1,"per":60},{"limit":1,"per":60,"types":["habit","Habit"]}]}"#,
        JSONError.invalidValue, "/frequencyCaps/1/types/1"
      ),
      (#"{"rescue":{"types":["habit","day2"]}}"#, JSONError.invalidValue, "/rescue/types/1"),
      (
        #"{"frequencyCaps":[{"limit":1,"per":60,"types":[]}]}"#, JSONError.outOfRange,
        "/frequencyCaps/0/types"
      ), (#"{"frequencyCaps":[{"per":60}]}"#, JSONError.missingMember, "/frequencyCaps/0"),
      (#"{"frequencyCaps":[{"limit":1}]}"#, JSONError.missingMember, "/frequencyCaps/0"),
      (#"{"quietHours":{"exempt":["active","loud"]}}"#, JSONError.invalidValue, "/quietHours/exempt/1"),
      (#"{"priming":{"actions":["a",""]}}"#, JSONError.outOfRange, "/priming/actions/1"),
    ])
  func members(_ text: String, _ code: String, _ pointer: String) { expectRefusal(text, code, pointer) }

  @Test(
    "what only looks like a contradiction",
    arguments: [
      // Ids compare by their bytes, so two spellings of é are two prefixes.
      #"{"types":[{"name":"a","prefixes":["\u00e9","e\u0301"],"priority":0}]}"#,
      #"{"types":[{"name":"a","prefixes":["x"],"priority":0},{"name":"b","prefixes":["xy"],"priority":0}]}"#,
      #"{"types":[{"name":"a","priority":0,"reserve":64}]}"#,
      #"{"types":[{"name":"a","priority":0,"reserve":2,"limit":2}]}"#,
      #"{"frequencyCaps":[{"limit":1,"per":60,"types":["unknown"]}],"types":[]}"#,
      #"{"rescue":{"types":["unknown"]}}"#, #"{"types":[{"name":"a","priority":0,"limit":0}]}"#,
      #"{"rescue":{"types":["late"]},"types":[{"name":"late","priority":4}]}"#,
    ])
  func accepted(_ text: String) throws {
    let policy = try read(text).get()
    #expect(try Policy(parsing: policy.bytes) == policy)
  }

  @Test func listsHaveTheirNamedBounds() {
    func list(_ count: Int, _ item: (Int) -> String) -> String {
      (0..<count).map(item).joined(separator: ",")
    }
    let bounds: [(most: Int, document: (String) -> String, item: (Int) -> String, pointer: String)] = [
      (256, { #"{"types":[\#($0)]}"# }, { #"{"name":"t\#($0)","priority":1}"# }, "/types/256"),
      (
        256, { #"{"types":[{"name":"a","priority":1,"prefixes":[\#($0)]}]}"# }, { "\"p\($0)\"" },
        "/types/0/prefixes/256"
      ),
      (
        64, { #"{"quietHours":{"windows":[\#($0)]}}"# }, { _ in #"{"from":"22:00","to":"23:00"}"# },
        "/quietHours/windows/64"
      ), (32, { #"{"frequencyCaps":[\#($0)]}"# }, { _ in #"{"limit":1,"per":60}"# }, "/frequencyCaps/32"),
      (256, { #"{"priming":{"actions":[\#($0)]}}"# }, { "\"a\($0)\"" }, "/priming/actions/256"),
      (256, { #"{"rescue":{"types":[\#($0)]}}"# }, { _ in "\"habit\"" }, "/rescue/types/256"),
      (
        256, { #"{"frequencyCaps":[{"limit":1,"per":60,"types":[\#($0)]}]}"# }, { _ in "\"habit\"" },
        "/frequencyCaps/0/types/256"
      ),
    ]
    for bound in bounds {
      if case .failure(let error) = read(bound.document(list(bound.most, bound.item))) {
        Issue.record("\(bound.pointer): \(error)")
      }
      expectRefusal(
        bound.document(list(bound.most + 1, bound.item)), JSONError.outOfRange, bound.pointer)
    }
  }
}
