import CarillonJSON

/// The one user that a device's credential is for: it serves the device while this user is there.
public struct BoundUser: Hashable, Sendable {
  /// As devices report it; empty: nobody is signed in.
  public let id: String

  public static let nobody = BoundUser(nil)

  /// - Parameter id: nil or empty: nobody.
  public init(_ id: String?) { self.id = id ?? "" }

  /// - Parameter reported: what a device says of its user; nil: it has said nothing, and nobody is there.
  public func isThere(_ reported: String?) -> Bool { (reported ?? "") == id }
}

extension BoundUser {
  /// Reads what a device could report as its user; empty: nobody.
  public init(from reader: inout JSONReader) throws(JSONError) {
    self.init(try reader.plainText(bytes: 0...DeviceInfo.longestText))
  }
}
