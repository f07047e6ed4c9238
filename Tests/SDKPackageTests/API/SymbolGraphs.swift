import CarillonJSON
import Foundation

/// What the SDK's modules declare in public, as the compiler tells it.
struct SymbolGraphs {
  /// Those an app imports, and those that come with them.
  static let modules = ["CarillonClient", "CarillonTesting", "CarillonModel", "CarillonAPI", "CarillonJSON"]

  static let shared = Task { try await SymbolGraphs() }

  private let root: String

  private init() async throws {
    // As on iOS, so that Apple's notification center is there.
    let build = try await AppleBuild.iOS.value
    root = try Compiler.folder("symbols")
    for module in Self.modules { try await Self.extract(module, from: build, into: folder(of: module)) }
    try await Self.extract(
      "CarillonClient", from: build, into: documented("CarillonClient"),
      ["-experimental-allowed-reexported-modules=CarillonModel,CarillonAPI,CarillonJSON"])
    try await Self.extract("CarillonTesting", from: build, into: documented("CarillonTesting"))
  }

  private func folder(of module: String) -> String { "\(root)/\(module)" }

  /// What the module's pages can lead to: also what it brings with it.
  func documented(_ module: String) -> String { "\(root)/documented-\(module)" }

  private static func extract(
    _ module: String, from build: AppleBuild, into folder: String, _ options: [String] = []
  ) async throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try await Compiler.run(
      "swift-symbolgraph-extract",
      [
        "-module-name", module, "-target", target, "-I", build.modules, "-I", Compiler.modules,
        "-minimum-access-level", "public", "-output-dir", folder,
      ] + options)
  }

  private static let target: String = {
    #if arch(x86_64)
      "x86_64-unknown-linux-gnu"
    #else
      "aarch64-unknown-linux-gnu"
    #endif
  }()

  // MARK: Listing

  /// What a module declares, and what its types conform to, a line each, sorted.
  func listing(of module: String) throws -> String {
    var lines: Set<String> = []
    for file in try FileManager.default.contentsOfDirectory(atPath: folder(of: module)) {
      let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(folder(of: module))/\(file)"))
      let limits = JSONLimits(
        depth: 128, values: 20_000_000, bytes: 256 << 20, refusesDuplicateNames: false)
      let graph = try JSONValue(parsing: Array(bytes), limits: limits)
      var paths: [String: String] = [:]
      for symbol in graph["symbols"]?.array ?? [] {
        guard let name = symbol["identifier"]?["precise"]?.string, !name.contains("::SYNTHESIZED::") else {
          continue
        }
        let path = (symbol["pathComponents"]?.array ?? []).compactMap(\.string).joined(separator: ".")
        let words = (symbol["declarationFragments"]?.array ?? []).compactMap { $0["spelling"]?.string }
        paths[name] = path
        lines.insert("\(path) — \(words.joined())".split(separator: "\n").joined(separator: " "))
      }
      for relation in graph["relationships"]?.array ?? [] where relation["kind"]?.string == "conformsTo" {
        guard let type = relation["source"]?.string.flatMap({ paths[$0] }),
          let other = relation["targetFallback"]?.string ?? relation["target"]?.string.flatMap({ paths[$0] }),
          !Self.everybodys.contains(other)
        else { continue }
        lines.insert("\(type) : \(other)")
      }
    }
    return lines.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.joined(separator: "\n") + "\n"
  }

  /// What nearly every type conforms to without saying so.
  private static let everybodys: Set = [
    "Swift.Copyable", "Swift.Escapable", "Swift.BitwiseCopyable", "Swift.SendableMetatype",
  ]
}
