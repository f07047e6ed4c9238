import CarillonAPI
import CarillonEventLoop
import CarillonHTTP
import CarillonJSON
import CarillonTelemetry

/// The admin listener: alive, ready, version, the contract. It lives on the first worker's loop.
actor AdminHandler: HTTPHandler {
  nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  private let readiness: @Sendable () async -> Readiness
  private let zoneData: String
  private let metrics: ServerMetrics
  private var server: HTTPServer?

  init(
    loop: EventLoop, zoneData: String, metrics: ServerMetrics,
    readiness: @escaping @Sendable () async -> Readiness
  ) {
    self.loop = loop
    self.zoneData = zoneData
    self.readiness = readiness
    self.metrics = metrics
  }

  func listen(_ address: ListenAddress) throws -> UInt16 {
    var configuration = HTTPServer.Configuration()
    configuration.address = address.host
    configuration.port = address.port
    configuration.connectionLimit = Self.connectionLimit
    let server = try HTTPServer(loop: loop, configuration: configuration, handler: self)
    self.server = server
    return server.port
  }

  /// Probes and scrapers are few.
  static let connectionLimit = 256

  func close() async {
    await server?.drain(grace: .seconds(1))
    server = nil
  }

  func bodyLimit(method: String, path: String) -> Int { 0 }

  func respond(to request: HTTPRequest) async -> HTTPResponse {
    do throws(Problem) {
      switch try Route(method: request.method, path: request.path, query: request.query) {
      case .getHealth: return .json(200) { $0.object { $0.member("status", "alive") } }
      case .getReadiness: return await readiness().response
      case .getVersion: return version
      case .getMetrics:
        return HTTPResponse(
          status: 200, headers: [("Content-Type", MetricRegistry.contentType)],
          body: Array(metrics.registry.text.utf8))
      case .getOpenAPI: return OpenAPIDocument.response
      default: throw Problem.noSuchRoute
      }
    } catch {
      var problem = error
      problem.instance = request.path
      return problem.response(requestID: Exchange.makeRequestID())
    }
  }

  func respond(to refusal: HTTPRefusal) -> HTTPResponse {
    Problem(refusal).response(requestID: Exchange.makeRequestID())
  }

  private var version: HTTPResponse {
    .json(200) { writer in
      writer.object { writer in
        writer.member("version", CarillonVersion.text)
        writer.member("zoneData", zoneData)
      }
    }
  }
}

/// This release.
public enum CarillonVersion {
  public static let text = "0.1.0"
}

/// Whether the server can do its work now, part by part.
struct Readiness: Sendable {
  var database: Bool
  var migrations: Bool
  var draining: Bool

  var isReady: Bool { database && migrations && !draining }

  var response: HTTPResponse {
    .json(isReady ? 200 : 503) { writer in
      writer.object { writer in
        writer.member("status", isReady ? "ready" : "notReady")
        writer.member("database", database)
        writer.member("migrations", migrations)
        writer.member("draining", draining)
      }
    }
  }
}

enum OpenAPIDocument {
  /// The file is JSON, which is YAML too.
  static let response = HTTPResponse.json(200, PackageResources.openapi_yaml)
}
