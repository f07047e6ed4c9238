import CarillonJSON
import CarillonModel

extension DeviceChange {
  /// The parameter of `carillon.record_history`; nil: nothing to record.
  var historyDocument: [UInt8]? {
    let evictions = plan?.evictions.filter { $0.value > 0 } ?? [:]
    guard history != nil || !evictions.isEmpty else { return nil }
    return (history ?? DeviceHistory()).document(evictions: evictions, now: forgetsAsOf ?? now)
  }
}

/// Columns by their names.
extension DeviceHistory {
  fileprivate func document(evictions: [String: Int], now: Instant) -> [UInt8] {
    var writer = JSONWriter(capacity: 512 + 384 * deliveries.count)
    writer.object { writer in
      if let change {
        writer.name("change")
        change.write(to: &writer)
        writer.member("most_changes", Self.mostChanges)
        writer.member("most_edits", Self.mostEdits)
      }
      if !deliveries.isEmpty {
        writer.name("deliveries")
        writer.array { writer in
          for delivery in deliveries { delivery.write(to: &writer) }
        }
        writer.member("most_deliveries", Self.mostDeliveries)
        // A device's clock that is years ahead must not make us forget what is not old.
        if let newest = deliveries.map({ min($0.dueAt, now) }).max() {
          writer.member("forget_before", newest.adding(seconds: -Self.secondsDeliveriesAreKept))
        }
      }
      if let truth {
        writer.name("truth")
        truth.write(to: &writer)
      }
      if !evictions.isEmpty {
        writer.name("evictions")
        writer.object { writer in
          for (type, count) in evictions.sorted(by: { $0.key < $1.key }) {
            writer.name(type)
            writer.int(count)
          }
        }
      }
    }
    return writer.bytes
  }
}

extension DeviceStateChange {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("sequence", Int(sequence))
      writer.column("sent_at", sentAt)
      writer.column("app_version", appVersion)
      writer.member("authorization_status", authorizationStatus.word)
      writer.column("fatigue", fatigue?.rawValue)
      writer.name("changes")
      writer.object { writer in
        for member in members {
          writer.name(member.path)
          writer.array { writer in
            for value in [member.from, member.to] {
              if let value { writer.string(value) } else { writer.null() }
            }
          }
        }
      }
      writer.strings("puts", edits.puts.map(\.text))
      writer.strings("cancels", edits.cancels.map(\.text))
      writer.member("more_edits", edits.more)
      writer.column("user_id", edits.user)
    }
  }
}

extension StoredDelivery {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("notification_id", notification.text)
      writer.member("wished_at", wishedAt)
      writer.member("request_id", request.text)
      writer.member("type", type)
      writer.member("due_at", dueAt)
      writer.member("outcome", outcome.rawValue)
      writer.column("reason", reason)
      writer.column("tapped_at", tappedAt)
      writer.column("dismissed_at", dismissedAt)
      writer.column("reach", reach?.rawValue)
      writer.strings("unmet_needs", unmetNeeds.map(\.rawValue))
      if let held {
        writer.member("revision", Int(Int64(bitPattern: held.revisionHash)))
        writer.member("plan_version", held.planVersion)
        writer.member("last_plan_version", held.lastPlanVersion)
      }
      writer.member("repeats", held?.repeats ?? false)
      writer.column("user_id", user)
      writer.member("is_orphan", isOrphan)
    }
  }
}

extension DeviceTruth {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.column("looked_at", lookedAt)
      writer.member("looked_version", Int(lookedVersion))
      writer.strings("waiting", waiting.sorted().map(\.text))
      writer.strings("vanished", vanished.sorted().map(\.text))
      writer.name("delivered")
      writer.array { writer in
        for (id, put) in delivered.sorted(by: { $0.key < $1.key }) {
          writer.array { writer in
            writer.string(id.text)
            writer.int(Int(put.at.milliseconds))
            writer.int(Int(put.acceptedAt.milliseconds))
          }
        }
      }
      if let appliedPlanVersion { writer.member("applied_plan_version", appliedPlanVersion) }
      writer.name("tallies")
      writer.array { writer in
        for tally in tallies {
          writer.array { writer in
            writer.string(tally.type)
            writer.double(tally.delivered)
            writer.double(tally.tapped)
          }
        }
      }
      writer.column("tallied_at", talliedAt)
      writer.member("was_noticeable", wasNoticeable)
      writer.column("fatigued_at", fatiguedAt)
      writer.member("drift_dropped", drift.dropped)
      writer.member("drift_unplanned", drift.unplanned)
      writer.member("drift_altered", drift.altered)
      writer.column("drift_at", drift.at)
    }
  }
}

extension JSONWriter {
  fileprivate mutating func column(_ name: StaticString, _ value: String?) {
    if let value { member(name, value) }
  }

  fileprivate mutating func column(_ name: StaticString, _ value: Instant?) {
    if let value { member(name, value) }
  }

  fileprivate mutating func strings(_ name: StaticString, _ values: [String]) {
    self.name(name)
    array { writer in
      for value in values { writer.string(value) }
    }
  }
}
