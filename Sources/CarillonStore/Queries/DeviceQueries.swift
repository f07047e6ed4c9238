import CarillonModel
import CarillonPostgres

extension Query where Answer == SteadyAnswer? {
  static func confirmUnchanged(
    tenant: TenantID, device: DeviceID, user: BoundUser?, sequence: Int64, digest: UInt64, now: Instant
  ) -> Query {
    .first(user == nil ? .deviceSyncsConfirm : .deviceSyncsConfirmUser) { parameters in
      parameters.tenant(tenant)
      parameters.device(device)
      parameters.int8(sequence)
      parameters.digest(digest)
      parameters.instant(now)
      if let user { parameters.text(user.id) }
    } row: { rows, row in
      SteadyAnswer(planVersion: rows.version(row, 0), answer: rows.bytes(row, 1))
    }
  }
}

extension Query where Answer == Bool {
  static func isUnchanged(
    tenant: TenantID, device: DeviceID, user: BoundUser?, createdAt: Instant, rowVersion: Int64,
    inboxVersion: Int64, policyVersion: Int64
  ) -> Query {
    Query(user == nil ? .deviceSyncsUnchanged : .deviceSyncsUnchangedUser) { parameters in
      parameters.tenant(tenant)
      parameters.device(device)
      parameters.int8(rowVersion)
      parameters.int8(inboxVersion)
      parameters.int8(policyVersion)
      parameters.instant(createdAt)
      if let user { parameters.text(user.id) }
    } read: {
      $0.count == 1
    }
  }
}

extension Query where Answer == StoredDevice? {
  static func device(tenant: TenantID, device: DeviceID) -> Query {
    .first(
      .devicesGet,
      { parameters in
        parameters.tenant(tenant)
        parameters.device(device)
      }, row: { (rows, row) throws(StoreError) in try StoredDevice(rows, row) })
  }
}

extension Query where Answer == [StoredDevice] {
  /// - Parameter first: the smallest id wanted.
  static func devices(tenant: TenantID, from first: DeviceID, limit: Int) -> Query {
    .list(
      .devicesPage,
      { parameters in
        parameters.tenant(tenant)
        parameters.device(first)
        parameters.count(limit)
      }, row: { (rows, row) throws(StoreError) in try StoredDevice(rows, row) })
  }
}

extension Query where Answer == Int {
  static func deviceCount(tenant: TenantID) -> Query {
    Query(.devicesCount, { $0.tenant(tenant) }, read: { $0.version(0, 0) })
  }
}

extension Query where Answer == [DeviceID] {
  /// - Parameter first: the smallest id wanted.
  static func deviceIDs(tenant: TenantID, from first: DeviceID, limit: Int) -> Query {
    .list(.devicesIds) { parameters in
      parameters.tenant(tenant)
      parameters.device(first)
      parameters.count(limit)
    } row: { rows, row in
      rows.device(row, 0)
    }
  }

  static func deviceSample(tenant: TenantID, limit: Int) -> Query {
    .list(.devicesSample) { parameters in
      parameters.tenant(tenant)
      parameters.count(limit)
    } row: { rows, row in
      rows.device(row, 0)
    }
  }

  static func devicesOfUser(tenant: TenantID, userId: String, limit: Int) -> Query {
    .list(.devicesOfUser) { parameters in
      parameters.tenant(tenant)
      parameters.text(userId)
      parameters.count(limit)
    } row: { rows, row in
      rows.device(row, 0)
    }
  }
}

extension Query where Answer == Bool {
  static func eraseDevice(tenant: TenantID, device: DeviceID, keeping: AnswerDraft? = nil) -> Query {
    Query(keeping == nil ? .devicesErase : .devicesEraseOnce) { parameters in
      parameters.tenant(tenant)
      parameters.device(device)
      if let keeping { parameters.tenantDraft(keeping) }
    } read: {
      $0.affected == 1
    }
  }

  static func isThere(tenant: TenantID, device: DeviceID) -> Query {
    Query(.devicesGet) { parameters in
      parameters.tenant(tenant)
      parameters.device(device)
    } read: {
      $0.count == 1
    }
  }

  /// Whether the device is there; others that want to write it wait for the end of the transaction.
  static func lockDevice(tenant: TenantID, device: DeviceID) -> Query {
    Query(.devicesLock) { parameters in
      parameters.tenant(tenant)
      parameters.device(device)
    } read: {
      $0.count == 1
    }
  }
}

extension DeviceID {
  /// Where a page after `device` begins; nil when there can be nothing after it.
  static func following(_ device: DeviceID?) -> DeviceID? {
    guard let uuid = device?.uuid else { return DeviceID(UUID128(high: 0, low: 0)) }
    let (low, carries) = uuid.low.addingReportingOverflow(1)
    let (high, overflows) = uuid.high.addingReportingOverflow(carries ? 1 : 0)
    return overflows ? nil : DeviceID(UUID128(high: high, low: low))
  }
}

extension StoredDevice {
  /// - Parameter first: where its columns begin.
  init(_ rows: Rows, _ row: Int, from first: Int = 0) throws(StoreError) {
    var info = DeviceInfo()
    info.platform = rows.optional(row, first + 3, Rows.text)
    info.osVersion = rows.optional(row, first + 4, Rows.text)
    info.appVersion = rows.optional(row, first + 5, Rows.text)
    info.bundleId = rows.optional(row, first + 6, Rows.text)
    info.timeZone = rows.optional(row, first + 7, Rows.text)
    info.firstWeekday = rows.optional(row, first + 8, Rows.version)
    info.minimumDaysInFirstWeek = rows.optional(row, first + 9, Rows.version)
    info.locale = rows.optional(row, first + 10, Rows.text)
    info.deviceKey = rows.optional(row, first + 11, Rows.text)
    info.userId = rows.optional(row, first + 12, Rows.text)
    info.cohort = rows.optional(row, first + 13, Rows.text)
    if let token = rows.optional(row, first + 14, Rows.text),
      let environment = rows.optional(row, first + 15, Rows.text)
    {
      info.push = PushRegistration(token: token, environment: environment)
    }
    info.backgroundRefresh = rows.optional(row, first + 16, Rows.text)
    self.init(
      id: rows.device(row, first),
      state: DeviceState(
        info: info, authorizationStatus: AuthorizationStatus(word: rows.text(row, first + 1)),
        settings: try rows.settings(row, first + 2), pending: try rows.pending(row, first + 23),
        foreign: ForeignRequests(count: rows.version(row, first + 24), regions: rows.version(row, first + 25))
      ),
      createdAt: rows.instant(row, first + 17), updatedAt: rows.instant(row, first + 18),
      sequence: rows.optional(row, first + 19, Rows.int),
      seenAt: rows.optional(row, first + 20, Rows.instant),
      rowVersion: try rows.counter(row, first + 21),
      planVersion: try rows.countedVersion(row, first + 22), inboxVersion: try rows.counter(row, first + 29),
      lineage: Lineage(
        forkedFrom: rows.optional(row, first + 26, Rows.device),
        supersededBy: rows.optional(row, first + 27, Rows.device),
        supersededAt: rows.optional(row, first + 28, Rows.instant)))
  }
}
