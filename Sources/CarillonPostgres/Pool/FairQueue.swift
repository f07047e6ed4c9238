/// What waits, by whose it is: each flow in order of arrival, the flows in turns.
///
/// So a flow that has a thousand waiting holds up another's one by no more than one of its own. A value without I/O.
struct FairQueue<Element> {
  private struct Flow {
    var elements: [Element] = []
    /// Those before it have left.
    var head = 0

    var count: Int { elements.count - head }

    mutating func take() -> Element {
      defer { head += 1 }
      return elements[head]
    }
  }

  private var flows: [UInt64: Flow] = [:]
  /// The flows that have something waiting, the next one first; those before `turn` have had theirs.
  private var turns: [UInt64] = []
  private var turn = 0
  private(set) var count = 0

  /// How many flows have something waiting.
  var flowCount: Int { flows.count }

  /// How much of one flow waits.
  func count(of flow: UInt64) -> Int { flows[flow]?.count ?? 0 }

  mutating func append(_ element: Element, to flow: UInt64) {
    if flows[flow]?.elements.append(element) == nil {
      flows[flow] = Flow(elements: [element])
      turns.append(flow)
    }
    count += 1
  }

  /// Takes at most so many, one of each flow in turn.
  mutating func take(_ most: Int) -> [Element] {
    let wanted = min(most, count)
    if wanted == count, flows.count == 1, let flow = flows.first?.value { return takeAll(of: flow) }
    var taken: [Element] = []
    taken.reserveCapacity(wanted)
    while taken.count < wanted {
      let id = turns[turn]
      turn += 1
      taken.append(flows[id]!.take())
      if flows[id]!.count == 0 { flows[id] = nil } else { turns.append(id) }
    }
    count -= wanted
    if turn > 1_024 || turn == turns.count {
      turns.removeFirst(turn)
      turn = 0
    }
    return taken
  }

  private mutating func takeAll(of flow: Flow) -> [Element] {
    flows.removeAll(keepingCapacity: true)
    turns.removeAll(keepingCapacity: true)
    turn = 0
    count = 0
    return flow.head == 0 ? flow.elements : Array(flow.elements[flow.head...])
  }

  /// Those that wait longest in each flow.
  var first: [Element] { flows.values.map { $0.elements[$0.head] } }

  /// Takes out all that fit; in order of arrival within a flow.
  mutating func remove(where isMeant: (Element) -> Bool) -> [Element] {
    var removed: [Element] = []
    for id in turns[turn...] {
      guard let flow = flows[id] else { continue }
      let waiting = flow.elements[flow.head...]
      let leaving = waiting.filter(isMeant)
      if leaving.isEmpty { continue }
      removed += leaving
      let staying = waiting.filter { !isMeant($0) }
      flows[id] = staying.isEmpty ? nil : Flow(elements: staying)
    }
    if removed.isEmpty { return [] }
    count -= removed.count
    turns = turns[turn...].filter { flows[$0] != nil }
    turn = 0
    return removed
  }
}
