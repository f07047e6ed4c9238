import CarillonEventLoop
import CarillonHTTP
import Glibc
import Testing

@Suite struct LoopTests {
  /// Waits of every kind that stay on the loop.
  private static let waitingOnLoop: Worker.Respond = { request in
    switch request.path {
    case "/yield": await Task.yield()
    case "/children":
      async let one = echo(request)
      async let two = echo(request)
      _ = await (one, two)
    case "/group":
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<3 { group.addTask { await Task.yield() } }
      }
    default: break
    }
    return await echo(request)
  }

  @Test(arguments: ["/now", "/yield", "/children", "/group"])
  func `no job of a request leaves the loop`(_ path: String) async throws {
    try await withServer(answer: Self.waitingOnLoop) { port, worker in
      let before = worker.loop.remoteEnqueueCount
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<4 {
          group.addTask {
            try await onThread {
              let client = try RawClient(port: port)
              for _ in 0..<200 {
                try client.send("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(try client.answer().status == 200)
              }
            }
          }
        }
        try await group.waitForAll()
      }
      #expect(worker.loop.remoteEnqueueCount == before)
    }
  }

  @Test func `handlers run on the loop, before and after a wait`() async throws {
    let loop = try EventLoop(name: "handlers")
    loop.start()
    let answer: Worker.Respond = { _ in
      var onLoop = loop.isCurrent
      try? await Task.sleep(for: .milliseconds(1))
      onLoop = onLoop && loop.isCurrent
      return HTTPResponse(status: onLoop ? 200 : 500)
    }
    let worker = Worker(loop: loop, limit: 0, answer: answer)
    let port = try await worker.open(.init())
    try await onThread {
      let client = try RawClient(port: port)
      try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try client.answer().status == 200)
    }
    await worker.close()
    loop.stop()
    await loop.waitUntilStopped()
  }

  @Test func `several loops share a port`() async throws {
    try await withServer { port, _ in
      var configuration = HTTPServer.Configuration()
      configuration.port = port
      configuration.sharesPort = true
      try await withServer(configuration) { second, _ in
        #expect(second == port)
        try await onThread {
          for _ in 0..<50 {
            let client = try RawClient(port: port)
            try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.answer().status == 200)
          }
        }
      }
    }
  }

  /// Whether it shares the port with others of its own, or has it alone.
  @Test func `a port that another server has is refused`() async throws {
    var configuration = HTTPServer.Configuration()
    try await withServer { port, _ in
      configuration.port = port
      configuration.sharesPort = true
      try await withServer(configuration) { _, _ in
        configuration.sharesPort = false
        for address in ["127.0.0.1", "0.0.0.0"] {
          configuration.address = address
          #expect(await refusal(of: configuration) == EADDRINUSE)
        }
      }
    }
  }

  /// The errno for which no server can be opened; nil: it can.
  private func refusal(of configuration: HTTPServer.Configuration) async -> Int32? {
    do {
      try await withServer(configuration) { _, _ in () }
      return nil
    } catch {
      guard case .cannotListen(_, _, let errno) = error as? HTTPServerError else { return 0 }
      return errno
    }
  }

  @Test func `two hundred openings and closings leave no descriptor`() async throws {
    let cycles = 200
    let before = pollDescriptors()
    for _ in 0..<cycles {
      try await withServer { port, _ in
        let client = try RawClient(port: port)
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      }
    }
    // Each cycle opens two of each kind; what other tests have open meanwhile is far less than a leak of one.
    #expect(pollDescriptors() - before < cycles / 2)
  }

  private func pollDescriptors() -> Int {
    guard let directory = opendir("/proc/self/fd") else { return 0 }
    defer { closedir(directory) }
    var count = 0
    while let entry = readdir(directory) {
      var link = [UInt8](repeating: 0, count: 64)
      let length = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { name in
          link.withUnsafeMutableBytes { readlinkat(dirfd(directory), name, $0.baseAddress!, $0.count) }
        }
      }
      let text = String(decoding: link.prefix(max(0, length)), as: UTF8.self)
      if text == "anon_inode:[eventpoll]" || text == "anon_inode:[eventfd]" { count += 1 }
    }
    return count
  }
}
