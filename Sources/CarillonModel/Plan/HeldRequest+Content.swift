import CarillonJSON

extension HeldRequest {
  /// The content the device is to show: as put, with the badge that its place in the plan gives it and, for a
  /// digest, the number of its members as `userInfo.count`.
  ///
  /// - Parameter stored: the canonical content of the queue's entry ``source``.
  public func content(from stored: [UInt8]) throws(JSONError) -> [UInt8] {
    let numbered = try NotificationContent.replacingBadge(in: stored, with: badge)
    guard let digestCount, case .object(var members) = try JSONValue(parsing: numbered) else {
      return numbered
    }
    let count = JSONMember("count", .number(String(digestCount)))
    var userInfo = [count]
    if let place = members.firstIndex(where: { $0.name == "userInfo" }) {
      userInfo += (members[place].value.object ?? []).filter { $0.name != "count" }
      members.remove(at: place)
    }
    members.append(JSONMember("userInfo", .object(userInfo)))
    return JSONValue.object(members).canonicalBytes
  }
}
