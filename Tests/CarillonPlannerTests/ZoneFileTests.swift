import CarillonModel
import CarillonPlanner
import CarillonZones
import Foundation
import Testing

/// Reading zone data: what is no zone, no folder, or no release is said, never guessed.
@Suite struct ZoneFileTests {
  /// The smallest file there is: UTC, with a footer for all later years.
  private static func file(version: String = "2", footer: String = "<+02>-2", leaps: UInt8 = 0) -> [UInt8] {
    func block(_ leaps: UInt8) -> [UInt8] {
      Array("TZif\(version)".utf8) + [UInt8](repeating: 0, count: 15)
        + [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, leaps, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 4]
        + [0, 0, 0, 0, 0, 0] + Array("UTC\0".utf8)
    }
    return block(0) + block(leaps) + [UInt8](repeating: 0, count: 12 * Int(leaps))
      + Array("\n\(footer)\n".utf8)
  }

  @Test func footerHoldsForEver() throws {
    let fixed = try ZoneTable(name: "Test", tzif: Self.file())
    #expect(fixed.offset(at: instant("2026-01-01Z")) == 7_200)
    let rule = try ZoneTable(name: "Test", tzif: Self.file(footer: "CET-1CEST,M3.5.0,M10.5.0/3"))
    #expect(rule.offset(at: instant("2026-07-01Z")) == 7_200)
    #expect(rule.offset(at: instant("2026-12-01Z")) == 3_600)
    // 400 years on, the calendar is the same.
    let summer = instant("2026-07-01Z").adding(seconds: 3 * 12_622_780_800)
    #expect(rule.offset(at: summer) == 7_200)
    #expect(rule.local(at: summer).wallSeconds == summer.seconds + 7_200)
  }

