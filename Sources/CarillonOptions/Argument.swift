/// What follows the options of a command: one word, one that may be missing, or all the rest.
///
///     let tenant = Argument.required("TENANT", "Name or id of the tenant.")
///     … values[tenant]
public struct Argument<Value: Sendable>: Sendable, AnyArgument {
  public let declaration: ArgumentDeclaration
  let read: @Sendable ([String]) -> Value
}

public struct ArgumentDeclaration: Sendable, Hashable {
  public enum Count: Sendable, Hashable { case one, atMostOne, any }
  /// As it stands in help, in capitals.
  public var name: String
  public var help: String
  public var count: Count
}

/// An ``Argument`` of any value, as commands list them. Only the last may be absent or many.
public protocol AnyArgument: Sendable {
  var declaration: ArgumentDeclaration { get }
}

extension Argument where Value == String {
  public static func required(_ name: String, _ help: String) -> Self {
    Argument(declaration: ArgumentDeclaration(name: name, help: help, count: .one)) { $0[0] }
  }
}

extension Argument where Value == String? {
  public static func optional(_ name: String, _ help: String) -> Self {
    Argument(declaration: ArgumentDeclaration(name: name, help: help, count: .atMostOne)) { $0.first }
  }
}

extension Argument where Value == [String] {
  public static func rest(_ name: String, _ help: String) -> Self {
    Argument(declaration: ArgumentDeclaration(name: name, help: help, count: .any)) { $0 }
  }
}
