import CarillonJSON

extension Problem {
  /// What reading a body found, in the words of the wire.
  ///
  /// Not JSON, nested too deep, too many values, or another kind of value than belongs there: 400
  /// `invalidJSON`, whose detail names the byte. Too long: 413. Read well, but says something impossible: 422
  /// `validationFailed`. In each case the one entry of `errors` has the pointer.
  public init(_ error: JSONError) {
    let entry = FieldError(error)
    switch error.code {
    case JSONError.byteLimit: self.init(.bodyTooLarge, "The body has \(error.detail).")
    case JSONError.invalidJSON, JSONError.depthLimit, JSONError.valueLimit, JSONError.unexpectedType:
      self.init(
        .invalidJSON, "At byte \(error.offset)\(Self.place(error)): \(error.detail).", errors: [entry])
    default:
      self.init(
        .validationFailed, "Nothing was changed\(Self.place(error)): \(error.detail).", errors: [entry])
    }
  }

  private static func place(_ error: JSONError) -> String {
    error.pointer.isEmpty ? "" : " (\(error.pointer))"
  }
}

extension FieldError {
  public init(_ error: JSONError) {
    self.init(pointer: error.pointer, code: error.code, detail: error.detail)
  }
}
