import CLinux
import Glibc
import Synchronization

/// glibc's `getopt_long` for one list of words: GNU order (options may follow operands), `--`, `--name=value`,
/// unambiguous abbreviations, bundled short flags.
enum Getopt {
  struct Parsed {
    /// Uses of options in the order they came: the index of the declaration, and the text of its value.
    var uses: [(declaration: Int, text: String?)] = []
    /// The words that are no options.
    var operands: [String] = []
  }

  /// - Parameters:
  ///   - declarations: the options known here.
  ///   - stopsAtOperand: whether everything from the first operand on is left for another look.
  ///   - command: stands before the problem in an error.
  static func parse(
    _ words: [String], declarations: [OptionDeclaration], stopsAtOperand: Bool, command: String
  ) throws(UsageError) -> Parsed {
    let table = COptionTable(words: [command] + words, declarations: declarations)
    let shorts = (stopsAtOperand ? "+:" : ":") + shortSpelling(declarations)
    var parsed = Parsed()
    var problem: UsageError?
    globals.withLock { _ in
      var restart: Int32 = 1
      while problem == nil {
        let match = clinux_next_option(table.count, table.words, shorts, table.options, restart)
        restart = 0
        switch match.code {
        case -1:
          parsed.operands = (match.next..<table.count).map { table.word($0) }
          return
        case Int32(UInt8(ascii: "?")):
          problem = unknown(match, in: table, declarations, command)
        case Int32(UInt8(ascii: ":")):
          let spelling = spelling(match.offender, declarations)
          let value = index(of: match.offender, declarations).flatMap { declarations[$0].value } ?? "value"
          problem = UsageError(command: command, problem: "\(spelling) wants a value: \(spelling) \(value)")
        default:
          guard let index = index(of: match.code, declarations) else {
            fatalError("getopt_long returned \(match.code), which no option has")
          }
          parsed.uses.append((index, match.argument.map { String(cString: $0) }))
        }
      }
    }
    if let problem { throw problem }
    return parsed
  }

  /// getopt_long keeps where it is in globals of the process.
  private static let globals = Mutex(())

  private static func shortSpelling(_ declarations: [OptionDeclaration]) -> String {
    declarations.compactMap { option in
      option.short.map { String($0) + (option.isFlag ? "" : ":") }
    }.joined()
  }

  private static func index(of code: Int32, _ declarations: [OptionDeclaration]) -> Int? {
    if code >= COptionTable.firstCode { return Int(code - COptionTable.firstCode) }
    return declarations.firstIndex { $0.short?.asciiValue.map(Int32.init) == code }
  }

  private static func spelling(_ code: Int32, _ declarations: [OptionDeclaration]) -> String {
    guard code < COptionTable.firstCode else {
      return "--\(declarations[Int(code - COptionTable.firstCode)].name)"
    }
    return "-\(Character(UnicodeScalar(UInt8(truncatingIfNeeded: code))))"
  }

  private static func unknown(
    _ match: clinux_option_match, in table: COptionTable, _ declarations: [OptionDeclaration],
    _ command: String
  ) -> UsageError {
    if match.offender >= COptionTable.firstCode {
      let name = spelling(match.offender, declarations)
      return UsageError(command: command, problem: "\(name) takes no value")
    }
    if match.offender != 0 {
      let name = spelling(match.offender, declarations)
      return UsageError(command: command, problem: "unknown option '\(name)'")
    }
    let word = table.word(match.next - 1)
    let name = String(word.drop { $0 == "-" }.prefix { $0 != "=" })
    let names = declarations.map(\.name)
    let candidates = names.filter { $0.hasPrefix(name) }
    if candidates.count > 1 {
      let list = candidates.map { "--\($0)" }.joined(separator: ", ")
      return UsageError(command: command, problem: "option '--\(name)' is ambiguous: \(list)")
    }
    return UsageError(
      command: command, problem: "unknown option '--\(name)'",
      suggestion: NearMiss.suggestion(for: name, among: names).map { "--\($0)" })
  }
}

/// The arrays getopt_long wants, owned for one parse.
private final class COptionTable {
  /// Above every character, so that long and short options cannot be taken for each other.
  static let firstCode: Int32 = 256

  let count: Int32
  /// Null-terminated; getopt_long reorders it.
  let words: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  let options: UnsafeMutablePointer<option>
  /// What to free: the reordering moves the pointers in `words`.
  private var copies: [UnsafeMutablePointer<CChar>?] = []

  init(words texts: [String], declarations: [OptionDeclaration]) {
    count = Int32(texts.count)
    words = .allocate(capacity: texts.count + 1)
    options = .allocate(capacity: declarations.count + 1)
    for (index, text) in texts.enumerated() {
      let copy = strdup(text)
      copies.append(copy)
      (words + index).initialize(to: copy)
    }
    (words + texts.count).initialize(to: nil)
    for (index, declaration) in declarations.enumerated() {
      let name = strdup(declaration.name)
      copies.append(name)
      (options + index).initialize(
        to: option(
          name: UnsafePointer(name), has_arg: declaration.isFlag ? no_argument : required_argument,
          flag: nil, val: Self.firstCode + Int32(index)))
    }
    (options + declarations.count).initialize(to: option())
  }

  deinit {
    for copy in copies { free(copy) }
    words.deallocate()
    options.deallocate()
  }

  func word(_ index: Int32) -> String {
    guard let word = words[Int(index)] else { fatalError("no word \(index)") }
    return String(cString: word)
  }
}
