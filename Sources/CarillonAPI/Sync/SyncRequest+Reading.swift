import CarillonJSON
import CarillonModel

extension ReceivedReport {
  /// Reads a report whole.
  ///
  /// Unknown members are ignored at every level. What one `put` or `cancel` says wrong stands in ``rejected``;
  /// any other mistake refuses the report.
  ///
  /// - Throws: ``JSONError``; ``Problem`` takes it.
  public init(_ body: [UInt8]) throws(JSONError) {
    let scan = try ReportScan(body)
    self = try JSONReader.read(body, limits: WireLimits.syncJSON) { (reader) throws(JSONError) in
      var report = ReceivedReport(
        request: SyncRequest(sequence: scan.sequence), rejected: [], digest: scan.digest)
      try reader.object { (reader, name) throws(JSONError) in
        try report.readMember(name, from: &reader)
      }
      return report
    }
  }

  private mutating func readMember(
    _ name: JSONName, from reader: inout JSONReader
  ) throws(JSONError) {
    // A null says as much as an absent member.
    if try reader.null() { return }
    switch name {
    case "sentAt": request.sentAt = try reader.instant()
    case "device": request.device = try DeviceInfo(from: &reader)
    case "authorizationStatus":
      request.authorizationStatus = try AuthorizationStatus(from: &reader)
    case "settings": request.settings = try NotificationSettings(from: &reader)
    case "planVersion": request.planVersion = try reader.int(in: 0...Int(Int32.max))
    case "pending": try readPending(from: &reader)
    case "foreign":
      let foreign = try ForeignRequests(from: &reader)
      request.foreign = ForeignRequests(
        count: (request.foreign?.count ?? 0) + foreign.count,
        regions: (request.foreign?.regions ?? 0) + foreign.regions)
    case "delivered": try readDelivered(from: &reader)
    case "policyVersion": request.policyVersion = try reader.int(in: 0...Int(Int32.max))
    case "events":
      request.events = try reader.items(atMost: WireLimits.events) { (reader) throws(JSONError) in
        try SyncEvent(from: &reader)
      }
    case "put": try readPuts(from: &reader)
    case "cancel": try readCancels(from: &reader)
    default: try reader.skip()
    }
  }

  /// A request whose id no notification of ours can have is foreign, and counted as such.
  private mutating func readPending(from reader: inout JSONReader) throws(JSONError) {
    var strangers = 0
    let items = try reader.items(atMost: WireLimits.pending) {
      (reader) throws(JSONError) -> PendingRequest? in
      let item = try PendingRequest.read(from: &reader)
      if item == nil { strangers += 1 }
      return item
    }
    request.pending = items.compactMap { $0 }
    if strangers > 0 {
      request.foreign = ForeignRequests(
        count: (request.foreign?.count ?? 0) + strangers, regions: request.foreign?.regions ?? 0)
    }
  }

  /// An id that no notification of ours can have is nothing we sent.
  private mutating func readDelivered(from reader: inout JSONReader) throws(JSONError) {
    let items = try reader.items(atMost: WireLimits.delivered) { (reader) throws(JSONError) in
      NotificationID(made: try reader.string())
    }
    request.delivered = items.compactMap { $0 }
  }

  private mutating func readPuts(from reader: inout JSONReader) throws(JSONError) {
    var count = 0
    try Notification.readEach(from: &reader, pointer: "/put") { item in
      count += 1
      switch item {
      case .success(let notification): request.put.append(notification)
      case .failure(let item): rejected.append(item)
      }
    }
    guard count <= WireLimits.puts else {
      throw reader.error(
        code: JSONError.outOfRange, detail: "at most \(WireLimits.puts) items are allowed")
    }
  }

  private mutating func readCancels(from reader: inout JSONReader) throws(JSONError) {
    let slices = try reader.items(atMost: WireLimits.cancels) { (reader) throws(JSONError) in
      try reader.raw()
    }
    for (index, range) in slices.enumerated() {
      var item = reader.slice(range, pointer: "/cancel/\(index)")
      do throws(JSONError) {
        request.cancel.append(try item.notificationID())
      } catch {
        rejected.append(RejectedItem(id: nil, error: error))
      }
    }
  }
}
