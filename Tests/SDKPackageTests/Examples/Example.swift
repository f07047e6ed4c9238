import Foundation

/// A program of `docs/examples`, built from its sources and what this build has made of ours already: the package itself
/// would compile everything once more (`deploy/test` does).
struct Example {
  let path: String

  static let simulator = Task { try await Example("device-simulator") }
  static let service = Task { try await Example("reminder-service") }

  private init(_ name: String) async throws {
    path = try Compiler.folder("example-\(name)") + "/\(name)"
    let modules = [
      "CarillonTesting", "CarillonClient", "CarillonAPI", "CarillonZones", "CarillonPlanner", "CarillonModel",
      "CarillonJSON",
    ]
    let objects = modules.flatMap { module in
      Compiler.files(below: "Sources/\(module)").map { source in
        "\(Compiler.programs)/\(module).build/\(URL(fileURLWithPath: source).lastPathComponent).o"
      }
    }
    try await Compiler.run(
      "swiftc",
      [
        "-swift-version", "6", "-warnings-as-errors", "-module-name", "example", "-I", Compiler.modules, "-o",
        path,
      ]
        + Compiler.files(below: "docs/examples/Sources/\(name)") + objects)
  }

  /// - Returns: its lines.
  func run(_ input: [String] = [], environment: [String: String] = [:]) async throws -> [String] {
    let variables = environment.map { "\($0.key)=\($0.value)" }
    let text = input.map { $0 + "\n" }.joined()
    return try await Compiler.run("env", variables + [path], input: text)
      .split(separator: "\n").map(String.init)
  }
}
