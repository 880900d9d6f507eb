/* replay.c - execute a replay again. */
#include "core/format.h"
#include "base/struct_size.h"
#include "core/world_engine.h"
#include <rastrum/replay.h>

#include <stdlib.h>

int ras_replay(struct ras_replay **out, struct ras_trace *t,
               const struct ras_replay_options *options, struct ras_error *err)
{
    *out = NULL;
    struct ras_replay_options own;
    options = OPTIONS(&own, options, err);
    if (!options)
        return RAS_EUSAGE;
    if (!t->format->play)
        return fail(err, RAS_EUNSUPPORTED, RAS_NONE, "%s traces cannot be executed",
                    t->format->about.name);
    if (options->against && options->against->format != t->format)
        return fail(err, RAS_EUSAGE, RAS_NONE, "different formats: %s and %s",
                    t->format->about.name, options->against->format->about.name);
    int status = world_engine_check(options->worlds, "ras_replay_options.worlds", err);
    if (status < 0)
        return status;
    struct ras_replay *r = calloc(1, sizeof *r);
    status = r ? source_whole(t->source, err) : fail_memory(err);
    if (status == RAS_OK)
        status = t->format->play(t, options, r, err);
    if (status < 0) {
        ras_replay_free(r);
        return status;
    }
    *out = r;
    return RAS_OK;
}

/* ---- saving ----------------------------------------------------------------------- */

struct saving {
    const struct ras_replay_options *options;
    const struct ras_worlds *worlds;
    uint64_t last; /* tick id to save after */
    struct ras_sink *sink;
    bool saved;
    int status;
    struct ras_error *err;
};

static bool save_progress(void *user, uint64_t done, uint64_t total)
{
    const struct saving *s = user;
    return s->options->progress(s->options->user, done, total);
}

static bool save_tick(void *user, const struct ras_replay_tick *t)
{
    struct saving *s = user;
    if (t->tick_id != s->last || t->recorded != t->replayed)
        return t->recorded == t->replayed;
    const struct ras_world_state about = {
        .tick_id = t->tick_id, .seed = t->seed, .config_hash = t->config_hash};
    s->status = s->worlds->save(t->type, t->world, &about, s->sink, s->err);
    s->saved = true;
    return false;
}

int ras_replay_save(struct ras_replay **out, struct ras_trace *t, uint64_t tick_id,
                    const struct ras_replay_options *options, struct ras_sink *sink,
                    struct ras_error *err)
{
    *out = NULL;
    struct ras_replay_options own;
    options = OPTIONS(&own, options, err);
    if (!options)
        return RAS_EUSAGE;
    struct saving saving = {.options = options,
                            .worlds = options->worlds,
                            .last = tick_id - 1,
                            .sink = sink,
                            .err = err};
    struct ras_replay_options how = *options;
    how.keep_going = false;
    how.has_until = true;
    how.until = saving.last;
    how.tick = save_tick;
    how.progress = options->progress ? save_progress : NULL;
    how.user = &saving;
    int status = ras_replay(out, t, &how, err);
    if (status == RAS_OK && saving.status < 0)
        status = saving.status;
    if (status == RAS_OK && !saving.saved && (*out)->verdict == RAS_REPLAY_OK)
        status = fail(err, RAS_EUSAGE, RAS_NONE,
                      "there is no tick %" PRIu64 " to save the world of", saving.last);
    if (status < 0) {
        ras_replay_free(*out);
        *out = NULL;
    }
    return status;
}

void ras_replay_free(struct ras_replay *r)
{
    if (r)
        free(r->memory);
    free(r);
}
