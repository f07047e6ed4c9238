import CMicroHTTPD
import CarillonEventLoop

/// From a request that libmicrohttpd has read to the answer it sends.
extension HTTPServer {
  /// The header block is in.
  func begin(
    _ connection: Connection, method: UnsafePointer<CChar>, version: UnsafePointer<CChar>
  ) -> MHD_Result {
    connection.requestNumber += 1
    connection.isReadingFields = false
    enter(.receiving, connection)
    underWay += 1
    let head: RequestHead
    do {
      head = try RequestHead(
        connection: connection.handle, method: method, version: version, target: connection.target)
    } catch {
      return refuse(connection, .malformed(detail: error.detail))
    }
    if isDraining { return refuse(connection, .draining) }
    if heldBytes >= configuration.heldBytesLimit { return refuse(connection, .overloaded) }
    if head.hasBody {
      let limit = onHandler { $0.bodyLimit(method: head.method, path: head.path) }
      guard let length = head.contentLength else { return refuse(connection, .lengthRequired) }
      guard length <= limit else { return refuse(connection, .bodyTooLarge(limit: limit)) }
      if length > Self.firstBodyCapacity, let response = onHandler({ $0.refusal(of: head.request) }) {
        return refuse(connection, with: response)
      }
      connection.body.reserveCapacity(min(length, Self.firstBodyCapacity))
    }
    connection.head = head
    return .YES
  }

  /// A part of the body is in.
  func receive(_ bytes: UnsafeRawBufferPointer, of connection: Connection) -> MHD_Result {
    let hasRoom = heldBytes + bytes.count <= configuration.heldBytesLimit
    let goesOn = connection.receive(bytes, hasRoom: hasRoom)
    hold(connection.body.count, for: connection)
    return goesOn ? .YES : .NO
  }

  /// Counts what a connection holds now.
  private func hold(_ bytes: Int, for connection: Connection) {
    heldBytes += bytes - connection.heldBytes
    connection.heldBytes = bytes
  }

  /// The body is in. Starts the handler; when it waits for something, so does the connection.
  func dispatch(_ connection: Connection) -> MHD_Result {
    switch connection.phase {
    case .receiving:
      enter(.running, connection)
      inFlight += 1
      start(handler, connection.takeRequest(), connection)
      if connection.phase == .running {
        connection.isSuspended = true
        MHD_suspend_connection(connection.handle)
      }
      return connection.hasFailed ? .NO : .YES
    case .swallowing:
      return refuse(connection, .overloaded)
    case .idle, .running, .answering, .closed:
      return connection.hasFailed ? .NO : .YES
    }
  }

  /// The handler has answered: on its own task, inside or long after ``dispatch(_:)``.
  func finish(_ connection: Connection, _ number: Int, _ response: HTTPResponse) {
    guard connection.phase == .running, connection.requestNumber == number else { return }
    inFlight -= 1
    enter(.answering, connection)
    connection.endWatch()
    connection.task = nil
    hold(response.body.count, for: connection)
    let isOver = connection.overdoes(with: response, limit: configuration.refusalsLimit)
    connection.hasFailed = Reply.queue(response, closing: isDraining || isOver, on: connection) != .YES
    if connection.isSuspended {
      connection.isSuspended = false
      daemon.resume(connection.handle)
    }
  }

  /// libmicrohttpd is done with the request, answered or not.
  func complete(_ connection: Connection) {
    guard connection.phase != .idle, connection.phase != .closed else { return }
    underWay -= 1
    hold(0, for: connection)
    connection.reset()
    enter(.idle, connection)
    if isDraining { connection.stopReading() }
    if underWay == 0 { quiet?.complete() }
  }

  func opened(_ connection: Connection) {
    connections[connection.handle] = connection
    guard let credential else { return }
    if connection.secure(with: credential) {
      daemon.expectHandshake(on: connection)
    } else {
      connection.abort()
    }
  }

  /// libmicrohttpd is about to close the socket.
  func ended(_ connection: Connection) {
    complete(connection)
    connections[connection.handle] = nil
    enter(.closed, connection)
    if connection.isRefused || connection.hasUnreadInput {
      lingering.add(copyOf: connection.descriptor)
    }
    // At its limit libmicrohttpd does not watch its listener, and begins again only with its next run.
    daemon.runSoon()
  }

  private func enter(_ phase: Connection.Phase, _ connection: Connection) {
    connection.enter(phase, sweep: sweepNumber)
  }

  func refuse(_ connection: Connection, _ refusal: HTTPRefusal) -> MHD_Result {
    refuse(connection, with: refused(refusal))
  }

  private func refuse(_ connection: Connection, with response: HTTPResponse) -> MHD_Result {
    enter(.answering, connection)
    connection.isRefused = true
    return Reply.queue(response, closing: true, on: connection)
  }

  func refused(_ refusal: HTTPRefusal) -> HTTPResponse { onHandler { $0.respond(to: refusal) } }

  private func onHandler<T: Sendable>(_ body: (isolated any HTTPHandler) -> T) -> T {
    handler.assumeIsolated(body)
  }

  /// The task begins at once, on this very call: it is isolated to the handler, whose executor is this loop.
  /// The preference keeps every continuation on the loop; without it the first one would leave for the global
  /// pool and hop back.
  private func start(_ handler: any HTTPHandler, _ request: HTTPRequest, _ connection: Connection) {
    let number = connection.requestNumber
    let loop = loop
    let server = Confined(self)
    handler.assumeIsolated { handler in
      let task = Task.immediate(executorPreference: loop) {
        let response = await handler.respond(to: request)
        server.value.finish(connection, number, response)
      }
      if connection.phase == .running { connection.task = task }
    }
  }
}

/// Carries a value of the loop into a task that runs on the same loop.
struct Confined<Value>: @unchecked Sendable {
  // Unchecked: whoever makes one vouches that both ends are on one loop.
  let value: Value
  init(_ value: Value) { self.value = value }
}
