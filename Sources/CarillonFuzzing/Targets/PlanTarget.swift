import CarillonModel

enum PlanTarget {
  static func check(_ bytes: [UInt8]) throws(Finding) {
    guard let plan = try? Plan.decode(bytes) else { return }
    try roundTrip(plan)
  }

  static func roundTrip(_ plan: Plan) throws(Finding) {
    let stored = PlanEncoder.stored(plan)
    let again = try? Plan.decode(stored)
    try expect(again == plan, "a stored plan reads back as another")
    try expect(PlanEncoder.stored(plan) == stored, "a plan is stored in two ways")
  }
}
