import CarillonModel

/// Requests of a digest type and equal group that the end of a quiet window would bring together.
struct Digests {
  struct Digest {
    var group: String
    /// When the window ends, in milliseconds since 1970.
    var end: Int64
    /// Indices of candidates, the most important first.
    var members: [Int]
    var leader: Int { members[0] }
  }

  private struct Key: Hashable {
    var group: String
    var end: Int64
  }

  private var digests: [Digest] = []
  /// By candidate.
  private var memberships: [Int: Int] = [:]

  /// - Parameter order: the candidates that may move, most important first.
  init(_ order: [Int], _ candidates: [Candidate], _ input: PlanInput, _ placer: Placer) {
    guard input.policy.makesDigests, placer.windows != nil else { return }
    var found: [Key: Int] = [:]
    for index in order {
      guard let key = Self.key(candidates[index], input, placer) else { continue }
      if let digest = found[key] {
        digests[digest].members.append(index)
      } else {
        found[key] = digests.count
        digests.append(Digest(group: key.group, end: key.end, members: [index]))
      }
    }
    for (number, digest) in digests.enumerated() where digest.members.count > 1 {
      for member in digest.members { memberships[member] = number }
    }
  }

  /// Nil for what rings by itself, also where a window's end brings nothing else of its group.
  func digest(of candidate: Int) -> Digest? {
    memberships.isEmpty ? nil : memberships[candidate].map { digests[$0] }
  }

  private static func key(_ candidate: Candidate, _ input: PlanInput, _ placer: Placer) -> Key? {
    guard input.policy.rules[Int(candidate.type)].digest else { return nil }
    let head = input.queue[Int(candidate.entry)].head
    guard let group = head.group else { return nil }
    var end = end(of: candidate.fire, candidate, head, input, placer)
    if end ?? 0 <= placer.now, candidate.fire <= placer.now, let due = Overdue(head, at: input.now) {
      // Late, and so brought to the end of the window that is open now.
      end = self.end(of: due.time, candidate, head, input, placer)
    }
    guard let end, end > placer.now, head.expiresAt.map({ end <= $0.milliseconds }) ?? true else {
      return nil
    }
    return Key(group: group, end: end)
  }

  /// The end of the window that a time lies in; nil for what no window holds.
  static func end(
    of time: Int64, _ candidate: Candidate, _ head: NotificationHead, _ input: PlanInput, _ placer: Placer
  ) -> Int64? {
    let rule = input.policy.rules[Int(candidate.type)]
    guard rule.digest, rule.quietHours == .hold, head.group != nil, let windows = placer.windows,
      !placer.isExempt(head.summary.interruptionLevel), let end = windows.end(of: time), end != time
    else { return nil }
    return end
  }
}
