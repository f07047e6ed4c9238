/// What a session has announced on a channel (`NOTIFY`).
public struct DatabaseNotification: Hashable, Sendable {
  public var channel: String
  public var payload: String

  public init(channel: String, payload: String) {
    self.channel = channel
    self.payload = payload
  }
}
