/* cmd_inspect.c - the verbs that inspect CDT traces: focus, tick, entity, query and health. */
#include "cli/detail_text.h"
#include "cli/inspect_verb.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const struct ras_value *member_of(const struct ras_value *map, const char *key)
{
    static const struct ras_value none = {.kind = RAS_NULL};
    const struct ras_value *found = map && map->kind == RAS_MAP ? ras_value_member(map, key) : NULL;
    return found ? found : &none;
}

bool member_is_true(const struct ras_value *map, const char *key)
{
    const struct ras_value *v = member_of(map, key);
    return v->kind == RAS_BOOL && v->u;
}

void put_member(struct answer *a, const char *before, const struct ras_value *map, const char *key)
{
    answer_format(a, "%s%s=", before, key);
    put_value(a, member_of(map, key));
}

static int put_report(const struct inspection *l, const struct ras_inspection *seen,
                      struct answer *a)
{
    struct ras_sink *sink;
    struct ras_error err;
    if (!l->json_out)
        return 0;
    int status = report_open(&sink, l->json_out);
    if (status)
        return status;
    int written = ras_value_json(sink, seen->value, seen->bare_nan, RAS_LAYOUT_INDENTED, &err);
    return report_close(sink, l->json_out, a, written < 0 ? &err : NULL, 0);
}

static int inspect_put_answer(const struct inspection *l, const struct ras_inspection *seen)
{
    struct answer a;
    struct ras_error err;
    int found = 0, status = l->check ? l->check(l, seen->value) : 0;
    if (!status)
        status = answer_open(&a, l->common);
    if (status)
        return status;
    if (!l->report_last)
        status = put_report(l, seen, &a);
    if (!status && l->common->json) {
        if (ras_value_json(a.sink, seen->value, seen->bare_nan, RAS_LAYOUT_LINE, &err) < 0)
            status = trouble_with(&err);
        answer_format(&a, "\n");
    } else if (!status) {
        struct inspection found_with = *l;
        found_with.details = seen->details;
        l->put_text(&a, &found_with, seen->value);
    }
    if (!status && l->is_no && l->is_no(seen->value))
        found = EXIT_NO;
    if (!status && l->report_last)
        status = put_report(l, seen, &a);
    return answer_close(&a, status ? status : found);
}

/* If nothing is found in a cut trace, the status is EXIT_LOSS. */
static int say_refusal(const struct inspection *l, struct ras_trace *const *traces,
                       const struct ras_error *err)
{
    const char **paths = l->common->operands.items;
    const char *other = l->operands > 1 ? paths[1] : NULL;
    if (err->status == RAS_ENAME)
        return unknown_name(l->verb, paths[0], err);
    if (err->status == RAS_EUSAGE && l->hint)
        return trouble("%s: %s; %s", shown_path(paths[0]), err->text, l->hint);
    int status = l->compat ? compat_failed(l->verb, paths[0], other, err)
                           : compare_failed(paths[0], other, err);
    if (err->status == RAS_EREFUSED && l->compat)
        status = l->refused;
    else if (err->status == RAS_ENOTHING)
        status = EXIT_NO;
    else
        return status;
    for (size_t i = 0; i < l->operands; i++) {
        struct ras_ending e = ras_ending(traces[i]);
        if (e.kind == RAS_CUT || e.kind == RAS_DAMAGED)
            status = worse(
                status, say_ending(l->common->operands.items[i], traces[i], &e, l->common->quiet));
    }
    return status;
}

