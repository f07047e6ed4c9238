/// What ``FrozenShapeTests`` wants to see.
enum FrozenOutputs {
  /// Broken into lines for reading.
  static let json = #"""
    {"version":17,"policyVersion":1,"zoneData":"RELEASE","slots":3,"foreign":1,"capacity":2,"starved":false,
    "held":[
      {"id":"habit.2","type":"habit","priority":0,"fireAt":"2026-03-04T07:00:00Z","revision":"28747e23a5b5f60e",
    "trigger":{"at":"2026-03-04T08:00","kind":"local"},
    "reach":"visible","unmetNeeds":["sound"],"moves":[],"slot":"rank",
    "content":{"body":"Two minutes","title":"Stretch"}},
      {"id":"habit.1","type":"habit","priority":0,"fireAt":"2026-03-05T08:00:00Z","revision":"0fe6a7cdb11ce798",
    "trigger":{"at":"2026-03-05T08:00:00Z","kind":"instant"},
    "reach":"visible","unmetNeeds":[],"moves":[],"slot":"rank",
    "content":{"badge":1,"sound":"default","title":"水を飲む 💧"}}],
    "queued":[
      {"id":"tip\#u{202E}exe","type":"unknown","fireAt":"2026-03-06T08:00:00Z","rank":3,"reason":"noSlot"}],
    "rejected":[
      {"id":"late","pointer":"/put/0/trigger/at","code":"invalidInstant",
    "detail":"expected a time with an offset as in 2026-12-01T08:00:00Z, on a day that exists"},
      {"id":"bad","pointer":"/2/trigger/components","code":"impossibleComponents",
    "detail":"this can never match: month 2 never has a day 30"},
      {"id":null,"pointer":"/5","code":"missingMember",
    "detail":"the member \"id\" is missing"},
      {"id":"zone","pointer":"/4/trigger/timeZone","code":"unknownTimeZone",
    "detail":"There is no time zone Europe/Atlantis in the zone data RELEASE."}],
    "withheld":[
      {"id":"silent","reason":"unreachable"}],
    "expired":[
      {"id":"old","fireAt":"2026-03-01T08:00:00Z"}],
    "evictionsByType":{"unknown":1},"refreshBy":"2026-03-06T08:00:00Z","coversUntil":"2026-03-05T08:00:00Z",
    "diff":{"remove":["gone"],
    "add":[
      {"id":"habit.2","revision":"28747e23a5b5f60e","fireAt":"2026-03-04T07:00:00Z",
    "trigger":{"at":"2026-03-04T08:00","kind":"local"},
    "content":{"body":"Two minutes","title":"Stretch"}},
      {"id":"habit.1","revision":"0fe6a7cdb11ce798","fireAt":"2026-03-05T08:00:00Z",
    "trigger":{"at":"2026-03-05T08:00:00Z","kind":"instant"},
    "content":{"badge":1,"sound":"default","title":"水を飲む 💧"}}]}}
    """#

  static let ndjson = #"""
    {"state":"held","id":"habit.2","type":"habit","priority":0,"fireAt":"2026-03-04T07:00:00Z","revision":"28747e23a5b5f60e","trigger":{"at":"2026-03-04T08:00","kind":"local"},"reach":"visible","unmetNeeds":["sound"],"moves":[],"slot":"rank","content":{"body":"Two minutes","title":"Stretch"}}
    {"state":"held","id":"habit.1","type":"habit","priority":0,"fireAt":"2026-03-05T08:00:00Z","revision":"0fe6a7cdb11ce798","trigger":{"at":"2026-03-05T08:00:00Z","kind":"instant"},"reach":"visible","unmetNeeds":[],"moves":[],"slot":"rank","content":{"badge":1,"sound":"default","title":"水を飲む 💧"}}
    {"state":"queued","id":"tip\#u{202E}exe","type":"unknown","fireAt":"2026-03-06T08:00:00Z","rank":3,"reason":"noSlot"}
    {"state":"rejected","id":"late","pointer":"/put/0/trigger/at","code":"invalidInstant","detail":"expected a time with an offset as in 2026-12-01T08:00:00Z, on a day that exists"}
    {"state":"rejected","id":"bad","pointer":"/2/trigger/components","code":"impossibleComponents","detail":"this can never match: month 2 never has a day 30"}
    {"state":"rejected","id":null,"pointer":"/5","code":"missingMember","detail":"the member \"id\" is missing"}
    {"state":"rejected","id":"zone","pointer":"/4/trigger/timeZone","code":"unknownTimeZone","detail":"There is no time zone Europe/Atlantis in the zone data RELEASE."}
    {"state":"withheld","id":"silent","reason":"unreachable"}
    {"state":"expired","id":"old","fireAt":"2026-03-01T08:00:00Z"}
    """#

  static let csv = #"""
    state,id,type,priority,fireAt,rank,reason,reach,slot,moves.by,revision,pointer,code,detail
    held,habit.2,habit,0,2026-03-04T07:00:00Z,,,visible,rank,,28747e23a5b5f60e,,,
    held,habit.1,habit,0,2026-03-05T08:00:00Z,,,visible,rank,,0fe6a7cdb11ce798,,,
    queued,tip\#u{202E}exe,unknown,,2026-03-06T08:00:00Z,3,noSlot,,,,,,,
    rejected,late,,,,,,,,,,/put/0/trigger/at,invalidInstant,"expected a time with an offset as in 2026-12-01T08:00:00Z, on a day that exists"
    rejected,bad,,,,,,,,,,/2/trigger/components,impossibleComponents,this can never match: month 2 never has a day 30
    rejected,,,,,,,,,,,/5,missingMember,"the member ""id"" is missing"
    rejected,zone,,,,,,,,,,/4/trigger/timeZone,unknownTimeZone,There is no time zone Europe/Atlantis in the zone data RELEASE.
    withheld,silent,,,,,unreachable,,,,,,,
    expired,old,,,2026-03-01T08:00:00Z,,,,,,,,,
    """#

  static let table = #"""
    held (2)
    FIRE AT               ID       TYPE   PRIORITY  SLOT  REACH    TITLE
    2026-03-04T07:00:00Z  habit.2  habit         0  rank  visible  Stretch
    2026-03-05T08:00:00Z  habit.1  habit         0  rank  visible  水を飲む 💧

    waiting (1)
    FIRE AT               ID              TYPE     RANK  REASON
    2026-03-06T08:00:00Z  tip\u{202E}exe  unknown     3  noSlot

    rejected (4)
    ID    POINTER                CODE                  DETAIL
    late  /put/0/trigger/at      invalidInstant        expected a time with an offset as in 2026-12-01T08:00:00Z, on a day that exists
    bad   /2/trigger/components  impossibleComponents  this can never match: month 2 never has a day 30
    -     /5                     missingMember         the member "id" is missing
    zone  /4/trigger/timeZone    unknownTimeZone       There is no time zone Europe/Atlantis in the zone data RELEASE.

    withheld (1)
    ID      REASON
    silent  unreachable

    expired (1)
    FIRE AT               ID
    2026-03-01T08:00:00Z  old

    VERSION         17
    POLICY VERSION  1
    ZONE DATA       RELEASE
    SLOTS           3
    FOREIGN         1
    CAPACITY        2
    STARVED         no
    REFRESH BY      2026-03-06T08:00:00Z
    COVERS UNTIL    2026-03-05T08:00:00Z

    The device is told to remove 1 and to add 2.
    """#
}
