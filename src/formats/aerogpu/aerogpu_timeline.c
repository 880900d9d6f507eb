/* aerogpu_timeline.c - GPU commands as a timeline: frames, and in each its packets in their order.
 *
 * When a packet ran is not recorded: packets are spread evenly over their frame, and their
 * category says so. The record of a frame comes after those inside it, so that they are kept
 * until then. */
#include "base/memory.h"
#include "base/out.h"
#include "formats/aerogpu/aerogpu_driver.h"
#include "ops/timeline/timeline_driver.h"

#include <stdlib.h>

/* What waits for its frame. */
struct waiting {
    uint64_t seq, fence;
    uint32_t name;
    bool submission;
};

struct aero_timeline {
    struct waiting *at;
    size_t count, room;
    uint64_t tick;
    bool any;
    uint64_t commands, draws, blob_bytes;
    uint64_t flows;      /* from submissions, so far */
    uint64_t frames_end; /* when the last frame ended */
};

enum {
    TRACK_FRAMES = 1,
    TRACK_SUBMISSIONS,
    TRACK_COMMANDS,
    TRACK_DRAWS,
    TRACK_BLOBS,
    TRACK_PACKETS, /* of consumers of rows, whose frames are a film */
};

static uint32_t aero_track(struct timeline *t, uint64_t id)
{
    static const struct {
        enum timeline_kind kind;
        const char *name, *unit;
    } tracks[] = {[TRACK_FRAMES] = {TIMELINE_TRACK, "frames", NULL},
                  [TRACK_SUBMISSIONS] = {TIMELINE_TRACK, "submissions", NULL},
                  [TRACK_COMMANDS] = {TIMELINE_COUNTER, "commands", "count"},
                  [TRACK_DRAWS] = {TIMELINE_COUNTER, "draws", "count"},
                  [TRACK_BLOBS] = {TIMELINE_COUNTER, "blob bytes", "bytes"},
                  [TRACK_PACKETS] = {TIMELINE_TRACK, "packets", NULL}};
    return timeline_track(t, &(struct timeline_place){.id = id,
                                                      .parent = TIMELINE_NONE,
                                                      .kind = tracks[id].kind,
                                                      .name = timeline_word(t, tracks[id].name),
                                                      .number = RAS_NONE,
                                                      .unit = tracks[id].unit,
                                                      .film = id == TRACK_FRAMES});
}

static bool timeline_is_draw(const struct ras_value *name)
{
    const char *at = name && name->kind == RAS_STR ? name->at : "";
    return name && name->kind == RAS_STR && name->count >= 4 && !memcmp(at, "DRAW", 4);
}

static void wait_for_frame(struct timeline *t, struct aero_timeline *a, const struct ras_cursor *c,
                           const struct ras_record *r, bool submission)
{
    const struct ras_value *name = ras_value_of(c, "name"),
                           *fence = ras_value_of(c, "signal_fence");
    if (!array_grow(&a->at, &a->room, a->count + 1, sizeof *a->at)) {
        timeline_nomem(t);
        return;
    }
    struct waiting *w = &a->at[a->count++];
    *w = (struct waiting){.seq = r->seq, .fence = RAS_NONE, .submission = submission};
    w->name = submission                      ? timeline_word(t, "submission")
              : name && name->kind == RAS_STR ? timeline_text(t, name->at, name->count)
                                              : timeline_word(t, "packet");
    if (fence && fence->kind == RAS_UINT)
        w->fence = fence->u;
}

/* One of the things in a frame, in its share of the time. */
static void put_waiting(struct timeline *t, struct aero_timeline *a, size_t i, uint64_t from,
                        uint64_t length)
{
    const struct waiting *w = &a->at[i];
    uint64_t begin = from + length / a->count * i, end = begin + length / a->count;
    uint32_t category = timeline_word(t, "order");
    if (timeline_has_rows(t)) {
        timeline_instant_of(t, aero_track(t, w->submission ? TRACK_SUBMISSIONS : TRACK_PACKETS),
                            begin, w->name, w->seq);
        return;
    }
    if (w->submission) {
        timeline_instant(t, aero_track(t, TRACK_SUBMISSIONS), begin, w->name, category);
        timeline_flow(t, ++a->flows, false);
        if (w->fence != RAS_NONE)
            timeline_arg_uint(t, timeline_word(t, "signal_fence"), w->fence, 0);
    } else {
        timeline_begin(t, aero_track(t, TRACK_FRAMES), begin, w->name, category);
    }
    timeline_arg_uint(t, timeline_word(t, "ordinal"), i, 0);
    timeline_arg_uint(t, timeline_word(t, "seq"), w->seq, 0);
    if (!w->submission)
        timeline_end(t, aero_track(t, TRACK_FRAMES), end, true);
}

