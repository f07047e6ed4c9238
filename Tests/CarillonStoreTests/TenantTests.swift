import CarillonModel
import CarillonStore
import TestSupport
import Testing

@Suite struct TenantTests {
  @Test func aTenantIsMadeOnce() async throws {
    try await withStore { world async throws in
      let id = TenantID(UUID128(high: 3, low: 3))
      #expect(try await world.operators.createTenant(id: id, name: "third", at: Sample.later(3)) == .created)
      let another = TenantID(UUID128(high: 4, low: 4))
      #expect(try await world.operators.createTenant(id: another, name: "third", at: Sample.start) == .taken)
      #expect(try await world.operators.createTenant(id: id, name: "fourth", at: Sample.start) == .taken)
      let third = StoredTenant(
        id: id, name: "third", status: .active, policyVersion: 0, createdAt: Sample.later(3))
      #expect(try await world.operators.tenant(named: "third") == third)
      #expect(try await world.operators.tenant(named: "fourth") == nil)
      #expect(try await world.operators.tenants().map(\.name) == ["first", "second", "third"])
    }
  }

  @Test(arguments: ["", "Upper", "-leads", "has space", "ünï", String(repeating: "a", count: 64)])
  func aTenantsNameIsChecked(_ name: String) async throws {
    try await withStore { world async throws in
      await #expect(throws: StoreError.self) {
        try await world.operators.createTenant(
          id: TenantID(UUID128(high: 3, low: 3)), name: name, at: Sample.start)
      }
      #expect(try await world.operators.tenants().count == 2)
    }
  }

  @Test func aKeyIsFoundByItsId() async throws {
    try await withStore { world in
      let hash = (0..<32).map { UInt8($0 * 7 % 256) }
      let draft = KeyDraft(
        id: "abc123", secretHash: hash, scopes: [.policy, .devices], createdAt: Sample.start,
        expiresAt: Sample.later(99))
      #expect(try await world.operators.createKey(draft, tenant: world.tenant) == .created)
      #expect(try await world.operators.createKey(draft, tenant: world.tenant) == .taken)
      #expect(try await world.operators.createKey(draft, tenant: world.otherTenant) == .taken)
      var orphan = draft
      orphan.id = "orphan"
      let nobody = TenantID(UUID128(high: 9, low: 9))
      #expect(try await world.operators.createKey(orphan, tenant: nobody) == .noTenant)

      let key = try #require(try await world.store.key(id: "abc123"))
      #expect(
        key
          == StoredKey(
            id: "abc123", tenant: world.tenant, tenantName: "first", tenantStatus: .active, policyVersion: 0,
            secretHash: hash, scopes: [.policy, .devices], createdAt: Sample.start,
            expiresAt: Sample.later(99), revokedAt: nil))
      #expect(try await world.store.key(id: "abc124") == nil)
      #expect(try await world.store.key(id: "orphan") == nil)
      #expect(try await world.operators.keys(tenant: world.tenant) == [key])
      #expect(try await world.operators.keys(tenant: world.otherTenant).isEmpty)
    }
  }

  @Test func aRevocationKeepsItsFirstTime() async throws {
    try await withStore { world in
      let draft = KeyDraft(
        id: "k", secretHash: Array(repeating: 1, count: 32), scopes: [.devices], createdAt: Sample.start)
      _ = try await world.operators.createKey(draft, tenant: world.tenant)
      let operators = world.operators
      #expect(try await operators.revokeKey(id: "k", tenant: world.otherTenant, at: Sample.start) == false)
      #expect(try await world.store.key(id: "k")?.revokedAt == nil)
      #expect(try await operators.revokeKey(id: "k", tenant: world.tenant, at: Sample.later(1)))
      #expect(try await operators.revokeKey(id: "k", tenant: world.tenant, at: Sample.later(2)))
      #expect(try await world.store.key(id: "k")?.revokedAt == Sample.later(1))
    }
  }

  /// A look-up in the same batch as tenants' work disturbs neither.
  @Test func lookUpsAmongTenantsWork() async throws {
    try await withStore { world in
      let (store, tenants) = (world.store, [world.tenant, world.otherTenant])
      for (index, tenant) in tenants.enumerated() {
        let draft = KeyDraft(
          id: "k\(index)", secretHash: Array(repeating: 1, count: 32), scopes: [], createdAt: Sample.start)
        _ = try await world.operators.createKey(draft, tenant: tenant)
        _ = try await store.putPolicy(
          tenant: tenant, document: Sample.bytes("\(index)"), expectedVersion: nil, at: Sample.start)
      }
      let found = try await concurrently(200, on: world.loop) { index -> Bool in
        let which = index / 2 % 2
        if index % 2 == 0 { return try await store.key(id: "k\(which)")?.tenant == tenants[which] }
        return try await store.policy(tenant: tenants[which])?.document == Sample.bytes("\(which)")
      }
      #expect(found.allSatisfy { $0 })
    }
  }
}
