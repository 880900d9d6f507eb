#!/usr/bin/python3
"""database_rows - an exported database, read by sqlite3, held against `rastrum sql`.

database_rows.py RASTRUM TRACE...

Every table and view of a trace, or of a run directory, must have in the database the rows that it
has in `rastrum sql`, and every view of `rastrum sql` must be there. Columns that are not exact in
text (floats) are compared as both print them with 17 digits.
"""
import json
import os
import subprocess
import sys


def ask(*words):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode not in (0, 3):
        sys.exit("%s: %s" % (" ".join(words), done.stderr.decode()))
    return done.stdout.decode()


def objects(program, trace):
    """{(schema, name): kind} of `rastrum sql`. A name of several schemas is a view without columns
    in main: an error that says so."""
    lines = ask(program, "sql", "--format", "jsonl", trace,
                "SELECT s.schema, s.name, s.type FROM pragma_table_list s "
                "WHERE s.name NOT LIKE 'sqlite_%' AND s.ncol > 0").splitlines()
    return {(row["schema"], row["name"]): row["type"] for row in map(json.loads, lines)}


def columns(program, trace, schema, name):
    lines = ask(program, "sql", "--format", "jsonl", trace,
                "SELECT name, type FROM pragma_table_info('%s', '%s')"
                % (name.replace("'", "''"), schema)).splitlines()
    return [(row["name"], row["type"]) for row in map(json.loads, lines)]


def quoted(name):
    return '"%s"' % name.replace('"', '""')


def select(of, from_):
    parts = []
    for name, kind in of:
        name = quoted(name)
        if kind in ("DOUBLE", "FLOAT", "REAL"):
            name = "printf('%%!.17g', %s)" % name
        parts.append("quote(%s)" % name)
    return "SELECT hex(%s) FROM %s" % (" || '|' || ".join(parts), from_)


def complaints(program, trace):
    database = "rows.db"
    if os.path.exists(database):
        os.remove(database)
    ask(program, "export", "--quiet", "--to", "sqlite", trace, "-o", database)
    form = json.loads(ask(program, "info", "--json", trace)).get("format")
    there = set(ask("sqlite3", database, "SELECT name FROM sqlite_schema").splitlines())
    views = 0
    for (schema, name), kind in sorted(objects(program, trace).items()):
        own = schema == "main" and name in ("run", "run_ticks")
        stored = name if own else "%s_%s" % (form if schema == "main" else schema, name)
        if stored not in there:
            if kind == "view" or own:
                yield "%s.%s is not in the database" % (schema, name)
            continue
        if name in ("_tables", "_columns"):  # they describe the file, whose tables have one more
            continue
        views += kind == "view"
        of = columns(program, trace, schema, name)
        wanted = ask(program, "sql", "--format", "csv", trace,
                     select(of, "%s.%s" % (quoted(schema), quoted(name))))
        found = ask("sqlite3", database, select(of, quoted(stored)))
        if sorted(wanted.splitlines()[1:]) != sorted(found.splitlines()):
            yield "%s.%s: other rows in the database" % (schema, name)
    print(os.path.basename(trace), views, "views")


def main():
    program, traces = sys.argv[1], sys.argv[2:]
    lines = [(trace, line) for trace in traces for line in complaints(program, trace)]
    for trace, line in lines:
        print("%s: %s" % (trace, line))
    return bool(lines)


sys.exit(main())
