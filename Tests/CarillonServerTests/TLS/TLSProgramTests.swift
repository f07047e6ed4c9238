import CarillonStore
import Foundation
import Glibc
import IntegrationSupport
import TestSupport
import Testing

/// The program with files of TLS: its start, its refusals, and new files under load.
@Suite struct TLSProgramTests {
  /// Everything a test of the program needs: files that it serves, and the arguments that say so.
  private struct Setting {
    let maker: CertificateMaker
    var files: CertificateMaker.Files
    let database: MigratedDatabase

    init(in folder: String) async throws {
      maker = try CertificateMaker(in: folder)
      files = try maker.issue("first")
      database = try await MigratedDatabase.make()
    }

    func start(_ more: [String] = []) throws -> ProgramTests.Running {
      try ProgramTests.Running(
        [
          "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--tls-certificate", files.certificate,
          "--tls-key", files.key, "--loops", "2",
        ] + more, environment: ["DATABASE_URL": database.conninfo(.app)])
    }

    /// Puts other files in the place of the ones that are served.
    func replace(certificate: String? = nil, key: String? = nil) throws {
      for (new, old) in [(certificate, files.certificate), (key, files.key)] {
        guard let new else { continue }
        // As renewal should do it: written beside, then renamed.
        let beside = old + ".new"
        try Data(contentsOf: URL(fileURLWithPath: new)).write(to: URL(fileURLWithPath: beside))
        chmod(beside, 0o600)
        try #require(rename(beside, old) == 0)
      }
    }

    /// What a client sees of the certificate: its subject, and the end of it as `carillon_tls_…` has it.
    func served(_ port: UInt16) async throws -> String {
      let (_, text) = try await runProgram(
        "openssl",
        ["s_client", "-CAfile", maker.authority.certificate, "-connect", "127.0.0.1:\(port)"],
        in: maker.folder)
      return text.split(separator: "\n").first { $0.hasPrefix("subject=") }.map(String.init) ?? text
    }
  }

  private func expiry(_ admin: HTTPTestClient) async throws -> Int64? {
    try await admin.send("GET", "/metrics").text.split(separator: "\n")
      .first { $0.hasPrefix("carillon_tls_certificate_expires_timestamp_seconds ") }
      .flatMap { $0.split(separator: " ").last.flatMap { Int64($0) } }
  }

