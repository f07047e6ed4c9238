import CarillonClient
import Foundation

// A backend that reminds users: reads a command a line and answers it.

let environment = ProcessInfo.processInfo.environment
guard let url = environment["CARILLON_URL"].flatMap(URL.init(string:)), let key = environment["CARILLON_KEY"]
else {
  FileHandle.standardError.write(Data("reminder-service: set CARILLON_URL and CARILLON_KEY\n".utf8))
  exit(2)
}
do {
  try await serve(TenantClient(server: url, key: key))
} catch {
  FileHandle.standardError.write(Data("reminder-service: \(error)\n".utf8))
  exit(1)
}

func serve(_ carillon: TenantClient) async throws {
  var service = ReminderService(carillon)
  while let line = readLine() {
    if line.isEmpty { continue }
    do {
      try await service.perform(try Command(line))
    } catch let unclear as Command.Unclear {
      print("? \(unclear)")
    }
  }
  try await service.flush()
}
