import Foundation

extension TenantClient {
  /// The usual one, by ``URLSessionTransport``. Make one and keep it: it keeps its connections.
  public init(server: URL, key: String, retry: RetryPolicy = RetryPolicy()) {
    self.init(transport: URLSessionTransport(server: server), key: key, retry: retry)
  }
}
