/* diff.c - two traces of one format: checks of options, the comparison record by record for formats
 * without one of their own, and the public entry. */
#include "ops/compare/diff.h"
#include "base/error.h"
#include "base/struct_size.h"
#include "core/document.h"
#include "core/registry.h"
#include "ops/compare/place_walk.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The fields of every type that the trace has defined so far, by name and below the name of their
 * type. */
static void add_schemas(struct ras_trace *t, struct known_paths *k)
{
    for (size_t i = 0; i < ras_schema_count(t); i++) {
        const struct ras_schema *schema = ras_schema_at(t, i);
        if (schema->flags & RAS_ON_REQUEST)
            continue; /* not compared */
        for (size_t f = 0; f < schema->field_count; f++) {
            paths_add(k, "%s...", schema->fields[f].name);
            paths_add(k, "%s.%s...", schema->name, schema->fields[f].name);
        }
    }
}

static int learn(struct ras_trace *t, enum ras_paths of, struct known_paths *k,
                 struct ras_error *err)
{
    const struct compare_ops *ops = t->format->compare ? t->format->compare : &diff_records;
    struct ras_info *info;
    if (ops->paths) {
        ops->paths(t, of, k);
    } else if (of == RAS_PATHS_DIFF) {
        int status = ras_info(&info, t, NULL, NULL, err); /* types may be defined up to its end */
        if (status < 0)
            return status;
        ras_info_free(info);
        add_schemas(t, k);
    }
    return k->nomem ? fail_memory(err) : RAS_OK;
}

int ras_paths(struct ras_trace *t, enum ras_paths of, void (*each)(void *, const char *),
              void *user, struct ras_error *err)
{
    struct known_paths k = {0};
    int status = learn(t, of, &k, err);
    if (status == RAS_OK && !k.count)
        status =
            fail(err, RAS_EUNSUPPORTED, RAS_NONE, "a %s has no such paths", t->format->about.label);
    for (size_t i = 0; status == RAS_OK && i < k.count; i++)
        each(user, k.shown[i]);
    paths_free(&k);
    return status;
}

static int unknown(const struct known_paths *k, const char *path, struct ras_error *err)
{
    char near[150];
    return fail(err, RAS_ENAME, RAS_NONE, "no field '%.80s'%s", path,
                paths_near(k, path, near, sizeof near));
}

int check_paths(struct ras_trace *const *traces, size_t count, const struct ras_compare_options *o,
                struct ras_error *err)
{
    struct known_paths k = {0};
    int status = RAS_OK;
    if (!o->ignored_count && !o->tolerance_count)
        return RAS_OK;
    for (size_t i = 0; i < count && status == RAS_OK; i++)
        status = learn(traces[i], RAS_PATHS_DIFF, &k, err);
    for (size_t i = 0; i < o->ignored_count && status == RAS_OK; i++)
        if (!paths_know(&k, o->ignored[i]))
            status = unknown(&k, o->ignored[i], err);
    for (size_t i = 0; i < o->tolerance_count && status == RAS_OK; i++)
        if (!paths_know(&k, o->tolerances[i].path))
            status = unknown(&k, o->tolerances[i].path, err);
    paths_free(&k);
    return status;
}

struct records {
    struct compare *c;
    uint64_t seq; /* of the compared records */
    struct ras_cursor *cursors[2];
    const struct ras_record *at[2];
    unsigned how; /* enum fields_how */
    bool by_tick; /* the place of a record is its tick */
    struct compare_place places[2];
};

/* The values of the current record as a map, into the document. */
static void put_values(struct document *d, const struct ras_cursor *c)
{
    size_t count, open = document_open(d, RAS_MAP);
    const struct ras_schema *schema = ras_schema_of(c);
    const struct ras_value *v = ras_values(c, &count), *end = v + count;
    for (; v < end; v = ras_value_next(v)) {
        document_key(d, v->field < schema->field_count ? schema->fields[v->field].name : "");
        document_copy(d, v);
    }
    document_close(d, open);
}

/* Rows for the fields that differ, into the document; how many. */
static size_t compare_values(struct document *d, const struct records *r)
{
    struct document sides[2] = {0};
    for (int i = 0; i < 2; i++)
        put_values(&sides[i], r->cursors[i]);
    return fields_compare_sides(d, r->c->options, NULL, "", sides, r->how);
}

