import CarillonFuzzing
import Foundation
import TestSupport
import Testing

@Suite("Fuzzing targets")
struct TargetTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Corpus")

  /// What the readers know by name, one a line in quotes.
  static func words(of target: FuzzTarget) -> [[UInt8]] {
    let bytes = InputFile.bytes(of: folder.appending(path: "\(target.rawValue).dict").path) ?? []
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").filter { $0.hasPrefix("\"") }.map {
      Array($0.dropFirst().dropLast().replacing("\\\"", with: "\"").utf8)
    }
  }

  /// The fewest inputs that reach what a long run reached, one a line in base64.
  private static func learned(by target: FuzzTarget) -> [(name: String, bytes: [UInt8])] {
    let bytes = InputFile.bytes(of: folder.appending(path: "\(target.rawValue).learned").path) ?? []
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").enumerated().compactMap {
      number, line in
      Data(base64Encoded: String(line)).map { ("learned, line \(number + 1)", Array($0)) }
    }
  }

  /// What got somewhere, and what once was a finding: each file is an input.
  static func corpus(of target: FuzzTarget) -> [(name: String, bytes: [UInt8])] {
    let folder = Self.folder.appending(path: target.rawValue)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    let files = names.sorted().compactMap { name in
      InputFile.bytes(of: folder.appending(path: name).path).map { (name, $0) }
    }
    return files + learned(by: target)
  }

  @Test(arguments: FuzzTarget.allCases) func theCorpusHoldsNoFinding(_ target: FuzzTarget) {
    let corpus = Self.corpus(of: target)
    #expect(!corpus.isEmpty)
    for input in corpus {
      let finding = target.check(input.bytes)
      #expect(finding == nil, "\(target)/\(input.name): \(finding?.description ?? "")")
    }
  }

  /// Always the same inputs, so that what it finds was brought by the change; `deploy/fuzz` looks for new ones.
  @Test(arguments: FuzzTarget.allCases) func damagedInputsHoldNoFinding(_ target: FuzzTarget) {
    let mutator = Mutator(
      corpus: Self.corpus(of: target).map(\.bytes), words: Self.words(of: target))
    let isLong = ProcessInfo.processInfo.environment["CARILLON_LONG"] != nil
    var random = SeededGenerator(seed: isLong ? UInt64.random(in: 0 ... .max) : 20_261_130)
    for number in 0..<(isLong ? 100_000 : 2_000) {
      let bytes = mutator.next(using: &random)
      guard let finding = target.check(bytes) else { continue }
      Issue.record(
        "\(target), input \(number), seed \(random.seed): \(finding)\n\(Data(bytes).base64EncodedString())")
      return
    }
  }
}
