#!/usr/bin/env python3
"""make.py - the golden replays and evidence files, from the reference: make.py DIRECTORY"""
import copy
import os
import struct
import sys


def pack(value):
    """MessagePack in the shortest form; floats have 64 bits."""
    if value is None:
        return b"\xc0"
    if isinstance(value, bool):
        return b"\xc3" if value else b"\xc2"
    if isinstance(value, bytes):  # already packed
        return value
    if isinstance(value, int):
        return pack_int(value)
    if isinstance(value, float):
        return b"\xcb" + struct.pack(">d", value)
    if isinstance(value, str):
        text = value.encode()
        head = bytes([0xa0 | len(text)]) if len(text) < 32 else b"\xd9" + bytes([len(text)])
        return head + text
    items = [x for pair in value.items() for x in pair] if isinstance(value, dict) else value
    fixed, wide = (0x80, b"\xde") if isinstance(value, dict) else (0x90, b"\xdc")
    count = len(value)
    head = bytes([fixed | count]) if count < 16 else wide + struct.pack(">H", count)
    return head + b"".join(pack(x) for x in items)


def pack_int(value):
    for least, most, form in ((0, 127, None), (-32, -1, None), (0, 255, b"\xccB"),
                              (0, 65535, b"\xcdH"), (0, 2 ** 32 - 1, b"\xceI"),
                              (-128, -1, b"\xd0b"), (-32768, -1, b"\xd1h")):
        if least <= value <= most:
            if form is None:
                return struct.pack("b", value)
            return form[:1] + struct.pack(">" + chr(form[1]), value)
    raise ValueError(value)


def frame(content):
    """One zstd frame of stored blocks, so that no compressor is needed."""
    out = b"\x28\xb5\x2f\xfd\xa0" + struct.pack("<I", len(content))
    for at in range(0, max(1, len(content)), 131072):
        block = content[at:at + 131072]
        last = at + 131072 >= len(content)
        out += struct.pack("<I", len(block) << 3 | last)[:3] + block
    return out


