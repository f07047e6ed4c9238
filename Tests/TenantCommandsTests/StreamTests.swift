import Testing

/// How the program treats the streams it writes to.
@Suite struct StreamTests {
  @Test("A reader that goes away ends the output, not in a crash")
  func closedPipe() async throws {
    let outcome = try await Tenantctl.shell(
      "set -o pipefail; (for i in 1 2 3 4 5 6 7 8 9; do tenantctl completion zsh || exit; done) | head -c 1")
    #expect(outcome.code == 0)
    #expect(outcome.output == "#")
    #expect(outcome.errors == "")
  }

  @Test("Output that cannot be written is an error")
  func fullDisk() async throws {
    let outcome = try await Tenantctl.shell("tenantctl --help > /dev/full")
    #expect(outcome.code == 1)
    #expect(
      outcome.errors == """
        tenantctl: cannot write the output: No space left on device. What the command did stands; free the place it \
        writes to and read it again.

        """)
  }

  @Test("What does not go to a terminal has no colour")
  func noColour() async throws {
    let outcome = try await Tenantctl.run(["config", "show"], environment: ["TERM": "xterm"])
    #expect(outcome.output.contains("NAME"))
    #expect(!outcome.output.contains("\u{1B}"))
  }

  @Test(
    "A terminal gets colour unless NO_COLOR says no",
    arguments: [([:], true), (["NO_COLOR": "1"], false), (["NO_COLOR": ""], true), (["TERM": "dumb"], false)])
  func terminal(_ variables: [String: String], _ hasColour: Bool) async throws {
    var environment = ["TERM": "xterm"]
    environment.merge(variables) { _, new in new }
    let outcome = try await Tenantctl.shell(
      "script -qec 'tenantctl config show' /dev/null", environment: environment)
    #expect(outcome.output.contains("database-url"))
    #expect(outcome.output.contains("\u{1B}[1m") == hasColour)
  }
}
