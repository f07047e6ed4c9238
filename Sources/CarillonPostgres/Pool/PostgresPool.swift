import CarillonEventLoop

/// A unit of work: statements that commit together under one tenant, in one round trip.
public struct Work: Sendable {
  /// `SET LOCAL <setting> = '<value>'` before the statements.
  public struct Scope: Hashable, Sendable {
    public let setting: String
    /// Built from a parsed value, never from raw text: it is spliced into SQL.
    public let uncheckedValue: String

    public init(setting: String, uncheckedValue: String) {
      self.setting = setting
      self.uncheckedValue = uncheckedValue
    }
  }

  /// Works of one batch run in this order, so that two batches take their row locks alike.
  public struct Order: Comparable, Sendable {
    public let high: UInt64
    public let low: UInt64

    public init(high: UInt64, low: UInt64) {
      self.high = high
      self.low = low
    }

    public static func < (left: Order, right: Order) -> Bool {
      (left.high, left.low) < (right.high, right.low)
    }
  }

  public var scope: Scope?
  public var order: Order
  public var statements: [Statement]

  public init(scope: Scope?, order: Order, statements: [Statement]) {
    self.scope = scope
    self.order = order
    self.statements = statements
  }
}

/// The few connections of one event loop, shared by all its requests. Confined to its loop.
///
/// While every connection has work in flight, arriving works collect; when one is free, up to
/// ``Limits/worksPerBatch`` leave together as one transaction. A batch that fails is run again work by work.
public final class PostgresPool {
  public struct Limits: Sendable {
    public var connections = 2
    public var worksPerBatch = 64
    public var waitingWorks = 4_096
    public var waitForConnection = Duration.seconds(2)
    public init() {}
  }

  public init(
    loop: EventLoop, conninfo: String, limits: Limits = Limits(), usesPreparedStatements: Bool = true
  ) {
    fatalError()
  }

  /// Starts connecting; works may be submitted at once.
  public func start() { fatalError() }

  /// Returns when all works at hand are done and the connections are closed.
  public func close() async { fatalError() }

  /// Whether at least one connection is up.
  public var isReady: Bool { fatalError() }

  /// Runs one work; returns its rows, one element a statement, once the commit is durable.
  public func run(_ work: Work) async throws(PostgresError) -> [Rows] { fatalError() }
}
