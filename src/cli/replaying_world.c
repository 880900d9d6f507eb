/* replaying_world.c - execute a replay in its world and see whether it comes out as recorded. */
#include "cli/playing.h"
#include "cli/replaying.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define STATE_MOST (UINT64_C(4) * RAS_WORLD_BYTES_MAX)

/* While it is executed. */
struct showing {
    const struct replaying *o;
    struct answer *a;
    bool dumped;
    uint64_t last; /* tick that was executed */
};

static bool show_tick(void *user, const struct ras_replay_tick *t)
{
    struct showing *s = user;
    s->last = t->tick_id;
    if (s->o->verbose && s->o->common.json)
        put_json_tick(answer_json(s->a), t);
    else if (s->o->verbose)
        answer_format(s->a, "tick %" PRIu64 ": hash=0x%016" PRIx64 " %s\n", t->tick_id, t->replayed,
                      t->replayed == t->recorded ? "ok" : "mismatch");
    if (s->o->dump_fields && t->tick_id == s->o->until.value) {
        put_fields(s->a, t);
        s->dumped = true;
    }
    return true;
}

static int answer_replay(const struct replaying *o, const char *path, struct ras_trace *trace,
                         const struct showing *s, const struct ras_replay *r)
{
    struct answer *a = s->a;
    struct ras_ending ending = ras_ending(trace);
    if (o->common.json)
        put_json_rest(answer_json(a), r, o->verbose);
    else
        put_replay_text(a, r);
    answer_flush(a);
    if (r->config_unknown)
        remark(o->common.quiet,
               "%s: config_hash is 0: the recording does not say for which"
               " configuration it was made",
               shown_path(path));
    if (r->rolled_back)
        remark(o->common.quiet,
               "%s: %s failed and were rolled back, as in the recording: tick ids are ahead of the "
               "world's by %" PRIu64,
               shown_path(path), ras_counted(r->rolled_back, "tick").text, r->drift);
    if (r->reordered && !o->order)
        remark(o->common.quiet,
               "%s: recorded arrival numbers give a different order: see --order recorded",
               shown_path(path));
    if (o->against && r->verdict == RAS_REPLAY_MISMATCH && !r->differences)
        remark(o->common.quiet,
               r->against_ticks < r->ticks ? "%s: ended after %" PRIu64
                                             " ticks: no fields to compare with"
                                           : "%s: both executions are identical after tick %" PRIu64
                                             "; only the hash stored in the file differs",
               shown_path(o->against), r->against_ticks);
    if (r->verdict == RAS_REPLAY_START)
        return trouble("%s: cannot verify: %s: slice --with-state writes the state before a slice, "
                       "replay --state FILE reads it",
                       shown_path(path), r->why);
    if (r->verdict != RAS_REPLAY_OK)
        return EXIT_NO;
    if (!r->ticks)
        return worse(say_ending(path, trace, &ending, o->common.quiet),
                     trouble("%s: cannot verify: no tick was executed", shown_path(path)));
    if (o->until.given && s->last < o->until.value)
        remark(o->common.quiet, "%s: ends at tick %" PRIu64 ", before --until %" PRIu64,
               shown_path(path), s->last, o->until.value);
    return o->until.given ? EXIT_YES : say_ending(path, trace, &ending, o->common.quiet);
}

static int world_replay(const struct replaying *o, const char *path, struct ras_trace *trace,
                        struct answer *a, struct ras_replay_options *how)
{
    struct ras_replay *r;
    struct ras_error err;
    struct showing showing = {.o = o, .a = a};
    how->tick = show_tick;
    how->user = &showing;
    if (o->common.json)
        put_json_head(answer_json(a), shown_path(path), o->verbose);
    struct progress progress;
    progress_start(&progress, &o->common, "replay", o->verbose || a->pager > 0);
    int status = ras_replay(&r, trace, how, &err);
    progress_stop(&progress);
    if (status < 0) {
        const char *at = input_of(&err, o->recipe, path, o->state);
        status = trouble_at(at ? at : path, &err);
        if (o->common.json)
            put_json_unverified(answer_json(a), o->verbose);
    } else {
        status = answer_replay(o, path, trace, &showing, r);
        if (o->dump_fields && !showing.dumped && status == EXIT_YES) {
            remark(o->common.quiet, "%s: tick %" PRIu64 " was not reached", shown_path(path),
                   o->until.value);
            status = EXIT_NO;
        }
        ras_replay_free(r);
    }
    return status;
}

int replay_world(const struct replaying *o, const char *path, struct ras_trace *trace,
                 struct answer *a)
{
    struct ras_bytes recipe = {0};
    struct ras_replay_options how = {.keep_going = o->keep_going,
                                     .lenient_ticks = o->lenient_ticks,
                                     .recorded_order = o->order && !strcmp(o->order, "recorded"),
                                     .has_until = o->until.given,
                                     .until = o->until.value};
    int status = 0;
    if (o->recipe && !(status = read_recipe(o->recipe, &recipe)))
        how.recipe = &recipe;
    if (!status && o->state)
        status = read_file(o->state, STATE_MOST, "the state of a world", &how.state);
    if (!status && o->world)
        status = find_world(NULL, o->world, &how.world);
    if (!status && o->against && !(how.against = open_operand(&o->common, o->against, false)))
        status = EXIT_TROUBLE;
    if (!status)
        status = world_replay(o, path, trace, a, &how);
    ras_close(how.against);
    free((void *)(uintptr_t)recipe.at);
    free((void *)(uintptr_t)how.state.at);
    return status;
}
