import CarillonModel
import CarillonStore

/// A queue's entry belongs to the user that the device had when it was put. While somebody else is there it sleeps:
/// it is neither planned nor shown.
extension [StoredEntry] {
  /// Nobody's, and those of a user.
  ///
  /// - Parameter user: as reported: nil or empty where nobody is signed in.
  func awake(for user: String?) -> [StoredEntry] {
    let user = Self.owner(user)
    return contains { $0.user != nil && $0.user != user }
      ? filter { $0.user == nil || $0.user == user } : self
  }

  /// Those of users who are not there.
  func asleep(for user: String?) -> [StoredEntry] {
    let user = Self.owner(user)
    return filter { $0.user != nil && $0.user != user }
  }

  /// What another user has left behind, once somebody new has signed in. Signing out leaves all of it.
  func left(for user: String?) -> [NotificationID] {
    guard let user = Self.owner(user) else { return [] }
    return filter { $0.user != nil && $0.user != user }.map(\.head.id)
  }

  /// Whose an entry is that is put while a device reports this user; nil: nobody's.
  static func owner(_ user: String?) -> String? { user.flatMap { $0.isEmpty ? nil : $0 } }
}
