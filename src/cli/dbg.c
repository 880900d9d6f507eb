/* dbg.c - rastrum dbg: the verbs of `crimson dbg`, byte for byte. */
#include "cli/command.h"
#include "cli/comparison.h"
#include "cli/inspect_verb.h"
#include "cli/say.h"
#include "cli/world_choice.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

extern const struct command dbg_diff, dbg_bisect, dbg_focus, dbg_tick, dbg_entity, dbg_query,
    dbg_health, dbg_record;

struct dbg_compare_options {
    struct common common;
    struct integer tick_start, tick_end;
    struct number before, after; /* of bisect */
    const char *json_out;
};

/* Compare the two operands, fill in the result of `found` and print it. */
static int compare(const struct dbg_compare_options *o, const char *verb,
                   const struct ras_compare_options *how,
                   int (*put)(const struct dbg_compare_options *, struct ras_diff *,
                              const struct ras_compare_options *))
{
    const char **paths = o->common.operands.items;
    struct ras_trace *sides[2];
    struct ras_diff *d;
    struct ras_error err;
    char instead[32];
    snprintf(instead, sizeof instead, "rastrum %s", strchr(verb, ' ') + 1);
    int status = open_sides(&o->common, verb, sides);
    if (status)
        return status;
    status = only_cdt(verb, paths, sides, 2, instead);
    if (!status && ras_diff(&d, sides[0], sides[1], how, &err) < 0) {
        status = compat_failed(verb, paths[0], paths[1], &err);
    } else if (!status) {
        status = say_endings(&o->common, sides, d->endings, put(o, d, how));
        for (size_t i = 0; i < d->note_count; i++)
            remark(o->common.quiet, "%s", d->notes[i]);
        ras_diff_free(d);
    }
    ras_close(sides[0]);
    ras_close(sides[1]);
    return status;
}

/* Chunks that have the same checksum are decoded, too: the tool refuses errors in them, and NaN
 * differs from itself. */
static struct ras_compare_options options_of(const struct dbg_compare_options *o)
{
    return (struct ras_compare_options){.compat = true,
                                        .paranoid = true,
                                        .has_first = o->tick_start.given,
                                        .first = o->tick_start.value,
                                        .has_last = o->tick_end.given,
                                        .last = o->tick_end.value};
}

/* ---- diff -------------------------------------------------------------------------------- */

/* The result goes to standard output if the traces are equal, else to standard error. */
static void dbg_put_diff_text(struct answer *a, const struct compared *c)
{
    const struct ras_diff *d = c->found;
    if (!d->divergence_count) {
        answer_format(a, "result=ok checked=%" PRIu64, d->checked);
        if (d->own_schema_2)
            answer_format(a, " diagnostics=%zu", map_size(d->diagnostics));
        answer_format(a, "\n");
        if (d->own_schema_2)
            put_channel_firsts(a, d);
        return;
    }
    struct answer says = {0};
    const struct ras_divergence *first = &d->divergences[0];
    answer_flush(a);
    if (ras_sink_fd(&says.sink, STDERR_FILENO, NULL) < 0)
        return;
    answer_format(&says, "result=diverged kind=%s", first->kind);
    for (size_t i = 0; i < first->at_count; i++) {
        answer_format(&says, " %s=", first->at[i].word);
        put_value(&says, &first->at[i].value);
    }
    answer_format(&says, " checked=%" PRIu64, d->checked);
    if (d->own_schema_2)
        answer_format(&says, " compared=%" PRIu64, d->compared);
    answer_format(&says, "\n");
    if (d->own_schema_2) {
        put_channel_firsts(&says, d);
    } else if (first->detail) {
        answer_format(&says, "detail=");
        (void)!ras_value_json(says.sink, first->detail, d->bare_nan, RAS_LAYOUT_LINE, NULL);
        answer_format(&says, "\n");
    }
    (void)answer_close(&says, 0);
}

static int dbg_put_diff_json(struct ras_sink *sink, const struct compared *c,
                             enum ras_json_layout layout, struct ras_error *err)
{
    return ras_diff_json(sink, c->found, c->how, layout, err);
}

