import CarillonAPI
import CarillonModel

extension SyncRequest {
  /// Without the taps, dismissals and deliveries that it dates before the device's first report: nothing of ours can
  /// have been there. They are recorded, and evidence of nothing.
  ///
  /// - Parameter first: when that report came; nil: this is it.
  func withoutEvents(before first: Instant?, now: Instant) -> SyncRequest {
    let first = first ?? now
    func isTooEarly(_ event: SyncEvent) -> Bool {
      [.tapped, .dismissed, .delivered].contains(event.kind)
        && now.milliseconds - age(of: event, now: now) < first.milliseconds
    }
    guard events.contains(where: isTooEarly) else { return self }
    var request = self
    request.events.removeAll(where: isTooEarly)
    return request
  }
}
