"""tables.py - the tables of every golden, and of a run, as Parquet and Arrow in readers that share
no code with rastrum. What they read is, value by value, what the export to JSON lines has, and that
is what `rastrum cat` prints.
"""
import concurrent.futures
import json
import os
import re
import struct
import subprocess

import judge
import questions
import rows
import timelines
import values

SECONDS = 120
# reader of setup.READERS: the name of its script, and targets
READERS = {"hyparquet": ("hyparquet", ("parquet",)),
           "parquet-wasm": ("parquet_wasm", ("parquet",)),
           "DuckDB": ("duckdb", ("parquet",)),
           "apache-arrow": ("arrow", ("arrow",)),
           "chDB": ("chdb", ("parquet", "arrow"))}
BYTES_ALONE = ("chDB",)  # text is bytes, and a list that is null an empty one
NO_MARK = ("hyparquet", "parquet-wasm", "DuckDB", "apache-arrow")  # JavaScript drops U+FEFF
# What JSON lines need not say.
LOST = ("texts that are not UTF-8 have U+FFFD instead", "lists with an item that is null are null")
EXTENSIONS = {"parquet": ".parquet", "arrow": ".arrows", "jsonl": ".jsonl"}
# Goldens of which all tables are read: lists, maps, what is made on request, system tables.
WHOLE = ("murk/all_payloads", "murk/empty_lists", "murk/floats", "cdt/frida", "cdt/nested",
         "cdt/wide_ints", "aerogpu/submission", "aerogpu/two_frames", "dial9/runtime",
         "dial9/all_types", "atf/spans", "atf/detail", "atf/two_threads")
KINDS = {"bool": "bool", "f32": "float", "f64": "float", "text": "text", "json": "text",
         "blob": "bytes"}
ODD_FLOATS = {"nan": "nan", "inf": "inf", "-inf": "-inf", "infinity": "inf", "-infinity": "-inf"}
SURROGATE = re.compile("[\ud800-\udfff]")  # JSON lines have bytes that are no UTF-8 so
ALL = 1 << 30  # rows of which a reader tells the values


# ---- values ------------------------------------------------------------------------------

def float_key(value, narrow):
    """The bits of a float; all NaN are one."""
    value = float(ODD_FLOATS[value.lower()] if isinstance(value, str) else value)
    if value != value:
        return "nan"
    return struct.pack(">d", struct.unpack("<f", struct.pack("<f", value))[0] if narrow else value)


def key_of(kind, value, reader):
    """A value of a column, as JSON lines or a reader have it, in a form that can be compared."""
    if kind.startswith("list of "):
        if value is None or None in value:  # a file's list with a null item is null
            return [] if reader in BYTES_ALONE else None
        return [key_of(kind[8:], item, reader) for item in value]
    if value is None:
        return None
    if kind == "json":
        return value
    if kind in ("f32", "f64"):
        return float_key(value, kind == "f32")
    if kind == "bool":
        return bool(value)
    if kind == "blob":
        return bytes.fromhex(value) if isinstance(value, str) else value
    if kind == "text":
        data = SURROGATE.sub("\ufffd", value).encode() if isinstance(value, str) else value
        return data[3:] if reader in NO_MARK and data.startswith(b"\xef\xbb\xbf") else data
    return int(value, 16) if isinstance(value, str) else value


class Column:
    def __init__(self, name, kind):
        self.name, self.kind = name, kind

    def reader_kind(self):
        kind = self.kind[8:] if self.kind.startswith("list of ") else self.kind
        return KINDS.get(kind, "int")


def got_key(kind, value, reader):
    """key_of() what a reader has; only there JSON is text."""
    if kind != "json" or value is None:
        return key_of(kind, value, reader)
    try:
        return rows.pairs(value.decode() if isinstance(value, bytes) else value)
    except ValueError as error:
        return error


def column_complaints(column, wanted, answer, reader):
    """One column of a reader's answer; wanted are values of JSON lines."""
    kind = column.reader_kind()
    told = "bytes" if reader in BYTES_ALONE and kind == "text" else kind
    if answer["kind"] != told:
        return ["%s: of kind %s, not %s" % (column.name, answer["kind"], told)]
    got = [values.from_json(answer["kind"], value) for value in answer["values"]]
    if len(got) != len(wanted):
        return ["%s: %d values, not %d" % (column.name, len(got), len(wanted))]
    return ["%s, row %d: %.120r, not %.120r" % (column.name, i, other, one)
            for i, (one, other) in enumerate(zip(wanted, got))
            if key_of(column.kind, one, reader) != got_key(column.kind, other, reader)]


