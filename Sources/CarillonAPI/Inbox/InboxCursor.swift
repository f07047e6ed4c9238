import CarillonModel

extension Cursor {
  /// Behind an item of an inbox.
  public init(inboxAt at: Instant, _ key: InboxKey) {
    self.init(
      list: .inbox, key: "\(at.milliseconds).\(key.wishedAt.milliseconds).\(key.notification.text)")
  }

  /// The item it stands behind; nil for a cursor of another list.
  public var inboxPlace: (at: Instant, key: InboxKey)? {
    let parts = key.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false)
    guard list == .inbox, parts.count == 3, let at = Int64(parts[0]), let wish = Int64(parts[1]) else {
      return nil
    }
    return (
      Instant(milliseconds: at),
      InboxKey(
        notification: NotificationID(unchecked: String(parts[2])), wishedAt: Instant(milliseconds: wish))
    )
  }
}
