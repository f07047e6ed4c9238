import CarillonModel
import TestSupport
import Testing

@Suite("Identifiers")
struct IdentifierTests {
  @Test func uuidsReadBothCasesAndWriteLower() throws {
    let uuid = try #require(UUID128("0190163D-8694-739B-AEA5-966C26F8AD91"))
    #expect(uuid.text == "0190163d-8694-739b-aea5-966c26f8ad91")
    #expect(uuid.high == 0x0190_163d_8694_739b)
    #expect(uuid.low == 0xaea5_966c_26f8_ad91)
    #expect(UUID128(uuid.text) == uuid)
    #expect(UUID128(bytes: uuid.bytes) == uuid)
    #expect(uuid.bytes.first == 0x01 && uuid.bytes.last == 0x91)
  }

  @Test(arguments: [
    "", "0190163d-8694-739b-aea5-966c26f8ad9", "0190163d-8694-739b-aea5-966c26f8ad911",
    "0190163d8694739baea5966c26f8ad91",
    "{190163d-8694-739b-aea5-966c26f8ad91}", "0190163g-8694-739b-aea5-966c26f8ad91",
    "0190163d-8694-739b-aea5_966c26f8ad91",
    "0190163d-86947-39b-aea5-966c26f8ad91",
  ])
  func notUUIDs(_ text: String) { #expect(UUID128(text) == nil) }

  @Test func madeUUIDsAreVersionFour() {
    #expect(UUID128.make(random: (0, 0)).text == "00000000-0000-4000-8000-000000000000")
    #expect(UUID128.make(random: (.max, .max)).text == "ffffffff-ffff-4fff-bfff-ffffffffffff")
  }

  @Test(arguments: [
    "a", "com.example.habit.1", "日本", "with space", String(repeating: "x", count: 128), "é\u{A0}",
  ])
  func ids(_ text: String) { #expect(NotificationID(text)?.text == text) }

  @Test(arguments: [
    "", String(repeating: "x", count: 129), String(repeating: "é", count: 65), "a\nb", "\0", "\u{7F}",
    "a\u{85}", "\u{9F}",
  ])
  func notIds(_ text: String) { #expect(NotificationID(text) == nil) }

  @Test func idsCompareByBytes() {
    let composed = NotificationID(unchecked: "caf\u{E9}")
    let decomposed = NotificationID(unchecked: "cafe\u{301}")
    #expect(composed != decomposed)
    #expect(Set([composed, decomposed]).count == 2)
    #expect(decomposed < composed)
    #expect(NotificationID(unchecked: "Z") < NotificationID(unchecked: "a"))
    #expect(NotificationID(unchecked: "a10") < NotificationID(unchecked: "a2"))
  }

  @Test(arguments: [
    ("acme", true), ("a", true), ("0-a", true), (String(repeating: "a", count: 63), true), ("", false),
    ("-a", false), ("Acme", false), (String(repeating: "a", count: 64), false), ("a_b", false), ("é", false),
  ])
  func tenantNames(_ text: String, _ isValid: Bool) { #expect((TenantName(text) != nil) == isValid) }
}
