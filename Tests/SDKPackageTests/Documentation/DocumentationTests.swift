import Foundation
import Testing

/// The catalogues convert without a warning: every link leads somewhere.
@Suite struct DocumentationTests {
  @Test(arguments: ["CarillonClient", "CarillonTesting"]) func catalogueConverts(_ module: String)
    async throws
  {
    let graphs = try await SymbolGraphs.shared.value
    try await Compiler.run("docc", Self.arguments(module, graphs, as: "docs-\(module)"))
  }

  @Test func aLinkToNothingIsSeen() async throws {
    let graphs = try await SymbolGraphs.shared.value
    let catalogue = try Compiler.folder("broken") + "/Documentation.docc"
    try FileManager.default.copyItem(
      atPath: "\(Compiler.root)/Sources/CarillonTesting/Documentation.docc", toPath: catalogue)
    let page = catalogue + "/CarillonTesting.md"
    try Compiler.text(page).replacingOccurrences(of: "``ManualClock``", with: "``ManualClok``")
      .write(toFile: page, atomically: true, encoding: .utf8)
    await #expect(throws: Compiler.Failure.self) {
      try await Compiler.run(
        "docc", Self.arguments("CarillonTesting", graphs, as: "docs-broken", catalogue: catalogue))
    }
  }

  private static func arguments(
    _ module: String, _ graphs: SymbolGraphs, as name: String, catalogue: String? = nil
  ) throws -> [String] {
    [
      "convert", catalogue ?? "\(Compiler.root)/Sources/\(module)/Documentation.docc",
      "--additional-symbol-graph-dir", graphs.documented(module), "--output-dir",
      try Compiler.folder(name) + "/\(module).doccarchive", "--fallback-display-name", module,
      "--fallback-bundle-identifier", module, "--warnings-as-errors",
    ]
  }
}
