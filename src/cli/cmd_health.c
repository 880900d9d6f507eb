/* cmd_health.c - whether a trace has what comparing it needs. */
#include "cli/looking.h"

#include <string.h>

struct options {
    struct common common;
    struct integer tick_start, tick_end;
    const char *json_out;
};

/* Every member of a map as KEY=VALUE. */
static void put_members(struct answer *a, const struct ras_value *map, const char *between)
{
    for (size_t i = 1; map->kind == RAS_MAP && i < map->count; i += 2) {
        answer_format(a, "%s", i > 1 || *between == ' ' ? between : "");
        put_value(a, &map[i]);
        answer_format(a, "=");
        put_value(a, &map[i + 1]);
    }
}

static int put_text(struct answer *a, const struct looking *l, const struct ras_value *v)
{
    const struct ras_value *present = member_of(v, "channels_present");
    const struct ras_value *issues = member_of(v, "issues");
    const char *path = l->common->operands.items[0];
    answer_format(a, "trace=");
    answer_text(a, path, strlen(path));
    put_member(a, "\n", v, "trace_format_version");
    put_member(a, "\n", v, "trace_schema_version");
    answer_format(a, "\ntick_window");
    put_members(a, member_of(v, "tick_window"), " ");
    answer_format(a, "\nchannels=%s", present->count ? "" : "(none)");
    for (size_t i = 1; i < present->count; i += 2) {
        answer_format(a, i > 1 ? "," : "");
        put_value(a, &present[i]);
        answer_format(a, ":");
        put_value(a, &present[i + 1]);
    }
    answer_format(a, "\n");
    put_members(a, member_of(v, "metrics"), "\n");
    answer_format(a, "\nparity_analysis_ready=");
    put_value(a, member_of(v, "ok_for_parity_analysis"));
    for (size_t i = 1; i <= issues->count; i++) {
        answer_format(a, "\nissue=");
        put_value(a, &issues[i]);
    }
    answer_format(a, "\n");
    return issues->count ? EXIT_NO : EXIT_YES;
}

static int run(void *options)
{
    const struct options *o = options;
    const struct looking how = {.common = &o->common,
                                .verb = "health",
                                .json_out = o->json_out,
                                .refused = EXIT_NO,
                                .report_last = true,
                                .operands = 1,
                                .usage = "one trace",
                                .put_text = put_text};
    return looking_run(&how, &(struct ras_look){RAS_LOOK_HEALTH, .has_first = o->tick_start.given,
                                                .first = o->tick_start.value,
                                                .has_last = o->tick_end.given,
                                                .last = o->tick_end.value});
}

static const struct option_row rows[] = {
    {"tick-start", 0, OPTION_INTEGER, "N", "look from this tick on", NULL,
     offsetof(struct options, tick_start)},
    {"tick-end", 0, OPTION_INTEGER, "N", "look up to this tick, included", NULL,
     offsetof(struct options, tick_end)},
    LOOKING_JSON_OUT(struct options),
    {0},
};

const struct command cmd_health = {
    .name = "health",
    .operands = "TRACE",
    .about = "tell whether a CDT trace has what comparing it needs",
    .text = "Counts ticks and the rows of their channels, and names what is missing. Exits 1 when\n"
            "anything is. verify holds a trace to the rules of its format instead.\n",
    .examples = "rastrum health run.cdt\n",
    .rows = rows,
    .size = sizeof(struct options),
    .format = "cdt",
    .reads = true,
    .run = run,
};
