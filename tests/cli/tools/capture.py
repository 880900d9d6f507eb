#!/usr/bin/env python3
"""capture.py - a Frida raw capture, as the capture script writes it, on standard output.

capture.py [--ticks N] [--creatures N] [--version 13|14|15|28|29] [--runs N] [--mode ID]
           [--slots N] [--players N] [--schema 19|20] [--no-end]

The same arguments make the same bytes. Creatures wander, projectiles fly, draws follow the game's
random number generator; --no-end leaves out what ends the last run and the session. Of versions 28
and 29 --schema says whether checkpoints have rng_callers_crc32 (20).
"""
import argparse
import struct
import sys
import zlib

MASK = 0xFFFFFFFF


def f32(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


class Draws:
    """The MSVC generator, and the rows that its hook writes."""

    def __init__(self, state):
        self.state, self.rows = state, []

    def draw(self, caller):
        before = self.state
        self.state = (before * 214013 + 2531011) & MASK
        value = self.state >> 16 & 0x7FFF
        self.rows.append({"tick_call_index": len(self.rows) + 1, "value_15": value,
                          "state_before_u32": before, "state_after_u32": self.state,
                          "caller_static": caller and "0x%08x" % caller})
        return value / 32768


# ---- JSON.stringify -----------------------------------------------------------------------------

def number(x):
    if isinstance(x, int):
        return str(x)
    if x == int(x) and abs(x) < 1e15:
        return str(int(x))
    digits = repr(x)
    if "e" in digits:
        mantissa, exponent = digits.split("e")
        digits = "%se%s%d" % (mantissa, "-" if exponent[0] == "-" else "+", abs(int(exponent)))
    return digits


def text(v):
    if v is None or v is True or v is False:
        return {None: "null", True: "true", False: "false"}[v]
    if isinstance(v, (int, float)):
        return number(v)
    if isinstance(v, str):
        return '"' + v.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(v, list):
        return "[" + ",".join(map(text, v)) + "]"
    return "{" + ",".join('"%s":%s' % (k, text(x)) for k, x in v.items()) + "}"


# ---- rows ---------------------------------------------------------------------------------------

FLAGS = """console_all_events include_caller include_backtrace emit_ticks_outside_tracked_states
flush_capture_writes enable_rng_roll_log enable_rng_state_mirror enable_input_hooks enable_rng_hooks
enable_sfx_hooks enable_damage_hooks enable_effect_hooks creature_damage_projectile_only
enable_spawn_hooks enable_creature_spawn_hook enable_creature_death_hook enable_bonus_spawn_hook
enable_creature_lifecycle_digest enable_creature_micro_hooks""".split()
NUMBERS = """player_count_override focus_tick focus_radius heartbeat_ms max_head_per_kind
max_events_per_tick max_rng_head_per_tick max_rng_caller_kinds max_rng_roll_log_events
max_rng_outside_tick_head max_creature_delta_ids creature_sample_limit projectile_sample_limit
secondary_projectile_sample_limit bonus_sample_limit creature_micro_tick_start
creature_micro_tick_end creature_micro_max_head_per_tick""".split()
PATH = "C:\\share\\frida\\capture.jsonl"


def session_start(version):
    config = {"out_path": PATH, "capture_profile": "exhaustive_default", "log_mode": "truncate",
              "config_env_overrides": [], "console_events": ["start", "ready"],
              "tracked_states": [6, 7, 8, 9, 10, 12, 14, 18], "creature_micro_slots": []}
    config.update({k: k != "include_backtrace" for k in FLAGS}, **{k: -1 for k in NUMBERS})
    return {"event": "session_start", "capture_format_version": version, "session_id": "0x0badcafe",
            "out_path": PATH, "platform": "windows", "arch": "ia32",
            "script_version": str(version), "config": config,
            "session_fingerprint": {"session_id": "0x0badcafe", "module_hash": None,
                                    "ptrs_hash": "0x12345678"}}


def slot(i):
    at = {"x": i, "y": f32(i / 3)}
    return {"index": i, "active": 0, "phase_seed": f32(i * 0.1), "state_flag": 1,
            "collision_flag": 0, "collision_timer": 0, "lifecycle_stage": -10, "pos": at,
            "vel": at, "hp": 0, "max_hp": 40, "heading": f32(i * 0.7), "target_heading": 0,
            "size": 50, "hit_flash_timer": 0, "tint": {"r": 1, "g": 0.5, "b": 0.25, "a": 1},
            "force_target": 0, "target": at, "contact_damage": 4, "move_speed": f32(1.9),
            "attack_cooldown": 0, "reward_value": 60, "type_id": i % 7, "target_player": 0,
            "link_index": -1, "target_offset": at, "orbit_angle": 0,
            "orbit_radius_u32": 1065353216, "flags": 0, "ai_mode": 0, "anim_phase": 0}


def bag(calls=0, caller="0x00417f00"):
    return {"calls": calls, "dropped": 0, "caller_counts": {caller: calls} if calls else {},
            "head": [{"value_15": None, "state_before_u32": i, "state_after_u32": i + 1,
                      "caller_static": None} for i in range(calls)]}


def creatures(count, tick, draws):
    for i in range(count):
        drawn = i % 4 == 0 and draws.draw(0x420000 + 16 * (i % 9)) * 6.2831
        turn = f32(drawn or i + tick / 7)
        yield {"uid": i, "generation": 1 + tick // 200, "pool_kind": "creature", "index": i,
               "active": True, "type_id": i % 7, "hp": f32(40 - (tick * 7 + i) % 400 / 10),
               "pos": {"x": f32(512 + tick * 0.37 + i * 11.3),
                       "y": f32(300 - tick * 0.21 + i * 5.9)},
               "flags": i % 3, "ai_mode": i % 8, "link_index": -1, "heading": turn,
               "target_heading": f32(turn + 0.25), "orbit_angle": f32(i * 0.01 + tick * 0.003),
               "orbit_radius": f32(10.5 + i), "lifecycle_stage": 16,
               "vel": {"x": f32(turn * 1.1), "y": f32(-turn / 3)}, "move_speed": f32(1.9 + i / 17)}


def shots(count, tick, kind):
    for i in range(count):
        row = {"uid": i, "generation": tick, "pool_kind": kind, "index": i, "active": True,
               "type_id": 1, "angle": f32(i * 0.77), "pos": {"x": f32(i + tick / 9), "y": 4},
               "vel": {"x": f32(tick / 11 - i), "y": f32(-i / 7)}}
        if kind == "projectile":
            row.update(life_timer=f32(0.4 - i / 100), speed_scale=55, damage_pool=1, hit_radius=1,
                       travel_budget=f32(1 + tick / 13), owner_id=-100)
        else:
            row.update(speed=f32(190 + i / 3), trail_timer=f32(0.03), owner_id=-100, target_id=i)
        yield row


def channels(o, local, g, elapsed, draws, quest):
    player = {"pos": {"x": f32(512 + local / 3), "y": 512}, "health": 100}
    weapon = {"weapon_id": 1, "ammo": f32(10 - local % 10), "clip_size": 10,
              "reload_active": local % 10 == 9, "reload_timer": 0, "reload_timer_max": f32(1.2),
              "shot_cooldown": f32(local % 7 / 10)}
    if o.version == 13:
        weapon["clip_size"] = struct.unpack("<I", struct.pack("<f", 10))[0]
    many = list(creatures(o.creatures, local, draws))
    timers = {"weapon_power_up_ms": 0, "reflex_boost_ms": 0, "energizer_ms": 0,
              "double_experience_ms": 0, "freeze_ms": local}
    status = {"quest_unlock_index": 3, "quest_unlock_index_full": 4,
              "weapon_usage_counts": [i * i for i in range(53)]}
    checkpoint = {
        "tick_index": g, "state_hash": "", "command_hash": "", "rng_state": draws.state,
        "elapsed_ms": elapsed, "score_xp": local, "kills": local // 9,
        "creature_count": len(many), "perk_pending": 0,
        "players": [{**player, "weapon_id": 1, "ammo": weapon["ammo"], "experience": local,
                     "level": 1, "bonus_timers": {"shield": 0}}],
        "status": status, "bonus_timers": {"2": 0, "4": 0, "6": 0, "9": 0, "11": local},
        "deaths": [{"creature_index": 3, "type_id": 2, "reward_value": 0, "xp_awarded": 0,
                    "owner_id": -1}] if local % 9 == 8 else [],
        "perk": {"pending_count": 0, "choices_dirty": True, "choices": [],
                 "player_nonzero_counts": [[[1, 2]]]},
        "events": {"hit_count": local % 3, "pickup_count": 0, "sfx_count": 1, "sfx_head": [],
                   "rng_call_count": len(draws.rows), "input_true_count": 0}}
    return {
        "checkpoint": checkpoint, "rng_stream": draws.rows,
        "timing_samples": [{
            "tick_index": g, "gameplay_frame": g + 1, "phase": "gpur_enter",
            "write_kind": "snapshot", "frame_dt_f32": f32(1 / 60), "frame_dt_ms_i32": 16,
            "frame_dt_ms_f32": 2.2420775429197073e-44, "time_scale_active_entry": False,
            "time_scale_active_current": False, "time_scale_factor": 1,
            "bonus_reflex_boost_timer": 0, "mode_fn": None, "player_index": None}],
        "sim_state": {
            "gameplay": {"mode_id": o.mode, **quest, "perk_pending_count": 0,
                         "perk_choices_dirty": True, "bonus_timers": timers, "status": status},
            "players": [{"index": 0, **player, "weapon": weapon, "experience": local, "level": 1}]},
        "entity_samples": {
            "creatures": many, "projectiles": list(shots(o.creatures // 8, local, "projectile")),
            "secondary_projectiles": list(shots(o.creatures // 32, local, "secondary_projectile")),
            "bonuses": [{"uid": 0, "generation": 1, "pool_kind": "bonus", "index": 0,
                         "active": True, "bonus_id": 3, "picked": False, "time_left": f32(9.9),
                         "time_max": 10, "pos": {"x": 100, "y": f32(33.3)}, "amount": 5}]}}


# ---- versions 28 and 29 -------------------------------------------------------------------------

FRAME = 0x0040CAC7
POOLS = {"creature": 1, "projectile": 2, "secondary_projectile": 3, "bonus": 4}


def session_start2(version):
    row = session_start(version)
    config = row["config"]
    for old in ("log_mode", "flush_capture_writes"):
        del config[old]
    config["out_path_source"] = "host"
    row["frida_version"] = "17.15.4"
    return row


def slot2(i):
    return dict(slot(i), phase_seed=7 * i)


def settings():
    return {"tick_rate": 60, "quest_fail_retry_count": 1, "hardcore": False, "detail_preset": 5,
            "violence_disabled": 0, "world_size": 1024,
            "status": {"quest_unlock_index": 3, "quest_unlock_index_full": 4,
                       "weapon_usage_counts": [i * i for i in range(53)],
                       "quest_play_counts": [i % 5 for i in range(91)], "mode_play_survival": 9,
                       "mode_play_rush": 8, "mode_play_typo": 7, "mode_play_other": 6,
                       "play_time_ms": 123456, "reserved_seed_words": list(range(240, 256))}}


def bag2(draws, operations):
    """Draws that the operations of a prelude own; `draws` goes on from there."""
    head, counts = [], {}
    for index, op in enumerate(operations):
        frame = op["type"] == "game_frame_rng_advance"
        for _ in range(op["frames"] if frame else 1):
            caller = FRAME if frame else 0x00405BE0
            draws.draw(caller)
            row = draws.rows.pop()
            head.append({"state_before_u32": row["state_before_u32"],
                         "state_after_u32": row["state_after_u32"], "value_15": row["value_15"],
                         "caller_static": "0x%08x" % caller, "replay_operation_index": index})
            counts["0x%08x" % caller] = counts.get("0x%08x" % caller, 0) + 1
    return {"calls": len(head), "dropped": 0, "caller_counts": counts, "head": head}


def sample2(row):
    row["uid"] = POOLS[row["pool_kind"]] * 10**9 + row["generation"] * 10**6 + row["index"]
    if row["pool_kind"] == "creature":
        row.update(tint={"r": 1, "g": 0.5, "b": 0.25, "a": 1}, force_target=0,
                   target={"x": 3, "y": f32(0.3)}, target_player=0,
                   target_offset={"x": 0, "y": -1}, collision_timer=f32(0.1), attack_cooldown=0)
    return row


def channels2(o, local, elapsed, draws, stage, prelude):
    old = channels(o, local, local, elapsed, draws, stage)
    point, sim = old["checkpoint"], old["sim_state"]
    for name in ("state_hash", "command_hash", "status"):
        del point[name]
    body = [dict(point["players"][0]) for _ in range(o.players)]
    for player in body:
        del player["bonus_timers"]
    for row in draws.rows:
        row["caller"] = int(row.pop("caller_static"), 16)
    crc = zlib.crc32(b"".join(struct.pack("<I", row["caller"]) for row in draws.rows))
    point = {"tick_index": local, "rng_state": draws.state, "rng_callers_crc32": crc,
             **{k: v for k, v in point.items() if k not in ("tick_index", "rng_state")},
             "players": body, "deaths": [], "tutorial": None, "typo": None}
    if o.schema == 19:
        del point["rng_callers_crc32"]
    point["perk"]["choices"] = [1, 2, 3, 0, 0, 0, 0]
    point["events"] = {"hit_count": local % 3, "pickup_count": local % 2, "sfx_count": 0,
                       "sfx_head": [], "hit_head": []}
    first = sim["players"][0]
    sim["players"] = [dict(first, index=i, heading=f32(0.1), move_speed=2, move_phase=f32(0.7),
                           aim={"x": f32(0.1), "y": 3}, aim_heading=1) for i in range(o.players)]
    del sim["gameplay"]["status"]
    old["timing_samples"][0].update(tick_index=local, gameplay_frame=local,
                                    mode_fn="gameplay_update_and_render", frame_dt_ms_f32=16)
    step = {"dt": f32(1 / 60), "inputs": [{"move_x": 1, "move_y": 0, "aim_x": f32(0.1), "aim_y": 3,
                                           "flags": 6408}] * o.players,
            "prelude": prelude, "postlude": [{"type": "perk_menu_open", "player_index": 0}]
            if local % 4 == 3 else [], "commands": []}
    pools = {k: [sample2(row) for row in rows] for k, rows in old["entity_samples"].items()}
    return {"replay_step": step, "checkpoint": point, "sim_state": sim, "entity_samples": pools,
            "rng_stream": draws.rows, "timing_samples": old["timing_samples"]}


def proof(local, elapsed):
    return {"event_counts": {"projectile_find_hit": local % 3 + 1,
                             "projectile_find_owner_collision": 1, "bonus_apply": local % 2},
            "event_overflow": False, "event_heads": {"bonus_apply": [{"id": 3, "x": f32(0.1)}]},
            "diagnostics": {"deep": [[[], {}], None, True, -1, 1e300, "é\""]},
            "input_queries": {"g_key": 17 * local}, "input_player_keys": [[1, 2]],
            "input_approx": [], "before": {}, "after": {"state": 4000000000}, "samples": {},
            "frame_dt_ms": f32(16.6), "frame_dt_ms_i32": 16,
            "checkpoint_private": {"elapsed_ms": elapsed, "deaths": [{"creature_index": 3}],
                                   "events": {"hit_count": 0, "pickup_count": 0, "sfx_count": 2,
                                              "sfx_head": ["a"], "hit_head": []}},
            "clocks": {"time_played_ms_raw": elapsed, "quest_spawn_timeline_raw": 0,
                       "summed_replay_clock_ms": elapsed, "canonical_elapsed_ms": elapsed}}


def prelude2(local):
    menu = [{"type": "perk_menu_open", "player_index": 0},
            {"type": "perk_pick", "player_index": 0, "choice_index": 2}]
    return [{"type": "game_frame_rng_advance", "frames": 1 + local % 2}] + menu * (local % 5 == 2)


def rows2(o):
    raw = {"quest_stage_major": 1, "quest_stage_minor": 5}
    stage = raw if o.mode == 3 else dict.fromkeys(raw, 0)
    yield session_start2(o.version)
    g = 1000
    for run in range(1, o.runs + 1):
        ids = {"run_id": run, "mode_id": o.mode, **raw}
        draws = Draws((0xBEEF * run) & MASK)
        before = draws.state
        for _ in range(3):
            draws.draw(0)
        yield {"event": "run_start", "reason": "first_tick", **ids, "player_count": o.players,
               "global_tick_index": g, "rng_state_before_bootstrap": before,
               "rng_state_after_bootstrap": draws.state, "rng_bootstrap_calls": 3,
               "pool_residue": [slot2(i) for i in range(max(o.slots, 1))], "settings": settings()}
        for local in range(o.ticks):
            elapsed, prelude, draws = 16 * (local + 1), prelude2(local), Draws(draws.state)
            outside = bag2(draws, prelude)
            enter = draws.state
            channel = channels2(o, local, elapsed, draws, stage, prelude)
            channel["checkpoint"]["rng_state"] = draws.state
            yield {"event": "tick", **ids, "tick_index": local, "global_tick_index": g,
                   "elapsed_ms": elapsed, "dt_ms_i32": 16, "rng_calls": len(draws.rows),
                   "rng_outside_before": outside, "rng_state_enter_u32": enter,
                   "rng_state_leave_u32": draws.state, "channels": channel,
                   "evidence": proof(local, elapsed)}
            g += 1
        if not (o.no_end and run == o.runs):
            tail = prelude2(0)
            yield {"event": "run_end", **ids, "reason": "shutdown", "ticks_written": o.ticks,
                   "global_tick_index": g - 1, "trailing_prelude": tail,
                   "rng_outside_tail": bag2(Draws(draws.state), tail)}


# ---- versions 13 to 15 --------------------------------------------------------------------------

def rows(o):
    quest = {"quest_stage_major": 1, "quest_stage_minor": 5}
    yield session_start(o.version)
    for run in range(1, o.runs + 1):
        state = (0xBEEF * run) & MASK
        ids = {"run_id": run, "mode_id": o.mode, **quest}
        start = {"event": "run_start", "reason": "first_tick", **ids, "seed": 424242,
                 "seed_source": "crt_srand", "rng_state_at_run_setup": state,
                 "rng_setup_caller_static": "0x004181cc", "player_count": 1,
                 "tick_index_global": 1000 * run}
        if o.version == 15:
            start["pool_residue"] = [slot(i) for i in range(o.slots)]
        yield start
        for local in range(o.ticks):
            g, enter, draws = 1000 * run + local, state, Draws(state)
            channel = channels(o, local, g, 16 * (local + 1), draws, quest)
            channel["checkpoint"]["rng_state"] = state = draws.state
            yield {"event": "tick", **ids, "tick_index_global": g, "elapsed_ms": 16 * (local + 1),
                   "dt": f32(1 / 60), "dt_ms_i32": 16, "replay_inputs": [[1, 0, f32(0.1), 3, 6408]],
                   "rng_calls": len(draws.rows), "rng_outside_before": bag(),
                   "rng_state_enter_u32": enter, "rng_state_leave_u32": state,
                   "channels": channel}
            for _ in range(local % 3 == 1):  # a draw between ticks that no hook has seen
                state = (state * 214013 + 2531011) & MASK
        if not (o.no_end and run == o.runs):
            yield {"event": "run_end", **ids, "reason": "shutdown", "tick_index_global": None,
                   "ticks_written": o.ticks, "rng_outside_tail": bag(2)}
    if not o.no_end:
        yield {"event": "session_end", "session_id": "0x0badcafe",
               "ticks_written": o.ticks * o.runs}


def main():
    parser = argparse.ArgumentParser()
    for name, value in (("ticks", 8), ("creatures", 4), ("version", 15), ("runs", 1), ("mode", 1),
                        ("slots", 2), ("players", 1), ("schema", 20)):
        parser.add_argument("--" + name, type=int, default=value)
    parser.add_argument("--no-end", action="store_true")
    options = parser.parse_args()
    sys.stdout.reconfigure(encoding="utf-8")
    for row in (rows2 if options.version >= 28 else rows)(options):
        sys.stdout.write(text(row) + "\n")


main()
