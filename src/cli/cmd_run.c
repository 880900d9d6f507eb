/* cmd_run.c - run a world and record it in all five formats. */
#include "cli/session.h"
#include "cli/world_choice.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static bool wrote(const struct ras_run_pen *p)
{
    return p->requested && !p->lacks;
}

static void run_put_text(struct answer *a, const char *dir, const struct ras_run *r)
{
    const char *comma = "";
    answer_format(a, "run=");
    answer_path(a, dir, "");
    answer_format(a,
                  "\nticks=%" PRIu64 " commands=%" PRIu64 " applied=%" PRIu64 " hash=0x%016" PRIx64
                  "\npens=",
                  r->ticks, r->commands, r->applied, r->hash);
    for (size_t i = 0; i < r->pen_count; i++)
        if (wrote(&r->pens[i])) {
            answer_format(a, "%s%s", comma, r->pens[i].name);
            comma = ",";
        }
    answer_format(a, "\n");
}

static void run_put_json(struct answer *a, const char *dir, const struct ras_run *r)
{
    struct ras_json *j = answer_json(a);
    ras_json_object(j, NULL);
    ras_json_text(j, "run", dir);
    ras_json_uint(j, "seed", r->seed);
    ras_json_uint(j, "ticks", r->ticks);
    ras_json_uint(j, "commands", r->commands);
    ras_json_uint(j, "applied", r->applied);
    ras_json_hex(j, "snapshot_hash", r->hash, 16);
    ras_json_object(j, "pens");
    for (size_t i = 0; i < r->pen_count; i++) {
        const struct ras_run_pen *p = &r->pens[i];
        ras_json_object(j, p->name);
        if (wrote(p))
            ras_json_text(j, "file", p->file);
        else
            ras_json_text(j, "left_out", p->requested ? p->lacks : "not requested");
        ras_json_end(j);
    }
    ras_json_end(j);
    if (r->perturbed_tick == RAS_NONE) {
        ras_json_null(j, "perturbed");
    } else {
        ras_json_object(j, "perturbed");
        ras_json_uint(j, "tick", r->perturbed_tick);
        ras_json_end(j);
    }
    ras_json_end(j);
    ras_json_newline(j);
}

static int report_run(const struct common *c, const char *replay, const struct ras_run_options *how,
                      const struct ras_run *r)
{
    struct answer answer;
    struct common common = *c;
    common.out = NULL; /* -o is the directory; the report goes to standard output */
    int status = answer_open(&answer, &common);
    if (status)
        return status;
    (c->json ? run_put_json : run_put_text)(&answer, c->out, r);
    status = answer_close(&answer, 0);
    for (size_t i = 0; i < r->pen_count; i++)
        if (r->pens[i].requested && r->pens[i].lacks)
            remark(c->quiet, "%s: no %s: %s", c->out, r->pens[i].file, r->pens[i].lacks);
    if (how->perturb && r->perturbed_tick != how->perturb_tick)
        remark(c->quiet,
               "%s: no command of tick %" PRIu64 " could be perturbed with an effect: tick %" PRIu64
               " did",
               c->out, how->perturb_tick, r->perturbed_tick);
    if (r->commands_cut) {
        remark(c->quiet, "%s: cut inside a frame: %" PRIu64 " ticks were used", replay, r->ticks);
        status = worse(status, EXIT_LOSS);
    }
    return status;
}

/* Report why there is no run, and which of the two files caused it. */
static int report_no_run(const struct ras_error *err, const char *recipe, const char *replay)
{
    const char *at = input_of(err, recipe, replay, NULL);
    return at ? trouble_at(at, err) : trouble_with(err);
}

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
        return report_run(&o->common, o->commands, how, &result);
    return report_no_run(&err, o->recipe, o->commands);
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
                                  .calls = &run_calls,
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
