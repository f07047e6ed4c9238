import CarillonAPI
import CarillonHTTP
import CarillonJSON
import CarillonModel
import CarillonService
import CarillonStore

extension InboxService {
  /// `GET /v1/devices/{deviceId}/inbox`
  func list(
    _ call: Call, device: DeviceID, page request: PageRequest, state: InboxState, route: Route
  ) async throws(Problem) -> HTTPResponse {
    let place = request.cursor?.inboxPlace.map { InboxPlace(at: $0.at, key: $0.key) }
    let found = try await serving { () async throws(ServiceError) -> Page in
      try await self.page(
        tenant: call.tenant, device: device, user: call.principal.user, state: state, after: place,
        limit: request.limit, now: call.now)
    }
    let next = found.next.map { Cursor(inboxAt: $0.at, $0.key).text }
    let answer = InboxPage(items: found.items, nextCursor: next, unread: found.unread)
    // The page knows no more of the items than where they end.
    let link = CarillonAPI.Page<InboxItem>(items: [], nextCursor: next).link(route)
    return .json(200, link.map { [(name: "Link", value: $0)] } ?? []) { answer.write(to: &$0) }
  }

  /// `POST /v1/devices/{deviceId}/inbox/{read|seen|archive|snooze}`
  func mark(
    _ call: Call, device: DeviceID, _ mark: Route.InboxMark
  ) async throws(Problem) -> HTTPResponse {
    let request = try reading { () throws(JSONError) in try ReceivedInboxMark(call.body, mark: mark) }
    let unread = try await serving { () async throws(ServiceError) -> Int in
      try await self.mark(
        InboxMarking(mark, until: request.until), InboxTargets(request), tenant: call.tenant, device: device,
        user: call.principal.user, keeping: call.unreadDraft, now: call.now)
    }
    return .json(200, UnreadCount(unread).json)
  }
}

extension InboxMarking {
  fileprivate init(_ mark: Route.InboxMark, until: Instant?) {
    switch mark {
    case .read: self = .read
    case .seen: self = .seen
    case .archive: self = .archive
    case .snooze: self = .snooze(until: until)
    }
  }
}

extension InboxTargets {
  fileprivate init(_ request: ReceivedInboxMark) {
    if let before = request.before { self = .before(before) } else { self = .items(request.keys ?? []) }
  }
}

extension Call {
  /// The number is known with the effect: it goes between the two ends of its document.
  fileprivate var unreadDraft: AnswerDraft? {
    guard let once else { return nil }
    let whole = UnreadCount(0).json
    let place = whole.lastIndex(of: UInt8(ascii: "0")) ?? whole.endIndex
    return AnswerDraft(
      key: once.key, answer: KeptAnswer(status: 200, body: Array(whole[..<place])),
      tail: Array(whole[(place + 1)...]), now: now)
  }
}
