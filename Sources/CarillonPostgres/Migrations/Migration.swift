/// One numbered step of a schema, up and down.
public struct Migration: Sendable {
  public let version: Int
  public let name: String
  public let up: String
  public let down: String

  public init(version: Int, name: String, up: String, down: String) {
    self.version = version
    self.name = name
    self.up = up
    self.down = down
  }

  /// FNV-1a 64 of the way up, as 16 hex digits: tells whether a step has been edited since it was applied.
  var checksum: String {
    var hash = FNV1a()
    hash.add(up.utf8)
    let digits = String(hash.value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

/// The FNV-1a hash of 64 bits (public domain, by Fowler, Noll and Vo).
struct FNV1a {
  private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

  mutating func add(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
  }
}

/// What a database has of a list of migrations.
public struct MigrationStatus: Sendable {
  public enum State: String, Sendable {
    case applied
    case pending
    /// Applied, and edited since.
    case changed
    /// Applied by a program that knows more than this one.
    case unknown
  }

  public struct Entry: Sendable, Equatable {
    public let version: Int
    public let name: String
    public let state: State
    /// Milliseconds since 1970.
    public let appliedAt: Int64?
  }

  /// By version.
  public let entries: [Entry]
  /// All applied, none changed, none unknown.
  public var isCurrent: Bool { entries.allSatisfy { $0.state == .applied } }

  func versions(_ state: State) -> [Int] { entries.filter { $0.state == state }.map(\.version) }
}

/// Why the schema was left as it is, and what to do about it.
public struct MigrationError: Error, Sendable, CustomStringConvertible {
  public enum Code: String, Sendable {
    /// A migration was edited after it had been applied.
    case changed
    /// The database has a version that this program does not know.
    case unknownVersion
    /// A pending version is older than one that has been applied.
    case outOfOrder
    /// There is no migration of the version asked for.
    case noSuchVersion
    /// A migration's text begins or ends a transaction, or cannot be split into statements.
    case unusableText
    /// The server refused a statement.
    case statementFailed
  }

  public let code: Code
  /// The version it is about.
  public let version: Int
  /// What the server said, for `statementFailed`.
  public let underlying: PostgresError?
  /// One sentence with the remedy.
  public let description: String

  init(_ code: Code, version: Int, underlying: PostgresError? = nil, _ description: String) {
    self.code = code
    self.version = version
    self.underlying = underlying
    self.description = description
  }
}