static void put_type(struct document *d, const char *key, const struct ras_cursor *c)
{
    document_key(d, key);
    document_key(d, ras_schema_of(c)->name);
}

/* Compare the two records; report a divergence with its detail, if they differ. */
static int compare_records(void *user, struct ras_error *err)
{
    struct records *r = user;
    struct compare *c = r->c;
    const struct ras_value at = value_of_uint(r->by_tick ? r->places[0].number : r->seq);
    (void)err;
    r->seq++;
    c->out->checked++;
    const char *names[2] = {ras_schema_of(r->cursors[0])->name, ras_schema_of(r->cursors[1])->name};
    size_t detail, rows = 0;
    struct document *d = compare_detail_open(c, &detail);
    size_t map = document_open(d, RAS_MAP);
    bool types = strcmp(names[0], names[1]) != 0;
    if (types) {
        put_type(d, "expected_type", r->cursors[0]);
        put_type(d, "actual_type", r->cursors[1]);
    } else {
        put_type(d, "type", r->cursors[0]);
        size_t list = document_put_open(d, "mismatches", RAS_LIST);
        rows = compare_values(d, r);
        document_close(d, list);
    }
    document_close(d, map);
    detail = compare_detail_close(c, d, detail, types || rows);
    if (!types && !rows)
        return RAS_OK;
    const char *kind = types ? "type_mismatch" : "record_mismatch";
    return compare_diverged(c, kind, at, detail) ? RAS_OK : RAS_END;
}

/* One side has ended. */
static int lone_record(void *user, int side, struct ras_error *err)
{
    struct records *r = user;
    (void)err;
    r->c->out->checked++;
    if (!r->by_tick) {
        (void)compare_diverged(r->c, "missing_record", value_of_uint(r->seq), COMPARE_NO_DETAIL);
        return RAS_END;
    }
    size_t detail;
    struct document *d = compare_detail_open(r->c, &detail);
    size_t map = document_open(d, RAS_MAP);
    document_put_name(d, "missing_in", side ? "expected" : "actual");
    document_close(d, map);
    detail = compare_detail_close(r->c, d, detail, true);
    const struct ras_value tick = value_of_uint(r->places[side].number);
    return compare_diverged(r->c, "missing_tick", tick, detail) ? RAS_OK : RAS_END;
}

static int next_record(void *user, int side, struct ras_error *err)
{
    struct records *r = user;
    int status;
    do
        status = walk_next(r->c->side[side], r->cursors[side], &r->at[side], err);
    while (status == RAS_OK && r->by_tick &&
           (!(r->at[side]->flags & RAS_HAS_TICK) ||
            !compare_in_range(r->c->options, r->at[side]->tick)));
    if (status == RAS_OK && r->by_tick)
        compare_place_next(&r->places[side], r->at[side]->tick);
    return status;
}

static bool is_cut(const void *user, int side)
{
    const struct records *r = user;
    return ras_ending(r->c->side[side]).kind >= RAS_CUT;
}

/* A record's place is its number, unless it is its tick. */
static int order_of(const void *user)
{
    const struct records *r = user;
    return r->by_tick ? compare_place_order(&r->places[0], &r->places[1]) : 0;
}

static uint64_t progress(const void *user, uint64_t *total)
{
    const struct records *r = user;
    return ras_cursor_progress(r->cursors[0], total);
}

static const struct place_walk_ops records = {
    .next = next_record,
    .is_cut = is_cut,
    .order = order_of,
    .lone = lone_record,
    .pair = compare_records,
    .progress = progress,
};

static int walk_records(struct records *r, struct compare *c, struct ras_error *err)
{
    const struct ras_scan all = {0};
    r->c = c;
    int status = ras_cursor_open(&r->cursors[0], c->side[0], &all, err);
    if (status == RAS_OK)
        status = ras_cursor_open(&r->cursors[1], c->side[1], &all, err);
    if (status == RAS_OK)
        status = place_walk_run(c, &records, r, err);
    for (int i = 0; i < 2 && status == RAS_OK; i++)
        status = compare_ending(c, i, r->cursors[i], err);
    return status;
}

static int run_records(struct compare *c, struct ras_error *err)
{
    struct records *r = c->priv;
    r->how = FIELDS_NAN_SAME;
    return walk_records(r, c, err);
}

