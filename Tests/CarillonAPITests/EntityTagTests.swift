import CarillonAPI
import Testing

@Suite struct EntityTagTests {
  @Test(arguments: [
    (#""3""#, ["3"]), (#"W/"3""#, ["W/3"]), (#""a", W/"b" ,"c""#, ["a", "W/b", "c"]), (#" "" "#, [""]),
    (#","a",,"b","#, ["a", "b"]), (#""a,b""#, ["a,b"]),
  ])
  func readsLists(field: String, tags: [String]) throws {
    let expected = tags.map {
      $0.hasPrefix("W/") ? EntityTag(String($0.dropFirst(2)), isWeak: true) : EntityTag($0)
    }
    #expect(try EntityTagCondition(field) == .tags(expected))
    #expect(try EntityTagCondition(expected.map(\.description).joined(separator: ", ")) == .tags(expected))
  }

  @Test(arguments: [
    "", " ", ",", "3", "\"3", "3\"", "w/\"3\"", "W/3", "\"a\" \"b\"", "*, \"a\"", "\"a b\"", "\"a\"x",
    Array(repeating: "\"a\"", count: 33).joined(separator: ","),
  ])
  func refusesOthers(field: String) {
    #expect { try EntityTagCondition(field) } throws: { ($0 as? Problem)?.code == .invalidHeader }
  }

  @Test func comparesWeaklyForReadingAndStronglyForWriting() throws {
    let current = EntityTag.policy(version: 3)
    #expect(try EntityTagCondition("W/\"3\"").matches(current))
    #expect(try !EntityTagCondition("W/\"3\"").matchesStrongly(current))
    #expect(try EntityTagCondition("\"2\", \"3\"").matchesStrongly(current))
    #expect(try !EntityTagCondition("\"2\"").matches(current))
    #expect(try EntityTagCondition(" * ").matches(current))
    #expect(try !EntityTagCondition("\"3\"").matchesStrongly(current.weakened))
  }

  @Test(arguments: [("3", 3), ("0", 0), ("03", nil), ("-1", nil), ("x", nil), ("", nil)])
  func namesAPolicyVersion(opaque: String, version: Int?) {
    #expect(EntityTag(opaque).policyVersion == version)
    #expect(EntityTag(opaque, isWeak: true).policyVersion == nil)
  }

  @Test func aPlansTagChangesWithWhatItDependsOn() {
    let tags = [
      EntityTag.plan(version: 1, policyVersion: 2, dependencies: ["2025b", "x"]),
      .plan(version: 2, policyVersion: 2, dependencies: ["2025b", "x"]),
      .plan(version: 1, policyVersion: 3, dependencies: ["2025b", "x"]),
      .plan(version: 1, policyVersion: 2, dependencies: ["2025c", "x"]),
      .plan(version: 1, policyVersion: 2, dependencies: ["2025bx", ""]),
    ]
    #expect(Set(tags).count == tags.count)
    #expect(tags[0] == .plan(version: 1, policyVersion: 2, dependencies: ["2025b", "x"]))
  }
}
