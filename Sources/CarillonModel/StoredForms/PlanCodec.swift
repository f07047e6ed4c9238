/// A plan as the bytes that are stored of it: all but the contents, which stand in the queue. What a report is held
/// against at every sync that brings news, so without JSON on the way.
///
/// All numbers are little-endian; a list begins with its count in 4 bytes.
///
/// | bytes | what |
/// | --- | --- |
/// | 1 | format, 1 |
/// | 8 | version |
/// | 4 x 8 | policyVersion, slots, foreign, capacity |
/// | 1 | flags: 1 starved, 2 refreshBy, 4 coversUntil |
/// | 8, 8 | refreshBy and coversUntil in milliseconds, if flagged |
/// | 4 + n | zone data |
/// | list | words: names of types and of rules that move, each with a length in 4 bytes |
/// | list | held, see `encode(_:to:_:)` |
/// | list | queued: id, type, reason, rank, whether there is a fire, and it |
/// | list | rejected: id, pointer, code, detail |
/// | list | withheld: id, reason |
/// | list | expired: id, fire |
/// | list | evictions: type, number; in the order of the types' bytes |
public enum PlanCodec {
  public static let format: UInt8 = 1

  public static func encode(_ plan: Plan) -> [UInt8] {
    var words = Words()
    var lists = ByteWriter(capacity: 64 + 72 * plan.held.count + 48 * plan.queued.count)
    lists.list(plan.held) { encode($1, to: &$0, &words) }
    lists.list(plan.queued) { encode($1, to: &$0, &words) }
    lists.list(plan.rejected) { writer, request in
      writer.shortText(request.id.text)
      for text in [request.pointer, request.code, request.detail] { writer.wideText(text) }
    }
    lists.list(plan.withheld) { writer, request in
      writer.shortText(request.id.text)
      writer.word(request.reason, of: Codes.withheldReasons)
    }
    lists.list(plan.expired) { writer, request in
      writer.shortText(request.id.text)
      writer.integer(request.fireAt.milliseconds)
    }
    let evictions = plan.evictionsByType.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    lists.list(evictions) { writer, eviction in
      writer.integer(words.index(of: eviction.key))
      writer.integer(Int64(eviction.value))
    }

    var writer = ByteWriter(capacity: lists.bytes.count + 128)
    writer.byte(format)
    for number in [plan.version, plan.policyVersion, plan.slots, plan.foreign, plan.capacity] {
      writer.integer(Int64(number))
    }
    writer.byte(
      (plan.starved ? 1 : 0) | (plan.refreshBy != nil ? 2 : 0) | (plan.coversUntil != nil ? 4 : 0))
    if let time = plan.refreshBy { writer.integer(time.milliseconds) }
    if let time = plan.coversUntil { writer.integer(time.milliseconds) }
    writer.wideText(plan.zoneData)
    writer.list(words.list) { $0.wideText($1) }
    writer.append(lists.bytes)
    return writer.bytes
  }

  /// The bytes of a plan that differs in nothing but its version.
  public static func encoded(_ bytes: [UInt8], version: Int) -> [UInt8] {
    var bytes = bytes
    withUnsafeBytes(of: Int64(version).littleEndian) { bytes.replaceSubrange(1..<9, with: $0) }
    return bytes
  }

  public static func decode(_ bytes: [UInt8]) throws(StoredFormError) -> Plan {
    try bytes.withUnsafeBufferPointer { (buffer) throws(StoredFormError) in
      try decode(UnsafeRawBufferPointer(buffer))
    }
  }

