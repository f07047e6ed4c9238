import CarillonCrypto
import CarillonJSON
import CarillonModel
import Foundation
import Glibc
import IntegrationSupport
import TestSupport
import Testing

/// A tenant goes into a file and comes out of it elsewhere.
@Suite struct ArchiveTests {
  func lines(_ path: String) throws -> [String] {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(text.hasSuffix("\n"))
    return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
  }

  /// Tables of which nobody decided yet whether they go along: a new one must be added here, or be left out by name.
  static let exported = [
    "tenants", "report_days", "report_counts", "policies", "inbox_items", "identity_claims", "devices",
    "priming_steps",
    "plans", "notifications", "device_truths", "device_syncs", "device_priming", "device_evictions",
    "device_events",
    "device_changes", "deliveries",
  ]

  @Test("Every table goes along or is left out by name, and nothing secret goes along")
  func everyTable() async throws {
    let installation = try await Installation()
    _ = try await installation.json("tenant create acme")
    let folder = try TemporaryFolder()
    _ = try await installation.json("tenant export acme \(folder.path("a"))")
    let header = try JSONValue(parsing: Array(try lines(folder.path("a"))[0].utf8))
    let tables = header["tables"]?.object?.map(\.name) ?? []
    let leftOut = header["leftOut"]?.object?.map(\.name) ?? []
    #expect(tables == Self.exported)
    #expect(Set(leftOut).isDisjoint(with: tables))
    #expect(try await Set(installation.tenantTables()).subtracting(tables).isSubset(of: leftOut))
    #expect(header["leftOut"]?.object?.allSatisfy { $0.value.string?.isEmpty == false } == true)
    for table in header["tables"]?.object ?? [] {
      for column in table.value.array?.compactMap(\.string) ?? [] {
        for word in ["secret", "sealed", "hash", "password", "tenant_id"] {
          #expect(!column.contains(word), "\(table.name).\(column)")
        }
      }
    }
    #expect(header["archive"] == "carillon" && header["version"] == 1)
  }

  @Test("What was exported is imported, and exported again it is the same")
  func roundTrip() async throws {
    let installation = try await Installation()
    let full = try await FullTenant.make("acme", in: installation)
    try await full.addDevices(450)
    let folder = try TemporaryFolder()
    let (first, second) = (folder.path("a.ndjson"), folder.path("b.ndjson"))
    let exported = try await installation.json("tenant export acme \(first)")
    let old = try lines(first)
    #expect(exported["rows"]?.int == old.count - 2)
    for table in Self.exported {
      #expect(old.contains { $0.hasPrefix("{\"table\":\"\(table)\",") }, "\(table) has no row to go along")
    }
    #expect(!old.dropFirst().contains { $0.contains(full.tenant.id.text) })
    // Of a device, of the user a device has, and of the one it had.
    for owner in ["\"device\": ", "\"user\": \"user 8\"", "\"user\": \"u1\""] {
      #expect(old.contains { $0.hasPrefix("{\"table\":\"inbox_items\"") && $0.contains(owner) }, "\(owner)")
    }
    var mode = stat()
    #expect(stat(first, &mode) == 0 && mode.st_mode & 0o777 == 0o600)

    let dry = try await installation.json("tenant import \(first) --name copy --dry-run")
    #expect(dry["dryRun"] == true && dry["rows"] == exported["rows"])
    #expect(try await installation.run("tenant show copy").code == 5)
    let imported = try await installation.json("tenant import \(first) --name copy")
    #expect(imported["name"] == "copy" && imported["from"] == "acme" && imported["rows"] == exported["rows"])
    #expect(imported["sha256"] == exported["sha256"])
    let id = try #require(imported["id"]?.string)
    #expect(id != full.tenant.id.text)

    _ = try await installation.json("tenant export copy \(second)")
    let new = try lines(second)
    #expect(old.count == new.count)
    for (number, pair) in zip(old, new).enumerated().dropFirst().dropLast() where pair.0 != pair.1 {
      Issue.record("line \(number + 1) was \(pair.0) and is \(pair.1)")
      break
    }
    func neutral(_ line: String) throws -> [JSONMember] {
      try JSONValue(parsing: Array(line.utf8)).object?.filter {
        !["tenant", "exportedAt", "sha256"].contains($0.name)
      } ?? []
    }
    #expect(try neutral(old[0]) == neutral(new[0]))
    #expect(try neutral(old.last!) == neutral(new.last!))

    // To devices and their backends both are the same.
    let key = try await installation.json("key create copy --scope all")["key"]?.string
    try await TestServer.with(now: FullTenant.end, database: installation.database) { server in
      let (there, here) = (server.client(full.tenant), HTTPTestClient(port: server.port, key: key))
      var paths = [
        "/v1/policy", "/v1/reports/authorization?from=2026-11-28&to=2026-11-28", "/v1/devices?limit=200",
      ]
      for device in FullTenant.devices {
        for rest in ["", "/inbox", "/notifications", "/plan", "/history", "/deliveries"] {
          paths.append("/v1/devices/\(device)\(rest)")
        }
      }
      for path in paths {
        let (one, two) = (try await there.send("GET", path), try await here.send("GET", path))
        #expect(one.status == 200 && one.text == two.text, "\(path): \(one) \(two)")
      }
      let inbox = try await here.send("GET", "/v1/devices/\(FullTenant.devices[1])/inbox")
      #expect(inbox.json["items"]?.array?.isEmpty == false, "\(inbox)")
    }
  }

