import CarillonClient
import CarillonModel
import Synchronization

/// A phone's notification center as small as can be: what it holds are numbers into a list that all phones share. The
/// memory of the SDK is to be measured, and not what iOS would hold in another process.
final class PocketCenter: NotificationCenterClient {
  private let pool: RequestPool
  private let held = Mutex<[RequestPool.Number]>([])

  init(_ pool: RequestPool) { self.pool = pool }

  func notificationSettings() async -> CenterSettings { pool.settings }

  func pendingRequests() async -> [CenterRequest] { pool.requests(held.withLock { $0 }) }

  func add(_ request: CenterRequest) async throws(CenterError) {
    let number = pool.number(of: request)
    held.withLock { held in
      held.removeAll { $0.id == number.id }
      held.append(number)
    }
  }

  func removePendingRequests(withIdentifiers ids: [NotificationID]) async {
    let leaving = Set(ids.map(pool.number))
    held.withLock { held in held.removeAll { leaving.contains($0.id) } }
  }

  func deliveredNotifications() async -> [DeliveredNotification] { [] }
}

/// Every request that any phone was given, once.
final class RequestPool: Sendable {
  struct Number {
    var id: Int32
    var request: Int32
  }

  private struct Revised: Hashable {
    var id: Int32
    var revision: String?
  }

  private struct State {
    var requests: [CenterRequest] = []
    var numbers: [Revised: Int32] = [:]
    var ids: [NotificationID: Int32] = [:]

    mutating func number(of id: NotificationID) -> Int32 {
      if let known = ids[id] { return known }
      let number = Int32(ids.count)
      ids[id] = number
      return number
    }
  }

  let settings: CenterSettings
  private let state = Mutex(State())

  init() {
    var settings = NotificationSettings()
    settings.alert = .enabled
    settings.sound = .enabled
    settings.badge = .enabled
    settings.lockScreen = .enabled
    settings.notificationCenter = .enabled
    self.settings = CenterSettings(authorizationStatus: .authorized, settings: settings)
  }

  func number(of id: NotificationID) -> Int32 { state.withLock { $0.number(of: id) } }

  func number(of request: CenterRequest) -> Number {
    state.withLock { state in
      let id = state.number(of: request.id)
      let revised = Revised(id: id, revision: request.revision)
      if let known = state.numbers[revised] { return Number(id: id, request: known) }
      let number = Int32(state.requests.count)
      state.requests.append(request)
      state.numbers[revised] = number
      return Number(id: id, request: number)
    }
  }

  func requests(_ numbers: [Number]) -> [CenterRequest] {
    state.withLock { state in numbers.map { state.requests[Int($0.request)] } }
  }
}
