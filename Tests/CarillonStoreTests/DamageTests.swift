import CarillonModel
import CarillonPostgres
import CarillonStore
import Testing

@Suite struct DamageTests {
  struct Damage: Sendable, CustomTestStringConvertible {
    var sql: String
    var value: StoreError.StoredValue
    var testDescription: String { sql }
  }

  /// As when a newer version wrote what this one cannot read: an error that says so, never a guess.
  @Test(arguments: [
    Damage(sql: #"UPDATE carillon.notifications SET head = '\xff'"#, value: .notificationHead),
    Damage(sql: "UPDATE carillon.notifications SET head = ''", value: .notificationHead),
    Damage(sql: #"UPDATE carillon.devices SET settings = '{"alert": 7}'"#, value: .settings),
  ])
  func whatCannotBeReadIsAnError(_ damage: Damage) async throws {
    try await withStore { world in
      let (store, tenant, device) = (world.store, world.tenant, Sample.device(1))
      var change = Sample.firstReport()
      change.puts = [Sample.item("a")]
      _ = try await store.apply(change, tenant: tenant, device: device)
      _ = try await world.superuser.run(sql: damage.sql)
      do {
        _ = try await store.loadDevice(tenant: tenant, device: device)
        Issue.record("read a damaged value")
      } catch StoreError.unreadable(let value) {
        #expect(value == damage.value)
      }
    }
  }
}
