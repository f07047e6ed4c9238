/// What rounds of syncs and their rivals came to.
struct SyncFigures {
  var syncs: Measurement
  var upserts = Measurement(name: "pgbench upserts", unit: "1/s", values: [])
  var peer = Measurement(name: "syncs of the Python peer", unit: "1/s", values: [])
  private var median = Measurement(name: "sync p50", unit: "ms", values: [])
  private var tail = Measurement(name: "sync p99", unit: "ms", values: [])
  private var serverTime = Measurement(name: "server CPU a sync", unit: "us", values: [])
  private var databaseTime = Measurement(name: "PostgreSQL CPU a sync", unit: "us", values: [])
  private var log = Measurement(name: "WAL a sync", unit: "bytes", values: [])

  init(kind: SyncBenchmark.Kind) {
    syncs = Measurement(name: "\(kind) syncs", unit: "1/s", values: [])
  }

  mutating func note(_ result: Load.Result, used: BenchServer.Times, log bytes: Double) {
    syncs.values.append(result.perSecond)
    median.values.append(result.percentile(0.5))
    tail.values.append(result.percentile(0.99))
    serverTime.values.append(used.server / Double(result.answers) * 1e6)
    databaseTime.values.append(used.database / Double(result.answers) * 1e6)
    log.values.append(bytes / Double(result.answers))
  }

  var all: [Measurement] {
    var all = [syncs, upserts, .ratio("syncs for each upsert", syncs, upserts)]
    if !peer.values.isEmpty { all += [peer, .ratio("syncs for each of the peer", syncs, peer)] }
    return all + [median, tail, serverTime, databaseTime, log]
  }
}
