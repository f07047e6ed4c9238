import CarillonCrypto
import CarillonJSON
import CarillonModel
import CarillonOptions
import CarillonStore

/// `tenantctl key rotate-master`: what is sealed under one master key is sealed under another.
enum MasterKeyCommand {
  private static let oldFile = Option.required(
    "old-file", value: "FILE", "The master key that is in use."
  ).commandLineOnly()
  private static let newFile = Option.required(
    "new-file", value: "FILE", "The master key to come, made with 'openssl rand -base64 32'."
  ).commandLineOnly()

  static let rotate = Command<CommandAction>(
    "rotate-master", "Seals every signing key anew, under another master key.",
    discussion:
      "In one transaction, all or none. First start every server with both keys (CARILLON_MASTER_KEY_FILE names the "
      + "new one, CARILLON_MASTER_KEY_OLD_FILE the old one), then run this, then start them with the new one alone. "
      + "It may be run again: what is done stays. With --dry-run it opens everything, changes nothing, and exits with 3 "
      + "when something is left to do.",
    options: [oldFile, newFile, CommonOptions.dryRun],
    examples: [
      "tenantctl key rotate-master --old-file master.key --new-file master.key.new --dry-run",
      "tenantctl key rotate-master --old-file master.key --new-file master.key.new",
    ]
  ) { context in
    let keys = MasterKeys(
      current: try read(context.values[newFile]), previous: try read(context.values[oldFile]))
    guard keys.current.fingerprint != keys.previous?.fingerprint else {
      throw CommandFailure(
        .usage, "both files hold the same master key", "Make a new one with 'openssl rand -base64 32'")
    }
    let isDry = context.values[CommonOptions.dryRun]
    let now = context.now()
    let done = try await context.withStore { store in
      // Fingerprints name master keys and tell nothing of them.
      let entry = store.entry(
        .keyRotateMaster, at: now, details: ["masterKey": keys.current.fingerprint])
      return try await store.resealSigningKeys(isDry: isDry, audit: entry) { key in
        try reseal(key, under: keys)
      }
    }
    var members = [
      JSONMember("masterKey", .string(keys.current.fingerprint)),
      JSONMember("resealed", .number(String(done.resealed))),
      JSONMember("unchanged", .number(String(done.unchanged))),
    ]
    var columns = [
      Column("masterKey"), Column("resealed", alignsRight: true), Column("unchanged", alignsRight: true),
    ]
    if isDry {
      members.append(JSONMember("dryRun", true))
      columns.append(Column("dryRun"))
    }
    try context.print(.one(.object(members), columns: columns))
    return isDry && done.resealed > 0 ? .differences : .ok
  }

  /// Nil: it is done.
  private static func reseal(
    _ key: StoredSigningKey, under keys: MasterKeys
  ) throws(CommandFailure) -> StoredSigningKey? {
    let place = SealingPlace.signingKey(key.id, tenant: key.tenant.text)
    let secret: [UInt8]
    do throws(SealError) {
      secret = try keys.open(SealedSecret(masterKey: key.masterKey, bytes: key.sealedSecret), at: place)
    } catch {
      throw CommandFailure(key, error)
    }
    guard key.masterKey != keys.current.fingerprint else { return nil }
    var random = SecureRandom()
    let sealed = keys.seal(secret, for: place, using: &random)
    var anew = key
    anew.sealedSecret = sealed.bytes
    anew.masterKey = sealed.masterKey
    return anew
  }

  private static func read(_ path: String) throws(CommandFailure) -> MasterKey {
    do throws(MasterKeyError) {
      return try MasterKey.read(path)
    } catch {
      throw CommandFailure(.error, "'\(path)': \(error.summary)", error.remedy)
    }
  }
}

extension CommandFailure {
  fileprivate init(_ key: StoredSigningKey, _ error: SealError) {
    let name = "the signing key '\(key.id)' of tenant \(key.tenant.text)"
    switch error {
    case .otherMasterKey(let fingerprint):
      self.init(
        .error, "\(name) is sealed under a third master key (\(fingerprint)); nothing was changed",
        "Name the file of that key with --old-file")
    case .damaged:
      self.init(
        .error, "\(name) does not open: it was changed in the database; nothing was changed",
        "End it with 'tenantctl key rotate-signing --now' and delete its row, then run this again")
    }
  }
}
