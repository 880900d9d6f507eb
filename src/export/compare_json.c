/* compare_json.c - results of comparisons and inspections as JSON and as text. */
#include "base/error.h"
#include "codec/json_python.h"
#include "core/document.h"
#include "core/row.h"
#include "core/sink.h"
#include <rastrum/rundir.h>

/* For callers that compared with the default. */
static const struct ras_compare_options plain_compare;
static const struct ras_bisect_options plain_bisect;

static unsigned how_of(enum ras_json_layout layout, bool bare_nan)
{
    unsigned how = layout == RAS_LAYOUT_LINE ? JSON_SORTED : JSON_INDENTED;
    return bare_nan ? how : how | JSON_NAN_QUOTED;
}

int ras_value_json(struct ras_sink *sink, const struct ras_value *value, bool bare_nan,
                   enum ras_json_layout layout, struct ras_error *err)
{
    struct out out = {0};
    json_python(&out, value, how_of(layout, bare_nan));
    return sink_write_out(sink, &out, err);
}

int ras_value_text(struct ras_sink *sink, const struct ras_value *value, struct ras_error *err)
{
    struct out out = {0};
    python_str(&out, value);
    return sink_write_out(sink, &out, err);
}

const struct ras_value *ras_value_member(const struct ras_value *map, const char *key)
{
    return map_find(map, key);
}

/* Write the document and free it. */
static int comparison_finish(struct document *d, bool bare_nan, struct ras_sink *sink,
                             enum ras_json_layout layout, struct ras_error *err)
{
    int status = d->cells.nomem ? fail_memory(err)
                                : ras_value_json(sink, d->cells.items, bare_nan, layout, err);
    document_free(d);
    return status;
}

/* ---- diff -------------------------------------------------------------------- */

static void put_divergence(struct document *d, const struct ras_divergence *v)
{
    size_t map = document_open(d, RAS_MAP);
    document_put_text(d, "kind", v->kind);
    for (size_t i = 0; i < v->at_count; i++) {
        document_key(d, v->at[i].key);
        document_copy(d, &v->at[i].value);
    }
    document_key(d, "detail");
    document_copy(d, v->detail);
    document_close(d, map);
}

static void put_bound(struct document *d, const char *key, bool given, int64_t value)
{
    document_key(d, key);
    if (given)
        document_int(d, value);
    else
        document_null(d);
}

static void put_status(struct document *d, const struct ras_diff *diff)
{
    document_put_text(d, "status",
                      diff->violated           ? "violated"
                      : diff->divergence_count ? "diverged"
                                               : "ok");
    document_put_uint(d, "checked_count", diff->checked);
}

static void put_mismatch(struct document *d, const struct ras_diff *diff)
{
    document_key(d, "mismatch");
    if (diff->divergence_count)
        put_divergence(d, &diff->divergences[0]);
    else
        document_null(d);
}

static void put_divergences(struct document *d, const struct ras_diff *diff, size_t most)
{
    size_t list = document_put_open(d, "divergences", RAS_LIST);
    for (size_t i = 0; i < diff->divergence_count && i < most; i++)
        put_divergence(d, &diff->divergences[i]);
    document_close(d, list);
}

/* Members that the format's own tool does not write: only on request. */
static void put_extras(struct document *d, const struct ras_diff *diff, bool every)
{
    if (every)
        put_divergences(d, diff, SIZE_MAX);
    if (diff->conditions) {
        document_key(d, "conditions");
        document_copy(d, diff->conditions);
    }
    if (diff->tables) {
        document_key(d, "tables");
        document_copy(d, diff->tables);
    }
}

/* The first difference of each channel, and what is none but worth knowing. */
static void put_channels(struct document *d, const struct ras_diff *diff)
{
    if (diff->channels) {
        document_key(d, "channel_first_mismatches");
        document_copy(d, diff->channels);
    }
    if (!diff->diagnostics)
        return;
    document_key(d, "channel_first_diagnostics");
    document_copy(d, diff->diagnostics);
}

