import CarillonModel
import CarillonStore
import TestSupport
import Testing

@Suite struct PolicyTests {
  @Test func everyVersionIsKept() async throws {
    try await withStore { world in
      let (store, tenant) = (world.store, world.tenant)
      #expect(try await store.policy(tenant: tenant) == nil)
      let documents = [#"{"slots":64}"#, "{ }", #"{"slots":63}"#]
      for (index, document) in documents.enumerated() {
        let change = try await store.putPolicy(
          tenant: tenant, document: Sample.bytes(document), expectedVersion: index == 0 ? nil : index,
          at: Sample.later(Int64(index)))
        #expect(change == .stored(version: index + 1))
      }
      let current = StoredPolicy(
        version: 3, document: Sample.bytes(documents[2]), createdAt: Sample.later(2))
      #expect(try await store.policy(tenant: tenant) == current)
      #expect(try await store.policy(tenant: tenant, version: 3) == current)
      #expect(try await store.policy(tenant: tenant, version: 2)?.document == Sample.bytes("{ }"))
      #expect(try await store.policy(tenant: tenant, version: 4) == nil)
      #expect(try await store.policy(tenant: world.otherTenant) == nil)

      let page = try await store.policyVersions(tenant: tenant, before: nil, limit: 2)
      #expect(page.map(\.version) == [3, 2])
      #expect(page.map(\.bytes) == [12, 3])
      let rest = try await store.policyVersions(tenant: tenant, before: 2, limit: 2)
      #expect(rest == [PolicyVersion(version: 1, createdAt: Sample.start, bytes: 12)])
    }
  }

  @Test func aWriterMustHaveSeenTheCurrentVersion() async throws {
    try await withStore { world async throws in
      func put(_ expected: Int?, tenant: TenantID? = nil) async throws -> PolicyChange {
        try await world.store.putPolicy(
          tenant: tenant ?? world.tenant, document: Sample.bytes("{}"), expectedVersion: expected,
          at: Sample.start)
      }
      #expect(try await put(1) == .conflict(current: 0))
      #expect(try await put(0) == .stored(version: 1))
      #expect(try await put(nil) == .preconditionRequired(current: 1))
      #expect(try await put(0) == .conflict(current: 1))
      #expect(try await put(2) == .conflict(current: 1))
      #expect(try await put(1) == .stored(version: 2))
      #expect(try await put(nil, tenant: TenantID(UUID128(high: 9, low: 9))) == .noTenant)
      #expect(try await world.count("SELECT count(*) FROM carillon.policies") == 2)
    }
  }

  @Test func ofManyWritersOneIsFirst() async throws {
    try await withStore { world in
      let (store, tenant) = (world.store, world.tenant)
      _ = try await store.putPolicy(
        tenant: tenant, document: Sample.bytes("{}"), expectedVersion: nil, at: Sample.start)
      let changes = try await concurrently(20, on: world.loop) { index in
        try await store.putPolicy(
          tenant: tenant, document: Sample.bytes("\(index)"), expectedVersion: 1, at: Sample.start)
      }
      let winner = try #require(changes.firstIndex(of: .stored(version: 2)))
      #expect(changes.filter { $0 == .conflict(current: 2) }.count == 19)
      #expect(try await store.policy(tenant: tenant)?.document == Sample.bytes("\(winner)"))
    }
  }

  @Test func theOperatorPutsTheSameWay() async throws {
    try await withStore { world async throws in
      let operators = world.operators
      func put(_ expected: Int?) async throws -> PolicyChange {
        try await operators.putPolicy(
          tenant: world.tenant, document: Sample.bytes("{}"), expectedVersion: expected, at: Sample.start)
      }
      #expect(try await put(nil) == .stored(version: 1))
      #expect(try await put(nil) == .preconditionRequired(current: 1))
      #expect(try await put(1) == .stored(version: 2))
      #expect(try await operators.policy(tenant: world.tenant)?.version == 2)
      #expect(try await operators.policy(tenant: world.tenant, version: 1)?.version == 1)
      #expect(
        try await operators.policyVersions(tenant: world.tenant, before: nil, limit: 9).map(\.version)
          == [2, 1])
    }
  }

  @Test func aDocumentIsLoadedOnlyWhenItIsNews() async throws {
    try await withStore { world in
      let (store, tenant, device) = (world.store, world.tenant, Sample.device(1))
      let none = try await store.loadDevice(tenant: tenant, device: device, knownPolicyVersion: nil)
      #expect(none.policyVersion == 0)
      #expect(none.policyDocument == nil)
      _ = try await store.putPolicy(
        tenant: tenant, document: Sample.bytes("{}"), expectedVersion: nil, at: Sample.start)
      let news = try await store.loadDevice(tenant: tenant, device: device, knownPolicyVersion: 0)
      #expect(news.policyVersion == 1)
      #expect(news.policyDocument == Sample.bytes("{}"))
      let known = try await store.loadDevice(tenant: tenant, device: device, knownPolicyVersion: 1)
      #expect(known.policyVersion == 1)
      #expect(known.policyDocument == nil)
    }
  }
}
