/* cmd_replay.c - execute a replay again and see whether it comes out as recorded. */
#include "cli/replaying.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct options {
    struct common common;
    bool verbose, keep_going, dump_fields, lenient_ticks;
    const char *against, *order, *world, *recipe;
    struct number until;
};

/* While it is executed. */
struct showing {
    const struct options *o;
    struct answer *a;
    bool dumped;
};

static bool show_tick(void *user, const struct ras_replay_tick *t)
{
    struct showing *s = user;
    if (s->o->verbose && s->o->common.json)
        put_json_tick(s->a, t);
    else if (s->o->verbose)
        answer_format(s->a, "tick %" PRIu64 ": hash=0x%016" PRIx64 " %s\n", t->tick_id, t->replayed,
                      t->replayed == t->recorded ? "ok" : "mismatch");
    if (s->o->dump_fields && t->tick_id == s->o->until.value) {
        put_fields(s->a, t);
        s->dumped = true;
    }
    return true;
}

/* A recipe is short: a longer file is none. */
static int read_recipe(const char *path, struct ras_bytes *out)
{
    uint8_t *at = malloc(RAS_WORLD_RECIPE_MAX + 1);
    size_t len = 0;
    ssize_t got = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (at && fd >= 0)
        while (len <= RAS_WORLD_RECIPE_MAX &&
               (got = read(fd, at + len, RAS_WORLD_RECIPE_MAX + 1 - len)) > 0)
            len += (size_t)got;
    if (fd >= 0)
        close(fd);
    *out = (struct ras_bytes){at, len};
    if (!at)
        return trouble("out of memory");
    if (fd < 0 || got < 0)
        return trouble("%s: cannot be read", path);
    return len <= RAS_WORLD_RECIPE_MAX
               ? 0
               : trouble("%s: a recipe has at most %u bytes", path, RAS_WORLD_RECIPE_MAX);
}

static int answer_replay(const struct options *o, const char *path, struct ras_trace *trace,
                         struct answer *a, const struct ras_replay *r)
{
    struct ras_ending ending = ras_ending(trace);
    if (o->common.json)
        put_json_rest(a, r, o->verbose);
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
               "%s: %" PRIu64 " ticks failed and were rolled back, as such of a"
               " recording may: tick ids run ahead of the world's by %" PRIu64,
               shown_path(path), r->rolled_back, r->drift);
    if (r->reordered && !o->order)
        remark(o->common.quiet,
               "%s: recorded arrival numbers give another order: see --order"
               " recorded",
               shown_path(path));
    if (r->verdict != RAS_REPLAY_OK)
        return EXIT_NO;
    return o->until.given ? EXIT_YES : say_ending(path, trace, &ending, o->common.quiet);
}

static int replay(const struct options *o, const char *path, struct answer *a,
                  struct ras_replay_options *how)
{
    struct ras_replay *r;
    struct ras_error err;
    struct showing showing = {o, a, false};
    struct ras_trace *trace = open_operand(&o->common, path, false);
    if (!trace)
        return EXIT_TROUBLE;
    how->tick = show_tick;
    how->user = &showing;
    if (o->common.json) {
        answer_item(a);
        put_json_head(a, shown_path(path), o->verbose);
    }
    int status = ras_replay(&r, trace, how, &err);
    if (status < 0) {
        status = trouble_at(path, &err);
        if (o->common.json)
            answer_format(a, "%s,\"result\":\"cannot verify\"}\n", o->verbose ? "]" : "");
    } else {
        status = answer_replay(o, path, trace, a, r);
        if (o->dump_fields && !showing.dumped && status == EXIT_YES) {
            remark(o->common.quiet, "%s: tick %" PRIu64 " was not reached", shown_path(path),
                   o->until.value);
            status = EXIT_NO;
        }
        ras_replay_free(r);
    }
    ras_close(trace);
    return status;
}

static int one(void *options, const char *path, struct answer *a)
{
    const struct options *o = options;
    struct ras_bytes recipe = {0};
    struct ras_error err;
    struct ras_replay_options how = {.keep_going = o->keep_going,
                                     .lenient_ticks = o->lenient_ticks,
                                     .recorded_order = o->order && !strcmp(o->order, "recorded"),
                                     .has_until = o->until.given,
                                     .until = o->until.value};
    int status = 0;
    if (o->recipe && !(status = read_recipe(o->recipe, &recipe)))
        how.recipe = &recipe;
    if (!status && o->world && ras_world_load(&how.world, o->world, &err) < 0)
        status = trouble_with(&err);
    if (!status && o->against && !(how.against = open_operand(&o->common, o->against, false)))
        status = EXIT_TROUBLE;
    if (!status)
        status = replay(o, path, a, &how);
    ras_close(how.against);
    free((void *)(uintptr_t)recipe.at);
    return status;
}

static int run(void *options)
{
    const struct options *o = options;
    if (o->dump_fields && !o->until.given)
        return trouble("--dump-fields needs --until TICK");
    if (o->dump_fields && o->common.json)
        return trouble("--dump-fields prints text: leave --json out");
    return each_operand(options, one);
}

static const char *const orders[] = {"file", "recorded", NULL};

static const struct option_row rows[] = {
    {"verbose", 'v', OPTION_FLAG, NULL, "a line for every tick; with --json its receipts", NULL,
     offsetof(struct options, verbose)},
    {"keep-going", 'k', OPTION_FLAG, NULL, "behind a mismatch, to count them all", NULL,
     offsetof(struct options, keep_going)},
    {"against", 0, OPTION_TEXT, "TRACE", "execute this one beside it and tell which fields differ",
     NULL, offsetof(struct options, against)},
    {"order", 0, OPTION_TEXT, "ORDER", "ties between commands: by file (usual) or recorded", orders,
     offsetof(struct options, order)},
    {"lenient-ticks", 0, OPTION_FLAG, NULL, "tick ids need not follow each other", NULL,
     offsetof(struct options, lenient_ticks)},
    {"until", 0, OPTION_NUMBER, "TICK", "stop behind this tick", NULL,
     offsetof(struct options, until)},
    {"dump-fields", 0, OPTION_FLAG, NULL, "print the fields as they are at --until", NULL,
     offsetof(struct options, dump_fields)},
    {"world", 0, OPTION_TEXT, "FILE.so", "a world of your own (see docs/worlds.md)", NULL,
     offsetof(struct options, world)},
    {"world-recipe", 0, OPTION_TEXT, "FILE", "the recipe of a recording that has none", NULL,
     offsetof(struct options, recipe)},
    {0},
};

const struct command cmd_replay = {
    .name = "replay",
    .operands = "TRACE...",
    .about = "execute a replay again and compare every hash",
    .text = "Builds the world that the recording's recipe describes, gives it the commands of\n"
            "every tick, and compares the hash of its fields with the recorded one. The first\n"
            "tick that comes out otherwise is told with its commands and what became of them.\n"
            "A recording without a recipe cannot be verified: that is exit 2, never ok.\n",
    .examples = "rastrum replay run.murk\n"
                "rastrum replay --verbose --keep-going run.murk\n"
                "rastrum replay --against good.murk bad.murk\n"
                "rastrum replay --until 120 --dump-fields run.murk\n"
                "rastrum replay --world ./life.so life.murk\n",
    .rows = rows,
    .size = sizeof(struct options),
    .run = run,
};