int inspect_traces(const struct inspection *l, const struct ras_inspect_options *requested)
{
    struct ras_inspect_options what = *requested;
    struct ras_trace *traces[3] = {NULL, NULL, NULL};
    struct ras_inspection *seen;
    struct ras_error err;
    const struct list *operands = &l->common->operands;
    int status = 0;
    what.compat = l->compat;
    if (operands->count != l->operands + l->more)
        return trouble("%s takes %s", l->verb, l->usage);
    for (size_t i = 0; i < l->operands && !status; i++) {
        traces[i] = open_operand(l->common, operands->items[i], false);
        status = traces[i] ? 0 : EXIT_TROUBLE;
    }
    if (!status)
        status = only_cdt(l->verb, operands->items, traces, l->operands, l->instead);
    struct progress progress;
    progress_start(&progress, l->common, l->verb, false);
    what.progress = progress_at;
    what.user = &progress;
    int inspected = status ? RAS_OK : ras_inspect(&seen, traces[0], traces[1], &what, &err);
    progress_stop(&progress);
    if (inspected < 0) {
        status = say_refusal(l, traces, &err);
    } else if (!status) {
        status = say_endings(l->common, traces, seen->endings, inspect_put_answer(l, seen));
        ras_inspection_free(seen);
    }
    ras_close(traces[0]);
    ras_close(traces[1]);
    return status;
}

struct focus_options {
    struct common common;
    struct integer tick;
    const char *json_out;
};

enum { FOCUS_LINES_MOST = 40, FOCUS_INDENT = 2 };

/* The members that the format states for the detail of a channel; NULL: none. */
static const struct ras_detail_member *channel_members(const struct ras_detail_kind *kinds,
                                                       const char *channel)
{
    for (; kinds && kinds->kind; kinds++)
        for (const struct ras_detail_member *m = kinds->members; m && m->key; m++)
            for (const struct ras_detail_member *c = m->of;
                 m->role == RAS_DETAIL_CHANNELS && c->key; c++)
                if (!strcmp(c->key, channel))
                    return c->of;
    return NULL;
}

/* A channel of a focus under its name: rows, or nothing if it is equal. */
static void put_channel(struct page *p, const char *name, const struct ras_detail_member *members,
                        const struct ras_value *detail)
{
    struct answer *a = p->a;
    if (!holds(detail)) {
        answer_format(a, "%s: the same\n", name);
        return;
    }
    answer_format(a, "%s: differs\n", name);
    put_detail(p, members, detail);
    put_left(p);
    p->left = 0;
    p->lines = FOCUS_LINES_MOST;
}

static void focus_put_text(struct answer *a, const struct inspection *l, const struct ras_value *v)
{
    static const char *const channels[] = {"sim_state", "entity_samples", "timing_samples"};
    const struct ras_value *rng = member_of(v, "rng_stream"), *step = member_of(v, "replay_step");
    bool diverged = member_is_true(v, "diverged");
    struct page p = {.a = a, .indent = FOCUS_INDENT, .lines = FOCUS_LINES_MOST};
    put_result(a, diverged ? "diverged" : "ok");
    answer_format(a, " tick=");
    put_value(a, member_of(v, "tick_index"));
    answer_format(a, "\n");
    if (holds(step)) /* of container 2 */
        put_channel(&p, "replay_step", channel_members(l->details, "replay_step"),
                    member_of(step, "detail"));
    put_channel(&p, "checkpoint", channel_members(l->details, "checkpoint"),
                member_of(v, "checkpoint_diff"));
    bool same = member_is_true(rng, "ok");
    const struct ras_value *callers = member_of(rng, "caller_attribution_ok");
    if (same && callers->kind == RAS_BOOL && !callers->u)
        answer_format(a, "rng_stream: the same, by other callers\n");
    else
        put_channel(&p, "rng_stream", channel_members(l->details, "rng_stream"), same ? NULL : rng);
    for (size_t i = 0; i < sizeof channels / sizeof *channels; i++)
        put_channel(&p, channels[i], channel_members(l->details, channels[i]),
                    member_of(member_of(v, channels[i]), "detail"));
}

static bool is_no(const struct ras_value *v)
{
    return member_is_true(v, "diverged");
}

