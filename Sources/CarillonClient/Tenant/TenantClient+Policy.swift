import CarillonAPI
import CarillonJSON
import CarillonModel

/// A policy and which version of it this is.
public struct VersionedPolicy: Hashable, Sendable {
  public var policy: Policy
  /// 0 where none was put yet: the defaults are in force.
  public var version: Int

  public init(policy: Policy, version: Int) {
    self.policy = policy
    self.version = version
  }
}

extension TenantClient {
  /// The policy in force, or an earlier version of it.
  ///
  /// - Parameter version: nil: the one in force.
  public func policy(version: Int? = nil) async throws(CarillonError) -> VersionedPolicy {
    let answer = try await send(.getPolicy(version: version))
    return try versioned(answer)
  }

  /// What a policy would do to the plans of devices. Nothing is changed.
  ///
  /// - Parameters:
  ///   - policy: that is not in force.
  ///   - sample: how many devices to plan under both policies, 0...1,000; 0 plans `device` and no other.
  ///   - device: whose two plans to show side by side.
  public func preview(
    _ policy: Policy, sample: Int = WireLimits.defaultPreviewSample, device: DeviceID? = nil
  ) async throws(CarillonError) -> PolicyPreviewResponse {
    let request = PolicyPreviewRequest(policy: policy, sample: sample, deviceId: device)
    let answer = try await send(.previewPolicy, body: request.json)
    return try read(answer) { (body) throws(JSONError) in try PolicyPreviewResponse(body) }
  }

  /// Puts a new version of the policy; plans follow it at each device's next sync.
  ///
  /// - Parameters:
  ///   - policy: the new version.
  ///   - version: the version this one follows, nil only for the first. When another came in between, this throws
  ///     ``CarillonError/Code/conflict``, whose ``CarillonError/currentVersion`` is the version to look at.
  /// - Returns: the new version, as the server reads it.
  @discardableResult
  public func setPolicy(
    _ policy: Policy, ifMatch version: Int? = nil
  ) async throws(CarillonError) -> VersionedPolicy {
    let condition = version.map {
      [TransportHeader("If-Match", EntityTag.policy(version: $0).description)]
    }
    let answer = try await send(.putPolicy, body: policy.bytes, headers: condition ?? [])
    return try versioned(answer)
  }

  private func versioned(_ answer: RetryingSender.Answer) throws(CarillonError) -> VersionedPolicy {
    let policy = try read(answer) { (body) throws(JSONError) in try Policy(parsing: body) }
    guard let field = answer.response.header("etag"),
      case .tags(let tags)? = try? EntityTagCondition(field), let version = tags.first?.policyVersion
    else { throw CarillonError(.unexpectedAnswer, "the policy came without the ETag of its version") }
    return VersionedPolicy(policy: policy, version: version)
  }
}
