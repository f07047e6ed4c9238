import CarillonModel

/// A policy made ready for planning: types by prefix, in a form that a look-up walks once. A value; copies share
/// their storage.
public struct CompiledPolicy: Sendable {
  let storage: Storage

  public var policy: Policy { storage.policy }

  public init(_ policy: Policy) { storage = Storage(policy) }

  /// The type of a notification: the one it names, else that of the longest matching prefix, else unknown.
  public func type(of id: NotificationID, named name: String? = nil) -> NotificationType {
    storage.types[storage.index(of: id, named: name)]
  }

  /// Immutable after its initialization, and shared by all copies.
  final class Storage: Sendable {
    let policy: Policy
    /// All types in the policy's order, `unknown` last where the policy does not name it.
    let types: [NotificationType]
    /// The same, reduced to what planning reads.
    let rules: [TypeRule]
    let names: [String]
    /// Types with a reserve, the most important first.
    let reserving: [Int]
    /// Some type merges into digests.
    let makesDigests: Bool
    /// Quiet hours or caps can move something.
    let moves: Bool
    let bySoonest: Bool
    let withholdsUnreachable: Bool
    let horizonDays: Int
    /// What no prefix matches.
    private let unknown: Int
    private let typesByName: [String: Int]
    private let prefixes: PrefixTree

    init(_ policy: Policy) {
      var types = policy.typesInForce
      let unknown = types.firstIndex { $0.name == NotificationType.unknown.name } ?? types.count
      if unknown == types.count { types.append(.unknown) }
      self.unknown = unknown
      self.policy = policy
      self.types = types
      let rules = types.map { TypeRule($0) }
      self.rules = rules
      names = types.map(\.name)
      reserving = rules.indices
        .filter { rules[$0].reserve > 0 }
        .sorted { (rules[$0].priority, $0) < (rules[$1].priority, $1) }
      makesDigests = rules.contains(where: \.digest)
      moves = policy.quietHours != nil || !policy.frequencyCaps.isEmpty
      bySoonest = policy.order == .soonestFirst
      withholdsUnreachable = policy.unreachable == .withhold
      horizonDays = policy.horizonDays
      typesByName = Dictionary(zip(names, types.indices)) { first, _ in first }
      prefixes = PrefixTree(
        types.enumerated().flatMap { index, type in type.prefixes.map { (prefix: $0, value: index) } })
    }

    func index(of id: NotificationID, named name: String?) -> Int {
      if let name { return index(ofTypeNamed: name) }
      return prefixes.longestMatch(id.text) ?? unknown
    }

    func index(ofTypeNamed name: String) -> Int { typesByName[name] ?? unknown }

    /// The longest prefix of a type that an id begins with.
    func prefix(of id: NotificationID, inType index: Int) -> String? {
      types[index].prefixes
        .filter { id.text.utf8.starts(with: $0.utf8) }
        .max { $0.utf8.count < $1.utf8.count }
    }
  }
}
