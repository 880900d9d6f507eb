/* run.c - run a world from its first tick to its last, and let every pen write it down. */
#include "base/error.h"
#include "base/memory.h"
#include "base/struct_size.h"
#include "core/folder.h"
#include "core/format.h"
#include "core/source.h"
#include "core/tick_index.h"
#include "world/world_run.h"
#include "world/worlds.h"
#include <rastrum/replay.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- run commands ------------------------------------------------------------------------ */

/* Who plays a run: the world itself, or a replay whose commands it gets. */

static int refuse(const char *what, const struct ras_murk_fault *fault, struct ras_error *err)
{
    char text[160];
    int status =
        fail(err, RAS_EFORMAT, RAS_NONE, "%s: %s", what, ras_murk_text(fault, text, sizeof text));
    return fail_about(status, RAS_ABOUT_REPLAY, err);
}

/* A frame that cannot be played: which, and which of its commands. */
static int refuse_frame(const struct run_commands *c, uint64_t tick,
                        const struct ras_murk_fault *fault, struct ras_error *err)
{
    char what[80];
    snprintf(what, sizeof what, "the replay: frame %" PRIu64 ", command %u", tick - 1, c->count);
    return refuse(what, fault, err);
}

/* Inspect the replay, if there is one: its header, and how many whole frames follow it. */
static int run_commands_open(struct run_commands *c, const struct ras_run_options *options,
                             struct ras_murk_header *header, uint64_t *frames, bool *cut,
                             struct ras_error *err)
{
    struct ras_murk_fault fault;
    struct ras_murk_frame frame;
    *c = (struct run_commands){.recorded = options->commands != NULL};
    *frames = 0;
    *cut = false;
    if (!c->recorded) {
        c->bytes = malloc(RAS_PLAY_BYTES);
        return c->bytes &&
                       array_grow(&c->commands, &c->room, RAS_PLAY_COMMANDS, sizeof *c->commands)
                   ? RAS_OK
                   : fail_memory(err);
    }
    if (strcmp(ras_format_of(options->commands)->name, murk_pen.name) != 0)
        return fail(err, RAS_EUSAGE, RAS_NONE, "commands are taken from a replay, not from %s",
                    ras_format_of(options->commands)->name);
    struct ras_bytes rest = source_bytes(options->commands->source, 0);
    if (!ras_murk_header_get(rest, header, &fault))
        return refuse("the replay", &fault, err);
    rest.at += header->size;
    rest.len -= (size_t)header->size;
    c->rest = rest;
    while (rest.len && ras_murk_frame_get(rest, &frame, &fault)) {
        rest.at += frame.size;
        rest.len -= (size_t)frame.size;
        ++*frames;
    }
    *cut = rest.len != 0;
    c->rest.len -= rest.len;
    return RAS_OK;
}

/* Those of the next frame; none after the last one. */
static int take_recorded(struct run_commands *c, uint64_t tick, struct ras_error *err)
{
    struct ras_murk_walk walk;
    struct ras_murk_fault fault;
    struct ras_murk_frame frame;
    c->count = 0;
    if (!c->rest.len)
        return RAS_OK;
    if (!ras_murk_walk_open(c->rest, &walk, &fault))
        return refuse_frame(c, tick, &fault, err);
    if (!array_grow(&c->commands, &c->room, walk.command_count, sizeof *c->commands))
        return fail_memory(err);
    for (; c->count < walk.command_count; c->count++) {
        struct ras_world_command *to = &c->commands[c->count];
        if (!ras_murk_walk_next(&walk, &to->wire, &to->typed, &fault))
            return refuse_frame(c, tick, &fault, err);
    }
    if (!ras_murk_walk_close(&walk, &frame, &fault))
        return refuse_frame(c, tick, &fault, err);
    c->rest.at += frame.size;
    c->rest.len -= (size_t)frame.size;
    return RAS_OK;
}

