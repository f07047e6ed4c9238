import CarillonJSON
import CarillonModel

extension PolicyPreview {
  /// The answer of `POST /v1/policy/preview`, and what `tenantctl policy preview` prints. Every member is always there.
  public var json: [UInt8] {
    var writer = JSONWriter(capacity: 4_096)
    writer.object { writer in
      writer.member("plannedAt", plannedAt)
      writer.member("policyVersion", policyVersion)
      writer.member("changes", findsChanges)
      writer.name("devices")
      writer.object { writer in
        writer.member("total", total)
        writer.member("planned", planned)
        writer.member("changed", changed)
        writer.member("skipped", skipped)
      }
      writer.name("before")
      before.write(to: &writer)
      writer.name("after")
      after.write(to: &writer)
      writer.name("changedDevices")
      writer.array { writer in
        for change in changes {
          writer.object { change.writeMembers(to: &$0) }
        }
      }
      writer.name("device")
      if let shown { shown.write(to: &writer) } else { writer.null() }
    }
    return writer.bytes
  }
}

extension PolicyPreview.Side {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("held", held)
      writer.member("queued", queued)
      writer.member("withheld", withheld)
      writer.member("expired", expired)
      writer.member("moved", moved)
      writer.member("starvedDevices", starvedDevices)
      writer.name("evictionsByType")
      writer.counts(evictionsByType)
      writer.name("withheldByReason")
      writer.counts(
        Dictionary(uniqueKeysWithValues: withheldByReason.map { ($0.key.rawValue, $0.value) }))
    }
  }
}

extension PlanChange {
  fileprivate func writeMembers(to writer: inout JSONWriter) {
    writer.member("deviceId", device.text)
    writer.member("added", added)
    writer.member("removed", removed)
    writer.member("replaced", replaced)
    writer.member("changesQueued", changesQueued)
    writer.member("changesWithheld", changesWithheld)
  }
}

extension PlanPair {
  /// The plans without contents: a policy changes none.
  fileprivate func write(to writer: inout JSONWriter) {
    writer.object { writer in
      change.writeMembers(to: &writer)
      writer.name("before")
      Self.write(before, to: &writer)
      writer.name("after")
      Self.write(after, to: &writer)
    }
  }

  private static func write(_ plan: Plan, to writer: inout JSONWriter) {
    do {
      try PlanEncoder.write(plan, contents: { _ in nil }, to: &writer)
    } catch {
      fatalError("a plan without contents cannot fail to be written: \(error)")
    }
  }
}

extension JSONWriter {
  /// In the order of the names' bytes.
  fileprivate mutating func counts(_ counts: [String: Int]) {
    object { writer in
      for (name, count) in counts.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
        writer.name(name)
        writer.int(count)
      }
    }
  }
}
