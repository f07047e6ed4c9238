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
  init(_ order: [Int32], _ candidates: [Candidate], _ frame: Frame, _ placer: inout Placer) {
    guard frame.policy.makesDigests else { return }
    var found: [Key: Int] = [:]
    for index in order {
      guard let key = Self.key(candidates[Int(index)], frame, &placer) else { continue }
      if let digest = found[key] {
        digests[digest].members.append(Int(index))
      } else {
        found[key] = digests.count
        digests.append(Digest(group: key.group, end: key.end, members: [Int(index)]))
      }
    }
    for (number, digest) in digests.enumerated() where digest.members.count > 1 {
      for member in digest.members { memberships[member] = number }
    }
  }

  var isEmpty: Bool { memberships.isEmpty }

  /// Nil for what rings by itself, also where a window's end brings nothing else of its group.
  @inline(__always)
  func digest(of candidate: Int) -> Digest? {
    memberships.isEmpty ? nil : memberships[candidate].map { digests[$0] }
  }

  /// Lets some of a digest's members ring by themselves; the others are its members from now on, when two are left.
  ///
  /// - Parameter digest: as ``digest(of:)`` gave it.
  mutating func release(_ digest: Digest, where isReleased: (_ member: Int) -> Bool) {
    guard let number = memberships[digest.leader] else { return }
    var rest: [Int] = []
    for member in digest.members {
      if isReleased(member) { memberships[member] = nil } else { rest.append(member) }
    }
    if rest.count == 1 { memberships[rest[0]] = nil }
    digests[number].members = rest
  }

  private static func key(_ candidate: Candidate, _ frame: Frame, _ placer: inout Placer) -> Key? {
    let entry = Int(candidate.entry)
    guard frame.policy.rules[Int(candidate.type)].digest, let group = frame.queue[entry].head.group else {
      return nil
    }
    // By its wish alone, so that later plans, and a history in which it has no entry, know to which digest it belongs.
    guard let end = end(of: candidate.fire, candidate, frame, &placer), !frame.isPast(expiryOf: entry, end)
    else { return nil }
    return Key(group: group, end: end)
  }

  /// The end of the window that a time lies in; nil for what no window holds.
  static func end(
    of time: Int64, _ candidate: Candidate, _ frame: Frame, _ placer: inout Placer
  ) -> Int64? {
    let rule = frame.policy.rules[Int(candidate.type)]
    let entry = Int(candidate.entry)
    guard rule.digest, rule.quietHours == .hold, frame.queue[entry].head.group != nil,
      !placer.isExempt(frame.queue[entry].head.summary.interruptionLevel),
      let end = placer.quietEnd(of: time), end != time
    else { return nil }
    return end
  }
}
