import CarillonJSON
import Foundation

/// Package.swift, as SwiftPM reads it.
struct Manifest {
  private let targets: [JSONValue]

  /// A folder of its own: the build's may be in use by who runs the tests.
  static let ours = Task { try await Manifest(of: Compiler.root, as: "manifest") }

  init(of package: String, as name: String) async throws {
    let text = try await Compiler.run(
      "swift",
      [
        "package", "--package-path", package, "--scratch-path", Compiler.folder(name), "dump-package",
      ])
    // What SwiftPM has to say besides comes before the document.
    let document = text.drop { $0 != "{" }
    targets = try JSONValue(parsing: Array(document.utf8))["targets"]?.array ?? []
  }

  private func target(_ name: String) -> JSONValue? { targets.first { $0["name"]?.string == name } }

  func kind(of name: String) -> String? { target(name)?["type"]?.string }

  func dependencies(of name: String) -> [String] {
    (target(name)?["dependencies"]?.array ?? []).compactMap {
      ($0["byName"] ?? $0["target"] ?? $0["product"])?[0]?.string
    }
  }

  /// A target and all that it needs.
  func closure(of name: String) -> Set<String> {
    var known: Set<String> = []
    var open = [name]
    while let next = open.popLast() {
      if known.insert(next).inserted { open += dependencies(of: next) }
    }
    return known
  }

  /// The upcoming features that a target is compiled with.
  func features(of name: String) -> [String] {
    (target(name)?["settings"]?.array ?? []).compactMap {
      $0["kind"]?["enableUpcomingFeature"]?["_0"]?.string
    }
  }
}
