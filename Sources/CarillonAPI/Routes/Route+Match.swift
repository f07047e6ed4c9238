import CarillonModel

extension Route {
  /// Finds the endpoint of a request and reads its parameters.
  ///
  /// A `HEAD` is matched like a `GET`. Unknown query parameters are ignored, known ones must be there once at
  /// most.
  ///
  /// - Parameters:
  ///   - path: as sent, percent-encoded.
  ///   - query: as sent, without `?`.
  /// - Throws: 400 `invalidPath`, `invalidParameter` or `invalidCursor`; 404 `routeNotFound`; 405 with the
  ///   methods there are.
  public init(method: String, path: String, query: String? = nil) throws(Problem) {
    let segments = try Self.segments(path)
    let rows = RouteTable.shared.rows(for: segments)
    guard !rows.isEmpty else {
      throw Problem(.routeNotFound, "No endpoint has this path; /openapi.json lists them all.")
    }
    let wanted = method == "HEAD" ? "GET" : method
    guard let row = rows.first(where: { $0.endpoint.method.rawValue == wanted }) else {
      let methods = rows.map(\.endpoint.method.rawValue)
      var problem = Problem(
        .methodNotAllowed,
        "\(Self.shown(method)) is not possible here; use \(methods.joined(separator: ", ")).")
      problem.allow = (methods.contains("GET") ? ["HEAD"] : []) + methods
      throw problem
    }
    var values: [String] = []
    for (index, segment) in segments.enumerated() where row.segments[index] == nil { values.append(segment) }
    self = try RouteParameters(path: values, query: query).route(of: row.endpoint)
  }

  private static func segments(_ path: String) throws(Problem) -> [String] {
    guard path.utf8.first == UInt8(ascii: "/") else {
      throw Problem(.invalidPath, "A path begins with '/'.")
    }
    var segments: [String] = []
    for part in path.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
      guard let segment = PercentCoding.decoded(part) else {
        throw Problem(.invalidPath, "'%' must be followed by two hexadecimal digits, and give UTF-8.")
      }
      segments.append(segment)
      // Anything longer is nothing of ours, and need not be decoded.
      if segments.count > RouteTable.maxSegments { break }
    }
    return segments
  }

  /// A client's own word, made fit to stand in a sentence.
  private static func shown(_ method: String) -> String {
    let isToken = method.utf8.count <= 20 && method.utf8.allSatisfy { (0x41...0x5A).contains($0) }
    return isToken ? method : "This method"
  }
}

/// The decoded parameters of one request.
struct RouteParameters {
  var path: [String]
  var query: String?

  func route(of endpoint: Endpoint) throws(Problem) -> Route {
    switch endpoint {
    case .syncDevice: .syncDevice(try device)
    case .getPlan: .getPlan(try device, wait: try integer("wait", in: WireLimits.waitSeconds))
    case .explainPlan: .explainPlan(try device, notification: try notificationInQuery)
    case .decidePriming: .decidePriming(try device)
    case .getInbox: .getInbox(try device, try page(of: .inbox), state: try inboxState)
    case .markInbox: .markInbox(try device, try choice(path[1]))
    case .mintDeviceToken: .mintDeviceToken(try device)
    case .listDevices: .listDevices(try page(of: .devices))
    case .getDevice: .getDevice(try device)
    case .eraseDevice: .eraseDevice(try device)
    case .listDeviceChanges: .listDeviceChanges(try device, try page(of: .deviceHistory))
    case .listDeliveries: .listDeliveries(try device, try page(of: .deliveries))
    case .listNotifications: .listNotifications(try device, try page(of: .notifications))
    case .putNotification: .putNotification(try device, try notification)
    case .getNotification: .getNotification(try device, try notification)
    case .deleteNotification: .deleteNotification(try device, try notification)
    case .batchNotifications: .batchNotifications
    case .getPolicy: .getPolicy(version: try integer("version", in: 1...Int(Int32.max)))
    case .putPolicy: .putPolicy
    case .listPolicyVersions: .listPolicyVersions(try page(of: .policyVersions))
    case .previewPolicy: .previewPolicy
    case .getReport: try report(try choice(path[0]))
    case .getHealth: .getHealth
    case .getReadiness: .getReadiness
    case .getMetrics: .getMetrics
    case .getVersion: .getVersion
    case .getOpenAPI: .getOpenAPI
    }
  }

