/* cmd_health.c - whether a trace has what comparing it needs. */
#include "cli/detail_text.h"
#include "cli/looking.h"

#include <inttypes.h>
#include <string.h>

struct options {
    struct common common;
    struct integer tick_start, tick_end;
    const char *json_out;
};

static bool health_is_unfit(const struct ras_value *v)
{
    return !member_is_true(v, "ok_for_parity_analysis");
}

/* Every member of a map, in a line of its own under its name. */
static void health_put_members(struct answer *a, const struct ras_value *map)
{
    for (size_t i = 1; map->kind == RAS_MAP && i < map->count; i += 2) {
        answer_format(a, "  %-36.*s ", (int)map[i].count, (const char *)map[i].at);
        put_scalar(a, &map[i + 1]);
        answer_format(a, "\n");
    }
}

static void health_put_text(struct answer *a, const struct looking *l, const struct ras_value *v)
{
    const struct ras_value *issues = member_of(v, "issues");
    const struct ras_value *window = member_of(v, "tick_window");
    const char *path = shown_path(l->common->operands.items[0]);
    answer_name(a, path);
    answer_format(a, issues->count ? ": not ready for comparison\n" : ": ready for comparison\n");
    for (size_t i = 1; i <= issues->count; i++) {
        answer_format(a, "  ");
        put_value(a, &issues[i]);
        answer_format(a, "\n");
    }
    answer_format(a, "  %-36s ", "ticks");
    put_value(a, member_of(window, "ticks_in_window"));
    if (member_of(window, "ticks_in_window")->u) {
        answer_format(a, " (");
        put_value(a, member_of(window, "actual_start"));
        answer_format(a, " to ");
        put_value(a, member_of(window, "actual_end"));
        answer_format(a, ")");
    }
    answer_format(a, "\n");
    health_put_members(a, member_of(v, "metrics"));
}

static int health_run(void *options)
{
    const struct options *o = options;
    const struct looking how = {.common = &o->common,
                                .verb = "health",
                                .json_out = o->json_out,
                                .is_no = health_is_unfit,
                                .operands = 1,
                                .usage = "one trace",
                                .instead = "rastrum verify",
                                .put_text = health_put_text};
    return looking_run(&how, &(struct ras_inspect_options){
                                 RAS_INSPECT_HEALTH, .has_first = o->tick_start.given,
                                 .first = o->tick_start.value, .has_last = o->tick_end.given,
                                 .last = o->tick_end.value});
}

static const struct option_row rows[] = {
    {"tick-start", 0, OPTION_INTEGER, "N", "count from this tick on", NULL,
     offsetof(struct options, tick_start)},
    {"tick-end", 0, OPTION_INTEGER, "N", "count up to this tick, included", NULL,
     offsetof(struct options, tick_end)},
    JSON_OUT_ROW(struct options),
    {0},
};

const struct command cmd_health = {
    .name = "health",
    .operands = "TRACE",
    .about = "check that a CDT trace has all channels a comparison needs",
    .text = "Counts the ticks and the rows of each channel, and lists what is missing. Exits 1 if\n"
            "anything is missing. To check a trace against the rules of its format, use verify.\n",
    .examples = "rastrum health run.cdt\n",
    .exits = "0 nothing is missing; 1 something is; 2 error; 3 the trace is cut or damaged",
    .rows = rows,
    .size = sizeof(struct options),
    .format = "cdt",
    .reads = true,
    .run = health_run,
};
