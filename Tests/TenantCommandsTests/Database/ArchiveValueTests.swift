import CarillonCrypto
import CarillonJSON
import IntegrationSupport
import TestSupport
import Testing

/// A file may be whole, its checksum right, and what it says impossible all the same.
extension ArchiveTests {
  /// A value in the first row of a table, and what is said of it.
  struct Value {
    var table: String
    var column: String
    /// JSON; nil: the column is missing.
    var text: String?
    var says: String
    /// Whether the column's name is told, too: what the database finds it tells of a row.
    var isColumnTold = true

    /// Nil: the archive has no row of the table.
    func change(_ lines: [String]) throws -> (lines: [String], number: Int)? {
      guard let place = lines.firstIndex(where: { $0.hasPrefix("{\"table\":\"\(table)\"") }) else {
        return nil
      }
      let row = try JSONValue(parsing: Array(lines[place].utf8))["row"]?.object ?? []
      var members = row.filter { $0.name != column }
      guard members.count + 1 == row.count else { return nil }
      if let text { members.append(JSONMember(column, try JSONValue(parsing: Array(text.utf8)))) }
      var lines = lines
      let changed = String(decoding: JSONValue.object(members).bytes, as: UTF8.self)
      lines[place] = "{\"table\":\"\(table)\",\"row\":\(changed)}"
      return (lines, place + 1)
    }
  }

  private static let long = "\"\(String(repeating: "u", count: 257))\""

  static let values = [
    Value(table: "tenants", column: "policy_version", text: "7", says: "no policy of version 7"),
    Value(table: "tenants", column: "policy_version", text: "-1", says: "no whole number of 0 to"),
    Value(
      table: "tenants", column: "inbox_days", text: "0", says: "(tenants_inbox_days_check)",
      isColumnTold: false),
    Value(table: "tenants", column: "devices", text: "\"many\"", says: "no whole number of 0 to"),
    Value(table: "policies", column: "document", text: "\"\\\\x7b\"", says: ""),
    Value(table: "policies", column: "document", text: "\"\\\\x7b7d7\"", says: "not bytes in hexadecimal"),
    Value(
      table: "device_syncs", column: "row_version", text: "99999999999999999999",
      says: "no whole number of 0 to"
    ),
    Value(table: "devices", column: "user_id", text: long, says: "more than 256 bytes"),
    Value(table: "devices", column: "user_id", text: "\"a\\u0007b\"", says: "control character"),
    Value(table: "devices", column: "user_id", text: nil, says: "it is missing"),
    Value(table: "deliveries", column: "user_id", text: long, says: "more than 256 bytes"),
    Value(table: "devices", column: "time_zone", text: "\"Europe/Nowhere\"", says: "no such time zone"),
    Value(table: "devices", column: "time_zone", text: "\"../../etc/passwd\"", says: "no such time zone"),
    Value(table: "devices", column: "created_at", text: "\"infinity\"", says: "no time of the years"),
    Value(
      table: "devices", column: "created_at", text: "null", says: "empty that must not be",
      isColumnTold: false),
    Value(
      table: "devices", column: "updated_at", text: "\"2026-02-30T00:00:00+00:00\"",
      says: "a time that there is not",
      isColumnTold: false),
    Value(
      table: "device_syncs", column: "seen_at", text: "\"12026-11-28T00:00:00+00:00\"",
      says: "no time of the years"),
    Value(
      table: "deliveries", column: "due_at", text: "\"2026-11-28T00:00:00+00:00 BC\"",
      says: "no time of the years"),
    Value(
      table: "inbox_items", column: "wished_at", text: "\"1969-11-28T00:00:00+00:00\"",
      says: "no time of the years"),
    Value(table: "report_days", column: "day", text: "\"infinity\"", says: "no time of the years"),
    Value(
      table: "notifications", column: "content", text: "\"\\\\x7b226e6f7468696e67223a7d\"", says: ""),
    Value(table: "inbox_items", column: "content", text: "\"\\\\x5b5d\"", says: ""),
    Value(table: "notifications", column: "head", text: "\"\\\\xff\"", says: "cannot read it"),
    Value(table: "notifications", column: "notification_id", text: "\"\"", says: "no notification's id"),
    Value(table: "plans", column: "document", text: "\"\\\\x5b5d\"", says: ""),
    Value(table: "devices", column: "settings", text: "{\"alert\":7}", says: ""),
    Value(table: "devices", column: "pending", text: "\"\\\\x7b226964223a377d\"", says: ""),
    Value(table: "plans", column: "document", text: "\"\\\\x01\"", says: "cannot read it"),
  ]