static int put_diff(const struct dbg_compare_options *o, struct ras_diff *d,
                    const struct ras_compare_options *how)
{
    const struct compared found = {d, how, dbg_put_diff_json, dbg_put_diff_text,
                                   d->divergence_count ? EXIT_NO : EXIT_YES};
    return put_compared(&o->common, o->json_out, &found);
}

static int run_diff(void *options)
{
    const struct ras_compare_options how = options_of(options);
    return compare(options, "dbg diff", &how, put_diff);
}

static const struct option_row diff_rows[] = {
    TICK_RANGE_ROWS(struct dbg_compare_options, tick_start, tick_end),
    JSON_OUT_ROW(struct dbg_compare_options),
    {0}};

const struct command dbg_diff = {
    .name = "dbg diff",
    .operands = "EXPECTED ACTUAL",
    .about = "find the first tick at which two CDT traces differ",
    .text = "As `crimson dbg diff`: the result goes to standard output if the traces are equal,\n"
            "else to standard error.\n",
    .exits = "0 the same; 1 they differ, or one is refused; 2 error; 3 an input is cut or damaged",
    .rows = diff_rows,
    .size = sizeof(struct dbg_compare_options),
    .format = "cdt",
    .reads = true,
    .run = run_diff,
};

/* ---- bisect ------------------------------------------------------------------------------ */

static void dbg_put_bisect_text(struct answer *a, const struct compared *c)
{
    const struct ras_bisect_options *how = c->how;
    const struct ras_diff *d = ((const struct ras_bisect *)c->found)->pairs[0].diff;
    int64_t first, last;
    if (!d->divergence_count) {
        answer_format(a, "result=ok checked=%" PRIu64 "\n", d->checked);
        return;
    }
    const struct ras_divergence *v = &d->divergences[0];
    answer_format(a, "result=diverged first_bad_%s=", v->at[0].word);
    put_value(a, &v->at[0].value);
    answer_format(a, " kind=%s checked=%" PRIu64, v->kind, d->checked);
    if (ras_bisect_window(v, how->before, how->after, &first, &last))
        answer_format(a, " window=%" PRId64 "..%" PRId64, first, last);
    answer_format(a, "\n");
}

static int dbg_put_bisect_json(struct ras_sink *sink, const struct compared *c,
                               enum ras_json_layout layout, struct ras_error *err)
{
    return ras_bisect_json(sink, c->found, c->how, layout, err);
}

static int put_bisect(const struct dbg_compare_options *o, struct ras_diff *d,
                      const struct ras_compare_options *compared)
{
    const struct ras_bisect_options how = {.compare = compared,
                                           .before = o->before.given ? o->before.value : 12,
                                           .after = o->after.given ? o->after.value : 6};
    struct ras_bisect_pair pair = {.path = o->common.operands.items[0], .diff = d};
    const struct ras_bisect b = {.pairs = &pair, .pair_count = 1};
    const struct compared found = {&b, &how, dbg_put_bisect_json, dbg_put_bisect_text,
                                   d->own_schema_2 && d->divergence_count ? EXIT_NO : EXIT_YES};
    return put_compared(&o->common, o->json_out, &found);
}

static int run_bisect(void *options)
{
    const struct ras_compare_options how = options_of(options);
    return compare(options, "dbg bisect", &how, put_bisect);
}

static const struct option_row bisect_rows[] = {
    TICK_RANGE_ROWS(struct dbg_compare_options, tick_start, tick_end),
    JSON_OUT_ROW(struct dbg_compare_options),
    {"window-before", 0, OPTION_NUMBER, "N", "ticks shown before the divergence (default 12)", NULL,
     offsetof(struct dbg_compare_options, before)},
    {"window-after", 0, OPTION_NUMBER, "N", "ticks shown after it (default 6)", NULL,
     offsetof(struct dbg_compare_options, after)},
    {0},
};

const struct command dbg_bisect = {
    .name = "dbg bisect",
    .operands = "EXPECTED ACTUAL",
    .about = "the same, with a window around it",
    .text = "As `crimson dbg bisect`: exits 0 whatever was found in container 1, 1 if they differ\n"
            "in container 2.\n",
    .exits = "0 whatever was found; 1 a trace is refused, or they differ in container 2; 2 error;\n"
             "3 an input is cut or damaged",
    .rows = bisect_rows,
    .size = sizeof(struct dbg_compare_options),
    .format = "cdt",
    .reads = true,
    .run = run_bisect,
};

