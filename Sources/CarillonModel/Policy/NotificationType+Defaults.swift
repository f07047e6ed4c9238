extension NotificationType {
  /// The types of a policy that names none: those of the well-known article on priority budgets. What the user set
  /// comes first, what wants the user back comes last.
  public static let defaults = [
    NotificationType(name: "habit", prefixes: ["habit"], priority: 0),
    NotificationType(name: "entry", prefixes: ["entry"], priority: 0),
    NotificationType(name: "day1", prefixes: ["day1"], priority: 1),
    NotificationType(name: "depletion", prefixes: ["depletion"], priority: 2),
    NotificationType(name: "inactivity", prefixes: ["inactivity"], priority: 3),
  ]
}

extension Policy {
  /// The types in force.
  public var typesInForce: [NotificationType] { types ?? NotificationType.defaults }
}
