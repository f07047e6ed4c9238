import CarillonEventLoop
import Glibc
import Testing

@Suite struct LifeTests {
  @Test func `stopping is idempotent and many may wait for it`() async throws {
    let loop = try EventLoop(name: "stopper")
    loop.start()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<20 {
        group.addTask {
          loop.stop()
          await loop.waitUntilStopped()
          loop.stop()
        }
      }
    }
    await loop.waitUntilStopped()
  }

  @Test func `a loop stopped before its start ends at once, with the jobs at hand done`() async throws {
    let loop = try EventLoop(name: "stopped-early")
    let actor = LoopActor(loop)
    let job = Task { await actor.increment() }
    while loop.remoteEnqueueCount < 1 { await Task.yield() }
    loop.stop()
    loop.start()
    await job.value
    await loop.waitUntilStopped()
  }

  @Test func `a loop can be stopped from its own thread`() async throws {
    let loop = try EventLoop(name: "suicidal")
    loop.start()
    let actor = LoopActor(loop)
    await actor.run { $0.loop.stop() }
    await loop.waitUntilStopped()
  }

  @Test func `an ended loop lets go of sources, hooks and timers`() async throws {
    weak var held: ClosureSource?
    try await withLoop { _, actor in
      let pipe = Pipe()
      let source = UncheckedBox(ClosureSource { _ in })
      held = source.value
      await actor.run { actor in
        actor.loop.watch(pipe.read, for: .read, source.value)
        actor.loop.beforeWaiting { withExtendedLifetime(source) { false } }
        actor.loop.schedule(after: .seconds(3600)) { withExtendedLifetime(source) {} }
      }
    }
    #expect(held == nil)
  }

  @Test func `two hundred starts and stops leave no thread and no descriptor`() async throws {
    let cycles = 200
    let before = loopDescriptors()
    for _ in 0..<cycles {
      try await withLoop("loop-cycle") { _, actor in await actor.increment() }
    }
    // A thread ends a moment after it has said so.
    while threads(named: "loop-cycle") > 0 { await Task.yield() }
    // Other tests open loops at the same time, but far fewer than a leak of one per cycle.
    #expect(loopDescriptors() - before < cycles / 2)
  }

  private func loopDescriptors() -> Int {
    names(in: "/proc/self/fd").count { name in
      let link = readLink("/proc/self/fd/\(name)")
      return link == "anon_inode:[eventpoll]" || link == "anon_inode:[eventfd]"
    }
  }

  private func threads(named name: String) -> Int {
    names(in: "/proc/self/task").count { thread in
      guard let file = fopen("/proc/self/task/\(thread)/comm", "r") else { return false }
      defer { fclose(file) }
      var line = [UInt8](repeating: 0, count: 64)
      let count = fread(&line, 1, line.count, file)
      return String(decoding: line.prefix(count), as: UTF8.self) == name + "\n"
    }
  }

  private func names(in folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  private func readLink(_ path: String) -> String {
    var buffer = [UInt8](repeating: 0, count: 256)
    let count = buffer.withUnsafeMutableBytes { readlink(path, $0.baseAddress!, $0.count) }
    return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
  }
}

/// Unchecked: a test hands the value to the loop and touches it no more.
struct UncheckedBox<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}