/* The members of a diff document. */
static void put_diff(struct document *d, const struct ras_diff *diff,
                     const struct ras_compare_options *o)
{
    document_put_uint(d, "schema_version", diff->own_schema_2 ? 2 : 1);
    put_status(d, diff);
    if (diff->channels)
        document_put_uint(d, "compared_count", diff->compared);
    put_bound(d, "tick_start", o->has_first, o->first);
    put_bound(d, "tick_end", o->has_last, o->last);
    put_mismatch(d, diff);
    put_channels(d, diff);
    put_extras(d, diff, o->keep_going);
}

int ras_diff_json(struct ras_sink *sink, const struct ras_diff *diff,
                  const struct ras_compare_options *o, enum ras_json_layout layout,
                  struct ras_error *err)
{
    struct document d = {0};
    size_t map = document_open(&d, RAS_MAP);
    put_diff(&d, diff, o ? o : &plain_compare);
    document_close(&d, map);
    return comparison_finish(&d, diff->bare_nan, sink, layout, err);
}

/* ---- bisect ------------------------------------------------------------------ */

static void put_difference(struct document *d, const struct ras_diff *diff,
                           const struct ras_bisect_options *o)
{
    const struct ras_divergence *v = diff->divergence_count ? &diff->divergences[0] : NULL;
    int64_t first = 0, last = 0;
    bool window = v && ras_bisect_window(v, o->before, o->after, &first, &last);
    document_put_uint(d, "schema_version", 1);
    put_status(d, diff);
    document_format(d, "first_bad_%s", diff->word);
    document_copy(d, v ? &v->at[0].value : NULL);
    put_mismatch(d, diff);
    put_bound(d, "window_start", window, first);
    put_bound(d, "window_end", window, last);
}

static void put_failure(struct document *d, const struct ras_error *why)
{
    document_put_uint(d, "schema_version", 1);
    document_put_name(d, "status", "failed");
    document_put_text(d, "error", why->text);
}

static void put_pairs(struct document *d, const struct ras_bisect *b,
                      const struct ras_bisect_options *o)
{
    size_t map = document_open(d, RAS_MAP);
    document_put_uint(d, "schema_version", 1);
    document_key(d, "nearest");
    if (b->nearest < b->pair_count)
        document_text(d, b->pairs[b->nearest].path, strlen(b->pairs[b->nearest].path));
    else
        document_null(d);
    size_t list = document_put_open(d, "candidates", RAS_LIST);
    for (size_t i = 0; i < b->pair_count; i++) {
        size_t one = document_open(d, RAS_MAP);
        document_key(d, "path");
        document_text(d, b->pairs[i].path, strlen(b->pairs[i].path));
        if (b->pairs[i].diff)
            put_difference(d, b->pairs[i].diff, o);
        else
            put_failure(d, &b->pairs[i].err);
        document_close(d, one);
    }
    document_close(d, list);
    document_close(d, map);
}

int ras_bisect_json(struct ras_sink *sink, const struct ras_bisect *b,
                    const struct ras_bisect_options *o, enum ras_json_layout layout,
                    struct ras_error *err)
{
    struct document d = {0};
    const struct ras_diff *first = b->pairs[0].diff;
    o = o ? o : &plain_bisect;
    if (b->pair_count == 1) {
        size_t map = document_open(&d, RAS_MAP);
        if (first)
            put_difference(&d, first, o);
        else
            put_failure(&d, &b->pairs[0].err);
        document_close(&d, map);
    } else {
        put_pairs(&d, b, o);
    }
    return comparison_finish(&d, first && first->bare_nan, sink, layout, err);
}

/* ---- run directories --------------------------------------------------------- */

/* Whether a trace that a run should have could not be compared. */
static bool lacks_a_trace(const struct ras_rundiff *diff)
{
    for (size_t i = 0; i < diff->pen_count; i++) {
        int status = diff->pens[i].err.status;
        if (!diff->pens[i].diff && status != RAS_EUNSUPPORTED && status != RAS_ENOTHING)
            return true;
    }
    return false;
}

const char *ras_rundiff_status(const struct ras_rundiff *diff)
{
    return diff->diverged        ? "diverged"
           : !diff->checked      ? "failed"
           : diff->unfinished    ? "incomplete"
           : lacks_a_trace(diff) ? "incomplete"
                                 : "ok";
}

