/* rewrite_property.c - a slice holds the requested records, is complete, and is as small as
 * possible.
 *
 * For every golden: a slice of everything has the records of the whole; a slice of a range has the
 * records that a cursor with that range delivers; the result ends complete and breaks no rule that
 * the golden keeps; the same slice of a slice is identical. Offsets and numbers by which records
 * refer to each other may differ. */
#include "held.h"
#include "properties.h"
#include "trial.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A record is found or refers to another by these; a slice renumbers them. */
static bool is_link(const char *field)
{
    static const char *const links[] = {
        "start_offset", "present_offset", "end_offset",         "detail_seq",
        "index_seq",    "blob_id",        "cmd_stream_blob_id", NULL};
    size_t i = 0;
    while (links[i] && strcmp(links[i], field))
        i++;
    size_t len = strlen(field);
    return links[i] || (len > 8 && !strcmp(field + len - 8, "_blob_id"));
}

static bool alike(const struct walk *a, const struct seen *x, const struct walk *b,
                  const struct seen *y, const struct ras_schema *schema)
{
    if (x->type != y->type || x->r.tick != y->r.tick || x->r.time_ns != y->r.time_ns ||
        x->cells_count != y->cells_count)
        return false;
    for (size_t n = 0; n < x->cells_count; n++) {
        const struct field_digest *u = &a->cells[x->cells_at + n], *v = &b->cells[y->cells_at + n];
        if (u->digest != v->digest && !is_link(schema->fields[u->field].name))
            return false;
    }
    return true;
}

/* Damage inside a record is copied with it. */
static size_t behind_gaps(const struct walk *w, size_t i)
{
    while (i < w->count && w->seen[i].r.schema == RAS_SCHEMA_GAP)
        i++;
    return i;
}

static size_t count_gaps(const struct walk *w)
{
    size_t n = 0;
    for (size_t i = 0; i < w->count; i++)
        n += w->seen[i].r.schema == RAS_SCHEMA_GAP;
    return n;
}

static void compare(const struct walk *want, const struct ras_trace *from, const struct walk *got)
{
    size_t k = 0;
    for (size_t i = 0; i < want->count; i++) {
        const struct seen *s = &want->seen[i];
        if (s->r.schema == RAS_SCHEMA_GAP)
            continue;
        k = behind_gaps(got, k);
        if (k == got->count) {
            complain("%s is missing", describe(want, i));
            return;
        }
        if (!alike(want, s, got, &got->seen[k], ras_schema_at(from, s->r.schema))) {
            complain("%s became %s", describe(want, i), describe(got, k));
            return;
        }
        k++;
    }
    k = behind_gaps(got, k);
    if (k < got->count)
        complain("%zu records more, the first is %s", got->count - k, describe(got, k));
}

static void check_rules(struct ras_trace *t, const struct ras_report *golden)
{
    struct ras_report *report;
    struct ras_error err;
    const struct ras_verify_options strict = {.strict = true, .deep = true};
    if (ras_verify(&report, t, &strict, &err) < 0) {
        complain("cannot be verified: %s", err.text);
        return;
    }
    for (size_t i = 0; i < report->finding_count; i++) {
        const struct ras_finding *f = &report->findings[i];
        if (f->severity == RAS_ERROR && !is_broken(golden, f->rule))
            complain("breaks %s at %" PRIu64 ": %s", f->rule->id, f->offset, f->text);
    }
    ras_report_free(report);
}

static uint64_t kept_of(const struct ras_rewritten *r, const char *name)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < r->kept_count; i++)
        sum += strcmp(r->kept[i].name, name) ? 0 : r->kept[i].records;
    for (size_t i = 0; i < r->companion_count; i++)
        sum += strcmp(r->companions[i].name, name) ? 0 : r->companions[i].records;
    return sum;
}

/* The reported numbers of kept records are right; gaps are reported by readers. */
static void check_kept(struct ras_trace *t, const struct ras_rewritten *r)
{
    struct ras_info *info;
    uint64_t there = 0, kept = 0;
    if (ras_info(&info, t, NULL, NULL, NULL) < 0)
        return;
    for (size_t i = 0; i < info->type_count; i++) {
        const struct ras_count *type = &info->types[i];
        if (!strcmp(type->name, "gap"))
            continue;
        if (kept_of(r, type->name) != type->records)
            complain("%" PRIu64 " %s are reported to be kept, %" PRIu64 " are there",
                     kept_of(r, type->name), type->name, type->records);
        there += type->records;
    }
    for (size_t i = 0; i < r->kept_count; i++)
        kept += strcmp(r->kept[i].name, "gap") ? r->kept[i].records : 0;
    for (size_t i = 0; i < r->companion_count; i++)
        kept += r->companions[i].records;
    if (kept != there)
        complain("%" PRIu64 " records are reported to be kept, %" PRIu64 " are there", kept, there);
    ras_info_free(info);
}

