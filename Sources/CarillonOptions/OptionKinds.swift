extension Option where Value == Bool {
  /// A flag, false unless given. In the environment and the file: `true`, `false`, `1` or `0`.
  public static func flag(_ name: String, short: Character? = nil, _ help: String) -> Self {
    Option(OptionDeclaration(name: name, short: short, value: nil, help: help)) {
      texts throws(InvalidValue) in
      switch texts.last {
      case nil, "false", "0": false
      case "true", "1": true
      default: throw InvalidValue("true or false is wanted")
      }
    }
  }
}

extension Option where Value == String {
  public static func text(
    _ name: String, short: Character? = nil, value: String, default defaultText: String, _ help: String
  ) -> Self {
    custom(name, short: short, value: value, default: defaultText, help) { text in text }
  }

  /// A text without which the command cannot run.
  public static func required(
    _ name: String, short: Character? = nil, value: String, _ help: String
  ) -> Self {
    var declaration = OptionDeclaration(name: name, short: short, value: value, help: help)
    declaration.isRequired = true
    return Option(declaration) { $0.last! }
  }
}

extension Option where Value == String? {
  public static func text(
    _ name: String, short: Character? = nil, value: String, _ help: String
  ) -> Self {
    custom(name, short: short, value: value, help) { text in text }
  }
}

extension Option where Value == [String] {
  /// May be given several times; each use adds one. In the environment: separated by commas.
  public static func texts(
    _ name: String, short: Character? = nil, value: String, choices: [String] = [], _ help: String
  ) -> Self {
    var declaration = OptionDeclaration(name: name, short: short, value: value, help: help)
    declaration.repeats = true
    declaration.choices = choices
    return Option(declaration) { texts throws(InvalidValue) in
      for text in texts where !choices.isEmpty && !choices.contains(text) {
        throw InvalidValue.noChoice(text, choices)
      }
      return texts
    }
  }
}

extension Option where Value == Int {
  public static func integer(
    _ name: String, short: Character? = nil, value: String, in range: ClosedRange<Int>,
    default number: Int, _ help: String
  ) -> Self {
    custom(name, short: short, value: value, default: String(number), help) {
      text throws(InvalidValue) in try InvalidValue.integer(text, range)
    }
  }
}

extension Option where Value == Int? {
  public static func integer(
    _ name: String, short: Character? = nil, value: String, in range: ClosedRange<Int>, _ help: String
  ) -> Self {
    custom(name, short: short, value: value, help) {
      text throws(InvalidValue) in try InvalidValue.integer(text, range)
    }
  }
}

extension Option where Value: RawRepresentable<String> & CaseIterable & Sendable {
  /// One of the cases, by raw value.
  public static func choice(
    _ name: String, short: Character? = nil, value: String, default choice: Value, _ help: String
  ) -> Self {
    let choices = Value.allCases.map(\.rawValue)
    var option = custom(name, short: short, value: value, default: choice.rawValue, help) {
      text throws(InvalidValue) in
      guard let value = Value(rawValue: text) else { throw InvalidValue.noChoice(text, choices) }
      return value
    }
    option.declaration.choices = choices
    return option
  }
}

extension Option {
  /// A value of any type, with a default given as text.
  public static func custom(
    _ name: String, short: Character? = nil, value: String, default defaultText: String, _ help: String,
    read: @escaping @Sendable (String) throws(InvalidValue) -> Value
  ) -> Self {
    var declaration = OptionDeclaration(name: name, short: short, value: value, help: help)
    declaration.defaultText = defaultText
    return Option(declaration) { texts throws(InvalidValue) in try read(texts.last ?? defaultText) }
  }

  /// A value of any type, nil unless given.
  public static func custom<Wrapped: Sendable>(
    _ name: String, short: Character? = nil, value: String, _ help: String,
    read: @escaping @Sendable (String) throws(InvalidValue) -> Wrapped
  ) -> Self where Value == Wrapped? {
    Option(OptionDeclaration(name: name, short: short, value: value, help: help)) {
      texts throws(InvalidValue) in
      guard let text = texts.last else { return nil }
      return try read(text)
    }
  }
}

extension InvalidValue {
  static func integer(_ text: String, _ range: ClosedRange<Int>) throws(InvalidValue) -> Int {
    guard let number = Int(text), range.contains(number) else {
      throw InvalidValue("a number from \(range.lowerBound) to \(range.upperBound) is wanted")
    }
    return number
  }

  static func noChoice(_ text: String, _ choices: [String]) -> InvalidValue {
    let near = NearMiss.suggestion(for: text, among: choices).map { "; did you mean '\($0)'?" } ?? ""
    return InvalidValue("\(choices.joined(separator: ", ")) are possible\(near)")
  }
}