  public static func decode(_ bytes: UnsafeRawBufferPointer) throws(StoredFormError) -> Plan {
    var reader = ByteReader(bytes)
    guard try reader.byte() == format else { throw reader.damaged("unknown format") }
    var plan = Plan()
    plan.version = try reader.number()
    plan.policyVersion = try reader.number()
    plan.slots = try reader.number()
    plan.foreign = try reader.number()
    plan.capacity = try reader.number()
    let flags = try reader.byte()
    guard flags & ~7 == 0 else { throw reader.damaged("unknown flags") }
    plan.starved = flags & 1 != 0
    if flags & 2 != 0 { plan.refreshBy = try reader.instant() }
    if flags & 4 != 0 { plan.coversUntil = try reader.instant() }
    plan.zoneData = try reader.wideText()
    let words = try reader.list { (reader) throws(StoredFormError) in try reader.wideText() }
    plan.held = try reader.list { (reader) throws(StoredFormError) in try decodeHeld(&reader, words) }
    plan.queued = QueuedRequests(
      try reader.list { (reader) throws(StoredFormError) in try decodeQueued(&reader, words) })
    plan.rejected = try reader.list { (reader) throws(StoredFormError) in
      RejectedRequest(
        id: NotificationID(unchecked: try reader.shortText()), pointer: try reader.wideText(),
        code: try reader.wideText(), detail: try reader.wideText())
    }
    plan.withheld = try reader.list { (reader) throws(StoredFormError) in
      WithheldRequest(id: try reader.id(), reason: try reader.word(of: Codes.withheldReasons))
    }
    plan.expired = try reader.list { (reader) throws(StoredFormError) in
      ExpiredRequest(id: try reader.id(), fireAt: try reader.instant())
    }
    let evictions = try reader.list { (reader) throws(StoredFormError) in
      (type: try reader.entry(of: words), number: try reader.number())
    }
    for eviction in evictions { plan.evictionsByType[eviction.type] = eviction.number }
    guard reader.isAtEnd else { throw reader.damaged("bytes are left over") }
    return plan
  }
}

// MARK: Requests

extension PlanCodec {
  private enum Flag {
    static let source: UInt8 = 1
    static let fireAt: UInt8 = 2
    static let badge: UInt8 = 4
    static let digestCount: UInt8 = 8
    static let needs: UInt8 = 16
    static let moves: UInt8 = 32
  }

  /// Flags (1 source, 2 fireAt, 4 badge, 8 digestCount, 16 unmet needs, 32 moves), slot, reach, id, type, priority,
  /// revision and trigger; then what is flagged.
  private static func encode(_ request: HeldRequest, to writer: inout ByteWriter, _ words: inout Words) {
    var flags: UInt8 = 0
    if request.source != request.id { flags |= Flag.source }
    if request.fireAt != nil { flags |= Flag.fireAt }
    if request.badge != nil { flags |= Flag.badge }
    if request.digestCount != nil { flags |= Flag.digestCount }
    if !request.unmetNeeds.isEmpty { flags |= Flag.needs }
    if !request.moves.isEmpty { flags |= Flag.moves }
    writer.byte(flags)
    writer.word(request.slot, of: Codes.slots)
    writer.word(request.reach, of: Codes.reaches)
    writer.shortText(request.id.text)
    writer.integer(words.index(of: request.type))
    writer.integer(Int64(request.priority))
    writer.integer(request.revisionHash)
    TriggerCodec.encode(request.trigger, to: &writer)
    if flags & Flag.source != 0 { writer.shortText(request.source.text) }
    if let fireAt = request.fireAt { writer.integer(fireAt.milliseconds) }
    if let badge = request.badge { writer.integer(Int64(badge)) }
    if let count = request.digestCount { writer.integer(Int64(count)) }
    if flags & Flag.needs != 0 { writer.list(request.unmetNeeds) { $0.word($1, of: Codes.needs) } }
    if flags & Flag.moves != 0 {
      writer.list(request.moves) { writer, move in
        writer.integer(words.index(of: move.by))
        writer.integer(move.from.milliseconds)
        writer.integer(move.to.milliseconds)
      }
    }
  }

  private static func decodeHeld(
    _ reader: inout ByteReader, _ words: [String]
  ) throws(StoredFormError) -> HeldRequest {
    let flags = try reader.byte()
    guard flags & ~63 == 0 else { throw reader.damaged("unknown flags") }
    let slot = try reader.word(of: Codes.slots)
    let reach = try reader.word(of: Codes.reaches)
    var request = HeldRequest(
      id: try reader.id(), source: nil, type: try reader.entry(of: words), priority: try reader.number(),
      fireAt: nil, revisionHash: try reader.integer(), trigger: try TriggerCodec.decode(&reader),
      reach: reach, slot: slot)
    if flags & Flag.source != 0 { request.source = try reader.id() }
    if flags & Flag.fireAt != 0 { request.fireAt = try reader.instant() }
    if flags & Flag.badge != 0 { request.badge = try reader.number() }
    if flags & Flag.digestCount != 0 { request.digestCount = try reader.number() }
    if flags & Flag.needs != 0 {
      request.unmetNeeds = try reader.list { (reader) throws(StoredFormError) in
        try reader.word(of: Codes.needs)
      }
    }
    if flags & Flag.moves != 0 {
      request.moves = Moves(
        try reader.list { (reader) throws(StoredFormError) in
          Move(by: try reader.entry(of: words), from: try reader.instant(), to: try reader.instant())
        })
    }
    return request
  }

