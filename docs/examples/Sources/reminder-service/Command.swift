import CarillonClient

/// What the service is asked to do: a line of words.
enum Command {
  /// Puts or cancels a notification on all devices of a user.
  case change(BatchOperation, said: String)
  case devices
  case token(DeviceID, user: String?)
  case plan(DeviceID)
  case why(DeviceID, NotificationID)

  struct Unclear: Error, CustomStringConvertible {
    var description: String
  }

  init(_ line: String) throws(Unclear) {
    let words = line.split(separator: " ").map(String.init)
    switch (words.first, words.count) {
    case ("remind", 5...):
      let text = words.dropFirst(4).joined(separator: " ")
      guard let at = Instant(words[3]) else {
        throw Unclear(description: "\(words[3]) is no instant; 2027-05-01T09:00:00+02:00 is one")
      }
      self = .change(
        BatchOperation(
          .put(
            .init(id: try Self.id(words[2]), content: NotificationContent(title: text), trigger: .instant(at))
          ),
          for: .user(words[1])),
        said: line)
    case ("cancel", 3):
      self = .change(BatchOperation(.cancel(try Self.id(words[2])), for: .user(words[1])), said: line)
    case ("devices", 1): self = .devices
    case ("token", 2...3): self = .token(try Self.device(words[1]), user: words.count > 2 ? words[2] : nil)
    case ("plan", 2): self = .plan(try Self.device(words[1]))
    case ("why", 3): self = .why(try Self.device(words[1]), try Self.id(words[2]))
    default:
      throw Unclear(
        description:
          "remind USER ID INSTANT TEXT, cancel USER ID, devices, token DEVICE [USER], plan DEVICE, "
          + "why DEVICE ID")
    }
  }

  private static func id(_ text: String) throws(Unclear) -> NotificationID {
    guard let id = NotificationID(text) else { throw Unclear(description: "\(text) is no id") }
    return id
  }

  private static func device(_ text: String) throws(Unclear) -> DeviceID {
    guard let device = DeviceID(text) else { throw Unclear(description: "\(text) is no device's UUID") }
    return device
  }
}
