import CarillonAPI
import CarillonHTTP
import CarillonModel
import CarillonService
import CarillonStore

extension Worker {
  /// A large body is not waited for when there is no credential, or its tenant asks for too much.
  func refusal(of head: HTTPRequest) -> HTTPResponse? {
    let exchange = Exchange(head, clock: clock)
    var verdict = RateVerdict()
    do throws(Problem) {
      try checkBeforeBody(exchange, &verdict)
      return nil
    } catch {
      var response = exchange.response(to: error)
      verdict.add(to: &response)
      metrics.note(status: response.status, nanoseconds: exchange.finish(&response))
      return response
    }
  }

  private func checkBeforeBody(_ exchange: Exchange, _ verdict: inout RateVerdict) throws(Problem) {
    let request = exchange.request
    let route = try Route(method: request.method, path: request.path, query: request.query)
    guard route.endpoint.credential != .none else { return }
    let tenant: TenantID?
    do {
      tenant = try parts.authenticator.rememberedTenant(
        authorization: request.headers["Authorization"], monotonic: exchange.startedAt)
    } catch {
      throw Problem(error)
    }
    guard let tenant, let terms = parts.limits.known(of: tenant, at: exchange.startedAt) else { return }
    verdict = limiter.look(terms.limits, tenant: tenant, device: route.device, now: exchange.startedAt)
    if let refusal = verdict.refusal { throw refused(refusal) }
  }

  func terms(of tenant: TenantID, _ exchange: Exchange) async throws(Problem) -> TenantTerms {
    do throws(StoreError) {
      return try await parts.limits.terms(of: tenant, at: exchange.startedAt, now: exchange.now)
    } catch {
      throw Problem(error)
    }
  }

  func quotas(_ limits: TenantLimits, of tenant: TenantID) -> Quotas {
    Quotas(notificationsPerDevice: limits[.notificationsPerDevice]) { [deviceCounts, reports, clock] in
      let verdict = deviceCounts.admit(tenant, most: limits[.devices], now: clock.monotonic())
      if verdict.mustCount {
        reports.countDevices(of: tenant) { count in
          deviceCounts.note(count, of: tenant, now: clock.monotonic())
        }
      }
      return verdict.isAdmitted
    }
  }

  /// Counts the operations of a batch; what is to be told of it belongs to the answer.
  func checkRate(ofBatch operations: Int, _ call: Call) throws(Problem) -> RateVerdict {
    let verdict = limiter.take(
      batchOf: operations, call.limits, tenant: call.tenant, now: call.exchange.startedAt)
    if let refusal = verdict.refusal {
      var problem = refused(refusal)
      problem.rate = verdict.headers.map { ProblemHeader($0.name, $0.value) }
      throw problem
    }
    return verdict
  }

  func refused(_ line: RateVerdict.Line) -> Problem {
    metrics.noteRateLimited(line.name)
    let whose =
      switch line.name {
      case "device": "This device's requests"
      case "batch": "This tenant's batches"
      default: "This tenant's requests"
      }
    return Problem(
      .rateLimited,
      "\(whose) come faster than \(line.rule.perSecond) a second; nothing was changed. Wait for Retry-After.",
      retryAfter: line.grant.retryAfter)
  }
}
