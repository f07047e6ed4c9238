import CarillonCrypto

/// Where the server's master keys come from.
///
/// The key itself is taken from a file or a variable and from no option: arguments can be read by every user of the
/// machine.
struct MasterKeySource {
  static let variable = "CARILLON_MASTER_KEY"

  /// `--master-key-file`
  var file: String?
  /// `--master-key-old-file`: the key before, while it is being changed.
  var oldFile: String?
  /// The key itself.
  var text: String?

  /// Nil when none is named.
  func read() throws(MasterKeyError) -> MasterKeys? {
    let current: MasterKey
    switch (file, text) {
    case (_?, _?): throw .ambiguous
    case (let file?, nil): current = try MasterKey.read(file)
    case (nil, let text?): current = try MasterKey(text)
    case (nil, nil):
      guard oldFile == nil else { throw .oldAlone }
      return nil
    }
    var previous: MasterKey?
    if let oldFile { previous = try MasterKey.read(oldFile) }
    return MasterKeys(current: current, previous: previous)
  }
}