static int slice(struct ras_trace *t, const struct ras_scan *scan, bool bare, struct held *h,
                 struct ras_rewritten **reported, struct ras_error *err)
{
    int status = ras_rewrite_is_folder(t) ? ras_folder_memory(&h->folder, err)
                                          : ras_sink_memory(&h->sink, err);
    if (status < 0)
        return status;
    const struct ras_rewrite_options how = {.axis = scan->axis,
                                            .from = scan->from,
                                            .to = scan->to,
                                            .bare = bare,
                                            .sink = h->sink,
                                            .folder = h->folder};
    return ras_rewrite(reported, &t, 1, &how, err);
}

static void slice_again(struct ras_trace *t, const struct ras_scan *scan, bool bare,
                        const struct held *first)
{
    struct held h = {0};
    struct ras_rewritten *reported = NULL;
    struct ras_error err;
    /* Sequence numbers start again in a slice. */
    const struct ras_scan again = scan->axis == RAS_AXIS_SEQ ? (struct ras_scan){0} : *scan;
    if (slice(t, &again, bare, &h, &reported, &err) < 0)
        complain("cannot be sliced again: %s", err.text);
    else if (!held_same(first, &h))
        complain("sliced again it differs");
    ras_rewritten_free(reported);
    held_drop(&h);
}

/* Bare, a slice has the records in range and no others; else what it needs, too. */
static void try_slice(struct ras_trace *t, const struct ras_scan *scan, bool bare,
                      const struct ras_report *golden)
{
    struct held h = {0};
    struct walk want = {0}, got = {0};
    struct ras_trace *part = NULL;
    struct ras_rewritten *reported = NULL;
    struct ras_error err;
    walk_all(&want, t, scan);
    int status = slice(t, scan, bare, &h, &reported, &err);
    if (status < 0) {
        complain("cannot be sliced: %s", err.text);
    } else if (status == RAS_END) { /* CDT: a trace has at least one tick */
        compare(&want, t, &got);
    } else if (held_open(&h, &part, ras_format_of(t)->name, &err) < 0) {
        complain("the slice does not open: %s", err.text);
    } else {
        walk_all(&got, part, NULL);
        if (bare || !reported->companion_count)
            compare(&want, t, &got);
        if (count_gaps(&got) > count_gaps(&want))
            complain("the slice has more gaps");
        if (got.ending.kind != RAS_COMPLETE && !count_gaps(&got))
            complain("the slice is %s: %s", ras_ending_name(got.ending.kind), got.ending.why);
        check_rules(part, golden);
        check_kept(part, reported);
        slice_again(part, scan, bare, &h);
    }
    ras_close(part);
    ras_rewritten_free(reported);
    walk_free(&got);
    walk_free(&want);
    held_drop(&h);
}

/* Ranges between the places of some records of the whole. */
static void try_ranges(const struct golden *g, struct ras_trace *t, const struct walk *whole,
                       enum ras_axis axis, const struct ras_report *golden, enum effort effort)
{
    size_t few = effort == REDUCED ? 2 : effort == NORMAL ? 8 : 40;
    size_t step = whole->count / few + 1;
    const unsigned flag = axis == RAS_AXIS_TICK ? RAS_HAS_TICK : RAS_HAS_TIME;
    for (size_t i = 0; i < whole->count; i += step)
        for (size_t k = i; k < whole->count; k += step) {
            const struct ras_record *a = &whole->seen[i].r, *b = &whole->seen[k].r;
            struct ras_scan scan = {.axis = axis, .from = a->seq, .to = b->seq};
            if (axis != RAS_AXIS_SEQ && !(a->flags & b->flags & flag))
                continue;
            if (axis == RAS_AXIS_TICK)
                scan.from = a->tick, scan.to = b->tick;
            else if (axis == RAS_AXIS_TIME)
                scan.from = a->time_ns, scan.to = b->time_ns;
            if (scan.from > scan.to)
                continue;
            trial(g->bytes, g->size, "%s sliced from %" PRIu64 " to %" PRIu64 " on axis %d",
                  g->name, scan.from, scan.to, axis);
            try_slice(t, &scan, true, golden);
            if ((i + k) % (2 * step) == 0)
                try_slice(t, &scan, false, golden);
        }
}

static void hold(const struct golden *g, enum effort effort)
{
    struct ras_trace *t;
    struct ras_error err;
    struct ras_report *report;
    struct walk whole = {0};
    const struct ras_verify_options strict = {.strict = true, .deep = true};
    trial(g->bytes, g->size, "%s sliced whole", g->name);
    if (golden_open(g, &t, &err) < 0)
        return;
    const struct ras_format_about *about = ras_format_of(t);
    if (ras_rewrite_targets(about) && ras_verify(&report, t, &strict, &err) == RAS_OK) {
        try_slice(t, &(struct ras_scan){0}, true, report);
        walk_all(&whole, t, NULL);
        try_ranges(g, t, &whole, about->axis, report, effort);
        ras_report_free(report);
    }
    walk_free(&whole);
    ras_close(t);
}

void rewrite_property(const struct goldens *g, enum effort effort)
{
    for (size_t i = 0; i < g->count; i++)
        if (!g->at[i].big)
            hold(&g->at[i], effort);
}
