/// What the app has beside.
struct Session {
  func deviceToken(for device: DeviceID) async throws -> String { device.text }
}

let session = Session()

// sample: readme
import CarillonClient
import Foundation

let carillon = Carillon(
  configuration: .init(server: URL(string: "https://carillon.example.com")!),
  center: UserNotificationCenterClient(),
  credential: { device in try await session.deviceToken(for: device) })

try await carillon.schedule(
  .init(
    id: "habit.1",
    content: NotificationContent(title: "Stretch", body: "Two minutes are enough."),
    trigger: .calendar(CalendarTrigger(components: .init(hour: 8, minute: 0), repeats: true))))
let outcome = try await carillon.sync()
let slots = outcome.slots
print("holding \(slots.held), \(slots.queued) wait until \(outcome.refreshBy, default: "further notice")")
// end
