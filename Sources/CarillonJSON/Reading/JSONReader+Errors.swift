extension JSONReader {
  /// An error about the value last touched.
  public borrowing func error(code: String, detail: String) -> JSONError {
    JSONError(code: code, detail: detail, offset: place, pointer: pointer(to: place))
  }

  /// An error about a value that was read before: keep its ``place``.
  public borrowing func error(code: String, detail: String, at place: Int) -> JSONError {
    JSONError(code: code, detail: detail, offset: place, pointer: pointer(to: place))
  }

  /// An error about a member of the object last touched, known only after the object was looked at as a whole.
  /// - Parameter member: plain ASCII without `~` and `/`.
  public borrowing func error(code: String, detail: String, member: StaticString) -> JSONError {
    JSONError(code: code, detail: detail, offset: place, pointer: pointer(to: place) + "/\(member)")
  }

  /// For the `default` of a switch over names.
  public borrowing func unknownMember(_ name: JSONName) -> JSONError {
    error(
      code: JSONError.unknownMember, detail: "there is no member \"\(name.string)\" here; was it misspelt?")
  }

  /// After the object was read; the pointer is the object's.
  public borrowing func missingMember(_ name: StaticString) -> JSONError {
    error(code: JSONError.missingMember, detail: "the member \"\(name)\" is missing")
  }

  /// Not JSON, at the byte where the reader stands.
  borrowing func invalid(_ detail: String) -> JSONError {
    JSONError(code: JSONError.invalidJSON, detail: detail, offset: position, pointer: pointer(to: position))
  }

  /// The path to the value that begins at an offset (or that contains it). The bytes before it were read already, so
  /// they are known to be well formed.
  borrowing func pointer(to offset: Int) -> String {
    enum Frame {
      case object(name: Range<Int>?)
      case array(index: Int)
    }
    var frames: [Frame] = []
    var index = origin
    while index < min(offset, end) {
      switch bytes[index] {
      case UInt8(ascii: "{"): frames.append(.object(name: nil))
      case UInt8(ascii: "["): frames.append(.array(index: 0))
      case UInt8(ascii: "}"), UInt8(ascii: "]"): _ = frames.popLast()
      case UInt8(ascii: ","):
        switch frames.popLast() {
        case .object: frames.append(.object(name: nil))
        case .array(let count): frames.append(.array(index: count + 1))
        case nil: break
        }
      case UInt8(ascii: "\""):
        let start = index + 1
        index = start
        while index < end, bytes[index] != UInt8(ascii: "\"") {
          index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        // A string that the offset lies in has not been read to its end: it names nothing yet.
        if index < offset, case .object(name: nil) = frames.last {
          frames[frames.count - 1] = .object(name: start..<index)
        }
      default: break
      }
      index += 1
    }
    var text = basePointer
    for frame in frames {
      switch frame {
      case .array(let index): text += "/\(index)"
      case .object(let name?): text += "/" + escapedToken(name)
      case .object(nil): break
      }
    }
    return text
  }

  /// RFC 6901 section 3: `~` is `~0` and `/` is `~1`.
  private borrowing func escapedToken(_ range: Range<Int>) -> String {
    var text = ""
    for scalar in String(decoding: unescape(range), as: UTF8.self).unicodeScalars {
      switch scalar {
      case "~": text += "~0"
      case "/": text += "~1"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}
