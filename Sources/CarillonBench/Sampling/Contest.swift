/// Two ways to do the same work, in turn: ours, the rival's, ours, …
struct Contest {
  var ours: Measurement
  var rival: Measurement
  private let work: () -> Int
  private let rivalWork: () -> Int
  private let scale: Double

  /// - Parameters:
  ///   - name: of the work.
  ///   - rival: what the other way is called.
  ///   - scale: what a nanosecond for one call is in the unit.
  init(
    _ name: String, rival: String, unit: String, scale: Double, ours work: @escaping () -> Int,
    rival rivalWork: @escaping () -> Int
  ) {
    self.scale = scale
    ours = Measurement(name: name, unit: unit, values: [])
    self.rival = Measurement(name: "\(name), \(rival)", unit: unit, values: [])
    self.work = work
    self.rivalWork = rivalWork
  }

  mutating func round(_ sampler: Sampler) {
    ours.values.append(sampler.nanoseconds(work) * scale)
    rival.values.append(sampler.nanoseconds(rivalWork) * scale)
  }

  var rows: [Measurement] { [ours, rival, .ratio("\(ours.name), times faster", rival, ours)] }
}
