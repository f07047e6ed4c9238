import Foundation

/// `CarillonClient` as one of Apple's platforms sees it, compiled against stubs of what Apple declares there.
///
/// The compiler has no Apple platform here, so in the one file that asks for the platform, `os(iOS)` is read as
/// `os(Linux)` and the others as what they are.
struct AppleBuild {
  enum Platform: String, CaseIterable { case iOS, macOS, watchOS, visionOS }

  /// The one file that knows Apple's framework.
  static let file = "Sources/CarillonClient/Center/UserNotificationCenterClient.swift"

  let platform: Platform
  let folder: String
  private let features: [String]

  /// Where the stubs are, with `CarillonClient` after ``emitClient()``.
  var modules: String { "\(folder)/modules" }

  init(_ platform: Platform, as name: String) async throws {
    self.platform = platform
    folder = try Compiler.folder(name)
    features = try await Manifest.ours.value.features(of: "CarillonClient")
    try FileManager.default.createDirectory(atPath: modules, withIntermediateDirectories: true)
    // Resilient, as Apple's frameworks are: their enumerations may get cases, and a switch has to say so.
    for stub in ["CoreLocation", "UserNotifications"] {
      try await Compiler.run(
        "swiftc",
        [
          "-emit-module", "-module-name", stub, "-enable-library-evolution", "-parse-as-library",
          "-swift-version", "6", "-D", platform.rawValue.uppercased(), "-I", modules,
          "-emit-module-path", "\(modules)/\(stub).swiftmodule",
        ] + Compiler.files(below: "Tests/AppleStubs/\(stub)"))
    }
  }

  /// Whole, for those who import it: built once.
  static let iOS = Task {
    let build = try await AppleBuild(.iOS, as: "iOS")
    try await build.emitClient()
    return build
  }

  /// The sources of `CarillonClient`, the one file as the platform sees it.
  ///
  /// - Parameter change: what is done to that file.
  private func sources(_ change: (String) -> String) throws -> [String] {
    let text = change(try Compiler.text("\(Compiler.root)/\(Self.file)"))
      .replacingOccurrences(of: "os(\(platform))", with: "os(Linux)")
    let copy = "\(folder)/\(URL(fileURLWithPath: Self.file).lastPathComponent)"
    try text.write(toFile: copy, atomically: true, encoding: .utf8)
    return [copy] + Compiler.files(below: "Sources/CarillonClient").filter { !$0.hasSuffix(Self.file) }
  }

  /// What every target of the package is compiled with.
  var strict: [String] {
    ["-swift-version", "6", "-warnings-as-errors", "-parse-as-library", "-package-name", "carillon"]
      + features.flatMap { ["-enable-upcoming-feature", $0] }
      + ["-I", modules, "-I", Compiler.modules]
  }

  /// Compiles the whole module as far as anything can be wrong with it.
  ///
  /// - Throws: what the compiler says.
  func check(changing change: (String) -> String = { $0 }) async throws {
    try await Compiler.run(
      "swiftc",
      strict + ["-wmo", "-emit-sil", "-o", "/dev/null", "-module-name", "CarillonClient"]
        + sources(change))
  }

  /// Compiles a program of one file that imports the SDK, as far as anything can be wrong with it.
  func compileSample(_ path: String) async throws {
    try await Compiler.run(
      "swiftc",
      [
        "-swift-version", "6", "-warnings-as-errors", "-I", modules, "-I", Compiler.modules, "-emit-sil",
        "-o",
        "/dev/null", path,
      ])
  }

  private func emitClient() async throws {
    try await Compiler.run(
      "swiftc",
      strict + [
        "-wmo", "-emit-module", "-emit-module-path", "\(modules)/CarillonClient.swiftmodule", "-module-name",
        "CarillonClient",
      ] + sources { $0 })
  }
}
