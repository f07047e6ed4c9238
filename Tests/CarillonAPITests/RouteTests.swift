import CarillonAPI
import CarillonModel
import Testing

@Suite struct RouteTests {
  @Test func everyEndpointHasASampleAndItsOwnPathAndMethod() {
    #expect(Set(Sample.routes.map(\.endpoint)) == Set(Endpoint.allCases))
    let keys = Endpoint.allCases.map { "\($0.method.rawValue) \($0.template)" }
    #expect(Set(keys).count == keys.count)
  }

  @Test(arguments: Sample.routes) func whatIsBuiltIsFound(route: Route) throws {
    #expect(try Route(method: route.method, path: route.path, query: route.query) == route)
    #expect(route.target == route.path + (route.query.map { "?\($0)" } ?? ""))
    let allowed = route.target.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x3C }
    #expect(allowed, "\(route.target)")
  }

  /// Told from the words of the path, as if it had been read.
  @Test(arguments: ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH"]) func bodiesHaveTheLimitOfTheirEndpoint(
    _ method: String
  ) {
    let paths =
      Sample.routes.map(\.path) + [
        "/v1/notific%61tions", "/v1/%", "/v1/notifications/", "/", "", "*", "/v1/nothing",
      ]
    for path in paths {
      let limit = (try? Route(method: method, path: path))?.endpoint.bodyLimit ?? WireLimits.bodyBytes
      #expect(Endpoint.bodyLimit(method: method, path: path) == limit, "\(method) \(path)")
    }
  }

  @Test func pathsAreSpelledAsDocumented() {
    let id = "8d3f6f2e-52d4-4f29-9c9b-0c3c8a1c1a11"
    let device = Sample.device
    #expect(Route.syncDevice(device).path == "/v1/devices/\(id)/sync")
    #expect(
      Route.putNotification(device, NotificationID(unchecked: "a/b é")).path
        == "/v1/devices/\(id)/notifications/a%2Fb%20%C3%A9")
    #expect(
      Route.getNotification(device, NotificationID(unchecked: "..")).path
        == "/v1/devices/\(id)/notifications/%2E%2E")
    #expect(
      Route.explainPlan(device, notification: NotificationID(unchecked: "a+b")).target
        == "/v1/devices/\(id)/plan/explain?notification=a%2Bb")
  }

  static let devicePath = "/v1/devices/8d3f6f2e-52d4-4f29-9c9b-0c3c8a1c1a11"

  @Test(arguments: [
    ("GET", "/v1/nothing", nil, ProblemCode.routeNotFound),
    ("GET", "/", nil, .routeNotFound),
    ("GET", "", nil, .invalidPath),
    ("GET", "v1/devices", nil, .invalidPath),
    ("GET", "/v1/devices/", nil, .invalidParameter),
    ("GET", "/v1//devices", nil, .routeNotFound),
    ("GET", "/v1/devices/a/b/c/d/e/f/g", nil, .routeNotFound),
    ("GET", "/V1/devices", nil, .routeNotFound),
    ("GET", "/v1/devices/not-a-uuid", nil, .invalidParameter),
    ("GET", "/v1/devices/8d3f6f2e52d44f299c9b0c3c8a1c1a11", nil, .invalidParameter),
    ("GET", "\(devicePath)/notifications/a%2", nil, .invalidPath),
    ("GET", "\(devicePath)/notifications/a%zz", nil, .invalidPath),
    ("GET", "\(devicePath)/notifications/%", nil, .invalidPath),
    ("GET", "\(devicePath)/notifications/%FF", nil, .invalidPath),
    ("GET", "\(devicePath)/notifications/%00", nil, .invalidParameter),
    ("GET", "\(devicePath)/notifications/%0A", nil, .invalidParameter),
    ("GET", "\(devicePath)/notifications/", nil, .invalidParameter),
    ("GET", "\(devicePath)/notifications/\(String(repeating: "a", count: 129))", nil, .invalidParameter),
    ("GET", "/v1/reports/weather", nil, .routeNotFound),
    ("POST", "\(devicePath)/inbox/burn", nil, .routeNotFound),
    ("POST", "/v1/devices", nil, .methodNotAllowed),
    ("PATCH", "\(devicePath)/notifications/a", nil, .methodNotAllowed),
    ("get", "/v1/devices", nil, .methodNotAllowed),
    ("OPTIONS", "/v1/policy", nil, .methodNotAllowed),
    ("GET", "/v1/devices", "limit=0", .invalidParameter),
    ("GET", "/v1/devices", "limit=201", .invalidParameter),
    ("GET", "/v1/devices", "limit=", .invalidParameter),
    ("GET", "/v1/devices", "limit=%2B5", .invalidParameter),
    ("GET", "/v1/devices", "limit=+5", .invalidParameter),
    ("GET", "/v1/devices", "limit=-5", .invalidParameter),
    ("GET", "/v1/devices", "limit=-0", .invalidParameter),
    ("GET", "/v1/devices", "limit", .invalidParameter),
    ("GET", "/v1/devices", "limit=5&limit=6", .invalidParameter),
    ("GET", "/v1/devices", "limit=%zz", .invalidParameter),
    ("GET", "/v1/devices", "cursor=", .invalidCursor),
    ("GET", "/v1/devices", "cursor=abc", .invalidCursor),
    ("GET", "\(devicePath)/plan", "wait=61", .invalidParameter),
    ("GET", "\(devicePath)/plan", "wait=-1", .invalidParameter),
    ("GET", "\(devicePath)/plan/explain", nil, .invalidParameter),
    ("GET", "/v1/policy", "version=0", .invalidParameter),
    ("GET", "/v1/reports/delivery", "from=2026-11-31", .invalidParameter),
    ("GET", "/v1/reports/delivery", "from=yesterday", .invalidParameter),
    ("GET", "/v1/reports/delivery", "to=1999-12-31", .invalidParameter),
    ("GET", "/v1/reports/delivery", "to=2026-1-1", .invalidParameter),
    ("GET", "/v1/reports/delivery", "from=2026-11-30&from=2026-11-30", .invalidParameter),
    ("GET", "/v1/reports/delivery", "type=\(String(repeating: "x", count: 257))", .invalidParameter),
    ("GET", "/v1/reports/delivery", "cohort=a%00b", .invalidParameter),
    ("GET", "/v1/reports/fatigue", "type=habit", .invalidParameter),
    ("GET", "/v1/reports/authorization", "type=", .invalidParameter),
    ("POST", "/v1/reports/delivery", nil, .methodNotAllowed),
  ])
  func refusesByCode(method: String, path: String, query: String?, code: ProblemCode) {
    #expect {
      try Route(method: method, path: path, query: query)
    } throws: {
      ($0 as? Problem)?.code == code
    }
  }

  @Test func aWrongMethodIsToldTheRightOnes() {
    let problem = #expect(throws: Problem.self) {
      try Route(method: "POST", path: "\(Self.devicePath)/notifications/a")
    }
    #expect(problem?.allow == ["HEAD", "PUT", "GET", "DELETE"])
    #expect(problem?.headers.first?.value == "HEAD, PUT, GET, DELETE")
    let sync = #expect(throws: Problem.self) { try Route(method: "GET", path: "\(Self.devicePath)/sync") }
    #expect(sync?.allow == ["POST"])
  }

  @Test func queriesAreReadAsClientsWriteThem() throws {
    let plus = try Route(
      method: "GET", path: "\(Self.devicePath)/plan/explain", query: "utm=1&notification=a+b%2Bc&")
    #expect(plus == .explainPlan(Sample.device, notification: NotificationID(unchecked: "a b+c")))
    #expect(try Route(method: "HEAD", path: "/v1/devices", query: "") == .listDevices())
    let upper = try Route(
      method: "GET", path: Self.devicePath.uppercased().replacing("/V1/DEVICES", with: "/v1/devices"))
    #expect(upper == .getDevice(Sample.device))
  }

  @Test func aDeviceTokenReachesNoTenantWideEndpoint() {
    for route in Sample.routes where route.endpoint.credential == .tenantKeyOrDeviceToken {
      #expect(route.device == Sample.device)
    }
    for endpoint in Endpoint.allCases {
      #expect((endpoint.credential == .none) == (endpoint.scope == nil))
      #expect((endpoint.listener == .public) == (endpoint.credential != .none))
    }
  }
}
