#if LIBFUZZER
  import Glibc

  /// The target of this process, from `CARILLON_FUZZ_TARGET`.
  private let target: FuzzTarget = {
    let name = getenv("CARILLON_FUZZ_TARGET").map { String(cString: $0) } ?? ""
    guard let target = FuzzTarget(rawValue: name) else {
      fatalError("CARILLON_FUZZ_TARGET is \"\(name)\"; there are \(FuzzTarget.allCases.map(\.rawValue))")
    }
    return target
  }()

  /// What libFuzzer calls with each input.
  @_cdecl("LLVMFuzzerTestOneInput")
  public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let finding = target.check(Array(UnsafeBufferPointer(start: bytes, count: count)))
    if let finding { fatalError("\(target.rawValue): \(finding)") }
    return 0
  }
#endif
