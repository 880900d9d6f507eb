/* cdt_differ_rng.c - the draws of two ticks: how far they go together, and what comes then. */
#include "formats/cdt/cdt_compare.h"

static bool is_ignored(const struct cdt_diff *c, size_t row, const char *field)
{
    char path[64];
    if (!c->options || !c->options->ignored_count)
        return false;
    snprintf(path, sizeof path, "rng_stream[%zu].%s", row, field);
    return compare_ignores(c->options, path);
}

static bool is_near(const struct cdt_diff *c, size_t row, const char *field, int64_t a, int64_t b)
{
    char path[64];
    if (!c->options || !c->options->tolerance_count)
        return false;
    snprintf(path, sizeof path, "rng_stream[%zu].%s", row, field);
    return compare_near(c->options, path, (double)a, (double)b);
}

/* The same draw: all five fields are equal, or left out of the comparison. */
static bool rows_equal(const struct cdt_diff *c, size_t i, const struct ras_cdt_rng_stream_row *a,
                       const struct ras_cdt_rng_stream_row *b)
{
    if (cdt_equal(&cdt_rng_stream_row, a, b))
        return true;
    if (!c->options || (!c->options->ignored_count && !c->options->tolerance_count))
        return false;
    for (unsigned k = 0; k < cdt_rng_stream_row.count; k++) {
        const struct cdt_field *f = &cdt_rng_stream_row.fields[k];
        int64_t x, y;
        memcpy(&x, (const uint8_t *)a + f->offset, sizeof x);
        memcpy(&y, (const uint8_t *)b + f->offset, sizeof y);
        bool nil_x = f->need == CDT_NULLABLE && !ras_cdt_has(&a->node, k);
        bool nil_y = f->need == CDT_NULLABLE && !ras_cdt_has(&b->node, k);
        bool equal = nil_x == nil_y && x == y && !((a->node.wide ^ b->node.wide) >> k & 1);
        if (!equal && !is_ignored(c, i, f->name) &&
            (nil_x || nil_y || !is_near(c, i, f->name, x, y)))
            return false;
    }
    return true;
}

static void put_draw(struct document *d, const char *key, const struct ras_cdt_rng_stream_row *row)
{
    document_name(d, key);
    size_t map = document_open(d, RAS_MAP);
    cdt_doc_members(d, &cdt_rng_stream_row, row, false);
    document_name(d, "caller_hex");
    if (!ras_cdt_has(&row->node, RAS_CDT_RNG_CALLER))
        document_null(d);
    else if (row->caller < 0 && !(row->node.wide >> RAS_CDT_RNG_CALLER & 1))
        document_format(d, "0x-%07" PRIx64, -(uint64_t)row->caller); /* as Python pads it */
    else
        document_format(d, "0x%08" PRIx64, (uint64_t)row->caller);
    document_close(d, map);
}

static void put_member_count(struct document *d, const char *key, size_t value)
{
    document_name(d, key);
    document_uint(d, value);
}

bool cdt_differ_rng(struct cdt_diff *c, const struct ras_cdt_tick_record *a,
                    const struct ras_cdt_tick_record *b)
{
    const struct ras_cdt_rng_stream_row *x = a->channels.rng_stream.at;
    const struct ras_cdt_rng_stream_row *y = b->channels.rng_stream.at;
    size_t n = a->channels.rng_stream.count, m = b->channels.rng_stream.count, same = 0;
    struct document *d = c->doc;
    while (same < n && same < m && rows_equal(c, same, &x[same], &y[same]))
        same++;
    if ((same == n && same == m) || compare_ignores(c->options, "rng_stream"))
        return false;
    size_t map = document_open(d, RAS_MAP);
    put_member_count(d, "prefix_match_len", same);
    put_member_count(d, "expected_calls", n);
    put_member_count(d, "actual_calls", m);
    put_member_count(d, "missing_tail", n > m ? n - m : 0);
    put_member_count(d, "extra_tail", m > n ? m - n : 0);
    if (same < n)
        put_draw(d, "expected_first_mismatch", &x[same]);
    if (same < m)
        put_draw(d, "actual_first_mismatch", &y[same]);
    document_close(d, map);
    return true;
}
