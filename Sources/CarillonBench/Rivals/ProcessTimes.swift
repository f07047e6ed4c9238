import Foundation

/// CPU time that processes have used, from /proc.
enum ProcessTimes {
  /// Seconds of a process and all its descendants.
  static func seconds(of root: Int32) -> Double {
    let parents = all()
    var family: Set<Int32> = [root]
    var grew = true
    while grew {
      grew = false
      for (child, entry) in parents where family.contains(entry.parent) && !family.contains(child) {
        family.insert(child)
        grew = true
      }
    }
    return family.reduce(0) { $0 + (parents[$1]?.seconds ?? 0) }
  }

  /// Seconds of a process alone.
  static func ownSeconds(of process: Int32) -> Double { read(process)?.seconds ?? 0 }

  /// KiB in memory.
  static func residentKiB(of process: Int32) -> Int {
    let text = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
    return text.firstMatch(of: /VmRSS:\s*(\d+)/).flatMap { Int($0.output.1) } ?? 0
  }

  private static func all() -> [Int32: (parent: Int32, seconds: Double)] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    var table: [Int32: (parent: Int32, seconds: Double)] = [:]
    for name in names {
      if let identifier = Int32(name), let entry = read(identifier) { table[identifier] = entry }
    }
    return table
  }

  private static func read(_ process: Int32) -> (parent: Int32, seconds: Double)? {
    guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
      let close = text.lastIndex(of: ")")
    else { return nil }
    let fields = text[text.index(after: close)...].split(separator: " ")
    guard fields.count > 14, let parent = Int32(fields[1]), let user = Double(fields[11]),
      let system = Double(fields[12])
    else { return nil }
    return (parent, (user + system) / Double(sysconf(Int32(_SC_CLK_TCK))))
  }
}
