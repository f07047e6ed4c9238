import CarillonJSON
import Testing
import TestSupport

/// The public JSON parsing suite: `y_` must be read, `n_` must be refused, `i_` is ours to decide but never a crash.
@Suite("The public JSON suite")
struct SuiteTests {
  static let folder = SharedData.folder("data/json")
  static let files = folder.map { SharedData.names(in: $0).filter { $0.hasSuffix(".json") } } ?? []

  private func outcome(of bytes: [UInt8], limits: JSONLimits = JSONLimits()) -> (skip: Bool, value: Bool) {
    var limits = limits
    limits.refusesDuplicateNames = false
    let skipped = try? JSONReader.read(bytes, limits: limits) { (reader) throws(JSONError) in
      try reader.skip()
      return true
    }
    return (skipped ?? false, (try? JSONValue(parsing: bytes, limits: limits)) != nil)
  }

  @Test(.enabled(if: folder != nil, "no shared folder data/json"), arguments: files)
  func everyFile(_ name: String) throws {
    let bytes = try SharedData.bytes(of: #require(Self.folder) + "/" + name)
    let (skip, value) = outcome(of: bytes)
    switch name.prefix(2) {
    case "y_": #expect(skip && value)
    case "n_": #expect(!skip && !value)
    default: #expect(skip == value, "skipping and reading must agree")
    }
    // With the deepest nesting we ever allow, the stack still holds.
    let deep = outcome(of: bytes, limits: JSONLimits(depth: JSONLimits.deepest))
    #expect(name.hasPrefix("n_") ? !deep.skip && !deep.value : deep.skip == deep.value)
  }

  @Test(.enabled(if: folder != nil, "no shared folder data/json"))
  func theWholeSuiteIsThere() {
    #expect(Self.files.count { $0.hasPrefix("y_") } >= 90)
    #expect(Self.files.count { $0.hasPrefix("n_") } >= 180)
  }
}
