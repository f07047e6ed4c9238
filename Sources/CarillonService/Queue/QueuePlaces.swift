import CarillonAPI
import CarillonModel

/// Where a plan put each entry of the queue. An entry that was expanded into occurrences (`id@20260103T0900`) is
/// held when any of them is, and fires when the first one does.
struct QueuePlaces {
  struct Place {
    var state: NotificationItem.State
    var fireAt: Instant?
  }

  private var places: [NotificationID: Place] = [:]

  init(_ plan: Plan) {
    for request in plan.expired { note(request.id, .expired, request.fireAt) }
    for request in plan.withheld { note(request.id, .withheld, nil) }
    for request in plan.queued { note(request.id, .queued, request.fireAt) }
    for request in plan.held { note(request.id, .held, request.fireAt) }
  }

  subscript(id: NotificationID) -> Place? { places[id] }

  private mutating func note(_ id: NotificationID, _ state: NotificationItem.State, _ fireAt: Instant?) {
    record(id, state, fireAt)
    if let at = id.text.lastIndex(of: "@"), Self.isOccurrence(id.text[id.text.index(after: at)...]) {
      record(NotificationID(unchecked: String(id.text[..<at])), state, fireAt)
    }
  }

  /// Later states outrank earlier ones; of equal ones the first fire stays.
  private mutating func record(_ id: NotificationID, _ state: NotificationItem.State, _ fireAt: Instant?) {
    if let place = places[id], place.state == state, let known = place.fireAt, let fireAt, known <= fireAt {
      return
    }
    places[id] = Place(state: state, fireAt: fireAt)
  }

  /// `20260103T0900`, with seconds or without.
  private static func isOccurrence(_ suffix: Substring) -> Bool {
    suffix.wholeMatch(of: /[0-9]{8}T[0-9]{4}([0-9]{2})?/) != nil
  }
}
