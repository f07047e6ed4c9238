import CarillonJSON
import CarillonTelemetry
import Synchronization
import Testing

@Suite struct LoggerTests {
  private final class Sink: Sendable {
    private let mutex = Mutex<[[UInt8]]>([])
    var lines: [[UInt8]] { mutex.withLock { $0 } }
    func take(_ line: [UInt8]) { mutex.withLock { $0.append(line) } }
  }

  private func logger(_ sink: Sink, _ level: LogLevel = .debug) -> Logger {
    Logger(
      minimumLevel: level, time: { "2026-11-30T10:00:00Z" },
      write: { sink.take($0) })
  }

  @Test func anEventIsOneLineOfJSON() throws {
    let sink = Sink()
    logger(sink).info(
      "request\nserved",
      ["route": "syncDevice", "status": 200, "seconds": 0.25, "replay": false, "nan": .double(.nan)])
    let line = try #require(sink.lines.first)
    #expect(
      String(decoding: line, as: UTF8.self) == """
        {"time":"2026-11-30T10:00:00Z","level":"info","message":"request\\nserved","route":"syncDevice",\
        "status":200,"seconds":0.25,"replay":false,"nan":"nan"}

        """)
  }

  @Test(arguments: LogLevel.allCases) func whatIsBelowTheLevelCostsNothing(level: LogLevel) {
    let sink = Sink()
    let logger = logger(sink, level)
    var made = 0
    func fields() -> KeyValuePairs<String, LogValue> {
      made += 1
      return [:]
    }
    logger.debug("a", fields())
    logger.info("a", fields())
    logger.notice("a", fields())
    logger.warning("a", fields())
    logger.error("a", fields())
    let expected = LogLevel.allCases.filter { $0 >= level }.count
    #expect(sink.lines.count == expected)
    #expect(made == expected)
  }

  @Test func longTextsAreCutToOneLine() throws {
    let sink = Sink()
    logger(sink).error(
      String(repeating: "é", count: 10_000), ["x": .string(String(repeating: "y", count: 9_000))])
    let line = try #require(sink.lines.first)
    #expect(line.count < 2 * LogLine.maxTextBytes + 200)
    #expect(throws: Never.self) { try JSONValue(parsing: line) }
  }

  @Test func secretsStaySecret() {
    struct Holder {
      var key = Redacted("hunter2")
    }
    var dumped = ""
    dump(Holder(), to: &dumped)
    for text in [
      "\(Redacted("hunter2"))", String(reflecting: Redacted("hunter2")), "\(Holder())", dumped,
      String(
        decoding: LogLine(time: "", level: .info, message: "", fields: ["k": LogValue(Redacted("hunter2"))])
          .bytes, as: UTF8.self),
    ] {
      #expect(!text.contains("hunter2"), "\(text)")
    }
    #expect(Redacted("hunter2").reveal() == "hunter2")
  }
}
