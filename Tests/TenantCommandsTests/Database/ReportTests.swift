import CarillonJSON
import Foundation
import IntegrationSupport
import TestSupport
import Testing

@Suite struct ReportTests {
  private static let days = "--from 2026-03-01 --to 2026-03-03"

  /// A tenant whose days are counted; names that would break a page or a terminal.
  private func counted() async throws -> Installation {
    let installation = try await Installation()
    let tenant = try #require(try await installation.json("tenant create acme")["id"]?.string)
    for row in [
      "'notifications', '2026-03-01', 'habit', 'w1', '{1,20,3,0,0,6,0,0,2,2,0,0,0,5,1,6,0,30,4}'",
      "'notifications', '2026-03-02', '<script>alert(1)</script>', '', '{0,10}'",
      "'permission', '2026-03-01', '', 'w1', '{40,10,5,25,0,0,0,20,18,14,12,0,0,0,0,0,0,6,3,3,4,2,1,0,0,1,0,0,0,0,0,1}'",
      "'permission', '2026-03-02', '', 'w1', '{44,10,6,28,0,0,0,20,18,14,12}'",
      "'fatigue', '2026-03-01', 'cohort', 'w1', '{30,3,5,2,0,1}'",
      "'fatigue', '2026-03-01', 'appVersion', '3.1', '{20,3,5,2,0,1}'",
      "'fatigue', '2026-03-01', 'appVersion', '3.2', '{10}'",
    ] {
      _ = try await installation.database.column(
        """
        INSERT INTO carillon.report_counts (tenant_id, counted, day, type, cohort, counts)
        VALUES ('\(tenant)', \(row)) RETURNING ''
        """)
    }
    _ = try await installation.database.column(
      """
      INSERT INTO carillon.report_days (tenant_id, day, rolled_up_at, age)
      VALUES ('\(tenant)', '2026-03-02', '2026-03-03', 1) RETURNING ''
      """)
    return installation
  }

