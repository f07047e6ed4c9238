import Foundation

extension FakeServer {
  /// For configurations, which want an address; nothing is ever sent there.
  public static var url: URL {
    guard let url = URL(string: "https://carillon.invalid") else { preconditionFailure("a literal") }
    return url
  }
}
