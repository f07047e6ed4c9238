/// What the app has beside.
struct Session {
  func deviceToken(for device: DeviceID) async throws -> String { device.text }
}

let session = Session()

// sample: make
import CarillonClient
import Foundation

let carillon = Carillon(
  configuration: .init(server: URL(string: "https://carillon.example.com")!),
  center: UserNotificationCenterClient(),
  credential: { device in try await session.deviceToken(for: device) })
// end

// sample: schedule
try await carillon.schedule(
  .init(
    id: "habit.stretch",
    content: NotificationContent(title: "Stretch", body: "Two minutes are enough."),
    trigger: .calendar(CalendarTrigger(components: .init(hour: 8, minute: 0), repeats: true))))

try await carillon.cancel("habit.run")
// end

// sample: sync
let outcome = try await carillon.sync()
let slots = outcome.slots
print("holding \(slots.held), \(slots.queued) wait until \(outcome.refreshBy, default: "further notice")")
// end

// sample: listen
for await event in carillon.events {
  switch event.kind {
  case .drifted(let dropped, _): print("iOS dropped \(dropped); the next sync puts them back")
  case .refused(let item): print("\(item.id ?? "?") was not taken: \(item.error.detail)")
  case .noticed(let notice): print("\(notice)")
  default: break
  }
}
// end