  private var device: DeviceID {
    get throws(Problem) {
      guard let uuid = UUID128(path[0]) else {
        throw Problem(.invalidParameter, "deviceId is a UUID of 36 characters.")
      }
      return DeviceID(uuid)
    }
  }

  private var inboxState: InboxState {
    get throws(Problem) {
      guard let text = try value("state") else { return .inbox }
      guard let state = InboxState(rawValue: text) else {
        let known = InboxState.allCases.map(\.rawValue).joined(separator: ", ")
        throw Problem(.invalidParameter, "'state' is one of \(known).")
      }
      return state
    }
  }

  private func report(_ kind: Route.ReportKind) throws(Problem) -> Route {
    let query = ReportQuery(
      from: try day("from"), to: try day("to"), type: try value("type"), cohort: try value("cohort"))
    try query.check(for: kind)
    return .getReport(kind, query)
  }

  private func day(_ name: String) throws(Problem) -> CivilDate? {
    guard let text = try value(name) else { return nil }
    guard let day = CivilDate(text), ReportLimits.years.contains(day.year) else {
      throw Problem(.invalidParameter, "'\(name)' is a day that there is, of UTC, like 2026-12-01.")
    }
    return day
  }

  private var notification: NotificationID {
    get throws(Problem) { try Self.notification(path[1]) }
  }

  private var notificationInQuery: NotificationID {
    get throws(Problem) {
      guard let text = try value("notification") else {
        throw Problem(.invalidParameter, "The parameter 'notification' is missing.")
      }
      guard let id = NotificationID(made: text) else {
        throw Problem(
          .invalidParameter,
          "A notification's id, or one made of it, has 1 to 160 bytes of UTF-8 without control characters.")
      }
      return id
    }
  }

  private static func notification(_ text: String) throws(Problem) -> NotificationID {
    guard let id = NotificationID(text) else {
      throw Problem(
        .invalidParameter, "A notification's id has 1 to 128 bytes of UTF-8 without control characters.")
    }
    return id
  }

  /// A path that names none of the cases does not exist.
  private func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ text: String
  ) throws(Problem) -> Choice {
    guard let choice = Choice(rawValue: text) else {
      let known = Choice.allCases.map(\.rawValue).joined(separator: ", ")
      throw Problem(.routeNotFound, "The last part of this path is one of \(known).")
    }
    return choice
  }

  private func page(of list: Cursor.List) throws(Problem) -> PageRequest {
    let limit = try integer("limit", in: PageRequest.limits) ?? PageRequest.defaultLimit
    guard let text = try value("cursor") else { return PageRequest(limit: limit) }
    return PageRequest(limit: limit, cursor: try Cursor(text, of: list))
  }

  private func integer(_ name: String, in range: ClosedRange<Int>) throws(Problem) -> Int? {
    guard let text = try value(name) else { return nil }
    // A sign is no digit: what is read in one way only.
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text), range.contains(number)
    else {
      throw Problem(
        .invalidParameter, "'\(name)' is a number from \(range.lowerBound) to \(range.upperBound).")
    }
    return number
  }

  private func value(_ name: String) throws(Problem) -> String? {
    guard let query else { return nil }
    var found: String?
    for pair in query.utf8.split(separator: UInt8(ascii: "&")) {
      let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      guard let key = PercentCoding.decoded(parts[0], plusIsSpace: true),
        let value = PercentCoding.decoded(parts.count > 1 ? parts[1] : "".utf8[...], plusIsSpace: true)
      else {
        throw Problem(
          .invalidParameter, "In a query '%' must be followed by two hexadecimal digits, and give UTF-8.")
      }
      guard key == name else { continue }
      guard found == nil else { throw Problem(.invalidParameter, "'\(name)' is there twice.") }
      found = value
    }
    return found
  }
}
