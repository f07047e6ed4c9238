/// Byte prefixes and what they stand for; nodes share the bytes that prefixes have in common, so that a look-up
/// reads each byte of its text once.
struct PrefixTree: Sendable {
  /// All nodes' labels and children stand in one array each: a look-up touches no other memory.
  private struct Node: Sendable {
    var labelStart: Int32
    var labelEnd: Int32
    var value: Int32
    var firstChild: Int32
    var childCount: Int32
  }

  private var nodes: [Node] = []
  private var labels: [UInt8] = []
  /// The first byte of each node's label.
  private var firstBytes: [UInt8] = []

  /// - Parameter entries: prefixes and their values; the first value of a prefix counts.
  init(_ entries: [(prefix: String, value: Int)]) {
    var values: [[UInt8]: Int] = [:]
    for entry in entries {
      let bytes = Array(entry.prefix.utf8)
      if values[bytes] == nil { values[bytes] = entry.value }
    }
    let sorted = values.sorted { $0.key.lexicographicallyPrecedes($1.key) }
    nodes = [Node(labelStart: 0, labelEnd: 0, value: -1, firstChild: 0, childCount: 0)]
    build(sorted[...].map { ($0.key, $0.value) }[...], depth: 0, at: 0)
    firstBytes = nodes.map { $0.labelStart < $0.labelEnd ? labels[Int($0.labelStart)] : 0 }
  }

  /// - Parameters:
  ///   - entries: those that share their first `depth` bytes, sorted by bytes.
  ///   - node: where they begin, its label already written.
  private mutating func build(_ entries: ArraySlice<([UInt8], Int)>, depth: Int, at node: Int) {
    var rest = entries
    if let first = rest.first, first.0.count == depth {
      nodes[node].value = Int32(first.1)
      rest = rest.dropFirst()
    }
    var groups: [ArraySlice<([UInt8], Int)>] = []
    while let first = rest.first {
      let group = rest.prefix { $0.0[depth] == first.0[depth] }
      groups.append(group)
      rest = rest.dropFirst(group.count)
    }
    nodes[node].firstChild = Int32(nodes.count)
    nodes[node].childCount = Int32(groups.count)
    let firstChild = nodes.count
    for _ in groups {
      nodes.append(Node(labelStart: 0, labelEnd: 0, value: -1, firstChild: 0, childCount: 0))
    }
    for (index, group) in groups.enumerated() {
      // Sorted, so what the first and the last share, all share.
      let common = zip(group[group.startIndex].0, group[group.endIndex - 1].0).prefix { $0 == $1 }.count
      nodes[firstChild + index].labelStart = Int32(labels.count)
      labels += group[group.startIndex].0[depth..<common]
      nodes[firstChild + index].labelEnd = Int32(labels.count)
      build(group, depth: common, at: firstChild + index)
    }
  }

  /// The value of the longest prefix of `text`; nil when none is one.
  func longestMatch(_ text: String) -> Int? {
    if let found = text.utf8.withContiguousStorageIfAvailable({ match(UnsafeRawBufferPointer($0)) }) {
      return found
    }
    return Array(text.utf8).withUnsafeBytes { match($0) }
  }

  private func match(_ text: UnsafeRawBufferPointer) -> Int? {
    nodes.withUnsafeBufferPointer { nodes in
      labels.withUnsafeBytes { labels in
        firstBytes.withUnsafeBufferPointer { firstBytes in
          var node = 0
          var best = nodes[0].value
          var position = 0
          while position < text.count {
            let byte = text[position]
            var child = Int(nodes[node].firstChild)
            let end = child &+ Int(nodes[node].childCount)
            while child < end, firstBytes[child] != byte { child &+= 1 }
            guard child < end else { break }
            let start = Int(nodes[child].labelStart)
            let length = Int(nodes[child].labelEnd) &- start
            guard position &+ length <= text.count, Self.agree(labels, start, text, position, length) else {
              break
            }
            position &+= length
            if nodes[child].value >= 0 { best = nodes[child].value }
            node = child
          }
          return best >= 0 ? Int(best) : nil
        }
      }
    }
  }

  /// Whether two runs of bytes are equal, eight at a time.
  @inline(__always)
  private static func agree(
    _ left: UnsafeRawBufferPointer, _ leftStart: Int, _ right: UnsafeRawBufferPointer, _ rightStart: Int,
    _ count: Int
  ) -> Bool {
    var done = 0
    while done &+ 8 <= count {
      let one = left.loadUnaligned(fromByteOffset: leftStart &+ done, as: UInt64.self)
      if one != right.loadUnaligned(fromByteOffset: rightStart &+ done, as: UInt64.self) { return false }
      done &+= 8
    }
    if count & 4 != 0 {
      let one = left.loadUnaligned(fromByteOffset: leftStart &+ done, as: UInt32.self)
      if one != right.loadUnaligned(fromByteOffset: rightStart &+ done, as: UInt32.self) { return false }
      done &+= 4
    }
    if count & 2 != 0 {
      let one = left.loadUnaligned(fromByteOffset: leftStart &+ done, as: UInt16.self)
      if one != right.loadUnaligned(fromByteOffset: rightStart &+ done, as: UInt16.self) { return false }
      done &+= 2
    }
    return count & 1 == 0 || left[leftStart &+ done] == right[rightStart &+ done]
  }
}