static void stop_records(struct compare *c)
{
    struct records *r = c->priv;
    ras_cursor_close(r->cursors[0]);
    ras_cursor_close(r->cursors[1]);
}

int compare_by_tick(struct compare *c, struct ras_error *err)
{
    struct records r = {.by_tick = true, .how = FIELDS_BITS | FIELDS_F32};
    int status = walk_records(&r, c, err);
    ras_cursor_close(r.cursors[0]);
    ras_cursor_close(r.cursors[1]);
    return status;
}

static const struct ras_detail_member type_members[] = {
    {"expected_type", RAS_DETAIL_PAIR, RAS_DETAIL_TEXT, .about = "type of the first side's record"},
    {"actual_type", RAS_DETAIL_PAIR, RAS_DETAIL_TEXT, .about = "type of the second side's record"},
    {0},
};
const struct ras_detail_member detail_record[] = {
    MEMBER_VALUE("type", TEXT, "type of both records"),
    MEMBER_ROWS("mismatches", "fields that differ"),
    {0},
};
static const struct ras_detail_kind details[] = {
    {"type_mismatch", "records of different types", type_members},
    {"record_mismatch", "records of one type with different fields", detail_record},
    {"missing_record", "one side has no more records", NULL},
    {0},
};

const struct compare_ops diff_records = {
    .details = details,
    .key = "seq",
    .word = "record",
    .takes = COMPARE_PATHS,
    .size = sizeof(struct records),
    .run = run_records,
    .stop = stop_records,
};

/* The document follows the public struct in memory. */
struct held {
    struct ras_diff diff;
    struct document doc;
};

static int refuse(const struct ras_trace *t, const char *what, struct ras_error *err)
{
    return fail(err, RAS_EUNSUPPORTED, RAS_NONE, "%s traces cannot be compared %s",
                t->format->about.name, what);
}

static bool known_channel(const struct compare_ops *ops, const char *name)
{
    for (size_t i = 0; ops->channels && ops->channels[i]; i++)
        if (!strcmp(ops->channels[i], name))
            return true;
    return false;
}

static int unknown_channel(const struct compare *c, const struct compare_ops *ops, const char *name,
                           struct ras_error *err)
{
    struct ras_near near;
    char text[80], all[100] = "";
    size_t len = 0;
    ras_near_start(&near, name);
    for (size_t i = 0; ops->channels && ops->channels[i] && len < sizeof all; i++) {
        ras_near_add(&near, ops->channels[i]);
        len += (size_t)snprintf(all + len, sizeof all - len, " %s", ops->channels[i]);
    }
    return fail(err, RAS_EUNSUPPORTED, RAS_NONE, "a %s has no channel '%.40s'%s there are:%s",
                c->side[0]->format->about.label, name,
                *ras_near_text(&near, text, sizeof text) ? text : ";", all);
}

static int check_channels(const struct compare *c, const struct compare_ops *ops,
                          struct ras_error *err)
{
    for (size_t i = 0; i < c->options->channel_count; i++)
        if (!known_channel(ops, c->options->channels[i]))
            return unknown_channel(c, ops, c->options->channels[i], err);
    return RAS_OK;
}

/* An option that does not apply is refused: it would be ignored without notice. */
static int check_options(const struct compare *c, const struct compare_ops *ops,
                         struct ras_error *err)
{
    const struct ras_compare_options *o = c->options;
    const struct {
        bool given;
        unsigned takes;
        const char *what;
    } rows[] = {
        {o->has_first || o->has_last, COMPARE_RANGE, "within a range"},
        {o->channel_count, COMPARE_CHANNELS, "by channel"},
        {o->ignored_count || o->tolerance_count, COMPARE_PATHS, "with paths ignored or tolerated"},
        {o->outside, 0, "outside of ticks: that is for run directories"},
        {o->span_count || o->only_spans, COMPARE_SPANS, "within spans of records"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].given && !(ops->takes & rows[i].takes))
            return refuse(c->side[0], rows[i].what, err);
    int status = choices_check(c->side[0]->format, "diff", o->choices, o->choice_count, err);
    return status < 0 ? status : check_channels(c, ops, err);
}

static int run_driver(struct compare *c, const struct compare_ops *ops, struct ras_error *err)
{
    c->priv = calloc(1, ops->size ? ops->size : 1);
    if (!c->priv)
        return fail_memory(err);
    int status = ops->run(c, err);
    if (ops->stop)
        ops->stop(c);
    free(c->priv);
    return status;
}

