/// A way into Carillon for bytes that nobody checked, and what must hold whatever they are.
///
/// The same targets run under libFuzzer (`deploy/fuzz`), in a seeded loop, and over the corpus among the tests.
public enum FuzzTarget: String, CaseIterable, Sendable {
  /// Any JSON document.
  case json
  /// A tenant's policy.
  case policy
  /// A notification as it is put, its trigger and content.
  case notification
  /// A device's report, and a batch.
  case report
  /// A server's answer, as the SDK reads it.
  case response
  /// A request line: method, path and query.
  case route
  /// A device token, as it comes from anybody.
  case token
  /// Where a request came from, as a proxy tells it.
  case forwarded
  /// Stored heads of a queue.
  case head
  /// A plan as it is stored.
  case plan
  /// TZif files.
  case zone
  /// The text of an RRULE.
  case rule
  /// A world made from the bytes, planned.
  case world

  /// - Returns: what does not hold; nil when all is well. What traps or never ends is a finding too.
  public func check(_ bytes: [UInt8]) -> Finding? {
    do throws(Finding) {
      switch self {
      case .json: try JSONTarget.check(bytes)
      case .policy: try PolicyTarget.check(bytes)
      case .notification: try NotificationTarget.check(bytes)
      case .report: try ReportTarget.check(bytes)
      case .response: try ResponseTarget.check(bytes)
      case .route: try RouteTarget.check(bytes)
      case .token: try DeviceTokenTarget.check(bytes)
      case .forwarded: try ForwardedTarget.check(bytes)
      case .head: try HeadTarget.check(bytes)
      case .plan: try PlanTarget.check(bytes)
      case .zone: try ZoneTarget.check(bytes)
      case .rule: try RuleTarget.check(bytes)
      case .world: try WorldTarget.check(bytes)
      }
      return nil
    } catch {
      return error
    }
  }
}

/// What did not hold, in words.
public struct Finding: Error, Hashable, Sendable, CustomStringConvertible {
  public var description: String

  init(_ description: String) { self.description = description }
}

/// - Parameter finding: what it means when the condition is false.
func expect(_ condition: Bool, _ finding: @autoclosure () -> String) throws(Finding) {
  if !condition { throw Finding(finding()) }
}
