"""rows.py - the rows of every table of every golden, as `rastrum sql` gives them, field by field
what `rastrum cat` prints.
"""
import concurrent.futures
import json
import struct
import subprocess

import judge
import timelines

SECONDS = 120
COMMON = ("seq", "time_ns", "tick", "stream", "offset")
NO_NUMBER = ("NaN", "nan")  # SQLite has no such float: NULL
MOST = {"u8": (1 << 8) - 1, "u16": (1 << 16) - 1, "u32": (1 << 32) - 1, "u64": (1 << 64) - 1,
        "i64": (1 << 63) - 1}


def pairs(text):
    """JSON with the order of keys, and keys that come twice."""
    return json.loads(text, object_pairs_hook=lambda items: [("{}", *item) for item in items])


def has_sql(program):
    return subprocess.run([program, "sql", "--help"], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL).returncode == 0


def ask(trace, sql, *more):
    """Exit status, rows as dictionaries, what was said."""
    done = subprocess.run([trace.program, "sql", "--format", "jsonl", *more, trace.path, sql],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=SECONDS)
    return (done.returncode, done.stdout.decode(errors="surrogateescape").splitlines(),
            done.stderr.decode(errors="replace").strip())


def quote(name):
    return '"%s"' % name.replace('"', '""')


class Table:
    def __init__(self, row, columns):
        self.name, self.type, self.kind = row["name"], row["type"], row["kind"]
        self.columns = [column for column in columns
                        if column["table"] == self.name and not column["hidden"]]


def tables(trace):
    """The tables of records, and what is wrong with asking for them."""
    status, lines, said = ask(trace, "SELECT * FROM _tables; SELECT * FROM _columns")
    if status not in (0, 3):
        return [], ["exit status %d: %s" % (status, said)]
    rows = [json.loads(line) for line in lines]
    columns = [row for row in rows if "column" in row]
    return [Table(row, columns) for row in rows if "kind" in row and row["type"]
            and row["kind"] in ("records", "on_request")], []


def field_of(values, path):
    """A field by its name, or the item of a map in it: pos.x. `values` are pairs()."""
    for _, name, value in values:
        if name == path:
            return value
        if path.startswith(name + ".") and isinstance(value, list):
            return field_of(value, path[len(name) + 1:])
    return None


def fitting(kind, value):
    """A number that its column cannot hold is NULL there, also in a list."""
    if kind.startswith("list of ") and isinstance(value, list):
        return [fitting(kind[8:], item) for item in value]
    fits = kind not in MOST or not isinstance(value, int) or (
        (0 if kind[0] == "u" else -1 - MOST[kind]) <= value <= MOST[kind])
    return value if fits else None


def cell_complaints(column, wanted, got):
    wanted = fitting(column["type"], wanted)
    if isinstance(got, str) and (column["type"] == "json" or isinstance(wanted, list)):
        try:
            parsed = pairs(got)
        except ValueError:
            return ["%s: no JSON: %.80s" % (column["column"], got)]
        return [] if parsed == wanted else ["%s: %.80s, not %.80s" % (
            column["column"], parsed, wanted)]
    if got is None and wanted in NO_NUMBER:
        return []
    if isinstance(wanted, float) and isinstance(got, float) and is_narrow(wanted, got):
        return []
    return judge.differences(wanted, got, column["column"])


def is_narrow(wanted, got):
    """A float of 32 bits: cat prints the shortest digits that give it, a table has all of it."""
    try:
        return struct.pack("<f", wanted) == struct.pack("<f", got) and \
            struct.unpack("<f", struct.pack("<f", got))[0] == got
    except OverflowError:
        return False


def row_complaints(table, record, row):
    """record is pairs() of a line of cat; row a dictionary."""
    top = {name: value for _, name, value in record}
    lines = []
    for column in table.columns:
        name, got = column["column"], row.get(column["column"])
        if column["field"]:
            wanted = field_of(top["values"], column["field"])
        elif name in COMMON:
            wanted = top.get(name)
            if name == "time_ns" and wanted == 0 and got is None:
                continue
        else:
            continue
        lines += cell_complaints(column, wanted, got)
    return ["%s, seq %s: %s" % (table.name, top["seq"], line) for line in lines]


def table_complaints(table, records, rows):
    if len(records) != len(rows):
        return ["%s: %d rows, and cat prints %d" % (table.name, len(rows), len(records))]
    return [line for record, row in zip(records, rows)
            for line in row_complaints(table, record, row)]


def lines_of(trace, *words):
    """(type, pairs) of every line of cat."""
    for line in trace.ask("cat", "--format", "jsonl", "--no-progress", *words).splitlines():
        record = pairs(line)
        yield next(value for _, name, value in record if name == "type"), record


def records_of(trace, types, words=()):
    """Records by type: all default types, and those that must be asked for, one by one. words:
    more options of cat."""
    found = {}
    for kind, record in lines_of(trace, *words):
        found.setdefault(kind, []).append(record)
    for name in types:
        found[name] = [record for kind, record in lines_of(trace, "--type", name, *words)
                       if kind == name]
    return found


def trace_complaints(trace, alter=None):
    """All tables of a trace. `alter` changes the rows first: to show that it would be noticed."""
    all_tables, lines = tables(trace)
    if lines:
        return lines if trace.status in (0, 3) else []
    asked = [table.type for table in all_tables if table.kind == "on_request"]
    records = records_of(trace, asked)
    sql = "; ".join("SELECT %d AS \"#\", * FROM %s" % (i, quote(table.name))
                    for i, table in enumerate(all_tables))
    status, answer, said = ask(trace, sql)
    if status != trace.status:
        lines.append("exit status %d, and cat has %d: %s" % (status, trace.status, said[-300:]))
    rows = {}
    for line in answer:
        row = json.loads(line)
        rows.setdefault(row["#"], []).append(row)
    if alter:
        alter(rows)
    for i, table in enumerate(all_tables):
        lines += table_complaints(table, records.get(table.type, []),
                                  rows.get(i, []))
    return lines


def change_a_value(rows):
    row = next(iter(rows.values()))[0]
    row["offset"] += 1


def lose_a_row(rows):
    next(iter(rows.values())).pop()


def check(program, verdicts):
    if not has_sql(program):
        print("engines/sql: not run: this rastrum has no verb sql")
        return
    traces = list(timelines.goldens(program))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for trace, lines in zip(traces, pool.map(trace_complaints, traces)):
            verdicts.add(trace.name + ": rows", lines)
    murk = next(trace for trace in traces if trace.name == "murk/all_payloads")
    for alter in (change_a_value, lose_a_row):
        verdicts.must_differ("rows: " + alter.__name__, trace_complaints(murk, alter))