def answer_complaints(table, answer, reader):
    if "error" in answer:
        return [answer["error"]]
    names = [column["name"] for column in answer["columns"]]
    if names != [column.name for column in table.columns]:
        return ["columns %s, not %s" % (names, [column.name for column in table.columns])]
    return [line for column, got in zip(table.columns, answer["columns"])
            for line in column_complaints(column, table.values(column.name), got, reader)]


# ---- exports -----------------------------------------------------------------------------

class Table:
    """One table of an export: its rows as JSON lines have them, and its other files."""

    def __init__(self, name, columns, lines):
        self.name, self.columns, self.lines = name, columns, lines
        self.files = {}

    def values(self, name):
        return [line[name] for line in self.lines]


def export(trace, target, out, *words):
    """Exit status and what was said."""
    done = subprocess.run([trace.program, "export", "--to", target, "--json", "--no-progress",
                           *words, "-o", out, trace.path], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=SECONDS)
    report = json.loads(done.stdout) if done.stdout else {"written": [], "not_carried": []}
    return done.returncode, done.stderr.decode(errors="replace").strip(), report


def top_pairs(text):
    """An object as a dictionary, and what is inside it as pairs()."""
    return {name: value for _, name, value in rows.pairs(text)}


def read_lines(path):
    with open(path, encoding="utf-8", errors="surrogateescape") as text:
        return [top_pairs(line) for line in text.read().split("\n") if line]


def column_types(trace):
    """{table: [Column]} as _columns has them, without those that are hidden; of a run directory
    FORMAT_TABLE."""
    schemas = {form: form + "." for form in questions.PARTS} if trace.format == "run" else {
        trace.format: ""}
    status, lines, said = rows.ask(trace, "; ".join(
        "SELECT '%s' AS form, * FROM %s_columns" % pair for pair in schemas.items()))
    if status not in (0, 3):
        raise ValueError("exit status %d: %s" % (status, said))
    found = {}
    for row in map(json.loads, lines):
        columns = found.setdefault(row["form"] + "_" + row["table"], [])
        if not row["hidden"]:
            columns.append(Column(row["column"], row["type"]))
    return found


class Exported:
    """A trace in all three forms below a folder of its own."""

    def __init__(self, trace, folder, *words):
        self.trace, self.folder, self.lines = trace, folder, []
        self.name = " ".join((trace.name, *words))
        self.words = words
        self.tables = []
        self.reports = {}
        os.makedirs(folder)
        for target in EXTENSIONS:
            status, said, self.reports[target] = export(trace, target, self.place(target), *words)
            if status != trace.status:
                self.lines.append("%s: exit status %d, and cat has %d: %s" % (
                    target, status, trace.status, said[-300:]))
            if os.path.exists(self.place(target)) != (status in (0, 3)):
                self.lines.append("%s: exit status %d, and there is %s output" % (
                    target, status, "no" if status in (0, 3) else "an"))
        if not self.lines and trace.status in (0, 3):
            self.find_tables()

    def place(self, target):
        return os.path.join(self.folder, target)

    def find_tables(self):
        names = {target: {name[:-len(EXTENSIONS[target])]
                          for name in os.listdir(self.place(target))
                          if not name.startswith(".")} for target in EXTENSIONS}
        reports = list(self.reports.values())
        for target, report in self.reports.items():
            if names[target] != names["jsonl"]:
                self.lines.append("%s: files %s, not %s" % (target, names[target], names["jsonl"]))
            self.lines += judge.differences(reports[0]["written"], report["written"], target)
            self.lines += judge.differences(*(
                [loss for loss in told["not_carried"] if loss["what"] not in LOST]
                for told in (reports[0], report)), target)
        for name in sorted(names["jsonl"]):
            lines = read_lines(os.path.join(self.place("jsonl"), name + ".jsonl"))
            table = Table(name, None, lines)
            table.files = {target: os.path.join(self.place(target), name + extension)
                           for target, extension in EXTENSIONS.items()}
            self.tables.append(table)

    def set_columns(self, metadata, types):
        """metadata: of each file; types: {table: [Column]}, as _columns has them. Only metadata
        know the tables of stats."""
        for table in self.tables:
            facts = metadata[table.files["parquet"]]
            table.full_name = facts.get("rastrum.table")
            table.columns = described_columns(facts.get("rastrum.columns", "[]"))
            names = [column.name for column in table.columns]
            if table.lines and list(table.lines[0]) != names:
                self.lines.append("%s: columns %s, not %s" % (
                    table.name, list(table.lines[0]), names))
            known = types.get(table.full_name)
            if not known and "_stats_" not in table.name:
                self.lines.append("%s: its metadata have the table %r" % (
                    table.name, table.full_name))
            if known and "--fields" not in self.words:
                self.lines += judge.differences(
                    [(column.name, column.kind) for column in known],
                    [(column.name, column.kind) for column in table.columns
                     if column.name != "trace"], table.name)