enum { LINES_MOST = 32 };

/* Options of all these verbs; each has rows for its own. */
struct dbg_inspect_options {
    struct common common;
    struct integer tick, tick_start, tick_end;
    struct number limit;
    const char *ticks, *json_out;
};

/* The number after the trace, if there is one: a tick, or a uid. */
static bool read_number(const struct dbg_inspect_options *o, const char *what, int64_t *number)
{
    const struct list *operands = &o->common.operands;
    if (operands->count != 2 || integer_parse(operands->items[1], number))
        return true;
    (void)trouble("'%s' is not a valid %s", operands->items[1], what);
    return false;
}

static int inspect_as(struct inspection how, const struct dbg_inspect_options *o,
                      const struct ras_inspect_options *what)
{
    how.common = &o->common;
    how.json_out = o->json_out;
    how.compat = true;
    return inspect_traces(&how, what);
}

/* ---- focus ------------------------------------------------------------------------------- */

static void put_focus(struct answer *a, const struct inspection *l, const struct ras_value *v)
{
    static const char *const channels[] = {"replay_step", "entity_samples", "sim_state",
                                           "timing_samples"};
    const struct ras_value *rng = member_of(v, "rng_stream");
    bool second = member_of(v, "replay_step")->kind == RAS_MAP;
    (void)l;
    answer_format(a, "result=%s tick=", member_is_true(v, "diverged") ? "diverged" : "ok");
    put_value(a, member_of(v, "tick_index"));
    put_member(a, " ", v, "checkpoint_diff_count");
    if (second) {
        answer_format(a, "\nrng_stream prefix_match_len=");
        put_value(a, member_of(rng, "behavior_prefix_match_len"));
    } else {
        put_member(a, "\nrng_stream ", rng, "prefix_match_len");
    }
    put_member(a, " ", rng, "missing_tail");
    put_member(a, " ", rng, "extra_tail");
    for (size_t i = second ? 0 : 1; i < sizeof channels / sizeof *channels; i++) {
        answer_format(a, "\n%s ", channels[i]);
        put_member(a, "", member_of(v, channels[i]), "ok");
    }
    answer_format(a, "\n");
}

static const struct inspection focus = {.verb = "dbg focus",
                                        .instead = "rastrum diff",
                                        .refused = EXIT_NO,
                                        .operands = 2,
                                        .usage = "two traces",
                                        .put_text = put_focus};

static int run_focus(void *options)
{
    const struct dbg_inspect_options *o = options;
    if (!o->tick.given)
        return trouble("dbg focus needs --tick N");
    return inspect_as(focus, o,
                      &(struct ras_inspect_options){.name = "focus", .number = o->tick.value});
}

static const struct option_row focus_rows[] = {
    {"tick", 0, OPTION_INTEGER, "N", "the tick to compare", NULL,
     offsetof(struct dbg_inspect_options, tick)},
    JSON_OUT_ROW(struct dbg_inspect_options),
    {0},
};

const struct command dbg_focus = {
    .name = "dbg focus",
    .operands = "EXPECTED ACTUAL",
    .about = "which channels differ in one tick of two CDT traces",
    .text = "As `crimson dbg focus`: exits 0 whatever differs.\n",
    .exits = "0 whatever was found; 1 a trace is refused; 2 error; 3 an input is cut or damaged",
    .rows = focus_rows,
    .size = sizeof(struct dbg_inspect_options),
    .format = "cdt",
    .reads = true,
    .run = run_focus,
};

/* ---- tick -------------------------------------------------------------------------------- */

static void dbg_put_tick(struct answer *a, const struct inspection *l, const struct ras_value *v)
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

static const struct inspection tick = {.verb = "dbg tick",
                                       .instead = "rastrum cat",
                                       .refused = EXIT_NO,
                                       .operands = 1,
                                       .more = 1,
                                       .usage = "a trace and the number of a tick",
                                       .put_text = dbg_put_tick};

static int run_tick(void *options)
{
    const struct dbg_inspect_options *o = options;
    struct ras_inspect_options what = {.name = "tick"};
    return read_number(o, "tick", &what.number) ? inspect_as(tick, o, &what) : EXIT_TROUBLE;
}

