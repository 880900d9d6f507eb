/* dbg_look.c - dbg focus, tick, entity, query and health: the bytes of `crimson dbg`. */
#include "cli/dbg.h"
#include "cli/looking.h"

#include <string.h>

enum { LINES_MOST = 32 };

/* Of all of them; each has rows for its own. */
struct options {
    struct common common;
    struct integer tick, tick_start, tick_end;
    struct number limit;
    const char *ticks, *json_out;
};

/* The number after the trace, if there is one: a tick, or a uid. */
static bool read_number(const struct options *o, const char *what, int64_t *number)
{
    const struct list *operands = &o->common.operands;
    if (operands->count != 2 || integer_parse(operands->items[1], number))
        return true;
    (void)trouble("'%s' is not a valid %s", operands->items[1], what);
    return false;
}

static int look_as(struct looking how, const struct options *o,
                   const struct ras_inspect_options *look)
{
    how.common = &o->common;
    how.json_out = o->json_out;
    how.compat = true;
    return looking_run(&how, look);
}

/* ---- focus ------------------------------------------------------------------------------- */

static void put_focus(struct answer *a, const struct looking *l, const struct ras_value *v)
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
}

static const struct looking focus = {.verb = "dbg focus",
                                     .instead = "rastrum diff",
                                     .refused = EXIT_NO,
                                     .operands = 2,
                                     .usage = "two traces",
                                     .put_text = put_focus};

static int run_focus(void *options)
{
    const struct options *o = options;
    if (!o->tick.given)
        return trouble("dbg focus needs --tick N");
    return look_as(focus, o,
                   &(struct ras_inspect_options){RAS_INSPECT_FOCUS, .number = o->tick.value});
}

static const struct option_row focus_rows[] = {
    {"tick", 0, OPTION_INTEGER, "N", "the tick to compare", NULL, offsetof(struct options, tick)},
    JSON_OUT_ROW(struct options),
    {0},
};

const struct command dbg_focus = {
    .name = "dbg focus",
    .operands = "EXPECTED ACTUAL",
    .about = "which channels differ in one tick of two CDT traces",
    .text = "As `crimson dbg focus`: exits 0 whatever differs.\n",
    .exits = "0 whatever was found; 1 a trace is refused; 2 error; 3 an input is cut or damaged",
    .rows = focus_rows,
    .size = sizeof(struct options),
    .format = "cdt",
    .reads = true,
    .run = run_focus,
};

/* ---- tick -------------------------------------------------------------------------------- */

static void dbg_put_tick(struct answer *a, const struct looking *l, const struct ras_value *v)
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
}

static const struct looking tick = {.verb = "dbg tick",
                                    .instead = "rastrum cat",
                                    .refused = EXIT_NO,
                                    .operands = 1,
                                    .more = 1,
                                    .usage = "a trace and the number of a tick",
                                    .put_text = dbg_put_tick};

static int run_tick(void *options)
{
    const struct options *o = options;
    struct ras_inspect_options look = {RAS_INSPECT_TICK};
    return read_number(o, "tick", &look.number) ? look_as(tick, o, &look) : EXIT_TROUBLE;
}

static const struct option_row tick_rows[] = {JSON_OUT_ROW(struct options), {0}};

const struct command dbg_tick = {
    .name = "dbg tick",
    .operands = "TRACE N",
    .about = "one tick of a CDT trace",
    .text = "As `crimson dbg tick`.\n",
    .exits = "0 shown; 1 not found, or the trace is refused; 2 error; 3 it is cut or damaged",
    .rows = tick_rows,
    .size = sizeof(struct options),
    .format = "cdt",
    .reads = true,
    .run = run_tick,
};

/* ---- entity ------------------------------------------------------------------------------ */

