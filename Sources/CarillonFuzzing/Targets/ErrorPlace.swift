import CarillonJSON

/// An error says what is wrong, and where in the document.
func expectPlace(_ error: JSONError, in bytes: [UInt8]) throws(Finding) {
  try expect((0...bytes.count).contains(error.offset), "the error points beyond the document: \(error)")
  try expect(!error.code.isEmpty && !error.detail.isEmpty, "an error without words")
}
