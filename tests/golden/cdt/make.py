#!/usr/bin/env python3
"""make.py - the golden CDT traces, from the specification: make.py DIRECTORY"""
import hashlib
import os
import struct
import sys
import zlib

ZSTD, MSGPACK = 1, 2


# ---- msgpack: the two styles differ in floats, ints and what is left out ------------------------

class Raw(bytes):
    """Bytes that are msgpack already."""


def number(v, signed):
    if -32 <= v < 128:
        return struct.pack("b", v)
    for code, fmt in ((0xCC, ">B"), (0xCD, ">H"), (0xCE, ">I"), (0xCF, ">Q")):
        if not signed and 0 <= v < 1 << 8 * struct.calcsize(fmt):
            return bytes([code]) + struct.pack(fmt, v)
    for code, fmt in ((0xD0, ">b"), (0xD1, ">h"), (0xD2, ">i"), (0xD3, ">q")):
        top = 1 << 8 * struct.calcsize(fmt) - 1
        if -top <= v < top:
            return bytes([code]) + struct.pack(fmt, v)
    raise ValueError(v)


def sized(n, fix, most, code16):
    return bytes([fix | n]) if n <= most else bytes([code16]) + struct.pack(">H", n)


def pack(v, zig=False):
    if isinstance(v, Raw):
        return bytes(v)
    if v is None:
        return b"\xc0"
    if isinstance(v, bool):
        return b"\xc3" if v else b"\xc2"
    if isinstance(v, int):
        return number(v, zig)
    if isinstance(v, float):
        return b"\xca" + struct.pack(">f", v) if zig else b"\xcb" + struct.pack(">d", v)
    if isinstance(v, str):
        b = v.encode()
        return (bytes([0xA0 | len(b)]) if len(b) < 32 else bytes([0xD9, len(b)])) + b
    if isinstance(v, bytes):
        return bytes([0xC4, len(v)]) + v
    if isinstance(v, (list, tuple)):
        return sized(len(v), 0x90, 15, 0xDC) + b"".join(pack(x, zig) for x in v)
    items = [(k, x) for k, x in v.items() if not (zig and x is None)]
    return sized(len(items), 0x80, 15, 0xDE) + b"".join(
        pack(k) + pack(x, zig) for k, x in items)


# ---- chunks -------------------------------------------------------------------------------------

def frame(payload, content_size=True):
    """One zstd frame of raw blocks: no compressor is asked for its opinion."""
    n = len(payload)
    head = bytes([0x60]) + struct.pack("<H", n - 256) if n >= 256 else bytes([0x20, n])
    if not content_size:
        head = bytes([0x00, 0x58])  # a window instead of a size
    return b"\x28\xb5\x2f\xfd" + head + struct.pack("<I", n << 3 | 1)[:3] + payload


def checksum(payload):
    return int.from_bytes(hashlib.blake2b(payload, digest_size=8).digest(), "little")


def chunk(kind, payload, start=-1, end=-1, flags=ZSTD | MSGPACK, body=None, check=None):
    if body is None:
        body = frame(payload) if flags & ZSTD else payload
    return struct.pack("<4siiIIIQ", kind, start, end, flags, len(body), len(payload),
                       checksum(payload) if check is None else check) + body


HEADER = b"crimson_debug_trace_v1\n" + struct.pack("<I", 1)


def trailer(at):
    return b"CDTFTR1\n" + struct.pack("<Q", at)