def narrow(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


PERKS = [[], [{"type": "perk_menu_open", "player_index": 0}],
         [{"type": "perk_pick", "player_index": 0, "choice_index": 3}]]
TYPED = [[{"type": "typo_char", "player_index": 0, "ch": "\u00e4"}],
         [{"type": "typo_backspace", "player_index": 0}],
         [{"type": "typo_submit", "player_index": 0}]]


def replay(version=27, mode=1, players=1, quest=None, ticks=3, outcome="incomplete"):
    run = {"game_mode_id": mode, "seed": 0xdeadbeef,
           "quest_level": quest and {"major": quest[0], "minor": quest[1]},
           "player_count": players, "hardcore": False, "preserve_bugs": True}
    if version == 20:
        run["demo"] = False
    run.update(quest_fail_retry_count=0, detail_preset=5, violence_disabled=0)
    if version != 20:
        run["friendly_fire"] = False
    run["status"] = {"quest_unlock_index": 40, "quest_unlock_index_full": 0,
                     "weapon_usage_counts": [i * 5 for i in range(53)]}
    run["typo_dictionary_words"] = ["alpha", "o'clock"] if mode == 4 else []
    run["typo_highscore_names"] = ["ann", "b.c"] if mode == 4 else []
    player = {"experience": 120, "health": narrow(33.3)}
    result = {"outcome": outcome, "elapsed_ms": ticks * 16, "kills": 2}
    shots = {"shots_fired": 9, "shots_hit": 4}
    (player if version == 20 else result).update(shots)
    player["most_used_weapon_id"] = 1
    result.update(rng_state=77, pending_perks=0,
                  quest_final_ms=54321 if outcome == "quest_completed" else None,
                  players=[dict(player) for _ in range(players)])
    commands = TYPED if mode == 4 else PERKS
    rows = [[[[narrow(0.5), -1.0, 512.0, 300.25, 0x19] for _ in range(players)],
             copy.deepcopy(commands[i % 3])] for i in range(ticks)]
    return {"format_version": version, "game_version": "0.12.0", "run": run, "result": result,
            "ticks": rows}


def changed(changes, **how):
    """A replay with other values in some places."""
    whole = replay(**how)
    for path, value in changes:
        at = whole
        for step in path[:-1]:
            at = at[step]
        at[path[-1]] = value
    return frame(pack(whole))


NO_INPUT = [0.0, 0.0, 0.0, 0.0, 0]


def faults():
    """Files of several faults each: verify reports them all."""
    yield "forms", changed([(["ticks", 0, 0, 0, 2], b"\xca" + struct.pack(">f", 512.0)),
                            (["result", "kills"], b"\xcd\x00\x02"),
                            (["result", "rng_state"], b"\xd0\x4d"),
                            (["run", "typo_dictionary_words"], b"\xdc\x00\x00"),
                            (["game_version"], b"\xd9\x011")], ticks=1)
    yield "run_faults", changed([(["run", "game_mode_id"], 5), (["run", "player_count"], 9),
                                 (["run", "status", "weapon_usage_counts"], [0] * 52),
                                 (["run", "hardcore"], 0), (["game_version"], ""),
                                 (["run", "typo_highscore_names"], ["a b", "", "x" * 32])],
                                quest=(6, 0), ticks=1)
    yield "result_faults", changed([(["result", "shots_hit"], 10), (["result", "outcome"], "won"),
                                    (["result", "players", 1, "health"], 0.1),
                                    (["result", "players", 0, "health"], float("inf")),
                                    (["result", "quest_final_ms"], -1),
                                    (["run", "player_count"], 1)], players=2, ticks=1)
    yield "result_20", changed([(["result", "players", 0, "shots_hit"], 10),
                                (["result", "quest_final_ms"], 5)], version=20, ticks=1)
    yield "tick_faults", changed([(["ticks", 0, 0, 0, 4], 1 << 20), (["ticks", 1, 0, 0, 0], 1),
                                  (["ticks", 1, 1], TYPED[0]), (["ticks", 2, 1, 0], 7),
                                  (["ticks", 3, 0], [NO_INPUT] * 2), (["ticks", 4], [[]]),
                                  (["ticks", 5, 0, 0, 0], float("nan")),
                                  (["ticks", 5, 1, 0, "choice_index"], 7),
                                  (["ticks", 6, 0, 0], "left")], ticks=7)
    yield "command_faults", changed([(["ticks", 0, 1], [{"type": "dance", "player_index": 0}]),
                                     (["ticks", 1, 1, 0, "player_index"], 1),
                                     (["ticks", 2, 1, 0, "more"], 1)])
    yield "typo_faults", changed([(["ticks", 0, 1, 0, "ch"], "ab"), (["run", "player_count"], 2),
                                  (["ticks", 0, 0, 0, 4], 0x10), (["ticks", 1, 0, 0, 4], 0xd00),
                                  (["ticks", 2, 0, 0, 4], 0xd000)], mode=4)


def replays():
    good = pack(replay())
    yield "survival_27", frame(good)
    yield "quest_27", frame(pack(replay(mode=3, players=2, quest=(3, 10), ticks=2,
                                        outcome="quest_completed")))
    yield "typo_27", frame(pack(replay(mode=4)))
    yield "survival_20", frame(pack(replay(version=20)))
    yield "version_32", frame(pack({**replay(ticks=2), "format_version": 32, "rules": 1}))
    yield "version_31_other", frame(pack({"format_version": 31, "list": [], "x": -200.0,
                                          "raw": b"\xc4\x02\x00\xff"}))
    yield "not_compressed", good
    yield "two_frames", frame(good[:100]) + frame(good[100:])
    yield "trailing_byte", frame(good) + b"\0"
    yield "trailing_content", frame(good + b"\xc0")
    yield "cut", frame(good)[:-10]
    yield "cut_content", frame(good[:-10])
    yield "no_ticks", frame(pack(replay(ticks=0)))
    yield "ticks_map", changed([(["ticks"], {})])
    yield "quest_lacks", frame(pack(replay(mode=3, ticks=1)))
    yield from faults()
    swapped = replay()
    swapped["run"] = {k: swapped["run"][k] for k in sorted(swapped["run"])}
    yield "key_order", frame(pack(swapped))
    lacking = replay()
    del lacking["result"]["kills"]
    yield "no_kills", frame(pack(lacking))
    yield "run_text", changed([(["run"], "fast")], ticks=1)
    yield "unknown_member", frame(pack({**replay(ticks=1), "extra": [1, None]}))
    yield "header_cut", frame(good[:12])
    yield "version_text", frame(pack({"format_version": "27"}))
    yield "big-steady", frame(pack(replay(ticks=80)))


HEADER = {"kind": "header", "evidence_format_version": 3, "capture_format_version": 29,
          "trace_format_version": 2, "trace_schema_version": 20, "frida_version": "17.15.4",
          "session_id": "s1", "ptrs_hash": "p", "module_hash": None, "run_id": 1, "mode_id": 1,
          "quest_stage_major": 0, "quest_stage_minor": 0, "tick_count": 2, "raw_sha256": "0" * 64,
          "trace_sha256": "1" * 64, "replay_sha256": "2" * 64}
FOOTER = {"kind": "footer", "tick_count": 2, "first_tick": 0, "last_tick": 1,
          "global_tick_first": 50, "global_tick_last": 51}


def tick(index):
    return {"kind": "tick", "run_id": 1, "tick_index": index, "global_tick_index": 50 + index,
            "evidence": {"event_counts": {"bonus_apply": index}, "clocks": None}}


def records(rows):
    packed = [pack(row) for row in rows]
    return b"".join(struct.pack("<I", len(row)) + row for row in packed)


def evidence():
    good = records([HEADER, tick(0), tick(1), FOOTER])
    yield "evidence", frame(good)
    yield "evidence_no_footer", frame(records([HEADER, tick(0), tick(1)]))
    yield "evidence_gap", frame(records([HEADER, tick(0), tick(2), {**FOOTER, "last_tick": 2}]))
    yield "evidence_count", frame(records([{**HEADER, "tick_count": 3}, tick(0), FOOTER]))
    yield "evidence_other", frame(records([HEADER, {"kind": "note", "text": "x"}, tick(0), tick(1),
                                           FOOTER]))
    yield "evidence_not_map", frame(records([HEADER, b"\xc1", tick(0), tick(1), FOOTER]))
    yield "evidence_version_2", frame(records([{**HEADER, "evidence_format_version": 2}]))
    yield "evidence_after", frame(good + records([tick(2)]))
    yield "evidence_twice", frame(records([HEADER, HEADER, FOOTER]))
    yield "evidence_cut", frame(good[:-5])


def main(folder):
    made = [(name + ".crd", data) for name, data in replays()]
    made += [(name + ".evidence.msgpack.zst", data) for name, data in evidence()]
    for name, data in made:
        with open(os.path.join(folder, name), "wb") as out:
            out.write(data)


if __name__ == "__main__":
    main(sys.argv[1])
