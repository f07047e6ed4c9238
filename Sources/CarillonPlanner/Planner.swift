import CarillonModel

/// The planner: a pure function from what is wished and what is possible to what a device should hold.
public enum Planner {
  /// - Parameters:
  ///   - input: everything the plan depends on.
  ///   - zones: looks up the tables of zones that triggers name.
  public static func plan(_ input: PlanInput, zones: some ZoneLookup) -> PlanResult {
    PlanResult(plan: Plan(), diff: PlanDiff())
  }
}
