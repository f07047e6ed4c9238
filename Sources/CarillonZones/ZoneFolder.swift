import CarillonPlanner
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Why a folder of zone data cannot be used.
public struct ZoneFolderError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Code: String, Hashable, Sendable { case missingFolder, noZones }
  public let code: Code
  public let path: String

  public var description: String {
    let what =
      switch code {
      case .missingFolder: "There is no folder \(path)"
      case .noZones: "The folder \(path) holds no zone UTC in TZif form"
      }
    return "\(what): install the tzdata package, or name the folder that has the time zones (CARILLON_TZDIR)."
  }
}

/// The zones of one folder of TZif files: each is read once, when it is first asked for.
public final class ZoneFolder: ZoneLookup {
  public static let systemPath = "/usr/share/zoneinfo"
  /// Most names kept before unknown ones, which clients can make up at will, are no longer remembered.
  static let mostNames = 2_000

  public let path: String
  public let version: String
  /// A name that is not there is remembered as nil.
  private let tables = Mutex<[String: ZoneTable?]>([:])

  /// - Parameter path: a folder laid out as the system's, e.g. from `zic -d`.
  public init(path: String = ZoneFolder.systemPath) throws(ZoneFolderError) {
    guard File.isFolder(path) else { throw ZoneFolderError(code: .missingFolder, path: path) }
    guard let utc = File.bytes("\(path)/UTC") ?? File.bytes("\(path)/Etc/UTC"),
      (try? ZoneTable(name: "UTC", tzif: utc)) != nil
    else { throw ZoneFolderError(code: .noZones, path: path) }
    self.path = path
    version = ZoneDataVersion.read(path)
  }

  public func zone(named name: String) -> ZoneTable? {
    tables.withLock { tables in
      if let known = tables[name] { return known }
      let table = read(name)
      // What exists is bounded by the folder; what does not is only worth remembering while it is little.
      if table != nil || tables.count < Self.mostNames { tables[name] = .some(table) }
      return table
    }
  }

  private func read(_ name: String) -> ZoneTable? {
    guard ZoneName.isSafe(name), let bytes = File.bytes("\(path)/\(name)") else { return nil }
    return try? ZoneTable(name: name, tzif: bytes)
  }
}

/// What may be a zone's name: a name is part of a path, and comes from a client.
enum ZoneName {
  /// Files of the folder that are no place's zone: this machine's own, a template, a placeholder, and the copies
  /// with and without leap seconds.
  private static func isNoPlace(_ name: String) -> Bool {
    ["localtime", "posixrules", "Factory"].contains(name) || name.hasPrefix("posix/")
      || name.hasPrefix("right/")
  }

  /// Letters, digits and `+-_/`, no part empty and none with a dot; so no path leads out of the folder.
  static func isSafe(_ name: String) -> Bool {
    guard (1...64).contains(name.utf8.count), !isNoPlace(name) else { return false }
    return name.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { part in
      !part.isEmpty
        && part.utf8.allSatisfy { byte in
          switch byte {
          case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
          default: false
          }
        }
    }
  }
}
