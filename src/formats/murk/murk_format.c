/* murk_format.c - the format row of Murk replay v3: see docs/formats/murk.md. */
#include "formats/murk/murk_driver.h"

static int probe(const struct probe *p)
{
    return p->head.len >= 4 && !memcmp(p->head.at, "MURK", 4) ? 90 : 0;
}

const struct ras_format murk_format = {
    .about =
        {
            .name = "murk",
            .label = "Murk replay",
            .title = "Murk replay v3: the inputs of a run, tick by tick",
            .dialects = (const char *const[]){"v3", NULL},
            .extensions = (const char *const[]){".murk", NULL},
            .axis = RAS_AXIS_TICK,
            .axes = 1u << RAS_AXIS_TICK,
            .can = RAS_CAN_READ | RAS_CAN_STREAM | RAS_CAN_WRITE | RAS_CAN_REPAIR | RAS_CAN_REPLAY,
            .options =
                (const struct ras_format_option[]){{"hash-only", "diff bisect", NULL,
                                                    "compare only snapshot hashes",
                                                    "cannot be compared by their hashes alone"},
                                                   {0}},
        },
    .trace_size = sizeof(struct murk),
    .cursor_size = sizeof(struct murk_cursor),
    .probe = probe,
    .open = murk_open,
    .next = murk_next,
    .ascends = 1u << RAS_AXIS_TICK,
    .save = murk_save,
    .load = murk_load,
    .usage = murk_usage,
    .stats = murk_stats,
    .timeline = &murk_timeline,
    .scene = &murk_scene,
    .repair = murk_repair,
    .rewrite = &murk_rewrite,
    .build = &murk_build,
    .compare = &murk_compare,
    .ticks = &(const struct tick_ops){"murk.offset", "frame", TICK_BY_OFFSET, NULL},
    .play = murk_play,
    .rules = murk_rules,
    .check = murk_check,
    .check_ends = true,
};
