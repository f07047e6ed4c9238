import Foundation
import Testing

/// One row of the layer table in docs/architecture.md.
private struct Layer {
  let module: String
  let mayImport: Set<String>
  let mayImportFoundation: Bool

  static func readTable() -> [String: Layer] {
    var layers: [String: Layer] = [:]
    for line in Package.text("docs/architecture.md").lines where line.hasPrefix("| ") {
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard cells.count == 5, cells[1].hasPrefix("`") else { continue }
      let module = cells[1].trimmingCharacters(in: ["`"])
      let imports = cells[3].split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
      layers[module] = Layer(
        module: module, mayImport: Set(imports), mayImportFoundation: cells[4] == "yes")
    }
    return layers
  }
}

@Suite struct LayerTests {
  private static let alwaysAllowed: Set<String> = ["Glibc", "Synchronization", "Darwin"]
  private static let foundation: Set<String> = [
    "Foundation", "FoundationNetworking", "FoundationEssentials", "Dispatch", "UserNotifications",
    "CoreLocation",
  ]

  private func importedModule(_ line: String) -> String? {
    var words = line.split(separator: " ").map(String.init)
    while let first = words.first, first.hasPrefix("@") || ["public", "internal", "private"].contains(first) {
      words.removeFirst()
    }
    guard words.first == "import", words.count >= 2 else { return nil }
    return String(words.last!.split(separator: ".")[0])
  }

  @Test func everyModuleStandsInTheTable() {
    let layers = Layer.readTable()
    let modules = Set(Package.sources.map(\.module))
    #expect(modules.subtracting(layers.keys) == [], "add a row to docs/architecture.md")
    #expect(Set(layers.keys).subtracting(modules) == [], "docs/architecture.md names modules that are gone")
  }

  @Test(arguments: Package.sources) func importsGoDownOnly(_ file: Package.SourceFile) throws {
    let layer = try #require(Layer.readTable()[file.module])
    for name in file.lines.compactMap(importedModule) where !Self.alwaysAllowed.contains(name) {
      if Self.foundation.contains(name) {
        #expect(layer.mayImportFoundation, "\(file.path) imports \(name)")
      } else {
        #expect(layer.mayImport.contains(name), "\(file.path) imports \(name); see docs/architecture.md")
      }
    }
  }

  @Test func noModuleImportsItself() {
    for layer in Layer.readTable().values { #expect(!layer.mayImport.contains(layer.module)) }
  }
}