static const struct option_row tick_rows[] = {JSON_OUT_ROW(struct dbg_inspect_options), {0}};

const struct command dbg_tick = {
    .name = "dbg tick",
    .operands = "TRACE N",
    .about = "one tick of a CDT trace",
    .text = "As `crimson dbg tick`.\n",
    .exits = "0 shown; 1 not found, or the trace is refused; 2 error; 3 it is cut or damaged",
    .rows = tick_rows,
    .size = sizeof(struct dbg_inspect_options),
    .format = "cdt",
    .reads = true,
    .run = run_tick,
};

/* ---- entity ------------------------------------------------------------------------------ */

static void put_entity(struct answer *a, const struct inspection *l, const struct ras_value *v)
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

static const struct inspection entity = {.verb = "dbg entity",
                                         .instead = "rastrum cat",
                                         .refused = EXIT_NO,
                                         .operands = 1,
                                         .more = 1,
                                         .usage = "a trace and the uid of an entity",
                                         .put_text = put_entity};

static int run_entity(void *options)
{
    const struct dbg_inspect_options *o = options;
    struct ras_inspect_options what = {.name = "entity", .text = o->ticks};
    return read_number(o, "uid", &what.number) ? inspect_as(entity, o, &what) : EXIT_TROUBLE;
}

static const struct option_row entity_rows[] = {
    {"ticks", 0, OPTION_TEXT, "A..B", "only these ticks, both included: A..B, A.., ..B, N", NULL,
     offsetof(struct dbg_inspect_options, ticks)},
    JSON_OUT_ROW(struct dbg_inspect_options),
    {0},
};

const struct command dbg_entity = {
    .name = "dbg entity",
    .operands = "TRACE UID",
    .about = "every sample of a uid in a CDT trace, of all pools",
    .text = "As `crimson dbg entity`: text shows the first 32 samples, --json all of them.\n",
    .exits = "0 found; 1 not found, or the trace is refused; 2 error; 3 it is cut or damaged",
    .rows = entity_rows,
    .size = sizeof(struct dbg_inspect_options),
    .format = "cdt",
    .reads = true,
    .run = run_entity,
};

/* ---- query ------------------------------------------------------------------------------- */

static void put_query(struct answer *a, const struct inspection *l, const struct ras_value *v)
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
        (void)!ras_value_json(a->sink, r, true, RAS_LAYOUT_LINE,
                              NULL); /* sticky: close reports it */
        answer_format(a, "\n");
        r = ras_value_next(r);
    }
}

static const struct inspection query = {.verb = "dbg query",
                                        .instead = "rastrum cat --where CONDITION",
                                        .refused = EXIT_TROUBLE,
                                        .operands = 1,
                                        .more = 1,
                                        .usage = "a trace and an expression",
                                        .put_text = put_query};

static int run_query(void *options)
{
    const struct dbg_inspect_options *o = options;
    const struct list *operands = &o->common.operands;
    const char *text = operands->count == 2 ? operands->items[1] : "";
    if (o->limit.given && !o->limit.value)
        return trouble("--limit takes a number above 0");
    return inspect_as(
        query, o,
        &(struct ras_inspect_options){.name = "query", .text = text, .limit = o->limit.value});
}

