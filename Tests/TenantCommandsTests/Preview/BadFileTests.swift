import Testing

/// A file that is wrong is named, with the place in it, and nothing is printed.
@Suite struct BadFileTests {
  struct Mistake: CustomTestStringConvertible, Sendable {
    var file: String
    var text: String
    var says: String
    var testDescription: String { "\(file): \(text)" }
  }

  static let mistakes = [
    Mistake(file: "queue", text: "[{]", says: "FILE at /0 (byte 2): "),
    Mistake(file: "queue", text: "", says: "FILE (byte 0): a value is missing"),
    Mistake(file: "queue", text: "{}", says: "FILE (byte 0): expected an array, found an object"),
    Mistake(file: "device", text: "[]", says: "FILE (byte 0): expected an object, found an array"),
    Mistake(
      file: "device", text: #"{"sequence": 1, "device": {"firstWeekday": "Monday"}}"#,
      says: "FILE at /device/firstWeekday (byte 43): expected a number, found a string"),
    Mistake(
      file: "device", text: #"{"sequence": 1, "device": {"timeZone": "Europe/Atlantis"}}"#,
      says: "FILE at /device/timeZone: there is no time zone 'Europe/Atlantis' in /usr/share/zoneinfo."),
    Mistake(
      file: "policy", text: #"{"slots": 64, "ordr": "soonestFirst"}"#,
      says: "FILE at /ordr (byte "),
    Mistake(file: "policy", text: #"{"slots": -1}"#, says: "FILE at /slots (byte 10): "),
    Mistake(
      file: "pending", text: #"[{"revision": "0"}]"#,
      says: #"FILE at /0 (byte 1): the member "id" is missing"#),
    Mistake(
      file: "history", text: #"[{"id": "a", "at": "yesterday"}]"#,
      says: "FILE at /0/at (byte 19): expected a time with an offset"),
    Mistake(
      file: "history", text: #"[{"id": "a"}]"#, says: #"FILE at /0 (byte 1): the member "at" is missing"#),
  ]

  @Test(arguments: mistakes)
  func mistake(_ mistake: Mistake) async throws {
    let files = try PreviewFiles(queue: "[]")
    let path = try files.folder.file("\(mistake.file).json", mistake.text)
    let outcome = try await files.preview(now: "2026-03-04T00:00:00Z", ["--\(mistake.file)", path])
    #expect(outcome.code == 1)
    #expect(outcome.output == "")
    let wanted = "tenantctl: " + mistake.says.replacing("FILE", with: path)
    #expect(outcome.errors.hasPrefix(wanted), "\(outcome.errors)")
    #expect(outcome.errors.hasSuffix(".\n"))
  }

  @Test("A file that is not there")
  func missing() async throws {
    let files = try PreviewFiles(queue: "[]")
    let outcome = try await files.preview(now: "2026-03-04T00:00:00Z", ["--policy", "nothing.json"])
    #expect(
      outcome
        == Tenantctl.Outcome(
          output: "",
          errors:
            "tenantctl: cannot read nothing.json: No such file or directory. Check the path and its rights.\n",
          code: 1))
  }

  @Test("A folder without time zone data")
  func zones() async throws {
    let files = try PreviewFiles(queue: "[]")
    let outcome = try await files.preview(now: "2026-03-04T00:00:00Z", ["--tz-dir", "/nowhere"])
    #expect(
      outcome
        == Tenantctl.Outcome(
          output: "",
          errors:
            "tenantctl: there is no time zone data in '/nowhere'. Install the package tzdata, or name its folder with --tz-dir.\n",
          code: 1))
  }
}
