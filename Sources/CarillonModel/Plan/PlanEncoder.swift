import CarillonJSON

/// Writes a plan as the wire has it; ``PlanCodec`` has the form that is stored.
public enum PlanEncoder {
  /// Gives the canonical content of a queue's entry; nil leaves the content out.
  public typealias Contents = (_ source: NotificationID) -> [UInt8]?

  /// - Parameters:
  ///   - rejected: items that were refused before planning; the plan's own follow.
  ///   - diff: nil leaves it out.
  ///   - unread: items of the inbox; nil leaves it out.
  ///   - contents: of everything held.
  public static func write(
    _ plan: Plan, rejected: [RejectedItem] = [], diff: PlanDiff? = nil, unread: Int? = nil,
    contents: Contents, to writer: inout JSONWriter
  ) throws(JSONError) {
    writer.beginObject()
    writeSummary(of: plan, to: &writer)
    writer.name("held")
    writer.beginArray()
    for request in plan.held { try write(request, content: contents(request.source), to: &writer) }
    writer.endArray()
    writeRest(of: plan, rejected: rejected, to: &writer)
    if let diff {
      writer.name("diff")
      try write(diff, of: plan, contents: contents, to: &writer)
    }
    if let unread {
      writer.name("inbox")
      writer.object { $0.member("unread", unread) }
    }
    writer.endObject()
  }

  /// What a device must do: `{"remove": [id], "add": [{"id", "revision", "fireAt", "trigger", "content"}]}`.
  public static func write(
    _ diff: PlanDiff, of plan: Plan, contents: Contents, to writer: inout JSONWriter
  ) throws(JSONError) {
    writer.beginObject()
    writer.name("remove")
    writer.array { writer in
      for id in diff.remove { writer.string(id.text) }
    }
    writer.name("add")
    writer.beginArray()
    for index in diff.add {
      let request = plan.held[index]
      writer.beginObject()
      writer.member("id", request.id.text)
      writer.member("revision", request.revision)
      writer.member("fireAt", orNull: request.fireAt)
      writer.name("trigger")
      request.trigger.writeCanonical(to: &writer)
      try writeContent(contents(request.source), of: request, to: &writer)
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
  }

  private static func write(
    _ request: HeldRequest, content: [UInt8]?, to writer: inout JSONWriter
  ) throws(JSONError) {
    writer.beginObject()
    writeMembers(of: request, to: &writer)
    try writeContent(content, of: request, to: &writer)
    writer.endObject()
  }

  private static func writeContent(
    _ content: [UInt8]?, of request: HeldRequest, to writer: inout JSONWriter
  ) throws(JSONError) {
    guard let content else { return }
    writer.name("content")
    writer.raw(try request.content(from: content))
  }

  private static func writeSummary(of plan: Plan, to writer: inout JSONWriter) {
    writer.member("version", plan.version)
    writer.member("policyVersion", plan.policyVersion)
    writer.member("zoneData", plan.zoneData)
    writer.member("slots", plan.slots)
    writer.member("foreign", plan.foreign)
    writer.member("capacity", plan.capacity)
    writer.member("starved", plan.starved)
  }

  private static func writeMembers(of request: HeldRequest, to writer: inout JSONWriter) {
    writer.member("id", request.id.text)
    writer.member("type", request.type)
    writer.member("priority", request.priority)
    writer.member("fireAt", orNull: request.fireAt)
    writer.member("revision", request.revision)
    writer.name("trigger")
    request.trigger.writeCanonical(to: &writer)
    writer.member("reach", request.reach.rawValue)
    writer.member("unmetNeeds", request.unmetNeeds.map(\.rawValue))
    writer.name("moves")
    writer.array { writer in
      for move in request.moves { move.write(to: &writer) }
    }
    writer.member("slot", request.slot.rawValue)
  }

  private static func writeRest(of plan: Plan, rejected: [RejectedItem], to writer: inout JSONWriter) {
    writer.name("queued")
    writer.array { writer in
      for request in plan.queued { write(request, to: &writer) }
    }
    writer.name("rejected")
    writer.array { writer in
      for item in rejected { item.write(to: &writer) }
      for request in plan.rejected { request.write(to: &writer) }
    }
    writer.name("withheld")
    writer.array { writer in
      for request in plan.withheld {
        writer.object { writer in
          writer.member("id", request.id.text)
          writer.member("reason", request.reason.rawValue)
        }
      }
    }
    writer.name("expired")
    writer.array { writer in
      for request in plan.expired {
        writer.object { writer in
          writer.member("id", request.id.text)
          writer.member("fireAt", request.fireAt)
        }
      }
    }
    writer.name("evictionsByType")
    writer.object { writer in
      for (type, count) in plan.evictionsByType.sorted(by: {
        $0.key.utf8.lexicographicallyPrecedes($1.key.utf8)
      }) {
        writer.name(type)
        writer.int(count)
      }
    }
    writer.member("refreshBy", orNull: plan.refreshBy)
    writer.member("coversUntil", orNull: plan.coversUntil)
  }

  private static func write(_ request: QueuedRequest, to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("id", request.id.text)
      writer.member("type", request.type)
      writer.member("fireAt", orNull: request.fireAt)
      writer.member("rank", request.rank)
      writer.member("reason", request.reason.rawValue)
    }
  }
}

extension RejectedRequest {
  /// `{"id", "pointer", "code", "detail"}`; an empty id is null.
  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.name("id")
      if id.text.isEmpty { writer.null() } else { writer.string(id.text) }
      writer.member("pointer", pointer)
      writer.member("code", code)
      writer.member("detail", detail)
    }
  }
}

extension Move {
  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("by", by)
      writer.member("from", from)
      writer.member("to", to)
    }
  }
}
