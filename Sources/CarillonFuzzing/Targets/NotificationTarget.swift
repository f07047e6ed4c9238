import CarillonJSON
import CarillonModel
import CarillonPlanner

enum NotificationTarget {
  static func check(_ bytes: [UInt8]) throws(Finding) {
    let notification: Notification
    do throws(JSONError) { notification = try Notification(parsing: bytes) } catch {
      return try expectPlace(error, in: bytes)
    }
    try roundTrip(notification)
    try content(notification.content)
    try HeadTarget.roundTrip(notification.head)
    try TriggerChecks.fires(of: notification.head)
  }

  static func roundTrip(_ notification: Notification) throws(Finding) {
    var writer = JSONWriter()
    notification.write(to: &writer)
    let again: Notification
    do throws(JSONError) { again = try Notification(parsing: writer.bytes) } catch {
      throw Finding("a notification cannot be read back: \(error)")
    }
    try expect(isSame(again, notification), "a notification reads back as another")
  }

  /// The order of an object's members and the spelling of a number say nothing, so contents compare canonically.
  static func isSame(_ left: Notification, _ right: Notification) -> Bool {
    left.head == right.head && left.content.canonicalBytes == right.content.canonicalBytes
  }

  private static func content(_ content: NotificationContent) throws(Finding) {
    let bytes = content.canonicalBytes
    let again = try? NotificationContent(canonical: bytes)
    try expect(again?.canonicalBytes == bytes, "a content reads back as another")
    let value = try? JSONValue(parsing: bytes)
    try expect(value?.canonicalBytes == bytes, "the canonical content is not canonical")
    let replaced = try? NotificationContent.replacingBadge(in: bytes, with: 7)
    var expected = content
    expected.badge = 7
    try expect(replaced == expected.canonicalBytes, "a badge put in afterwards stands elsewhere")
    try expect(expected.summary.hash == content.summary.hash, "the badge changes the content's hash")
  }
}