  @Test func theSameReportInEveryForm() async throws {
    let installation = try await counted()
    let json = try await installation.json("report engagement acme \(Self.days) --type habit")
    #expect(
      String(decoding: json.bytes, as: UTF8.self)
        == #"{"report":"engagement","from":"2026-03-01","to":"2026-03-03","rolledUpThrough":"2026-03-02","items":[{"day":"2026-03-01","type":"habit","cohort":"w1","delivered":23,"tapped":5,"dismissed":1,"tapRate":0.2174}]}"#
    )
    let csv = try await installation.run("report engagement acme \(Self.days) --cohort w1 -o csv")
    #expect(
      csv.output
        == "day,type,cohort,delivered,tapped,dismissed,tapRate\r\n2026-03-01,habit,w1,23,5,1,0.2174\r\n")
    let priming = try await installation.run("report priming acme \(Self.days) -o csv")
    #expect(
      priming.output.contains(",answers.denied,secondsToGrant\r\n")
        && priming.output.contains(",2,1,3600=1 later=1\r\n"), "\(priming.output)")
    let fatigue = try await installation.run("report fatigue acme \(Self.days) -o csv")
    #expect(
      fatigue.output.contains(",medianLeadDays,leadDays\r\n") && fatigue.output.contains(",1,1,1=1\r\n"),
      "\(fatigue.output)")
    let lines = try await installation.run("report delivery acme \(Self.days) -o ndjson")
    #expect(lines.output.split(separator: "\n").count == 2)
    let table = try await installation.run("report evictions acme \(Self.days)")
    #expect(
      table.output == """
        DAY         TYPE   COHORT  EVICTED  DEVICES  LOST  LOST TO LIMIT
        2026-03-01  habit  w1           30        4     6              0
        30 times in this period a notification had no slot; 6 came due that way and were not shown, 100% of them of type habit.

        """)
    let none = try await installation.run("report priming acme --from 2026-01-01 --to 2026-01-02")
    #expect(none.code == 0 && none.output.hasSuffix("Nothing of this kind happened in this period.\n"))
  }

  @Test func allReportsAtOnce() async throws {
    let installation = try await counted()
    let all = try await installation.json("report all acme \(Self.days)")
    let kinds = all["reports"]?.array?.compactMap { $0["report"]?.string }
    #expect(kinds == ["evictions", "authorization", "priming", "fatigue", "delivery", "engagement"])
    let table = try await installation.run("report all acme \(Self.days)")
    #expect(table.output.split(separator: "\n").count == 7)
  }

  /// One file that loads nothing, whatever names it is given.
  @Test func aPageNeedsNothingElse() async throws {
    let installation = try await counted()
    let folder = try TemporaryFolder()
    for (verb, sections) in [("all", 6), ("fatigue", 1)] {
      let file = folder.path("\(verb).html")
      let outcome = try await installation.run("report \(verb) acme \(Self.days) --html \(file)")
      #expect(outcome == Tenantctl.Outcome(output: "", errors: "", code: 0))
      let page = try String(contentsOfFile: file, encoding: .utf8)
      #expect(page.hasPrefix("<!DOCTYPE html>"))
      #expect(page.components(separatedBy: "<section ").count == sections + 1)
      for word in ["<script", "src=", "@import", "url(", "href=\"http", "<link", "<img", "NaN", "inf\""] {
        #expect(!page.contains(word), "\(word)")
      }
      for tag in ["section", "svg", "figure", "details", "table", "g", "ul", "h2", "h3"] {
        let opened =
          page.components(separatedBy: "<\(tag)>").count + page.components(separatedBy: "<\(tag) ").count
        #expect(opened - 1 == page.components(separatedBy: "</\(tag)>").count, "\(tag)")
      }
      #expect(page.contains("2026-03-01 to 2026-03-03"))
      #expect(page.contains("prefers-color-scheme:dark"))
      #expect(page.contains("role=\"img\" aria-label="))
    }
    let page = try String(contentsOfFile: folder.path("all.html"), encoding: .utf8)
    #expect(page.contains("&lt;script&gt;alert(1)"))
    let nowhere = try await installation.run("report all acme --html \(folder.path("no/such/folder.html"))")
    #expect(nowhere.code == 1 && nowhere.errors.hasPrefix("tenantctl: cannot write "))
  }

  /// Nothing on a page may mean that nothing was counted yet: it says when days are.
  @Test func aPageSaysWhenDaysAreCounted() async throws {
    let installation = try await Installation()
    _ = try await installation.json("tenant create acme")
    let folder = try TemporaryFolder()
    for verb in ["all", "priming"] {
      let file = folder.path("\(verb).html")
      let outcome = try await installation.run(
        "report \(verb) acme --from 2026-03-01 --to 2026-03-01 --html \(file)")
      #expect(outcome.code == 0)
      let page = try String(contentsOfFile: file, encoding: .utf8)
      #expect(page.contains("no day was counted yet") && page.contains("A day is counted after it has ended"))
    }
  }

  @Test(
    "A page replaces a plain file and nothing else, and goes to standard output",
    arguments: [
      "mkfifo a", "mkdir a", "ln -s nowhere a", "echo mine > there; ln -s there a", "mknod a c 1 3",
    ])
  func pagesReplaceNothingSpecial(_ make: String) async throws {
    let installation = try await Installation()
    _ = try await installation.json("tenant create acme")
    let folder = try TemporaryFolder()
    let look = "ls -A; stat -c '%n %F %i' a; cat there 2>&1"
    let made = try await Tenantctl.shell("cd \(folder.path("")); \(make); \(look)", environment: [:])
    let outcome = try await installation.run("report all acme --html \(folder.path("a"))")
    // Where no device may be made there is nothing to replace.
    if made.output.contains(" a") || made.output.contains("a ") {
      #expect(outcome.code == 6 && outcome.errors.contains("is no plain file"), "\(outcome)")
      let after = try await Tenantctl.shell("cd \(folder.path("")); \(look)", environment: [:])
      #expect(after.output == made.output)
    }
    let page = try await installation.run("report all acme --html -")
    #expect(page.code == 0 && page.output.hasPrefix("<!DOCTYPE html>"), "\(page)")
    let plain = try await Tenantctl.shell(
      "cd \(folder.path("")); echo old > b; tenantctl report all acme --html b; head -c 15 b; ls -A b*",
      environment: ["DATABASE_URL": installation.url(.operator)])
    #expect(plain.output == "<!DOCTYPE html>b\n", "\(plain)")
  }

  /// Names come from devices: in every place of the page where one stands it is text.
  @Test(arguments: [
    "</title><script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' onload='alert(1)",
    "</text></svg><iframe src=javascript:alert(1)>", "&lt;b&gt; & <b>", "<!--",
    "]]><style>*{display:none}</style>",
  ])
  func aNameIsNeverMarkup(_ name: String) async throws {
    let installation = try await Installation()
    let tenant = try #require(try await installation.json("tenant create acme")["id"]?.string)
    let text = name.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''")
    for (row, plain) in [
      ("'notifications', '\(text)', '\(text)'", "'notifications', 'habit', 'w1'"),
      ("'permission', '', '\(text)'", "'permission', '', 'w1'"),
      ("'fatigue', 'cohort', '\(text)'", "'fatigue', 'cohort', 'w1'"),
      ("'fatigue', 'appVersion', '\(text)'", "'fatigue', 'appVersion', '3.1'"),
    ] {
      for place in [row, plain] {
        let counts =
          place.contains("fatigue") ? "{30,9,5,2,0,1}" : "{1,20,3,0,0,6,0,0,2,2,0,0,0,5,1,6,0,30,4,3,2,1}"
        _ = try await installation.database.column(
          """
          INSERT INTO carillon.report_counts (tenant_id, counted, type, cohort, day, counts)
          VALUES ('\(tenant)', \(place), '2026-03-01', '\(counts)') RETURNING ''
          """)
      }
    }
    _ = try await installation.database.column(
      """
      INSERT INTO carillon.report_days (tenant_id, day, rolled_up_at, age)
      VALUES ('\(tenant)', '2026-03-02', '2026-03-03', 1) RETURNING ''
      """)
    let folder = try TemporaryFolder()
    let outcome = try await installation.run("report all acme \(Self.days) --html \(folder.path("all.html"))")
    #expect(outcome == Tenantctl.Outcome(output: "", errors: "", code: 0))
    let page = try String(contentsOfFile: folder.path("all.html"), encoding: .utf8)
    let ours: Set = [
      "!DOCTYPE", "html", "head", "meta", "title", "style", "body", "main", "header", "h1", "h2", "h3", "p",
      "nav", "a",
      "section", "ul", "li", "b", "i", "span", "figure", "svg", "g", "rect", "line", "text", "polyline",
      "details",
      "summary", "div", "table", "thead", "tbody", "tr", "th", "td", "footer",
    ]
    for tag in page.matches(of: /<\/?([^\s>\/]*)([^>]*)/) {
      #expect(ours.contains(String(tag.output.1)), "\(tag.output.0)")
      #expect(!tag.output.2.contains("onerror") && !tag.output.2.contains("onload='"), "\(tag.output.0)")
    }
    let plain = PageWords.escaped(name)
    #expect(page.components(separatedBy: plain).count > 4, "the name stands nowhere")
    #expect(page.components(separatedBy: "<style>").count == 2)
  }

  /// As HTML writes text.
  private enum PageWords {
    static func escaped(_ text: String) -> String {
      [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\"", "&quot;"), ("'", "&#39;")].reduce(text) {
        $0.replacing($1.0, with: $1.1)
      }
    }
  }

  /// Where there is nothing to tell of a day, a line has a gap; a long time is told by the week.
  @Test func chartsTellWhatIsThere() async throws {
    let installation = try await Installation()
    let tenant = try #require(try await installation.json("tenant create acme")["id"]?.string)
    for day in ["2026-01-05", "2026-01-06", "2026-01-09", "2026-05-01"] {
      for row in [
        "'notifications', 'habit', '', '{0,10,0,0,0,0,0,0,0,0,0,0,0,5,0,3,0,4,1}'",
        "'permission', '', '', '{9,0,0,9}'",
      ] {
        _ = try await installation.database.column(
          """
          INSERT INTO carillon.report_counts (tenant_id, day, counted, type, cohort, counts)
          VALUES ('\(tenant)', '\(day)', \(row)) RETURNING ''
          """)
      }
      _ = try await installation.database.column(
        """
        INSERT INTO carillon.report_days (tenant_id, day, rolled_up_at, age)
        VALUES ('\(tenant)', '\(day)', '2026-05-03', 1) RETURNING ''
        """)
    }
    let folder = try TemporaryFolder()
    func page(_ report: String, _ to: String) async throws -> String {
      let file = folder.path("page.html")
      let outcome = try await installation.run(
        "report \(report) acme --from 2026-01-01 --to \(to) --html \(file)")
      try #require(outcome.code == 0, "\(outcome)")
      return try String(contentsOfFile: file, encoding: .utf8)
    }
    // Two days, and one alone.
    let rates = try await page("engagement", "2026-01-31")
    #expect(rates.components(separatedBy: "<polyline").count == 3)
    let short = try await page("evictions", "2026-01-31")
    #expect(short.contains("<title>2026-01-06: habit 3</title>"))
    let long = try await page("evictions", "2026-05-01")
    #expect(long.contains("<title>2026-01-03 to 2026-01-09: habit 9</title>"), "\(long)")
    #expect(long.contains("<title>2026-04-25 to 2026-05-01: habit 3</title>"))
    // Shares end at the whole.
    let states = try await page("authorization", "2026-01-31")
    #expect(states.contains(">100%</text>") && !states.contains(">150%</text>"))
  }

  @Test func rollUpTellsWhatItCounted() async throws {
    let installation = try await Installation()
    _ = try await installation.json("tenant create acme")
    let none = try await installation.json("report rollup acme")
    #expect(none["items"]?.array?.isEmpty == true)
    let two = try await installation.json("report rollup acme --from 2026-03-01 --to 2026-03-02")
    #expect(two["items"]?.array?.compactMap { $0["day"]?.string } == ["2026-03-01", "2026-03-02"])
    let future = try await installation.run("report rollup acme --from 2099-01-01 --to 2099-01-02")
    #expect(future.code == 2)
    _ = try await installation.database.column(
      """
      UPDATE carillon.report_days SET holder = tenant_id, held_until = '2099-01-01' WHERE day = '2026-03-02' RETURNING ''
      """)
    let busy = try await installation.run("report rollup acme --from 2026-03-01 --to 2026-03-02 -o csv")
    #expect(busy.code == 6 && busy.output == "day\r\n2026-03-01\r\n")
  }
}