static void put_tick(struct document *d, const char *key, uint64_t tick)
{
    document_key(d, key);
    if (tick == RAS_NONE)
        document_null(d);
    else
        document_uint(d, tick);
}

/* If all divergences are reported they are there already. */
static void put_in_tick(struct document *d, const struct ras_diff *diff, bool every)
{
    if (!diff || every)
        return;
    put_divergences(d, diff, RAS_RUNDIFF_IN_TICK);
    document_put_uint(d, "divergence_count", diff->divergence_count);
}

static void put_pens(struct document *d, const struct ras_rundiff *diff,
                     const struct ras_compare_options *o)
{
    size_t pens = document_put_open(d, "pens", RAS_MAP);
    for (size_t i = 0; i < diff->pen_count; i++) {
        const struct ras_rundiff_pen *pen = &diff->pens[i];
        document_key(d, pen->format);
        size_t one = document_open(d, RAS_MAP);
        if (pen->diff) {
            put_diff(d, pen->diff, o);
            put_tick(d, "tick", pen->tick);
            if (pen->about)
                document_put_bool(d, "tick_is_about", true);
            put_in_tick(d, pen->in_tick, o->keep_going);
        } else {
            put_failure(d, &pen->err);
        }
        document_close(d, one);
    }
    document_close(d, pens);
}

static void put_rundiff(struct document *d, const struct ras_rundiff *diff,
                        const struct ras_compare_options *o)
{
    document_put_uint(d, "schema_version", 1);
    document_put_text(d, "status", ras_rundiff_status(diff));
    put_tick(d, "first_divergent_tick", diff->first_tick);
    if (diff->settings) {
        document_key(d, "settings");
        document_copy(d, diff->settings);
    }
    put_pens(d, diff, o);
}

int ras_rundiff_json(struct ras_sink *sink, const struct ras_rundiff *diff,
                     const struct ras_compare_options *o, enum ras_json_layout layout,
                     struct ras_error *err)
{
    struct document d = {0};
    size_t map = document_open(&d, RAS_MAP);
    put_rundiff(&d, diff, o ? o : &plain_compare);
    document_close(&d, map);
    return comparison_finish(&d, false, sink, layout, err);
}

static void put_run_pair(struct document *d, const struct ras_rundiff *diff,
                         const struct ras_bisect_options *o)
{
    int64_t first = 0, last = 0;
    bool window = ras_runbisect_window(diff, o->before, o->after, &first, &last);
    document_put_uint(d, "schema_version", 1);
    document_put_text(d, "status", ras_rundiff_status(diff));
    document_put_uint(d, "checked_count", diff->checked);
    put_tick(d, "first_bad_tick", diff->first_tick);
    put_bound(d, "window_start", window, first);
    put_bound(d, "window_end", window, last);
    put_pens(d, diff, o->compare ? o->compare : &plain_compare);
}

int ras_runbisect_json(struct ras_sink *sink, const struct ras_runbisect *b,
                       const struct ras_bisect_options *o, enum ras_json_layout layout,
                       struct ras_error *err)
{
    struct document d = {0};
    size_t map = document_open(&d, RAS_MAP);
    o = o ? o : &plain_bisect;
    if (b->pair_count == 1) {
        put_run_pair(&d, b->pairs[0].diff, o);
        document_close(&d, map);
        return comparison_finish(&d, false, sink, layout, err);
    }
    document_put_uint(&d, "schema_version", 1);
    document_key(&d, "nearest");
    if (b->nearest < b->pair_count)
        document_key(&d, b->pairs[b->nearest].path);
    else
        document_null(&d);
    size_t list = document_put_open(&d, "candidates", RAS_LIST);
    for (size_t i = 0; i < b->pair_count; i++) {
        size_t one = document_open(&d, RAS_MAP);
        document_put_text(&d, "path", b->pairs[i].path);
        put_run_pair(&d, b->pairs[i].diff, o);
        document_close(&d, one);
    }
    document_close(&d, list);
    document_close(&d, map);
    return comparison_finish(&d, false, sink, layout, err);
}
