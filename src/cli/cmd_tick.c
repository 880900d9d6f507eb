/* cmd_tick.c - one tick of a trace. */
#include "cli/looking.h"

struct options {
    struct common common;
    const char *json_out;
};

static int put_text(struct answer *a, const struct looking *l, const struct ras_value *v)
{
    static const char *const pools[] = {"creatures", "projectiles", "secondary_projectiles",
                                        "bonuses"};
    const struct ras_value *c = member_of(v, "checkpoint"), *e = member_of(v, "entity_counts");
    const struct ras_value *top = member_of(v, "top_event_types");
    (void)l;
    answer_format(a, "tick=");
    put_value(a, member_of(v, "tick_index"));
    put_member(a, " ", v, "elapsed_ms");
    put_member(a, " ", v, "dt_ms_i32");
    put_member(a, " ", v, "mode_id");
    put_member(a, "\ncheckpoint ", c, "score_xp");
    put_member(a, " ", c, "kills");
    put_member(a, " ", c, "creature_count");
    put_member(a, " ", c, "perk_pending");
    answer_format(a, "\nentity_counts");
    for (size_t i = 0; i < sizeof pools / sizeof *pools; i++)
        put_member(a, " ", e, pools[i]);
    answer_format(a, "\ntrace_rows rng_stream=");
    put_value(a, member_of(v, "rng_stream_count"));
    answer_format(a, " timing_samples=");
    put_value(a, member_of(v, "timing_samples_count"));
    put_member(a, "\n", v, "event_count_total");
    answer_format(a, "\ntop_event_types=");
    for (size_t i = 1; i <= top->count; i++) {
        answer_format(a, i > 1 ? "," : "");
        put_value(a, &top[i]);
    }
    answer_format(a, "\n");
    return EXIT_YES;
}

static int run(void *options)
{
    const struct options *o = options;
    const struct list *operands = &o->common.operands;
    struct ras_look look = {RAS_LOOK_TICK};
    const struct looking how = {.common = &o->common,
                                .verb = "tick",
                                .json_out = o->json_out,
                                .refused = EXIT_NO,
                                .operands = 1,
                                .more = 1,
                                .usage = "a trace and the number of a tick",
                                .put_text = put_text};
    if (operands->count == 2 && !integer_parse(operands->items[1], &look.number))
        return trouble("'%s' is no tick", operands->items[1]);
    return looking_run(&how, &look);
}

static const struct option_row rows[] = {LOOKING_JSON_OUT(struct options), {0}};

const struct command cmd_tick = {
    .name = "tick",
    .operands = "TRACE N",
    .about = "show one tick of a CDT trace",
    .text = "The tick's own numbers, its checkpoint, and how many rows its channels have. The\n"
            "index leads to the one chunk that is read.\n",
    .examples = "rastrum tick run.cdt 1777\nrastrum tick --json run.cdt 1777\n",
    .rows = rows,
    .size = sizeof(struct options),
    .format = "cdt",
    .reads = true,
    .run = run,
};
