import CarillonAPI

/// What the SDK reads: an answer, or what stands in its place.
enum ResponseTarget {
  static func check(_ bytes: [UInt8]) throws(Finding) {
    // Whatever came, a failure has words.
    let problem = ReceivedProblem(status: 503, body: bytes)
    try expect(problem.status == 503, "a problem's body overrules its status: \(problem.status)")
    guard let response = try? SyncResponse(bytes) else { return }
    let json = response.json
    let again = try? SyncResponse(json)
    try expect(again?.json == json, "an answer reads back as another")
  }
}
