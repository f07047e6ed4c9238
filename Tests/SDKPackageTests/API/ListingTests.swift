import Foundation
import Testing

/// The public interface is a promise: what the SDK declares is kept in `docs/api`, and a change of it shows in review.
@Suite struct ListingTests {
  /// Set to write the listings anew instead of comparing them.
  static let updates = ProcessInfo.processInfo.environment["CARILLON_UPDATE_API"] != nil

  @Test(arguments: SymbolGraphs.modules) func interfaceIsAsListed(_ module: String) async throws {
    let now = try await SymbolGraphs.shared.value.listing(of: module)
    let path = "\(Compiler.root)/docs/api/\(module).txt"
    if Self.updates {
      try now.write(toFile: path, atomically: true, encoding: .utf8)
      return
    }
    let listed = Set((try? Compiler.text(path))?.components(separatedBy: "\n") ?? [])
    let found = Set(now.components(separatedBy: "\n"))
    #expect(found.count > 20)
    let gone = listed.subtracting(found).sorted()
    #expect(gone.isEmpty, "whoever uses it breaks: \(module) has no more\n\(Self.text(gone))")
    let new = found.subtracting(listed).sorted()
    #expect(new.isEmpty, "\(module) has newly\n\(Self.text(new))")
  }

  private static func text(_ lines: [String]) -> String {
    (lines.prefix(20) + [lines.count > 20 ? "and \(lines.count - 20) more" : "", remedy]).joined(
      separator: "\n")
  }

  private static let remedy = """
    If that is meant: CARILLON_UPDATE_API=1 swift test --filter ListingTests, tell it in CHANGELOG.md, and commit docs/api.
    """
}
