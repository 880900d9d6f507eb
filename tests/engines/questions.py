"""questions.py - questions in SQL about a run, asked of `rastrum sql`, of DuckDB and of the stock
sqlite3; the last two have plain tables, filled with what `rastrum cat` prints.
"""
import json
import os
import re
import sqlite3
import subprocess

import judge
import rows
import timelines

PARTS = {"murk": "replay.murk", "cdt": "state.cdt", "aerogpu": "gpu.aerogputrace",
         "dial9": "events.trc", "atf": "calls"}
HEX = re.compile(r"^0x[0-9a-f]{16}$")
MAPS = ("fields", "bonus_timers")  # columns whose keys are data
WIDE = 1 << 63

# Those of docs/sql.md that need no derived table.
QUESTIONS = """
SELECT source_id, payload_name, count(*) n FROM murk.command GROUP BY 1, 2 ORDER BY n DESC, 1, 2;
SELECT tick, command_count FROM murk.frame ORDER BY command_count DESC, tick LIMIT 10;
SELECT tick, seq, payload_name FROM murk.command WHERE expires_after_tick < tick ORDER BY seq;
SELECT source_id, source_seq, prev FROM (SELECT source_id, source_seq, lag(source_seq) OVER
  (PARTITION BY source_id ORDER BY seq) prev FROM murk.command) WHERE source_seq <= prev;
SELECT c.tick, x.value x, y.value y FROM murk.command c
  JOIN murk.command_coord x ON x.parent_seq = c.seq AND x.idx = 0
  JOIN murk.command_coord y ON y.parent_seq = c.seq AND y.idx = 1
  WHERE c.payload_name = 'Move' AND c.entity_id = 1 ORDER BY c.seq;
SELECT tick, count(*) alive, avg(hp) FROM cdt.creature WHERE active GROUP BY tick ORDER BY tick;
SELECT uid, generation, min(tick) born, max(tick) gone, min(hp) FROM cdt.creature GROUP BY 1, 2
  ORDER BY gone - born DESC, 1, 2 LIMIT 20;
SELECT caller, count(*) n FROM cdt.rng GROUP BY caller ORDER BY n DESC, caller;
SELECT tick, tick_call_index FROM (SELECT seq, tick, tick_call_index, state_before_u32,
  lag(state_after_u32) OVER (ORDER BY seq) prev FROM cdt.rng) WHERE state_before_u32 <> prev
  ORDER BY seq LIMIT 1;
SELECT owner_id, type_id, count(*) kills, sum(xp_awarded) xp FROM cdt.death GROUP BY 1, 2
  ORDER BY kills DESC, 1, 2;
SELECT pool_kind, count(*) n, min(uid), max(pos_x) FROM (
  SELECT pool_kind, uid, pos_x FROM cdt.creature UNION ALL
  SELECT pool_kind, uid, pos_x FROM cdt.projectile) GROUP BY 1 ORDER BY 1;
SELECT tick frame, count(*) n FROM aerogpu.command GROUP BY tick ORDER BY n DESC, 1 LIMIT 10;
SELECT name, count(*) n, sum(size_bytes) bytes FROM aerogpu.command GROUP BY name
  ORDER BY bytes DESC, 1;
SELECT tick frame, sum(size) bytes FROM aerogpu.blob GROUP BY tick ORDER BY bytes DESC, 1 LIMIT 10;
SELECT name, count(*) n, sum(duration_ns) ns FROM dial9.phase GROUP BY name ORDER BY ns DESC, name;
SELECT function, count(*) n, sum(duration_ns) total, max(duration_ns) worst FROM atf.span
  GROUP BY 1 ORDER BY total DESC, 1 LIMIT 20;
SELECT function, sum(self_ns) self, count(*) n FROM atf.span GROUP BY 1 ORDER BY self DESC, 1
  LIMIT 20;
SELECT function, duration_ns, call_seq FROM (SELECT function, duration_ns, call_seq, row_number()
  OVER (PARTITION BY function ORDER BY duration_ns DESC, call_seq) r FROM atf.span) WHERE r = 1
  ORDER BY duration_ns DESC, 1;
SELECT reason, function, count(*) FROM atf.span WHERE reason <> 'matched' GROUP BY 1, 2
  ORDER BY 1, 2;
SELECT p.function caller, c.function callee, count(*) n FROM atf.span c
  JOIN atf.span p ON p.call_seq = c.parent_call_seq GROUP BY 1, 2 ORDER BY n DESC, 1, 2;
SELECT event_kind, count(*) n, max(call_depth) deepest FROM atf.event GROUP BY 1 ORDER BY 1;
SELECT count(*), sum(CASE WHEN d.snapshot_hash = f.snapshot_hash THEN 1 ELSE 0 END)
  FROM murk.frame f JOIN dial9.tick d ON d.tick = f.tick;
SELECT c.creature_count - c.creature_count % 10 n, count(*) ticks, avg(d.duration_ns)
  FROM cdt.checkpoint c JOIN dial9.tick d ON d.tick = c.tick GROUP BY 1 ORDER BY 1;
SELECT h.tick, h.entity, h.amount, (SELECT count(*) FROM cdt.hit x WHERE x.tick = h.tick) in_state
  FROM dial9.hit h ORDER BY h.tick, h.seq;
SELECT m.tick, m.entity_id, x.value want_x, p.pos_x FROM murk.command m
  JOIN murk.command_coord x ON x.parent_seq = m.seq AND x.idx = 0
  JOIN cdt.sim_player p ON p.tick = m.tick AND p."index" = m.source_id - 1
  WHERE m.payload_name = 'Move' AND m.source_id IN (1, 2) ORDER BY m.seq;
"""


