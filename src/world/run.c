/* run.c - run a world from its first tick to its last, and let every pen write it down. */
#include "core/tick_index.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/struct_size.h"
#include "core/folder.h"
#include "world/running.h"
#include "world/stepping.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* ---- ticks ------------------------------------------------------------------------------ */

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
    struct pen_tick told = {.tick_id = tick,
                            .type = run->type,
                            .world = run->world,
                            .step = &step,
                            .commands = r->player.commands,
                            .command_count = r->player.count,
                            .begin_ns = pen_now()};
    status = world_step(run->type, run->world, &step, err);
    told.elapsed_ns = pen_now() - told.begin_ns;
    pen_set_settle(&r->pens);
    if (status < 0)
        return status;
    told.hash = out->hash = ras_world_hash(run->type, run->world);
    if (run_stray_after(&r->stray, told.hash))
        out->perturbed_tick = tick;
    out->ticks++;
    out->commands += told.command_count;
    for (uint32_t i = 0; i < step.receipt_count; i++)
        out->applied += step.receipts[i].accepted && step.receipts[i].reason == RAS_RECEIPT_APPLIED;
    run_times_add(&r->times, tick, told.begin_ns);
    status = pen_set_tick(&r->pens, &told, err);
    return status < 0 ? status : pen_set_row(&r->pens, tick, &r->rows, err);
}

static int all_ticks(struct running *r, struct ras_error *err)
{
    const struct ras_run_options *asked = r->run.asked;
    int status = RAS_OK;
    r->out->begin_ns = pen_now();
    for (uint64_t tick = 1; status == RAS_OK && tick <= r->run.ticks; tick++) {
        status = run_tick(r, tick, err);
        if (status == RAS_OK && asked->tick && !asked->tick(asked->user, tick, r->run.ticks))
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

/* ---- what it begins with ------------------------------------------------------------------ */

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
    const struct ras_run_options *asked = run->asked;
    uint64_t frames;
    int status = run_commands_open(&r->player, asked, &header, &frames, &r->out->commands_cut, err);
    if (status < 0)
        return status;
    run->recipe = asked->recipe;
    if (!run->recipe.len && asked->commands && is_recipe_of(asked->world, header.space_descriptor))
        run->recipe = header.space_descriptor;
    else if (!run->recipe.len && asked->world->recipe)
        run->recipe =
            (struct ras_bytes){(const uint8_t *)asked->world->recipe, strlen(asked->world->recipe)};
    run->seed = asked->has_seed ? asked->seed : asked->commands ? header.seed : 0;
    run->ticks = asked->ticks ? asked->ticks : asked->commands ? frames : RAS_RUN_TICKS;
    r->out->seed = run->seed;
    if (!run->ticks)
        return fail(err, RAS_EUSAGE, RAS_NONE,
                    "the replay has no whole frame to take commands from: say how many ticks");
    status = world_create(run->type, &run->world, run->recipe, run->seed, err);
    if (status < 0 && !run->recipe.len)
        status = fail(err, status, RAS_NONE,
                      "%s: a recipe is needed: the world has none of its own", run->type->name);
    return status;
}

static int open_folder(struct running *r, const char *dir, struct ras_error *err)
{
    int status = ras_folder_open(&r->run.folder, dir, r->run.asked->replace, err);
    if (status == RAS_OK)
        folder_hash(r->run.folder);
    return status;
}

/* ---- the whole ---------------------------------------------------------------------------- */

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

/* Nothing is left of a run that failed, whoever wrote it. */
static void undo(struct running *r)
{
    pen_set_drop(&r->pens);
    if (r->run.folder)
        (void)!folder_settle(r->run.folder, NULL);
    ras_folder_drop(r->run.folder);
}

int ras_run(struct ras_run *out, const char *dir, const struct ras_run_options *asked,
            struct ras_error *err)
{
    struct ras_run_options own;
    asked = OPTIONS(&own, asked, err);
    if (!asked)
        return RAS_EUSAGE;
    struct running *r = calloc(1, sizeof *r);
    *out = (struct ras_run){.perturbed_tick = RAS_NONE};
    if (!r)
        return fail_memory(err);
    r->run = (struct pen_run){.type = asked->world, .asked = asked};
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
