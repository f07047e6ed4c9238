import CarillonCrypto
import CarillonHTTP
import CarillonOptions
import CarillonPostgres

/// The server's command line, and what it makes of it.
enum ServerOptions {
  static let listen = address(
    "listen", default: "127.0.0.1:8080", "Public listener, a numeric address and a port.")
  static let adminListen = address(
    "admin-listen", default: "127.0.0.1:9080", "Listener for health, metrics and version.")
  static let insecure = Option.flag(
    "insecure-public-listener", "Lets the public listener be open to the network without TLS.")
  static let insecureAdmin = Option.flag(
    "insecure-admin-listener",
    "Lets the admin listener be open to the network: it is plain HTTP and asks for no credential.")
  static let tlsCertificate = Option<String?>.text(
    "tls-certificate", value: "FILE",
    "Certificate of the public listener and its chain (PEM); without it plain HTTP.")
  static let tlsKey = Option<String?>.text(
    "tls-key", value: "FILE", "Private key of the certificate (PEM), in a file with mode 600.")
  static let tlsClientCA = Option<String?>.text(
    "tls-client-ca", value: "FILE",
    "Authority of the clients' certificates (PEM); a client without one is refused.")
  static let trustedProxies = Option<[AddressRange]?>.custom(
    "trusted-proxies", value: "CIDR[,CIDR]", "Proxies whose word is taken for the address of the client."
  ) { text throws(InvalidValue) in try ranges(text) }
  static let forwardedHeader = Option.choice(
    "forwarded-header", value: "NAME", default: TrustedProxies.Field.forwarded,
    "The field in which the trusted proxies write that address.")
  static let data = Option.text(
    "data", value: "FOLDER", default: ".carillon",
    "Folder of the embedded PostgreSQL, used without a database URL.")
  static let databaseURL = Option.text(
    "database-url", value: "URL", "PostgreSQL to connect to as carillon_app; without it an embedded one runs."
  ).environment("DATABASE_URL")
  static let workerDatabaseURL = Option<String?>.text(
    "worker-database-url", value: "URL",
    "The same database as carillon_worker, who takes away what was kept long enough.")
  static let masterKeyFile = Option<String?>.text(
    "master-key-file", value: "FILE",
    "The key that signing keys are sealed under, in a file with mode 600; or CARILLON_MASTER_KEY has the key itself."
  )
  static let masterKeyOldFile = Option<String?>.text(
    "master-key-old-file", value: "FILE", "The master key before, while it is being changed.")
  static let loops = Option.integer(
    "loops", value: "N", in: 1...256, "Event loops; one for each core when absent.")
  static let connections = Option.integer(
    "database-connections", value: "N", in: 1...64, default: 2, "Connections to PostgreSQL of each loop.")
  static let prepared = Option.choice(
    "prepared", value: "on|off", default: Switch.on, "Named prepared statements; off behind a pooler.")
  static let batch = Option.integer(
    "batch", value: "N", in: 1...256, default: 64,
    "Requests that share a transaction; 1 switches batches off.")
  static let timeZones = Option.text(
    "tzdir", value: "FOLDER", default: "/usr/share/zoneinfo", "Folder of the time zone files (TZif).")
  static let config = Option<String?>.text(
    "config", value: "FILE", "Configuration file, one name = value a line."
  )
  .commandLineOnly()

  enum Switch: String, CaseIterable, Sendable { case on, off }

  static let program = Program<Void>(
    Command(
      "carillon-server", "Plans which 64 notifications each device should hold, and serves the plan.",
      discussion: """
        Prints one line, ready, on standard error when it serves; its log is JSON on standard error. SIGTERM and
        SIGINT stop it: it finishes what is running and exits 0. SIGHUP makes it read the files of TLS anew.
        """,
      options: [
        listen, insecure, tlsCertificate, tlsKey, tlsClientCA, trustedProxies, forwardedHeader, adminListen,
        insecureAdmin,
        data,
        databaseURL, workerDatabaseURL, masterKeyFile, masterKeyOldFile, loops, connections,
        prepared, batch, timeZones, config,
      ], action: ()), environmentPrefix: "CARILLON_", configuration: config)

  static func configuration(
    _ values: OptionValues, environment: [String: String]
  ) throws -> ServerConfiguration {
    for option in [databaseURL, workerDatabaseURL] {
      guard let url = values[option], ConnectionSettings.holdPassword(url) else { continue }
      switch values.origin(of: option) {
      case .commandLine: throw StartRefusal.passwordInArguments(option: option.declaration.name)
      case .file(let path, _):
        do { try SecretFile.checkIsClosed(path) } catch {
          throw StartRefusal.passwordInFile(option: option.declaration.name, error)
        }
      case .environment, .defaultValue, .unset: break
      }
    }
    var configuration = ServerConfiguration()
    configuration.listen = values[listen]
    configuration.tls.certificate = values[tlsCertificate]
    configuration.tls.key = values[tlsKey]
    configuration.tls.clientAuthority = values[tlsClientCA]
    configuration.proxies.ranges = values[trustedProxies] ?? []
    configuration.proxies.field = values[forwardedHeader]
    configuration.adminListen = values[adminListen]
    configuration.allowsInsecurePublicListener = values[insecure]
    configuration.allowsInsecureAdminListener = values[insecureAdmin]
    configuration.dataFolder = values[data]
    configuration.databaseURL = values[databaseURL]
    configuration.workerDatabaseURL = values[workerDatabaseURL]
    configuration.masterKeys = try MasterKeySource(
      file: values[masterKeyFile], oldFile: values[masterKeyOldFile],
      text: environment[MasterKeySource.variable]
    ).read()
    configuration.loops = values[loops] ?? ServerConfiguration.cores
    configuration.databaseConnectionsPerLoop = values[connections]
    configuration.preparesStatements = values[prepared] == .on
    configuration.batchSize = values[batch]
    configuration.timeZoneFolder = values[timeZones]
    return configuration
  }

  private static func address(_ name: String, default text: String, _ help: String) -> Option<ListenAddress> {
    Option.custom(name, value: "ADDRESS:PORT", default: text, help) { text throws(InvalidValue) in
      guard let address = ListenAddress(text) else {
        throw InvalidValue("a numeric address and a port are wanted, like 127.0.0.1:8080 or [::1]:8080")
      }
      return address
    }
  }

  private static func ranges(_ text: String) throws(InvalidValue) -> [AddressRange] {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    let ranges = parts.compactMap { AddressRange($0) }
    guard ranges.count == parts.count else {
      throw InvalidValue(
        "ranges of addresses are wanted, like 10.0.0.0/8,2001:db8::/32, zero beyond the prefix")
    }
    guard ranges.count <= TrustedProxies.rangeLimit else {
      throw InvalidValue("at most \(TrustedProxies.rangeLimit) ranges are taken")
    }
    return ranges
  }
}
