/* cmd_run.c - run a world and write it down with all five pens. */
#include "cli/playing.h"
#include "cli/session.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct options {
    struct common common;
    struct number ticks, seed;
    const char *commands, *recipe, *world, *perturb;
    struct list pens;
};

static const char *const perturbations[RAS_PERTURBATIONS] = {"", "rng", "float", "order",
                                                             "drop-command"};

/* TICK:WHAT. */
static int read_perturb(const char *text, struct ras_run_options *how)
{
    char *end;
    how->perturb_tick = strtoull(text, &end, 10);
    bool number = text[0] >= '0' && text[0] <= '9' && *end == ':';
    for (unsigned i = 1; number && i < RAS_PERTURBATIONS; i++)
        if (!strcmp(end + 1, perturbations[i])) {
            how->perturb = i;
            return 0;
        }
    return trouble("'%s' is not TICK:WHAT, where WHAT is rng, float, order or drop-command", text);
}

struct showing {
    struct progress progress;
    int caught;
};

static bool one_tick(void *user, uint64_t done, uint64_t total)
{
    struct showing *s = user;
    if (done % 64 == 0)
        progress_at(&s->progress, done, total);
    s->caught = interrupted();
    return !s->caught;
}

static int run_world(const struct options *o, struct ras_run_options *how)
{
    struct showing showing = {0};
    struct ras_run result;
    struct ras_error err;
    interrupts_watch();
    progress_start(&showing.progress, &o->common, "run", false);
    showing.progress.unit = "ticks";
    how->tick = one_tick;
    how->user = &showing;
    int status = ras_run(&result, o->common.out, how, &err);
    progress_stop(&showing.progress);
    if (status == RAS_END)
        return 128 + showing.caught;
    if (status == RAS_OK)
        return tell_run(&o->common, o->commands, how, &result);
    return tell_no_run(&err, o->recipe, o->commands);
}

static int run_check(const struct options *o)
{
    if (o->common.operands.count != (o->world ? 0 : 1))
        return trouble("run takes a world, or --world FILE.so");
    if (!o->common.out || !strcmp(o->common.out, "-"))
        return trouble("run needs -o DIR");
    if (o->ticks.given && !o->ticks.value)
        return trouble("--ticks takes 1 or more");
    return 0;
}

static int run_and_record(void *options)
{
    const struct options *o = options;
    struct ras_bytes recipe = {0};
    struct ras_run_options how = {.ticks = o->ticks.value,
                                  .has_seed = o->seed.given,
                                  .seed = o->seed.value,
                                  .pens = o->pens.count ? o->pens.items : NULL,
                                  .pen_count = o->pens.count,
                                  .calls = &playing_calls,
                                  .replace = o->common.force};
    int status = run_check(o);
    if (!status)
        status = find_world(o->world ? NULL : o->common.operands.items[0], o->world, &how.world);
    if (!status && o->recipe)
        status = read_recipe(o->recipe, &recipe);
    if (!status && o->perturb)
        status = read_perturb(o->perturb, &how);
    if (!status && o->commands && !(how.commands = open_operand(&o->common, o->commands, false)))
        status = EXIT_TROUBLE;
    how.recipe = recipe;
    if (!status)
        status = run_world(o, &how);
    ras_close(how.commands);
    free((void *)(uintptr_t)recipe.at);
    return status;
}

static const char *const pen_words[] = {"murk", "cdt", "aerogpu", "dial9", "atf", NULL};

static const struct option_row rows[] = {
    {"ticks", 'n', OPTION_NUMBER, "N", "ticks to run (default 600, or as many as --commands has)",
     NULL, offsetof(struct options, ticks)},
    {"seed", 's', OPTION_NUMBER, "N", "seed of the world (default 0, or that of --commands)", NULL,
     offsetof(struct options, seed)},
    {"commands", 'c', OPTION_TEXT, "REPLAY.murk", "play the commands of this replay", NULL,
     offsetof(struct options, commands)},
    {"recipe", 'r', OPTION_TEXT, "FILE", "recipe of the world (default: its own)", NULL,
     offsetof(struct options, recipe)},
    {"world", 0, OPTION_TEXT, "FILE.so", "your own world (rastrum/world.h)", NULL,
     offsetof(struct options, world)},
    {"perturb", 0, OPTION_TEXT, "TICK:WHAT", "inject a fault: rng, float, order or drop-command",
     NULL, offsetof(struct options, perturb)},
    {"pens", 0, OPTION_LIST, "LIST", "write only these: murk, cdt, aerogpu, dial9, atf", pen_words,
     offsetof(struct options, pens)},
    {0},
};

const struct command cmd_run = {
    .name = "run",
    .operands = "WORLD",
    .about = "run a world and record it in all five formats at once",
    .text =
        "Runs WORLD (arena, ref-1, murk-0.1.9) from its first tick and records it in the\n"
        "directory given by -o: replay.murk, its inputs; state.cdt, its state;\n"
        "gpu.aerogputrace, its pictures; events.trc, its events; calls, its function calls;\n"
        "run.json, which describes the run; and ticks.idx, which lists the records of every\n"
        "tick. The world plays itself, or gets the commands of a replay. The same seed gives\n"
        "the same run: the first three files are equal byte for byte, except for how state.cdt\n"
        "is compressed.\n\n"
        "--perturb injects a fault into one tick: an extra random number, a float whose last\n"
        "bit is wrong, two commands in the wrong order, or a lost command. The recording has\n"
        "the intended commands and the actual results, so replay finds the tick.\n",
    .examples = "rastrum run arena --ticks 600 --seed 7 -o good\n"
                "rastrum run arena --ticks 600 --seed 7 --perturb 300:rng -o bad\n"
                "rastrum replay bad/replay.murk\n"
                "rastrum diff good/state.cdt bad/state.cdt\n"
                "rastrum run arena --commands good/replay.murk -o again\n"
                "rastrum run --world ./life.so --ticks 50 -o life\n",
    .exits = "0 recorded; 2 error; 3 recorded, but the replay of --commands is cut",
    .refuses = "input-format dialect",
    .rows = rows,
    .size = sizeof(struct options),
    .run = run_and_record,
};
