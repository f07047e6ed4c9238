import CarillonModel

extension Route {
  public var method: String { endpoint.method.rawValue }

  /// The path, percent-encoded, without the query.
  public var path: String {
    var path = endpoint.template
    for (name, value) in pathParameters {
      guard let range = path.firstRange(of: "{\(name)}") else {
        fatalError("\(endpoint.template) has no {\(name)}")
      }
      path.replaceSubrange(range, with: PercentCoding.encoded(value))
    }
    return path
  }

  /// The query, percent-encoded, without `?`; nil when there is none.
  public var query: String? { Self.query(queryParameters) }

  /// Path and query, as they stand in a request line.
  public var target: String { query.map { "\(path)?\($0)" } ?? path }

  /// The target of the page after this one; nil when this route is no list.
  func next(cursorText: String) -> String? {
    guard let page else { return nil }
    var parameters: [(String, String)] = filter
    if page.limit != PageRequest.defaultLimit { parameters.append(("limit", String(page.limit))) }
    parameters.append(("cursor", cursorText))
    return Self.query(parameters).map { "\(path)?\($0)" }
  }

  private var page: PageRequest? {
    switch self {
    case .getInbox(_, let page, _), .listDevices(let page), .listNotifications(_, let page),
      .listDeviceChanges(_, let page), .listDeliveries(_, let page),
      .listPolicyVersions(let page):
      page
    default: nil
    }
  }

  /// What a list is narrowed to; it goes with every page.
  private var filter: [(String, String)] {
    if case .getInbox(_, _, let state) = self, state != .inbox { return [("state", state.rawValue)] }
    return []
  }

  private var pathParameters: [(String, String)] {
    var parameters: [(String, String)] = []
    if let device { parameters.append(("deviceId", device.text)) }
    switch self {
    case .putNotification(_, let id), .getNotification(_, let id), .deleteNotification(_, let id):
      parameters.append(("id", id.text))
    case .markInbox(_, let mark): parameters.append(("mark", mark.rawValue))
    case .getReport(let kind, _): parameters.append(("report", kind.rawValue))
    default: break
    }
    return parameters
  }

  private var queryParameters: [(String, String)] {
    switch self {
    case .getPlan(_, wait: let wait?): return [("wait", String(wait))]
    case .explainPlan(_, notification: let id): return [("notification", id.text)]
    case .getPolicy(version: let version?): return [("version", String(version))]
    case .getReport(_, let report):
      let named = [
        ("from", report.from?.text), ("to", report.to?.text), ("type", report.type),
        ("cohort", report.cohort),
      ]
      return named.compactMap { name, value in value.map { (name, $0) } }
    default: break
    }
    guard let page else { return [] }
    var parameters = filter
    if page.limit != PageRequest.defaultLimit { parameters.append(("limit", String(page.limit))) }
    if let cursor = page.cursor { parameters.append(("cursor", cursor.text)) }
    return parameters
  }

  private static func query(_ parameters: [(String, String)]) -> String? {
    guard !parameters.isEmpty else { return nil }
    return parameters.map { "\($0.0)=\(PercentCoding.encoded($0.1))" }.joined(separator: "&")
  }
}
