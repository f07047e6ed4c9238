import CarillonJSON
import CarillonModel
import CarillonPlanner
import Foundation

/// A world as the files that `tenantctl plan preview` reads, so that a disagreement can be looked at from outside.
extension RandomWorld {
  /// - Returns: the command that plans it, and what the command cannot be told.
  func write(to folder: URL) throws -> String {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    func save(_ name: String, _ body: (inout JSONWriter) -> Void) throws {
      var writer = JSONWriter()
      body(&writer)
      try Data(writer.bytes).write(to: folder.appendingPathComponent(name))
    }
    try save("policy.json") { policy.write(to: &$0) }
    try save("device.json", writeReport)
    try save("queue.json") { writer in
      writer.array { writer in
        for entry in entries { entry.notification.write(to: &writer) }
      }
    }
    try save("history.json") { writer in
      writer.array { writer in
        for past in history {
          writer.object { writer in
            writer.member("id", past.id.text)
            writer.member("type", past.type)
            writer.member("at", past.at)
          }
        }
      }
    }
    let path = folder.path
    var command =
      "tenantctl plan preview --policy \(path)/policy.json --device \(path)/device.json "
      + "--queue \(path)/queue.json --history \(path)/history.json --now \(now.text) -o json"
    if let pending {
      try save("pending.json") { writer in
        writer.array { writer in
          for request in pending { request.write(to: &writer) }
        }
      }
      command += " --pending \(path)/pending.json"
    }
    return ([command] + untold).joined(separator: "\n")
  }

  private func writeReport(_ writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("sequence", 1)
      writer.name("device")
      writer.object { $0.member("timeZone", zoneName) }
      writer.member("authorizationStatus", Self.word(status))
      writer.name("settings")
      writer.object { writer in
        let named: [(StaticString, NotificationSetting?)] = [
          ("alert", settings.alert), ("sound", settings.sound), ("badge", settings.badge),
          ("lockScreen", settings.lockScreen), ("notificationCenter", settings.notificationCenter),
          ("timeSensitive", settings.timeSensitive), ("criticalAlert", settings.criticalAlert),
        ]
        for (name, setting) in named {
          if let setting { writer.member(name, Self.word(setting)) }
        }
      }
      writer.name("foreign")
      foreign.write(to: &writer)
    }
  }

  /// What a preview takes as nothing.
  private var untold: [String] {
    var lines: [String] = []
    if !sent.isEmpty { lines.append("sent: \(sent.map(\.text).sorted())") }
    if !stillRinging.isEmpty { lines.append("stillRinging: \(stillRinging.map(\.text).sorted())") }
    if !expired.isEmpty { lines.append("expired: \(expired.map(\.text).sorted())") }
    if !delivered.isEmpty { lines.append("delivered: \(delivered.map { "\($0.text) \($1)" }.sorted())") }
    if !engagement.isEmpty { lines.append("engagement: \(engagement)") }
    if let fatiguedAt { lines.append("fatiguedAt: \(fatiguedAt)") }
    if unread != 0 { lines.append("unread: \(unread)") }
    for entry in entries {
      let needsIt =
        switch entry.notification.head.trigger {
        case .interval(let trigger): trigger.anchor == nil
        case .calendar(let trigger): !trigger.repeats
        default: false
        }
      if needsIt { lines.append("accepted \(entry.notification.head.id): \(entry.acceptedAt)") }
    }
    return lines
  }

  private static func word(_ status: AuthorizationStatus) -> String {
    if case .unknown(let word) = status { word } else { "\(status)" }
  }

  private static func word(_ setting: NotificationSetting) -> String {
    if case .unknown(let word) = setting { word } else { "\(setting)" }
  }
}

extension RandomWorld {
  /// The smallest world found that still fails, by leaving out one thing after another.
  func shrunk(_ stillFails: (RandomWorld) -> Bool) -> RandomWorld {
    var smallest = self
    var isSmaller = true
    while isSmaller {
      isSmaller = false
      for candidate in smallest.simpler() where stillFails(candidate) {
        smallest = candidate
        isSmaller = true
        break
      }
    }
    return smallest
  }

  private func simpler() -> [RandomWorld] {
    var worlds: [RandomWorld] = []
    func attempt(_ change: (inout RandomWorld) -> Void) {
      var world = self
      change(&world)
      worlds.append(world)
    }
    for index in entries.indices { attempt { $0.entries.remove(at: index) } }
    for index in history.indices { attempt { $0.history.remove(at: index) } }
    for index in (pending ?? []).indices { attempt { $0.pending!.remove(at: index) } }
    for index in policy.frequencyCaps.indices { attempt { $0.policy.frequencyCaps.remove(at: index) } }
    for index in (policy.quietHours?.windows ?? []).indices {
      attempt { $0.policy.quietHours!.windows.remove(at: index) }
    }
    if !engagement.isEmpty { attempt { $0.engagement = [] } }
    if fatiguedAt != nil { attempt { $0.fatiguedAt = nil } }
    if unread != 0 { attempt { $0.unread = 0 } }
    if !sent.isEmpty { attempt { $0.sent = [] } }
    for id in stillRinging { attempt { $0.stillRinging.remove(id) } }
    for id in expired { attempt { $0.expired.remove(id) } }
    for id in delivered.keys { attempt { $0.delivered[id] = nil } }
    if policy.quietHours != nil { attempt { $0.policy.quietHours = nil } }
    if settings != NotificationSettings() { attempt { $0.settings = NotificationSettings() } }
    if foreign != ForeignRequests() { attempt { $0.foreign = ForeignRequests() } }
    if policy.slots != 64 { attempt { $0.policy.slots = 64 } }
    for index in (policy.types ?? []).indices {
      let type = policy.types![index]
      var plain = NotificationType(name: type.name, prefixes: type.prefixes, priority: type.priority)
      plain.digest = type.digest
      if plain != type { attempt { $0.policy.types![index] = plain } }
      if type.digest { attempt { $0.policy.types![index].digest = false } }
    }
    for index in entries.indices {
      let head = entries[index].notification.head
      if head.expiresAt != nil { attempt { $0.entries[index].notification.head.expiresAt = nil } }
      if head.group != nil { attempt { $0.entries[index].notification.head.group = nil } }
      if head.overdue != .expire { attempt { $0.entries[index].notification.head.overdue = .expire } }
      if !head.needs.isEmpty { attempt { $0.entries[index].notification.head.needs = [] } }
      let plain = NotificationContent(title: "one")
      if entries[index].notification.content != plain {
        attempt { world in
          world.entries[index].notification.content = plain
          world.entries[index].notification.head.summary = plain.summary
        }
      }
    }
    return worlds
  }
}
