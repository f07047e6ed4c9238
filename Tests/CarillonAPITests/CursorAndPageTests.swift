import CarillonAPI
import CarillonJSON
import CarillonModel
import TestSupport
import Testing

@Suite struct CursorTests {
  @Test(arguments: [
    "", "3", "8d3f6f2e-52d4-4f29-9c9b-0c3c8a1c1a11", "é/🔔", String(repeating: "x", count: 128),
  ])
  func readsBack(key: String) throws {
    let cursor = Cursor(list: .notifications, key: key)
    #expect(cursor.text.utf8.count <= Cursor.maxTextBytes)
    #expect(cursor.text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") })
    #expect(try Cursor(cursor.text, of: .notifications) == cursor)
  }

  @Test func tamperedCutOrForeignOnesAreRefused() throws {
    let text = Cursor(list: .devices, key: "8d3f6f2e-52d4-4f29-9c9b-0c3c8a1c1a11").text
    #expect(throws: Problem.self) { try Cursor(text, of: .notifications) }
    for length in 0..<text.count {
      #expect(throws: Problem.self) { try Cursor(String(text.prefix(length)), of: .devices) }
    }
    for index in text.indices {
      for character in ["A", "z", "0", "-", "=", "é"] where String(text[index]) != character {
        let forged = text.replacingCharacter(at: index, with: character)
        #expect(throws: Problem.self, "\(forged)") { try Cursor(forged, of: .devices) }
      }
    }
    #expect(throws: Problem.self) { try Cursor(text + "A", of: .devices) }
    #expect(throws: Problem.self) { try Cursor(text + "=", of: .devices) }
  }
}

extension String {
  fileprivate func replacingCharacter(at index: Index, with text: String) -> String {
    String(self[..<index]) + text + String(self[self.index(after: index)...])
  }
}

@Suite struct PageTests {
  @Test func hasItsShapeAndReadsBack() throws {
    for page in [
      Page(items: [1, 2], nextCursor: "abc"), Page(items: [], nextCursor: nil),
    ] {
      var writer = JSONWriter()
      page.write(to: &writer) { $1.int($0) }
      let text = String(decoding: writer.bytes, as: UTF8.self)
      #expect(
        text
          == (page.items.isEmpty
            ? #"{"items":[],"nextCursor":null}"# : #"{"items":[1,2],"nextCursor":"abc"}"#))
      let read = try JSONReader.read(writer.bytes) { (reader) throws(JSONError) in
        try Page<Int>(from: &reader) { (reader) throws(JSONError) in try reader.int() }
      }
      #expect(read == page)
    }
  }

  @Test func linksToItsNextPage() throws {
    let next = Cursor(list: .devices, key: "k").text
    let page = Page(items: [1], nextCursor: next)
    let route = Route.listDevices(PageRequest(limit: 7, cursor: Cursor(list: .devices, key: "before")))
    #expect(page.link(route) == "</v1/devices?limit=7&cursor=\(next)>; rel=\"next\"")
    #expect(Page(items: [1], nextCursor: nil).link(route) == nil)
    #expect(page.link(.getHealth) == nil)
  }
}
