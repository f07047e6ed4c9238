import CarillonAPI
import CarillonModel

/// The tokens of this installation. The app is asked for one when there is none, and again when the server has refused
/// the one there was; those who need one at the same time share the asking.
final class DeviceCredential {
  private let provider: @Sendable (DeviceID) async throws -> String
  private var tokens: [DeviceID: String] = [:]
  private var asking: [DeviceID: Task<String, any Error>] = [:]

  /// - Parameter provider: gives a token for this installation.
  init(_ provider: @escaping @Sendable (DeviceID) async throws -> String) { self.provider = provider }

  func token(for device: DeviceID) async throws(CarillonError) -> String {
    if let token = tokens[device] { return token }
    // A task of its own: a caller that is cancelled does not take the token from the others.
    let task = asking[device] ?? Task { [provider] in try await provider(device) }
    asking[device] = task
    do {
      let token = try await task.value
      if asking[device] == task {
        asking[device] = nil
        tokens[device] = token
      }
      return token
    } catch {
      if asking[device] == task { asking[device] = nil }
      throw CarillonError(
        .noCredential, "the app gave no credential: \(error)", isRetryable: true)
    }
  }

  /// The server gave this one with a new id: the old id is over.
  func note(_ token: String, for device: DeviceID) { tokens = [device: token] }

  /// The server took it no more. Whoever was refused later with an older one changes nothing.
  func forget(_ token: String, of device: DeviceID) {
    if tokens[device] == token { tokens[device] = nil }
  }
}
