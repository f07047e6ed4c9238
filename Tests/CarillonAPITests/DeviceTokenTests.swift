import CarillonAPI
import CarillonJSON
import CarillonModel
import Foundation
import TestSupport
import Testing

@Suite struct DeviceTokenTests {
  static let claims = DeviceTokenClaims(
    device: Sample.device,
    tenant: TenantID(UUID128(high: 0x1111_1111_1111_4111, low: 0x8111_1111_1111_1111)),
    issuedAt: Sample.now, expiresAt: Sample.now.adding(seconds: 3_600))
  /// Made by another implementation, under the key 0, 1, 2 … 31.
  static let input =
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCIsImtpZCI6ImFiY2RlZmdoaWprbCJ9."
    + "eyJzdWIiOiI4ZDNmNmYyZS01MmQ0LTRmMjktOWM5Yi0wYzNjOGExYzFhMTEiLCJ0aWQiOiIxMTExMTExMS0xMTExLTQxMTEtODExMS0xMTExMTExMTExMTEi"
    + "LCJpYXQiOjE3OTYwMzI4MDAsImV4cCI6MTc5NjAzNjQwMH0"
  static let signature = "BC8rn68ljNh55axaw5GAjsoV4v4swMz9nUNaThFd7xw"

  @Test func isWrittenAsOthersWriteIt() throws {
    let input = DeviceToken.signingInput(keyID: "abcdefghijkl", Self.claims)
    #expect(String(decoding: input, as: UTF8.self) == Self.input)
    let token = try #require(DeviceToken("\(Self.input).\(Self.signature)"))
    #expect(token.keyID == "abcdefghijkl")
    #expect(token.signingInput == input)
    #expect(token.signature.prefix(4) == [0x04, 0x2f, 0x2b, 0x9f])
    #expect(token.claims() == Self.claims)
    #expect(DeviceToken.text(input, signature: token.signature) == "\(Self.input).\(Self.signature)")
  }

  /// `uid`: absent for whoever is there, empty for nobody.
  @Test(
    arguments: [nil, .nobody, BoundUser("ann"), BoundUser(String(repeating: "\"", count: 256))]
      as [BoundUser?])
  func aUserIsPartOfTheClaims(_ user: BoundUser?) throws {
    var claims = Self.claims
    claims.user = user
    let input = DeviceToken.signingInput(keyID: "abcdefghijkl", claims)
    let text = "\(String(decoding: input, as: UTF8.self)).\(Self.signature)"
    #expect(try #require(DeviceToken(text)).claims() == claims)
    #expect((String(decoding: input, as: UTF8.self) == Self.input) == (user == nil))
    let request = TokenRequest(user: user)
    #expect(try TokenRequest(request.json) == request)
  }

  @Test func isReadWithItsMembersInAnyOrder() {
    let header = #"{ "kid":"abcdefghijkl", "typ":"JWT","alg":"HS256"}"#
    let payload =
      #"{"exp":1796036400,"later":[{}],"iat":1796032800,"tid":"11111111-1111-4111-8111-111111111111","sub":"8D3F6F2E-52D4-4F29-9C9B-0C3C8A1C1A11"}"#
    #expect(DeviceToken(token(header, payload))?.claims() == Self.claims)
  }

