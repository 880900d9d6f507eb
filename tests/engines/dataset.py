"""dataset.py - a dataset of all goldens and a run, in DuckDB: rows and traces of each table are
those of the manifest, and values of a trace are those of its own export.
"""
import json
import os
import subprocess

import judge
import tables
import timelines

BATCH_TRACES = 60  # so that there are several batches
# Traces whose rows are compared with their own exports: of each format one, among many others.
COMPARED = ("murk/all_payloads", "murk/floats", "cdt/frida", "cdt/nested", "aerogpu/two_frames",
            "dial9/runtime", "dial9/not_utf8", "atf/spans", "atf/two_threads")


def add(program, folder, paths, *words):
    done = subprocess.run([program, "export", "--to", "dataset", "--quiet", "--batch-traces",
                           str(BATCH_TRACES), "-o", folder, *words, *paths],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=tables.SECONDS)
    return done.returncode, done.stderr.decode(errors="replace")


class Manifest:
    def __init__(self, folder):
        with open(os.path.join(folder, "_manifest.jsonl"), encoding="utf-8") as text:
            self.batches = [json.loads(line) for line in text]
        self.traces = [trace for batch in self.batches for trace in batch["traces"]]
        self.rows = {}
        for trace in self.traces:
            for table, count in trace["rows"].items():
                self.rows.setdefault(table, {})[trace["id"]] = count

    def id_of(self, path):
        return next((trace["id"] for trace in self.traces if trace["path"] == path), None)


def places(folder):
    """{table: files that DuckDB shall read}, by the metadata of one of its files."""
    first = {}
    for name in sorted(os.listdir(folder)):
        inner = os.path.join(folder, name)
        if name.startswith("_") or not os.path.isdir(inner):
            continue
        batch = os.path.join(inner, sorted(os.listdir(inner))[0])
        first[name] = os.path.join(batch, sorted(os.listdir(batch))[0])
    answers = judge.ask("hyparquet", [{"file": file, "limit": 0} for file in first.values()])
    return {answer.get("metadata", {}).get("rastrum.table", name):
            "read_parquet('%s/*/*.parquet', hive_partitioning = true, union_by_name = true)"
            % os.path.join(folder, name).replace("'", "''")
            for name, answer in zip(first, answers)}


def values_of(answer):
    return [list(row) for row in zip(*(column["values"] for column in answer["columns"]))]


def ask(statements):
    return judge.ask("duckdb", [{"file": "", "sql": sql, "limit": tables.ALL}
                                for sql in statements])


def check_counts(manifest, where, verdicts):
    """Rows and traces of each table."""
    verdicts.add("dataset: tables", judge.differences(sorted(manifest.rows), sorted(where)))
    names = [name for name in where if name in manifest.rows]
    answers = ask(["SELECT trace, count(*)::BIGINT, count(DISTINCT batch)::BIGINT FROM %s "
                   "GROUP BY trace" % where[name] for name in names])
    for name, answer in zip(names, answers):
        if "error" in answer:
            verdicts.add("dataset: " + name, [answer["error"]])
            continue
        got = {trace: count for trace, count, _ in values_of(answer)}
        wanted = manifest.rows[name]
        lines = judge.differences(wanted, got) + judge.differences(len(wanted), len(got), "traces")
        lines += ["%s is in %d batches" % (trace, count)
                  for trace, _, count in values_of(answer) if count != 1]
        verdicts.add("dataset: " + name, lines)
        if name == names[0]:
            verdicts.must_differ("dataset: a trace more", judge.differences(
                {**wanted, "0123456789abcdef": 1}, got))


def table_of(table, answer):
    """Of an answer the columns that an export of the trace alone has, in its order; others must be
    null: they are of other traces of the table."""
    there = {column["name"]: column for column in answer["columns"]}
    lines = []
    for name, column in there.items():
        extra = name not in [known.name for known in table.columns] and name != "batch"
        if extra and any(value is not None for value in column["values"]):
            lines.append("%s: %s of another trace" % (name, column["values"][:3]))
    columns = [there.get(column.name) for column in table.columns]
    if None in columns:
        return answer, ["a column is missing: %s" % sorted(there)]
    return {**answer, "columns": columns}, lines


def trace_complaints(exported, trace_id, where):
    """All rows of one trace, value by value with its own export."""
    there = [table for table in exported.tables if table.lines]
    absent = ["%s is not in the dataset" % table.full_name for table in there
              if table.full_name not in where]
    there = [table for table in there if table.full_name in where]
    answers = ask(["SELECT * FROM %s WHERE trace = '%s' ORDER BY seq" % (
        where[table.full_name], trace_id) for table in there])
    lines = absent
    for table, answer in zip(there, answers):
        if "error" in answer:
            lines.append("%s: %s" % (table.full_name, answer["error"]))
            continue
        table.lines.sort(key=lambda line: line["seq"])
        for line in table.lines:
            line["trace"] = trace_id
        answer, found = table_of(table, answer)
        found += tables.answer_complaints(table, answer, "DuckDB")
        lines += ["%s: %s" % (table.full_name, line) for line in found]
    return lines


def check(program, proved, scratch, verdicts):
    if "DuckDB" not in proved or "hyparquet" not in proved:
        return
    folder, run = os.path.join(scratch, "dataset"), os.path.join(scratch, "arena")
    subprocess.run([program, "run", "arena", "--seed", "7", "--ticks", "60", "--quiet", "-o", run],
                   check=True, stdout=subprocess.DEVNULL)
    traces = [trace for trace in timelines.goldens(program) if trace.status in (0, 3)]
    paths = [trace.path for trace in traces] + [run]
    status, said = add(program, folder, paths)
    verdicts.add("dataset: damaged traces are in it", judge.differences(3, status, said[-300:]))
    before = Manifest(folder)
    status, said = add(program, folder, paths, "--jobs", "2")
    manifest = Manifest(folder)
    verdicts.add("dataset: added again", judge.differences(
        [trace["id"] for trace in before.traces], [trace["id"] for trace in manifest.traces]))
    verdicts.add("dataset: batches", [] if len(manifest.batches) > 2 else ["there is but one"])
    where = places(folder)
    check_counts(manifest, where, verdicts)
    alone = [tables.Exported(trace, os.path.join(scratch, "d%d" % i))
             for i, trace in enumerate(traces) if trace.name in COMPARED]
    alone.append(tables.Exported(timelines.Trace(program, "run/arena", run, 0),
                                 os.path.join(scratch, "whole")))
    metadata = tables.metadata_of(alone)
    for exported in alone:
        exported.set_columns(metadata, tables.column_types(exported.trace))
        trace_id = manifest.id_of(exported.trace.path)
        verdicts.add("dataset: values of " + exported.trace.name, exported.lines + (
            trace_complaints(exported, trace_id, where) if trace_id else ["it is not there"]))
