import CarillonModel

/// What placing and choosing read of a type, as plain numbers: thousands of look-ups copy no text.
struct TypeRule {
  var priority: Int32
  var reserve: Int
  var limit: Int
  var quietHours: QuietHoursRule
  var cap: CapRule
  var capExempt: Bool
  var digest: Bool

  init(_ type: NotificationType) {
    priority = Int32(truncatingIfNeeded: type.priority)
    reserve = type.reserve ?? 0
    limit = type.limit ?? .max
    quietHours = type.quietHours
    cap = type.cap
    capExempt = type.capExempt
    digest = type.digest
  }
}