  @Test(arguments: [
    #"{"alg":"none","typ":"JWT","kid":"abcdefghijkl"}"#, #"{"alg":"None","typ":"JWT","kid":"abcdefghijkl"}"#,
    #"{"alg":"hs256","typ":"JWT","kid":"abcdefghijkl"}"#,
    #"{"alg":"HS256 ","typ":"JWT","kid":"abcdefghijkl"}"#,
    #"{"alg":"HS512","typ":"JWT","kid":"abcdefghijkl"}"#,
    #"{"alg":"RS256","typ":"JWT","kid":"abcdefghijkl"}"#,
    #"{"alg":["HS256"],"typ":"JWT","kid":"abcdefghijkl"}"#,
    #"{"alg":null,"typ":"JWT","kid":"abcdefghijkl"}"#,
    #"{"typ":"JWT","kid":"abcdefghijkl"}"#, #"{"alg":"HS256","kid":"abcdefghijkl"}"#,
    #"{"alg":"HS256","typ":"jwt","kid":"abcdefghijkl"}"#,
    #"{"alg":"HS256","typ":"JWT"}"#, #"{"alg":"HS256","typ":"JWT","kid":""}"#,
    #"{"alg":"HS256","typ":"JWT","kid":"abcdefghijk"}"#,
    #"{"alg":"HS256","typ":"JWT","kid":"abcdefghijkL"}"#,
    #"{"alg":"HS256","typ":"JWT","kid":"abcdefghij'-"}"#,
    #"{"alg":"HS256","typ":"JWT","kid":"../../../etc"}"#, #"{"alg":"HS256","typ":"JWT","kid":12}"#,
    #"{"alg":"HS256","typ":"JWT","kid":"abcdefghijkl","crit":["exp"]}"#,
    #"{"alg":"HS256","typ":"JWT","kid":"abcdefghijkl","jwk":{"kty":"oct","k":"AA"}}"#,
    #"{"alg":"HS256","typ":"JWT","kid":"abcdefghijkl","jku":"https://example.com/k"}"#,
    #"{"alg":"HS256","typ":"JWT","kid":"abcdefghijkl","alg":"none"}"#,
    #"{"alg":"none","alg":"HS256","typ":"JWT","kid":"abcdefghijkl"}"#,
    #"["HS256"]"#, "", "{", #"{"alg":"HS256","typ":"JWT","kid":"abcdefghijkl"} x"#,
  ])
  func aHeaderOfAnotherKindIsNone(_ header: String) {
    let payload =
      #"{"sub":"8d3f6f2e-52d4-4f29-9c9b-0c3c8a1c1a11","tid":"11111111-1111-4111-8111-111111111111","iat":1,"exp":2}"#
    #expect(DeviceToken(token(header, payload)) == nil)
  }

  @Test(arguments: [
    "", "{}", "[]", "null",
    #"{"tid":"11111111-1111-4111-8111-111111111111","iat":1,"exp":2}"#,
    #"{"sub":"8d3f6f2e-52d4-4f29-9c9b-0c3c8a1c1a11","iat":1,"exp":2}"#,
    #"{"sub":"8d3f6f2e-52d4-4f29-9c9b-0c3c8a1c1a11","tid":"11111111-1111-4111-8111-111111111111","exp":2}"#,
    #"{"sub":"8d3f6f2e-52d4-4f29-9c9b-0c3c8a1c1a11","tid":"11111111-1111-4111-8111-111111111111","iat":1}"#,
    #"{"sub":"x","tid":"11111111-1111-4111-8111-111111111111","iat":1,"exp":2}"#,
    #"{"sub":"8d3f6f2e-52d4-4f29-9c9b-0c3c8a1c1a11","tid":"x","iat":1,"exp":2}"#,
    #"{"sub":"8d3f6f2e-52d4-4f29-9c9b-0c3c8a1c1a11","tid":"11111111-1111-4111-8111-111111111111","iat":1,"exp":"2"}"#,
    #"{"sub":"8d3f6f2e-52d4-4f29-9c9b-0c3c8a1c1a11","tid":"11111111-1111-4111-8111-111111111111","iat":1,"exp":2.5}"#,
    #"{"sub":"8d3f6f2e-52d4-4f29-9c9b-0c3c8a1c1a11","tid":"11111111-1111-4111-8111-111111111111","iat":1,"exp":1e300}"#,
    #"{"sub":"8d3f6f2e-52d4-4f29-9c9b-0c3c8a1c1a11","tid":"11111111-1111-4111-8111-111111111111","iat":1,"exp":-2}"#,
    #"{"sub":"8d3f6f2e-52d4-4f29-9c9b-0c3c8a1c1a11","tid":"11111111-1111-4111-8111-111111111111","iat":1,"exp":2,"exp":9}"#,
    #"{"sub":"8d3f6f2e-52d4-4f29-9c9b-0c3c8a1c1a11","tid":"11111111-1111-4111-8111-111111111111","iat":1,"exp":2,"uid":7}"#,
    #"{"sub":"8d3f6f2e-52d4-4f29-9c9b-0c3c8a1c1a11","tid":"11111111-1111-4111-8111-111111111111","iat":1,"exp":2,"uid":null}"#,
  ])
  func claimsThatAreNotAllThereAreNone(_ payload: String) throws {
    let header = #"{"alg":"HS256","typ":"JWT","kid":"abcdefghijkl"}"#
    #expect(try #require(DeviceToken(token(header, payload))).claims() == nil)
  }

