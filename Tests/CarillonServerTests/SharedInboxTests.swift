import CarillonAPI
import CarillonJSON
import CarillonModel
import IntegrationSupport
import Testing

/// One inbox for several devices of a user.
@Suite struct SharedInboxTests {
  /// Field case 43, without the push: what is read on one device changes the other's number at its next sync, also
  /// when that one's report says nothing new.
  @Test func fieldCase43() async throws {
    try await TestServer.withTenant { server, tenant in
      let (phone, tablet) = (InboxPhone(server, tenant, user: "u"), InboxPhone(server, tenant, user: "u"))
      for device in [phone, tablet] { try await device.sync() }
      for index in 0..<3 {
        for device in [phone, tablet] { try await device.put("m\(index)", at: Int64(index + 1) * 60) }
      }
      for device in [phone, tablet] { try await device.put("next", at: 7200, content: "\"badge\":1") }
      for device in [phone, tablet] { try await device.sync() }
      server.clock.advance(seconds: 600)
      // An occurrence on both is one item.
      #expect(try await phone.sync().unread == 3)
      #expect(try await tablet.sync().unread == 3)
      #expect(try await tablet.items() == ["m2", "m1", "m0"])
      for device in [phone, tablet] { while !(try await device.sync().added.isEmpty) {} }
      let steady = try await phone.sync()
      #expect(steady.unread == 3 && steady.added == [] && phone.badges == [4])
      let two = try await tablet.itemIDs().prefix(2).map { "\"\($0)\"" }.joined(separator: ",")
      #expect(try await tablet.mark("read", "{\"ids\":[\(two)]}") == 1)
      let after = try await phone.sync()
      #expect(after.unread == 1 && after.added == ["next"] && phone.badges == [2])
      // Opening the app without reading changes nothing.
      #expect(try await phone.sync().unread == 1)
    }
  }

  /// A notification on one device of a user alone changes what the other one is told.
  @Test func anItemOfOneDeviceIsToldToTheOther() async throws {
    try await TestServer.withTenant { server, tenant in
      let (phone, tablet) = (InboxPhone(server, tenant, user: "u"), InboxPhone(server, tenant, user: "u"))
      try await phone.put("only", at: 60)
      for device in [phone, tablet] {
        try await device.sync()
        try await device.sync()
      }
      server.clock.advance(seconds: 120)
      #expect(try await tablet.sync().unread == 0)
      #expect(try await phone.sync().unread == 1)
      #expect(try await tablet.sync().unread == 1)
    }
  }

  /// An empty user is nobody: phones that are signed out share nothing.
  @Test func signedOutPhonesShareNothing() async throws {
    try await TestServer.withTenant { server, tenant in
      let (phone, other) = (InboxPhone(server, tenant, user: ""), InboxPhone(server, tenant, user: ""))
      try await phone.put("mine", at: 60)
      for device in [phone, other] { try await device.sync() }
      server.clock.advance(seconds: 120)
      #expect(try await phone.sync().unread == 1)
      #expect(try await other.sync().unread == 0)
      #expect(try await phone.items() == ["mine"])
      #expect(try await other.items() == [])
    }
  }

  @Test func aSecondUserSeesNothingOfTheFirst() async throws {
    try await TestServer.withTenant { server, tenant in
      let phone = InboxPhone(server, tenant)
      try await phone.put("before", at: 60)
      try await phone.put("hers", at: 180)
      try await phone.sync()
      server.clock.advance(seconds: 120)
      try await phone.sync()
      phone.user = "ann"
      #expect(try await phone.sync().unread == 1)
      #expect(try await phone.items() == ["before"])
      server.clock.advance(seconds: 120)
      // What came due before the switch is hers, though his report brings it.
      phone.user = "bob"
      #expect(try await phone.sync().unread == 0)
      #expect(try await phone.items("?state=all") == [])
      let tablet = InboxPhone(server, tenant, user: "ann")
      #expect(try await tablet.sync().unread == 2)
      #expect(try await tablet.items() == ["hers", "before"])
    }
  }

  /// Two devices of a user that report, and a web page that marks, all at once: nobody waits for ever, and in the end
  /// everybody is told the same.
  @Test func manyAtOnceComeToAgree() async throws {
    try await TestServer.withTenant { server, tenant in
      let devices = (0..<4).map { _ in InboxPhone(server, tenant, user: "u") }
      for (index, device) in devices.enumerated() {
        for number in 0..<5 { try await device.put("d\(index).\(number)", at: Int64(number + 1) * 60) }
        try await device.sync()
      }
      server.clock.advance(seconds: 600)
      let paths = devices.map(\.id)
      let client = server.client(tenant)
      try await withThrowingTaskGroup(of: Int.self) { group in
        for path in paths {
          for sequence in 10..<16 {
            group.addTask {
              let body = "{\"sequence\":\(sequence),\"pending\":[]}"
              return try await client.send("POST", Reports.path(path), body: body).status
            }
            group.addTask {
              let body = "{\"before\":\"\(Reports.time(Int64(sequence - 9) * 60))\"}"
              return try await client.send("POST", Reports.path(path, "/inbox/read"), body: body).status
            }
          }
        }
        for try await status in group { #expect(status == 200) }
      }
      let left = try await client.send(
        "POST", Reports.path(paths[0], "/inbox/read"), body: "{\"before\":\"\(Reports.time(181))\"}")
      #expect(left.json["unread"]?.int != nil)
      for path in paths {
        let answer = try await client.send(
          "POST", Reports.path(path), body: "{\"sequence\":99,\"pending\":[]}")
        #expect(answer.json.unread == left.json["unread"]?.int)
      }
      let items = try await client.send("GET", Reports.path(paths[0], "/inbox?state=all&limit=200"))
      #expect(items.json["items"]?.array?.count == 20)
    }
  }
}
