import CarillonCrypto
import CarillonHTTP
import CarillonOptions
import Glibc

/// What the server is told at its start: flags over `CARILLON_…` variables over the file over defaults.
public struct ServerConfiguration: Sendable {
  /// The public listener: `/v1` and the contract.
  public var listen = ListenAddress(host: "127.0.0.1", port: 8080)
  /// Of the public listener.
  public var tls = TLSFiles()
  /// In front of the public listener.
  public var proxies = TrustedProxies()
  /// Health, metrics, version and the contract. Plain HTTP always.
  public var adminListen = ListenAddress(host: "127.0.0.1", port: 9080)
  /// Whether the public listener may be open to the network without TLS.
  public var allowsInsecurePublicListener = false
  /// Whether the admin listener may be open to the network: it is plain HTTP, and asks nobody who he is.
  public var allowsInsecureAdminListener = false
  /// Where the embedded cluster lives.
  public var dataFolder = ".carillon"
  /// A libpq conninfo or URL for the role `carillon_app`; nil runs an embedded cluster.
  public var databaseURL: String?
  /// The same database as `carillon_worker`, who tidies up; nil: nobody does, or the embedded cluster's own.
  public var workerDatabaseURL: String?
  /// Under which signing keys are sealed. Nil: an embedded database has its own in `master.key` under the data folder,
  /// which is made when it is missing; with another database there are no device tokens.
  public var masterKeys: MasterKeys?
  public var loops = ServerConfiguration.cores
  /// Connections to PostgreSQL of each loop.
  public var databaseConnectionsPerLoop = 2
  /// Off behind a pooler that cannot keep named statements.
  public var preparesStatements = true
  /// Requests that share a transaction; 1 switches batches off.
  public var batchSize = 64
  public var timeZoneFolder = "/usr/share/zoneinfo"
  /// How long a drain waits for what is in flight.
  public var drainGrace = Duration.seconds(6)

  public init() {}

  static var cores: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }
}

/// A numeric address and a port.
public struct ListenAddress: Sendable, Hashable, CustomStringConvertible {
  public var host: String
  public var port: UInt16

  public init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// `127.0.0.1:8080` or `[::1]:8080`; nil when the text is neither.
  public init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
      return nil
    }
    var host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
    guard ListenAddress.isNumeric(String(host)) else { return nil }
    self.init(host: String(host), port: port)
  }

  public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

  private static func isNumeric(_ host: String) -> Bool {
    var buffer = in6_addr()
    return inet_pton(AF_INET, host, &buffer) == 1 || inet_pton(AF_INET6, host, &buffer) == 1
  }
}