  @Test("An archive goes to standard output, and its reader takes it from a file alone")
  func streams() async throws {
    let installation = try await Installation()
    _ = try await FullTenant.make("acme", in: installation)
    let folder = try TemporaryFolder()
    let out = try await installation.run("tenant export acme -")
    #expect(out.code == 0 && out.errors.isEmpty)
    let file = try folder.file("a.ndjson", out.output)
    #expect(try await installation.json("tenant import \(file) --name two")["name"] == "two")
    let url = installation.url(.operator)
    let piped = try await Tenantctl.shell(
      "cat \(file) | tenantctl tenant import /dev/stdin --name three", environment: ["DATABASE_URL": url])
    #expect(piped.code == 2 && piped.errors.contains("not a pipe"), "\(piped)")
    #expect(try await installation.run("tenant export acme \(folder.path("no/such/folder"))").code == 1)
    #expect(try await installation.run("tenant import \(folder.path("nothing"))").code == 1)
    let taken = try await installation.run("tenant import \(file)")
    #expect(taken.code == 6 && taken.errors.contains("there is a tenant 'acme' already"), "\(taken)")
    let name = try await installation.run(["tenant", "import", file, "--name", "No Name"])
    #expect(name.code == 2)
    // Another tenant's id may be so, and commands take ids where they take names.
    let id = try #require(try await installation.json("tenant show acme")["id"]?.string)
    for command in ["tenant import \(file) --name \(id)", "tenant create \(id)"] {
      let outcome = try await installation.run(command)
      #expect(outcome.code == 2 && outcome.errors.contains("Choose a name that is no UUID"), "\(outcome)")
    }
  }

