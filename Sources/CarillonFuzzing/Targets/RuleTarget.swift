import CarillonModel

enum RuleTarget {
  private static let summary = ContentSummary(
    hasText: true, hasSound: false, hasBadge: false, interruptionLevel: .active, hash: 0)

  /// The first three bytes say when it starts and where; the rest is the rule.
  static func check(_ bytes: [UInt8]) throws(Finding) {
    var source = ByteSource(bytes)
    let start = LocalDateTime(
      wallSeconds: TriggerChecks.now.seconds + Int64(source.int(in: -30_000...30_000)) * 3600)
    let zone = source.pick([nil, "Europe/Madrid", "Australia/Lord_Howe"])
    let rule = String(decoding: source.rest(), as: UTF8.self)
    try TriggerChecks.fires(
      of: NotificationHead(
        id: NotificationID(unchecked: "n"),
        trigger: .recurrence(RecurrenceTrigger(start: start, rule: rule, timeZone: zone)), summary: summary))
  }
}
