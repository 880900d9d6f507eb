"""big.py - a session of a million events through exports and SQL: counts and sums are those that
were added up while it was made. With RASTRUM_EFFORT=full ten million.
"""
import json
import os
import subprocess

import big_session
import judge
import rows
import shards
import timelines

SLICES = {"all": "SELECT count(*), sum(dur), min(dur) > 0 FROM slice",
          "bad": timelines.QUERIES["bad"]}


def check_timeline(program, session, target, scratch, verdicts):
    trace = timelines.Trace(program, "atf/big", session.folder, 0)
    export = timelines.Export(program, trace, target, os.path.join(scratch, "big." + target))
    verdicts.add(export.name, timelines.export_complaints(export))
    answer = judge.ask("perfetto", [{"file": export.out, "queries": SLICES}])[0]
    if "error" in answer:
        verdicts.add(export.name + ": read", [answer["error"]])
        return
    wanted = {"all": [[session.calls, session.duration_sum, 1]], "bad": []}
    verdicts.add(export.name + ": read", judge.differences(
        wanted, {name: result["rows"] for name, result in answer["results"].items()}))
    os.remove(export.out)


def check_folded(program, session, scratch, verdicts):
    """The time of all calls themselves is the time inside the outermost ones."""
    trace = timelines.Trace(program, "atf/big", session.folder, 0)
    export = timelines.Export(program, trace, "folded", os.path.join(scratch, "big.folded"))
    verdicts.add(export.name, timelines.export_complaints(export) + judge.differences(
        session.busy_sum, timelines.folded_sum(export.out), "sum"))


def check_sql(program, session, verdicts):
    trace = timelines.Trace(program, "atf/big", session.folder, 0)
    for sql, wanted in (
            ("SELECT count(*), sum(call_depth), sum(time_ns), count(DISTINCT function_id) "
             "FROM event", [[session.events, session.depth_sum, session.time_sum,
                             len(session.functions)]]),
            ("SELECT count(*), sum(duration_ns) FROM span",
             [[session.calls, session.duration_sum]]),
            ("SELECT function_id, count(*), sum(call_depth) FROM event GROUP BY 1 ORDER BY 1",
             [["0x%016x" % key, *told] for key, told in sorted(session.by_function.items())])):
        status, lines, said = rows.ask(trace, sql)
        verdicts.add("big: " + sql[:50], [said] if status else judge.differences(
            wanted, [list(json.loads(line).values()) for line in lines]))


PARQUET = {
    "all": "SELECT count(*)::BIGINT, sum(call_depth)::BIGINT, sum(time_ns)::HUGEINT, "
           "count(DISTINCT function_id)::BIGINT, count(DISTINCT function)::BIGINT FROM %s",
    "range": "SELECT count(*)::BIGINT, sum(call_depth)::BIGINT, min(seq), max(seq) FROM %s "
             "WHERE time_ns >= {0} AND time_ns < {1}",
    "bounds": "SELECT path_in_schema, min(stats_min_value::UBIGINT), max(stats_max_value::UBIGINT)"
              ", sum(stats_null_count)::BIGINT FROM parquet_metadata('{file}') WHERE path_in_schema"
              " IN ('seq', 'time_ns', 'call_depth', 'function_id') GROUP BY 1 ORDER BY 1",
    "values": "SELECT * FROM (" + " UNION ALL ".join(
        "SELECT '{0}', min({0})::UBIGINT, max({0})::UBIGINT, (count(*) - count({0}))::BIGINT "
        "FROM %s".format(name) for name in ("seq", "time_ns", "call_depth", "function_id"))
              + ") ORDER BY 1",
}


def rows_of(answer):
    return answer["error"] if "error" in answer else [
        list(row) for row in zip(*(column["values"] for column in answer["columns"]))]