  /// What stands where the archive is to be, by how a shell makes it.
  @Test(
    "Nothing that exists is replaced",
    arguments: [
      "echo mine > a", "mkdir a", "mkfifo a", "ln -s nowhere a", "echo mine > there; ln -s there a",
      "echo mine > a.part",
    ])
  func nothingIsReplaced(_ make: String) async throws {
    let installation = try await Installation()
    _ = try await installation.json("tenant create acme")
    let folder = try TemporaryFolder()
    let url = installation.url(.operator)
    let look = "stat -c '%n %F %i %s %a %Y' *; cat there a.part 2>&1; test -f a && cat a"
    let made = try await Tenantctl.shell("cd \(folder.path("")); \(make); \(look)", environment: [:])
    let outcome = try await Tenantctl.shell(
      "tenantctl tenant export acme \(folder.path("a"))", environment: ["DATABASE_URL": url])
    #expect(outcome.code == 6 && outcome.output == "", "\(outcome)")
    let says =
      make.hasSuffix(".part")
      ? ["/a.part' is there: an export to", "or was broken off", "rm \(folder.path("a.part"))"]
      : ["/a' exists, and nothing is replaced", "Choose another name, or remove it"]
    for text in says { #expect(outcome.errors.contains(text), "\(outcome)") }
    let after = try await Tenantctl.shell("cd \(folder.path("")); \(look)", environment: [:])
    #expect(after.output == made.output && !made.output.isEmpty)
    if !make.hasSuffix(".part") {
      #expect(try await installation.run("tenant export acme \(folder.path("a")) --dry-run").code == 6)
    }
  }

  @Test("A device is not replaced, an empty name is none, and nothing is left beside the archive")
  func names() async throws {
    let installation = try await Installation()
    _ = try await installation.json("tenant create acme")
    let folder = try TemporaryFolder()
    for path in ["/dev/stdout", "/dev/null"] {
      let outcome = try await installation.run("tenant export acme \(path)")
      #expect(outcome.code == 6 && outcome.errors.contains("'\(path)' exists"), "\(outcome)")
    }
    let empty = try await installation.run(["tenant", "export", "acme", ""])
    #expect(empty.code == 2 && empty.errors.contains("FILE is empty"), "\(empty)")
    _ = try await installation.json("tenant export acme \(folder.path("a"))")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("")) == ["a"])
    let again = try await installation.run("tenant export acme \(folder.path("a"))")
    #expect(again.code == 6 && again.errors.contains("exists"), "\(again)")
  }

  /// What can be wrong with a file, and what is said of it.
  struct Damage: CustomTestStringConvertible, Sendable {
    var name: String
    var says: String
    /// Whether the closing line is made anew, so that the checksum is right.
    var isSigned = false
    var change: @Sendable ([String]) -> [String]
    var testDescription: String { name }
  }

  static let damages = [
    Damage(name: "empty", says: "no archive") { _ in [] },
    Damage(name: "something else", says: "no archive") { _ in ["{\"id\":1}"] },
    Damage(name: "without its closing line", says: "ends before") { Array($0.dropLast()) },
    Damage(name: "cut in a row", says: "ends before") { lines in
      lines.prefix(5) + [String(lines[5].prefix(lines[5].count / 2))]
    },
    Damage(name: "twice", says: "goes on") { $0 + $0 },
    Damage(name: "a row more behind the end", says: "goes on") { $0 + [$0[3]] },
    Damage(name: "a row twice", says: "checksum") { $0.prefix(4) + [$0[3]] + $0.dropFirst(4) },
    Damage(name: "a row less", says: "checksum") { Array($0.prefix(3) + $0.dropFirst(4)) },
    Damage(name: "two rows changed round", says: "checksum") { lines in
      var lines = lines
      lines.swapAt(3, 4)
      return lines
    },
    Damage(name: "a letter changed", says: "checksum") { lines in
      lines.map {
        $0.hasPrefix("{\"table\":\"notifications\"") ? $0.replacing("habit.3\"", with: "habit.X\"") : $0
      }
    },
    Damage(name: "a line that is no row", says: "damaged") { $0.prefix(3) + ["{}"] + $0.dropFirst(3) },
    Damage(name: "another version", says: "version 2") { lines in
      [lines[0].replacing("\"version\":1", with: "\"version\":2")] + lines.dropFirst()
    },
    Damage(name: "a table of another release", says: "not as in this release", isSigned: true) { lines in
      [lines[0].replacing("\"tables\":{", with: "\"tables\":{\"api_keys\":[\"key_id\"],")] + lines.dropFirst()
    },
    Damage(name: "a column of another release", says: "not as in this release", isSigned: true) { lines in
      [lines[0].replacing("\"policies\":[", with: "\"policies\":[\"more\",")] + lines.dropFirst()
    },
    Damage(name: "a row twice, and signed", says: "cannot both be", isSigned: true) { lines in
      let last = lines.count - 2
      return lines.prefix(last) + [lines[last]] + lines.dropFirst(last)
    },
    Damage(
      name: "a row of no device, and signed", says: "what it belongs to is not in the archive", isSigned: true
    ) { lines in
      lines.map { line in
        line.hasPrefix("{\"table\":\"plans\"")
          ? line.replacing(
            "00000000-0000-4000-8000-00000000000a", with: "00000000-0000-4000-8000-0000000000ff")
          : line
      }
    },
    Damage(name: "a row that is no JSON, and signed", says: "it is no JSON object", isSigned: true) { lines in
      lines.map { $0.hasPrefix("{\"table\":\"plans\"") ? "{\"table\":\"plans\",\"row\":{nothing}}" : $0 }
    },
    Damage(name: "no row of the tenant, and signed", says: "rows of 'tenants'", isSigned: true) { lines in
      lines.filter { !$0.hasPrefix("{\"table\":\"tenants\"") }
    },
    Damage(name: "two rows of the tenant, and signed", says: "two rows of 'tenants'", isSigned: true) {
      lines in
      Array(lines.prefix(2) + lines.dropFirst())
    },
  ]

  @Test("What is damaged is not taken, and nothing is left of the try", arguments: damages)
  func damage(_ damage: Damage) async throws {
    let installation = try await Installation()
    _ = try await FullTenant.make("acme", in: installation)
    let folder = try TemporaryFolder()
    _ = try await installation.json("tenant export acme \(folder.path("whole"))")
    var changed = damage.change(try lines(folder.path("whole")))
    if damage.isSigned { changed = Self.signed(changed) }
    let isCut = damage.name.hasPrefix("cut")
    let file = try folder.file(
      "damaged", changed.joined(separator: "\n") + (isCut || changed.isEmpty ? "" : "\n"))
    let before = try await counts(installation)
    let outcome = try await installation.run("tenant import \(file) --name copy")
    #expect(outcome.code == 1 && outcome.errors.contains(damage.says), "\(outcome)")
    #expect(try await counts(installation) == before)
  }

  /// Closed anew, as if it had been exported so.
  static func signed(_ lines: [String]) -> [String] {
    let body = lines.dropLast()
    var counts: [String: Int] = [:]
    for line in body.dropFirst() {
      counts[
        line.split(separator: "\"")[2] == ":" ? String(line.split(separator: "\"")[3]) : "", default: 0] += 1
    }
    let header = try? JSONValue(parsing: Array(lines[0].utf8))
    let rows = header?["tables"]?.object?.map { "\"\($0.name)\":\(counts[$0.name] ?? 0)" } ?? []
    let digest = SHA256.hash(body.map { $0 + "\n" }.joined())
    return body + ["{\"end\":true,\"rows\":{\(rows.joined(separator: ","))},\"sha256\":\"\(digest)\"}"]
  }

  /// Rows of all tenants; the log of a try stays with the installation.
  func counts(_ installation: Installation) async throws -> [String: String] {
    var counts: [String: String] = [:]
    for table in try await installation.tenantTables() where table != "audit_log" {
      counts[table] =
        try await installation.database.column("SELECT count(*)::text FROM carillon.\(table)")[0] ?? ""
    }
    return counts
  }

  @Test("An import that was killed is nobody's tenant, and can be taken away")
  func killedImport() async throws {
    let installation = try await Installation()
    let full = try await FullTenant.make("acme", in: installation)
    let folder = try TemporaryFolder()
    let file = folder.path("a.ndjson")
    _ = try await installation.json("tenant export acme \(file)")
    let before = try await counts(installation)
    try await killed(
      ["tenant", "import", file, "--name", "copy"], in: installation,
      whileItWaitsFor: "LOCK TABLE carillon.plans IN ACCESS EXCLUSIVE MODE")
    #expect(try await installation.json("tenant show copy")["status"] == "importing")
    let refused = [
      "key create copy --scope all", "key create copy --scope all --dry-run",
      "tenant limits copy --devices 7",
    ]
    for line in refused {
      let outcome = try await installation.run(line)
      #expect(
        outcome.code == 6 && outcome.errors.contains("being imported")
          && outcome.errors.contains("tenantctl tenant delete copy"), "\(line): \(outcome)")
    }
    #expect(try await installation.run("tenant limits copy").code == 0)
    let key = try await installation.forcedKey("copy")
    try await TestServer.with(database: installation.database) { server in
      let answer = try await HTTPTestClient(port: server.port, key: key).send("GET", "/v1/devices")
      #expect(answer.json["code"]?.string == "tenantSuspended", "\(answer)")
    }
    for line in ["tenant resume copy", "tenant export copy x"] {
      #expect(try await installation.run(line).code == 6, "\(line)")
    }
    #expect(try await installation.run("tenant import \(file) --name copy").code == 6)
    #expect(try await installation.run("tenant delete copy --yes").code == 0)
    #expect(try await counts(installation) == before)
    #expect(try await installation.json("tenant import \(file) --name copy")["name"] == "copy")
    _ = full
  }
}
