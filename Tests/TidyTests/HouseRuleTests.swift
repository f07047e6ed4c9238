import Foundation
import Testing

@Suite struct HouseRuleTests {
  /// Beyond this a file holds more than one idea.
  static let maximumLinesPerFile = 400

  @Test func topLevelIsSmall() {
    let expected: Set<String> = [
      "Package.swift", "Sources", "Tests", "sql", "deploy", "docs", "README.md", "CHANGELOG.md",
      "CONTRIBUTING.md", ".swift-format", ".gitignore", ".ci", ".git", ".build", ".carillon", ".swiftpm",
    ]
    #expect(Set(Package.topLevel()).subtracting(expected) == [])
  }

  @Test(arguments: Package.sources + Package.tests) func filesAreShort(_ file: Package.SourceFile) {
    #expect(file.lines.count <= Self.maximumLinesPerFile)
  }

  /// What must not be called, where, and what to do instead.
  static let banned: [(text: String, allowedIn: Set<String>, instead: String)] = [
    ("JSONDecoder(", ["CarillonBench"], "use CarillonJSON"),
    ("JSONEncoder(", ["CarillonBench"], "use CarillonJSON"),
    ("JSONSerialization", [], "use CarillonJSON"),
    ("Calendar(identifier", ["CarillonBench"], "use CarillonPlanner; Foundation's calendar can hang"),
    ("ISO8601DateFormatter", [], "use Instant"),
    ("try!", [], "throw, or trap with a reason"),
    ("Thread.sleep", [], "await a signal or a timer"),
    ("usleep(", [], "await a signal or a timer"),
    ("@unchecked Sendable {}", [], "say why"),
  ]

  @Test(arguments: Package.sources) func bannedCallsAreAbsent(_ file: Package.SourceFile) {
    for rule in Self.banned where !rule.allowedIn.contains(file.module) {
      let hits = file.lines.enumerated().filter { !$0.element.isComment && $0.element.contains(rule.text) }
      #expect(hits.isEmpty, "\(file.path):\((hits.first?.offset ?? 0) + 1) has \(rule.text): \(rule.instead)")
    }
  }

  /// Statements live in `sql`; only the modules that speak to PostgreSQL itself may write some.
  @Test(arguments: Package.sources) func sqlStandsInSQLFiles(_ file: Package.SourceFile) {
    let speakPostgreSQL = [
      "CarillonPostgres", "CarillonBench", "TestSupport", "IntegrationSupport", "CarillonSQL",
    ]
    guard !speakPostgreSQL.contains(file.module) else { return }
    let verbs = ["\"SELECT ", "\"INSERT ", "\"UPDATE ", "\"DELETE FROM", "\"CREATE ", "\"ALTER "]
    for (number, line) in file.lines.enumerated() where !line.isComment {
      #expect(!verbs.contains { line.contains($0) }, "\(file.path):\(number + 1) writes SQL")
    }
  }

  /// An unchecked promise to the compiler stands beside the comment that says why it holds.
  @Test(arguments: Package.sources) func uncheckedPromisesSayWhy(_ file: Package.SourceFile) {
    for (number, line) in file.lines.enumerated() where !line.isComment {
      guard line.contains("@unchecked Sendable") || line.contains("nonisolated(unsafe)") else { continue }
      let neighbours = file.lines[max(0, number - 6)...min(file.lines.count - 1, number + 4)]
      #expect(
        neighbours.contains { $0.isComment || $0.contains("// ") },
        "\(file.path):\(number + 1) promises something unchecked and does not say why it holds")
    }
  }

  @Test(arguments: ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs/architecture.md", "docs/errors.md"])
  func documentsLeadSomewhere(_ document: String) throws {
    let text = Package.text(document)
    #expect(!text.isEmpty)
    let base = Package.root.appendingPathComponent(document).deletingLastPathComponent()
    for match in text.matches(of: /\]\(([^)#:]+)(#[^)]*)?\)/) {
      let target = base.appendingPathComponent(String(match.output.1)).path
      #expect(FileManager.default.fileExists(atPath: target), "\(document) links to \(match.output.1)")
    }
  }
}

extension String {
  fileprivate var isComment: Bool { trimmingCharacters(in: .whitespaces).hasPrefix("//") }
}
