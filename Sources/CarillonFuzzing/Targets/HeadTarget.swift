import CarillonModel

enum HeadTarget {
  private static let id = NotificationID(unchecked: "n")

  static func check(_ bytes: [UInt8]) throws(Finding) {
    guard let head = try? HeadCodec.decode(bytes, id: id) else { return }
    try roundTrip(head)
    try TriggerChecks.fires(of: head)
  }

  static func roundTrip(_ head: NotificationHead) throws(Finding) {
    let bytes = HeadCodec.encode(head)
    let again = try? HeadCodec.decode(bytes, id: head.id)
    try expect(again == head, "a head reads back as another: \(head)")
    for count in 0..<bytes.count {
      try expect((try? HeadCodec.decode(Array(bytes[..<count]), id: head.id)) == nil, "a cut head is read")
    }
  }
}
