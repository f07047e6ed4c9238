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
    Value(table: "tenants", column: "policy_version", text: "-1", says: "no version"),
    Value(
      table: "tenants", column: "inbox_days", text: "0", says: "(tenants_inbox_days_check)",
      isColumnTold: false),
    Value(table: "tenants", column: "devices", text: "\"many\"", says: "another type", isColumnTold: false),
    Value(table: "policies", column: "document", text: "\"\\\\x7b\"", says: ""),
    Value(table: "policies", column: "document", text: "\"\\\\x7b7d7\"", says: "not bytes in hexadecimal"),
    Value(
      table: "device_syncs", column: "row_version", text: "99999999999999999999", says: "out of range",
      isColumnTold: false),
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
