import CarillonModel
import CarillonPlanner
import Testing

/// Caps and quiet windows of a few seconds, held against trying one second after another: a place is right when it is
/// the first second at or after the wish that no window holds and at which no span of a cap's length holds too many.
@Suite struct CapTrialTests {
  /// All within the first seconds of this minute.
  static let start = instant("2026-01-01T12:00Z").seconds
  static let span: Int64 = 200

  struct Trial {
    var caps: [(limit: Int, seconds: Int)]
    /// Half-open, in seconds after ``start``.
    var quiet: Range<Int>?
    /// What was delivered before, in seconds before ``start``.
    var past: [Int64]
    /// Wishes of requests in their order of importance.
    var wishes: [Int64]
  }

  private static func expected(_ trial: Trial) -> [Int64] {
    var counted = trial.past.map { -$0 }
    return trial.wishes.map { wish in
      let place = (wish..<span).first { second in
        if let quiet = trial.quiet, quiet.contains(Int(second)) { return false }
        return trial.caps.allSatisfy { cap in
          // Every span of the cap's length that holds this second.
          ((second - Int64(cap.seconds) + 1)...second).allSatisfy { first in
            let inside = (counted + [second]).count { $0 >= first && $0 < first + Int64(cap.seconds) }
            return inside <= cap.limit
          }
        }
      }
      counted.append(place!)
      return place!
    }
  }

  private static func planned(_ trial: Trial) -> [Int64] {
    var policy = Policy()
    policy.order = .priorityFirst
    policy.types = trial.wishes.indices.map {
      NotificationType(name: "t\($0)", prefixes: ["t\($0)"], priority: $0)
    }
    policy.frequencyCaps = trial.caps.map {
      FrequencyCap(limit: $0.limit, per: .rolling(seconds: $0.seconds))
    }
    if let quiet = trial.quiet {
      policy.quietHours = QuietHours()
      policy.quietHours?.windows = [
        QuietWindow(from: 43_200 + quiet.lowerBound, to: 43_200 + quiet.upperBound)
      ]
    }
    let queue = trial.wishes.enumerated().map { number, wish in
      NotificationHead.test("t\(number)", .instant(Instant(seconds: start + wish)))
    }
    var input = PlanInput.test(now: "2026-01-01T11:59:59Z", policy: policy, queue: queue)
    input.history = trial.past.map {
      PastDelivery(id: NotificationID(unchecked: "past"), type: "t0", at: Instant(seconds: start - $0))
    }
    return input.planned().plan.held.sorted { $0.id < $1.id }.map { ($0.fireAt?.seconds ?? 0) - start }
  }

  @Test func everySecondTried() {
    let isLong = Seeded.isLong
    let capSets: [[(limit: Int, seconds: Int)]] = [
      [(1, 3)], [(2, 5)], [(1, 3), (2, 8)], [(3, 5), (1, 1)], [(1, 2), (2, 5), (3, 12)],
    ]
    let windows: [Range<Int>?] = [nil, 2..<6, 4..<5, 0..<9]
    let pasts: [[Int64]] = [[], [1], [1, 2], [2, 2, 4]]
    let times: [Int64] = isLong ? Array(0...7) : [0, 1, 3, 6]
    var trials = 0
    for caps in capSets {
      for quiet in windows {
        for past in pasts {
          for first in times {
            for second in times {
              for third in times {
                let trial = Trial(caps: caps, quiet: quiet, past: past, wishes: [first, second, third])
                trials += 1
                let (planned, expected) = (Self.planned(trial), Self.expected(trial))
                guard planned == expected else {
                  Issue.record("\(trial): planned \(planned), tried \(expected)")
                  return
                }
              }
            }
          }
        }
      }
    }
    print("everySecondTried: \(trials) trials")
  }
}
