import CarillonJSON

/// How much a line matters, the least first.
public enum LogLevel: String, Sendable, CaseIterable, Comparable {
  case debug, info, notice, warning, error

  public static func < (left: LogLevel, right: LogLevel) -> Bool { left.rank < right.rank }

  private var rank: Int {
    switch self {
    case .debug: 0
    case .info: 1
    case .notice: 2
    case .warning: 3
    case .error: 4
    }
  }
}

/// What a field of a line may be. There is no way in for arbitrary values, so that none is logged by accident.
public enum LogValue: Sendable, Hashable {
  case string(String)
  case int(Int)
  case double(Double)
  case bool(Bool)

  /// Says only that there is a secret.
  public init<Value>(_ secret: Redacted<Value>) { self = .string(secret.description) }
}

extension LogValue: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral
{
  public init(stringLiteral value: String) { self = .string(value) }
  public init(integerLiteral value: Int) { self = .int(value) }
  public init(floatLiteral value: Double) { self = .double(value) }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
}

/// One event: `{"time":"…","level":"info","message":"…", …fields}` and a line feed.
public struct LogLine: Sendable {
  /// RFC 3339.
  public var time: String
  public var level: LogLevel
  /// Fixed words; what differs between two such events stands in the fields.
  public var message: String
  public var fields: KeyValuePairs<String, LogValue>

  public init(
    time: String, level: LogLevel, message: String, fields: KeyValuePairs<String, LogValue> = [:]
  ) {
    self.time = time
    self.level = level
    self.message = message
    self.fields = fields
  }

  /// Longer texts are cut: one event must stay one line that a collector takes.
  public static let maxTextBytes = 4_096

  /// With its line feed.
  public var bytes: [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("time", time)
      writer.member("level", level.rawValue)
      writer.member("message", Self.cut(message))
      for (name, value) in fields {
        writer.name(name)
        switch value {
        case .string(let text): writer.string(Self.cut(text))
        case .int(let number): writer.int(number)
        case .double(let number) where number.isFinite: writer.double(number)
        case .double(let number): writer.string(number.description)
        case .bool(let flag): writer.bool(flag)
        }
      }
    }
    return writer.bytes + [UInt8(ascii: "\n")]
  }

  private static func cut(_ text: String) -> String {
    guard text.utf8.count > maxTextBytes else { return text }
    return String(decoding: text.utf8.prefix(maxTextBytes), as: UTF8.self) + "…"
  }
}
