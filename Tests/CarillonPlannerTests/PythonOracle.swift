import CarillonZones
import Foundation
import TestSupport

/// CPython's `zoneinfo` and plain enumeration of days, asked in a child process: how fires and offsets are
/// computed by someone else's code.
enum PythonOracle {
  static let isInstalled: Bool = (try? answer("import zoneinfo, sys; print('yes')", to: [])) == ["yes"]

  struct Failure: Error { let text: String }

  /// Runs a script over lines of input, on the same zone data as the planner's: it reads that folder and no other.
  static func answer(
    _ script: String, to lines: [String], zoneFolder: String = zones.path
  ) throws -> [String] {
    let process = Program()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", "-c", pin + script]
    var environment = ProcessInfo.processInfo.environment
    environment["ORACLE_ZONE_FOLDER"] = zoneFolder
    process.environment = environment
    let question = FileManager.default.temporaryDirectory.appending(path: "carillon-\(UUID().uuidString)")
    try lines.joined(separator: "\n").write(to: question, atomically: false, encoding: .utf8)
    defer { try? FileManager.default.removeItem(at: question) }
    process.standardInput = try FileHandle(forReadingFrom: question)
    let output = Pipe()
    process.standardOutput = output.fileHandleForWriting
    try process.run()
    try output.fileHandleForWriting.close()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failure(text: "python3 failed; see above") }
    return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  private static let pin = """
    import os, zoneinfo
    zoneinfo.reset_tzpath([os.environ["ORACLE_ZONE_FOLDER"]])

    """

  /// The release of the zone data that is read, or nothing where the folder does not tell.
  static let release = """
    path = os.path.join(zoneinfo.TZPATH[0], "tzdata.zi")
    print(open(path).readline().split()[-1] if os.path.exists(path) else "")
    """

  /// For `zone instant wall`: the offset at the instant, and the instants of the wall time with fold 0 and 1.
  static let readings = """
    import sys, zoneinfo
    from datetime import datetime, timedelta, timezone
    epoch = datetime(1970, 1, 1)
    def seconds(naive, zone, fold):
        aware = naive.replace(tzinfo=zone, fold=fold)
        return int((naive - epoch).total_seconds() - aware.utcoffset().total_seconds())
    for line in sys.stdin:
        name, instant, wall = line.split()
        zone = zoneinfo.ZoneInfo(name)
        at = (epoch + timedelta(seconds=int(instant))).replace(tzinfo=timezone.utc)
        naive = epoch + timedelta(seconds=int(wall))
        print(int(at.astimezone(zone).utcoffset().total_seconds()), seconds(naive, zone, 0), seconds(naive, zone, 1))
    """

