import CarillonAPI
import CarillonModel

enum RouteTarget {
  /// `METHOD path?query`, as in a request line.
  static func check(_ bytes: [UInt8]) throws(Finding) {
    let words = bytes.split(separator: 0x20, maxSplits: 1).map { String(decoding: $0, as: UTF8.self) }
    guard words.count == 2 else { return }
    let target = words[1].utf8.split(
      separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
    let route: Route
    do throws(Problem) {
      route = try Route(
        method: words[0], path: target.first.map { String(Substring($0)) } ?? "",
        query: target.count > 1 ? String(Substring(target[1])) : nil)
    } catch {
      return try expect((400...499).contains(error.status), "a bad path is answered \(error.status)")
    }
    let again = try? Route(method: route.method, path: route.path, query: route.query)
    try expect(again == route, "\(route.target) leads to another endpoint: \(String(describing: again))")
  }
}
