import Testing

@testable import CarillonPostgres

@Suite struct StatementSplitterTests {
  static let rows: [(sql: String, statements: [String])] = [
    ("", []),
    (" ;; \n ; -- nothing\n /* none */ ;", []),
    ("SELECT 1", ["SELECT 1"]),
    ("SELECT 1; SELECT 2;\n", ["SELECT 1", "SELECT 2"]),
    ("-- why; because\nSELECT 1;", ["-- why; because\nSELECT 1"]),
    ("SELECT ';', 'it''s;';SELECT 2", ["SELECT ';', 'it''s;'", "SELECT 2"]),
    (#"SELECT '\';SELECT 2"#, [#"SELECT '\'"#, "SELECT 2"]),
    (#"SELECT E'\';';SELECT e'\\';"#, [#"SELECT E'\';'"#, #"SELECT e'\\'"#]),
    (#"SELECT "a;b""c;";SELECT 2"#, [#"SELECT "a;b""c;""#, "SELECT 2"]),
    ("SELECT $$a;b$$;SELECT 2", ["SELECT $$a;b$$", "SELECT 2"]),
    ("SELECT $q$a;$$;$q$;SELECT 2", ["SELECT $q$a;$$;$q$", "SELECT 2"]),
    ("SELECT a$b$c;SELECT d$b$", ["SELECT a$b$c", "SELECT d$b$"]),
    ("SELECT $1;SELECT $2", ["SELECT $1", "SELECT $2"]),
    ("SELECT 1 /* a; /* b; */ c; */;SELECT 2", ["SELECT 1 /* a; /* b; */ c; */", "SELECT 2"]),
    (
      "CREATE RULE r AS ON INSERT TO t DO (SELECT 1; SELECT 2);SELECT 3",
      ["CREATE RULE r AS ON INSERT TO t DO (SELECT 1; SELECT 2)", "SELECT 3"]
    ),
    (
      "CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT CASE WHEN true THEN 1 END; SELECT 2; END; SELECT 3",
      [
        "CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT CASE WHEN true THEN 1 END; SELECT 2; END",
        "SELECT 3",
      ]
    ),
    (
      "create or replace procedure p() begin atomic select 1; end;select 2",
      ["create or replace procedure p() begin atomic select 1; end", "select 2"]
    ),
    ("SELECT 'ü;', größe;SELECT 2", ["SELECT 'ü;', größe", "SELECT 2"]),
  ]

  @Test(arguments: rows) func splits(_ sql: String, _ statements: [String]) throws {
    #expect(try StatementSplitter.split(sql) == statements)
  }

  @Test(arguments: [
    ("SELECT 1;\nSELECT 'a", 2), ("/* a /* b */", 1), ("\n\n$x$ a $y$", 3), ("\"a", 1), (#"E'\'"#, 1),
  ])
  func saysWhereSomethingIsLeftOpen(_ sql: String, _ line: Int) {
    #expect(throws: StatementSplitter.Failure(line: line)) { try StatementSplitter.split(sql) }
  }

  @Test(arguments: [("/* x */ -- y\n begin;", "BEGIN"), ("SELECT 1", "SELECT"), ("", "")])
  func findsTheFirstWord(_ statement: String, _ word: String) {
    #expect(StatementSplitter.firstWord(of: statement) == word)
  }
}
