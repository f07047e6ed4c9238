extension MasterKey {
  /// The key in a file that is its owner's alone.
  public static func read(_ path: String) throws(MasterKeyError) -> MasterKey {
    let text: String
    do throws(SecretFileError) {
      text = try SecretFile.read(path)
    } catch {
      throw .file(error)
    }
    return try MasterKey(text)
  }

  /// The key in a file, which is made with a new one when there is none.
  public static func readOrMake(_ path: String) throws(MasterKeyError) -> MasterKey {
    guard !SecretFile.exists(path) else { return try read(path) }
    var random = SecureRandom()
    let key = MasterKey.make(using: &random)
    do throws(SecretFileError) {
      try SecretFile.create(path, key.text + "\n")
    } catch {
      throw .file(error)
    }
    return key
  }
}
