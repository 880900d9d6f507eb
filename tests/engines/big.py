"""big.py - a session of a million events through exports and SQL: counts and sums are those that
were added up while it was made.
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
                           "--type", "event", session.folder], stdout=subprocess.PIPE, text=True,
                          check=False)
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
    session = big_session.Session(folder, int(os.environ.get("RASTRUM_ENGINES_ROWS", 1000000)))
    if "trace_processor" in proved:
        for target in ("perfetto", "chrome"):
            if target in there:
                check_timeline(program, session, target, scratch, verdicts)
    if "folded" in there:
        check_folded(program, session, scratch, verdicts)
    if rows.has_sql(program):
        check_sql(program, session, verdicts)
    if "clickhouse" not in there:
        print("engines/clickhouse: not run: this rastrum does not export it")
    elif "ClickHouse" in proved:
        check_clickhouse(program, session, scratch, verdicts)
