#!/usr/bin/env python3
"""murk_worlds.py - streams of commands that chance makes, and each of their commands lost,
changed, exchanged or late: executed by the independent model and by the program.

murk_worlds.py RASTRUM FIXTURES

Both worlds, every space and edge, fields of every kind, ties, queues that overflow, ticks that
fail. The model says which hash and which receipts every tick of every variant has; the program
must have them, too, so that what a command does, and what it does not do, is the same in both.
"""
import copy
import importlib
import json
import os
import random
import struct
import subprocess
import sys
import tempfile

RASTRUM, FIXTURES = sys.argv[1:3]
FULL = os.environ.get("RASTRUM_EFFORT") == "full"
TICKS, MOST, MANY = 5, 10, 64
MAX = 2**64 - 1
sys.path.insert(0, os.path.join(FIXTURES, "murk", "tools"))
sys.dont_write_bytecode = True
murk = importlib.import_module("murkref")
SPACES = [f"line1d 5 {edge}" for edge in ("absorb", "clamp", "wrap")] + ["ring1d 5 wrap"] + \
         [f"{kind} 3 4 {edge}" for kind in ("square4", "square8")
          for edge in ("absorb", "clamp", "wrap")] + ["hex2d 3 4 absorb", "line1d 1 wrap"]
passed = failed = 0


def check(what, ok, why=""):
    global passed, failed
    if ok:
        passed += 1
    else:
        failed += 1
        print(f"murk_worlds: {what}: {str(why)[:200]}")
    return ok


def recipe_of(rnd, profile, space, fails):
    """Fields: 0 and 1 are kept, 2 is of vectors, 3 is forgotten, 4 static, 5.. are written."""
    lines = [f"murkworld 1 {profile}", f"space {space}", "dt 3fe0000000000000",
             f"queue {rnd.choice((3, 4, 1024, 1024))}"]
    kinds = ["kept sparse 1", "held sparse 1", "vectors sparse 2", "brief pertick 1",
             "still static 1", "heat pertick 1", "same pertick 1", "one pertick 1", "old pertick 1"]
    props = ["hold 1", "diffuse 0 5 3fbc28f5c28f5c29", "copy 5 6", "const 7 3f800000", "copyprev 8"]
    if profile == "ref-1":
        lines += [f"entities {rnd.choice((0, 2, 3))}", "param 3 3ff0000000000000",
                  "param 9 4000000000000000", "entityfield 3", "entityfield 9"]
        kinds += ["life pertick 1", "digest pertick 1", "filled pertick 1", "scaled pertick 1",
                  "noise sparse 1"]
        props += ["digest 10", "paramfill 11 3", "scale 0 12 9", "noise 13 3e000000"]
    if fails:
        kinds.append("bad pertick 1")
        props.append(f"fail {len(kinds) - 1} {rnd.choice((1, 3))}")
    lines += ["field " + kind for kind in kinds] + ["prop " + prop for prop in props]
    return ("\n".join(lines) + "\n").encode(), len(kinds)


def some_payload(rnd, fields, axes, full):
    value = murk.bits(rnd.randrange(-64, 64) / 8.0)
    coord = [rnd.choice((0, 0, 0, 1, 2)) for _ in range(axes if rnd.randrange(12) else 3 - axes)]
    if not rnd.randrange(8):
        coord[0] = rnd.choice((-1, 5))
    key = lambda: rnd.choice((3, 9, 9, 3, 7))
    real = lambda: struct.unpack("<Q", struct.pack("<d", rnd.randrange(-64, 64) / 16.0))[0]
    kind = rnd.randrange(16 if full or not rnd.randrange(4) else 6)
    if kind < 6:
        field = rnd.choice((0, 0, 2, 3, rnd.randrange(fields + 1)))
        return 3, {"type": "SetField", "coord": coord, "field_id": field, "value": value}
    if kind < 8:
        return 1, {"type": "Spawn", "coord": coord,
                   "field_values": [(rnd.choice((3, 9)), value) for _ in range(rnd.randrange(3))]}
    if kind < 10:
        return 0, {"type": "Move", "entity_id": rnd.randrange(1, 5), "target_coord": coord}
    if kind < 11:
        return 2, {"type": "Despawn", "entity_id": rnd.randrange(1, 5)}
    if kind < 13:
        return 5, {"type": "SetParameter", "key": key(), "value": real()}
    if kind < 14:
        return 6, {"type": "SetParameterBatch",
                   "params": [(key(), real()) for _ in range(rnd.randrange(3))]}
    custom = rnd.randrange(4)
    data = struct.pack("<III", rnd.randrange(fields), value, rnd.randrange(4))
    return 4, {"type": "Custom", "type_id": custom, "data": data[:4 * (custom + 1)]}


def some_command(rnd, tick, fields, axes, full):
    kind, payload = some_payload(rnd, fields, axes, full)
    return {"payload_type": kind, "payload": murk.enc_payload(payload),
            "priority_class": rnd.randrange(2), "source_id": rnd.choice((None, 0, 1, MAX)),
            "source_seq": rnd.choice((None, 0, 1, MAX)),
            "expires_after_tick": rnd.choice((tick - 1, tick, tick + 1, 0) + (MAX,) * 8),
            "arrival_seq": 0}


def played(world, stream):
    """The frames of a stream, and what the model says of each."""
    frames, results = [], []
    for tick, commands in stream:
        before = copy.deepcopy(vars(world))
        result, receipts = world.step(commands)
        if result != "ok":  # a tick that fails leaves nothing, also of entities and parameters
            vars(world).update({name: before[name] for name in
                                ("ents", "next_id", "params", "pver") if name in before})
        frames.append({"tick_id": tick, "commands": commands, "snapshot_hash": world.hash()})
        results.append((result, receipts, world.tick))
    return frames, results