/* With conditions it is they that decide, not the records: these are not compared. */
static int run(struct compare *c, const struct compare_ops *ops, struct ras_error *err)
{
    int status = check_options(c, ops, err);
    if (status < 0)
        return status;
    status = c->options->condition_count ? diff_conditions(c, err) : run_driver(c, ops, err);
    if (status == RAS_OK && ops->profiles && !c->options->no_tables && compare_chose(c, "profile"))
        status = diff_profile(c, ops->profiles, err);
    if (status == RAS_OK && c->doc.cells.nomem)
        status = fail_memory(err);
    return status;
}

/* The requested range in words: "; none from 3 on", "" for all. */
static const char *asked_range(const struct ras_compare_options *o, char *text, size_t size)
{
    *text = 0;
    if (o->spans)
        snprintf(text, size, "; none in these ticks");
    else if (o->has_first && o->has_last)
        snprintf(text, size, "; none from %" PRId64 " to %" PRId64, o->first, o->last);
    else if (o->has_first)
        snprintf(text, size, "; none from %" PRId64 " on", o->first);
    else if (o->has_last)
        snprintf(text, size, "; none up to %" PRId64, o->last);
    return text;
}

/* Two sides without a common position are not known to be equal. */
static int compared_nothing(const struct compare *c, struct ras_error *err)
{
    char range[72], sides[2][64];
    for (int i = 0; i < 2; i++) {
        int status = extent_text(c->side[i], c->out->word, sides[i], sizeof sides[i], err);
        if (status < 0)
            return status;
    }
    return fail(err, RAS_ENOTHING, RAS_NONE, "nothing was compared: expected has %s, actual %s%s",
                sides[0], sides[1], asked_range(c->options, range, sizeof range));
}

/* ---- channels without rows ------------------------------------------------------------- */

enum { TYPES_MOST = 8 };

/* The types of a channel, copied to `text`; returns their number. */
static size_t split_types(const char *types, char *text, size_t room, struct ras_pick *picks)
{
    size_t count = 0;
    snprintf(text, room, "%s", types);
    for (char *rest = text, *type; count < TYPES_MOST && (type = strsep(&rest, " "));)
        picks[count++] = (struct ras_pick){.type = type};
    return count;
}

/* Whether a side has a record of these types in the range: RAS_OK; RAS_END: none. */
static int find_record(const struct compare *c, int side, const char *types, struct ras_error *err)
{
    char text[120];
    struct ras_pick picks[TYPES_MOST];
    struct ras_scan scan = {.picks = picks, .headers_only = true};
    struct ras_cursor *cursor;
    const struct ras_record *r;
    scan.pick_count = split_types(types, text, sizeof text, picks);
    int status = ras_cursor_open(&cursor, c->side[side], &scan, err);
    while (status == RAS_OK) {
        status = ras_next(cursor, &r, err);
        bool ranged = c->options->has_first || c->options->has_last;
        if (status == RAS_OK &&
            (!ranged || (r->flags & RAS_HAS_TICK && compare_in_range(c->options, r->tick))))
            break;
    }
    ras_cursor_close(cursor);
    return status;
}

/* Channels were named, and nothing differs: at least one of them must have records on one side. */
static int check_rows(const struct compare *c, const struct compare_ops *ops, struct ras_error *err)
{
    char range[72], names[100] = "";
    size_t len = 0;
    for (size_t i = 0; ops->channels && ops->channels[i]; i++) {
        if (!compare_wants(c->options, ops->channels[i]))
            continue;
        int status = ops->channel_types[i] ? RAS_END : RAS_OK;
        for (int side = 0; side < 2 && status == RAS_END; side++)
            status = find_record(c, side, ops->channel_types[i], err);
        if (status != RAS_END)
            return status;
        if (len < sizeof names)
            len += (size_t)snprintf(names + len, sizeof names - len, "%s%s", len ? ", " : "",
                                    ops->channels[i]);
    }
    return fail(err, RAS_ENOTHING, RAS_NONE,
                "nothing was compared: neither trace has records of %s%s", names,
                asked_range(c->options, range, sizeof range));
}