  @Test func newFilesAreServedAtSIGHUPAndBadOnesChangeNothing() async throws {
    try await withTemporaryFolder { folder in
      let setting = try await Setting(in: folder)
      let server = try setting.start()
      try #require(await server.read(until: "ready"), "\(server.lines)")
      let port = try #require(server.port("port"))
      let admin = HTTPTestClient(port: try #require(server.port("adminPort")))
      #expect(try await setting.served(port) == "subject=CN = first")
      let firstExpiry = try #require(try await expiry(admin))
      #expect(abs(firstExpiry - Int64(time(nil)) - 30 * 86_400) < 3600)

      let second = try setting.maker.issue("second", days: 60)
      try setting.replace(certificate: second.certificate)
      kill(server.process.processIdentifier, SIGHUP)
      #expect(await server.read(until: "stays as it was"))
      #expect(server.lines.contains { $0.contains("is not that of the certificate") }, "\(server.lines)")
      #expect(try await setting.served(port) == "subject=CN = first")

      try setting.replace(key: second.key)
      kill(server.process.processIdentifier, SIGHUP)
      #expect(await server.read(until: "read anew"))
      #expect(try await setting.served(port) == "subject=CN = second")
      #expect(try #require(try await expiry(admin)) - firstExpiry >= 29 * 86_400)

      try Data().write(to: URL(fileURLWithPath: folder + "/empty"))
      for bad in [try setting.maker.issue("old", days: -1).certificate, folder + "/empty", second.key] {
        try setting.replace(certificate: bad)
        kill(server.process.processIdentifier, SIGHUP)
        #expect(await server.read(until: "stays as it was"), "\(bad)")
      }
      #expect(try await setting.served(port) == "subject=CN = second")
      server.process.terminate()
      _ = await server.readToEnd()
      #expect(server.process.terminationStatus == 0)
    }
  }

  /// Connections that stay open and connections that come and go, while the files change many times.
  @Test func changingFilesUnderLoadDropsNoConnection() async throws {
    try await withTemporaryFolder { folder in
      let setting = try await Setting(in: folder)
      let server = try setting.start()
      try #require(await server.read(until: "ready"), "\(server.lines)")
      let port = try #require(server.port("port"))
      let pairs = [try setting.maker.issue("second"), try setting.maker.issue("third")]
      let stop = folder + "/stop"
      let clients = Task {
        try await runProgram(
          "python3", ["-c", load, String(port), setting.maker.authority.certificate, stop], in: folder)
      }
      // Not before every client has had an answer.
      while !FileManager.default.fileExists(atPath: stop + "-later") {
        try await Task.sleep(for: .milliseconds(5))
      }
      for round in 0..<20 {
        let pair = pairs[round % 2]
        try setting.replace(certificate: pair.certificate, key: pair.key)
        kill(server.process.processIdentifier, SIGHUP)
        #expect(await server.read(until: "read anew"))
      }
      try Data().write(to: URL(fileURLWithPath: stop))
      let (status, text) = try await clients.value
      #expect(status == 0 && text.contains("failures: 0"), "\(text)")
      server.process.terminate()
      _ = await server.readToEnd()
      #expect(server.process.terminationStatus == 0)
    }
  }

  @Test func itRefusesFilesThatCannotServe() async throws {
    try await withTemporaryFolder { folder in
      let setting = try await Setting(in: folder)
      let other = try setting.maker.issue("other")
      let expired = try setting.maker.issue("expired", days: -1)
      let open = try setting.maker.issue("open")
      chmod(open.key, 0o640)
      for (certificate, key, mention) in [
        (other.certificate, setting.files.key, "made together"),
        (expired.certificate, expired.key, "Renew it"),
        (open.certificate, open.key, "chmod 600"), ("/nowhere.pem", setting.files.key, "/nowhere.pem"),
        (setting.files.certificate, "", "--tls-key"), ("", setting.files.key, "--tls-certificate"),
        (setting.files.key, setting.files.key, "in PEM"),
      ] {
        let options = [("--tls-certificate", certificate), ("--tls-key", key)].filter { !$0.1.isEmpty }
        let server = try ProgramTests.Running(
          ["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"] + options.flatMap { [$0.0, $0.1] },
          environment: ["DATABASE_URL": setting.database.conninfo(.app)])
        let text = await server.readToEnd()
        #expect(server.process.terminationStatus == 1, "\(text)")
        #expect(text.contains(mention), "\(text)")
      }
    }
  }

  /// On a listener that the network reaches, where plain HTTP would be refused.
  @Test func aCertificateNearItsEndIsWarnedOf() async throws {
    try await withTemporaryFolder { folder in
      var setting = try await Setting(in: folder)
      setting.files = try setting.maker.issue("short", days: 5)
      let server = try setting.start(["--listen", "0.0.0.0:0"])
      #expect(await server.read(until: "ready"), "\(server.lines)")
      #expect(server.lines.contains { $0.contains("ends soon") }, "\(server.lines)")
      server.process.terminate()
      _ = await server.readToEnd()
    }
  }

  /// The whole way with the client of another maker, and the admin listener beside it in plain HTTP.
  @Test func clientsWithACertificateAreServedToTheEndOfADrain() async throws {
    try await withTemporaryFolder { folder in
      let setting = try await Setting(in: folder)
      let server = try setting.start(["--tls-client-ca", setting.maker.authority.certificate])
      try #require(await server.read(until: "ready"), "\(server.lines)")
      let port = try #require(server.port("port"))
      let client = try setting.maker.issue("client", for: .clientAuth)
      let url = "https://localhost:\(port)/v1/policy"
      let common = ["--silent", "--show-error", "--cacert", setting.maker.authority.certificate, url]
      let (status, text) = try await runProgram(
        "curl", ["--cert", client.certificate, "--key", client.key] + common, in: folder)
      #expect(status == 0 && text.contains("\"status\":401"), "\(text)")
      #expect(try await runProgram("curl", common, in: folder).status != 0)
      let admin = HTTPTestClient(port: try #require(server.port("adminPort")))
      #expect(try await admin.send("GET", "/readyz").status == 200)
      server.process.terminate()
      let rest = await server.readToEnd()
      #expect(rest.contains("stopped") && server.process.terminationStatus == 0, "\(rest)")
    }
  }
}

private let load = """
  import os, socket, ssl, sys, threading
  context = ssl.create_default_context(cafile=sys.argv[2])
  failures = []
  counts = []
  begun = []
  def ask(secure):
      secure.sendall(b"GET /v1/policy HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n")
      answer = b""
      while not answer.endswith(b"}"):
          more = secure.recv(10000)
          if not more: raise Exception("ended after %r" % answer)
          answer += more
      if not answer.startswith(b"HTTP/1.1 401"): raise Exception(answer)
  def connect():
      plain = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
      return context.wrap_socket(plain, server_hostname="localhost")
  def run(stays):
      try:
          secure = connect()
          asked = 0
          while not os.path.exists(sys.argv[3]):
              if not stays:
                  secure.close()
                  secure = connect()
              ask(secure)
              asked += 1
              if asked == 1:
                  begun.append(stays)
                  if len(begun) == 6: open(sys.argv[3] + "-later", "w").close()
          counts.append(asked)
      except Exception as error:
          failures.append(repr(error))
  threads = [threading.Thread(target=run, args=(number % 2 == 0,)) for number in range(6)]
  for thread in threads: thread.start()
  for thread in threads: thread.join()
  print("failures: %d" % len(failures), failures, counts)
  sys.exit(0 if not failures and min(counts) > 0 else 1)
  """
