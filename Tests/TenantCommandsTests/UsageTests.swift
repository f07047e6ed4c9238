import Testing

/// What is said to whoever types something wrong, and how the program explains itself.
@Suite struct UsageTests {
  struct Mistake: CustomTestStringConvertible, Sendable {
    var words: [String]
    var errors: String
    var testDescription: String { (["tenantctl"] + words).joined(separator: " ") }

    init(_ line: String, _ errors: String) {
      words = line.split(separator: " ").map(String.init)
      self.errors = errors
    }
  }

  static let mistakes = [
    Mistake(
      "",
      """
      tenantctl: a noun is wanted: db, tenant, key, policy, device, plan, report, audit, config, completion, doctor
      Try 'tenantctl --help'.

      """),
    Mistake(
      "tennant list",
      """
      tenantctl: unknown noun 'tennant'; did you mean 'tenant'?
      Try 'tenantctl --help'.

      """),
    Mistake(
      "tenant creat acme",
      """
      tenantctl tenant: unknown verb 'creat'; did you mean 'create'?
      Try 'tenantctl tenant --help'.

      """),
    Mistake(
      "key",
      """
      tenantctl key: a verb is wanted: create, list, revoke, rotate-signing, rotate-master
      Try 'tenantctl key --help'.

      """),
    Mistake(
      "tenant create",
      """
      tenantctl tenant create: NAME is missing
      Try 'tenantctl tenant create --help'.

      """),
    Mistake(
      "tenant create acme umbrella",
      """
      tenantctl tenant create: unexpected argument 'umbrella'
      Try 'tenantctl tenant create --help'.

      """),
    Mistake(
      "tenant list --outptu json",
      """
      tenantctl tenant list: unknown option '--outptu'; did you mean '--output'?
      Try 'tenantctl tenant list --help'.

      """),
    Mistake(
      "tenant list -o jsn",
      """
      tenantctl tenant list: invalid value 'jsn' for --output: table, json, ndjson, csv are possible; did you mean 'json'?
      Try 'tenantctl tenant list --help'.

      """),
    Mistake(
      "key create acme",
      """
      tenantctl key create: --scope SCOPE is missing
      Try 'tenantctl key create --help'.

      """),
    Mistake(
      "key create acme --scope device",
      """
      tenantctl key create: invalid value 'device' for --scope: all, devices, notifications, policy, reports are possible; did you mean 'devices'?
      Try 'tenantctl key create --help'.

      """),
    Mistake(
      "key create acme --scope all --expires tomorrow",
      """
      tenantctl key create: invalid value 'tomorrow' for --expires: an instant with an offset is wanted, as in 2027-01-01T00:00:00Z
      Try 'tenantctl key create --help'.

      """),
    Mistake(
      "key create acme --scope all --expires 2020-01-01T00:00:00Z",
      """
      tenantctl: the key would have ended at 2020-01-01T00:00:00Z already. Choose a time to come.

      """),
    Mistake(
      "tenant create Acme",
      """
      tenantctl: 'Acme' is no name for a tenant. Use lower-case letters, digits and '-', at most 63, not '-' first.

      """),
    Mistake(
      "device show acme 42",
      """
      tenantctl: '42' is no device id. A UUID is wanted, as in 0190b5c8-6a5e-7c3e-9b1f-2d7d6c1a0f11.

      """),
    Mistake(
      "report delivery acme --from yesterday",
      """
      tenantctl report delivery: invalid value 'yesterday' for --from: a day is wanted, as in 2026-03-01
      Try 'tenantctl report delivery --help'.

      """),
    Mistake(
      "report delivery acme --from 2026-11-02 --to 2026-11-01",
      """
      tenantctl: 'from' (2026-11-02) is after 'to' (2026-11-01); both days are included.

      """),
    Mistake(
      "report rollup acme --to 2026-11-01",
      """
      tenantctl: --to is there without --from. Say both, or neither for the days due.

      """),
    Mistake(
      "plan preview --queue q.json --now 2026-03-04T00:00:00Z",
      """
      tenantctl plan preview: --device FILE is missing
      Try 'tenantctl plan preview --help'.

      """),
    Mistake(
      "plan preview --device d.json --queue q.json --now 2026-03-04",
      """
      tenantctl plan preview: invalid value '2026-03-04' for --now: an instant with an offset is wanted, as in 2026-03-04T00:00:00Z
      Try 'tenantctl plan preview --help'.

      """),
    Mistake(
      "plan preview --device - --queue - --now 2026-03-04T00:00:00Z",
      """
      tenantctl: standard input can be read for one file only. Name the others by their paths.

      """),
  ]

  @Test("A mistake is named on standard error, with a way out, and exits with 2", arguments: mistakes)
  func mistake(_ mistake: Mistake) async throws {
    let outcome = try await Tenantctl.run(mistake.words)
    #expect(outcome == Tenantctl.Outcome(output: "", errors: mistake.errors, code: 2))
  }

  @Test(
    "Help stands at every level, on standard output, with an example",
    arguments: [
      "--help", "db --help", "db migrate --help", "tenant --help", "tenant create --help", "key --help",
      "key revoke --help", "policy --help", "policy set --help", "policy preview --help", "device --help",
      "device list --help",
      "report --help", "report fatigue --help", "report all --help", "report rollup --help",
      "plan --help", "plan preview --help", "plan explain --help", "config --help", "config show --help",
      "completion --help",
      "completion bash --help", "doctor --help", "doctor check --help",
    ])
  func help(_ line: String) async throws {
    let outcome = try await Tenantctl.run(line.split(separator: " ").map(String.init))
    #expect(outcome.code == 0)
    #expect(outcome.errors == "")
    #expect(outcome.output.hasPrefix("Usage: tenantctl"))
    #expect(outcome.output.contains("\nExamples:\n  "))
  }
}
