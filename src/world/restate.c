/* restate.c - the state of a recording: execute it again and write down what the world says. */
#include "base/error.h"
#include "base/struct_size.h"
#include "world/running.h"
#include "world/stepping.h"
#include <rastrum/replay.h>

#include <stdlib.h>

struct restate {
    struct pen_run run;
    void *pen;
    int status; /* of the pen */
    struct ras_error *err;
};

static bool restate_tick(void *user, const struct ras_replay_tick *t)
{
    struct restate *r = user;
    const struct pen_tick told = {.tick_id = t->tick_id,
                                  .type = t->type,
                                  .world = t->world,
                                  .step = t->step,
                                  .commands = t->step->commands,
                                  .command_count = t->step->command_count,
                                  .hash = t->replayed};
    if (t->recorded != t->replayed)
        return false;
    r->status = cdt_pen.tick(r->pen, &told, r->err);
    return r->status == RAS_OK;
}

/* The pen wants to see the world as it begins, and to know how many ticks there are. */
static int restate_begin(struct restate *r, struct ras_trace *replay,
                         const struct ras_replay_options *asked, struct ras_sink *sink)
{
    struct run_commands commands;
    struct ras_murk_header header;
    struct pen_run *run = &r->run;
    bool cut;
    const struct ras_run_options from = {.commands = replay};
    int status = run_commands_open(&commands, &from, &header, &run->ticks, &cut, r->err);
    run_commands_free(&commands);
    if (status < 0)
        return status;
    run->sink = sink;
    run->seed = header.seed;
    run->recipe = asked->recipe ? *asked->recipe : header.space_descriptor;
    run->type = asked->world;
    if (!run->type)
        status = ras_world_type_of(&run->type, run->recipe, r->err);
    if (status == RAS_OK && cdt_pen.lacks(run->type, NULL))
        status = fail(r->err, RAS_EUNSUPPORTED, RAS_NONE, "%s: %s", run->type->name,
                      cdt_pen.lacks(run->type, NULL));
    if (status == RAS_OK)
        status = world_create(run->type, &run->world, run->recipe, run->seed, r->err);
    return status < 0 ? status : cdt_pen.open(&r->pen, run, r->err);
}

int ras_replay_state(struct ras_replay **out, struct ras_trace *replay,
                     const struct ras_replay_options *options, struct ras_sink *sink,
                     struct ras_error *err)
{
    *out = NULL;
    struct ras_replay_options own;
    options = OPTIONS(&own, options, err);
    if (!options)
        return RAS_EUSAGE;
    const struct ras_replay_options *asked = options;
    struct restate r = {.err = err};
    struct ras_replay_options how = {.worlds = ras_worlds(),
                                     .world = asked->world,
                                     .recipe = asked->recipe,
                                     .recorded_order = asked->recorded_order,
                                     .lenient_ticks = asked->lenient_ticks,
                                     .tick = restate_tick,
                                     .user = &r};
    int status = restate_begin(&r, replay, asked, sink);
    if (status == RAS_OK)
        status = ras_replay(out, replay, &how, err);
    if (status == RAS_OK)
        status = r.status;
    if (status == RAS_OK && (*out)->verdict == RAS_REPLAY_OK) {
        status = cdt_pen.close(r.pen, err);
        r.pen = NULL;
    }
    cdt_pen.drop(r.pen);
    if (r.run.world)
        r.run.type->destroy(r.run.world);
    if (status < 0) {
        ras_replay_free(*out);
        *out = NULL;
    }
    return status;
}