static const struct option_row query_rows[] = {
    {"limit", 'n', OPTION_NUMBER, "N", "keep N rows (default 256)", NULL,
     offsetof(struct dbg_inspect_options, limit)},
    JSON_OUT_ROW(struct dbg_inspect_options),
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
    .size = sizeof(struct dbg_inspect_options),
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

static void put_health(struct answer *a, const struct inspection *l, const struct ras_value *v)
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
    if (member_of(v, "tick_spans")->kind == RAS_LIST) { /* of container 2 */
        answer_format(a, "\ntick_spans=");
        (void)!ras_value_json(a->sink, member_of(v, "tick_spans"), false, RAS_LAYOUT_LINE, NULL);
        answer_format(a, "\ntick_gaps=");
        (void)!ras_value_json(a->sink, member_of(v, "tick_gaps"), false, RAS_LAYOUT_LINE, NULL);
    }
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

static const struct inspection health = {.verb = "dbg health",
                                         .instead = "rastrum verify",
                                         .refused = EXIT_NO,
                                         .report_last = true,
                                         .is_no = dbg_is_unfit,
                                         .operands = 1,
                                         .usage = "one trace",
                                         .put_text = put_health};

static int run_health(void *options)
{
    const struct dbg_inspect_options *o = options;
    return inspect_as(health, o,
                      &(struct ras_inspect_options){.name = "health",
                                                    .has_first = o->tick_start.given,
                                                    .first = o->tick_start.value,
                                                    .has_last = o->tick_end.given,
                                                    .last = o->tick_end.value});
}

static const struct option_row health_rows[] = {
    {"tick-start", 0, OPTION_INTEGER, "N", "count from this tick on", NULL,
     offsetof(struct dbg_inspect_options, tick_start)},
    {"tick-end", 0, OPTION_INTEGER, "N", "count up to this tick, included", NULL,
     offsetof(struct dbg_inspect_options, tick_end)},
    JSON_OUT_ROW(struct dbg_inspect_options),
    {0},
};

const struct command dbg_health = {
    .name = "dbg health",
    .operands = "TRACE",
    .about = "check that a CDT trace has what a comparison needs",
    .text = "As `crimson dbg health`: exits 1 when anything is missing.\n",
    .exits = "0 nothing is missing; 1 something is; 2 error; 3 the trace is cut or damaged",
    .rows = health_rows,
    .size = sizeof(struct dbg_inspect_options),
    .format = "cdt",
    .reads = true,
    .run = run_health,
};

static const struct command *const verbs[] = {&dbg_record, &dbg_health, &dbg_diff,
                                              &dbg_bisect, &dbg_focus,  &dbg_tick,
                                              &dbg_entity, &dbg_query,  NULL};

static int dbg_run(void *options)
{
    (void)options;
    return trouble("dbg takes a verb; rastrum help dbg lists them");
}

static const struct option_row no_rows[] = {{0}};

const struct command cmd_dbg = {
    .name = "dbg",
    .operands = "VERB ...",
    .about = "do what `crimson dbg` does to CDT traces, byte for byte",
    .text =
        "For scripts that were written for `crimson dbg`: the same texts on the same streams,\n"
        "the same JSON, the same exit statuses, with two additions: traces of different formats\n"
        "exit 2, and a cut trace is compared up to its end, exit 3. The verbs of the same names\n"
        "without dbg support more formats, print to standard output and exit 1 if anything\n"
        "differs.\n",
    .examples = "rastrum dbg diff golden.cdt candidate.cdt\n"
                "rastrum dbg focus --tick 1777 --json golden.cdt candidate.cdt\n",
    .exits = "that of crimson dbg; 2 error; 3 a trace is cut or damaged",
    .rows = no_rows,
    .verbs = verbs,
    .size = sizeof(struct common),
    .run = dbg_run,
};

/* ---- record ------------------------------------------------------------------------------ */

struct dbg_record_options {
    struct common common;
    struct state_options state;
};

static int run_record(void *options)
{
    struct dbg_record_options *o = options;
    o->state.compat = true;
    if (!o->common.operands.count)
        return trouble("dbg record takes one replay");
    return record_state(&o->common, &o->state);
}

static const struct option_row record_rows[] = {
    {"world", 0, OPTION_TEXT, "FILE.so", "your own world (rastrum/world.h)", NULL,
     offsetof(struct dbg_record_options, state.world)},
    {"world-recipe", 0, OPTION_TEXT, "FILE", "recipe of the replay, if it has none", NULL,
     offsetof(struct dbg_record_options, state.recipe)},
    {0},
};

const struct command dbg_record = {
    .name = "dbg record",
    .operands = "REPLAY.murk",
    .about = "write the state of a replay as a CDT trace",
    .text = "Executes the replay and writes the trace that --out names.\n",
    .examples = "rastrum dbg record replay.murk --out state.cdt\n",
    .exits = "0 written; 1 it differs from the recording; 2 error; 3 written, but it was cut",
    .rows = record_rows,
    .size = sizeof(struct dbg_record_options),
    .reads = true,
    .run = run_record,
};
