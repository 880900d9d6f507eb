/* cmd_focus.c - one tick of two traces, all that differs in it. */
#include "cli/looking.h"

struct options {
    struct common common;
    struct integer tick;
    const char *json_out;
};

static int put_text(struct answer *a, const struct looking *l, const struct ras_value *v)
{
    static const char *const channels[] = {"entity_samples", "sim_state", "timing_samples"};
    const struct ras_value *rng = member_of(v, "rng_stream");
    (void)l;
    answer_format(a, "result=%s tick=", member_is_true(v, "diverged") ? "diverged" : "ok");
    put_value(a, member_of(v, "tick_index"));
    put_member(a, " ", v, "checkpoint_diff_count");
    put_member(a, "\nrng_stream ", rng, "prefix_match_len");
    put_member(a, " ", rng, "missing_tail");
    put_member(a, " ", rng, "extra_tail");
    for (size_t i = 0; i < sizeof channels / sizeof *channels; i++) {
        answer_format(a, "\n%s ", channels[i]);
        put_member(a, "", member_of(v, channels[i]), "ok");
    }
    answer_format(a, "\n");
    return EXIT_YES;
}

static int run(void *options)
{
    const struct options *o = options;
    const struct looking how = {.common = &o->common,
                                .verb = "focus",
                                .json_out = o->json_out,
                                .refused = EXIT_NO,
                                .operands = 2,
                                .usage = "two traces",
                                .put_text = put_text};
    if (!o->tick.given)
        return trouble("focus wants --tick N");
    return looking_run(&how, &(struct ras_look){RAS_LOOK_FOCUS, .number = o->tick.value});
}

static const struct option_row rows[] = {
    {"tick", 0, OPTION_INTEGER, "N", "the tick to look at", NULL, offsetof(struct options, tick)},
    LOOKING_JSON_OUT(struct options),
    {0},
};

const struct command cmd_focus = {
    .name = "focus",
    .operands = "EXPECTED ACTUAL",
    .about = "show all that differs between two CDT traces in one tick",
    .text = "Compares every channel of one tick, as diff does at the first divergence, and which\n"
            "entities each side has. Exits 0 whatever differs.\n",
    .examples = "rastrum focus --tick 1777 golden.cdt candidate.cdt\n",
    .rows = rows,
    .size = sizeof(struct options),
    .format = "cdt",
    .reads = true,
    .run = run,
};
