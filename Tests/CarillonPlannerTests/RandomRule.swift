/// Recurrence rules of every shape that is accepted.
enum RandomRule {
  private static let weekdays = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]

  private static func list(_ most: Int, _ random: inout Seeded, _ number: (inout Seeded) -> Int) -> String {
    var numbers: Set<Int> = []
    for _ in 0..<Int.random(in: 1...most, using: &random) { numbers.insert(number(&random)) }
    return numbers.sorted().map(String.init).joined(separator: ",")
  }

  private static func signed(_ range: ClosedRange<Int>, _ random: inout Seeded) -> Int {
    Int.random(in: range, using: &random) * (random.chance(30) ? -1 : 1)
  }

  /// - Parameter agreeing: leaves out what `dateutil` reads in its own way: weeks over a year's end, and BYDAY that
  ///   mixes weekdays with and without a number; BYSETPOS in the week of the start, of which it sees the rest only; and most of what it looks for without end.
  static func any(_ random: inout Seeded, agreeing: Bool = false) -> String {
    let frequency = random.pick(["YEARLY", "MONTHLY", "MONTHLY", "WEEKLY", "DAILY", "HOURLY", "MINUTELY"])
    let isSubdaily = frequency == "HOURLY" || frequency == "MINUTELY"
    var parts = ["FREQ=\(frequency)"]
    if random.chance(50) {
      let most = frequency == "MINUTELY" ? 2_000 : frequency == "HOURLY" ? 60 : 5
      parts.append("INTERVAL=\(Int.random(in: 1...(random.chance(50) ? most : 5), using: &random))")
    }
    if random.chance(isSubdaily ? 10 : 30) {
      parts.append("BYMONTH=" + list(4, &random) { Int.random(in: 1...12, using: &$0) })
    }
    var hasDays = true
    switch (frequency, Int.random(in: 0..<6, using: &random)) {
    case ("YEARLY", 0):
      parts.append(
        "BYWEEKNO=" + list(3, &random) { Int.random(in: agreeing ? 2...51 : -53 ... -1, using: &$0) })
    case ("YEARLY", 1), ("HOURLY", 1): parts.append("BYYEARDAY=" + list(4, &random) { signed(1...366, &$0) })
    case ("YEARLY", 2), ("MONTHLY", 2), ("MONTHLY", 1):
      let days = (0..<2).map { _ in
        (agreeing || random.chance(70) ? "\(signed(1...5, &random))" : "") + random.pick(weekdays)
      }
      parts.append("BYDAY=" + days.joined(separator: ","))
    case ("YEARLY", 3), ("MONTHLY", 3), ("DAILY", 3), ("HOURLY", 3):
      parts.append("BYMONTHDAY=" + list(4, &random) { signed(1...31, &$0) })
    case (_, 4), ("WEEKLY", _):
      parts.append("BYDAY=" + Set((0..<3).map { _ in random.pick(weekdays) }).sorted().joined(separator: ","))
    default: hasDays = false
    }
    if random.chance(30) { parts.append("WKST=\(random.pick(weekdays))") }
    var hasTimes = false
    if random.chance(30) {
      parts.append("BYHOUR=" + list(3, &random) { Int.random(in: 0...23, using: &$0) })
      hasTimes = true
    }
    if random.chance(20) {
      parts.append("BYMINUTE=" + list(3, &random) { Int.random(in: 0...59, using: &$0) })
      hasTimes = true
    }
    if random.chance(15) {
      parts.append("BYSECOND=\(Int.random(in: 0...59, using: &random))")
      hasTimes = true
    }
    if hasDays || hasTimes, random.chance(30), !(agreeing && frequency == "WEEKLY") {
      // With one time in a period, only the first and the last can be chosen.
      let most = agreeing && (isSubdaily || frequency == "DAILY") ? 1 : 3
      parts.append("BYSETPOS=" + list(2, &random) { signed(1...most, &$0) })
    }
    switch Int.random(in: 0..<4, using: &random) {
    case 0: parts.append("COUNT=\(Int.random(in: 1...200, using: &random))")
    case 1: parts.append("UNTIL=20\(Int.random(in: 26...40, using: &random))0615T120000")
    default: break
    }
    return parts.joined(separator: ";")
  }

  /// Rules made to be slow: long lists, periods that share no divisor, days that hardly any year has, far counts.
  static func hostile(_ random: inout Seeded) -> String {
    let frequency = random.pick(["YEARLY", "MONTHLY", "WEEKLY", "DAILY", "HOURLY", "MINUTELY"])
    var parts = ["FREQ=\(frequency)"]
    if random.chance(70) {
      let interval = random.pick([
        2, 3, 7, 13, 61, 97, 365, 1_427, 1_439, 1_441, 4_999, 9_973,
        Int.random(in: 1...10_000, using: &random),
      ])
      parts.append("INTERVAL=\(interval)")
    }
    func add(_ name: String, _ chance: Int, _ lengths: [Int], _ number: (inout Seeded) -> Int) {
      guard random.chance(chance) else { return }
      parts.append("\(name)=" + list(random.pick(lengths), &random, number))
    }
    add("BYMONTH", 40, [1, 1, 12]) { Int.random(in: 1...12, using: &$0) }
    if frequency != "WEEKLY" {
      add("BYMONTHDAY", 40, [1, 1, 31]) { $0.pick([29, 30, 31, -31, -30, -29, signed(1...31, &$0)]) }
    }
    if ["YEARLY", "HOURLY", "MINUTELY"].contains(frequency) {
      add("BYYEARDAY", 20, [1, 1, 100]) { $0.pick([366, -366, signed(1...366, &$0)]) }
    }
    let hasWeeks = frequency == "YEARLY" && random.chance(20)
    if hasWeeks { add("BYWEEKNO", 100, [1, 1, 50]) { $0.pick([53, -53, signed(1...53, &$0)]) } }
    if random.chance(50) {
      let isNth = ["MONTHLY", "YEARLY"].contains(frequency) && !hasWeeks && random.chance(60)
      let days = (0..<random.pick([1, 2, 7, 120])).map { _ in
        (isNth ? "\(signed(1...(frequency == "YEARLY" ? 53 : 5), &random))" : "") + random.pick(weekdays)
      }
      parts.append("BYDAY=" + Set(days).sorted().joined(separator: ","))
    }
    add("BYHOUR", 40, [1, 1, 24]) { Int.random(in: 0...23, using: &$0) }
    add("BYMINUTE", 40, [1, 1, 60]) { Int.random(in: 0...59, using: &$0) }
    if parts.contains(where: { $0.hasPrefix("BY") }) {
      add("BYSETPOS", 40, [1, 2, 100]) { $0.pick([signed(1...366, &$0), signed(1...8, &$0)]) }
    }
    if random.chance(40) {
      parts.append("COUNT=\(random.pick([1, 3_660, Int.random(in: 1...3_660, using: &random)]))")
    } else if random.chance(20) {
      parts.append("UNTIL=\(Int.random(in: 2026...2199, using: &random))0615T120000Z")
    }
    return parts.joined(separator: ";")
  }
}
