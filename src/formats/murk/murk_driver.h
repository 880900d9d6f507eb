/* murk_driver.h - the callbacks of Murk's format row. */
#ifndef MURK_DRIVER_H
#define MURK_DRIVER_H

#include "core/format.h"
#include "formats/murk/murk_wire.h"
#include "ops/build/build_driver.h"
#include "ops/compare/compare_driver.h"
#include "ops/repair/plan.h"
#include "ops/rewrite/rewrite_driver.h"
#include "ops/stats/stats_driver.h"
#include "ops/verify/report.h"

struct murk {
    struct ras_murk_header header; /* its spans are valid only during open */
};

/* Inside a frame: what the next command needs to know about it. */
struct murk_cursor {
    uint64_t tick, frame_seq;
    uint32_t commands_left;
};

int murk_open(struct ras_trace *, struct ras_error *);
enum step murk_next(struct ras_cursor *);
/* Adds the values of a command that the view wants; false: out of memory. */
bool murk_command_values(struct cells *, const struct view *, const struct ras_murk_command *);
void murk_save(const struct ras_cursor *, struct ras_mark *);
void murk_load(struct ras_cursor *, const struct ras_mark *);
int murk_stats(struct ras_trace *, struct stats *, struct ras_error *);
int murk_usage(struct ras_trace *, struct usage *, struct ras_error *);
int murk_check(struct ras_trace *, struct report *, struct ras_error *);
int murk_repair(struct ras_trace *, const struct ras_repair_options *, struct plan *,
                struct ras_error *);
int murk_play(struct ras_trace *, const struct ras_replay_options *, struct ras_replay *,
              struct ras_error *);
extern const struct ras_schema murk_frame_schema, murk_command_schema;
extern const struct ras_rule murk_rules[];
extern const struct rewrite_ops murk_rewrite;
/* Adds the fields of a header to an open map, without the space_descriptor. */
void murk_header_put(struct document *, const struct ras_murk_header *);
extern const struct build_ops murk_build;
extern const struct compare_ops murk_compare;
extern const struct timeline_ops murk_timeline;
extern const struct scene_ops murk_scene;
#endif