  /// JSON of a value of each kind that the database would take, each column of the kind, and what is said.
  static let kinds: [(columns: [String], text: String, says: String)] = [
    (counters, "\(Int.max)", "no whole number of 0 to 9007199254740992"),
    (counters, "-1", "no whole number of 0 to 9007199254740992"),
    // The database reads numbers out of texts.
    (counters, "\"\(Int.max)\"", "no whole number of 0 to"),
    (versions, "2147483647", "no whole number of 0 to 1073741824"),
    (["report_counts.counts"], "[\(Int.max)]", "no whole number of 0 to"),
    (["report_counts.counts"], "[null]", "no whole number of 0 to"),
    (["report_counts.counts"], "\"{{1},{2}}\"", "no list of numbers"),
    (lists, "[null]", "no list of texts"), (lists, "[[\"a\"]]", "no list of texts"),
    (lists, "\"{a,NULL}\"", "no list of texts"),
    (ids + ["deliveries.unmet_needs"], "[\"\"]", "cannot read ''"),
    (["deliveries.outcome", "inbox_items.outcome"], "\"gone\"", "cannot read 'gone'"),
    (["deliveries.reach"], "\"far\"", "cannot read 'far'"),
    (["priming_steps.step"], "\"run\"", "cannot read 'run'"),
    (["device_events.kind"], "\"\"", "cannot read ''"),
    (["device_changes.changes"], "[]", "cannot read it"),
    (["device_changes.changes"], "{\"settings.sound\":[7]}", "cannot read it"),
    (["device_truths.tallies"], "[[\"habit\",1e300,0]]", "cannot read it"),
    (["device_truths.tallies"], "[[\"habit\",-1,0]]", "cannot read it"),
    (["device_truths.delivered"], "[[\"a\",9223372036854775807,0]]", "cannot read it"),
    (["plans.deliveries"], "\"\\\\x5b5d\"", "cannot read it"),
    (["plans.deliveries"], "\"\\\\x\(due(at: Int.min))\"", "cannot read it"),
    (["identity_claims.claim"], "\"phone\\n\\nk\"", "no claim of an installation"),
    (["identity_claims.claim"], "\"key\\nk\"", "no claim of an installation"),
    (["identity_claims.claim"], "\"key\\n\\na\\u0007\"", "no claim of an installation"),
    (
      [
        "deliveries.type", "inbox_items.type", "report_counts.type", "device_evictions.type",
        "device_events.name",
      ],
      "\"a\\u0007b\"", "control character"
    ),
  ]

  private static let counters =
    ["row_version", "sequence", "inbox_version"].map { "device_syncs.\($0)" } + [
      "notifications.put_version", "device_changes.change_number", "device_changes.sequence",
      "device_truths.looked_version", "device_truths.drift_dropped", "device_truths.drift_unplanned",
      "device_truths.drift_altered", "device_priming.last_step", "priming_steps.step_number",
    ]
  private static let versions = [
    "device_syncs.plan_version", "device_syncs.policy_version", "plans.version", "plans.policy_version",
    "policies.version", "tenants.policy_version", "deliveries.plan_version", "deliveries.last_plan_version",
    "device_truths.applied_plan_version", "device_priming.postpones", "device_priming.taps",
    "device_evictions.evicted", "device_changes.more_edits", "devices.foreign_count",
    "devices.foreign_regions", "report_days.age",
  ]
  private static let ids = [
    "device_truths.waiting", "device_truths.vanished", "plans.sent", "device_changes.puts",
    "device_changes.cancels",
  ]
  private static let lists = ids + ["deliveries.unmet_needs"]

  private static func due(at milliseconds: Int) -> String {
    let text = "{\"made\":[[\"a\",\"habit\",\(milliseconds)]]}"
    return text.utf8.map { String($0, radix: 16) }.joined()
  }

