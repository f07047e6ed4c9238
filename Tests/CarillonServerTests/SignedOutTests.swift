import CarillonJSON
import CarillonModel
import IntegrationSupport
import Testing

/// What comes due while its user is signed out is announced in the user's inbox, as everything that was to be announced.
/// Nobody else sees it.
@Suite struct SignedOutTests {
  private static let daily = """
    {"id":"daily","content":{"title":"T"},"trigger":{"kind":"calendar","components":{"hour":3},"repeats":true}}
    """

  private func rows(_ phone: InboxPhone) async throws -> [String] {
    let answer = try await phone.client.send("GET", Reports.path(phone.id, "/deliveries?limit=200"))
    return answer.json["items"]?.array?.map {
      [$0["notification"]?.string, $0["outcome"]?.string, $0["reason"]?.string].compactMap { $0 }
        .joined(separator: " ")
    } ?? []
  }

  /// As whoever asks for the plan.
  private func look(_ phone: InboxPhone) async throws {
    let answer = try await phone.client.send("GET", Reports.path(phone.id, "/plan"))
    try #require(answer.status == 200, "\(answer)")
  }

  /// A phone that ann has left, with `hers` an hour ahead; she has a tablet, too.
  private func withPhone(
    policy: String? = nil,
    _ body: (TestServer, _ phone: InboxPhone, _ tablet: InboxPhone) async throws -> Void
  ) async throws {
    try await TestServer.withTenant(policy: policy) { server, tenant in
      let tablet = InboxPhone(server, tenant, user: "ann")
      try await tablet.sync()
      let phone = InboxPhone(server, tenant, user: "ann")
      try await phone.sync()
      try await phone.put("hers", at: 3_600)
      try await phone.sync()
      phone.user = ""
      #expect(try await phone.sync().removed == ["hers"])
      try await tablet.sync()
      try await body(server, phone, tablet)
    }
  }

  /// However often anybody looked at the device meanwhile.
  @Test(arguments: [0, 1, 3]) func sheFindsItWhenSheIsBack(_ looks: Int) async throws {
    try await withPhone { server, phone, _ in
      try await phone.put("any", at: 3_700)
      try await phone.sync()
      server.clock.advance(seconds: 4_000)
      for _ in 0..<looks {
        try await phone.sync(",\"foreign\":{\"count\":\(looks)}")
        try await look(phone)
        server.clock.advance(seconds: 60)
      }
      #expect(try await phone.items("?state=all") == (looks == 0 ? [] : ["any"]))
      #expect(try await rows(phone).contains { $0.hasPrefix("hers") } == false)
      phone.user = "ann"
      #expect(try await phone.sync().unread == 1)
      #expect(try await phone.sync().unread == 1)
      #expect(try await phone.items() == ["hers"])
      #expect(try await phone.inbox()["items"]?.array?.first?["outcome"]?.string == "missed")
      #expect(try await phone.inbox()["items"]?.array?.first?["at"]?.string == Reports.time(3_600))
      #expect(try await rows(phone).filter { $0.hasPrefix("hers") } == ["hers missed signedOut"])
      let why = try await phone.client.send("GET", Reports.path(phone.id, "/plan/explain?notification=hers"))
      #expect(why.json["summary"]?.string?.hasSuffix("its user was not signed in on the device.") == true)
    }
  }

  /// The tablet hears of it as soon as the phone is looked at.
  @Test func herOtherDeviceIsTold() async throws {
    try await withPhone { server, phone, tablet in
      server.clock.advance(seconds: 4_000)
      let before = try await tablet.sync()
      #expect(before.unread == 0)
      try await look(phone)
      #expect(try await tablet.sync().unread == 1)
      #expect(try await tablet.items() == ["hers"])
    }
  }

  /// With the next user her part of the queue goes, and what came due of it stays hers.
  @Test(arguments: [true, false]) func theNextUserGetsNothingOfIt(_ isLookedAt: Bool) async throws {
    try await withPhone { server, phone, tablet in
      server.clock.advance(seconds: 4_000)
      if isLookedAt { try await look(phone) }
      phone.user = "bob"
      #expect(try await phone.sync().unread == 0)
      #expect(try await phone.items("?state=all") == [])
      #expect(try await rows(phone) == [])
      #expect(try await tablet.sync().unread == 1)
      #expect(try await tablet.items() == ["hers"])
    }
  }

  /// Each of what repeats; and what is to come yet is no news.
  @Test func eachTimeOfWhatRepeats() async throws {
    try await withPhone { server, phone, _ in
      phone.user = "ann"
      try await phone.sync(",\"put\":[\(Self.daily)]")
      phone.user = ""
      try await phone.sync()
      for day in 1...3 as ClosedRange<Int64> {
        server.clock.advance(seconds: 86_400)
        try await phone.sync(",\"foreign\":{\"count\":\(day)}")
      }
      phone.user = "ann"
      #expect(try await phone.sync().unread == 4)
      // Three in the morning was first an hour and seven minutes ahead.
      #expect(try await phone.items() == ["daily", "daily", "daily", "hers"])
      #expect(try await rows(phone).filter { $0 == "daily missed signedOut" }.count == 3)
    }
  }

  /// Quiet hours had moved it when she left: she is told, and if she is back in time it rings.
  @Test(arguments: [true, false]) func whatWasMovedIsToldWhenSheLeaves(_ isBackInTime: Bool) async throws {
    let quiet = "{\"quietHours\":{\"windows\":[{\"from\":\"02:00\",\"to\":\"07:00\"}]}}"
    try await TestServer.withTenant(policy: quiet) { server, tenant in
      let phone = InboxPhone(server, tenant, user: "ann")
      try await phone.put("hers", at: 3_600)
      try await phone.sync()
      try await phone.put("hers", at: 3_600)
      try await phone.sync()
      server.clock.advance(seconds: 5_400)
      try await phone.sync(",\"foreign\":{\"count\":1}")
      phone.user = ""
      try await phone.sync()
      server.clock.advance(seconds: isBackInTime ? 600 : 40_000)
      phone.user = "ann"
      #expect(try await phone.sync().added == (isBackInTime ? ["hers"] : []))
      server.clock.advance(seconds: 40_000)
      try await phone.sync()
      #expect(try await phone.items("?state=all") == ["hers"])
      let outcome = isBackInTime ? "hers inferredDelivered" : "hers missed signedOut"
      #expect(try await rows(phone) == [outcome])
    }
  }

  /// It rang before she left, and is wanted late: days later it does not ring again.
  @Test func whatHasRungIsNotForgottenMeanwhile() async throws {
    try await TestServer.withTenant { server, tenant in
      let phone = InboxPhone(server, tenant, user: "ann")
      try await phone.sync()
      try await phone.put("late", at: 600, ",\"overdue\":\"deliverNow\"")
      try await phone.sync()
      server.clock.advance(seconds: 700)
      try await phone.sync()
      #expect(try await rows(phone) == ["late inferredDelivered"])
      phone.user = ""
      try await phone.sync()
      for day in 0..<6 as Range<Int64> {
        server.clock.advance(seconds: 86_400)
        try await phone.sync(",\"foreign\":{\"count\":\(day)}")
      }
      phone.user = "ann"
      #expect(try await phone.sync().added == [])
      #expect(try await phone.items("?state=all") == ["late"])
    }
  }
}