static int run_commands_next(struct run_commands *c, const struct ras_world_type *type,
                             const void *world, uint64_t tick, struct ras_error *err)
{
    if (c->recorded)
        return take_recorded(c, tick, err);
    if (!type->play)
        return RAS_OK;
    struct ras_play play = {c->commands, (uint32_t)c->room, c->bytes, RAS_PLAY_BYTES, 0};
    if (type->play(world, tick, &play) < 0)
        return fail(err, RAS_ELIMIT, RAS_NONE,
                    "tick %" PRIu64 ": the world's own player makes more than %u commands", tick,
                    RAS_PLAY_COMMANDS);
    if (play.count > play.room)
        return fail(err, RAS_ELIMIT, RAS_NONE,
                    "tick %" PRIu64
                    ": the world's own player made %u commands, there is room for %u",
                    tick, play.count, play.room);
    for (c->count = 0; c->count < play.count; c->count++) {
        struct ras_world_command *to = &c->commands[c->count];
        struct ras_murk_fault fault;
        char what[80];
        if (ras_murk_payload_get(to->wire.payload_type, to->wire.payload, &to->typed, &fault))
            continue;
        snprintf(what, sizeof what, "tick %" PRIu64 ": command %u of the world's own player", tick,
                 c->count);
        return refuse(what, &fault, err);
    }
    return RAS_OK;
}

static void run_commands_free(struct run_commands *c)
{
    free(c->commands);
    free(c->bytes);
}

struct running {
    struct pen_run run;
    struct run_commands player;
    struct run_stray stray;
    struct run_times times;
    struct pen_set pens;
    struct tick_rows rows;
    struct ras_receipt *receipts;
    size_t receipt_room;
    struct ras_run *out;
};

/* Of so many, every other one is forgotten when there is no room for more. */
void run_times_add(struct run_times *t, uint64_t tick, uint64_t begin_ns)
{
    if (!t->every)
        t->every = 1;
    if ((tick - 1) % t->every)
        return;
    if (t->count == RUN_TIMES) {
        for (uint32_t i = 0; i < RUN_TIMES / 2; i++)
            t->begin_ns[i] = t->begin_ns[2 * i];
        t->count = RUN_TIMES / 2;
        t->every *= 2;
        if ((tick - 1) % t->every)
            return;
    }
    t->begin_ns[t->count++] = begin_ns;
}

/* ---- ticks ------------------------------------------------------------------------------- */

static int run_tick(struct running *r, uint64_t tick, struct ras_error *err)
{
    const struct pen_run *run = &r->run;
    struct ras_run *out = r->out;
    int status = run_commands_next(&r->player, run->type, run->world, tick, err);
    if (status < 0)
        return status;
    struct ras_step step = {.commands = r->player.commands, .command_count = r->player.count};
    if (!array_grow(&r->receipts, &r->receipt_room, step.command_count + 1u, sizeof *r->receipts))
        return fail_memory(err);
    step.receipts = r->receipts;
    status = run_stray_before(&r->stray, run->world, tick, &step, err);
    if (status < 0)
        return status;
    pen_set_begin(&r->pens);
    struct pen_tick now = {.tick_id = tick,
                           .type = run->type,
                           .world = run->world,
                           .step = &step,
                           .commands = r->player.commands,
                           .command_count = r->player.count,
                           .begin_ns = pen_now()};
    status = world_step(run->type, run->world, &step, err);
    now.elapsed_ns = pen_now() - now.begin_ns;
    pen_set_settle(&r->pens);
    if (status < 0)
        return status;
    now.hash = out->hash = ras_world_hash(run->type, run->world);
    if (run_stray_after(&r->stray, now.hash))
        out->perturbed_tick = tick;
    out->ticks++;
    out->commands += now.command_count;
    for (uint32_t i = 0; i < step.receipt_count; i++)
        out->applied += step.receipts[i].accepted && step.receipts[i].reason == RAS_RECEIPT_APPLIED;
    run_times_add(&r->times, tick, now.begin_ns);
    status = pen_set_tick(&r->pens, &now, err);
    return status < 0 ? status : pen_set_row(&r->pens, tick, &r->rows, err);
}

