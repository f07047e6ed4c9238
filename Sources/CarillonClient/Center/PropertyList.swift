import CarillonJSON

extension JSONValue {
  /// As `userInfo` holds it: a property list, which has no null. Such members are left out.
  var propertyList: (any Sendable)? {
    switch self {
    case .null: return nil
    case .bool(let value): return value
    case .number(let text):
      if let whole = Int(text) { return whole }
      return Double(text)
    case .string(let text): return text
    case .array(let items): return items.compactMap(\.propertyList)
    case .object(let members):
      return Dictionary(
        members.compactMap { member in member.value.propertyList.map { (member.name, $0) } },
        uniquingKeysWith: { _, last in last })
    }
  }
}
