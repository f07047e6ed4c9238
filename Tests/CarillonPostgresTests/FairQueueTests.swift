import Testing

@testable import CarillonPostgres

/// Whose work is done next when many ask.
@Suite struct FairQueueTests {
  private func queue(_ flows: [UInt64: Range<Int>]) -> FairQueue<Int> {
    var queue = FairQueue<Int>()
    for (flow, elements) in flows.sorted(by: { $0.key < $1.key }) {
      for element in elements { queue.append(element, to: flow) }
    }
    return queue
  }

  @Test func oneFlowIsServedInOrder() {
    var queue = queue([1: 0..<5])
    #expect(queue.take(2) == [0, 1])
    queue.append(5, to: 1)
    #expect(queue.take(9) == [2, 3, 4, 5])
    #expect(queue.take(9) == [] && queue.count == 0)
  }

  /// A thousand of one hold up one of another by one.
  @Test func flowsTakeTurns() {
    var queue = queue([1: 0..<1_000])
    queue.append(-1, to: 2)
    #expect(queue.take(4) == [0, -1, 1, 2])
    queue.append(-2, to: 2)
    queue.append(-3, to: 3)
    #expect(queue.take(4) == [3, -2, -3, 4])
    #expect(queue.count(of: 1) == 995 && queue.count(of: 2) == 0 && queue.count == 995)
  }

  @Test func whatIsTakenBackLeavesTheOthersTheirTurns() {
    var queue = queue([1: 0..<4, 2: 10..<12, 3: 20..<21])
    #expect(queue.take(1) == [0])
    #expect(queue.remove { $0 == 20 || $0 == 2 } == [20, 2])
    #expect(queue.count == 4)
    #expect(Set(queue.first) == [1, 10])
    #expect(queue.take(9) == [10, 1, 11, 3])
  }

  /// Against a plain model, whatever is done in whatever order.
  @Test func everyElementLeavesOnceInTheOrderOfItsFlow() {
    var seed = UInt64.random(in: 1 ... .max)
    let start = seed
    func random(_ below: Int) -> Int {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(seed >> 33) % below
    }
    var queue = FairQueue<(flow: UInt64, number: Int)>()
    var waiting: [UInt64: [Int]] = [:]
    var next = 0
    for _ in 0..<20_000 {
      switch random(4) {
      case 0, 1:
        let flow = UInt64(random(5) * random(3))
        queue.append((flow, next), to: flow)
        waiting[flow, default: []].append(next)
        next += 1
      case 2:
        for (flow, number) in queue.take(random(9)) {
          #expect(waiting[flow]?.removeFirst() == number, "seed \(start)")
        }
      default:
        let target = random(max(1, next))
        for (flow, number) in queue.remove(where: { $0.number == target }) {
          #expect(number == target)
          waiting[flow]?.removeAll { $0 == number }
        }
      }
      #expect(queue.count == waiting.values.reduce(0) { $0 + $1.count }, "seed \(start)")
    }
  }
}