def described_columns(text):
    """[Column] of the description that a Parquet file has in its metadata."""
    return [Column(row["column"], "list of " + row["item"] if row["type"] == "list" else
                   row["type"]) for row in json.loads(text)]


def cat_complaints(exported, trace=None, words=()):
    """The rows of tables of records are what cat prints of the trace, or of a part of the run."""
    trace = trace or exported.trace
    all_tables, lines = rows.tables(trace)
    named = {getattr(table, "full_name", None): table for table in exported.tables}
    asked = [table.type for table in all_tables if table.kind == "on_request"
             and trace.format + "_" + table.name in named]
    records = rows.records_of(trace, asked, words)
    for table in all_tables:
        written = named.get(trace.format + "_" + table.name)
        if not written:
            if table.kind == "records" and "--type" not in exported.words:
                lines.append("%s was not written" % table.name)
            continue
        if "--fields" in exported.words:
            names = [column.name for column in written.columns]
            table.columns = [column for column in table.columns if column["column"] in names]
        lines += rows.table_complaints(table, records.get(table.type, []), written.lines)
        name = os.path.basename(exported.trace.path)
        if any(line["trace"] != name for line in written.lines if "trace" in line):
            lines.append("%s: another trace: %s" % (table.name, written.lines[0]["trace"]))
    return lines


# ---- checks ------------------------------------------------------------------------------

def ask_reader(reader, exports):
    """Complaints of one reader about all tables of all exports, by export."""
    script, targets = READERS[reader]
    asked = [(exported, table, target) for exported in exports for table in exported.tables
             if table.columns is not None for target in targets
             if table.lines or reader in ("hyparquet", "apache-arrow")]
    answers = judge.ask(script, [{"file": table.files[target], "limit": ALL}
                                 for _, table, target in asked])
    found = {exported: [] for exported in exports}
    for (exported, table, target), answer in zip(asked, answers):
        found[exported] += ["%s of %s: %s" % (target, table.name, line)
                            for line in answer_complaints(table, answer, reader)]
    return found


def metadata_of(exports):
    """{file: its metadata} of all Parquet files."""
    files = [table.files["parquet"] for exported in exports for table in exported.tables]
    answers = judge.ask("hyparquet", [{"file": file, "limit": 0} for file in files])
    return {file: answer.get("metadata", {}) for file, answer in zip(files, answers)}


def check_exports(exports, types, proved, verdicts):
    metadata = metadata_of(exports)
    for exported in exports:
        exported.set_columns(metadata, types[exported])
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        readers = [reader for reader in READERS if reader in proved]
        for reader, found in zip(readers, pool.map(lambda r: ask_reader(r, exports), readers)):
            for exported, lines in found.items():
                verdicts.add("%s: %s" % (exported.name, reader), lines)