class Trace:
    """Chunks as they are added; seal() writes the footer that they deserve."""

    def __init__(self, meta, zig=False):
        self.zig, self.flags = zig, MSGPACK if zig else ZSTD | MSGPACK
        self.data = HEADER + chunk(b"META", pack(meta, zig), flags=self.flags)
        self.blocks, self.count = [], 0

    def raw(self, data):
        self.data += data
        return self

    def block(self, *ticks, entry=None, **how):
        start, end = (ticks[0]["tick_index"], ticks[-1]["tick_index"]) if ticks else (0, 0)
        start, end = how.pop("start", start), how.pop("end", end)
        payload = how.pop("payload", None)
        if payload is None:
            payload = pack({"start_tick": start, "end_tick": end, "ticks": ticks}, self.zig)
        how.setdefault("flags", self.flags)
        made = chunk(b"TICK", payload, start, end, **how)
        self.blocks.append({"start_tick": start, "end_tick": end, "file_offset": len(self.data),
                            "compressed_len": len(made) - 32, "uncompressed_len": len(payload),
                            "checksum": checksum(payload), **(entry or {})})
        self.count += len(ticks)
        self.data += made
        return self

    def seal(self, offset=None, **changes):
        at = len(self.data)
        footer = {"tick_blocks": self.blocks, "tick_count": self.count,
                  "first_tick": self.blocks[0]["start_tick"] if self.blocks else 0,
                  "last_tick": self.blocks[-1]["end_tick"] if self.blocks else 0, **changes}
        # The Zig writer stores checksums unsigned.
        packed = pack({**footer, "tick_blocks": [
            {**b, "checksum": Raw(pack(b["checksum"]))} for b in footer["tick_blocks"]]}, self.zig)
        self.data += chunk(b"FOTR", packed, flags=self.flags)
        self.data += trailer(at if offset is None else offset)
        return self.data


# ---- contents -----------------------------------------------------------------------------------

def meta(impl="python", ticks=(0, 0, 1), status=None, schema=12, **source):
    names = ("path", "sha256", "size", "mtime_ns", "kind", "tick_rate", "seed", "mode_id",
             "quest_level", "run_id", "quest_stage_major", "quest_stage_minor", "global_tick_first",
             "global_tick_last", "run_start_seed_source")
    return {"trace_format_version": 1, "trace_schema_version": schema,
            "created_utc": "1970-01-01T00:00:00+00:00",
            "producer": {"impl": impl, "impl_version": "", "platform": "linux", "arch": "x86_64"},
            "source": {**dict.fromkeys(names), "path": "a.crd", **source},
            "tick_range": dict(zip(("start_tick", "end_tick", "tick_count"), ticks)),
            "status": status}


def short_meta(impl="zig", ticks=(0, 0, 1), **more):
    return {"trace_format_version": 1, "trace_schema_version": 12, "created_utc": "",
            "producer": {"impl": impl}, "source": {},
            "tick_range": dict(zip(("start_tick", "end_tick", "tick_count"), ticks)), **more}


def vec(x=1.5, y=-2.25):
    return {"x": x, "y": y}


def timing(tick, **more):
    return {"tick_index": tick, "gameplay_frame": tick, "phase": "gpur_enter",
            "write_kind": "snapshot", "frame_dt_f32": 0.015625, "frame_dt_ms_i32": 15,
            "frame_dt_ms_f32": 15.0, "time_scale_active_entry": False,
            "time_scale_active_current": True, "time_scale_factor": 0.5,
            "bonus_reflex_boost_timer": 0.0, "mode_fn": "gameplay_update_and_render",
            "player_index": None, **more}


def draw(n, before, caller=0x4281A2):
    after = (before * 214013 + 2531011) % 2 ** 32
    return {"tick_call_index": n, "value_15": after >> 16 & 0x7FFF, "state_before_u32": before,
            "state_after_u32": after, "caller": caller}


def tick(n, **how):
    """The smallest tick that keeps every rule; `how` adds to each of its structs."""
    return {"tick_index": n, "elapsed_ms": 16 * n + 16, "dt_ms_i32": 16, "mode_id": 1,
            "channels": {
                "checkpoint": {"tick_index": n, "rng_state": 2427270273, "elapsed_ms": 16 * n + 16,
                               "score_xp": 0, "kills": 0, "creature_count": 0, "perk_pending": 0,
                               "players": [], "bonus_timers": {}, **how.get("checkpoint", {})},
                "sim_state": {"gameplay": {
                    "mode_id": 1, "quest_stage_major": 0, "quest_stage_minor": 0,
                    "perk_pending_count": 0, "perk_choices_dirty": False, "bonus_timers": {
                        "weapon_power_up_ms": 0, "reflex_boost_ms": 0, "energizer_ms": 0,
                        "double_experience_ms": 0, "freeze_ms": 0}},
                    "players": [], **how.get("sim_state", {})},
                "entity_samples": {"creatures": [], "projectiles": [], "secondary_projectiles": [],
                                   "bonuses": [], **how.get("entities", {})},
                "timing_samples": how.get("timing", [timing(n)]),
                **how.get("channels", {})},
            **how.get("tick", {})}