  private static func encode(_ request: QueuedRequest, to writer: inout ByteWriter, _ words: inout Words) {
    writer.shortText(request.id.text)
    writer.integer(words.index(of: request.type))
    writer.word(request.reason, of: Codes.queuedReasons)
    writer.integer(Int64(request.rank))
    writer.byte(request.fireAt == nil ? 0 : 1)
    if let fireAt = request.fireAt { writer.integer(fireAt.milliseconds) }
  }

  private static func decodeQueued(
    _ reader: inout ByteReader, _ words: [String]
  ) throws(StoredFormError) -> QueuedRequest {
    var request = QueuedRequest(
      id: try reader.id(), type: try reader.entry(of: words), fireAt: nil, rank: 0,
      reason: try reader.word(of: Codes.queuedReasons))
    request.rank = try reader.number()
    switch try reader.byte() {
    case 0: break
    case 1: request.fireAt = try reader.instant()
    default: throw reader.damaged("unknown flags")
    }
    return request
  }
}

// MARK: Parts

/// Words that are stored by their place here: a new one goes to the end of its kind's declaration.
private enum Codes {
  static let slots = HeldRequest.Slot.allCases
  static let reaches = Reach.allCases
  static let needs = Need.allCases
  static let queuedReasons = QueuedRequest.Reason.allCases
  static let withheldReasons = WithheldRequest.Reason.allCases
}

/// Names that stand in many requests, each once.
private struct Words {
  private(set) var list: [String] = []
  private var indices: [String: UInt32] = [:]
  /// Neighbours mostly share one.
  private var last: (word: String, index: UInt32)?

  mutating func index(of word: String) -> UInt32 {
    if let last, last.word == word { return last.index }
    let index = indices[word] ?? UInt32(list.count)
    if index == list.count {
      list.append(word)
      indices[word] = index
    }
    last = (word, index)
    return index
  }
}

extension ByteWriter {
  fileprivate mutating func list<Elements: Collection>(
    _ elements: Elements, _ write: (inout ByteWriter, Elements.Element) -> Void
  ) {
    integer(UInt32(elements.count))
    for element in elements { write(&self, element) }
  }

  fileprivate mutating func word<Word: Equatable>(_ word: Word, of words: [Word]) {
    byte(UInt8(words.firstIndex(of: word)!))
  }
}

extension ByteReader {
  fileprivate mutating func list<Element>(
    _ read: (inout ByteReader) throws(StoredFormError) -> Element
  ) throws(StoredFormError) -> [Element] {
    let count = try count()
    var elements: [Element] = []
    elements.reserveCapacity(count)
    for _ in 0..<count { elements.append(try read(&self)) }
    return elements
  }

  fileprivate mutating func word<Word>(of words: [Word]) throws(StoredFormError) -> Word {
    let index = Int(try byte())
    guard index < words.count else { throw damaged("unknown word") }
    return words[index]
  }

  fileprivate mutating func entry(of words: [String]) throws(StoredFormError) -> String {
    let index: UInt32 = try integer()
    guard index < words.count else { throw damaged("unknown word") }
    return words[Int(index)]
  }

  fileprivate mutating func number() throws(StoredFormError) -> Int {
    let number: Int64 = try integer()
    guard number.magnitude <= 1 << 53 else { throw damaged("number out of range") }
    return Int(number)
  }

  /// As a plan has them, possibly made by planning.
  fileprivate mutating func id() throws(StoredFormError) -> NotificationID {
    guard let id = NotificationID(made: try shortText()) else { throw damaged("not an id") }
    return id
  }
}
