import CarillonFuzzing
import Glibc

// Under libFuzzer its own main is used, see deploy/fuzz.
#if !LIBFUZZER
  /// `carillon-fuzz TARGET FILE…`: gives saved inputs to a target again, in a build that a debugger understands.
  @main struct Replay {
    static func main() {
      let arguments = CommandLine.arguments.dropFirst()
      guard let target = arguments.first.flatMap({ FuzzTarget(rawValue: $0) }), arguments.count > 1 else {
        print("Usage: carillon-fuzz TARGET FILE…\nTargets: \(FuzzTarget.allCases.map(\.rawValue))")
        exit(2)
      }
      var found = false
      for path in arguments.dropFirst() {
        guard let bytes = InputFile.bytes(of: path) else {
          print("\(path): cannot be read")
          exit(2)
        }
        var finding: Finding?
        let time = ContinuousClock().measure { finding = target.check(bytes) }
        found = found || finding != nil
        print("\(path): \(finding?.description ?? "all is well"), in \(time)")
      }
      exit(found ? 1 : 0)
    }
  }
#endif
