import CarillonModel

extension NotificationID {
  /// The id of one occurrence of a repeating notification, e.g. `standup@20260103T0900`.
  func occurrence(atWall wall: Int) -> NotificationID {
    let day = Civil.floorDivide(wall, Civil.secondsPerDay)
    let date = Civil.date(day)
    let time = wall - day * Civil.secondsPerDay
    let second = time % 60
    let length = text.utf8.count
    let occurrence = String(unsafeUninitializedCapacity: length + 16) { buffer in
      var end = 0
      for byte in text.utf8 {
        buffer[end] = byte
        end += 1
      }
      func put(_ value: Int, _ digits: Int) {
        var rest = value
        for place in stride(from: end + digits - 1, through: end, by: -1) {
          buffer[place] = UInt8(ascii: "0") + UInt8(rest % 10)
          rest /= 10
        }
        end += digits
      }
      buffer[end] = UInt8(ascii: "@")
      end += 1
      put(date.year, 4)
      put(date.month, 2)
      put(date.day, 2)
      buffer[end] = UInt8(ascii: "T")
      end += 1
      put(time / 3600, 2)
      put(time / 60 % 60, 2)
      if second != 0 { put(second, 2) }
      return end
    }
    return NotificationID(unchecked: occurrence)
  }
}

extension Frame {
  /// An id that planning makes, kept apart from those that somebody gave: two requests under one id would replace
  /// each other on the device.
  func made(_ id: NotificationID) -> NotificationID {
    var made = id
    while lookalikes.contains(made) { made = NotificationID(unchecked: made.text + "~") }
    return made
  }
}
