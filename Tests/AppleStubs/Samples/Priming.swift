import CarillonClient
import Foundation
import UserNotifications

/// The app's own screen.
@MainActor final class PrimingScreen {
  func show() async -> Bool { true }
  func offerSettings() async {}
}

let screen = PrimingScreen()
let carillon = Carillon(
  configuration: .init(server: URL(string: "https://carillon.example.com")!),
  center: UserNotificationCenterClient(), credential: { device in device.text })

// sample: step
switch try await carillon.priming.record(action: "reminder.created").step {
case .showPrimer:
  // The app's own screen, and what was said there.
  try await carillon.record(.primingShown)
  let accepted = await screen.show()
  try await carillon.record(accepted ? .primingAccepted : .primingPostponed)
  if accepted { try await showDialog() }
case .showDialog: try await showDialog()
case .requestProvisional:
  _ = try await UNUserNotificationCenter.current().requestAuthorization(options: [.alert, .provisional])
  try await carillon.settingsDidChange()
case .openSettings: await screen.offerSettings()
case .wait, .none: break
}
// end

// sample: dialog
func showDialog() async throws {
  _ = try await UNUserNotificationCenter.current().requestAuthorization(options: [.alert, .sound, .badge])
  try await carillon.record(.dialogShown)
}
// end
