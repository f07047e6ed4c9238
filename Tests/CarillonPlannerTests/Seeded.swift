import Foundation

/// Random numbers that a printed seed brings back (SplitMix64).
struct Seeded: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }

  mutating func pick<Element>(_ elements: [Element]) -> Element { elements.randomElement(using: &self)! }

  /// The seed of the ordinary run, whose cases are the same each time: what it finds was brought by the change.
  private static let ordinary: UInt64 = 20_261_130

  /// A new seed for each run with `CARILLON_LONG`, which looks for what nobody has seen yet, or that of
  /// `CARILLON_SEED` to see a failure again; printed with the test's name.
  static func announced(_ test: String) -> UInt64 {
    let given = ProcessInfo.processInfo.environment["CARILLON_SEED"].flatMap { UInt64($0) }
    let seed = given ?? (isLong ? UInt64.random(in: 0...999_999_999) : ordinary)
    print("\(test): CARILLON_SEED=\(seed)")
    return seed
  }

  /// Whether the run may take minutes.
  static var isLong: Bool { ProcessInfo.processInfo.environment["CARILLON_LONG"] != nil }

  /// How many random cases: `CARILLON_LONG` multiplies them by fifty.
  static func count(_ normal: Int) -> Int {
    isLong ? normal * 50 : normal
  }
}
