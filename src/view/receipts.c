/* receipts.c - the route receipts: a replay is executed up to a tick, to see what became of its
 * commands. */
#include "core/format.h"
#include "ops/scene/scene_driver.h"
#include "core/world_engine.h"
#include "view/route.h"
#include <rastrum/replay.h>

#include <stdlib.h>

struct receipt_wait {
    struct request *r;
    uint64_t tick;
    struct json json;
    bool found;
};

static int by_index(const void *a, const void *b)
{
    uint32_t x = ((const struct ras_receipt *)a)->command_index;
    uint32_t y = ((const struct ras_receipt *)b)->command_index;
    return x < y ? -1 : x > y;
}

static void put_receipts(struct receipt_wait *w, const struct ras_replay_tick *t)
{
    struct json *j = &w->json;
    json_uint(j, "tick", t->tick_id);
    json_bool(j, "agrees", t->recorded == t->replayed);
    json_array(j, "items");
    qsort(t->step->receipts, t->step->receipt_count, sizeof *t->step->receipts, by_index);
    for (uint32_t i = 0; i < t->step->receipt_count; i++) {
        const struct ras_receipt *receipt = &t->step->receipts[i];
        json_object(j, NULL);
        json_uint(j, "index", receipt->command_index);
        json_bool(j, "accepted", receipt->accepted);
        json_text(j, "reason", w->r->options->worlds->receipt_text(receipt->reason));
        json_u64_text(j, "tick", receipt->applied_tick);
        json_close(j);
    }
    json_close(j);
}

static bool receipt_tick(void *user, const struct ras_replay_tick *t)
{
    struct receipt_wait *w = user;
    if (t->tick_id != w->tick)
        return true;
    put_receipts(w, t);
    w->found = true;
    return false;
}

static bool receipt_progress(void *user, uint64_t done, uint64_t total)
{
    return request_goes_on(((struct receipt_wait *)user)->r, done, total);
}

/* The trace of a side whose commands can be executed; NULL: none. */
static struct ras_trace *replay_of(const struct request *r, const struct side *side)
{
    for (unsigned i = side->first; i < side->first + side->count; i++) {
        struct ras_trace *t = r->shown->sources[i].trace;
        if (t && t->format->play && t->format->scene && t->format->scene->commands.type)
            return t;
    }
    return NULL;
}

static int answer_receipts(struct request *r)
{
    const struct side *side = request_side(r, 0);
    struct ras_trace *t = replay_of(r, side);
    struct receipt_wait w = {.r = r, .tick = r->args[1].value};
    struct ras_replay_options how = {.worlds = r->options->worlds,
                                     .keep_going = true,
                                     .has_until = true,
                                     .until = w.tick,
                                     .tick = receipt_tick,
                                     .progress = receipt_progress,
                                     .user = &w};
    struct ras_replay *replay;
    if (!t || !how.worlds)
        return fail(&r->err, RAS_EUNSUPPORTED, RAS_NONE,
                    t ? "replays cannot be executed here" : "%s has no commands to execute",
                    side->origin->name);
    w.json = request_json(r);
    int status = ras_replay(&replay, t, &how, &r->err);
    if (status < 0)
        return status;
    if (!w.found)
        status = replay->verdict == RAS_REPLAY_OK || replay->verdict == RAS_REPLAY_MISMATCH
                     ? fail(&r->err, RAS_ENOTHING, RAS_NONE, "there is no tick %" PRIu64, w.tick)
                     : fail(&r->err, RAS_EUNSUPPORTED, RAS_NONE, "%s", replay->why);
    ras_replay_free(replay);
    return status < 0 ? status : request_end(r, &w.json);
}

const struct route receipt_routes[] = {
    {.path = "receipts",
     .job = true,
     .args = {{"side", ARG_SIDE}, {"n", ARG_NUMBER}},
     .answer = answer_receipts},
    {0},
};
