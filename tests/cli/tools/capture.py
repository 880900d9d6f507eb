#!/usr/bin/env python3
"""capture.py - a Frida raw capture, as the capture script writes it, on standard output.

capture.py [--ticks N] [--creatures N] [--version 13|14|15] [--runs N] [--mode ID]
           [--slots N] [--no-end]

The same arguments make the same bytes. Creatures wander, projectiles fly, draws follow the game's
random number generator; --no-end leaves out what ends the last run and the session.
"""
import argparse
import struct
import sys

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
                        ("slots", 2)):
        parser.add_argument("--" + name, type=int, default=value)
    parser.add_argument("--no-end", action="store_true")
    for row in rows(parser.parse_args()):
        sys.stdout.write(text(row) + "\n")


main()
