import Foundation
import Testing

/// The SDK on Apple's platforms: it compiles there, and with nothing but itself.
@Suite struct AppleTests {
  @Test(arguments: AppleBuild.Platform.allCases)
  func theWholeModuleCompilesWithoutAWarning(on platform: AppleBuild.Platform) async throws {
    try await AppleBuild(platform, as: "check-\(platform)").check()
  }

  struct Mistake: CustomTestStringConvertible {
    var testDescription: String
    var right: String
    var wrong: String
  }

  static let mistakes = [
    Mistake(
      testDescription: "a call that Apple does not declare", right: "removePendingNotificationRequests(with",
      wrong: "removePendingRequests(with"),
    Mistake(
      testDescription: "a case that a later system may add", right: "@unknown default: String(rawValue)",
      wrong: ""),
    Mistake(
      testDescription: "an object that leaves its actor",
      right: "private var center: UNUserNotificationCenter {",
      wrong: "private let center: UNUserNotificationCenter; private var other: UNUserNotificationCenter {"),
  ]

  @Test(arguments: mistakes) func aMistakeIsSeen(_ mistake: Mistake) async throws {
    let name = "mistake-\(mistake.testDescription.split(separator: " ")[1])"
    let build = try await AppleBuild(.iOS, as: name)
    await #expect(throws: Compiler.Failure.self) {
      try await build.check { $0.replacingOccurrences(of: mistake.right, with: mistake.wrong) }
    }
  }

  @Test func oneFileAsksForUserNotifications() throws {
    let files = try Compiler.files(below: "Sources").filter {
      try Compiler.text($0).contains("UserNotifications)")
    }
    #expect(files == ["\(Compiler.root)/\(AppleBuild.file)"])
    let importers = try Compiler.files(below: "Sources").filter {
      try Compiler.text($0).contains("import UserNotifications")
    }
    #expect(importers == files)
  }

  @Test(arguments: ["CarillonClient", "CarillonTesting"])
  func nothingOfTheServerComesWithIt(_ product: String) async throws {
    let manifest = try await Manifest.ours.value
    let sdk: Set = [
      "CarillonClient", "CarillonAPI", "CarillonZones", "CarillonPlanner", "CarillonModel", "CarillonJSON",
    ]
    #expect(manifest.closure(of: product) == sdk.union([product]))
    #expect(manifest.closure(of: product).allSatisfy { manifest.kind(of: $0) == "regular" })
    #expect(manifest.closure(of: "carillon-server").isSuperset(of: ["CPostgres", "CMicroHTTPD", "CGnuTLS"]))
  }
}
