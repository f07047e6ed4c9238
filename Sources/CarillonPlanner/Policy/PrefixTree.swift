/// Byte prefixes and what they stand for; nodes share the bytes that prefixes have in common, so that a look-up
/// reads each byte of its text once.
struct PrefixTree: Sendable {
  private struct Node: Sendable {
    var label: [UInt8]
    var value: Int?
    var children: [Int] = []
  }

  private var nodes = [Node(label: [])]

  /// The first value given for a prefix stays.
  mutating func insert(_ prefix: String, _ value: Int) {
    var rest = Array(prefix.utf8)[...]
    var node = 0
    while true {
      let label = nodes[node].label
      let common = zip(label, rest).prefix { $0 == $1 }.count
      if common < label.count { split(node, at: common) }
      rest = rest.dropFirst(common)
      guard let first = rest.first else {
        nodes[node].value = nodes[node].value ?? value
        return
      }
      if let child = nodes[node].children.first(where: { nodes[$0].label[0] == first }) {
        node = child
      } else {
        nodes.append(Node(label: Array(rest), value: value))
        nodes[node].children.append(nodes.count - 1)
        return
      }
    }
  }

  private mutating func split(_ node: Int, at length: Int) {
    var tail = nodes[node]
    tail.label.removeFirst(length)
    nodes.append(tail)
    nodes[node].label.removeLast(nodes[node].label.count - length)
    nodes[node].value = nil
    nodes[node].children = [nodes.count - 1]
  }

  /// The value of the longest prefix of `text`; nil when none is one.
  func longestMatch(_ text: String) -> Int? {
    if let found = text.utf8.withContiguousStorageIfAvailable({ match($0) }) { return found }
    return Array(text.utf8).withUnsafeBufferPointer { match($0) }
  }

  private func match(_ text: UnsafeBufferPointer<UInt8>) -> Int? {
    nodes.withUnsafeBufferPointer { nodes in
      var best: Int?
      var node = 0
      var position = 0
      walk: while true {
        let length = nodes[node].label.count
        guard position &+ length <= text.count else { return best }
        let matches = nodes[node].label.withUnsafeBufferPointer { label in
          for index in 0..<length where label[index] != text[position &+ index] { return false }
          return true
        }
        guard matches else { return best }
        position &+= length
        if let value = nodes[node].value { best = value }
        guard position < text.count else { return best }
        for child in nodes[node].children where nodes[child].label[0] == text[position] {
          node = child
          continue walk
        }
        return best
      }
    }
  }
}