  @Test func onlyTheCompactFormIsRead() {
    let whole = "\(Self.input).\(Self.signature)"
    #expect(DeviceToken(whole) != nil)
    for text in [
      "", ".", "..", "...", Self.input, Self.input + ".", whole + ".", whole + ".x", "." + whole,
      whole + "=", whole + " ", " " + whole, whole + "A", String(whole.dropLast()), whole + "\n",
      "\(Self.input).\(Self.signature.dropLast())x", "\(Self.input.dropFirst()).\(Self.signature)",
      "\(Self.input)x.\(Self.signature)=", "é.é.é",
    ] {
      #expect(DeviceToken(text) == nil, "\(text)")
    }
  }

  @Test func aLongOneIsRefusedUnread() {
    let header = #"{"alg":"HS256","typ":"JWT","kid":"abcdefghijkl"}"#
    func payload(_ padding: Int) -> String {
      "{\"sub\":\"8d3f6f2e-52d4-4f29-9c9b-0c3c8a1c1a11\",\"tid\":\"11111111-1111-4111-8111-111111111111\","
        + "\"iat\":1,\"exp\":2,\"x\":\"\(String(repeating: "a", count: padding))\"}"
    }
    #expect(DeviceToken(token(header, payload(400))) != nil)
    #expect(DeviceToken(token(header, payload(800))) == nil)
  }

  @Test func printsWithoutItsSecret() throws {
    let token = try #require(DeviceToken("\(Self.input).\(Self.signature)"))
    var dumped = ""
    dump([token], to: &dumped)
    for text in ["\(token)", String(reflecting: token), dumped] {
      #expect(!text.contains(Self.signature) && !text.contains("43"), "\(text)")
      #expect(text.contains("abcdefghijkl"))
    }
  }

  @Test func requestsAndAnswersReadBack() throws {
    #expect(try TokenRequest(Array("{}".utf8)).ttl == 3_600)
    #expect(try TokenRequest(Array("{\"ttl\":null}".utf8)).ttl == 3_600)
    for ttl in [60, 86_400] { #expect(try TokenRequest(TokenRequest(ttl: ttl).json).ttl == ttl) }
    for body in ["{\"ttl\":59}", "{\"ttl\":86401}", "{\"ttl\":\"60\"}", "{\"tll\":60}", "[]", ""] {
      #expect(throws: JSONError.self) { try TokenRequest(Array(body.utf8)) }
    }
    let answer = TokenResponse(token: "a.b.c", expiresAt: Sample.now)
    #expect(try TokenResponse(answer.json) == answer)
  }

  private func token(_ header: String, _ payload: String) -> String {
    [header, payload].map { base64URL(Data($0.utf8)) }.joined(separator: ".") + "." + Self.signature
  }

  private func base64URL(_ data: Data) -> String {
    data.base64EncodedString().filter { $0 != "=" }.map { $0 == "+" ? "-" : $0 == "/" ? "_" : String($0) }
      .joined()
  }
}