/* The document is complete, its cells do not move any more: set the pointers. */
static void settle(struct compare *c)
{
    struct ras_diff *out = c->out;
    for (size_t i = 0; i < out->divergence_count; i++)
        if (c->details[i] < c->doc.cells.count)
            out->divergences[i].detail = &c->doc.cells.items[c->details[i]];
    if (c->table_at != SIZE_MAX)
        out->tables = &c->doc.cells.items[c->table_at];
    if (c->channels_at != SIZE_MAX)
        out->channels = &c->doc.cells.items[c->channels_at];
    if (c->diagnostics_at != SIZE_MAX)
        out->diagnostics = &c->doc.cells.items[c->diagnostics_at];
    if (c->conditions_at != SIZE_MAX)
        out->conditions = &c->doc.cells.items[c->conditions_at];
}

static const struct compare_ops *ops_of(const struct ras_trace *expected,
                                        const struct ras_trace *actual, struct ras_error *err)
{
    if (expected->format == actual->format)
        return expected->format->compare ? expected->format->compare : &diff_records;
    fail(err, RAS_EUSAGE, RAS_NONE, "different formats: %s and %s", expected->format->about.name,
         actual->format->about.name);
    return NULL;
}

static int run_whole(struct compare *c, struct ras_error *err)
{
    int status = source_whole(c->side[0]->source, err);
    if (status == RAS_OK)
        status = source_whole(c->side[1]->source, err);
    return status == RAS_OK ? run(c, c->ops, err) : status;
}

int diff_count(struct ras_trace *expected, struct ras_trace *actual,
               const struct ras_compare_options *options, const struct compare_tally *tally,
               struct ras_error *err)
{
    const struct compare_ops *ops = ops_of(expected, actual, err);
    if (!ops)
        return RAS_EUSAGE;
    struct ras_diff found = {.key = ops->key, .word = ops->word};
    struct compare c = {.side = {expected, actual},
                        .ops = ops,
                        .options = options,
                        .out = &found,
                        .table_at = SIZE_MAX,
                        .channels_at = SIZE_MAX,
                        .diagnostics_at = SIZE_MAX,
                        .conditions_at = SIZE_MAX,
                        .tally = tally};
    int status = run_whole(&c, err);
    if (status == RAS_OK)
        compare_counted(&c);
    document_free(&c.doc);
    document_free(&c.scratch);
    free(c.details);
    free(found.divergences);
    lines_free(found.notes, found.note_count);
    return status;
}

int ras_diff(struct ras_diff **out, struct ras_trace *expected, struct ras_trace *actual,
             const struct ras_compare_options *options, struct ras_error *err)
{
    *out = NULL;
    struct ras_compare_options own;
    options = OPTIONS(&own, options, err);
    if (!options)
        return RAS_EUSAGE;
    const struct compare_ops *ops = ops_of(expected, actual, err);
    if (!ops)
        return RAS_EUSAGE;
    trace_report_driver(expected, "diff", "compare", expected->format->compare != NULL);
    struct held *held = calloc(1, sizeof *held);
    if (!held)
        return fail_memory(err);
    held->diff.key = ops->key;
    held->diff.word = ops->word;
    held->diff.bare_nan = ops->bare_nan && options->compat;
    struct compare c = {.side = {expected, actual},
                        .ops = ops,
                        .options = options,
                        .out = &held->diff,
                        .table_at = SIZE_MAX,
                        .channels_at = SIZE_MAX,
                        .diagnostics_at = SIZE_MAX,
                        .conditions_at = SIZE_MAX};
    int status = run_whole(&c, err);
    if (status == RAS_OK && !c.options->any_paths)
        status = check_paths(c.side, 2, c.options, err);
    if (status == RAS_OK && !c.options->compat && !c.out->checked && !c.out->divergence_count &&
        !c.options->condition_count)
        status = compared_nothing(&c, err);
    if (status == RAS_OK && !c.options->compat && c.options->channel_count &&
        !c.out->divergence_count && !c.options->condition_count)
        status = check_rows(&c, ops, err);
    if (status == RAS_OK)
        settle(&c);
    held->doc = c.doc;
    document_free(&c.scratch);
    free(c.details);
    if (status < 0) {
        ras_diff_free(&held->diff);
        return status;
    }
    *out = &held->diff;
    return RAS_OK;
}

void ras_diff_free(struct ras_diff *diff)
{
    struct held *held = (struct held *)diff;
    if (!held)
        return;
    document_free(&held->doc);
    free(diff->divergences);
    lines_free(diff->notes, diff->note_count);
    free(held);
}