  @Test("What the database would take and no server writes is refused, whatever its column's kind")
  func kindsOfColumns() async throws {
    let installation = try await Installation()
    _ = try await FullTenant.make("acme", in: installation)
    let folder = try TemporaryFolder()
    _ = try await installation.json("tenant export acme \(folder.path("whole"))")
    let whole = try lines(folder.path("whole"))
    for (columns, text, says) in Self.kinds {
      for name in columns {
        let parts = name.split(separator: ".").map(String.init)
        let value = Value(table: parts[0], column: parts[1], text: text, says: says)
        let (changed, number) = try #require(try value.change(whole), "there is no \(name)")
        let file = try folder.file("changed", Self.signed(changed).joined(separator: "\n") + "\n")
        let outcome = try await installation.run("tenant import \(file) --name copy --dry-run")
        let place = "line \(number) of the archive: a row of '\(value.table)' that no tenant can have: "
        #expect(
          outcome.code == 1 && outcome.errors.contains(place + "'\(value.column)': ")
            && outcome.errors.contains(says), "\(name) \(text): \(outcome)")
      }
    }
  }

  /// So that a new column is among those above, or is of a kind that is checked by its type alone.
  @Test("Every column that is counted on is tried")
  func everyCounter() async throws {
    let installation = try await Installation()
    let found = try await installation.database.column(
      """
      SELECT c.table_name || '.' || c.column_name FROM information_schema.columns AS c
      WHERE c.table_schema = 'carillon' AND c.data_type = 'bigint'
        AND c.table_name NOT IN ('schema_migrations', 'audit_log')
        AND c.column_name NOT IN ('digest', 'report_digest', 'revision')
      """
    ).compactMap(\.self)
    #expect(Set(found) == Set(Self.counters))
  }

  @Test("What a server keeps of its last answer is not taken from an archive, and does not go into one")
  func noCaches() async throws {
    let installation = try await Installation()
    _ = try await FullTenant.make("acme", in: installation)
    let kept = try await installation.database.column(
      """
      UPDATE carillon.device_syncs SET report_digest = 7, steady_answer = '{}', valid_until = '2999-01-01'
      RETURNING ''
      """)
    try #require(kept.count == 2)
    let folder = try TemporaryFolder()
    _ = try await installation.json("tenant export acme \(folder.path("whole"))")
    var whole = try lines(folder.path("whole"))
    let caches = [
      "report_digest": "7", "steady_answer": "\"\\\\x7b7d\"", "valid_until": "\"2999-01-01T00:00:00+00:00\"",
    ]
    for line in whole where line.hasPrefix("{\"table\":\"device_syncs\"") {
      let row = try JSONValue(parsing: Array(line.utf8))["row"]
      for name in caches.keys { #expect(row?[name]?.isNull == true, "\(name) in \(line)") }
    }
    for (name, text) in caches {
      let value = Value(table: "device_syncs", column: name, text: text, says: "")
      whole = try #require(try value.change(whole)).lines
    }
    let file = try folder.file("changed", Self.signed(whole).joined(separator: "\n") + "\n")
    let imported = try await installation.json("tenant import \(file) --name copy")
    let id = try #require(imported["id"]?.string)
    let rows = try await installation.database.column(
      """
      SELECT (s.report_digest IS NULL AND s.steady_answer IS NULL AND s.valid_until IS NULL)::text
      FROM carillon.device_syncs AS s WHERE s.tenant_id = '\(id)'
      """)
    #expect(rows == ["true", "true"])
  }

  @Test("A value that no tenant can have is told by line, table and column, and changes nothing")
  func impossibleValues() async throws {
    let installation = try await Installation()
    _ = try await FullTenant.make("acme", in: installation)
    let folder = try TemporaryFolder()
    _ = try await installation.json("tenant export acme \(folder.path("whole"))")
    let whole = try lines(folder.path("whole"))
    let before = try await counts(installation)
    for value in Self.values {
      let (changed, number) = try #require(try value.change(whole), "there is no \(value)")
      let file = try folder.file("changed", Self.signed(changed).joined(separator: "\n") + "\n")
      for isDry in value.isColumnTold ? [true, false] : [false] {
        let outcome = try await installation.run(
          "tenant import \(file) --name copy" + (isDry ? " --dry-run" : ""))
        let place =
          "line \(number) of the archive: a row of '\(value.table)' that no tenant can have: "
          + (value.isColumnTold ? "'\(value.column)': " : "")
        #expect(
          outcome.code == 1 && outcome.errors.contains(place) && outcome.errors.contains(value.says),
          "\(value): \(outcome)")
      }
    }
    #expect(try await counts(installation) == before)
    #expect(try await installation.run("tenant show copy").code == 5)
  }

  @Test("A closing line may lack its line feed, no other line may")
  func lastLineFeed() async throws {
    let installation = try await Installation()
    _ = try await FullTenant.make("acme", in: installation)
    let folder = try TemporaryFolder()
    _ = try await installation.json("tenant export acme \(folder.path("whole"))")
    let text = try lines(folder.path("whole")).joined(separator: "\n")
    let file = try folder.file("trimmed", text)
    #expect(try await installation.json("tenant import \(file) --name copy")["name"] == "copy")
    for (name, other) in [("cut", String(text.dropLast())), ("two", text + "\n\n"), ("row", text + "\n{}")] {
      let outcome = try await installation.run("tenant import \(try folder.file(name, other)) --name other")
      #expect(outcome.code == 1 && outcome.errors.contains("archive"), "\(name): \(outcome)")
    }
  }
}

extension Installation {
  /// A key as if it had been made before the tenant was what it is.
  func forcedKey(_ tenant: String) async throws -> String {
    var random = SecureRandom()
    let key = TenantKey.make(using: &random)
    let hash = key.hash.bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    _ = try await database.column(
      """
      INSERT INTO carillon.api_keys (tenant_id, key_id, secret_hash, scopes, created_at)
      SELECT tenant_id, '\(key.keyId)', '\\x\(hash)', '{devices}', '2026-11-28' FROM carillon.tenants
      WHERE name = '\(tenant)' RETURNING ''
      """)
    return key.text
  }
}