def check_parquet(program, session, proved, scratch, verdicts):
    """Counts and sums of the file in DuckDB and chDB; a range by time, which bounds of row groups
    and pages answer; those bounds with the values."""
    trace = timelines.Trace(program, "atf/big", session.folder, 0)
    path = os.path.join(scratch, "big.parquet")
    done = subprocess.run([program, "export", "--to", "parquet", "--type", "event", "--quiet",
                           "-o", path, session.folder])
    verdicts.add("big: parquet", judge.differences(0, done.returncode))
    status, lines, said = rows.ask(trace, "SELECT min(time_ns) a, max(time_ns) b FROM event")
    first, last = json.loads(lines[0]).values() if status == 0 else (0, 0)
    low, high = first + (last - first) // 3, first + (last - first) // 3 + (last - first) // 50
    status, lines, said = rows.ask(trace, "SELECT count(*), sum(call_depth), min(seq), max(seq) "
                                   "FROM event WHERE time_ns >= %d AND time_ns < %d" % (low, high))
    inside = [said] if status else [list(json.loads(lines[0]).values())]
    whole = [[session.events, session.depth_sum, session.time_sum, len(session.functions),
              len(session.functions)]]
    if "DuckDB" in proved:
        file = "read_parquet('%s')" % path
        answers = judge.ask("duckdb", [{"file": path, "sql": sql} for sql in (
            PARQUET["all"] % file, (PARQUET["range"] % file).format(low, high),
            PARQUET["bounds"].format(file=path), PARQUET["values"].replace("%s", file))])
        got = [rows_of(answer) for answer in answers]
        verdicts.add("big: DuckDB, sums", judge.differences(whole, got[0]))
        verdicts.add("big: DuckDB, a range of times", judge.differences(inside, got[1]))
        verdicts.add("big: DuckDB, bounds", judge.differences(got[3], got[2]))
    if "chDB" in proved:
        file = "file('%s', 'Parquet')" % path
        sql = ("SELECT toInt64(count()), toInt64(sum(call_depth)), min(seq), max(seq) FROM %s "
               "WHERE time_ns >= %d AND time_ns < %d" % (file, low, high))
        verdicts.add("big: chDB, a range of times", judge.differences(
            inside, rows_of(judge.ask("chdb", [{"file": path, "sql": sql}])[0])))
    if "hyparquet" in proved:
        answer = judge.ask("parquet_bounds", [{"file": path, "columns": [
            "seq", "time_ns", "call_depth", "function", "detail_seq"]}])[0]
        lines = [answer["error"]] if "error" in answer else list(answer["complaints"])
        if not lines and answer["pages"] < 20:
            lines = ["%d pages in %d row groups" % (answer["pages"], answer["groups"])]
        verdicts.add("big: bounds of pages", lines)


def load_shard(program, session, both, shard):
    """RowBinary from the program to a server, through a pipe."""
    with subprocess.Popen([program, "export", "--to", "clickhouse", "--type", "event", "--shard",
                           "%d/2" % shard, "--quiet", session.folder],
                          stdout=subprocess.PIPE) as export:
        both.ask(shard, "INSERT INTO atf_event_local FORMAT RowBinary", export.stdout)
    if export.returncode:
        raise shards.Failed("export of shard %d: exit status %d" % (shard, export.returncode))


def check_clickhouse(program, session, scratch, verdicts):
    """Two shards hold the events by stream; the Distributed table has all of them, once, also
    when a batch was loaded again."""
    done = subprocess.run([program, "export", "--to", "clickhouse", "--ddl", "--cluster", "rastrum",
                           "--type", "event", "--quiet", session.folder],
                          stdout=subprocess.PIPE, text=True, check=False)
    statements = [text for text in done.stdout.split(";\n") if text.strip()]
    verdicts.add("clickhouse: DDL", [] if done.returncode == 0 and statements else
                 ["exit status %d, %d statements" % (done.returncode, len(statements))])
    ask = ("SELECT count(), sum(call_depth), sum(time_ns), uniqExact(function_id), "
           "uniqExact(function) FROM atf_event")
    wanted = "%d\t%d\t%d\t%d\t%d\n" % (session.events, session.depth_sum, session.time_sum,
                                       len(session.functions), len(session.functions))
    try:
        with shards.Shards(scratch) as both:
            for shard in (0, 1):
                for statement in statements:
                    both.ask(shard, statement)
                load_shard(program, session, both, shard)
                half = both.ask(shard, "SELECT count() FROM atf_event_local")
                verdicts.add("clickhouse: half of it in shard %d" % (shard + 1),
                             judge.differences("%d\n" % (session.events // 2), half))
            for shard in (0, 1):
                verdicts.add("clickhouse: all of it, asked of shard %d" % (shard + 1),
                             judge.differences(wanted, both.ask(shard, ask)))
            batch = both.ask(0, "SELECT DISTINCT batch FROM atf_event_local").strip()
            both.ask(0, "ALTER TABLE atf_event_local DROP PARTITION '%s'" % batch)
            load_shard(program, session, both, 0)
            verdicts.add("clickhouse: a batch loaded again",
                         judge.differences(wanted, both.ask(1, ask)))
    except shards.Failed as error:
        verdicts.add("clickhouse", [error])


def check(program, proved, scratch, verdicts):
    there = timelines.targets(program)
    folder = os.path.join(scratch, "big")
    usual = 10000000 if os.environ.get("RASTRUM_EFFORT") == "full" else 1000000
    count = int(os.environ.get("RASTRUM_ENGINES_ROWS", usual))
    session = big_session.Session(folder, count)
    print("# big: %d events" % count, flush=True)
    if "trace_processor" in proved:
        for target in ("perfetto", "chrome"):
            if target in there:
                check_timeline(program, session, target, scratch, verdicts)
    # Calls at random: ten million of them have more different stacks than a profile keeps (2^21).
    if "folded" in there and count <= 1000000:
        check_folded(program, session, scratch, verdicts)
    if rows.has_sql(program):
        check_sql(program, session, verdicts)
    if "parquet" in there:
        check_parquet(program, session, proved, scratch, verdicts)
    if "ClickHouse" in proved:
        check_clickhouse(program, session, scratch, verdicts)
