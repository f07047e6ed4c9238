import Foundation
import Testing

/// What the pages show is compiled, and run where it can run here.
///
/// A fenced block of Swift in a page stands in a source file too, between `// sample: NAME` and `// end`. Files below
/// `Samples` are part of these tests and run; those below `Tests/AppleStubs/Samples` speak of Apple's frameworks and
/// are compiled against the stubs.
@Suite struct SampleTests {
  static let pages =
    ["\(Compiler.root)/README.md"]
    + Compiler.files(below: "Sources/CarillonClient/Documentation.docc", withExtension: "md")
    + Compiler.files(below: "Sources/CarillonTesting/Documentation.docc", withExtension: "md")

  static let appleSamples = Compiler.files(below: "Tests/AppleStubs/Samples")

  @Test(arguments: pages.map(Compiler.name)) func whatAPageShowsIsCompiled(_ page: String) throws {
    let compiled = try Set(
      (Compiler.files(below: "Tests/SDKPackageTests/Documentation/Samples") + Self.appleSamples)
        .flatMap { Self.samples(in: try Compiler.text($0)) })
    let blocks = Self.blocks(in: try Compiler.text("\(Compiler.root)/\(page)"))
    for block in blocks {
      #expect(compiled.contains(block), "\(page) shows what no sample has:\n\(block)")
    }
  }

  /// Every page but a list has something to try.
  @Test func pagesHaveSamples() throws {
    for page in Self.pages where !page.hasSuffix("CarillonClient.md") {
      #expect(!Self.blocks(in: try Compiler.text(page)).isEmpty, "\(page) shows nothing")
    }
  }

  /// Each a program of its own, as an app's author compiles it.
  @Test(arguments: appleSamples.map(Compiler.name)) func aSampleForApplePlatformsCompiles(
    _ sample: String
  ) async throws {
    let build = try await AppleBuild.iOS.value
    try await build.compileSample("\(Compiler.root)/\(sample)")
  }

  @Test func aBrokenSampleIsSeen() async throws {
    let build = try await AppleBuild.iOS.value
    let text = try Compiler.text("\(Compiler.root)/Tests/AppleStubs/Samples/Readme.swift")
    let broken = "\(build.folder)/Broken.swift"
    try text.replacingOccurrences(of: "carillon.sync()", with: "carillon.synchronize()")
      .write(toFile: broken, atomically: true, encoding: .utf8)
    await #expect(throws: Compiler.Failure.self) { try await build.compileSample(broken) }
  }

  // MARK: Reading

  private static func blocks(in page: String) -> [String] {
    page.components(separatedBy: "```swift\n").dropFirst().map {
      String($0.components(separatedBy: "\n```")[0])
    }
  }

  private static func samples(in source: String) -> [String] {
    var samples: [String] = []
    var open: [String]?
    for line in source.components(separatedBy: "\n") {
      let words = line.trimmingCharacters(in: .whitespaces)
      if words.hasPrefix("// sample: ") {
        open = []
      } else if words == "// end", let lines = open {
        samples.append(dedented(lines))
        open = nil
      } else {
        open?.append(line)
      }
    }
    return samples
  }

  private static func dedented(_ lines: [String]) -> String {
    let indent = lines.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
    return lines.map { String($0.dropFirst(indent)) }.joined(separator: "\n")
  }
}
