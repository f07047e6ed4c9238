import CarillonAPI
import CarillonCrypto
import CarillonHTTP
import CarillonModel
import CarillonService
import CarillonStore

/// A write that is to have one effect, however often its client sends it.
struct Once {
  var key: IdempotencyKey
  /// Of a batch: some of it may be done.
  var hasBegun = false
}

/// What a key's text belongs to: the same text elsewhere is another key.
struct IdempotencyScope: Hashable {
  var tenant: TenantID
  var principal: IdempotencyKey.Principal
  var text: String

  init(_ key: IdempotencyKey, tenant: TenantID) {
    self.tenant = tenant
    principal = key.principal
    text = key.text
  }
}

extension Call {
  /// Nil for a request that has no key, or changes nothing.
  func idempotencyKey(for route: Route) throws(Problem) -> IdempotencyKey? {
    guard route.endpoint.isWrite, let text = header("Idempotency-Key") else { return nil }
    guard (1...WireLimits.idempotencyKeyBytes).contains(text.utf8.count),
      text.utf8.allSatisfy({ (0x20...0x7e).contains($0) }),
      exchange.request.headers.all("Idempotency-Key").count == 1
    else {
      throw Problem(
        .invalidHeader,
        "Send one Idempotency-Key of 1 to \(WireLimits.idempotencyKeyBytes) printable ASCII characters.")
    }
    return IdempotencyKey(
      principal: principal.keyOwner, text: text, fingerprint: fingerprint(of: route),
      millisecondsLonger: now.milliseconds - terms.retention.time(at: now).milliseconds)
  }

  /// Of what makes it the same request: method, path, the version it is bound to, the user it may speak for, and the
  /// body, byte for byte.
  private func fingerprint(of route: Route) -> [UInt8] {
    // Neither a path nor a field's value holds a line's end, so no two requests are written alike.
    var head = "\(route.endpoint.method.rawValue) \(route.path)\n\(list("If-Match") ?? "")\n"
    // An answer that one user was given is none for the next one on the same device.
    if let user = principal.user { head += "user \(user.id)\n" }
    return SHA256.hash(Array(head.utf8) + body).bytes
  }

  /// How a use case keeps the answer; nil where none is to be kept.
  func keeping<Answer>(_ render: @escaping (Answer) -> KeptAnswer) -> Keeping<Answer>? {
    once.map { Keeping($0.key, render: render) }
  }
}

extension Principal {
  fileprivate var keyOwner: IdempotencyKey.Principal {
    switch kind {
    case .tenantKey(let id, _): .tenantKey(id)
    case .device(let device): .device(device)
    }
  }
}

extension KeptAnswer {
  static let noContent = KeptAnswer(status: 204)
}

extension HTTPResponse {
  init(_ answer: KeptAnswer) {
    self.init(status: answer.status, body: answer.body)
    if !answer.body.isEmpty {
      headers.append(("Content-Type", answer.status < 400 ? "application/json" : Problem.contentType))
    }
    if let tag = answer.entityTag { headers.append(("ETag", tag)) }
  }
}
