import CarillonOptions

/// What more than one measurement can be told.
enum BenchOptions {
  static let rounds = Option.integer(
    "rounds", value: "N", in: 1...100, default: 3, "Rounds, each with its rival.")
  static let seconds = Option.integer(
    "seconds", value: "N", in: 1...600, default: 8, "Length of each part of a round.")
  static let loadSeconds = Option.integer(
    "seconds", value: "N", in: 1...86_400, default: 600, "Length of the load.")
  static let devices = Option.integer(
    "devices", value: "N", in: 64...1_000_000, default: 2_000, "Devices in the fleet.")
  static let client = Option.choice(
    "client", value: "CLIENT", default: SyncClient.bare,
    "Who syncs: bare requests, or devices that run the SDK in this process (sdk).")
  static let steadyDevices = Option.integer(
    "devices", value: "N", in: 64...1_000_000, "Devices in the fleet: 2,000, or 10,000 with --client sdk.")
  static let connections = Option.integer(
    "connections", value: "N", in: 1...1_000, default: 64,
    "Keep-alive connections, one request each in flight.")
  static let port = Option.integer(
    "port", value: "P", in: 1024...64_535, default: 18_080, "Port of the server that is measured.")
  static let postgres = Option.text(
    "postgres-programs", value: "FOLDER", default: "/usr/lib/postgresql/15/bin",
    "Where pgbench and psql stand.")

  static let entries = Option.integer(
    "entries", value: "N", in: 1...100_000, "Only a queue of this size, not the usual ones.")
  static let seed = Option.integer(
    "seed", value: "N", in: 0...Int.max, default: 1, "Makes the queue, the instants, or the fleet.")
  static let sample = Option.integer(
    "sample", value: "MS", in: 1...60_000, default: 100, "Milliseconds that each sample runs at least.")

  static let tenants = Option.integer(
    "tenants", value: "N", in: 1...1_000, default: 20,
    "Tenants: one has half of all devices, the next a quarter, and so on.")
  static let idle = Option.integer(
    "idle", value: "N", in: 2_000...20_000, default: 10_000, "Connections that stand idle at the end.")
  static let planned = Option.integer(
    "devices", value: "N", in: 100...1_000_000, default: 20_000, "Devices in the fleet.")

  static let fleet = Option.integer(
    "devices", value: "N", in: 1...100_000_000, default: 1_000_000, "Devices in the fleet.")
  static let counted = Option.integer(
    "sample-devices", value: "N", in: 1_000...1_000_000, default: 20_000,
    "Devices whose day the real roll-up counts.")
  static let days = Option.integer(
    "days", value: "N", in: 2...400, default: 365, "Days that are reported.")
}

/// Who sends the syncs of a measurement.
enum SyncClient: String, CaseIterable { case bare, sdk }