def sample(kind, **values):
    return {"uid": 3, "generation": 1, "pool_kind": kind, "index": 3, "active": True, **values}


CREATURE = sample("creature", type_id=2, hp=31.5, pos=vec(), flags=4294967295, ai_mode=-1,
                  link_index=-100, heading=0.25, target_heading=0.5, orbit_angle=0.0,
                  orbit_radius=0.0, lifecycle_stage=16.0, vel=vec(0.0, -0.0), move_speed=1.0)
ENTITIES = {
    "creatures": [CREATURE, {**CREATURE, "uid": 4, "vel": None, "move_speed": None}],
    "projectiles": [sample("projectile", type_id=1, angle=0.5, pos=vec(), vel=vec(),
                           life_timer=0.5, speed_scale=1.0, damage_pool=1.0, hit_radius=1.0,
                           travel_budget=55.0, owner_id=-100)],
    "secondary_projectiles": [sample("secondary_projectile", type_id=1, angle=0.5, pos=vec(),
                                     vel=vec(), speed=3.0, trail_timer=0.5, owner_id=-100,
                                     target_id=-1)],
    "bonuses": [sample("bonus", bonus_id=9, picked=True, time_left=0.5, time_max=10.0, pos=vec(),
                       amount=500)],
}
PLAYER = {"pos": vec(575.9645, 514.1329), "health": 100.0, "weapon_id": 53, "ammo": 11.0,
          "experience": 300, "level": 2}
SIM_PLAYER = {"index": 0, "pos": vec(), "health": 99.5, "weapon": {
    "weapon_id": 99, "ammo": 11.0, "clip_size": 12, "reload_active": False, "reload_timer": 0.0,
    "reload_timer_max": 1.5, "shot_cooldown": 0.0}, "experience": 300, "level": 2}
FULL = {
    "players": [PLAYER], "bonus_timers": {"4": 0, "9": 2983, "2": 0, "6": 0, "11": -1},
    "deaths": [{"creature_index": 7, "type_id": 2, "reward_value": 75.0, "xp_awarded": 10,
                "owner_id": -100}],
    "perk": {"pending_count": 1, "choices_dirty": True, "choices": [3, 17, 200],
             "player_nonzero_counts": [[[3, 1], [17, 2]], []]},
    "events": {"hit_count": 1, "pickup_count": 0, "sfx_count": 1, "sfx_head": ["sfx_h\u00e4nk"],
               "hit_head": [{"type_id": 1, "origin": vec(), "hit": vec(), "target": vec()}]},
    "tutorial": {"stage_index": 2, "stage_timer_ms": 1500, "stage_transition_timer_ms": -1000,
                 "hint_index": 1, "hint_alpha": 120, "hint_fade_in": True, "repeat_spawn_count": 1,
                 "hint_bonus_creature_ref": None, "prompt_text": "Move.", "prompt_alpha": 0.5,
                 "hint_text": "", "hint_alpha_overlay": 0.0},
    "typo": {"input_text": "zom", "submit_count": 4, "match_count": 2, "spawn_cooldown_ms": 750,
             "active_names": [{"creature_index": 0, "name": "zombie"}]},
}
STATUS = {"quest_unlock_index": 12, "quest_unlock_index_full": 34,
          "weapon_usage_counts": list(range(53)), "quest_play_counts": [0] * 91,
          "mode_play_survival": 3, "mode_play_rush": 0, "mode_play_typo": 0, "mode_play_other": 0,
          "game_sequence_id": 70000, "unknown_tail": bytes(range(16))}


def full(n):
    return tick(n, checkpoint=FULL, sim_state={"players": [SIM_PLAYER]}, entities=ENTITIES,
                channels={"rng_stream": [draw(1, 2427270273), draw(2, 3985917248, None)]})


