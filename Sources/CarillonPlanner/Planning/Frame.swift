import CarillonModel

/// What one run of the planner reads of its input, so that its steps copy no more than a few words.
///
/// The queue is borrowed: a frame is good only inside ``PlanInput/withFrame(_:_:)``.
struct Frame {
  let queue: UnsafeBufferPointer<QueueEntry>
  let policy: CompiledPolicy.Storage
  let zone: ZoneTable
  let week: WeekRule
  var reachability: Reachability
  /// Milliseconds since 1970.
  let now: Int64
  /// Seconds since 1970, rounded down.
  let nowSeconds: Int
  let history: [PastDelivery]
  /// What an earlier plan called expired.
  let expired: Set<NotificationID>
  /// What was delivered since it was put.
  let delivered: [NotificationID: Instant]
  /// Ids in the queue that look as if planning had made them.
  let lookalikes: Set<NotificationID>
}

extension PlanInput {
  /// - Parameter compiled: the same queue; nil where no id will be made.
  func withFrame<Result>(_ compiled: CompiledQueue?, _ body: (Frame) -> Result) -> Result {
    queue.withUnsafeBufferPointer { queue in
      body(
        Frame(
          queue: queue, policy: policy.storage, zone: device.zone, week: device.week,
          reachability: Reachability(status: device.authorizationStatus, settings: device.settings),
          now: now.milliseconds, nowSeconds: Int(now.seconds), history: history, expired: expired,
          delivered: delivered, lookalikes: compiled?.lookalikes ?? []))
    }
  }
}

extension PlanningDevice {
  var week: WeekRule { WeekRule(firstWeekday: firstWeekday, minimumDays: minimumDaysInFirstWeek) }
}
