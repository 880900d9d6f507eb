#!/usr/bin/env python3
"""murk_engine.py - the standard propagators and spaces of the public engine, bit for bit.

murk_engine.py RASTRUM FIXTURES

Recordings of the engine are replayed: every hash, the commands that were applied, the fields at
the end. Steps of single propagators and the spaces are asked of murk_engine_again. Then recordings
with one bit of the recipe changed, which must not come out the same.
"""
import glob
import json
import os
import subprocess
import sys
import tempfile

from tally import check, finish, paired

RASTRUM, FIXTURES = sys.argv[1], os.path.join(sys.argv[2], "murk-engine")
AGAIN = os.path.join(os.environ["RASTRUM_AGAIN"], "murk_engine_again")


def run(*words, data=None):
    done = subprocess.run(words, input=data, capture_output=True, timeout=60, text=True)
    return done.returncode, done.stdout, done.stderr


def read(name):
    with open(os.path.join(FIXTURES, name), encoding="ascii") as text:
        return json.load(text)


def final_fields(path, last):
    """Numbers of fields and the bits of their values, as --dump-fields prints them."""
    fields = {}
    for line in run(RASTRUM, "replay", "--until", str(last), "--dump-fields", path)[1].splitlines():
        words = dict(word.split("=", 1) for word in line.split() if "=" in word)
        if "bits" in words:
            fields.setdefault(words["field"], []).append(words["bits"][2:])
    return {field: " ".join(bits) for field, bits in fields.items()}


def recordings():
    for path in sorted(glob.glob(os.path.join(FIXTURES, "e*.murk"))):
        name = os.path.basename(path)[:-5]
        want = read(name + ".json")
        status, out, err = run(RASTRUM, "replay", "--json", "--verbose", path)
        if not check(f"{name} status", status == 0, err):
            continue
        ticks = json.loads(out)["tick_list"]
        check(f"{name} ticks", len(ticks) == len(want["ticks"]), len(ticks))
        for tick, expected in zip(ticks, want["ticks"]):
            applied = sum(r["applied_tick"] is not None for r in tick["receipts"])
            check(f"{name} tick {tick['tick']}",
                  (int(tick["replayed"], 16), len(tick["receipts"]), applied) ==
                  (int(expected["hash"], 16), expected["commands"], expected["applied"]), tick)
        hashes = {tick["replayed"] for tick in ticks}
        check(f"{name} distinct hashes", len(hashes) == want["distinct_hashes"], len(hashes))
        header = json.loads(run(RASTRUM, "cat", "--format", "jsonl", "--header",
                                path)[1].splitlines()[0])["values"]
        check(f"{name} header", (header["config_hash"], header["cell_count"],
                                 bytes.fromhex(header["space_descriptor"]).decode()) ==
              (want["config_hash"], want["cells"], want["recipe"]), header)
        got = final_fields(path, want["ticks"][-1]["tick"])
        for field, bits in want["final_fields"].items():
            check(f"{name} field {field}", got.get(field) == bits, got.get(field))


def recipe(scratch, lines):
    path = os.path.join(scratch, "recipe")
    with open(path, "w", encoding="ascii") as out:
        out.write("\n".join(["murkworld 2 murk-0.1.9", *lines]) + "\n")
    return path


def spaces(scratch):
    for space, want in read("topology.json").items():
        path = recipe(scratch, [f"space {space}", "dt 3f50000000000000", "field a sparse 1",
                                "prop identity 0"])
        status, out, err = run(AGAIN, path, "space")
        if not check(f"{space} status", status == 0, err):
            continue
        degree, *cells = out.splitlines()
        check(f"{space} degree", int(degree) == want["max_degree"], degree)
        check(f"{space} cells", len(cells) == want["cells"], len(cells))
        check(f"{space} dimensions", all(len(cell.split(" :")[0].split()) == want["ndim"]
                                         for cell in cells), cells[0])
        for cell, coord, near in zip(cells, want["coords"], want["neighbours"]):
            check(f"{space} {coord}", cell == " ".join(map(str, coord)) + " :" +
                  "".join(" %d" % n for n in near), cell)


def steps(scratch):
    for vector in read("step_vectors.json"):
        given, wanted = vector["in"], vector["out"]
        count = 1 + max(int(field) for field in [*given, *wanted])
        sizes = {field: len(bits.split()) // vector["cells"]
                 for field, bits in [*given.items(), *wanted.items()]}
        path = recipe(scratch, [f"space {vector['space']}", f"dt {vector['dt']}"] +
                      [f"field f{n} pertick {sizes.get(str(n), 1)}" for n in range(count)] +
                      [f"prop {vector['prop']}"])
        status, out, err = run(AGAIN, path, str(vector["tick"]),
                               data="\n".join(f"{f} {bits}" for f, bits in given.items()) + "\n")
        what = f"{vector['name']}: {vector['space']}: {vector['prop']}"
        check(f"{what}: status", status == 0, err)
        got = dict(line.split(" ", 1) for line in out.splitlines())
        for field, bits in wanted.items():
            check(f"{what}: field {field}", got.get(field) == bits, got.get(field))


def changed(scratch):
    """A recipe that says something else has other hashes: the comparison can fail."""
    for name in ("e01_scalardiff_fcc12_4_4_4_absorb", "e22_noise_fcc12_2_4_2_wrap"):
        with open(os.path.join(FIXTURES, name + ".murk"), "rb") as data:
            whole = data.read()
        for old, new in ((b"3fa999999999999a", b"3fa9999999999999"), (b" 43\n", b" 42\n")):
            if old not in whole:
                continue
            path = os.path.join(scratch, "other.murk")
            with open(path, "wb") as out:
                out.write(whole.replace(old, new))
            status, out, _ = run(RASTRUM, "replay", path)
            check(f"{name} with {new.decode().strip()}", status == 1, (status, out[-200:]))


def main():
    paired(FIXTURES, ".murk", ["step_vectors", "topology"])
    recordings()
    with tempfile.TemporaryDirectory() as scratch:
        spaces(scratch)
        steps(scratch)
        changed(scratch)
    finish()


main()
