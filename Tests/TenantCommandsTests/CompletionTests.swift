import Testing

/// The scripts are tried in the shells they are for; bash is everywhere the tests run.
@Suite struct CompletionTests {
  @Test(
    "bash completes nouns, verbs, options and choices",
    arguments: [
      ("te", 1, ["tenant"]), ("key re", 2, ["revoke"]), ("tenant create --dr", 3, ["--dry-run"]),
      ("key create acme --scope ", 5, ["all", "devices", "notifications", "policy", "reports"]),
      ("tenant list -o n", 4, ["ndjson"]), ("completion ", 2, ["bash", "zsh", "fish"]), ("nonsense x", 2, []),
    ])
  func bash(_ line: String, _ word: Int, _ wanted: [String]) async throws {
    let outcome = try await Tenantctl.shell(
      """
      source <(tenantctl completion bash)
      words='tenantctl \(line)'
      read -ra COMP_WORDS <<< "$words"
      [[ "$words" == *' ' ]] && COMP_WORDS+=('')
      COMP_CWORD=\(word)
      _tenantctl
      printf '%s\\n' "${COMPREPLY[@]}"
      """)
    #expect(outcome.errors == "")
    #expect(outcome.output.split(separator: "\n").map(String.init) == wanted)
  }

  @Test("Every noun and verb stands in every script", arguments: ["bash", "zsh", "fish"])
  func complete(_ shell: String) async throws {
    let outcome = try await Tenantctl.run(["completion", shell])
    #expect(outcome.code == 0)
    for word in ["tenant", "create", "preview", "rollback", "dry-run", "tz-dir", "ndjson"] {
      #expect(outcome.output.contains(word), "\(word)")
    }
  }
}
