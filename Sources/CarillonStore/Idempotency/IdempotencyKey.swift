import CarillonModel

/// What a client calls one write by, however often it sends it.
public struct IdempotencyKey: Hashable, Sendable {
  /// Whose the key is: two principals' keys have nothing to do with each other.
  public enum Principal: Hashable, Sendable {
    /// By the tenant key's id.
    case tenantKey(String)
    /// A device, on itself.
    case device(DeviceID)
  }

  public var principal: Principal
  /// 1...255 bytes.
  public var text: String
  /// SHA-256 of what makes a request the same one: 32 bytes.
  public var fingerprint: [UInt8]
  /// How much longer than ``IdempotencyLimits/secondsKept`` an answer stands: as much as the clock of what is kept is
  /// behind the server's.
  public var millisecondsLonger: Int64

  public init(principal: Principal, text: String, fingerprint: [UInt8], millisecondsLonger: Int64 = 0) {
    self.principal = principal
    self.text = text
    self.fingerprint = fingerprint
    self.millisecondsLonger = millisecondsLonger
  }

  /// What was answered later is in use.
  func liveSince(_ now: Instant) -> Instant {
    Instant(milliseconds: now.milliseconds - millisecondsLonger).adding(
      seconds: -IdempotencyLimits.secondsKept)
  }
}

/// How many answers are kept, and how long.
public enum IdempotencyLimits {
  /// A key is free again afterwards.
  public static let secondsKept: Int64 = 86_400
  /// Of one device; beyond it the oldest goes.
  public static let keysPerDevice = 1_000
  /// Of one tenant, without those of its devices; beyond it the oldest goes.
  public static let keysPerTenant = 1_000
}

/// An answer as it was given: enough to give it again.
public struct KeptAnswer: Hashable, Sendable {
  /// 200...499
  public var status: Int
  public var entityTag: String?
  public var body: [UInt8]

  public init(status: Int, entityTag: String? = nil, body: [UInt8] = []) {
    self.status = status
    self.entityTag = entityTag
    self.body = body
  }
}

/// What a key is known for.
public enum KeyUse: Hashable, Sendable {
  case unused
  /// The same request was answered so.
  case answered(KeptAnswer)
  /// The same batch has begun. Of a device it is asked about, what became of its part; else that stands with its
  /// devices.
  case begun(part: [UInt8])
  /// Another request was sent with it.
  case otherRequest
}

/// An answer about to be kept, in one transaction with what it tells.
public struct AnswerDraft: Hashable, Sendable {
  public var key: IdempotencyKey
  public var answer: KeptAnswer
  /// Follows the body, with what the effect answers between the two. Only where the effect does.
  public var tail: [UInt8]
  /// Not an answer, but a part of a batch's, with no status of its own.
  public var isPart: Bool
  /// The server's time.
  public var now: Instant

  public init(
    key: IdempotencyKey, answer: KeptAnswer, tail: [UInt8] = [], isPart: Bool = false, now: Instant
  ) {
    self.key = key
    self.answer = answer
    self.tail = tail
    self.isPart = isPart
    self.now = now
  }
}

/// The answer to a change of a queue.
public struct QueueAnswerDraft: Hashable, Sendable {
  public var draft: AnswerDraft
  /// What the answer was written for: a change that does something else is undone, one that does nothing is not kept.
  /// Nil where the answer takes in the outcomes, one word each with commas between them.
  public var foreseen: QueueOutcome?

  public init(_ draft: AnswerDraft, foreseen: QueueOutcome?) {
    self.draft = draft
    self.foreseen = foreseen
  }
}
