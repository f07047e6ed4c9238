import CarillonAPI
import CarillonEventLoop
import CarillonHTTP
import CarillonModel

extension Worker {
  /// How long a change that was made by another server may go unseen.
  private static var secondsBetweenLooks: Int { 1 }

  /// `GET …/plan`, and with `wait` the answer that the plan is still the same only when the time is up.
  func plan(
    _ call: Call, device: DeviceID, wait seconds: Int?, route: Route
  ) async throws(Problem) -> HTTPResponse {
    let condition = try PlanCondition(call)
    let first = try await parts.plan.respond(to: call, device: device, condition, gzip: parts.gzip)
    guard let seconds, seconds > 0, first.status == 304 else { return first }
    guard let wait = waits.begin(call.tenant, device) else { return first }
    defer { waits.end(wait) }
    let end = loop.schedule(after: .seconds(seconds)) { wait.expire() }
    defer { loop.cancel(end) }
    // Whoever wrote between the first look and here woke nobody: so there is a second one at once.
    var answer = first
    var latest = condition
    wait.wake()
    while true {
      let look = loop.schedule(after: .seconds(Self.secondsBetweenLooks)) { wait.wake() }
      await wait.sleep()
      loop.cancel(look)
      try await checkAgain(call, for: route)
      // The promise of the last answer is the one that costs least to hold.
      latest = try latest.following(answer)
      var later = call
      later.now = clock.now()
      answer = try await parts.plan.respond(to: later, device: device, latest, gzip: parts.gzip)
      if answer.status != 304 || wait.isOver { return answer }
    }
  }

  /// Tells those who wait of a write that was answered. What it changes of other devices, such as those that show the
  /// same inbox, they see with their next look. A batch tells of its devices itself.
  func noteWrite(_ route: Route, _ tenant: TenantID) {
    guard route.endpoint.isWrite else { return }
    if let device = route.device {
      waits.wake(tenant, device)
    } else if route == .putPolicy {
      waits.wake(tenant, nil)
    }
  }
}

/// What a client has of a plan, and in which coding it takes another.
struct PlanCondition {
  private(set) var known: EntityTagCondition?
  let takesGzip: Bool

  init(_ call: Call) throws(Problem) {
    if let field = call.list("If-None-Match") { known = try EntityTagCondition(field) }
    takesGzip = AcceptEncoding(call.exchange.request.headers.all("Accept-Encoding")).prefersGzip
  }

  /// - Parameter answer: that the plan is still the same, with the tag that says so.
  func following(_ answer: HTTPResponse) throws(Problem) -> PlanCondition {
    var next = self
    if let tag = answer.headers.first(where: { $0.name == "ETag" })?.value {
      next.known = try EntityTagCondition(tag)
    }
    return next
  }
}
