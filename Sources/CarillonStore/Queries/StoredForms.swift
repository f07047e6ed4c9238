import CarillonJSON
import CarillonModel
import CarillonPostgres

// How the domain's values stand in columns that hold more than one word.

extension Rows {
  func head(_ row: Int, id: Int, head: Int) throws(StoreError) -> NotificationHead {
    let id = self.id(row, id)
    // A result, because libpq's memory is lent to closures that throw any error.
    let decoded = withBytes(row, head) { bytes in
      Result { () throws(StoredFormError) in try HeadCodec.decode(bytes, id: id) }
    }
    guard case .success(let value) = decoded else { throw .unreadable(.notificationHead) }
    return value
  }

  func settings(_ row: Int, _ column: Int) throws(StoreError) -> NotificationSettings {
    do {
      return try JSONReader.read(bytes(row, column)) { (reader) throws(JSONError) in
        try NotificationSettings(from: &reader)
      }
    } catch {
      throw .unreadable(.settings)
    }
  }

  func pending(_ row: Int, _ column: Int) throws(StoreError) -> [PendingRequest]? {
    guard !isNull(row, column) else { return nil }
    do {
      return try JSONReader.read(bytes(row, column)) { (reader) throws(JSONError) in
        var requests: [PendingRequest] = []
        try reader.array { (reader) throws(JSONError) in
          if let request = try PendingRequest.read(from: &reader) { requests.append(request) }
        }
        return requests
      }
    } catch {
      throw .unreadable(.pending)
    }
  }
}

extension DeviceState {
  /// A JSON object with a member for each column of `carillon.devices` that is not null; without what the device holds.
  var columns: [UInt8] {
    var writer = JSONWriter(capacity: 1_024)
    writer.object { writer in
      writer.member("authorization_status", authorizationStatus.word)
      writer.name("settings")
      settings.write(to: &writer)
      writer.column("platform", info.platform)
      writer.column("os_version", info.osVersion)
      writer.column("app_version", info.appVersion)
      writer.column("bundle_id", info.bundleId)
      writer.column("time_zone", info.timeZone)
      writer.column("first_weekday", info.firstWeekday)
      writer.column("minimum_days_in_first_week", info.minimumDaysInFirstWeek)
      writer.column("locale", info.locale)
      writer.column("device_key", info.deviceKey)
      writer.column("user_id", info.userId)
      writer.column("cohort", info.cohort)
      writer.column("push_token", info.push?.token)
      writer.column("push_environment", info.push?.environment)
      writer.column("background_refresh", info.backgroundRefresh)
    }
    return writer.bytes
  }
}

extension [PendingRequest] {
  /// A JSON array.
  var stored: [UInt8] {
    var writer = JSONWriter(capacity: 64 + 80 * count)
    writer.array { writer in
      for request in self { request.write(to: &writer) }
    }
    return writer.bytes
  }
}

extension JSONWriter {
  fileprivate mutating func column(_ name: StaticString, _ value: String?) {
    if let value { member(name, value) }
  }

  fileprivate mutating func column(_ name: StaticString, _ value: Int?) {
    if let value { member(name, value) }
  }
}
