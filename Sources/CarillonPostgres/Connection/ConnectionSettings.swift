import CPostgres

/// What a connection string says, read as libpq reads it.
public enum ConnectionSettings {
  private static let secrets: Set<String> = ["password", "sslpassword"]

  /// Whether the string holds a password itself, and does not leave it to a file or a variable. False for one that libpq
  /// cannot read.
  ///
  /// - Parameter conninfo: `name=value` words or a URL.
  public static func holdPassword(_ conninfo: String) -> Bool {
    guard let options = PQconninfoParse(conninfo, nil) else { return false }
    defer { PQconninfoFree(options) }
    var option = options
    while let keyword = option.pointee.keyword {
      if option.pointee.val != nil, secrets.contains(String(cString: keyword)) { return true }
      option += 1
    }
    return false
  }
}
