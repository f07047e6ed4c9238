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