  /// For `zone now missing firstWeekday minimumDays key=value…`: the first fire after now, or `none`.
  ///
  /// Walks the days one by one and asks of each whether it matches.
  static let nextFire = """
    import sys, zoneinfo
    from datetime import date, datetime, time, timedelta, timezone
    epoch = datetime(1970, 1, 1)
    def weekday(day): return day.isoweekday() % 7 + 1
    def last_of_month(y, m): return (date(y + m // 12, m % 12 + 1, 1) - timedelta(days=1)).day
    def week_one(start, first, least):
        monday = start
        while weekday(monday) != first: monday -= timedelta(days=1)
        in_period = 7 - (start - monday).days
        return monday if in_period >= least else monday + timedelta(days=7)
    def week_year(day, first, least):
        for y in (day.year + 1, day.year, day.year - 1):
            start = week_one(date(y, 1, 1), first, least)
            if start <= day: return y, (day - start).days // 7 + 1
    class Rule:
        def __init__(self, given, missing, first, least):
            self.c = dict(given); self.missing = missing; self.first = first; self.least = least
            c = self.c
            self.week_unit = any(k in c for k in ('weekdayOrdinal', 'weekOfMonth', 'weekOfYear', 'yearForWeekOfYear'))
            self.dated = self.week_unit or any(k in c for k in ('year', 'month', 'day', 'weekday'))
            self.plain = not self.week_unit and 'weekday' not in c
            if 'yearForWeekOfYear' in c and not any(k in c for k in ('weekOfYear', 'year', 'month')): c['weekOfYear'] = 1
            if 'year' in c and not any(k in c for k in ('month', 'weekOfYear')): c['month'] = 1
            if self.plain and 'month' in c and 'day' not in c: c['day'] = 1
            self.firsts = {}
        def all_match(self, day):
            c = self.c
            if c.get('year', day.year) != day.year or c.get('month', day.month) != day.month: return False
            if c.get('day', day.day) != day.day or c.get('weekday', weekday(day)) != weekday(day): return False
            if 'weekdayOrdinal' in c and (day.day - 1) // 7 + 1 != c['weekdayOrdinal']: return False
            if 'weekOfMonth' in c:
                start = week_one(day.replace(day=1), self.first, self.least)
                if (day - start).days // 7 + 1 != c['weekOfMonth']: return False
            if 'weekOfYear' in c or 'yearForWeekOfYear' in c:
                y, w = week_year(day, self.first, self.least)
                if c.get('weekOfYear', w) != w or c.get('yearForWeekOfYear', y) != y: return False
            return True
        def on(self, day):
            c = self.c
            if not self.dated: return True
            if self.plain:
                for month_back in (0, 1):
                    y, m = day.year, day.month - month_back
                    if m == 0: y, m = y - 1, 12
                    if c.get('year', y) != y or c.get('month', m) != m: continue
                    last = last_of_month(y, m)
                    if 'month' in c and 'year' not in c and c['day'] > last_of_month(2000, m): continue
                    if c['day'] <= last: real = date(y, m, c['day'])
                    elif self.missing == 'lastDay': real = date(y, m, last)
                    elif self.missing == 'nextDay': real = date(y, m, last) + timedelta(days=1)
                    else: continue
                    if real == day: return True
                return False
            if not self.all_match(day): return False
            if not self.week_unit and 'month' not in c and 'day' not in c: return True
            if 'year' in c: start, length = date(c['year'], 1, 1), 366
            elif 'yearForWeekOfYear' in c: start, length = date(c['yearForWeekOfYear'] - 1, 12, 1), 430
            elif 'weekOfYear' in c: start, length = day - timedelta(days=6), 7
            elif 'month' in c: start, length = date(day.year, 1, 1), 366
            else: start, length = day.replace(day=1), 31
            if start not in self.firsts or 'weekOfYear' in c and 'year' not in c:
                days = (start + timedelta(days=i) for i in range(length))
                self.firsts[start] = next((d for d in days if self.all_match(d)), None)
            return self.firsts[start] == day
        def walls(self, day):
            c = self.c
            if not self.on(day): return
            h, m, s = c.get('hour'), c.get('minute'), c.get('second')
            hours = range(24) if not self.dated and h is None else [h or 0]
            minutes = range(60) if not self.dated and h is None and m is None else [m or 0]
            for hour in hours:
                for minute in minutes:
                    yield datetime.combine(day, time(hour, minute, s or 0))
    def main():
        for line in sys.stdin:
            parts = line.split()
            zone = zoneinfo.ZoneInfo(parts[0]); now = int(parts[1])
            given = {k: int(v) for k, v in (p.split('=') for p in parts[5:])}
            rule = Rule(given, parts[2], int(parts[3]), int(parts[4]))
            day = (epoch + timedelta(seconds=now)).replace(tzinfo=timezone.utc).astimezone(zone).date() - timedelta(days=2)
            best = None; seen = 0
            c = rule.c
            last = day + timedelta(days=366 * 41)
            while day < last:
                # Months and years in which nothing can be are passed over; a missing day may come a month later.
                if 'year' in c and 'weekOfYear' not in c:
                    if day.year > c['year'] + 1: break
                    if day.year < c['year'] - 1: day = date(c['year'] - 1, 12, 1)
                if 'month' in c and best is None and day.month not in (c['month'], c['month'] % 12 + 1):
                    day = date(day.year + day.month // 12, day.month % 12 + 1, 1)
                    continue
                for wall in rule.walls(day):
                    fire = int((wall - epoch).total_seconds() - wall.replace(tzinfo=zone, fold=0).utcoffset().total_seconds())
                    if fire > now and (best is None or fire < best): best = fire
                # A later day can still give an earlier instant only across a jump of a day.
                if best is not None: seen += 1
                if seen == 3: break
                day += timedelta(days=1)
            print('none' if best is None else best)
    main()
    """
}
