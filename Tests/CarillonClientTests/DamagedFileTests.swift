import CarillonClient
import CarillonTesting
import Foundation
import Testing

/// Every kind of damage a state file can have.
@Suite struct DamagedFileTests {
  private func withFile(_ body: (FileStateStore, String, ClientState, [UInt8]) async throws -> Void)
    async throws
  {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("carillon-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("state.json").path
    let device = TestDevice(retry: .never)
    device.server.inject(.losesRequest)
    _ = try? await device.carillon.schedule(reminder("a", after: 3600))
    let state = try #require(device.store.current)
    let store = FileStateStore(path: path)
    try await store.save(state)
    let bytes = try #require(FileManager.default.contents(atPath: path))
    try await body(store, path, state, Array(bytes))
  }

  /// Writes, loads, and clears away what was set aside.
  private func isSetAside(_ bytes: [UInt8], _ store: FileStateStore, _ path: String) async throws -> Bool {
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    guard case .damaged(let damage) = try await store.load() else { return false }
    defer { try? FileManager.default.removeItem(atPath: damage.setAside) }
    return FileManager.default.contents(atPath: damage.setAside) == Data(bytes)
      && !FileManager.default.fileExists(atPath: path)
  }

  @Test func cutAnywhere() async throws {
    try await withFile { store, path, _, bytes in
      for count in bytes.indices {
        let isAside = try await isSetAside(Array(bytes[..<count]), store, path)
        #expect(isAside, "cut after \(count) bytes")
      }
    }
  }

  @Test func anyBitFlipped() async throws {
    try await withFile { store, path, _, bytes in
      for index in bytes.indices {
        for bit in 0..<8 {
          var damaged = bytes
          damaged[index] ^= 1 << bit
          let isAside = try await isSetAside(damaged, store, path)
          #expect(isAside, "bit \(bit) of byte \(index)")
        }
      }
    }
  }

  @Test func moreThanAFileMayHave() async throws {
    try await withFile { store, path, _, bytes in
      let blank = [UInt8](repeating: 0x20, count: FileStateStore.largestFile)
      let isAside = try await isSetAside(blank + bytes, store, path)
      #expect(isAside)
    }
  }

  @Test func aFolderInItsPlace() async throws {
    try await withFile { store, path, _, _ in
      try FileManager.default.removeItem(atPath: path)
      try FileManager.default.createDirectory(atPath: path + "/inner", withIntermediateDirectories: true)
      guard case .damaged(let damage) = try await store.load() else {
        Issue.record("it is set aside")
        return
      }
      #expect(FileManager.default.fileExists(atPath: damage.setAside + "/inner"))
      #expect(try await store.load() == .absent)
    }
  }

  @Test func oneDamagedFileDoesNotReplaceAnother() async throws {
    try await withFile { store, path, state, _ in
      for text in ["first", "second"] {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        guard case .damaged = try await store.load() else {
          Issue.record("\(text) is set aside")
          return
        }
      }
      #expect(FileManager.default.contents(atPath: path + ".damaged") == Data("first".utf8))
      #expect(FileManager.default.contents(atPath: path + ".damaged-2") == Data("second".utf8))
      try await store.save(state)
      #expect(try await store.load() == .state(state))
    }
  }

  /// A write that fails leaves the good file as it is.
  @Test func aWriteThatFailsLosesNothing() async throws {
    try await withFile { store, path, state, _ in
      try FileManager.default.createDirectory(atPath: path + ".new", withIntermediateDirectories: true)
      var next = state
      next.sequence += 1
      let error = await #expect(throws: CarillonError.self) { try await store.save(next) }
      #expect(error?.code == .stateUnavailable)
      #expect(try await store.load() == .state(state))
    }
  }

  @Test func anOutboxThatWouldNotFitRefusesAndChangesNothing() async throws {
    let device = TestDevice(retry: .never)
    let long = String(repeating: "x", count: 60_000)
    var refused = 0
    for number in 1...140 where refused == 0 {
      device.server.inject(.losesRequest)
      let before = device.store.current?.outbox
      do {
        try await device.carillon.schedule(reminder("a.\(number)", after: 3600, title: long))
      } catch {
        #expect(error.code == .outboxFull)
        refused = number
        #expect(device.store.current?.outbox == before)
      }
    }
    #expect((80...95).contains(refused))
  }
}
