import CarillonAPI
import CarillonJSON
import CarillonModel

extension TenantClient {
  /// A device's plan: what it should hold now, and why everything else waits.
  public func plan(of device: DeviceID) async throws(CarillonError) -> Plan {
    let answer = try await send(.getPlan(device))
    return try read(answer) { (body) throws(JSONError) in try Plan.decode(body) }
  }
}
