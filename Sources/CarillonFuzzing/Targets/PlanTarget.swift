import CarillonModel

enum PlanTarget {
  static func check(_ bytes: [UInt8]) throws(Finding) {
    if let plan = try? Plan.decode(bytes) { try roundTrip(plan) }
    if let plan = try? PlanCodec.decode(bytes) { try roundTrip(plan) }
  }

  static func roundTrip(_ plan: Plan) throws(Finding) {
    let stored = PlanCodec.encode(plan)
    try expect((try? PlanCodec.decode(stored)) == plan, "a stored plan reads back as another")
    try expect(PlanCodec.encode(plan) == stored, "a plan is stored in two ways")
  }
}
