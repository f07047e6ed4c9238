/// The templates of all endpoints, cut into segments and grouped by their number.
struct RouteTable {
  struct Row {
    var endpoint: Endpoint
    /// Nil stands for a parameter.
    var segments: [String?]
    /// The parameters' names, in order.
    var names: [String]
  }

  static let shared = RouteTable()

  /// No path of ours has more.
  static let maxSegments = 5
  private let rows: [[Row]]

  private init() {
    var rows = [[Row]](repeating: [], count: Self.maxSegments + 1)
    for endpoint in Endpoint.allCases {
      let texts = endpoint.template.dropFirst().split(separator: "/").map(String.init)
      let segments = texts.map { $0.hasPrefix("{") ? nil : $0 }
      let names = texts.filter { $0.hasPrefix("{") }.map { String($0.dropFirst().dropLast()) }
      rows[segments.count].append(Row(endpoint: endpoint, segments: segments, names: names))
    }
    self.rows = rows
  }

  /// The endpoints of a path, one for each method it has.
  func rows(for segments: [String]) -> [Row] {
    guard segments.count <= Self.maxSegments else { return [] }
    return rows[segments.count].filter { row in
      // The last segments differ most.
      for index in segments.indices.reversed() {
        if let literal = row.segments[index], literal != segments[index] { return false }
      }
      return true
    }
  }
}