  @Test("bytes that are no zone", arguments: 0..<6)
  func damaged(_ number: Int) {
    let rows: [([UInt8], ZoneTableError.Code)] = [
      ([], .notTZif), (Array("not a zone file, not at all, in no way, by any means".utf8), .notTZif),
      (Self.file(version: "\0"), .unsupportedVersion), (Array(Self.file().dropLast(9)), .truncated),
      (Self.file(footer: "nonsense,"), .malformed), (Self.file(leaps: 1), .leapSeconds),
    ]
    let error = #expect(throws: ZoneTableError.self) {
      try ZoneTable(name: "Test", tzif: rows[number].0)
    }
    #expect(error?.code == rows[number].1)
    #expect(error?.description.contains("Test") == true)
  }

  @Test("every cut of a file is an error, never a trap") func cuts() {
    let whole = Self.file(footer: "CET-1CEST,M3.5.0,M10.5.0/3")
    for length in 0..<whole.count {
      #expect(throws: ZoneTableError.self) { try ZoneTable(name: "Test", tzif: Array(whole[..<length])) }
    }
  }

  /// A file with these changes from 1970 on, each with an offset of its own.
  private static func file(changes: [(at: Int64, offset: Int32)], footer: String) -> [UInt8] {
    func number(_ value: some FixedWidthInteger) -> [UInt8] {
      withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }
    let types = min(changes.count + 1, 250)
    func header(_ times: Int, _ types: Int) -> [UInt8] {
      Array("TZif2".utf8) + [UInt8](repeating: 0, count: 15)
        + [0, 0, 0, times, types, 4].flatMap { number(UInt32($0)) }
    }
    var bytes = header(0, 1) + [0, 0, 0, 0, 0, 0] + Array("UTC\0".utf8)
    bytes += header(changes.count, types)
    for change in changes { bytes += number(change.at) }
    for index in changes.indices { bytes.append(UInt8((index + 1) % types)) }
    bytes += [0, 0, 0, 0, 0, 0]
    for change in changes.prefix(types - 1) { bytes += number(change.offset) + [0, 0] }
    return bytes + Array("UTC\0\n\(footer)\n".utf8)
  }

  @Test(
    "changes that no clock makes are refused",
    arguments: [
      [(100, 90_000)], [(100, 36_000), (90_000, 0)], [(100, 43_200), (1_000_000, -50_400)],
      [(100, 3_600), (50, 0)], [(100, 100_000)],
    ] as [[(Int64, Int32)]])
  func senseless(_ changes: [(Int64, Int32)]) {
    let error = #expect(throws: ZoneTableError.self) {
      try ZoneTable(name: "Test", tzif: Self.file(changes: changes, footer: "UTC0"))
    }
    #expect(error?.code == .malformed)
  }

  @Test("as many changes as fit a file are refused, not counted over") func countless() {
    let changes = (0..<90_000).map { (at: Int64($0), offset: Int32($0 % 2 * 3_600)) }
    #expect(throws: ZoneTableError.self) {
      try ZoneTable(name: "Test", tzif: Self.file(changes: changes, footer: ""))
    }
  }

  @Test(
    "rules that no clock follows are refused",
    arguments: [
      "AAA100", "AAA0BBB-90", "AAA0BBB,J1,J2", "AAA0BBB,J366,J2", "AAA0BBB,M13.1.0,M3.1.0",
      "AAA0BBB,M1.6.0,M3.1.0", "AAA0BBB,M1.1.7,M3.1.0", "AAA0BBB,M3.2.0", "AAA0BBB,M3.2.0/168,M4.1.0",
      "AAA0BBB30,M3.2.0,M10.1.0", "A0", "<AA0", "AAA0BBB", "AAA", "AAA0:60", "AAA0x",
      "AAA" + String(repeating: "A", count: 200) + "0",
    ])
  func senselessFooters(_ footer: String) {
    #expect(throws: ZoneTableError.self) { try ZoneTable(name: "Test", tzif: Self.file(footer: footer)) }
  }

  @Test("times at both ends of what a file can say are read") func farChanges() throws {
    for at in [Int64.max, Int64.min, -1, 16_725_225_599, 16_725_225_600] {
      let bytes = Self.file(changes: [(at: at, offset: 3_600)], footer: "CET-1CEST,M3.5.0,M10.5.0/3")
      let zone = try ZoneTable(name: "Test", tzif: bytes)
      #expect([0, 3_600, 7_200].contains(zone.offset(at: instant("2026-07-01Z"))))
    }
    let always = try ZoneTable(name: "Test", tzif: Self.file(footer: "EST5EDT,0/0,J365/25"))
    #expect(always.offset(at: instant("2026-01-01T05:00Z")) == -14_400)
    #expect(always.offset(at: instant("2026-07-01Z")) == -14_400)
    let south = try ZoneTable(name: "Test", tzif: Self.file(footer: "AEST-10AEDT,M10.1.0,M4.1.0/3"))
    #expect(south.offset(at: instant("1970-01-01Z")) == 39_600)
  }

  @Test("whatever is done to the bytes, they are refused or make a zone that answers") func hostileBytes()
    throws
  {
    var random = Seeded(seed: Seeded.announced("hostileBytes"))
    let originals = ["Europe/Berlin", "Asia/Gaza", "America/New_York", "Antarctica/Troll", "UTC"].compactMap {
      FileManager.default.contents(atPath: "\(zones.path)/\($0)").map(Array.init)
    }
    var readable = 0
    for _ in 0..<Seeded.count(600) {
      var bytes = random.pick(originals)
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
        case 2: bytes.removeSubrange(place..<min(bytes.count, place + 8))
        case 3: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
        default:
          bytes[max(0, bytes.count - 1 - place % 24)] = UInt8(random.pick(Array("0123456789<>,./-JM\n".utf8)))
        }
        if bytes.isEmpty { bytes = [0] }
      }
      guard let zone = try? ZoneTable(name: "Test", tzif: bytes) else { continue }
      readable += 1
      let device = PlanningDevice(
        authorizationStatus: .authorized, settings: NotificationSettings(), zone: zone)
      for set in [daily(2, 30), components { $0.minute = 30 }, components { $0.second = 1 }] {
        let now = Instant(seconds: Int64.random(in: -4_000_000_000...40_000_000_000, using: &random))
        let trigger = try CompiledTrigger(
          .calendar(CalendarTrigger(components: set, repeats: true)), device: device, acceptedAt: now,
          zones: zones)
        var steps = 0
        let fire = try #require(trigger.next(after: now, steps: &steps))
        #expect(fire > now)
        #expect(steps <= CompiledTrigger.mostSteps)
      }
    }
    #expect(readable > 0)
  }

  @Test("every zone of the folder is read, links too") func everyZone() {
    let all = FileManager.default.enumerator(atPath: zones.path)?.allObjects as? [String] ?? []
    let files = all.filter { name in
      let bytes = FileManager.default.contents(atPath: "\(zones.path)/\(name)") ?? Data()
      return bytes.starts(with: Array("TZif".utf8)) && !name.hasPrefix("right/") && !name.hasPrefix("posix/")
    }
    let unread = files.filter { zones.zone(named: $0) == nil }
    #expect(files.count > 300)
    #expect(Set(unread).isSubset(of: ["localtime", "posixrules", "Factory"]))
  }

  @Test(
    "names that lead out of the folder are no zones",
    arguments: [
      "../../etc/passwd", "localtime", "posixrules", "posix/Europe/Madrid", "Europe/../Europe/Madrid",
      "/etc/localtime", "Europe//Madrid", "Europe/Madrid/", "",
      ".",
      "Europe/Madrid\0", "zone.tab", "Europe", "Mars/Olympus", "right/Europe/Madrid",
    ])
  func unsafeNames(_ name: String) {
    #expect(zones.zone(named: name) == nil)
  }

  @Test func linksKeepTheirName() {
    #expect(zone("Asia/Calcutta").name == "Asia/Calcutta")
    #expect(zone("Asia/Calcutta").offset(at: instant("2026-01-01Z")) == 19_800)
  }

  private func refusal(_ path: String) -> ZoneFolderError.Code? {
    do throws(ZoneFolderError) {
      _ = try ZoneFolder(path: path)
      return nil
    } catch {
      return error.code
    }
  }

  @Test func foldersAndReleases() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "zones-\(UUID().uuidString)")
    #expect(refusal(folder.path) == .missingFolder)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(refusal(folder.path) == .noZones)
    try Data(Self.file(footer: "UTC0")).write(to: folder.appending(path: "UTC"))
    let unnamed = try ZoneFolder(path: folder.path).version
    #expect(unnamed.hasPrefix("digest-"))
    #expect(try ZoneFolder(path: folder.path).version == unnamed)
    try Data("2031z\n".utf8).write(to: folder.appending(path: "+VERSION"))
    #expect(try ZoneFolder(path: folder.path).version == "2031z")
    try Data("# version 2032a\nmore".utf8).write(to: folder.appending(path: "tzdata.zi"))
    #expect(try ZoneFolder(path: folder.path).version == "2032a")
  }
}
