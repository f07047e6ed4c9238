import CarillonCrypto

/// Why the server does not start as it was told to, although it could.
enum StartRefusal: Error, Hashable {
  /// Credentials would cross a network that others can read.
  case openListener(ListenAddress)
  /// Metrics and health would be open to whoever reaches the address.
  case openAdminListener(ListenAddress)
  /// A password stands among the arguments, which every user of the machine can read.
  case passwordInArguments(option: String)
  /// A password stands in a configuration file that others may read.
  case passwordInFile(option: String, SecretFileError)

  var summary: String {
    switch self {
    case .openListener(let address):
      "The public listener would be open to the network at \(address) without TLS, and credentials with it."
    case .openAdminListener(let address):
      "The admin listener would be open to the network at \(address), and it asks nobody for a credential."
    case .passwordInArguments(let option):
      "A password stands among the arguments (--\(option)), where every user of this machine can read it."
    case .passwordInFile(let option, let error):
      "A password stands in the configuration file (\(option)). \(error.summary)"
    }
  }

  var remedy: String {
    switch self {
    case .openListener:
      "Listen on 127.0.0.1 behind a proxy that ends TLS, or give --tls-certificate and --tls-key, "
        + "or say --insecure-public-listener where the network is your own."
    case .openAdminListener:
      "Name an address of this machine alone with --admin-listen, or say --insecure-admin-listener where the network is "
        + "your own."
    case .passwordInArguments(let option):
      "Set it in the environment or in a configuration file instead of --\(option), and change it if others may have seen it."
    case .passwordInFile(_, let error): error.remedy
    }
  }
}

extension ListenAddress {
  /// Whether only this machine reaches it.
  var isLoopback: Bool {
    host.hasPrefix("127.") || host == "::1" || host.lowercased().hasPrefix("::ffff:127.")
  }
}

extension ServerConfiguration {
  /// What can be seen without trying.
  func check() throws(StartRefusal) {
    guard listen.isLoopback || tls.certificate != nil || allowsInsecurePublicListener else {
      throw .openListener(listen)
    }
    guard adminListen.isLoopback || allowsInsecureAdminListener else { throw .openAdminListener(adminListen) }
  }
}
