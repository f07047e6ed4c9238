extension NotificationID: ExpressibleByStringLiteral {
  /// For literals: one that is no id is a mistake of the program, and traps.
  public init(stringLiteral text: String) {
    guard let id = NotificationID(text) else {
      preconditionFailure("\"\(text)\" is no id: 1...128 bytes of UTF-8 without control characters")
    }
    self = id
  }
}
