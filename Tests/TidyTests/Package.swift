import Foundation

/// The package as files: what the rules are held against.
enum Package {
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  struct SourceFile: Sendable, CustomStringConvertible {
    /// The target's folder, e.g. `CarillonPlanner`.
    let module: String
    /// From the package root.
    let path: String
    let lines: [String]

    var description: String { path }
  }

  /// Every Swift file below `folder` (from the root), with its module.
  static func swiftFiles(below folder: String) -> [SourceFile] {
    files(below: folder, extension: "swift").map { path in
      let parts = path.split(separator: "/")
      return SourceFile(
        module: folder == "sql" ? "CarillonSQL" : String(parts[1]), path: path, lines: text(path).lines)
    }
  }

  static func files(below folder: String, extension wanted: String) -> [String] {
    let base = root.appendingPathComponent(folder)
    let all = FileManager.default.enumerator(atPath: base.path)?.compactMap { $0 as? String } ?? []
    return all.filter { $0.hasSuffix(".\(wanted)") }.map { "\(folder)/\($0)" }.sorted()
  }

  static func text(_ path: String) -> String {
    (try? String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)) ?? ""
  }

  static func topLevel() -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: root.path)) ?? []).sorted()
  }

  static let sources = swiftFiles(below: "Sources") + swiftFiles(below: "sql")
  static let tests = swiftFiles(below: "Tests")
}

extension String {
  var lines: [String] { components(separatedBy: "\n") }
}
