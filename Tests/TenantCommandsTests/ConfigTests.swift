import Testing

@Suite struct ConfigTests {
  @Test("Each setting says who set it: flag over environment over file over default")
  func origins() async throws {
    let folder = try TemporaryFolder()
    let file = try folder.file("t.conf", "# settings\noutput = ndjson\ndata = /from/file\n")
    let outcome = try await Tenantctl.run(
      ["config", "show", "--origin", "-o", "csv", "--config", file],
      environment: [
        "TENANTCTL_DATA": "/from/environment", "DATABASE_URL": "postgres://op:s3cret@db/x?password=q",
      ])
    #expect(outcome.code == 0)
    #expect(outcome.errors == "")
    #expect(
      outcome.output
        == [
          "name,value,origin", "output,csv,command line",
          "database-url,postgres://op:********@db/x?password=********,environment DATABASE_URL",
          "data,/from/environment,environment TENANTCTL_DATA", "operator,,unset",
          "config,\(file),command line", "",
        ].joined(separator: "\r\n"))
  }

  @Test("The file is last before the defaults, and its format counts")
  func file() async throws {
    let folder = try TemporaryFolder()
    let file = try folder.file("t.conf", "output = ndjson\n")
    let outcome = try await Tenantctl.run(["config", "show", "--origin", "--config", file])
    #expect(
      outcome.output == """
        {"name":"output","value":"ndjson","origin":"\(file):1"}
        {"name":"database-url","value":null,"origin":"unset"}
        {"name":"data","value":".carillon","origin":"default"}
        {"name":"operator","value":null,"origin":"unset"}
        {"name":"config","value":"\(file)","origin":"command line"}

        """)
  }

  @Test("A setting that does not exist is refused by file and line")
  func unknownSetting() async throws {
    let folder = try TemporaryFolder()
    let file = try folder.file("t.conf", "\noutptu = json\n")
    let outcome = try await Tenantctl.run(["config", "show", "--config", file])
    #expect(outcome.code == 2)
    #expect(outcome.output == "")
    #expect(
      outcome.errors == """
        tenantctl config show: \(file):2: unknown setting 'outptu'; did you mean 'output'?
        Try 'tenantctl config show --help'.

        """)
  }
}
