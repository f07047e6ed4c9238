import Foundation

/// A server as a team would write it in Python in a day: FastAPI, asyncpg and orjson, two workers. It does less than
/// a sync: it checks the settings, keeps them with one upsert, and answers the same 64 requests to everybody.
struct PythonPeer {
  /// Of PyPI; `uvloop` and `httptools` come with `uvicorn[standard]`.
  static let packages = ["fastapi", "uvicorn", "uvloop", "httptools", "asyncpg", "orjson"]

  let port: UInt16
  private let process: ChildProcess
  private let folder: String
  private let request: [UInt8]

  /// Nil where Python or one of its packages is missing.
  ///
  /// - Parameter socketFolder: of the cluster in which ``PostgresFloor/prepare()`` has made its database.
  init?(socketFolder: String, port: UInt16) throws {
    let python = "/usr/bin/env"
    let imports = Self.packages.map { "import \($0)" }.joined(separator: ";")
    guard (try? ChildProcess.run(python, ["python3", "-c", imports])) != nil else { return nil }
    self.port = port
    folder = NSTemporaryDirectory() + "carillon-peer-\(getpid())"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Self.program.write(toFile: "\(folder)/peer.py", atomically: true, encoding: .utf8)
    process = try ChildProcess(
      python,
      [
        "PEER_SOCKETS=\(socketFolder)", "PEER_DATABASE=\(PostgresFloor.database)", "PYTHONPATH=\(folder)",
        "python3", "-m", "uvicorn", "peer:app", "--port", "\(port)", "--workers", "\(Self.workers)",
        "--no-access-log",
      ],
      waitingFor: Self.workers
    ) { $0.contains("Application startup complete.") }
    let pending = (0..<64).map { (id: "habit.\($0)", revision: "0123456789abcdef") }
    let body =
      Array("{\"device\":\"\(SyncFleet.identifier(1))\"".utf8)
      + ReportBodies.report(pending: pending).replacing(
        Array("\"device\":{".utf8), with: Array("\"about\":{".utf8))
    var request: [UInt8] = []
    RequestWriter.post("/sync", key: "-", [body], into: &request)
    self.request = request
  }

  private static let workers = 2

  /// The same request again and again.
  var next: @Sendable (Int, inout [UInt8]) -> Bool {
    { [request] _, buffer in
      buffer += request
      return true
    }
  }

  func stop() {
    process.stop()
    try? FileManager.default.removeItem(atPath: folder)
  }

  private static let program = """
    from contextlib import asynccontextmanager
    from os import environ
    from uuid import UUID

    from asyncpg import create_pool
    from fastapi import FastAPI, Request, Response
    from orjson import dumps
    from pydantic import BaseModel


    class Held(BaseModel):
        id: str
        revision: str


    class Report(BaseModel):
        device: UUID
        authorizationStatus: str
        settings: dict[str, str | bool]
        pending: list[Held]


    UPSERT = (
        "INSERT INTO floor_devices AS d (id, settings, app_version, held, foreign_count, reported_at, reports)"
        " VALUES ($1, $2::jsonb, '3.2.0', $3, 0, now(), 1)"
        " ON CONFLICT (id) DO UPDATE SET settings = excluded.settings, held = excluded.held,"
        " reported_at = excluded.reported_at, reports = d.reports + 1 RETURNING reports"
    )
    ADDED = [
        {
            "id": f"habit.{n}", "revision": f"{n:016x}", "fireAt": "2026-12-01T08:00:00Z",
            "trigger": {"kind": "instant", "at": "2026-12-01T08:00:00Z"}, "content": {"title": f"Habit {n}"},
        }
        for n in range(64)
    ]


    @asynccontextmanager
    async def lifespan(app):
        app.state.pool = await create_pool(
            host=environ["PEER_SOCKETS"], user="postgres", database=environ["PEER_DATABASE"],
            min_size=8, max_size=8,
        )
        yield
        await app.state.pool.close()


    app = FastAPI(lifespan=lifespan)


    @app.post("/sync")
    async def sync(request: Request):
        report = Report.model_validate_json(await request.body())
        async with app.state.pool.acquire() as connection:
            version = await connection.fetchval(
                UPSERT, report.device, dumps(report.settings).decode(), len(report.pending)
            )
        answer = {"planVersion": version, "diff": {"remove": [], "add": ADDED}}
        return Response(dumps(answer), media_type="application/json")
    """
}
