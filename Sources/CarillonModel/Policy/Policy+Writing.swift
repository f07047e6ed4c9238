import CarillonJSON

extension Policy {
  /// Writes the whole document with every default spelt out; what may be absent and is, stays absent.
  public func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("slots", slots)
    writer.member("horizonDays", horizonDays)
    writer.member("order", order.rawValue)
    if let types {
      writer.name("types")
      writer.array { writer in
        for type in types { type.write(to: &writer) }
      }
    }
    if let quietHours {
      writer.name("quietHours")
      quietHours.write(to: &writer)
    }
    writer.name("frequencyCaps")
    writer.array { writer in
      for cap in frequencyCaps { cap.write(to: &writer) }
    }
    if let adaptivePriority {
      writer.name("adaptivePriority")
      adaptivePriority.write(to: &writer)
    }
    if let fatigue {
      writer.name("fatigue")
      fatigue.write(to: &writer)
    }
    writer.name("priming")
    priming.write(to: &writer)
    writer.name("wake")
    wake.write(to: &writer)
    writer.name("rescue")
    rescue.write(to: &writer)
    writer.member("unreachable", unreachable.rawValue)
    writer.member("locationSlots", locationSlots)
    writer.endObject()
  }

  public var bytes: [UInt8] {
    var writer = JSONWriter(capacity: 1024)
    write(to: &writer)
    return writer.bytes
  }
}

extension NotificationType {
  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("name", name)
      writer.member("prefixes", prefixes)
      writer.member("priority", priority)
      writer.member("reserve", ifPresent: reserve)
      writer.member("limit", ifPresent: limit)
      writer.member("quietHours", quietHours.rawValue)
      writer.member("cap", cap.rawValue)
      writer.member("capExempt", capExempt)
      writer.member("adaptive", adaptive)
      writer.member("digest", digest)
    }
  }
}

extension FrequencyCap {
  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("limit", limit)
      switch per {
      case .rolling(let seconds): writer.member("per", seconds)
      case .calendarDay: writer.member("per", "calendarDay")
      }
      if let types { writer.member("types", types) }
    }
  }
}
