import CarillonAPI
import CarillonCrypto
import CarillonHTTP
import CarillonModel
import CarillonService
import CarillonStore

/// One request on its way to its answer: what all endpoints share.
struct Exchange {
  /// A longer or stranger `X-Request-Id` is replaced by one of ours.
  static let maximumRequestIDBytes = 128

  let request: HTTPRequest
  let requestID: String
  let now: Instant
  /// Nanoseconds on the monotonic clock.
  let startedAt: UInt64
  /// Who asks, as far as it is known: the other end of the connection until ``findClient(behind:)``.
  private(set) var client: IPAddress?
  private let clock: ServerClock

  init(_ request: HTTPRequest, clock: ServerClock) {
    self.request = request
    self.clock = clock
    client = request.peer
    now = clock.now()
    startedAt = clock.monotonic()
    requestID = request.headers["X-Request-Id"].flatMap(Self.accepted) ?? Self.makeRequestID()
  }

  /// Looks behind the proxies in front of this server.
  mutating func findClient(behind proxies: TrustedProxies) throws(Problem) {
    guard let peer = request.peer else { return }
    do {
      client = try proxies.client(peer: peer, headers: request.headers)
    } catch {
      throw Problem(.invalidHeader, "The field \(proxies.field.rawValue) \(error.detail).")
    }
  }

  /// Names a request in logs; no secret, so the system's generator serves.
  static func makeRequestID() -> String {
    let digits = String(UInt64.random(in: .min ... .max), radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  private static func accepted(_ text: String) -> String? {
    let isPlain = text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "\"") }
    return isPlain && !text.isEmpty && text.utf8.count <= maximumRequestIDBytes ? text : nil
  }

  /// Only JSON is taken, as it is: a body that unfolds into more than was sent is not read. Parameters may follow; a
  /// charset that is not UTF-8 says that the body is something else than what would be read (RFC 8259, section 8.1).
  func checkContentType() throws(Problem) {
    let codings = request.headers.all("Content-Encoding").flatMap { $0.split(separator: ",") }
      .map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
    guard codings.allSatisfy({ $0.isEmpty || $0 == "identity" }) else {
      throw Problem(
        .unsupportedMediaType,
        "Send the body as it is, without Content-Encoding: compressed bodies are not read.")
    }
    guard let type = request.headers["Content-Type"] else {
      throw Problem(.unsupportedMediaType, "Send Content-Type: application/json.")
    }
    let essence = type.prefix { $0 != ";" }.lowercased()
    guard essence.filter({ $0 != " " && $0 != "\t" }) == "application/json" else {
      throw Problem(.unsupportedMediaType, "Send Content-Type: application/json; other types are not read.")
    }
    for parameter in type.split(separator: ";").dropFirst() {
      let parts = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        .map { $0.filter { $0 != " " && $0 != "\t" && $0 != "\"" }.lowercased() }
      guard parts[0] != "charset" || (parts.count == 2 && parts[1] == "utf-8") else {
        throw Problem(.unsupportedMediaType, "Send the body in UTF-8; JSON in another charset is not read.")
      }
    }
  }

  /// Adds the fields every answer carries; returns the nanoseconds it took.
  func finish(_ response: inout HTTPResponse) -> UInt64 {
    // A problem carries it already.
    if !response.headers.contains(where: { $0.name == "X-Request-Id" }) {
      response.headers.append(("X-Request-Id", requestID))
    }
    let nanoseconds = clock.monotonic() - startedAt
    let microseconds = nanoseconds / 1000
    let milliseconds = "\(microseconds / 1000).\(Self.padded(microseconds % 1000))"
    response.headers.append(("Server-Timing", "total;dur=\(milliseconds)"))
    return nanoseconds
  }

  private static func padded(_ thousandths: UInt64) -> String {
    thousandths < 10 ? "00\(thousandths)" : thousandths < 100 ? "0\(thousandths)" : "\(thousandths)"
  }

  func response(to problem: Problem) -> HTTPResponse {
    var problem = problem
    problem.instance = request.path
    return problem.response(requestID: requestID)
  }
}

/// An authenticated request.
struct Call {
  let exchange: Exchange
  let principal: Principal
  /// Of the tenant.
  let terms: TenantTerms
  let quotas: Quotas
  /// Of a write that may come again; nil: its effect is kept, its answer is not.
  var once: Once?

  init(exchange: Exchange, principal: Principal, terms: TenantTerms, quotas: Quotas) {
    self.exchange = exchange
    self.principal = principal
    self.terms = terms
    self.quotas = quotas
    now = exchange.now
  }

  var tenant: TenantID { principal.tenant }
  var limits: TenantLimits { terms.limits }
  /// When it came, or looks again.
  var now: Instant
  /// For limits and records.
  var client: IPAddress? { exchange.client }
  var body: [UInt8] { exchange.request.body }
  func header(_ name: String) -> String? { exchange.request.headers[name] }

  /// Of a field that is a list: all of that name are one (RFC 9110, section 5.3).
  func list(_ name: String) -> String? {
    let values = exchange.request.headers.all(name)
    return values.isEmpty ? nil : values.joined(separator: ", ")
  }
}

extension Call {
  /// What is kept of what this request does with a tenant key.
  func entry(_ action: AuditAction) -> AuditEntry? {
    guard case .tenantKey(let keyID, _) = principal.kind else { return nil }
    var random = SecureRandom()
    return AuditEntry(
      id: UUID128(high: random.next(), low: random.next()), at: now, actor: .key(keyID),
      action: action)
  }
}