def small(*numbers, zig=True):
    """A trace of the smallest ticks, one to a block."""
    trace = Trace(short_meta("zig" if zig else "python",
                             (numbers[0], numbers[-1], len(numbers))), zig)
    for n in numbers:
        trace.block(tick(n))
    return trace


def one(impl="zig", **how):
    """One tick with something particular in it, zig style."""
    return Trace(short_meta(impl), True).block(tick(0, **how)).seal()


# ---- the traces ---------------------------------------------------------------------------------

def styles():
    yield "python", Trace(meta(status=STATUS, seed=48879, tick_rate=60)).block(full(0)).seal()
    zig = {**FULL, "state_hash": "", "command_hash": ""}
    del zig["tutorial"], zig["typo"]
    yield "zig", Trace(short_meta(ticks=(0, 1, 2)), True).block(tick(0), tick(
        1, checkpoint=zig, channels={"rng_stream": [draw(1, 200, None)]},
        sim_state={"players": [SIM_PLAYER]})).seal()
    frida = meta("frida_original", run_id=1, quest_stage_major=-1, run_start_seed_source="x")
    yield "frida", Trace(frida).block(tick(0, channels={"rng_stream": [draw(1, 9, None)]})).seal()
    yield "gapped", small(1, 7).seal()
    yield "duplicate", small(2, 2).seal()
    yield "descending", small(1, 0).seal(first_tick=0, last_tick=1)
    yield "two_in_a_block", Trace(short_meta(ticks=(0, 1, 2)), True).block(tick(0), tick(1)).seal()
    empty = pack({"start_tick": 0, "end_tick": 0, "ticks": []})
    yield "empty_block", Trace(short_meta("python")).block(payload=empty).block(tick(0)).seal()
    yield "no_ticks", Trace(short_meta(), True).seal()


def endings():
    whole = small(0, 1)
    yield "unsealed", whole.data
    yield "cut_block", whole.data[:-5]
    yield "cut_head", small(0).data + b"TICK\x01\0\0"
    sealed = small(0).seal()
    yield "cut_footer", sealed[:-60]
    yield "no_trailer", sealed[:-16]
    yield "half_trailer", sealed[:-9]
    yield "cut_meta", sealed[:100]
    yield "cut_header", sealed[:25]
    yield "twice", sealed + sealed
    yield "before_trailer", small(0).seal()[:-16] + b"nobody's" + sealed[-16:]
    yield "footer_offset", small(0).seal(offset=27)
    yield "footer_empty", small(0).seal(tick_blocks=[])
    yield "footer_count", small(0).seal(tick_count=0)


def damage():
    yield "bad_checksum", Trace(short_meta(), True).block(tick(0), check=1).block(
        tick(1)).seal()
    yield "bad_zstd", Trace(short_meta("python")).block(tick(0), body=frame(b"x" * 300)).seal()
    yield "no_content_size", Trace(short_meta("python")).block(
        tick(0), body=frame(pack({}), content_size=False)).seal()
    yield "bad_kind", small(0).raw(chunk(b"BLUB", b"\x80", flags=2)).block(tick(1)).seal()
    lost = small(0, 1)
    at = lost.blocks[0]["file_offset"]
    yield "lost_head", (lambda d: d[:at] + b"\0" * 4 + d[at + 4:])(lost.seal())
    yield "between_chunks", small(0).raw(b"nobody's").block(tick(1)).seal()
    yield "bad_meta", small(0).seal().replace(b"trace_format_version", b"trace-format-version", 1)
    yield "refused_meta", Trace({**short_meta(), "x": 1}, True).block(tick(0)).seal()
    yield "index_lies", small(0).block(tick(1), entry={"start_tick": 5, "checksum": 2}).seal()
    inner = chunk(b"META", pack(short_meta()), flags=2)
    yield "nested", Trace(short_meta(), True).raw(b"junk").block(
        tick(0, tick={"x": inner})).seal()
    long = struct.pack("<4siiIIIQ", b"TICK", 1, 1, 2, 9999, 9999, 0)
    yield "overshoot", small(0).raw(long).block(tick(1)).data
    yield "second_meta", small(0).raw(chunk(b"META", pack(short_meta()), flags=2)).block(
        tick(1)).seal()
    long = struct.pack("<4siiIIIQ", b"META", -1, -1, 2, 9999, 9999, 0)
    yield "second_meta_overshoots", small(0).raw(long).block(tick(1)).data
    payload = pack({"start_tick": 0, "end_tick": 0, "ticks": [tick(0)]})
    yield "behind_value", Trace(short_meta(), True).block(tick(0), payload=payload + b"\0").seal()
    yield "bomb", Trace(short_meta("python")).raw(struct.pack(
        "<4siiIIIQ", b"TICK", 0, 0, 3, 13, 0xF0000000, 0) + b"\x28\xb5\x2f\xfd\xa0\0\0\0\xf0"
        + b"\x03\0\0\0").data
    yield "many_promised", Trace(short_meta(), True).block(
        tick(0), payload=b"\x83\xaastart_tick\0\xa8end_tick\0\xa5ticks\xdd\x7f\xff\xff\xff").seal()


