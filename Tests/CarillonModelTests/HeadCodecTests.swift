import CarillonJSON
import CarillonModel
import TestSupport
import Testing

@Suite("Stored heads")
struct HeadCodecTests {
  @Test(arguments: [UInt64.random(in: 0 ... .max), 1, 2])
  func headsReadBackEqual(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<2000 {
      let head = RandomModel.head(&random)
      let bytes = HeadCodec.encode(head)
      #expect(try HeadCodec.decode(bytes, id: head.id) == head, "seed \(seed)")
    }
  }

  /// The format is stored in databases: these bytes must read the same for ever.
  @Test func theFormatIsFixed() throws {
    let head = NotificationHead(
      id: NotificationID(unchecked: "n"), type: "ab",
      trigger: .calendar(
        CalendarTrigger(
          components: {
            var components = CalendarComponents()
            (components.hour, components.minute, components.year) = (8, 30, 2026)
            return components
          }(), repeats: true, timeZone: "UTC", onMissingDay: .lastDay)),
      needs: [.alert], inbox: true,
      summary: ContentSummary(
        hasText: true, hasSound: false, hasBadge: true, interruptionLevel: .timeSensitive,
        hash: 0x0102_0304_0506_0708))
    let bytes = HeadCodec.encode(head)
    let start: [UInt8] = [1, 165, 34, 8, 7, 6, 5, 4, 3, 2, 1]
    let end: [UInt8] = [2, 19, 0b0011_0001, 0, 0xEA, 0x07, 8, 30, 3, 0x55, 0x54, 0x43, 2, 0x61, 0x62]
    #expect(Array(bytes[..<11]) == start)
    #expect(Array(bytes[19...]) == end)
    #expect(try HeadCodec.decode(bytes, id: head.id) == head)
  }

  @Test func aPlainHeadIsShort() {
    var components = CalendarComponents()
    (components.hour, components.minute) = (8, 30)
    let head = NotificationHead(
      id: NotificationID(unchecked: "com.example.habitReminder.1"), type: "habit",
      trigger: .calendar(CalendarTrigger(components: components, repeats: true, timeZone: "Europe/Madrid")),
      summary: ContentSummary(
        hasText: true, hasSound: true, hasBadge: false, interruptionLevel: .active, hash: 1))
    #expect(HeadCodec.encode(head).count <= 60)
  }

  /// Damaged bytes are refused or give another head; nothing traps.
  @Test(arguments: [UInt64.random(in: 0 ... .max), 3])
  func damagedBytesNeverCrash(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let id = NotificationID(unchecked: "n")
    for _ in 0..<3000 {
      var bytes = HeadCodec.encode(RandomModel.head(&random))
      switch Int.random(in: 0..<3, using: &random) {
      case 0: bytes.removeLast(Int.random(in: 1...bytes.count, using: &random))
      case 1: bytes.append(UInt8.random(in: 0...255, using: &random))
      default:
        for _ in 0..<3 {
          bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
      }
      if let head = try? HeadCodec.decode(bytes, id: id) {
        // What is read can be written, and is then what it seems.
        let again = try? HeadCodec.decode(HeadCodec.encode(head), id: id)
        #expect(again == head, "seed \(seed)")
        _ = head.trigger.canonicalBytes
      }
    }
  }

  @Test func everyCutIsRefused() {
    var random = SeededGenerator(seed: 7)
    for _ in 0..<100 {
      let bytes = HeadCodec.encode(RandomModel.head(&random))
      for count in 0..<bytes.count {
        #expect(throws: StoredFormError.self) {
          try HeadCodec.decode(Array(bytes[..<count]), id: NotificationID(unchecked: "n"))
        }
      }
      #expect(throws: StoredFormError.self) {
        try HeadCodec.decode([2] + bytes.dropFirst(), id: NotificationID(unchecked: "n"))
      }
    }
  }

  @Test(arguments: [UInt64.random(in: 0 ... .max), 4])
  func triggersReadBackEqualAsJSON(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var count = 0
    for _ in 0..<2000 {
      let trigger = RandomModel.trigger(&random)
      guard case .success(let read) = decodeTrigger(canonicalText(trigger)) else { continue }
      count += 1
      #expect(read == trigger, "seed \(seed)")
      let value = try JSONValue(parsing: trigger.canonicalBytes)
      #expect(value.canonicalBytes == trigger.canonicalBytes, "seed \(seed)")
    }
    // Few random sets are impossible (a year without a 53rd week is not checked, a fifth weekday is).
    #expect(count > 1800, "seed \(seed)")
  }

  /// Documents damaged at random are read or refused, never more.
  @Test(arguments: [UInt64.random(in: 0 ... .max), 5])
  func damagedDocumentsNeverCrash(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let spare = Array(#"{}[],:"0123456789-+.eTZnulltrue\ "#.utf8)
    for _ in 0..<1500 {
      var text =
        #"{"id":"n","content":{"title":"T","badge":1,"userInfo":{"a":[1]}},"needs":["sound"],"trigger":"#
      text += canonicalText(RandomModel.trigger(&random)) + "}"
      var bytes = Array(text.utf8)
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let index = Int.random(in: 0..<bytes.count, using: &random)
        if Bool.random(using: &random) {
          bytes[index] = spare.randomElement(using: &random)!
        } else {
          bytes.remove(at: index)
        }
      }
      do throws(JSONError) {
        let notification = try Notification(parsing: bytes)
        #expect(!notification.content.canonicalBytes.isEmpty)
      } catch {
        #expect((0...bytes.count).contains(error.offset), "seed \(seed)")
        #expect(!error.code.isEmpty && !error.detail.isEmpty)
      }
    }
  }
}