# Exports of parts of the run that choose rows or columns, and the options of cat that do the same.
CHOICES = (
    ("murk", ("--from", "10", "--until", "20", "--axis", "tick"),
     ("--from", "10", "--to", "20", "--axis", "tick")),
    ("murk", ("--where", 'payload_name == "Move" and source_id in [1, 2]'),
     ("--where", 'payload_name == "Move" and source_id in [1, 2]')),
    ("cdt", ("--type", "creature", "--type", "rng", "--from", "5", "--until", "9", "--axis",
             "tick"), ("--from", "5", "--to", "9", "--axis", "tick")),
    ("dial9", ("--where", "duration_ns > 1000"), ("--where", "duration_ns > 1000")),
    ("atf", ("--type", "event", "--type", "detail", "--where", "call_depth in 2..4",
             "--from", "100", "--until", "2000", "--axis", "seq"),
     ("--where", "call_depth in 2..4", "--from", "100", "--to", "2000", "--axis", "seq")),
    ("atf", ("--from", "+100us", "--until", "+3ms", "--axis", "time"),
     ("--from", "+100us", "--to", "+3ms", "--axis", "time")),
    ("aerogpu", ("--type", "command", "--type", "frame", "--fields", "seq,tick,name,fields"), ()),
    ("murk", ("--type", "command", "--type", "frame", "--fields", "tick,coord,snapshot_hash"), ()),
)


def check_run(program, proved, scratch, verdicts):
    """A run directory as a whole, and its parts with choices of rows and columns; bounds."""
    folder = os.path.join(scratch, "arena")
    subprocess.run([program, "run", "arena", "--seed", "7", "--ticks", "60", "--quiet", "-o",
                    folder], check=True, stdout=subprocess.DEVNULL)
    parts = {form: timelines.Trace(program, form + "/arena", os.path.join(folder, part), 0)
             for form, part in questions.PARTS.items()}
    whole = Exported(timelines.Trace(program, "run/arena", folder, 0),
                     os.path.join(scratch, "whole"))
    chosen = [Exported(parts[form], os.path.join(scratch, "c%d" % i), *words)
              for i, (form, words, _) in enumerate(CHOICES)]
    exports = [whole, *chosen]
    check_exports(exports, {one: column_types(one.trace) for one in exports}, proved, verdicts)
    for part in parts.values():
        whole.lines += cat_complaints(whole, part)
    for exported, (_, _, words) in zip(chosen, CHOICES):
        exported.lines += cat_complaints(exported, words=words)
        if not any(table.lines for table in exported.tables):
            exported.lines.append("no rows")
    for exported in exports:
        verdicts.add(exported.name + ": tables", exported.lines)
    answers = judge.ask("parquet_bounds", [{"file": table.files["parquet"]}
                                           for table in whole.tables])
    for table, answer in zip(whole.tables, answers):
        lines = [answer["error"]] if "error" in answer else answer["complaints"]
        if table.lines and not lines and not answer["bounds"]:
            lines = ["no column has bounds"]
        verdicts.add("bounds of " + table.name, lines)
    must_notice(whole, verdicts)


def must_notice(exported, verdicts):
    """Changes of one value, which the comparison must find."""
    table = next(table for table in exported.tables if table.name == "murk_command")
    answer = judge.ask("duckdb", [{"file": table.files["parquet"], "limit": ALL}])[0]
    for name, value in (("seq", 1 << 62), ("coord", None), ("payload", "00"), ("trace", "another"),
                        ("entity_id", None)):
        kept = table.lines[0][name]
        table.lines[0][name] = value
        verdicts.must_differ("tables: another " + name, answer_complaints(table, answer, "DuckDB"))
        table.lines[0][name] = kept
    verdicts.must_differ("tables: a row less", answer_complaints(
        Table(table.name, table.columns, table.lines[1:]), answer, "DuckDB"))


def check(program, proved, scratch, verdicts):
    if "hyparquet" not in proved:
        print("engines/tables: not run: hyparquet, which reads the names of tables, is missing")
        return
    check_run(program, proved, scratch, verdicts)
    check_goldens(program, proved, scratch, verdicts)


def check_goldens(program, proved, scratch, verdicts):
    traces = list(timelines.goldens(program))

    def make(number):
        trace = traces[number]
        whole = ("--type", "*") if trace.name in WHOLE else ()
        exported = Exported(trace, os.path.join(scratch, "t%d" % number), *whole)
        return exported, column_types(trace) if exported.tables else {}

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        made = list(pool.map(make, range(len(traces))))
        exports = [exported for exported, _ in made]
        check_exports(exports, dict(made), proved, verdicts)
        readable = [exported for exported in exports if exported.tables]
        for exported, lines in zip(readable, pool.map(cat_complaints, readable)):
            exported.lines += lines
    for exported in exports:
        verdicts.add(exported.name + ": tables", exported.lines)
