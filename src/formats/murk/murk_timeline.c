/* murk_timeline.c - a replay as a timeline: ticks, the commands of each source, how many. */
#include "formats/murk/murk_driver.h"
#include "ops/timeline/timeline_driver.h"

enum { TRACK_SOURCES = 16 };

static int murk_timeline_start(struct timeline *t, void *state, struct ras_error *err)
{
    (void)err;
    tick_tracks_open(t, state);
    return RAS_OK;
}

static uint32_t source_track(struct timeline *t, const struct ras_value *source)
{
    char name[40] = "no source";
    bool known = source && source->kind == RAS_UINT;
    if (known)
        snprintf(name, sizeof name, "source %" PRIu64, source->u);
    return timeline_track(
        t, &(struct timeline_place){.id = known ? TRACK_SOURCES + source->u : TRACK_SOURCES - 1,
                                    .parent = TIMELINE_NONE,
                                    .kind = TIMELINE_TRACK,
                                    .name = timeline_text(t, name, strlen(name)),
                                    .number = RAS_NONE});
}

static int murk_timeline_record(struct timeline *t, void *state, const struct ras_cursor *c,
                                const struct ras_record *r, struct ras_error *err)
{
    const struct ras_value *name = ras_value_of(c, "payload_name");
    (void)err;
    if (!strcmp(ras_schema_of(c)->name, "frame")) {
        (void)tick_tracks_put(t, state, c, r->tick);
        return RAS_OK;
    }
    uint32_t track = source_track(t, ras_value_of(c, "source_id"));
    uint32_t category = timeline_word(t, "command");
    timeline_instant(t, track, timeline_tick_ns(t, r->tick),
                     name && name->kind == RAS_STR ? timeline_text(t, name->at, name->count)
                                                   : category,
                     category);
    timeline_args(t, c, (const char *const[]){"payload_name", "payload", NULL});
    return RAS_OK;
}

const struct timeline_ops murk_timeline = {
    .group = "inputs (Murk)",
    .alone = ": a tick is drawn as 1 ms, which is not measured",
    .state_size = sizeof(struct tick_tracks),
    .fields = (const char *const[]){"command_count", "payload_name", "source_id", NULL},
    .start = murk_timeline_start,
    .record = murk_timeline_record,
};
