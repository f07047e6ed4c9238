import Testing

@testable import CarillonServer

/// The buckets, without a clock.
@Suite struct TokenBucketTests {
  private let second: UInt64 = 1_000_000_000
  private let start: UInt64 = 50_000_000_000

  @Test func aFullBucketGivesItsBurstAndThenItsRate() {
    let rule = TokenBucket.Rule(perSecond: 2, burst: 3)
    var bucket = TokenBucket()
    #expect(rule.window == 2)
    for left in [2, 1, 0] {
      #expect(bucket.take(by: rule, now: start).remaining == left)
    }
    let refused = bucket.take(by: rule, now: start)
    #expect(refused == .init(isGranted: false, remaining: 0, reset: 2, retryAfter: 1))
    // A refusal costs nothing: half a second later there is one.
    #expect(bucket.take(by: rule, now: start + second / 2).isGranted)
    #expect(!bucket.take(by: rule, now: start + second / 2).isGranted)
    #expect(!bucket.isFull(at: start + second))
    #expect(bucket.isFull(at: start + 2 * second))
    // However long the pause, no more than the burst.
    let later = start + 1_000 * second
    #expect((0..<9).filter { _ in bucket.take(by: rule, now: later).isGranted }.count == 3)
  }

  @Test func manyAtOnceAreTakenOrRefusedWhole() {
    let rule = TokenBucket.Rule(perSecond: 10, burst: 100)
    var bucket = TokenBucket()
    #expect(bucket.take(70, by: rule, now: start).remaining == 30)
    let refused = bucket.take(40, by: rule, now: start)
    #expect(!refused.isGranted && refused.remaining == 30 && refused.retryAfter == 1)
    #expect(bucket.take(40, by: rule, now: start + second).isGranted)
  }

  /// More than the bucket holds would wait for ever: a full one gives all it has.
  @Test func moreThanTheBurstIsGivenByAFullBucketOnly() {
    let rule = TokenBucket.Rule(perSecond: 10, burst: 10)
    var bucket = TokenBucket()
    #expect(bucket.take(30, by: rule, now: start).isGranted)
    #expect(!bucket.take(by: rule, now: start).isGranted)
    #expect(!bucket.take(30, by: rule, now: start + second / 2).isGranted)
    #expect(bucket.take(by: rule, now: start + second / 10).isGranted)
  }

  /// An empty bucket is empty by another rule too, and fills as that says, however long it would have taken before.
  @Test(arguments: [(1, 20, 1_000, 2_000), (1, 200, 1, 5), (1_000, 10, 1, 100)])
  func anotherRuleIsInForceAtOnce(_ old: Int, _ oldBurst: Int, _ new: Int, _ newBurst: Int) {
    let before = TokenBucket.Rule(perSecond: old, burst: oldBurst)
    let after = TokenBucket.Rule(perSecond: new, burst: newBurst)
    var bucket = TokenBucket()
    for _ in 0..<oldBurst { #expect(bucket.take(by: before, now: start).isGranted) }
    let refused = bucket.take(by: after, now: start)
    #expect(refused.isGranted || refused.retryAfter == 1)
    #expect(refused.reset <= after.window)
    #expect(bucket.take(by: after, now: start + second).isGranted)
  }

  @Test func lookingTakesNothing() {
    let rule = TokenBucket.Rule(perSecond: 1, burst: 1)
    let bucket = TokenBucket()
    #expect(bucket.look(by: rule, now: start).isGranted)
    #expect(bucket == TokenBucket())
  }

  /// Against a bucket that is counted out tick by tick.
  @Test(arguments: [(1, 1), (3, 7), (50, 500), (1_000, 10)])
  func itNeverGivesMoreThanRateAndBurst(_ perSecond: Int, _ burst: Int) {
    let rule = TokenBucket.Rule(perSecond: perSecond, burst: burst)
    var seed = UInt64.random(in: 1 ... .max)
    let first = seed
    var bucket = TokenBucket()
    var now = start
    // In nanoseconds of the rate, so that nothing is rounded.
    let interval = 1_000_000_000 / UInt64(perSecond)
    var level = interval * UInt64(burst)
    var last = now
    for _ in 0..<5_000 {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      now += (seed >> 40) % (4 * interval)
      level = min(interval * UInt64(burst), level + now - last)
      last = now
      let fits = level >= interval
      if fits { level -= interval }
      let grant = bucket.take(by: rule, now: now)
      #expect(grant.isGranted == fits, "seed \(first)")
      #expect(grant.remaining == Int(level / interval), "seed \(first)")
      #expect(grant.isGranted || grant.retryAfter >= 1, "seed \(first)")
    }
  }
}

@Suite struct BucketTableTests {
  /// One that waited for the database begins before one that did not, and is counted after it.
  @Test func aRequestThatWasHeldUpIsNotRefusedForIt() {
    var table = BucketTable<Int>(capacity: 8)
    let rule = TokenBucket.Rule(perSecond: 1_000, burst: 1_000)
    let second: UInt64 = 1_000_000_000
    #expect(table.take(of: 1, by: rule, now: 10 * second).isGranted)
    #expect(table.take(of: 1, by: rule, now: 8 * second).remaining == 998)
    #expect(table.look(at: 1, by: rule, now: 8 * second).isGranted)
  }

  @Test func theLongestUnusedGoFirst() {
    let rule = TokenBucket.Rule(perSecond: 1, burst: 1)
    var table = BucketTable<Int>(capacity: 8)
    for key in 0..<1_000 {
      #expect(table.take(of: key, by: rule, now: 0 + 1).isGranted)
      // Asked about all the time, so never forgotten.
      #expect(table.take(of: -1, by: rule, now: 1).isGranted == (key == 0))
      #expect(table.count <= 8)
    }
    #expect(!table.look(at: 999, by: rule, now: 1).isGranted)
    #expect(table.look(at: 0, by: rule, now: 1).isGranted, "forgotten, and so full again")
  }
}
