import CPostgres
import CarillonEventLoop

/// The owner of one `PGconn`: opened in `init`, closed in `deinit`, never handed out. It does not wait: whoever
/// holds it watches ``socket`` and calls back.
final class ConnectionHandle {
  enum ConnectStep { case wait(Interest), connected, failed }
  enum FlushStep { case done, pending, failed }

  /// What one call to ``nextResult()`` found.
  enum Received {
    /// A statement's result; the caller takes it over.
    case result(OpaquePointer, ExecStatusType)
    /// The end of a statement's results.
    case end
    /// More bytes are needed.
    case nothing
  }

  private let connection: OpaquePointer

  /// Begins to connect. A host name in `conninfo` is looked up here and blocks; a socket folder or an address
  /// does not.
  init(conninfo: String) {
    guard let connection = PQconnectStart(conninfo) else {
      fatalError("libpq has no memory for a connection")
    }
    self.connection = connection
    // Without a processor of ours libpq writes notices to the standard error stream.
    PQsetNoticeProcessor(connection, { _, _ in }, nil)
  }

  deinit { PQfinish(connection) }

  var socket: Int32 { PQsocket(connection) }
  var isBroken: Bool { PQstatus(connection) == CONNECTION_BAD }
  var isInTransaction: Bool { PQtransactionStatus(connection) != PQTRANS_IDLE }

  /// libpq's own words about its last failure.
  var message: String { String(cString: PQerrorMessage(connection)) }

  // MARK: Opening

  /// Continues the connection attempt. The socket may be another one afterwards.
  func connectStep() -> ConnectStep {
    switch PQconnectPoll(connection) {
    case PGRES_POLLING_READING: return .wait(.read)
    case PGRES_POLLING_WRITING: return .wait(.write)
    case PGRES_POLLING_OK: return PQsetnonblocking(connection, 1) == 0 ? .connected : .failed
    default: return .failed
    }
  }

  func enterPipeline() -> Bool { PQenterPipelineMode(connection) == 1 }

  // MARK: Sending

  func flush() -> FlushStep {
    switch PQflush(connection) {
    case 0: return .done
    case 1: return .pending
    default: return .failed
    }
  }

  /// The pipeline's sync point; libpq writes what it holds.
  func sync() -> Bool { PQpipelineSync(connection) == 1 }

  func prepare(_ name: UnsafePointer<CChar>, _ sql: String, _ parameters: Parameters) -> Bool {
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: parameters.count) { types in
      for (index, field) in parameters.fields.enumerated() { types[index] = field.type }
      return PQsendPrepare(connection, name, sql, Int32(parameters.count), types.baseAddress) == 1
    }
  }

  /// Runs a prepared statement; answers come in binary form.
  func execute(_ name: UnsafePointer<CChar>, _ parameters: Parameters) -> Bool {
    withWireForm(of: parameters) { count, values, lengths, formats in
      PQsendQueryPrepared(connection, name, count, values, lengths, formats, 1) == 1
    }
  }

  /// Parses and runs one statement under no name; answers come in binary form.
  func execute(sql: String, _ parameters: Parameters) -> Bool {
    withWireForm(of: parameters) { count, values, lengths, formats in
      withUnsafeTemporaryAllocation(of: UInt32.self, capacity: parameters.count) { types in
        for (index, field) in parameters.fields.enumerated() { types[index] = field.type }
        return PQsendQueryParams(connection, sql, count, types.baseAddress, values, lengths, formats, 1) == 1
      }
    }
  }

  private typealias Values = UnsafePointer<UnsafePointer<CChar>?>
  private typealias Integers = UnsafePointer<Int32>

  /// The arrays libpq wants, on the stack; the values stay where they are.
  @inline(__always)
  private func withWireForm(
    of parameters: Parameters, _ body: (Int32, Values?, Integers?, Integers?) -> Bool
  ) -> Bool {
    let count = parameters.count
    guard count > 0 else { return body(0, nil, nil, nil) }
    return parameters.bytes.withUnsafeBytes { bytes in
      withUnsafeTemporaryAllocation(of: UnsafePointer<CChar>?.self, capacity: count) { values in
        withUnsafeTemporaryAllocation(of: Int32.self, capacity: 2 * count) { integers in
          // A buffer of empty values alone may have no address; libpq takes no address for a null.
          let base = (bytes.baseAddress ?? UnsafeRawPointer(values.baseAddress!))
            .assumingMemoryBound(to: CChar.self)
          var offset = 0
          for (index, field) in parameters.fields.enumerated() {
            values[index] = field.length < 0 ? nil : base + offset
            integers[index] = max(0, field.length)
            integers[count + index] = 1
            offset += Int(max(0, field.length))
          }
          return body(
            Int32(count), UnsafePointer(values.baseAddress!), UnsafePointer(integers.baseAddress!),
            UnsafePointer(integers.baseAddress! + count))
        }
      }
    }
  }

  // MARK: Receiving

  /// Takes in what the socket has. False when the connection is gone.
  func receive() -> Bool { PQconsumeInput(connection) == 1 }

  /// What another session has announced; nil when there is nothing more.
  func nextNotification() -> DatabaseNotification? {
    guard let notification = PQnotifies(connection) else { return nil }
    defer { PQfreemem(notification) }
    return DatabaseNotification(
      channel: String(cString: notification.pointee.relname),
      payload: String(cString: notification.pointee.extra))
  }

  func nextResult() -> Received {
    guard PQisBusy(connection) == 0 else { return .nothing }
    guard let result = PQgetResult(connection) else { return .end }
    return .result(result, PQresultStatus(result))
  }
}

extension PostgresError {
  /// What the server said in `result`, which stays with the caller.
  init(_ code: Code, result: OpaquePointer) {
    func field(_ name: CChar) -> String? {
      PQresultErrorField(result, Int32(name)).map { String(cString: $0) }
    }
    self.init(
      code: code, sqlState: field(CChar(UInt8(ascii: "C"))), constraint: field(CChar(UInt8(ascii: "n"))),
      debugMessage: String(cString: PQresultErrorMessage(result)))
  }
}
