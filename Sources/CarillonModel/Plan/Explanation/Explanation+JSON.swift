import CarillonJSON

extension Explanation {
  /// One object; every member is there, null or empty where it says nothing.
  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("id", id.text)
      writer.member("notification", orNull: notification?.text)
      writer.member("state", state.rawValue)
      writer.member("reason", orNull: reason)
      writer.member("summary", summary)
      write("type", type, to: &writer) { type, writer in
        writer.member("name", type.name)
        writer.member("by", type.by.rawValue)
        writer.member("prefix", orNull: type.prefix)
      }
      write("priority", priority, to: &writer) { priority, writer in
        writer.member("effective", priority.effective)
        writer.member("base", priority.base)
        writer.name("reasons")
        writer.array { writer in
          for reason in priority.reasons {
            writer.object { writer in
              writer.member("code", reason.code)
              writer.member("detail", reason.detail)
            }
          }
        }
      }
      writer.member("requestedAt", orNull: requestedAt)
      writer.member("fireAt", orNull: fireAt)
      writer.name("moves")
      writer.array { writer in
        for move in moves { move.write(to: &writer) }
      }
      writer.member("rank", orNull: rank)
      writer.member("slot", orNull: slot?.rawValue)
      writer.member("reach", orNull: reach?.rawValue)
      writer.member("unmetNeeds", unmetNeeds.map(\.rawValue))
      write("tookSlot", tookSlot, to: &writer) { $0.writeMembers(to: &$1) }
      writer.member("waitingBefore", orNull: waitingBefore)
      write("runnerUp", runnerUp, to: &writer) { $0.writeMembers(to: &$1) }
      writer.member("digest", orNull: digest?.text)
      writer.name("occurrences")
      writer.array { writer in
        for occurrence in occurrences { occurrence.write(to: &writer) }
      }
      writer.name("slots")
      slots.write(to: &writer)
    }
  }

  private func write<Value>(
    _ name: StaticString, _ value: Value?, to writer: inout JSONWriter,
    members: (Value, inout JSONWriter) -> Void
  ) {
    writer.name(name)
    guard let value else { return writer.null() }
    writer.object { writer in members(value, &writer) }
  }
}

extension Explanation.Competitor {
  fileprivate func writeMembers(to writer: inout JSONWriter) {
    writer.member("id", id.text)
    writer.member("type", type)
    writer.member("priority", priority)
    writer.member("fireAt", orNull: fireAt)
    writer.member("rank", rank)
  }
}

extension Explanation.Occurrence {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("id", id.text)
      writer.member("fireAt", fireAt)
      writer.member("state", state.rawValue)
      writer.member("rank", rank)
    }
  }
}

extension Explanation.SlotUse {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("slots", slots)
      writer.member("foreign", foreign)
      writer.member("capacity", capacity)
      writer.member("held", held)
      writer.member("queued", queued)
      writer.member("order", order.rawValue)
    }
  }
}
