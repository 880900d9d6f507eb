/* murk_timeline.c - a replay as a timeline: ticks, the commands of each source, how many. */
#include "formats/murk/murk_driver.h"
#include "ops/timeline/timeline_driver.h"

struct murk_timeline {
    uint32_t ticks, counter;
    uint64_t time_ns; /* of the current tick */
};

enum { TRACK_TICKS = 1, TRACK_COUNTER, TRACK_SOURCES = 16 };

static int murk_timeline_start(struct timeline *t, void *state, struct ras_error *err)
{
    struct murk_timeline *m = state;
    (void)err;
    m->ticks = timeline_track(t, &(struct timeline_place){.id = TRACK_TICKS,
                                                          .parent = TIMELINE_NONE,
                                                          .kind = TIMELINE_TRACK,
                                                          .name = timeline_word(t, "ticks"),
                                                          .number = RAS_NONE});
    m->counter = timeline_track(t, &(struct timeline_place){.id = TRACK_COUNTER,
                                                            .parent = TIMELINE_NONE,
                                                            .kind = TIMELINE_COUNTER,
                                                            .name = timeline_word(t, "commands"),
                                                            .number = RAS_NONE,
                                                            .unit = "count"});
    return RAS_OK;
}

/* A tick lasts until the next begins. */
static void put_tick(struct timeline *t, struct murk_timeline *m, const struct ras_cursor *c,
                     const struct ras_record *r)
{
    const struct ras_value *commands = ras_value_of(c, "command_count");
    m->time_ns = timeline_tick_ns(t, r->tick);
    timeline_begin(t, m->ticks, m->time_ns, timeline_word(t, "tick"), timeline_word(t, "tick"));
    timeline_args(t, c, NULL);
    uint64_t next = r->tick < UINT64_MAX ? timeline_tick_ns(t, r->tick + 1) : m->time_ns;
    timeline_end(t, m->ticks, next > m->time_ns ? next : m->time_ns, true);
    if (commands && commands->kind == RAS_UINT)
        timeline_counter(t, m->counter, m->time_ns, (int64_t)commands->u);
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
    struct murk_timeline *m = state;
    const struct ras_value *name = ras_value_of(c, "payload_name");
    (void)err;
    if (!strcmp(ras_schema_of(c)->name, "frame")) {
        put_tick(t, m, c, r);
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
    .state_size = sizeof(struct murk_timeline),
    .fields = (const char *const[]){"command_count", "payload_name", "source_id", NULL},
    .start = murk_timeline_start,
    .record = murk_timeline_record,
};