def questions():
    return [text.strip() for text in QUESTIONS.strip().split(";") if text.strip()]


# ---- plain tables ------------------------------------------------------------------------

def flat(values, prefix=""):
    """Fields as columns: pos.x is pos_x; maps and lists are JSON."""
    out = {}
    for name, value in values.items():
        if isinstance(value, dict) and (prefix or name not in MAPS):
            out.update(flat(value, prefix + name + "_"))
        elif isinstance(value, (dict, list)):
            out[prefix + name] = json.dumps(value, separators=(",", ":"))
        elif isinstance(value, str) and HEX.match(value):
            out[prefix + name] = int(value, 16)
        else:
            out[prefix + name] = value
    return out


def read_part(trace):
    """{table: rows} of one trace of the run."""
    found = {}
    records = trace.records() + (trace.records("--type", "span") if trace.format == "atf" else [])
    for record in records:
        row = {name: record[name] for name in ("seq", "time_ns", "tick", "stream")
               if name in record}
        fields = flat(record["values"])
        row.update({record["type"] + "_" + name if name in ("offset", "seq") else name: value
                    for name, value in fields.items()})
        found.setdefault(record["type"], []).append(row)
        for i, value in enumerate(record["values"].get("coord") or []):
            found.setdefault(record["type"] + "_coord", []).append(
                {"parent_seq": record["seq"], "idx": i, "value": value})
    return found


def kind_of(values):
    some = {type(value) for value in values if value is not None}
    if some <= {bool}:
        return "BOOLEAN"
    if some <= {int}:
        return "UBIGINT" if any((value or 0) >= WIDE for value in values) else "BIGINT"
    return "DOUBLE" if some <= {int, float} else "VARCHAR"


def columns_of(table):
    """{column: type}, in the order of their first appearance."""
    names = list(dict.fromkeys(name for row in table for name in row))
    return {name: kind_of([row.get(name) for row in table]) for name in names}


def fill_sqlite(path, parts):
    """A database for each schema; wide integers by their bits, as rastrum stores them."""
    for schema, found in parts.items():
        with sqlite3.connect(os.path.join(path, schema + ".db")) as base:
            for table, lines in found.items():
                names = list(columns_of(lines))
                base.execute("CREATE TABLE %s (%s)" % (
                    rows.quote(table), ", ".join(map(rows.quote, names))))
                base.executemany(
                    "INSERT INTO %s VALUES (%s)" % (rows.quote(table), ",".join("?" * len(names))),
                    [[signed(line.get(name)) for name in names] for line in lines])
        base.close()


