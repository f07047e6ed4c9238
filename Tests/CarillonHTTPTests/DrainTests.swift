import CarillonEventLoop
import CarillonHTTP
import Synchronization
import Testing

@Suite struct DrainTests {
  @Test func `what is in flight is finished, and the connection closed`() async throws {
    let gate = Gate()
    try await withServer(answer: waiting(at: gate)) { port, worker in
      let client = Confined(try RawClient(port: port))
      try client.value.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
      await gate.entered.wait()
      let isDrained = CompletionSignal()
      let drain = Task {
        await worker.drain(.seconds(600))
        isDrained.complete()
      }
      while !(await worker.isRefusingConnections(port)) { await Task.yield() }
      #expect(!isDrained.isComplete)
      gate.opened.complete()
      try await onThread {
        let answer = try client.value.answer()
        #expect(answer.text == "GET /wait -\n\n")
        #expect(answer.header("connection") == ["close"])
        #expect(try client.value.isEnded())
      }
      await drain.value
    }
  }

  @Test func `idle connections are closed at once`() async throws {
    try await withServer { port, worker in
      let clients = Confined(try (0..<20).map { _ in try RawClient(port: port) })
      try await onThread { () throws in
        for client in clients.value.prefix(10) {
          try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
          #expect(try client.answer().status == 200)
        }
        // One that is still being asked for has no request to finish.
        try clients.value[19].send("GET / HTTP/1.1\r\nHo")
      }
      await worker.drain(.seconds(600))
      try await onThread { () throws in
        for client in clients.value { #expect(try client.remainder() == "") }
      }
    }
  }

  @Test func `a request that meets the drain is told so`() async throws {
    try await withServer { port, worker in
      let client = Confined(try RawClient(port: port))
      try await onThread {
        try client.value.send("GET /before HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try client.value.answer().status == 200)
      }
      // Sent while the loop is busy, so that the drain begins with the request unread.
      await worker.drain(.seconds(600)) {
        try? client.value.send("GET /after HTTP/1.1\r\nHost: a\r\n\r\n")
      }
      try await onThread {
        let answer = try client.value.answer()
        #expect(answer.status == 503)
        #expect(answer.text == "draining")
        #expect(answer.header("connection") == ["close"])
        #expect(try client.value.isEnded())
      }
      #expect(await worker.requests.map(\.path) == ["/before"])
    }
  }

  @Test func `when the grace is over the client is told, the handler cancelled`() async throws {
    let gate = Gate()
    try await withServer(answer: waiting(at: gate)) { port, worker in
      let clients = Confined(try (0..<5).map { _ in try RawClient(port: port) })
      for client in clients.value { try client.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n") }
      while gate.count < 5 { await Task.yield() }
      await worker.drain(.milliseconds(10))
      #expect(gate.cancelled.isComplete)
      #expect(await worker.inFlight == 0)
      try await onThread { () throws in
        for client in clients.value {
          #expect(try client.answer().status == 503)
          #expect(try client.isEnded())
        }
      }
      // The late answers find nobody, and harm nothing.
      gate.opened.complete()
    }
  }

  @Test func `a large answer under way is sent to its end`() async throws {
    let answer: Worker.Respond = { _ in
      HTTPResponse(status: 200, body: [UInt8](repeating: 0x61, count: 10_000_000))
    }
    try await withServer(answer: answer) { port, worker in
      let client = Confined(try RawClient(port: port))
      try client.value.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      while await worker.requests.isEmpty { await Task.yield() }
      async let drained: Void = worker.drain(.seconds(600))
      try await onThread { () throws in #expect(try client.value.answer().body.count == 10_000_000) }
      await drained
    }
  }

  @Test func `draining twice, at once and afterwards, waits for the first`() async throws {
    let gate = Gate()
    try await withServer(answer: waiting(at: gate)) { port, worker in
      let client = try RawClient(port: port)
      try client.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
      await gate.entered.wait()
      let drains = (0..<5).map { _ in Task { await worker.drain(.seconds(600)) } }
      gate.opened.complete()
      for drain in drains { await drain.value }
      await worker.drain(.seconds(600))
      #expect(await worker.isRefusingConnections(port))
    }
  }

  @Test func `a drain under load answers or closes, and never hangs`() async throws {
    for _ in 0..<5 {
      let answer: Worker.Respond = { request in
        await Task.yield()
        return await echo(request)
      }
      try await withServer(answer: answer) { port, worker in
        try await withThrowingTaskGroup(of: Void.self) { group in
          let count = Counter()
          for _ in 0..<8 {
            group.addTask { try await onThread { try hammer(port, count) } }
          }
          while count.value < 200 { await Task.yield() }
          await worker.drain(.seconds(600))
          try await group.waitForAll()
        }
      }
    }
  }

  @Test func `a closed server lets go of its handler`() async throws {
    let loop = try EventLoop(name: "let-go")
    loop.start()
    weak var watched: Worker?
    do {
      let worker = Worker(loop: loop, limit: 0, answer: echo)
      watched = worker
      _ = try await worker.open(.init())
      await worker.drain(.zero)
    }
    loop.stop()
    await loop.waitUntilStopped()
    #expect(watched == nil)
  }
}

func waiting(at gate: Gate) -> Worker.Respond {
  { request in
    if request.path == "/wait" { await gate.pass() }
    return await echo(request)
  }
}

final class Counter: Sendable {
  private let count = Atomic<Int>(0)
  var value: Int { count.load(ordering: .relaxed) }
  func increment() { count.wrappingAdd(1, ordering: .relaxed) }
}

/// Asks until the server ends the connection; every answer up to then must be whole.
@Sendable private func hammer(_ port: UInt16, _ count: Counter) throws {
  let client = try RawClient(port: port)
  while true {
    do {
      try client.send("GET /load HTTP/1.1\r\nHost: a\r\n\r\n")
      let answer = try client.answer()
      #expect(answer.status == 200 || answer.status == 503)
      count.increment()
      if answer.header("connection") == ["close"] { return }
    } catch let failure as RawClient.Failure {
      // Closed between two requests; never in the middle of an answer.
      #expect(failure.description == "ended after: " || failure.description.hasPrefix("send:"))
      return
    }
  }
}
