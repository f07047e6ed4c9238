import CarillonOptions
import Testing

@Suite struct OriginTests {
  static let file = """
    # settings
    pool-size = 3
    loops=2
    output = ndjson

    scope = devices
    scope = all
    """

  @Test func commandLineBeatsEnvironmentBeatsFileBeatsDefault() throws {
    let environment = ["SAMPLE_CONFIG": "/etc/sample.conf", "SAMPLE_LOOPS": "7", "SAMPLE_POLICY": "e.json"]
    let values = try Sample.parse(
      "plan", "preview", "--policy", "c.json", environment: environment, file: Self.file
    ).values
    #expect(values[Sample.policy] == "c.json")
    #expect(values.origin(of: Sample.policy) == .commandLine)
    #expect(values[Sample.loops] == 7)
    #expect(values.origin(of: Sample.loops) == .environment(variable: "SAMPLE_LOOPS"))
    #expect(values[Sample.pool] == 3)
    #expect(values.origin(of: Sample.pool) == .file(path: "/etc/sample.conf", line: 2))
    #expect(values[Sample.output] == .ndjson)
    #expect(values.origin(of: Sample.verbose) == .unset)
    let plain = try Sample.parse("plan", "preview", "--policy", "c.json").values
    #expect(plain.origin(of: Sample.pool) == .defaultValue)
    #expect(plain[Sample.pool] == 4)
    #expect(
      plain.entries.map(\.declaration.name)
        == ["output", "verbose", "config", "policy", "pool-size", "loops", "database"])
  }

  @Test func repeatsComeFromEnvironmentAndFileToo() throws {
    let fromFile = try Sample.parse("key", "create", "--config", "f", "a", file: Self.file).values
    #expect(fromFile[Sample.scopes] == ["devices", "all"])
    let fromEnvironment = try Sample.parse(
      "key", "create", "a", environment: ["SAMPLE_SCOPE": "all,devices"]
    ).values
    #expect(fromEnvironment[Sample.scopes] == ["all", "devices"])
  }

  @Test func namedVariablesEmptyOnesAndConfirmations() throws {
    let environment = ["DATABASE_URL": "postgres://x", "SAMPLE_LOOPS": "", "SAMPLE_YES": "true"]
    let values = try Sample.parse("plan", "preview", "--policy", "p", environment: environment).values
    #expect(values[Sample.database] == "postgres://x")
    #expect(values.origin(of: Sample.database).description == "environment DATABASE_URL")
    #expect(values[Sample.loops] == nil)
    #expect(try !Sample.parse("key", "create", "a", environment: environment).values[Sample.yes])
  }

  @Test(arguments: [
    ("loops = many", "f:1: ", false),
    ("\nlops = 2", "f:2: unknown setting 'lops'; did you mean 'loops'?", true),
    ("loops", "f:1: 'name = value' is wanted", true),
    ("= 3", "f:1: 'name = value' is wanted", true),
    ("yes = true", "f:1: unknown setting 'yes'", true),
    ("loops = many", "invalid value 'many' for 'loops' in f:1: a number from 1 to 64", true),
  ])
  func badFilesNameTheirLine(text: String, message: String, isExact: Bool) {
    #expect {
      try Sample.parse("--config", "f", "plan", "preview", "--policy", "p", file: text)
    } throws: {
      String(describing: $0).contains(isExact ? message : "f:1")
    }
  }

  @Test func aMissingFileAndABadVariableAreUsageErrors() {
    #expect(throws: UsageError.self) { try Sample.parse("--config", "f", "key", "list", "a") }
    #expect {
      try Sample.parse("key", "list", "a", environment: ["SAMPLE_VERBOSE": "maybe"])
    } throws: {
      String(describing: $0).contains("invalid value 'maybe' for SAMPLE_VERBOSE: true or false is wanted")
    }
    #expect(readTextFile("/nonexistent/file") == nil)
  }
}
