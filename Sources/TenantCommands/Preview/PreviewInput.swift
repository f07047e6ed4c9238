import CarillonAPI
import CarillonJSON
import CarillonModel
import CarillonOptions
import CarillonPlanner
import CarillonZones

/// Everything a preview plans from, read from its files.
struct PreviewInput {
  /// The most notifications a preview plans; a device's queue holds fewer.
  static let mostNotifications = 10_000
  /// The most past deliveries it counts.
  static let mostDeliveries = 100_000

  var policy = Policy()
  /// 0 when there is no policy, as before the first.
  var policyVersion = 0
  /// The file of the report, as people call it.
  var reportName: String
  var report: SyncRequest
  /// One an id, in the order they came.
  var queue: [Notification] = []
  /// Where each stands in its file, as a JSON pointer.
  var places: [NotificationID: String] = [:]
  var rejected: [RejectedItem]
  var history: [PastDelivery] = []
  /// What was read but does not count, for people.
  var warnings: [String] = []

  init(_ context: CommandContext) throws(CommandFailure) {
    let values = context.values
    let paths = [
      values[PreviewOptions.device], values[PreviewOptions.queue], values[PreviewOptions.policy],
      values[PreviewOptions.pending], values[PreviewOptions.history],
    ]
    guard paths.count(where: { $0 == InputFile.standardInput }) <= 1 else {
      throw CommandFailure(
        .usage, "standard input can be read for one file only", "Name the others by their paths")
    }

    let device = try InputFile(path: values[PreviewOptions.device])
    reportName = device.name
    do {
      let received = try ReceivedReport(Self.withSequence(device.bytes))
      report = received.request
      rejected = received.rejected
    } catch { throw device.failure(error) }

    if let path = values[PreviewOptions.policy] {
      let file = try InputFile(path: path)
      policy = try file.parse { (reader) throws(JSONError) in try Policy(from: &reader) }
      policyVersion = 1
    }
    try readQueue(InputFile(path: values[PreviewOptions.queue]))
    if let path = values[PreviewOptions.pending] { try readPending(InputFile(path: path)) }
    if let path = values[PreviewOptions.history] { try readHistory(InputFile(path: path)) }
  }

  /// Whoever writes a report by hand for a preview need not number it: where there is no `sequence`, the first.
  private static func withSequence(_ bytes: [UInt8]) -> [UInt8] {
    guard let document = try? JSONValue(parsing: bytes), let members = document.object,
      !members.contains(where: { $0.name == "sequence" }), let end = bytes.lastIndex(of: UInt8(ascii: "}"))
    else { return bytes }
    // At the end, so that the places of errors stay true.
    return bytes[..<end] + Array((members.isEmpty ? "" : ",").utf8) + Array("\"sequence\":0}".utf8)
  }

  /// The report's own changes follow: its removes, then its puts.
  private mutating func readQueue(_ file: InputFile) throws(CommandFailure) {
    var results: [(place: String, result: Result<Notification, RejectedItem>)] = []
    try file.parse { (reader) throws(JSONError) in
      try Notification.readEach(from: &reader, pointer: "") { result in
        results.append(("/\(results.count)", result))
      }
    }
    guard results.count <= Self.mostNotifications else {
      throw CommandFailure(
        .error,
        "\(file.name) has \(results.count) notifications; at most \(Self.mostNotifications) are planned",
        "Give fewer")
    }
    var index: [NotificationID: Int] = [:]
    for (place, result) in results {
      switch result {
      case .success(let notification): put(notification, at: place, in: file.name, &index)
      case .failure(let item): rejected.append(item)
      }
    }
    let cancelled = Set(report.cancel)
    if !cancelled.isEmpty {
      queue.removeAll { cancelled.contains($0.head.id) }
      index = [:]
      for (position, notification) in queue.enumerated() { index[notification.head.id] = position }
    }
    for (number, notification) in report.put.enumerated() {
      put(notification, at: "/put/\(number)", in: nil, &index)
    }
  }

  /// A later notification replaces an earlier one of its id, as a put does.
  private mutating func put(
    _ notification: Notification, at place: String, in file: String?, _ index: inout [NotificationID: Int]
  ) {
    let id = notification.head.id
    if let position = index[id] {
      if let file {
        warnings.append("\(file): \(place) replaces \(places[id] ?? ""): both are '\(id.text)'")
      }
      queue[position] = notification
    } else {
      index[id] = queue.count
      queue.append(notification)
    }
    places[id] = place
  }

  private mutating func readPending(_ file: InputFile) throws(CommandFailure) {
    var strangers = 0
    report.pending = try file.parse { (reader) throws(JSONError) in
      var pending: [PendingRequest] = []
      try reader.array { (reader) throws(JSONError) in
        guard pending.count < WireLimits.pending else {
          throw reader.error(
            code: JSONError.outOfRange, detail: "at most \(WireLimits.pending) items are allowed")
        }
        if let request = try PendingRequest.read(from: &reader) {
          pending.append(request)
        } else {
          strangers += 1
        }
      }
      return pending
    }
    // An id that no notification of ours can have takes a slot all the same.
    if strangers > 0 {
      report.foreign = ForeignRequests(
        count: max(strangers, report.foreign?.count ?? 0), regions: report.foreign?.regions ?? 0)
    }
  }

  private mutating func readHistory(_ file: InputFile) throws(CommandFailure) {
    let types = CompiledPolicy(policy)
    history = try file.parse { (reader) throws(JSONError) in
      var history: [PastDelivery] = []
      try reader.array { (reader) throws(JSONError) in
        guard history.count < Self.mostDeliveries else {
          throw reader.error(
            code: JSONError.outOfRange, detail: "at most \(Self.mostDeliveries) items are counted")
        }
        history.append(try Self.delivery(from: &reader, types))
      }
      return history
    }
  }

  private static func delivery(
    from reader: inout JSONReader, _ types: CompiledPolicy
  ) throws(JSONError) -> PastDelivery {
    var id: NotificationID?
    var type: String?
    var at: Instant?
    try reader.object { (reader, name) throws(JSONError) in
      switch name {
      case "id":
        id = NotificationID(made: try reader.string())
        if id == nil {
          throw reader.error(
            code: ModelError.invalidId,
            detail: "an id has 1...\(NotificationID.longestMade) bytes and no control characters")
        }
      case "type": type = try reader.null() ? nil : try reader.string()
      case "at": at = try reader.instant()
      default: throw reader.unknownMember(name)
      }
    }
    guard let id else { throw reader.missingMember("id") }
    guard let at else { throw reader.missingMember("at") }
    return PastDelivery(id: id, type: types.type(of: id, named: type).name, at: at)
  }
}