def values():
    deep = Raw(b"\x91" * 200 + b"\xc0")
    yield "ignored_keys", one(tick={"x": deep}, channels={"y": {"z": [1, 2.5]}},
                              checkpoint={"state_hash": b"\xff"})
    yield "refused_key", one(sim_state={"x": 1})
    yield "missing_key", one(sim_state={"gameplay": {"mode_id": 1}})
    yield "float_for_int", one(tick={"mode_id": 1.0})
    yield "nil_for_int", one(tick={"mode_id": Raw(b"\xc0")})
    yield "weapon_54", one(checkpoint={"players": [{**PLAYER, "weapon_id": 54}]},
                           sim_state={"players": [SIM_PLAYER]})
    yield "bad_utf8", one(checkpoint={"events": {"sfx_head": [Raw(b"\xa2\xc3\x28")]}})
    yield "int_key", one(checkpoint={"bonus_timers": Raw(b"\x81\x04\x00")})
    wide = {"kills": Raw(b"\xd3" + b"\0" * 7 + b"\x05"), "bonus_timers": {"4": 2 ** 63},
            "perk": {"choices": [2 ** 64 - 1, -1]}}
    yield "wide_ints", Trace(short_meta("python")).block(tick(
        0, tick={"mode_id": 2 ** 64 - 1, "dt_ms_i32": -2 ** 63}, checkpoint=wide)).seal()
    yield "floats", one(timing=[timing(0, frame_dt_f32=float("nan"), frame_dt_ms_f32=15,
                                       time_scale_factor=float("inf"),
                                       bonus_reflex_boost_timer=Raw(b"\xcb" + struct.pack(
                                           ">d", -0.1)))])
    yield "no_timing", one(timing=[])
    yield "no_enter", one(timing=[timing(0, phase="player_update")])
    block = pack({"start_tick": 0, "end_tick": 0, "ticks": [tick(0)]}, True)
    yield "twice_the_key", Trace(short_meta(), True).block(
        tick(0), payload=b"\x84\xaastart_tick\x07" + block[1:]).seal()
    yield "other_schema", Trace({**short_meta(), "trace_schema_version": 11, "channels": ["a"]},
                                True).block(
        {"tick_index": 3, "elapsed_ms": 64, "channels": {"a": [1, -2, 0.5, "t", b"\x01", None]},
         "new": {"b": deep}}, {"tick_index": 4}).seal()


def many():
    trace = Trace(meta(ticks=(0, 23, 24)))
    for n in range(0, 24, 3):
        trace.block(full(n), full(n + 1), full(n + 2))
    yield "big-steady", trace.seal()


