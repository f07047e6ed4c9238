import CarillonEventLoop
import Glibc

/// An actor that lives on a loop; tests run their loop-confined code in it.
actor LoopActor {
  nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
  var count = 0

  init(_ loop: EventLoop) { self.loop = loop }

  func run<T: Sendable>(_ body: @Sendable (isolated LoopActor) throws -> T) rethrows -> T { try body(self) }
  func increment() { count += 1 }
}

/// Runs a loop for the time of `body`.
func withLoop<T: Sendable>(
  _ name: String = "loop-test", _ body: (EventLoop, LoopActor) async throws -> T
) async throws -> T {
  let loop = try EventLoop(name: name)
  loop.start()
  let result: Result<T, any Error>
  do {
    result = .success(try await body(loop, LoopActor(loop)))
  } catch {
    result = .failure(error)
  }
  loop.stop()
  await loop.waitUntilStopped()
  return try result.get()
}

/// A source made of a closure.
final class ClosureSource: EventSource {
  private let onReady: (Interest) -> Void
  init(_ onReady: @escaping (Interest) -> Void) { self.onReady = onReady }
  func ready(for interest: Interest) { onReady(interest) }
}

/// A pipe; the test closes its ends.
struct Pipe {
  let read: Int32
  let write: Int32

  init() {
    var ends: [Int32] = [0, 0]
    precondition(pipe(&ends) == 0)
    (read, write) = (ends[0], ends[1])
  }

  func put() {
    var byte: UInt8 = 1
    _ = Glibc.write(write, &byte, 1)
  }

  func close() {
    Glibc.close(read)
    Glibc.close(write)
  }
}
