import CarillonModel
import CarillonOptions
import CarillonZones

/// What `plan preview` is told.
enum PreviewOptions {
  static let policy = Option<String?>.text(
    "policy", value: "FILE", "A policy; absent means the defaults."
  ).commandLineOnly()
  static let device = Option<String>.required(
    "device", value: "FILE", "A report of a device: the body of a sync."
  ).commandLineOnly()
  static let queue = Option<String>.required(
    "queue", value: "FILE", "An array of notifications, as they are put."
  ).commandLineOnly()
  static let now: Option<Instant> = {
    var declaration = OptionDeclaration(
      name: "now", value: "INSTANT", help: "The time to plan for, as in 2026-03-04T00:00:00Z.")
    declaration.isRequired = true
    declaration.environment = .none
    return Option(declaration) { texts throws(InvalidValue) in
      guard let instant = texts.last.flatMap({ Instant($0) }) else {
        throw InvalidValue("an instant with an offset is wanted, as in 2026-03-04T00:00:00Z")
      }
      return instant
    }
  }()
  static let pending = Option<String?>.text(
    "pending", value: "FILE", "What the device holds, instead of the report's 'pending'."
  ).commandLineOnly()
  static let history = Option<String?>.text(
    "history", value: "FILE", "An array of {id, type, at}: deliveries made, for frequency caps."
  ).commandLineOnly()
  static let explain = Option<String?>.text(
    "explain", value: "ID", "Tells why this notification is held, waits, is withheld or has expired."
  ).commandLineOnly()
  static let zoneFolder = Option.text(
    "tz-dir", value: "FOLDER", default: ZoneFolder.systemPath, "Where the time zone data is.")

  static let all: [any AnyOption] = [policy, device, queue, now, pending, history, explain, zoneFolder]
}