static int all_ticks(struct running *r, struct ras_error *err)
{
    const struct ras_run_options *options = r->run.options;
    int status = RAS_OK;
    r->out->begin_ns = pen_now();
    for (uint64_t tick = 1; status == RAS_OK && tick <= r->run.ticks; tick++) {
        status = run_tick(r, tick, err);
        if (status == RAS_OK && options->tick && !options->tick(options->user, tick, r->run.ticks))
            status = RAS_END;
    }
    r->out->elapsed_ns = pen_now() - r->out->begin_ns;
    if (status == RAS_OK && r->stray.what != RAS_PERTURB_NOTHING)
        status = fail(err, RAS_EUSAGE, RAS_NONE,
                      "from tick %" PRIu64 " on no command could be lost or exchanged so that it"
                      " mattered",
                      r->stray.tick);
    return status;
}

/* ---- what it begins with ----------------------------------------------------------------- */

/* One that is built in knows its recipes by name; another may have any. */
static bool is_recipe_of(const struct ras_world_type *world, struct ras_bytes recipe)
{
    const struct ras_world_type *named;
    if (ras_world_type_of(&named, recipe, NULL) == RAS_OK)
        return named == world;
    for (const struct ras_world_type *const *w = ras_world_types(); *w; w++)
        if (*w == world)
            return false;
    return true;
}

static int run_create(struct running *r, struct ras_error *err)
{
    struct ras_murk_header header;
    struct pen_run *run = &r->run;
    const struct ras_run_options *options = run->options;
    uint64_t frames;
    int status =
        run_commands_open(&r->player, options, &header, &frames, &r->out->commands_cut, err);
    if (status < 0)
        return status;
    run->recipe = options->recipe;
    if (!run->recipe.len && options->commands &&
        is_recipe_of(options->world, header.space_descriptor))
        run->recipe = header.space_descriptor;
    else if (!run->recipe.len && options->world->recipe)
        run->recipe = (struct ras_bytes){(const uint8_t *)options->world->recipe,
                                         strlen(options->world->recipe)};
    run->seed = options->has_seed ? options->seed : options->commands ? header.seed : 0;
    run->ticks = options->ticks ? options->ticks : options->commands ? frames : RAS_RUN_TICKS;
    r->out->seed = run->seed;
    if (!run->ticks)
        return fail_about(fail(err, RAS_EUSAGE, RAS_NONE,
                               "the replay has no whole frame to take commands from: say how many "
                               "ticks"),
                          RAS_ABOUT_REPLAY, err);
    status = world_create(run->type, &run->world, run->recipe, run->seed, err);
    if (status < 0 && !run->recipe.len)
        status = fail(err, status, RAS_NONE,
                      "%s: a recipe is needed: the world has none of its own", run->type->name);
    return status;
}

static int open_folder(struct running *r, const char *dir, struct ras_error *err)
{
    int status = ras_folder_open(&r->run.folder, dir, r->run.options->replace, err);
    if (status == RAS_OK)
        folder_hash(r->run.folder);
    return status;
}

/* ---- the whole --------------------------------------------------------------------------- */

static int finish(struct running *r, struct ras_error *err)
{
    int status = pen_set_close(&r->pens, err);
    if (status == RAS_OK)
        status = ras_folder_finish(r->run.folder, r->rows.sink, err);
    if (status == RAS_OK)
        status = folder_settle(r->run.folder, err);
    if (status == RAS_OK)
        status = run_json(&r->run, r->out, &r->times, err);
    if (status < 0)
        return status;
    status = ras_folder_close(r->run.folder, err);
    r->run.folder = NULL;
    return status;
}