def variants(commands, tick):
    """Every command of a tick: lost, changed, after the next, too late, more urgent."""
    for i, command in enumerate(commands):
        yield "drop", i, commands[:i] + commands[i + 1:]
        if i + 1 < len(commands):
            yield "exchange", i, commands[:i] + [commands[i + 1], command] + commands[i + 2:]
        for key, value in (("expires_after_tick", tick - 1), ("expires_after_tick", tick),
                           ("priority_class", command["priority_class"] ^ 1)):
            yield key, i, commands[:i] + [dict(command, **{key: value})] + commands[i + 1:]
        if len(command["payload"]) >= 4:
            payload = bytearray(command["payload"])
            payload[-4] ^= 1
            try:
                murk.payload(command["payload_type"], bytes(payload))
            except murk.Err:
                continue
            yield "change", i, (commands[:i] + [dict(command, payload=bytes(payload))] +
                                commands[i + 1:])


class Recording:
    def __init__(self, home):
        self.home, self.made = home, []

    def add(self, name, header, frames, results):
        for frame in frames:
            for i, command in enumerate(frame["commands"]):
                command["arrival_seq"] = i
        path = os.path.join(self.home, f"{len(self.made)}.murk")
        with open(path, "wb") as out:
            out.write(header + b"".join(map(murk.enc_frame, frames)))
        self.made.append((name, path, frames, results))
        if len(self.made) == MANY:
            self.run()

    def run(self):
        """Let the program execute all that was made."""
        if not self.made:
            return
        done = subprocess.run([RASTRUM, "replay", "--quiet", "--json", "--verbose"] +
                              [path for _, path, _, _ in self.made], capture_output=True,
                              timeout=300)
        got = json.loads(done.stdout)
        got = got if isinstance(got, list) else [got]
        check("all of them", len(got) == len(self.made), done.stderr)
        for (name, _, frames, results), one in zip(self.made, got):
            want = [(frame["tick_id"], tick, f"0x{frame['snapshot_hash']:016x}", result, receipts)
                    for frame, (result, receipts, tick) in zip(frames, results)]
            have = [(t["tick"], t["world_tick"], t["replayed"], t["failure"] or "ok",
                     [[r["command"], int(r["accepted"]), r["applied_tick"], r["reason"]]
                      for r in t["receipts"]]) for t in one["tick_list"]]
            check(name, have == want and one["result"] == "ok",
                  [(a, b) for a, b in zip(have, want) if a != b][:1])
        self.made = []


def counts(kind, commands, i, receipt):
    """Whether ref-1 has a number that changes whenever this command is applied."""
    if receipt[1] != 1 or receipt[3] is not None or kind != "drop":
        return False
    command = commands[i]
    return command["payload_type"] in (1, 5) or (command["payload_type"] == 6 and
                                                 command["payload"][:4] != b"\0\0\0\0")


def one_world(out, rnd, profile, space, fails, seen):
    recipe, fields = recipe_of(rnd, profile, space, fails)
    axes = 1 if "1d" in space else 2
    seed = rnd.getrandbits(64)
    world = murk.make_world(recipe, seed)
    header = murk.enc_header(dict(
        toolchain="", target_triple="", murk_version=profile, compile_flags="", seed=seed,
        config_hash=murk.config_hash(seed, world.dt_bits, fields, world.space.cells, recipe),
        field_count=fields, cell_count=world.space.cells, space_descriptor=recipe))
    full = profile == "ref-1"
    stream = [(tick, [some_command(rnd, tick, fields, axes, full)
                      for _ in range(rnd.randrange(MOST))]) for tick in range(1, TICKS + 1)]
    name = f"{profile} on {space}"
    worlds = [copy.deepcopy(world)]
    frames, results = [], []
    for step in stream:
        more = played(world, [step])
        frames += more[0]
        results += more[1]
        worlds.append(copy.deepcopy(world))
    out.add(name, header, frames, results)
    for at, (tick, commands) in enumerate(stream):
        for kind, i, changed in variants(commands, tick):
            other = played(copy.deepcopy(worlds[at]), [(tick, changed)] + stream[at + 1:])
            out.add(f"{name}: tick {tick}, command {i}: {kind}", header, frames[:at] + other[0],
                    results[:at] + other[1])
            differs = [f["snapshot_hash"] for f in other[0]] != \
                [f["snapshot_hash"] for f in frames[at:]]
            seen[kind, differs] = seen.get((kind, differs), 0) + 1
            receipt = next(r for r in results[at][1] if r[0] == i)
            rest = [r[3] for r in sorted(results[at][1]) if r[0] != i]
            if profile == "ref-1" and results[at][0] == "ok" \
                    and counts(kind, commands, i, receipt) \
                    and rest == [r[3] for r in sorted(other[1][0][1])]:
                check(f"{name}: tick {tick}: command {i} counts", differs)


def main():
    rnd = random.Random(6)
    seen = {}
    with tempfile.TemporaryDirectory() as home:
        out = Recording(home)
        for turn in range(8 if FULL else 1):
            for n, space in enumerate(SPACES):
                for profile in ("murk-0.1.9", "ref-1"):
                    one_world(out, rnd, profile, space, (n + turn) % 3 == 0, seen)
        out.run()
    for kind in ("drop", "exchange", "change", "expires_after_tick", "priority_class"):
        check(f"{kind} matters", seen.get((kind, True), 0) > 5, seen)
        check(f"{kind} does not always matter", seen.get((kind, False), 0) > 10, seen)
    print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
