import CarillonPlanner
import CarillonZones

/// The zones of the system, read once.
enum WorldZones {
  static let folder: ZoneFolder = {
    do { return try ZoneFolder() } catch { fatalError("\(error)") }
  }()

  static func zone(_ name: String) -> ZoneTable {
    guard let zone = folder.zone(named: name) else { fatalError("the zone data lacks \(name)") }
    return zone
  }
}
