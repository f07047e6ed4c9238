import CarillonModel

/// When a one-time request that is late and wants to be delivered all the same is due.
struct Overdue {
  /// Milliseconds since 1970: the next whole second, the soonest that a device can be asked for.
  let time: Int64

  /// Nil for what expires.
  ///
  /// - Parameter now: milliseconds since 1970.
  init?(_ head: NotificationHead, at now: Int64) {
    guard head.overdue == .deliverNow, head.expiresAt.map({ $0.milliseconds > now }) ?? true else {
      return nil
    }
    time = (Instant(milliseconds: now).seconds + 1) * 1000
  }

  func step(from wish: Int64) -> Step { Step(rule: .overdue, from: wish, to: time) }
}

/// What was delivered, by id.
struct DeliveredIDs {
  /// Milliseconds since 1970, the last time of each.
  private var times: [NotificationID: Int64] = [:]

  init(_ history: [PastDelivery]) {
    times.reserveCapacity(history.count)
    for delivery in history {
      times[delivery.id] = max(times[delivery.id] ?? .min, delivery.at.milliseconds)
    }
  }

  /// Whether it was delivered at or after a time: one put again under its id has another wish.
  func contains(_ id: NotificationID, since wish: Int64) -> Bool { times[id].map { $0 >= wish } ?? false }
}
