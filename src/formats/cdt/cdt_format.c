/* cdt_format.c - the format row of CDT, the crimson debug trace: see docs/formats/cdt.md. */
#include "formats/cdt/cdt_compare.h"
#include "formats/cdt/cdt_rewrite.h"

static int probe(const struct probe *p)
{
    enum { ENOUGH = 8 }; /* bytes of the magic that identify it */
    return p->head.len >= ENOUGH && cdt_magic_family(p->head) ? 90 : 0;
}

/* Schema 21 gave five keys other names. */
static const struct field_rename renames[] = {
    {"creature", "collision_timer", "dot_tick_timer"},
    {"creature", "lifecycle_stage", "death_timer"},
    {"projectile", "travel_budget", "projectile_speed"},
    {"secondary_projectile", "trail_timer", "trail_distance"},
    {"checkpoint", "tutorial.hint_fade_in", "tutorial.hint_carrier_killed"},
    {0},
};

const struct ras_format cdt_format = {
    .about =
        {
            .name = "cdt",
            .label = "CDT trace",
            .title = "CDT, the crimson debug trace: the state of a run, tick by tick",
            .dialects = (const char *const[]){"python", "zig", "frida", NULL},
            .extensions = (const char *const[]){".cdt", NULL},
            .axis = RAS_AXIS_TICK,
            .axes = 1u << RAS_AXIS_TICK | 1u << RAS_AXIS_TIME,
            .can = RAS_CAN_READ | RAS_CAN_STREAM | RAS_CAN_SEEK | RAS_CAN_WRITE | RAS_CAN_REPAIR,
            .options =
                (const struct ras_format_option[]){{"trust-checksums", "diff bisect", NULL,
                                                    "do not read chunks with equal checksums",
                                                    NULL},
                                                   {"per-channel", "diff", NULL,
                                                    "the first difference of each channel, over "
                                                    "the whole range",
                                                    "channels are of CDT traces"},
                                                   {0}},
        },
    .trace_size = sizeof(struct cdt_trace),
    .cursor_size = sizeof(struct cdt_cursor),
    .probe = probe,
    .open = cdt_open,
    .close = cdt_close,
    .stop = cdt_stop,
    .next = cdt_next,
    .seek = cdt_seek,
    .ascends = 1u << RAS_AXIS_TICK | 1u << RAS_AXIS_TIME,
    .save = cdt_save,
    .load = cdt_load_mark,
    .renames = renames,
    .takes_ranges = true,
    .usage = cdt_usage,
    .stats = cdt_stats,
    .timeline = &cdt_timeline,
    .scene = &cdt_scene,
    .repair = cdt_repair,
    .rewrite = &cdt_rewrite,
    .build = &cdt_build,
    .compare = &cdt_compare,
    .ticks = &(const struct tick_ops){"cdt.row", "tick", TICK_BY_ROW, NULL},
    .rules = cdt_rules,
    .check = cdt_check,
    .check_ends = true,
};