static void timeline_put_counters(struct timeline *t, struct aero_timeline *a, uint64_t from)
{
    timeline_counter(t, aero_track(t, TRACK_COMMANDS), from, (int64_t)a->commands);
    timeline_counter(t, aero_track(t, TRACK_DRAWS), from, (int64_t)a->draws);
    timeline_counter(t, aero_track(t, TRACK_BLOBS), from, (int64_t)a->blob_bytes);
    a->commands = a->draws = a->blob_bytes = 0;
}

/* A frame with all that is in it; without a cursor it was not ended by a record of its own. */
static void timeline_put_frame(struct timeline *t, struct aero_timeline *a,
                               const struct ras_cursor *c)
{
    uint32_t track = aero_track(t, TRACK_FRAMES);
    uint64_t from = timeline_tick_ns(t, a->tick);
    uint64_t to = a->tick < UINT64_MAX ? timeline_tick_ns(t, a->tick + 1) : from;
    uint64_t flows = a->flows;
    from = from > a->frames_end ? from : a->frames_end;
    to = to > from ? to : from;
    uint32_t category = timeline_word(t, "frame");
    timeline_begin(t, track, from, timeline_word(t, c ? "frame" : "outside of a frame"), category);
    timeline_arg_uint(t, timeline_word(t, "frame_index"), a->tick, 0);
    if (c)
        timeline_args(t, c, (const char *const[]){"frame_index", NULL});
    for (size_t i = 0; i < a->count; i++)
        put_waiting(t, a, i, from, to - from);
    timeline_end(t, track, to, true);
    if (c) {
        uint32_t name = timeline_word(t, "present"); /* before the track: both are numbered */
        timeline_instant(t, aero_track(t, TRACK_SUBMISSIONS), to, name, category);
        while (flows < a->flows)
            timeline_flow(t, ++flows, true);
    }
    timeline_put_counters(t, a, from);
    a->frames_end = to;
    a->count = 0;
    a->any = false;
}

static int aero_timeline_record(struct timeline *t, void *state, const struct ras_cursor *c,
                                const struct ras_record *r, struct ras_error *err)
{
    struct aero_timeline *a = state;
    const char *type = ras_schema_of(c)->name;
    const struct ras_value *size;
    (void)err;
    if (a->any && r->flags & RAS_HAS_TICK && r->tick != a->tick)
        timeline_put_frame(t, a, NULL);
    a->any = true;
    a->tick = r->flags & RAS_HAS_TICK ? r->tick : a->tick;
    if (!strcmp(type, "frame")) {
        timeline_put_frame(t, a, c);
    } else if (!strcmp(type, "packet")) {
        wait_for_frame(t, a, c, r, false);
    } else if (!strcmp(type, "submission")) {
        wait_for_frame(t, a, c, r, true);
    } else if (!strcmp(type, "command")) {
        a->commands++;
        a->draws += timeline_is_draw(ras_value_of(c, "name"));
    } else if (!strcmp(type, "blob")) {
        size = ras_value_of(c, "size");
        a->blob_bytes += size && size->kind == RAS_UINT ? size->u : 0;
    } else {
        timeline_lost(t, "records of types that a timeline does not show", 1);
    }
    return RAS_OK;
}

static void aero_timeline_stop(struct timeline *t, void *state)
{
    struct aero_timeline *a = state;
    if (a->any && (a->count || a->commands || a->blob_bytes))
        timeline_put_frame(t, a, NULL);
}

/* Packets that wait for their frame are not saved. */
static bool aero_timeline_save(const void *state, struct out *out)
{
    const struct aero_timeline *a = state;
    struct aero_timeline saved = *a;
    saved.at = NULL;
    saved.room = 0;
    out_bytes(out, &saved, sizeof saved);
    return !a->count;
}

static bool aero_timeline_load(struct timeline *t, void *state, struct ras_bytes from)
{
    (void)t;
    if (from.len != sizeof(struct aero_timeline))
        return false;
    memcpy(state, from.at, from.len);
    return true;
}

static void aero_timeline_release(void *state)
{
    free(((struct aero_timeline *)state)->at);
}

const struct timeline_ops aero_timeline = {
    .group = "gpu (AeroGPU)",
    .alone = ": a frame is drawn as 1 ms, which is not measured",
    .state_size = sizeof(struct aero_timeline),
    .fields = (const char *const[]){"name", "signal_fence", "size", NULL},
    .record = aero_timeline_record,
    .stop = aero_timeline_stop,
    .release = aero_timeline_release,
    .save = aero_timeline_save,
    .load = aero_timeline_load,
};
