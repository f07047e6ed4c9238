import CarillonAPI
import CarillonJSON
import CarillonModel

/// A device's plan with the contents of what is held, and the tag that names this state of it.
public struct TaggedPlan: Hashable, Sendable {
  public var plan: Plan
  /// The content's JSON of each held request, by the request's id.
  public var contents: [NotificationID: [UInt8]]
  /// The answer's `ETag`, as it came; opaque.
  public var tag: String

  public init(plan: Plan, contents: [NotificationID: [UInt8]], tag: String) {
    self.plan = plan
    self.contents = contents
    self.tag = tag
  }
}

extension TaggedPlan {
  init(_ response: TransportResponse) throws(CarillonError) {
    let document: PlanResponse
    do {
      document = try PlanResponse(response.body)
    } catch {
      throw CarillonError(.unexpectedAnswer, "the answer cannot be read: \(error)")
    }
    guard let tag = response.header("etag") else {
      throw CarillonError(.unexpectedAnswer, "the plan came without its ETag")
    }
    self.init(plan: document.plan, contents: document.contents, tag: tag)
  }
}

extension CarillonError {
  static let unasked304 = CarillonError(
    .unexpectedAnswer, "304 to a request without a condition; is there a cache on the way?")
}

extension TenantClient {
  /// A device's plan: what it should hold now, and why everything else waits.
  public func plan(of device: DeviceID) async throws(CarillonError) -> Plan {
    let answer = try await send(.getPlan(device))
    return try read(answer) { (body) throws(JSONError) in try Plan.decode(body) }
  }

  /// A device's plan, when it is another than the one at hand.
  ///
  ///     var known = try await carillon.plan(of: device, unless: nil)
  ///     while true {
  ///       if let news = try await carillon.plan(of: device, unless: known, wait: 30) { known = news }
  ///     }
  ///
  /// - Parameters:
  ///   - device: whose plan.
  ///   - known: what this gave the last time; nil: nothing is known.
  ///   - wait: seconds, 0...60, the server waits for the plan to change before it says that it has not.
  /// - Returns: nil when the plan is `known`.
  public func plan(
    of device: DeviceID, unless known: TaggedPlan?, wait: Int? = nil
  ) async throws(CarillonError) -> TaggedPlan? {
    if let wait, !WireLimits.waitSeconds.contains(wait) {
      throw CarillonError(.refused, "a wait is \(WireLimits.waitSeconds) seconds long")
    }
    let condition = known.map { [TransportHeader("If-None-Match", $0.tag)] }
    // Without a plan there is nothing whose change could be waited for.
    let answer = try await send(.getPlan(device, wait: known == nil ? nil : wait), headers: condition ?? [])
    if answer.response.status == 304 {
      guard known != nil else { throw CarillonError.unasked304 }
      return nil
    }
    return try TaggedPlan(answer.response)
  }

  /// Why a notification is held, waits, is withheld, has expired or is unknown.
  public func explain(
    _ id: NotificationID, on device: DeviceID
  ) async throws(CarillonError) -> Explanation {
    let answer = try await send(.explainPlan(device, notification: id))
    return try read(answer) { (body) throws(JSONError) in
      try JSONReader.read(body) { (reader) throws(JSONError) in try Explanation(from: &reader) }
    }
  }
}
