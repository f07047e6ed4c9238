import CZlib

/// Compresses bodies in the format of gzip (RFC 1952), one after the other in the same memory: about 270 KB, taken with
/// the first body.
///
/// Owns its `z_stream`; use it on one thread.
public final class Gzip {
  /// A plan shrinks to a seventh at the fastest level, and hardly further at others that keep a loop busy for longer.
  private static let level: Int32 = 1

  // zlib keeps the stream's address, so it must not move.
  private var stream: UnsafeMutablePointer<z_stream>?

  public init() {}

  deinit {
    guard let stream else { return }
    deflateEnd(stream)
    stream.deallocate()
  }

  /// - Returns: nil when there is no memory for it, or the body is too long: send it as it is.
  public func compress(_ body: [UInt8]) -> [UInt8]? {
    guard !body.isEmpty, body.count <= Int(Int32.max), let stream = ready() else { return nil }
    let bound = Int(deflateBound(stream, UInt(body.count)))
    return body.withUnsafeBufferPointer { input -> [UInt8]? in
      var isWhole = false
      let output = [UInt8](unsafeUninitializedCapacity: bound) { buffer, count in
        // zlib reads its input only; the declaration has no const.
        stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
        stream.pointee.avail_in = UInt32(input.count)
        stream.pointee.next_out = buffer.baseAddress
        stream.pointee.avail_out = UInt32(buffer.count)
        isWhole = deflate(stream, Z_FINISH) == Z_STREAM_END
        count = isWhole ? buffer.count - Int(stream.pointee.avail_out) : 0
        stream.pointee.next_in = nil
        stream.pointee.next_out = nil
      }
      return isWhole ? output : nil
    }
  }

  private func ready() -> UnsafeMutablePointer<z_stream>? {
    if let stream { return deflateReset(stream) == Z_OK ? stream : nil }
    let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    stream.initialize(to: z_stream())
    guard czlib_begin_gzip(stream, Self.level) == Z_OK else {
      stream.deallocate()
      return nil
    }
    self.stream = stream
    return stream
  }
}