static void put_entity(struct answer *a, const struct looking *l, const struct ras_value *v)
{
    const struct ras_value *samples = member_of(v, "samples"), *end = ras_value_next(samples);
    size_t count = 0;
    (void)l;
    for (const struct ras_value *s = samples + 1; s < end; s = ras_value_next(s))
        count++;
    answer_format(a, "uid=");
    put_value(a, member_of(v, "entity_uid"));
    put_member(a, " ", v, "pool_kind");
    put_member(a, " ", v, "spawn_tick");
    put_member(a, " ", v, "despawn_tick");
    answer_format(a, " samples=%zu\n", count);
    count = 0;
    for (const struct ras_value *s = samples + 1; s < end && count < LINES_MOST; count++) {
        const struct ras_value *pos = member_of(s, "pos");
        answer_format(a, "sample tick=");
        put_value(a, member_of(s, "tick_index"));
        put_member(a, " ", s, "index");
        put_member(a, " ", s, "type_id");
        put_member(a, " ", s, "hp");
        answer_format(a, " pos=(");
        put_value(a, member_of(pos, "x"));
        answer_format(a, ",");
        put_value(a, member_of(pos, "y"));
        answer_format(a, ")\n");
        s = ras_value_next(s);
    }
}

static const struct looking entity = {.verb = "dbg entity",
                                      .instead = "rastrum cat",
                                      .refused = EXIT_NO,
                                      .operands = 1,
                                      .more = 1,
                                      .usage = "a trace and the uid of an entity",
                                      .put_text = put_entity};

static int run_entity(void *options)
{
    const struct options *o = options;
    struct ras_inspect_options look = {RAS_INSPECT_ENTITY, .text = o->ticks};
    return read_number(o, "uid", &look.number) ? look_as(entity, o, &look) : EXIT_TROUBLE;
}

static const struct option_row entity_rows[] = {
    {"ticks", 0, OPTION_TEXT, "A..B", "only these ticks, both included: A..B, A.., ..B, N", NULL,
     offsetof(struct options, ticks)},
    JSON_OUT_ROW(struct options),
    {0},
};

const struct command dbg_entity = {
    .name = "dbg entity",
    .operands = "TRACE UID",
    .about = "every sample of a uid in a CDT trace, of all pools",
    .text = "As `crimson dbg entity`: text shows the first 32 samples, --json all of them.\n",
    .exits = "0 found; 1 not found, or the trace is refused; 2 error; 3 it is cut or damaged",
    .rows = entity_rows,
    .size = sizeof(struct options),
    .format = "cdt",
    .reads = true,
    .run = run_entity,
};

/* ---- query ------------------------------------------------------------------------------- */

static void put_query(struct answer *a, const struct looking *l, const struct ras_value *v)
{
    const struct ras_value *rows = member_of(v, "rows"), *end = ras_value_next(rows);
    (void)l;
    put_member(a, "", v, "scope");
    put_member(a, " ", v, "match_count");
    put_member(a, " ", v, "truncated");
    answer_format(a, "\n");
    size_t count = 0;
    for (const struct ras_value *r = rows + 1; r < end && count < LINES_MOST; count++) {
        answer_format(a, "row=");
        (void)!ras_json_value(a->sink, r, true, RAS_JSON_LINE, NULL); /* sticky: close tells */
        answer_format(a, "\n");
        r = ras_value_next(r);
    }
}

static const struct looking query = {.verb = "dbg query",
                                     .instead = "rastrum cat --where CONDITION",
                                     .refused = EXIT_TROUBLE,
                                     .operands = 1,
                                     .more = 1,
                                     .usage = "a trace and an expression",
                                     .put_text = put_query};

static int run_query(void *options)
{
    const struct options *o = options;
    const struct list *operands = &o->common.operands;
    const char *text = operands->count == 2 ? operands->items[1] : "";
    if (o->limit.given && !o->limit.value)
        return trouble("--limit takes a number above 0");
    return look_as(
        query, o,
        &(struct ras_inspect_options){RAS_INSPECT_QUERY, .text = text, .limit = o->limit.value});
}

static const struct option_row query_rows[] = {
    {"limit", 'n', OPTION_NUMBER, "N", "keep N rows (default 256)", NULL,
     offsetof(struct options, limit)},
    JSON_OUT_ROW(struct options),
    {0},
};

