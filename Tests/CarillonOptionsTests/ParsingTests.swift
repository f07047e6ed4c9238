import CarillonOptions
import Testing

@Suite struct ParsingTests {
  @Test(arguments: [
    ["key", "create", "acme", "--scope", "all", "-o", "json"],
    ["-o", "json", "key", "create", "--scope=all", "acme"],
    ["--output=json", "key", "--verbose", "create", "--scope", "all", "acme"],
    ["-ojson", "key", "create", "--sc", "all", "--", "acme"],
  ])
  func findsOptionsWhereverTheyStand(words: [String]) throws {
    let outcome = try Sample.program.parse(arguments: words, environment: [:])
    guard case .run(let command, let values) = outcome else {
      Issue.record("not run: \(outcome)")
      return
    }
    #expect(command.action == "key create")
    #expect(values[Sample.output] == .json)
    #expect(values[Sample.scopes] == ["all"])
    #expect(values[Sample.tenant] == "acme")
    #expect(!values[Sample.yes])
  }

  @Test func readsEveryKindOfValue() throws {
    let values = try Sample.parse(
      "plan", "preview", "--policy", "-", "--pool-size", "8", "-v", "--", "--odd", "b"
    ).values
    #expect(values[Sample.policy] == "-")
    #expect(values[Sample.pool] == 8)
    #expect(values[Sample.loops] == nil)
    #expect(values[Sample.verbose])
    #expect(values[Sample.database] == nil)
    #expect(values[Sample.names] == ["--odd", "b"])
    #expect(values.declares(Sample.pool) && !values.declares(Sample.scopes))
    let keys = try Sample.parse("key", "list", "acme").values
    #expect(keys[Sample.key] == nil)
    let one = try Sample.parse("key", "list", "acme", "k1").values
    #expect(one[Sample.key] == "k1")
  }

  @Test func repeatsCollectAndSinglesTakeTheLast() throws {
    let values = try Sample.parse(
      "key", "create", "a", "--scope", "devices", "--scope", "all", "-o", "json", "-o", "ndjson"
    ).values
    #expect(values[Sample.scopes] == ["devices", "all"])
    #expect(values[Sample.output] == .ndjson)
  }

  @Test(arguments: [
    ([], "sample: a noun is wanted: key, plan"),
    (["kye"], "sample: unknown noun 'kye'; did you mean 'key'?"),
    (["tenant"], "sample: unknown noun 'tenant'; there are key, plan"),
    (["key"], "sample key: a verb is wanted: create, list"),
    (["key", "craete"], "sample key: unknown verb 'craete'; did you mean 'create'?"),
    (["key", "create"], "sample key create: TENANT is missing"),
    (["key", "list", "a", "b", "c"], "sample key list: unexpected argument 'c'"),
    (
      ["plan", "preview", "--polcy", "p"],
      "sample plan preview: unknown option '--polcy'; did you mean '--policy'?"
    ),
    (["--polcy", "plan"], "sample: unknown option '--polcy'"),
    (["plan", "preview", "-x"], "sample plan preview: unknown option '-x'"),
    (["plan", "preview", "--po", "p"], "option '--po' is ambiguous: --policy, --pool-size"),
    (["plan", "preview", "--policy"], "--policy wants a value: --policy FILE"),
    (["plan", "preview", "-o"], "-o wants a value: -o FORMAT"),
    (["plan", "preview", "--verbose=yes"], "--verbose takes no value"),
    (
      ["plan", "preview"],
      "--policy FILE is missing (or SAMPLE_POLICY in the environment)"
    ),
    (
      ["plan", "preview", "--policy", "p", "--loops", "65"],
      "invalid value '65' for --loops: a number from 1 to 64 is wanted"
    ),
    (
      ["plan", "preview", "--policy", "p", "-o", "jsno"],
      "invalid value 'jsno' for --output: table, json, ndjson are possible; did you mean 'json'?"
    ),
    (["key", "create", "a", "--scope", "device"], "did you mean 'devices'?"),
  ])
  func saysWhatIsWrong(words: [String], message: String) {
    #expect {
      _ = try Sample.program.parse(arguments: words, environment: [:])
    } throws: { error in
      let text = String(describing: error)
      #expect(text.contains(message), "\(text)")
      return text.contains("--help'.")
    }
  }

  @Test func manyParsersAtOnceDoNotDisturbEachOther() async {
    await withTaskGroup(of: Bool.self) { group in
      for number in 1...64 {
        group.addTask {
          let values = try? Sample.parse(
            "plan", "preview", "a", "--policy", "p\(number)", "b", "--loops", "\(number)"
          ).values
          return values?[Sample.policy] == "p\(number)" && values?[Sample.loops] == number
            && values?[Sample.names] == ["a", "b"]
        }
      }
      for await isRight in group { #expect(isRight) }
    }
  }
}
