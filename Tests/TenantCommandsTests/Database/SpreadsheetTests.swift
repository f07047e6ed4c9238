import CarillonJSON
import IntegrationSupport
import Testing

/// What devices and people name themselves stands in CSV files that somebody opens in a spreadsheet.
@Suite struct SpreadsheetTests {
  struct Cell: CustomTestStringConvertible, Sendable {
    var name: String
    /// As the file has it; nil: as it is.
    var field: String?
    var testDescription: String { name.debugDescription }
  }

  static let cells = [
    Cell(name: "=HYPERLINK(1)", field: "'=HYPERLINK(1)"),
    Cell(name: "=1+\"2\",3", field: "\"'=1+\"\"2\"\",3\""),
    Cell(name: "@SUM(A1)", field: "'@SUM(A1)"),
    Cell(name: "+cmd|' /C calc'!A0", field: "'+cmd|' /C calc'!A0"),
    Cell(name: "-2+3", field: "'-2+3"), Cell(name: "\t=1", field: "'\\t=1"),
    Cell(name: "\r=1", field: "'\\r=1"), Cell(name: "\n=1", field: "'\\n=1"),
    Cell(name: "a\u{1B}[31mb", field: "a\\u{1B}[31mb"), Cell(name: "a\u{9B}2Jb", field: "a\\u{9B}2Jb"),
    Cell(name: "a\r\nb,c", field: "\"a\\r\\nb,c\""), Cell(name: "a\u{202E}b"),
    Cell(name: " =1", field: "' =1"), Cell(name: "\u{FF1D}1", field: "'\u{FF1D}1"),
    Cell(name: "-", field: "'-"), Cell(name: "-1e", field: "'-1e"),
    Cell(name: "-12.5"), Cell(name: "+3"), Cell(name: "-1e-3"), Cell(name: "2026-W48"), Cell(name: "a=b"),
    Cell(name: "3.1-beta"), Cell(name: "'=1"),
  ]

  @Test func noCellIsAFormula() async throws {
    let installation = try await Installation()
    let tenant = try #require(try await installation.json("tenant create acme")["id"]?.string)
    for (index, cell) in Self.cells.enumerated() {
      let name = cell.name.unicodeScalars.map { "\\" + hex($0.value) }.joined()
      // Each on a day of its own, so that the order is known.
      _ = try await installation.database.column(
        """
        INSERT INTO carillon.report_counts (tenant_id, counted, day, type, cohort, counts)
        VALUES
          ('\(tenant)', 'notifications', DATE '2026-03-01' + \(index), U&'\(name)', '', '{0,10}'),
          ('\(tenant)', 'fatigue', DATE '2026-03-01' + \(index), 'appVersion', U&'\(name)', '{9}')
        RETURNING ''
        """)
    }
    let days = "--from 2026-03-01 --to 2026-03-31"
    let delivered = try await installation.run("report engagement acme \(days) -o csv")
    let grouped = try await installation.run("report fatigue acme \(days) -o csv")
    var rows = "day,type,cohort,delivered,tapped,dismissed,tapRate\r\n"
    var groups =
      "day,by,value,devices,degraded,denied,shareDegraded,shareDenied,left,warned,medianLeadDays,leadDays\r\n"
    for (index, cell) in Self.cells.enumerated() {
      let day = "2026-03-\(index < 9 ? "0" : "")\(index + 1)"
      let field = cell.field ?? cell.name
      rows += "\(day),\(field),,10,0,0,0\r\n"
      groups += "\(day),appVersion,\(field),9,0,0,0,0,0,0,,\r\n"
    }
    #expect(delivered.output == rows)
    #expect(grouped.output == groups)
    // The JSON has what was told.
    let json = try await installation.json("report engagement acme \(days)")
    #expect(json["items"]?.array?.compactMap { $0["type"]?.string } == Self.cells.map(\.name))
  }

  private func hex(_ value: UInt32) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 4 - digits.count) + digits
  }
}
