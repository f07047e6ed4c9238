import CarillonOptions
import Testing

@Suite struct HelpTests {
  @Test(arguments: [
    ["--help"], ["-h"], ["help"], ["-o", "json", "--help"],
    ["key", "--help"], ["help", "key"],
    ["key", "create", "--help"], ["help", "key", "create"], ["key", "create", "-h", "--scope", "all"],
  ])
  func helpIsAlwaysThere(words: [String]) throws {
    let outcome = try Sample.program.parse(arguments: words, environment: [:])
    guard case .help(let text) = outcome else {
      Issue.record("no help: \(outcome)")
      return
    }
    #expect(text.hasPrefix("Usage: sample"))
    for line in text.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
  }

  @Test func aCommandsHelpIsMadeFromItsDeclaration() throws {
    guard
      case .help(let text) = try Sample.program.parse(
        arguments: ["key", "create", "--help"], environment: [:])
    else { throw UsageError(command: "sample", problem: "no help") }
    #expect(
      text == """
        Usage: sample key create [options] TENANT

        Makes a key.

        Arguments:
          TENANT  Name or id of the tenant.

        Options:
              --scope SCOPE    What the key may do. (devices, notifications, all; may be
                               repeated; env SAMPLE_SCOPE)
              --yes            Goes ahead.
          -o, --output FORMAT  How to print. (table, json, ndjson; default table; env
                               SAMPLE_OUTPUT)
          -v, --verbose        Says more. (env SAMPLE_VERBOSE)
              --config FILE    A configuration file. (env SAMPLE_CONFIG)
          -h, --help           Shows this help.

        """)
  }

  @Test func aProgramMayBeOneCommand() throws {
    let program = Program(
      Command("one", "Does one thing.", options: [Sample.pool], action: 1), environmentPrefix: "ONE_")
    guard
      case .run(let command, let values) = try program.parse(
        arguments: ["--pool-size=2"], environment: [:])
    else { throw UsageError(command: "one", problem: "not run") }
    #expect(command.action == 1)
    #expect(values[Sample.pool] == 2)
    #expect(program.help().hasPrefix("Usage: one [options]\n"))
    #expect(throws: UsageError.self) { try program.parse(arguments: ["x"], environment: [:]) }
  }
}

@Suite struct NearMissTests {
  @Test(arguments: [
    ("", "", 0), ("a", "", 1), ("policy", "policy", 0), ("polciy", "policy", 1), ("polcy", "policy", 1),
    ("pollicy", "policy", 1), ("pelicy", "policy", 1), ("kitten", "sitting", 3), ("ca", "abc", 3),
    ("ab", "ba", 1),
  ])
  func countsTheSlips(left: String, right: String, slips: Int) {
    #expect(NearMiss.distance(left, right) == slips)
    #expect(NearMiss.distance(right, left) == slips)
  }

  @Test(arguments: [
    ("polcy", "policy"), ("DEVICE", "device"), ("ten", "tenant"), ("xyz", nil), ("", nil), ("t", nil),
    ("dveice", "device"),
  ])
  func suggestsOnlyWhatIsClose(word: String, suggestion: String?) {
    #expect(NearMiss.suggestion(for: word, among: ["tenant", "device", "policy"]) == suggestion)
  }
}