def story(n, candidate):
    """A tick of a run in which a creature is shot at. The candidate draws once more at tick 5."""
    parted = candidate and n >= 5
    state, draws = 48879 + 7919 * n + (n > 5 and parted), []
    for i in range(2 + (candidate and n == 5)):
        draws.append(draw(i + 1, state, (0x4281A2, 0x4281A2, 0x41F5B0)[i]))
        state = draws[-1]["state_after_u32"]
    hp = 31.5 - 4.0 * n + (2.5 if parted and n > 5 else 0.0)
    alive = hp > 4.0
    creature = {**CREATURE, "uid": 0, "index": 0, "hp": hp, "pos": vec(934.0 - 1.5 * n, 514.0)}
    return tick(n, checkpoint={
        "rng_state": state, "kills": int(not alive), "creature_count": int(alive),
        "score_xp": 0 if alive else 75, "players": [PLAYER],
        "bonus_timers": {"4": 0, "9": 0, "2": 0, "6": 0, "11": 0},
        "events": {"hit_count": 1, "pickup_count": 0, "sfx_count": 1,
                   "sfx_head": ["sfx_pistol_fire"], "hit_head": []}},
        sim_state={"players": [SIM_PLAYER]}, entities={"creatures": [creature] if alive else []},
        channels={"rng_stream": draws})


def runs():
    for name, candidate in (("big-run-golden", False), ("big-run-candidate", True)):
        trace = Trace(meta(ticks=(0, 9, 10), seed=48879, tick_rate=60))
        for n in range(0, 10, 2):
            trace.block(story(n, candidate), story(n + 1, candidate))
        yield name, trace.seal()


# ---- container 2 --------------------------------------------------------------------------------

class Second(Trace):
    """The same in container 2: other magics, nothing compressed, every key there."""

    def __init__(self, meta):
        self.zig, self.flags, self.blocks, self.count = False, MSGPACK, [], 0
        self.data = b"crimson_debug_trace_v2\n" + struct.pack("<I", 2)
        self.data += chunk(b"META", pack(meta), flags=MSGPACK)

    def seal(self, offset=None, **changes):
        return super().seal(offset, **changes)[:-16] + b"CDTFTR2\n" + self.data[-8:]


def second_meta(schema=20, ticks=(0, 0, 1), **source):
    names = ("path", "sha256", "size", "mtime_ns", "kind", "replay_sha256", "tick_rate", "seed",
             "mode_id", "player_count", "quest_level", "run_id", "quest_stage_major",
             "quest_stage_minor", "global_tick_first", "global_tick_last", "run_start_seed_source")
    known = {"sha256": "0f" * 32, "kind": "replay", "replay_sha256": "0f" * 32, "tick_rate": 60,
             "seed": 48879, "mode_id": 4, "player_count": 1}
    return {"trace_format_version": 2, "trace_schema_version": schema,
            "created_utc": "1970-01-01T00:00:00+00:00",
            "producer": {"impl": "python", "impl_version": "1", "platform": "linux",
                         "arch": "x86_64"},
            "source": {**dict.fromkeys(names), **known, **source},
            "tick_range": dict(zip(("start_tick", "end_tick", "tick_count"), ticks)),
            "status": None}


def second_samples(schema):
    new = schema >= 21
    creature = {**sample("creature"), "uid": 1001000003, "type_id": 2, "hp": 31.5, "pos": vec(),
                "tint": {"r": 1.0, "g": 0.5, "b": 0.25, "a": 1.0}, "flags": 1, "ai_mode": -1,
                "link_index": -1, "force_target": 0, "target": vec(), "target_player": 0,
                "target_offset": vec(0.0, -0.0), "heading": 0.25, "target_heading": 0.5,
                "dot_tick_timer" if new else "collision_timer": 0.5, "attack_cooldown": 0.0,
                "orbit_angle": 0.0, "orbit_radius": 0.0,
                "death_timer" if new else "lifecycle_stage": 16.0, "vel": vec(), "move_speed": 1.0}
    projectile = {**sample("projectile"), "uid": 2001000003, "type_id": 1, "angle": 0.5,
                  "pos": vec(), "vel": vec(), "life_timer": 0.5, "speed_scale": 1.0,
                  "damage_pool": 1.0, "hit_radius": 1.0,
                  "projectile_speed" if new else "travel_budget": 55.0, "owner_id": -100}
    return {"creatures": [creature], "projectiles": [projectile], "secondary_projectiles": [],
            "bonuses": []}


