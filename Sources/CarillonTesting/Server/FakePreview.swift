import CarillonJSON
import CarillonModel

/// The tally of devices' plans under two policies, as the real server answers it.
struct FakePreview {
  struct Plans {
    var before: Plan
    var after: Plan
  }

  let total: Int
  var shown: (device: DeviceID, plans: Plans)?
  private var counted: [(device: DeviceID, plans: Plans)] = []

  init(total: Int) { self.total = total }

  mutating func count(_ device: DeviceID, _ plans: Plans) { counted.append((device, plans)) }

  func json(at now: Instant, policyVersion: Int) -> [UInt8] {
    let changed = counted.filter(\.plans.isChange)
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("plannedAt", now)
      writer.member("policyVersion", policyVersion)
      writer.member("changes", !changed.isEmpty || shown?.plans.isChange ?? false)
      writer.name("devices")
      writer.object { writer in
        writer.member("total", total)
        writer.member("planned", counted.count)
        writer.member("changed", changed.count)
        writer.member("skipped", 0)
      }
      writer.name("before")
      Self.write(counted.map(\.plans.before), to: &writer)
      writer.name("after")
      Self.write(counted.map(\.plans.after), to: &writer)
      writer.name("changedDevices")
      writer.array { writer in
        for (device, plans) in changed { writer.object { plans.writeChange(of: device, to: &$0) } }
      }
      writer.name("device")
      guard let shown else { return writer.null() }
      writer.object { writer in
        shown.plans.writeChange(of: shown.device, to: &writer)
        writer.name("before")
        Self.write(shown.plans.before, to: &writer)
        writer.name("after")
        Self.write(shown.plans.after, to: &writer)
      }
    }
    return writer.bytes
  }

  private static func write(_ plans: [Plan], to writer: inout JSONWriter) {
    var evictions: [String: Int] = [:]
    var withheld: [String: Int] = [:]
    for plan in plans {
      evictions.merge(plan.evictionsByType) { $0 + $1 }
      for request in plan.withheld { withheld[request.reason.rawValue, default: 0] += 1 }
    }
    func sum(_ count: (Plan) -> Int) -> Int { plans.reduce(0) { $0 + count($1) } }
    writer.object { writer in
      writer.member("held", sum(\.held.count))
      writer.member("queued", sum(\.queued.count))
      writer.member("withheld", sum(\.withheld.count))
      writer.member("expired", sum(\.expired.count))
      writer.member("moved", sum { $0.held.count { !$0.moves.isEmpty } })
      writer.member("starvedDevices", sum { $0.starved ? 1 : 0 })
      writer.name("evictionsByType")
      write(evictions, to: &writer)
      writer.name("withheldByReason")
      write(withheld, to: &writer)
    }
  }

  private static func write(_ counts: [String: Int], to writer: inout JSONWriter) {
    writer.object { writer in
      for (name, count) in counts.sorted(by: { $0.key < $1.key }) {
        writer.name(name)
        writer.int(count)
      }
    }
  }

  private static func write(_ plan: Plan, to writer: inout JSONWriter) {
    do {
      try PlanEncoder.write(plan, contents: { _ in nil }, to: &writer)
    } catch {
      preconditionFailure("a plan without contents cannot fail to be written: \(error)")
    }
  }
}

extension FakePreview.Plans {
  var isChange: Bool {
    added + removed + replaced > 0 || changesQueued || changesWithheld
  }

  private var held: [NotificationID: String] {
    Dictionary(before.held.map { ($0.id, $0.revision) }) { _, last in last }
  }
  private var added: Int { after.held.count { held[$0.id] == nil } }
  private var removed: Int { before.held.count - (after.held.count - added) }
  private var replaced: Int {
    after.held.count { request in held[request.id].map { $0 != request.revision } ?? false }
  }
  private var changesQueued: Bool {
    Dictionary(before.queued.map { ($0.id, $0.reason) }) { $1 }
      != Dictionary(after.queued.map { ($0.id, $0.reason) }) { $1 }
  }
  private var changesWithheld: Bool {
    Dictionary(before.withheld.map { ($0.id, $0.reason) }) { $1 }
      != Dictionary(after.withheld.map { ($0.id, $0.reason) }) { $1 }
  }

  func writeChange(of device: DeviceID, to writer: inout JSONWriter) {
    writer.member("deviceId", device.text)
    writer.member("added", added)
    writer.member("removed", removed)
    writer.member("replaced", replaced)
    writer.member("changesQueued", changesQueued)
    writer.member("changesWithheld", changesWithheld)
  }
}