/* Nothing is left of a run that failed, whichever pen wrote it. */
static void undo(struct running *r)
{
    pen_set_drop(&r->pens);
    if (r->run.folder)
        (void)!folder_settle(r->run.folder, NULL);
    ras_folder_drop(r->run.folder);
}

int ras_run(struct ras_run *out, const char *dir, const struct ras_run_options *options,
            struct ras_error *err)
{
    struct ras_run_options own;
    struct ras_run_calls calls;
    options = OPTIONS(&own, options, err);
    if (!options || (own.calls && !(own.calls = OPTIONS(&calls, own.calls, err))))
        return RAS_EUSAGE;
    struct running *r = calloc(1, sizeof *r);
    *out = (struct ras_run){.perturbed_tick = RAS_NONE};
    if (!r)
        return fail_memory(err);
    r->run = (struct pen_run){.type = options->world, .options = options};
    r->out = out;
    int status = run_create(r, err);
    if (status == RAS_OK)
        status = run_stray_open(&r->stray, &r->run, err);
    if (status == RAS_OK)
        status = open_folder(r, dir, err);
    if (status == RAS_OK)
        status = pen_set_open(&r->pens, &r->run, out, err);
    if (status == RAS_OK)
        status = ras_folder_sink(r->run.folder, run_order_name, &r->rows.sink, err);
    if (status == RAS_OK)
        status = all_ticks(r, err);
    if (status == RAS_OK)
        status = finish(r, err);
    if (status != RAS_OK)
        undo(r);
    if (r->run.world)
        r->run.type->destroy(r->run.world);
    run_stray_free(&r->stray);
    run_commands_free(&r->player);
    free(r->receipts);
    free(r);
    return status;
}

/* ---- state of a recording ---------------------------------------------------------------- */

/* The state of a recording: execute it again and write the state that the world reports. */

struct restate {
    const struct ras_replay_options *options;
    struct pen_run run;
    void *pen;
    int status; /* of the pen */
    struct ras_error *err;
};

static bool restate_tick(void *user, const struct ras_replay_tick *t)
{
    struct restate *r = user;
    const struct pen_tick now = {.tick_id = t->tick_id,
                                 .type = t->type,
                                 .world = t->world,
                                 .step = t->step,
                                 .commands = t->step->commands,
                                 .command_count = t->step->command_count,
                                 .hash = t->replayed};
    if (t->recorded != t->replayed)
        return false;
    r->status = cdt_pen.tick(r->pen, &now, r->err);
    return r->status == RAS_OK;
}

/* The pen needs the initial world and the number of ticks. */
static int restate_begin(struct restate *r, struct ras_trace *replay,
                         const struct ras_replay_options *options, struct ras_sink *sink)
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
    run->recipe = options->recipe ? *options->recipe : header.space_descriptor;
    run->type = options->world;
    if (!run->type)
        status = ras_world_type_of(&run->type, run->recipe, r->err);
    if (status == RAS_OK && cdt_pen.lacks(run->type, NULL))
        status = fail(r->err, RAS_EUNSUPPORTED, RAS_NONE, "%s: %s", run->type->name,
                      cdt_pen.lacks(run->type, NULL));
    if (status == RAS_OK)
        status = world_create(run->type, &run->world, run->recipe, run->seed, r->err);
    return status < 0 ? status : cdt_pen.open(&r->pen, run, r->err);
}

static bool restate_progress(void *user, uint64_t done, uint64_t total)
{
    const struct restate *r = user;
    return r->options->progress(r->options->user, done, total);
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
    struct restate r = {.options = options, .err = err};
    struct ras_replay_options how = {.worlds = ras_worlds(),
                                     .world = options->world,
                                     .recipe = options->recipe,
                                     .recorded_order = options->recorded_order,
                                     .lenient_ticks = options->lenient_ticks,
                                     .tick = restate_tick,
                                     .progress = options->progress ? restate_progress : NULL,
                                     .user = &r};
    int status = restate_begin(&r, replay, options, sink);
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