const struct command dbg_query = {
    .name = "dbg query",
    .operands = "TRACE EXPRESSION",
    .about = "ticks or entities of a CDT trace by a condition",
    .text = "As `crimson dbg query`: a missing field is None, and the exit status is 0 also\n"
            "without a match.\n",
    .exits = "0 also without a match; 2 error, or refused; 3 the trace is cut or damaged",
    .rows = query_rows,
    .size = sizeof(struct options),
    .format = "cdt",
    .reads = true,
    .run = run_query,
};

/* ---- health ------------------------------------------------------------------------------ */

/* Every member of a map as KEY=VALUE. */
static void dbg_put_members(struct answer *a, const struct ras_value *map, const char *between)
{
    for (size_t i = 1; map->kind == RAS_MAP && i < map->count; i += 2) {
        answer_format(a, "%s", i > 1 || *between == ' ' ? between : "");
        put_value(a, &map[i]);
        answer_format(a, "=");
        put_value(a, &map[i + 1]);
    }
}

static void put_health(struct answer *a, const struct looking *l, const struct ras_value *v)
{
    const struct ras_value *present = member_of(v, "channels_present");
    const struct ras_value *issues = member_of(v, "issues");
    const char *path = l->common->operands.items[0];
    answer_format(a, "trace=");
    answer_text(a, path, strlen(path));
    put_member(a, "\n", v, "trace_format_version");
    put_member(a, "\n", v, "trace_schema_version");
    answer_format(a, "\ntick_window");
    dbg_put_members(a, member_of(v, "tick_window"), " ");
    answer_format(a, "\nchannels=%s", present->count ? "" : "(none)");
    for (size_t i = 1; i < present->count; i += 2) {
        answer_format(a, i > 1 ? "," : "");
        put_value(a, &present[i]);
        answer_format(a, ":");
        put_value(a, &present[i + 1]);
    }
    answer_format(a, "\n");
    dbg_put_members(a, member_of(v, "metrics"), "\n");
    answer_format(a, "\nparity_analysis_ready=");
    put_value(a, member_of(v, "ok_for_parity_analysis"));
    for (size_t i = 1; i <= issues->count; i++) {
        answer_format(a, "\nissue=");
        put_value(a, &issues[i]);
    }
    answer_format(a, "\n");
}

static bool dbg_is_unfit(const struct ras_value *v)
{
    return !member_is_true(v, "ok_for_parity_analysis");
}

static const struct looking health = {.verb = "dbg health",
                                      .instead = "rastrum verify",
                                      .refused = EXIT_NO,
                                      .report_last = true,
                                      .is_no = dbg_is_unfit,
                                      .operands = 1,
                                      .usage = "one trace",
                                      .put_text = put_health};

static int run_health(void *options)
{
    const struct options *o = options;
    return look_as(
        health, o,
        &(struct ras_inspect_options){RAS_INSPECT_HEALTH, .has_first = o->tick_start.given,
                                      .first = o->tick_start.value, .has_last = o->tick_end.given,
                                      .last = o->tick_end.value});
}

static const struct option_row health_rows[] = {
    {"tick-start", 0, OPTION_INTEGER, "N", "count from this tick on", NULL,
     offsetof(struct options, tick_start)},
    {"tick-end", 0, OPTION_INTEGER, "N", "count up to this tick, included", NULL,
     offsetof(struct options, tick_end)},
    JSON_OUT_ROW(struct options),
    {0},
};

const struct command dbg_health = {
    .name = "dbg health",
    .operands = "TRACE",
    .about = "check that a CDT trace has what a comparison needs",
    .text = "As `crimson dbg health`: exits 1 when anything is missing.\n",
    .exits = "0 nothing is missing; 1 something is; 2 error; 3 the trace is cut or damaged",
    .rows = health_rows,
    .size = sizeof(struct options),
    .format = "cdt",
    .reads = true,
    .run = run_health,
};