def signed(value):
    return value - (1 << 64) if isinstance(value, int) and value >= WIDE else value


def duckdb_statements(path, parts):
    out = []
    for schema, found in parts.items():
        out.append("CREATE SCHEMA " + schema)
        for table, lines in found.items():
            place = os.path.join(path, "%s.%s.jsonl" % (schema, table))
            with open(place, "w", encoding="utf-8") as text:
                text.writelines(json.dumps(line) + "\n" for line in lines)
            types = ", ".join("%s: '%s'" % (rows.quote(name), kind)
                              for name, kind in columns_of(lines).items())
            out.append("CREATE TABLE %s.%s AS SELECT * FROM read_json('%s', columns = {%s}, "
                       "format = 'newline_delimited')" % (schema, rows.quote(table), place, types))
    return out


# ---- asking ------------------------------------------------------------------------------

def ask_sqlite(path, sql):
    attach = "".join("ATTACH '%s' AS %s; " % (os.path.join(path, name + ".db"), name)
                     for name in PARTS)
    done = subprocess.run(["sqlite3", "-json", ":memory:", attach + sql], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=rows.SECONDS)
    if done.returncode:
        return done.stderr.strip()
    return [list(row.values()) for row in json.loads(done.stdout or "[]")]


def ask_rastrum(program, folder, sql, *more):
    trace = timelines.Trace(program, "run/arena", folder, 0)
    status, lines, said = rows.ask(trace, sql, *more)
    if status:
        return "exit status %d: %s" % (status, said)
    return [list(json.loads(line).values()) for line in lines]


def ask_duckdb(statements):
    """Rows of each statement, or its error: one process for all."""
    found = []
    for answer in judge.ask("duckdb", [{"file": "", "sql": sql, "limit": 1 << 20}
                                       for sql in statements]):
        columns = answer.get("columns", [])
        found.append(answer["error"] if "error" in answer else
                     [list(row) for row in zip(*(column["values"] for column in columns))])
    return found


def plain(value):
    """Engines differ in how they print the same value."""
    if isinstance(value, str) and HEX.match(value):
        return int(value, 16)
    if isinstance(value, bool):
        return int(value)
    return float("%.12g" % value) if isinstance(value, float) else value


def complaints(wanted, got):
    if isinstance(wanted, str) or isinstance(got, str):
        return ["%.300s" % text for text in (wanted, got) if isinstance(text, str)]
    lines = judge.differences([[plain(value) for value in row] for row in wanted],
                              [[plain(value) for value in row] for row in got])
    return lines if wanted else lines + (["no rows"] if lines else [])


def check(program, proved, scratch, verdicts):
    """Both plain engines agree, and rastrum with them, with each engine that it has."""
    if "DuckDB" not in proved or "sqlite3" not in proved:
        return
    folder = os.path.join(scratch, "run")
    subprocess.run([program, "run", "arena", "--seed", "7", "--ticks", "150", "--quiet", "-o",
                    folder], check=True, stdout=subprocess.DEVNULL)
    parts = {form: read_part(timelines.Trace(program, form, os.path.join(folder, part), 0))
             for form, part in PARTS.items()}
    fill_sqlite(scratch, parts)
    filling = duckdb_statements(scratch, parts)
    answers = ask_duckdb(filling + questions())
    for statement, answer in zip(filling, answers):
        if isinstance(answer, str):
            verdicts.add("plain tables", [statement[:100], answer])
    has_sql = rows.has_sql(program)
    for number, (sql, wanted) in enumerate(zip(questions(), answers[len(filling):]), 1):
        name = "question %d (%s...)" % (number, " ".join(sql.split())[:60])
        verdicts.add(name + ": sqlite3", complaints(wanted, ask_sqlite(scratch, sql)))
        if has_sql:
            got = ask_rastrum(program, folder, sql)
            verdicts.add(name + ": rastrum sql", complaints(wanted, got))
            if number == 1 and isinstance(got, list):
                verdicts.must_differ("questions: a row less", complaints(wanted, got[1:]))
    if not has_sql:
        print("engines/questions: not run: this rastrum has no verb sql")
