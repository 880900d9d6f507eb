"""creators.py - a thread is known by who created it, in whatever order threads begin."""
import json
import os
import shutil
import subprocess

from place import NOT_RUN, Wrong, find, manifest_of, same

CREATED = ["0", "0.1.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.6.1"]


def paths_of(out):
    """By number."""
    return [t.get("path") for t in sorted(manifest_of(out)["threads"], key=lambda t: t["id"])]


def without_paths(out):
    manifest = manifest_of(out)
    for t in manifest["threads"]:
        del t["path"]
    with open(find(out, "manifest.json"), "w", encoding="utf-8") as text:
        json.dump(manifest, text)


def creators(p):
    """A thread is known by who created it: a program that does the same is the same, in whatever
    order its threads begin. Where the manifests do not say that, threads are paired by number."""
    program, first = p.build("workers.c"), p.path("first")
    os.rename(p.record(program), first)
    order, other = paths_of(first), None
    for _ in range(20 if (p.compiler, p.mode) == ("gcc", "cyg") else 3):
        out = p.record(program)
        same(sorted(paths_of(out)), CREATED, "paths")
        said = json.loads(p.ask("diff", "--json", first, out))
        same(said["status"], "ok", "diff with itself")
        if said["checked_count"] < 2 * 30:
            raise Wrong("%d events were compared" % said["checked_count"])
        if paths_of(out) != order:
            other = p.path("other")
            shutil.rmtree(other, ignore_errors=True)
            os.rename(out, other)
    table = json.loads(p.ask("stats", "--json", "-t", "threads", first))["tables"]["threads"]
    path = table["columns"].index("path")
    same([row[path] for row in table["rows"]], order, "paths in stats")
    p.ask("slice", "--out", p.path("sliced"), first)
    same(paths_of(p.path("sliced")), order, "paths in a slice")
    if not other:
        return NOT_RUN.add("hooks: threads of workers.c began in the same order in all runs")
    without_paths(first)
    without_paths(other)
    done = subprocess.run([p.rastrum, "diff", first, other], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if done.returncode != 1 or "paired by number" not in done.stdout:
        raise Wrong("without paths: exit status %d: %s" % (done.returncode, done.stdout))
    return None
