import CarillonJSON
import CarillonModel
import CarillonPlanner

enum PolicyTarget {
  static func check(_ bytes: [UInt8]) throws(Finding) {
    let policy: Policy
    do throws(JSONError) { policy = try Policy(parsing: bytes) } catch {
      return try expectPlace(error, in: bytes)
    }
    try roundTrip(policy)
  }

  static func roundTrip(_ policy: Policy) throws(Finding) {
    var writer = JSONWriter()
    policy.write(to: &writer)
    let again = try? Policy(parsing: writer.bytes)
    try expect(again == policy, "a policy reads back as another: \(policy)")
    let compiled = CompiledPolicy(policy)
    for type in policy.typesInForce {
      for prefix in type.prefixes {
        // Of several types with one prefix any may be meant, but never none.
        let found = compiled.type(of: NotificationID(unchecked: prefix)).name
        let owners = policy.typesInForce.filter { other in
          other.prefixes.contains { $0.utf8.elementsEqual(prefix.utf8) }
        }
        try expect(owners.contains { $0.name == found }, "the type of its own prefix \(prefix) is \(found)")
      }
    }
  }
}