def second_tick(n, schema=20, entities=True, **step):
    """The channels in their order; a draw, a command, an input."""
    drawn = draw(1, 48879)
    crc = zlib.crc32(struct.pack("<I", drawn["caller"]))
    player = {"pos": vec(), "health": 100.0, "weapon_id": 1, "ammo": 9.0, "experience": 0,
              "level": 1}
    state = tick(n)["channels"]["sim_state"]
    state["gameplay"]["mode_id"] = 4
    state["players"] = [{"index": 0, "pos": vec(), "heading": 0.5, "move_speed": 2.0,
                         "move_phase": 0.0, "aim": vec(), "aim_heading": -1.25, "health": 100.0,
                         "weapon": SIM_PLAYER["weapon"], "experience": 0, "level": 1}]
    none = {"creatures": [], "projectiles": [], "secondary_projectiles": [], "bonuses": []}
    return {"tick_index": n, "elapsed_ms": 16 * n + 16, "dt_ms_i32": 15, "mode_id": 4, "channels": {
        "replay_step": {"dt": 0.015625, "inputs": [{"move_x": 0.0, "move_y": -1.0, "aim_x": 5.5,
                                                    "aim_y": 3.0, "flags": 13593}],
                        "prelude": [{"type": "game_frame_rng_advance", "frames": 2}],
                        "postlude": [], "commands": [{"type": "typo_char", "player_index": 0,
                                                      "ch": "q"}], **step},
        "checkpoint": {
            "tick_index": n, "rng_state": drawn["state_after_u32"],
            **({"rng_callers_crc32": crc} if schema >= 20 else {}), "elapsed_ms": 16 * n + 16,
            "score_xp": 0, "kills": 0, "creature_count": 1, "perk_pending": 0, "players": [player],
            "bonus_timers": {"4": 0, "11": 5}, "deaths": [],
            "perk": {"pending_count": 0, "choices_dirty": False, "choices": [0] * 7,
                     "player_nonzero_counts": [[[3, 1]]]},
            "events": {"hit_count": 0, "pickup_count": 0, "sfx_count": 0, "sfx_head": [],
                       "hit_head": []}, "tutorial": None, "typo": None},
        "sim_state": state, "entity_samples": second_samples(schema) if entities else none,
        "rng_stream": [drawn], "timing_samples": [timing(n)]}}


def second():
    for schema in (19, 20, 21):
        yield "c2_%d" % schema, Second(second_meta(schema)).block(
            second_tick(0, schema, schema > 19)).seal()
    plain = Second(second_meta()).block(second_tick(0, entities=False))
    yield "c2_unsealed", plain.data
    yield "c2_cut", plain.data[:-100]
    yield "c2_unknown_key", Second(second_meta()).block(
        second_tick(0, entities=False, more=1)).seal()
    yield "c2_bad_tag", Second(second_meta()).block(second_tick(
        0, entities=False, postlude=[{"type": "perk_pick", "player_index": 0}])).seal()
    yield "c2_flags", Second(second_meta()).block(second_tick(0, entities=False),
                                                      flags=3, body=b"\0").seal()
    yield "c2_gap", Second(second_meta(ticks=(0, 2, 2))).block(
        second_tick(0, entities=False)).block(second_tick(2, entities=False)).seal()
    long = Second(second_meta(21, ticks=(0, 7, 8)))
    for n in range(0, 8, 2):
        long.block(second_tick(n, 21), second_tick(n + 1, 21, False))
    yield "big-c2", long.seal()
    yield "c2_newer", Second({**second_meta(22), "more": {"a": 1}}).block(
        {"tick_index": 0, "elapsed_ms": 16, "channels": {"new": [1, None]}}).seal()
    yield "c3", b"crimson_debug_trace_v3\n" + struct.pack("<I", 3) + plain.data[27:]
    yield "late_status", Trace(meta(status={
        **{k: v for k, v in STATUS.items() if k not in ("game_sequence_id", "unknown_tail")},
        "play_time_ms": 70000, "reserved_seed_words": bytes(range(16))})).block(tick(0)).seal()


def main():
    for group in (styles, endings, damage, values, many, runs, second):
        for name, data in group():
            with open(os.path.join(sys.argv[1], name + ".cdt"), "wb") as f:
                f.write(data)


main()
