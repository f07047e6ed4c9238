import CarillonJSON

enum JSONTarget {
  static func check(_ bytes: [UInt8]) throws(Finding) {
    let limits = JSONLimits(refusesDuplicateNames: false)
    let skipped = Result { () throws(JSONError) in
      try JSONReader.read(bytes, limits: limits) { (reader) throws(JSONError) in try reader.skip() }
    }
    let read = Result { () throws(JSONError) in try JSONValue(parsing: bytes, limits: limits) }
    switch (skipped, read) {
    case (.success, .success(let value)): try roundTrip(value, limits)
    case (.failure(let first), .failure(let second)):
      try expect(first == second, "skipping says \(first), reading says \(second)")
      try expect((0...bytes.count).contains(first.offset), "the error points beyond the document: \(first)")
    default: throw Finding("skipping and reading disagree whether this is JSON")
    }
  }

  private static func roundTrip(_ value: JSONValue, _ limits: JSONLimits) throws(Finding) {
    let again = try? JSONValue(parsing: value.bytes, limits: limits)
    try expect(again == value, "what was written reads back as \(String(describing: again))")
    let canonical = value.canonicalBytes
    let canonicalAgain = (try? JSONValue(parsing: canonical, limits: limits))?.canonicalBytes
    try expect(canonicalAgain == canonical, "the canonical form is not canonical")
  }
}
