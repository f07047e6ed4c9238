import CarillonModel

/// A policy made ready for planning: types by prefix, in a form that a look-up walks once.
public struct CompiledPolicy: Sendable {
  public let policy: Policy
  /// All types; the last is what no prefix matches.
  let types: [NotificationType]
  private let typesByName: [String: Int]
  private let prefixes: PrefixTree

  public init(_ policy: Policy) {
    var types = policy.typesInForce
    if let own = types.firstIndex(where: { $0.name == NotificationType.unknown.name }) {
      types.append(types.remove(at: own))
    } else {
      types.append(.unknown)
    }
    self.policy = policy
    self.types = types
    typesByName = Dictionary(zip(types.map(\.name), types.indices)) { first, _ in first }
    prefixes = PrefixTree(
      types.enumerated().flatMap { index, type in type.prefixes.map { (prefix: $0, value: index) } })
  }

  /// The type of a notification: the one it names, else that of the longest matching prefix, else unknown.
  public func type(of id: NotificationID, named name: String? = nil) -> NotificationType {
    types[index(of: id, named: name)]
  }

  func index(of id: NotificationID, named name: String?) -> Int {
    if let name { return index(ofTypeNamed: name) }
    return prefixes.longestMatch(id.text) ?? types.count - 1
  }

  func index(ofTypeNamed name: String) -> Int { typesByName[name] ?? types.count - 1 }
}