static int focus_run(void *options)
{
    const struct focus_options *o = options;
    char instead[80] = "rastrum diff";
    const struct inspection how = {.common = &o->common,
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
    return inspect_traces(&how,
                          &(struct ras_inspect_options){.name = "focus", .number = o->tick.value});
}

static const struct option_row focus_rows[] = {
    {"tick", 0, OPTION_INTEGER, "N", "the tick to compare", NULL,
     offsetof(struct focus_options, tick)},
    JSON_OUT_ROW(struct focus_options),
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
    .rows = focus_rows,
    .size = sizeof(struct focus_options),
    .format = "cdt",
    .reads = true,
    .run = focus_run,
};

struct tick_options {
    struct common common;
    const char *json_out;
};

static void tick_put_text(struct answer *a, const struct inspection *l, const struct ras_value *v)
{
    struct page p = {.a = a, .lines = INT32_MAX};
    (void)l;
    put_detail(&p, NULL, v);
}

static int tick_run(void *options)
{
    const struct tick_options *o = options;
    const struct list *operands = &o->common.operands;
    struct ras_inspect_options what = {.name = "tick"};
    char instead[80] = "rastrum cat";
    const struct inspection how = {.common = &o->common,
                                   .verb = "tick",
                                   .json_out = o->json_out,
                                   .operands = 1,
                                   .more = 1,
                                   .usage = "a trace and the number of a tick",
                                   .instead = instead,
                                   .put_text = tick_put_text};
    if (operands->count == 2 && !integer_parse(operands->items[1], &what.number))
        return trouble("'%s' is not a valid tick", operands->items[1]);
    if (what.number >= 0 && what.number < INT64_MAX)
        snprintf(instead, sizeof instead, "rastrum cat --from %" PRId64 " --to %" PRId64,
                 what.number, what.number + 1);
    return inspect_traces(&how, &what);
}

static const struct option_row tick_rows[] = {JSON_OUT_ROW(struct tick_options), {0}};

const struct command cmd_tick = {
    .name = "tick",
    .operands = "TRACE N",
    .about = "show one tick of a CDT trace",
    .text =
        "Prints the tick's own numbers, its checkpoint, and the number of rows in each channel.\n"
        "Only the chunk that contains it is read. Exits 1 if the trace has no such tick.\n",
    .examples = "rastrum tick run.cdt 1777\nrastrum tick --json run.cdt 1777\n",
    .exits = "0 shown; 1 no such tick; 2 error; 3 the trace is cut or damaged",
    .rows = tick_rows,
    .size = sizeof(struct tick_options),
    .format = "cdt",
    .reads = true,
    .run = tick_run,
};

struct entity_options {
    struct common common;
    const char *ticks, *pool, *json_out;
};

enum { ENTITY_LINES_MOST = 32, LINES_BOTH = 60, ENTITY_INDENT = 2 };

/* ---- which pool -------------------------------------------------------------------------- */

enum { POOLS_MOST = 8 };

struct pool_count {
    const struct ras_value *name;
    uint64_t samples[2];
};

static size_t count_pools(const struct ras_value *map, int side, struct pool_count *pools,
                          size_t count)
{
    for (const struct ras_value *key = map + 1; key < ras_value_next(map); key += 2) {
        size_t i = 0;
        while (i < count && strcmp(pools[i].name->at, key->at) != 0)
            i++;
        if (i == POOLS_MOST)
            continue;
        if (i == count)
            pools[count++] = (struct pool_count){.name = key};
        pools[i].samples[side] = key[1].u;
    }
    return count;
}

static size_t find_pools(const struct ras_value *v, struct pool_count *pools)
{
    const struct ras_value *of = member_of(v, "pools"), *both = member_of(of, "expected");
    if (!holds(both))
        return count_pools(of, 0, pools, 0);
    return count_pools(member_of(of, "actual"), 1, pools, count_pools(both, 0, pools, 0));
}

/* A uid is the number of a slot: a creature and a bonus may have the same one. */
static int check_pools(const struct inspection *l, const struct ras_value *v)
{
    struct pool_count pools[POOLS_MOST];
    size_t count = find_pools(v, pools), len = 0;
    char text[200] = "";
    if (count < 2)
        return 0;
    for (size_t i = 0; i < count && len < sizeof text; i++)
        len += (size_t)snprintf(text + len, sizeof text - len, "%s%s %" PRIu64, i ? ", " : "",
                                (const char *)pools[i].name->at,
                                pools[i].samples[0] + pools[i].samples[1]);
    return trouble("%s: uid %s is in %zu pools (samples: %s): choose one with --pool",
                   shown_path(l->common->operands.items[0]), l->common->operands.items[l->operands],
                   count, text);
}

static void put_pool(struct answer *a, const struct ras_value *v, bool both)
{
    struct pool_count pools[POOLS_MOST];
    answer_format(a, "uid=");
    put_value(a, member_of(v, "entity_uid"));
    if (find_pools(v, pools) != 1)
        return;
    answer_format(a, " pool=");
    put_value(a, pools[0].name);
    answer_format(a, both ? " samples=%" PRIu64 " samples_actual=%" PRIu64 : " samples=%" PRIu64,
                  pools[0].samples[0], pools[0].samples[1]);
}

/* ---- one trace --------------------------------------------------------------------------- */

/* The first sample in full, then only the changed fields of each. */
static void entity_put_text(struct answer *a, const struct inspection *l, const struct ras_value *v)
{
    const struct ras_value *samples = member_of(v, "samples"), *before = NULL;
    struct page p = {.a = a, .indent = ENTITY_INDENT, .lines = ENTITY_LINES_MOST};
    (void)l;
    put_pool(a, v, false);
    answer_format(a, " ticks=");
    put_value(a, member_of(v, "spawn_tick"));
    answer_format(a, "..");
    put_value(a, member_of(v, "despawn_tick"));
    answer_format(a, "\n");
    for (const struct ras_value *s = samples + 1; s < ras_value_next(samples);
         s = ras_value_next(s)) {
        if (line_begins(&p)) {
            answer_format(a, "tick ");
            put_value(a, member_of(s, "tick_index"));
            answer_format(a, ": ");
            put_flat(a, s, before, "tick_index");
            answer_format(a, "\n");
        }
        before = s;
    }
    put_left(&p);
}

/* ---- two of them ------------------------------------------------------------------------- */

static bool is_changed(const struct ras_value *v)
{
    return member_of(v, "ticks")->count != 0;
}

static void entity_put_tick(struct page *p, const struct ras_value *tick)
{
    const struct ras_value *missing = member_of(tick, "missing_in");
    if (!line_begins(p))
        return;
    answer_format(p->a, "tick ");
    put_value(p->a, member_of(tick, "tick_index"));
    if (missing->kind == RAS_STR) {
        answer_format(p->a, ": missing in ");
        put_value(p->a, missing);
    }
    answer_format(p->a, "\n");
    p->indent += ENTITY_INDENT;
    put_detail_rows(p, member_of(tick, "mismatches"));
    p->indent -= ENTITY_INDENT;
}

static void put_both(struct answer *a, const struct inspection *l, const struct ras_value *v)
{
    const struct ras_value *ticks = member_of(v, "ticks");
    struct page p = {.a = a, .indent = ENTITY_INDENT, .lines = LINES_BOTH};
    size_t count = 0;
    (void)l;
    for (const struct ras_value *t = ticks + 1; t < ras_value_next(ticks); t = ras_value_next(t))
        count++;
    put_result(a, count ? "diverged" : "ok");
    if (count) {
        answer_format(a, " tick=");
        put_value(a, member_of(ticks + 1, "tick_index"));
    }
    answer_format(a, " ");
    put_pool(a, v, true);
    answer_format(a, " ticks_changed=%zu\n", count);
    for (const struct ras_value *t = ticks + 1; t < ras_value_next(ticks); t = ras_value_next(t))
        entity_put_tick(&p, t);
    put_left(&p);
}

/* ---- the command ------------------------------------------------------------------------- */

/* TRACE UID, or UID A B: the uid is the operand that is a number; it is moved after the traces. */
static int find_uid(struct list *operands, int64_t *uid)
{
    const char **items = operands->items;
    size_t last = operands->count - 1;
    if (integer_parse(items[last], uid))
        return 0;
    if (!integer_parse(items[0], uid))
        return trouble("'%s' is not a valid uid", items[last]);
    const char *text = items[0];
    for (size_t i = 0; i < last; i++)
        items[i] = items[i + 1];
    items[last] = text;
    return 0;
}

static int entity_run(void *options)
{
    struct entity_options *o = options;
    const bool both = o->common.operands.count == 3;
    struct ras_inspect_options what = {.name = "entity", .text = o->ticks, .group = o->pool};
    const struct inspection how = {.common = &o->common,
                                   .verb = "entity",
                                   .json_out = o->json_out,
                                   .operands = both ? 2 : 1,
                                   .more = 1,
                                   .usage =
                                       "a trace and the uid of an entity, or a uid and two traces",
                                   .instead = "rastrum cat",
                                   .check = check_pools,
                                   .is_no = both ? is_changed : NULL,
                                   .put_text = both ? put_both : entity_put_text};
    int status = o->common.operands.count > 1 ? find_uid(&o->common.operands, &what.number) : 0;
    return status ? status : inspect_traces(&how, &what);
}

static const char *const pool_words[] = {"creature", "projectile", "secondary_projectile", "bonus",
                                         NULL};

static const struct option_row entity_rows[] = {
    {"pool", 0, OPTION_TEXT, "NAME",
     "only samples of creature, projectile, secondary_projectile or bonus", pool_words,
     offsetof(struct entity_options, pool)},
    {"ticks", 0, OPTION_TEXT, "A..B", "only these ticks, both included: A..B, A.., ..B, N", NULL,
     offsetof(struct entity_options, ticks)},
    JSON_OUT_ROW(struct entity_options),
    {0},
};

const struct command cmd_entity = {
    .name = "entity",
    .operands = "TRACE UID | UID EXPECTED ACTUAL",
    .about = "follow an entity of a CDT trace through its ticks, or compare it in two",
    .text =
        "Prints every sample with this uid: the first in full, then only the fields that\n"
        "changed. With two traces, prints the fields that differ, side by side, and exits 1 if\n"
        "any does. A uid is the number of a slot in a pool, so a creature and a bonus may have\n"
        "the same one: --pool selects. Text shows the first samples, --json all of them. Write\n"
        "a negative uid after --.\n",
    .examples = "rastrum entity run.cdt 3\n"
                "rastrum entity --pool creature --ticks 100..200 --json run.cdt 3\n"
                "rastrum entity 3 golden.cdt candidate.cdt\n",
    .exits = "0 found, and equal in two traces; 1 not found, or different; 2 error; 3 a\n"
             "trace is cut or damaged",
    .rows = entity_rows,
    .size = sizeof(struct entity_options),
    .format = "cdt",
    .reads = true,
    .run = entity_run,
};

struct query_options {
    struct common common;
    struct number limit;
    bool paths;
    const char *json_out;
};

enum { QUERY_LINES_MOST = 32 };

static bool is_none(const struct ras_value *v)
{
    return member_of(v, "match_count")->u == 0;
}

/* A tick has hundreds of fields: only those of the condition are shown. */
static void put_operands(struct answer *a, const struct ras_value *operands,
                         const struct ras_value *values)
{
    const struct ras_value *v = values + 1;
    for (size_t i = 1; i <= operands->count; i++) {
        answer_format(a, i == 1 ? "" : " ");
        put_value(a, &operands[i]);
        answer_format(a, "=");
        put_short(a, v);
        v = ras_value_next(v);
    }
}

static void query_put_text(struct answer *a, const struct inspection *l, const struct ras_value *v)
{
    const struct ras_value *rows = member_of(v, "rows"), *end = ras_value_next(rows);
    const struct ras_value *values = member_of(v, "values") + 1;
    const bool ticks = member_of(v, "scope")->count == strlen("ticks");
    const uint64_t count = member_of(v, "match_count")->u;
    uint64_t shown = 0;
    answer_format(a, "%s %s\n", ras_counted(count, ticks ? "tick" : "entity sample").text,
                  count == 1 ? "matches" : "match");
    for (const struct ras_value *r = rows + 1; r < end && shown < l->rows; r = ras_value_next(r)) {
        answer_format(a, "  tick ");
        put_value(a, member_of(r, "tick_index"));
        answer_format(a, ": ");
        if (ticks)
            put_operands(a, member_of(v, "operands"), values);
        else
            put_flat(a, r, NULL, "tick_index");
        answer_format(a, "\n");
        values = ras_value_next(values);
        shown++;
    }
    if (shown < count && l->rows)
        answer_format(a, "  and %" PRIu64 " more: --all shows them\n", count - shown);
}

static int query_run(void *options)
{
    const struct query_options *o = options;
    const struct list *operands = &o->common.operands;
    const struct inspection how = {.common = &o->common,
                                   .verb = "query",
                                   .json_out = o->json_out,
                                   .is_no = is_none,
                                   .rows = o->limit.given ? o->limit.value : QUERY_LINES_MOST,
                                   .operands = 1,
                                   .more = 1,
                                   .usage = "a trace and an expression",
                                   .hint = "cat --where takes several",
                                   .instead = "rastrum cat --where CONDITION",
                                   .put_text = query_put_text};
    static const enum ras_paths kinds[] = {RAS_PATHS_TICKS, RAS_PATHS_ENTITIES};
    if (o->paths)
        return list_paths(&o->common, kinds, 2);
    return inspect_traces(
        &how, &(struct ras_inspect_options){.name = "query",
                                            .text = operands->count == 2 ? operands->items[1] : "",
                                            .limit = o->limit.value,
                                            .no_rows = o->limit.given && !o->limit.value});
}

static const struct option_row query_rows[] = {
    {"limit", 'n', OPTION_NUMBER, "N", "show N rows (text: 32, JSON: 256); all are counted", NULL,
     offsetof(struct query_options, limit)},
    {"all", 0, OPTION_ALL, NULL, "show all rows", NULL, offsetof(struct query_options, limit)},
    {"paths", 0, OPTION_FLAG, NULL, "list the fields of ticks and of entities, and exit", NULL,
     offsetof(struct query_options, paths)},
    JSON_OUT_ROW(struct query_options),
    {0},
};

const struct command cmd_query = {
    .name = "query",
    .operands = "TRACE EXPRESSION",
    .about = "find ticks or entities of a CDT trace by a condition",
    .text =
        "The expression is `ticks where L OP R` or `entities where L OP R`, with one of\n"
        "== != >= <= > <. An operand is a field (checkpoint.kills, pos.x), prev(field), true,\n"
        "false, none, or a Python literal; text needs quotes. Only one condition is possible:\n"
        "cat --where takes several. A missing field is None, which is compared with a number as\n"
        "text. All matches are counted; the first 32 are shown unless --limit or --all is given.\n",
    .examples = "rastrum query run.cdt 'ticks where checkpoint.kills > prev(checkpoint.kills)'\n"
                "rastrum query --json run.cdt \"entities where pool_kind == 'bonus'\"\n",
    .exits = "0 a row matches; 1 no row matches; 2 error; 3 the trace is cut or damaged",
    .rows = query_rows,
    .size = sizeof(struct query_options),
    .format = "cdt",
    .reads = true,
    .run = query_run,
};

struct health_options {
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

static void health_put_text(struct answer *a, const struct inspection *l, const struct ras_value *v)
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
    const struct health_options *o = options;
    const struct inspection how = {.common = &o->common,
                                   .verb = "health",
                                   .json_out = o->json_out,
                                   .is_no = health_is_unfit,
                                   .operands = 1,
                                   .usage = "one trace",
                                   .instead = "rastrum verify",
                                   .put_text = health_put_text};
    return inspect_traces(&how, &(struct ras_inspect_options){.name = "health",
                                                              .has_first = o->tick_start.given,
                                                              .first = o->tick_start.value,
                                                              .has_last = o->tick_end.given,
                                                              .last = o->tick_end.value});
}

static const struct option_row health_rows[] = {
    {"tick-start", 0, OPTION_INTEGER, "N", "count from this tick on", NULL,
     offsetof(struct health_options, tick_start)},
    {"tick-end", 0, OPTION_INTEGER, "N", "count up to this tick, included", NULL,
     offsetof(struct health_options, tick_end)},
    JSON_OUT_ROW(struct health_options),
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
    .rows = health_rows,
    .size = sizeof(struct health_options),
    .format = "cdt",
    .reads = true,
    .run = health_run,
};
