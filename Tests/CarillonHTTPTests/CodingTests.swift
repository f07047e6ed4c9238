import CarillonHTTP
import Foundation
import Testing

/// What `Accept-Encoding` asks for, and what it gets.
@Suite struct CodingTests {
  @Test(
    arguments: [
      ([], false), ([""], false), (["gzip"], true), (["GZip"], true), (["x-gzip"], true), (["*"], true),
      (["identity"], false), (["deflate, br"], false), (["deflate, gzip, br"], true), (["br", "gzip"], true),
      (["gzip;q=0"], false), (["gzip;q=0.0"], false), (["gzip;q=0.000"], false), (["gzip;q=0.001"], true),
      (["gzip;q=1.000"], true), (["gzip ; q=0.5"], true), (["gzip;Q=0.5"], true), (["*;q=0"], false),
      (["gzip;q=0, *"], false), (["gzip, *;q=0"], true), (["identity, gzip;q=0.5"], false),
      (["identity;q=0.5, gzip;q=0.5"], true), (["identity;q=0"], false), ([", ,gzip,"], true),
      // Not by the rules: nothing is asked for.
      (["gzip;q=1.001"], false), (["gzip;q=2"], false), (["gzip;q=-1"], false), (["gzip;q=.5"], false),
      (["gzip;q=0.5000"], false), (["gzip;q="], false), (["gzip;q"], false), (["gzip;level=1"], false),
      (["gzip;q=1;q=0"], false), (["gzip br"], false), (["gzip;q=0,5"], false), (["gzip;"], false),
      (["gzip, (br)"], false), (["gzip;q=nan"], false), (["gzipped"], false),
      ([String(repeating: "a,", count: 40) + "gzip"], false),
    ] as [([String], Bool)])
  func acceptEncodingIsReadStrictly(fields: [String], isAsked: Bool) {
    #expect(AcceptEncoding(fields).prefersGzip == isAsked)
  }

  /// One compressor, one body after the other, against the program everybody has.
  @Test func whatIsCompressedUnfolds() throws {
    let gzip = Gzip()
    var random = SystemRandomNumberGenerator()
    let bodies: [[UInt8]] = [
      [7], Array(String(repeating: "{\"id\":\"a\"},", count: 20_000).utf8),
      (0..<100_000).map { _ in UInt8.random(in: .min ... .max, using: &random) }, Array("[]".utf8),
    ]
    for body in bodies {
      let compressed = try #require(gzip.compress(body))
      #expect(try unfold(compressed) == body)
    }
    #expect(try #require(gzip.compress(bodies[1])).count < bodies[1].count / 50)
    #expect(gzip.compress([]) == nil)
  }

  private func unfold(_ bytes: [UInt8]) throws -> [UInt8] {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).gz")
    try Data(bytes).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let process = Process()
    process.executableURL = URL(filePath: "/bin/gzip")
    process.arguments = ["-dc", file.path]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let unfolded = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return Array(unfolded)
  }
}
