/* cmd_focus.c - one tick of two traces, all that differs in it. */
#include "cli/detail_text.h"
#include "cli/looking.h"

#include <inttypes.h>
#include <stdio.h>

struct options {
    struct common common;
    struct integer tick;
    const char *json_out;
};

enum { LINES_MOST = 40, INDENT = 2 };

/* What a channel of a focus says, under its name: rows, or nothing where it is the same. */
static void put_channel(struct page *p, const char *name, const struct ras_value *detail)
{
    struct answer *a = p->a;
    if (!holds(detail)) {
        answer_format(a, "%s: the same\n", name);
        return;
    }
    answer_format(a, "%s: differs\n", name);
    put_detail(p, detail);
    put_left(p);
    p->left = 0;
    p->lines = LINES_MOST;
}

static void focus_put_text(struct answer *a, const struct looking *l, const struct ras_value *v)
{
    static const char *const channels[] = {"sim_state", "entity_samples", "timing_samples"};
    const struct ras_value *rng = member_of(v, "rng_stream");
    bool diverged = member_is_true(v, "diverged");
    struct page p = {.a = a, .indent = INDENT, .lines = LINES_MOST};
    (void)l;
    put_result(a, diverged ? "diverged" : "ok");
    answer_format(a, " tick=");
    put_value(a, member_of(v, "tick_index"));
    answer_format(a, "\n");
    put_channel(&p, "checkpoint", member_of(v, "checkpoint_diff"));
    put_channel(&p, "rng_stream", member_is_true(rng, "ok") ? NULL : rng);
    for (size_t i = 0; i < sizeof channels / sizeof *channels; i++)
        put_channel(&p, channels[i], member_of(member_of(v, channels[i]), "detail"));
}

static bool is_no(const struct ras_value *v)
{
    return member_is_true(v, "diverged");
}

static int focus_run(void *options)
{
    const struct options *o = options;
    char instead[80] = "rastrum diff";
    const struct looking how = {.common = &o->common,
                                .verb = "focus",
                                .json_out = o->json_out,
                                .operands = 2,
                                .usage = "two traces",
                                .instead = instead,
                                .is_no = is_no,
                                .put_text = focus_put_text};
    if (!o->tick.given)
        return trouble("focus needs --tick N");
    if (o->tick.value >= 0 && o->tick.value < INT64_MAX)
        snprintf(instead, sizeof instead, "rastrum diff --from %" PRId64 " --to %" PRId64,
                 o->tick.value, o->tick.value + 1);
    return looking_run(&how,
                       &(struct ras_inspect_options){RAS_INSPECT_FOCUS, .number = o->tick.value});
}

static const struct option_row rows[] = {
    {"tick", 0, OPTION_INTEGER, "N", "the tick to compare", NULL, offsetof(struct options, tick)},
    JSON_OUT_ROW(struct options),
    {0},
};

const struct command cmd_focus = {
    .name = "focus",
    .operands = "EXPECTED ACTUAL",
    .about = "show all differences between two CDT traces in one tick",
    .text = "Compares every channel of one tick, as diff does at the first divergence, and\n"
            "prints each field that differs. Exits 1 if any does.\n",
    .examples = "rastrum focus --tick 1777 golden.cdt candidate.cdt\n",
    .exits = "0 equal; 1 they differ, or a trace has no such tick; 2 error; 3 an\n"
             "input is cut or damaged",
    .rows = rows,
    .size = sizeof(struct options),
    .format = "cdt",
    .reads = true,
    .run = focus_run,
};
