import CarillonAPI
import CarillonJSON
import CarillonModel

extension Carillon {
  /// What this device is to hold.
  public struct Plan: Hashable, Sendable {
    public struct Entry: Hashable, Sendable {
      public var id: NotificationID
      /// Tells one version of a request from another.
      public var revision: String
      /// As the device is told to add it.
      public var trigger: Trigger
      public var content: NotificationContent
      /// Nil for a location.
      public var fireAt: Instant?
    }

    public enum Source: Hashable, Sendable {
      case server
      /// The server could not be reached: what was planned last, with what the app has asked for since.
      case device(CarillonError)
    }

    /// Locations first, then by fire.
    public var entries: [Entry]
    public var source: Source
  }

  /// What this device is to hold, with contents, triggers and times.
  ///
  ///     for entry in try await carillon.plan().entries { print(entry.fireAt, entry.content.title) }
  ///
  /// Asked from the server, which sends it again only when it has changed; what waits to be told is told first. Where the
  /// server cannot be reached it is this device's own plan, and ``Plan/source`` says so.
  ///
  /// - Throws: ``CarillonError/Code/refused`` with the problem `deviceNotFound` before the first sync.
  public func plan() async throws(CarillonError) -> Plan {
    do {
      if try await hasWishes() { try await sync() }
      return Plan(try await engine.askPlan(), from: .server)
    } catch {
      guard error.leavesPlanningToDevice, let plan = try await engine.localPlan() else { throw error }
      return Plan(plan, from: .device(error))
    }
  }
}

extension SyncEngine {
  /// The plan the server has for this device.
  fileprivate func askPlan() async throws(CarillonError) -> TaggedPlan {
    let device = try await loaded().deviceId
    let known = askedPlan?.device == device ? askedPlan?.plan : nil
    let answer = try await link.send(
      .getPlan(device, wait: nil), body: nil,
      headers: known.map { [TransportHeader("If-None-Match", $0.tag)] } ?? [], from: device)
    if answer.status == 304 {
      guard let known else { throw CarillonError.unasked304 }
      return known
    }
    let plan = try TaggedPlan(answer)
    askedPlan = (device, plan)
    return plan
  }
}

extension Carillon.Plan {
  fileprivate init(_ tagged: TaggedPlan, from source: Source) {
    entries = tagged.plan.held.compactMap { held in
      guard let bytes = tagged.contents[held.id],
        let content = try? NotificationContent(canonical: bytes)
      else { return nil }
      return Entry(
        id: held.id, revision: held.revision, trigger: held.trigger, content: content, fireAt: held.fireAt)
    }
    self.source = source
  }

  fileprivate init(_ local: LocalPlan, from source: Source) {
    entries = local.held.compactMap { held in
      guard let content = try? NotificationContent(canonical: held.content) else { return nil }
      return Entry(
        id: held.id, revision: held.revision, trigger: held.trigger, content: content, fireAt: held.fireAt)
    }
    self.source = source
  }
}
