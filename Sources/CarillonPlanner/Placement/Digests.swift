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
    guard input.policy.types.contains(where: \.digest) else { return }
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
  func digest(of candidate: Int) -> Digest? { memberships[candidate].map { digests[$0] } }

  private static func key(_ candidate: Candidate, _ input: PlanInput, _ placer: Placer) -> Key? {
    let type = input.policy.types[Int(candidate.type)]
    guard type.digest else { return nil }
    let head = input.queue[Int(candidate.entry)].head
    guard type.quietHours == .hold, let group = head.group, let windows = placer.windows,
      !placer.isExempt(Int(candidate.entry)),
      let end = windows.end(of: candidate.fire), end != candidate.fire,
      head.expiresAt.map({ end <= $0.milliseconds }) ?? true
    else { return nil }
    return Key(group: group, end: end)
  }
}
