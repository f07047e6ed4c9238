import CarillonModel
import CarillonStore

/// The counters of one day as its parts come in.
struct ReportTally {
  private struct Place: Hashable {
    var type: String
    var cohort: String
  }

  private var counts: [ReportSubject: [Place: ReportCounts]] = [:]

  private static let indices: [ReportSubject: [String: Int]] = Dictionary(
    uniqueKeysWithValues: ReportSubject.allCases.map { subject in
      (
        subject,
        Dictionary(uniqueKeysWithValues: subject.measures.enumerated().map { ($0.element, $0.offset) })
      )
    })

  /// A measure that this version does not know is left out.
  mutating func add(_ count: ReportPart.Count) {
    guard let index = Self.indices[count.subject]?[count.measure] else { return }
    counts[count.subject, default: [:]][
      Place(type: count.type, cohort: count.cohort), default: ReportCounts()][
        index] += count.count
  }

  /// By type and cohort.
  func rows(of day: CivilDate) -> [ReportSubject: [ReportRow]] {
    counts.reduce(into: [:]) { rows, entry in
      rows[entry.key] = Self.bounded(entry.key, entry.value).map { place, counts in
        ReportRow(day: day, type: place.type, cohort: place.cohort, counts: counts)
      }.sorted { ($0.type, $0.cohort) < ($1.type, $1.cohort) }
    }
  }

  /// At most ``ReportLimits/values`` types and as many cohorts, and of fatigue of each grouping.
  private static func bounded(_ subject: ReportSubject, _ counts: [Place: ReportCounts])
    -> [Place: ReportCounts]
  {
    var types: [String: Int] = [:]
    var cohorts: [String: [String: Int]] = [:]
    for (place, counts) in counts {
      let weight = counts.values.reduce(0, +)
      types[place.type, default: 0] += weight
      cohorts[subject == .fatigue ? place.type : "", default: [:]][place.cohort, default: 0] += weight
    }
    let (fewTypes, fewCohorts) = (commonest(types), cohorts.mapValues(commonest))
    return counts.reduce(into: [:]) { bounded, entry in
      let (place, counts) = entry
      let common = fewCohorts[subject == .fatigue ? place.type : ""] ?? []
      let type = fewTypes.contains(place.type) ? place.type : ReportLimits.others
      let cohort = common.contains(place.cohort) ? place.cohort : ReportLimits.others
      bounded[Place(type: type, cohort: cohort), default: ReportCounts()] += counts
    }
  }

  private static func commonest(_ weights: [String: Int]) -> Set<String> {
    guard weights.count > ReportLimits.values else { return Set(weights.keys) }
    let ranked = weights.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    return Set(ranked.prefix(ReportLimits.values - 1).map(\.key))
  }
}
