/* rewrite_raw.c - slice and merge by copying bytes: the header, then records unchanged.
 *
 * Drivers whose records can be copied like that use its pieces. It also serves formats without a
 * `rewrite` of their own, where that is correct: a record is understood without those before it,
 * and nothing but records follows the header. */
#include "base/error.h"
#include "core/format.h"
#include "ops/rewrite/rewriter.h"

#include <string.h>

enum { RUN_MAX = 1 << 20 }; /* bytes copied in one piece */

/* ---- for drivers ------------------------------------------------------------------------- */

/* Traces of one run have the same header; records of another run cannot follow. */
static int check_headers(const struct rewrite *rw, struct ras_error *err)
{
    const struct ras_trace *first = rw->sources[rw->order[0]];
    struct ras_bytes a = source_bytes(first->source, 0);
    for (size_t i = 1; i < rw->count; i++) {
        const struct ras_trace *t = rw->sources[rw->order[i]];
        struct ras_bytes b = source_bytes(t->source, 0);
        uint64_t at = 0;
        while (at < first->body && at < t->body && a.at[at] == b.at[at])
            at++;
        if (at < first->body || t->body != first->body)
            return fail(err, RAS_EUSAGE, at,
                        "the headers of trace %zu and trace %zu differ from byte %" PRIu64
                        " on: they are not of one run",
                        rw->order[0] + 1, rw->order[i] + 1, at);
    }
    return RAS_OK;
}

int rewrite_raw_begin(struct rewrite *rw, struct ras_error *err)
{
    int status = rw->count > 1 ? rewrite_adjoin(rw, err) : RAS_OK;
    if (status == RAS_OK)
        status = check_headers(rw, err);
    if (status < 0)
        return status;
    const struct ras_trace *first = rw->sources[rw->order[0]];
    return ras_sink_write(rw->sink, source_bytes(first->source, 0).at, (size_t)first->body, err);
}

int rewrite_raw_flush(struct rewrite *rw, struct raw_run *run, struct ras_error *err)
{
    if (run->from == run->to)
        return RAS_OK;
    const uint8_t *base = source_bytes(rw->sources[run->source]->source, 0).at;
    int status = ras_sink_write(rw->sink, base + run->from, (size_t)(run->to - run->from), err);
    run->from = run->to;
    return status;
}

int rewrite_raw_take(struct rewrite *rw, struct raw_run *run, const struct taken *t,
                     struct ras_error *err)
{
    const struct ras_record *r = t->record;
    bool next = run->source == t->source && run->to == r->offset && run->to - run->from < RUN_MAX;
    int status = next ? RAS_OK : rewrite_raw_flush(rw, run, err);
    if (!next) {
        run->source = t->source;
        run->from = r->offset;
    }
    run->to = r->offset + r->raw_len;
    return status;
}

/* ---- for formats without rewriting ------------------------------------------------------- */

struct raw_copy {
    struct raw_run run;
    bool any;    /* a top-level record was passed */
    bool wanted; /* and copied */
};

static int refuse_raw(const struct ras_trace *t, uint64_t at, const char *why,
                      struct ras_error *err)
{
    return fail(err, RAS_EUNSUPPORTED, at, "%s traces cannot be rewritten: %s",
                t->format->about.name, why);
}

/* Whether a source is its header and then only records, each with its own bytes. */
static int check_bytes(const struct rewrite *rw, const struct ras_trace *t, struct ras_cursor *c,
                       struct ras_error *err)
{
    static const char other[] =
        "these bytes are not of a record, and only its driver could copy them";
    struct ras_bytes all = source_bytes(t->source, 0);
    const struct ras_record *r;
    uint64_t next = t->body;
    int status;
    while ((status = walk_next(c->trace, c, &r, err)) == RAS_OK) {
        if (r->schema == RAS_SCHEMA_GAP) {
            next = RAS_NONE;
            continue;
        }
        if (r->parent != RAS_NONE && rw->piecemeal)
            return refuse_raw(t, r->offset, "records in others cannot be chosen by type or number",
                              err);
        if (r->parent != RAS_NONE)
            continue;
        if (r->raw != all.at + r->offset)
            return refuse_raw(t, r->offset, "records are not stored as they are read", err);
        if (next != RAS_NONE && r->offset != next)
            return refuse_raw(t, next, other, err);
        next = r->offset + r->raw_len;
    }
    if (status < 0)
        return status;
    enum ras_ending_kind kind = ras_ending(t).kind;
    bool closed = kind == RAS_UNSEALED || (kind == RAS_COMPLETE && next < all.len);
    return closed ? refuse_raw(t, next, "only its driver could write what closes a trace", err)
                  : RAS_OK;
}

static int check_raw(const struct rewrite *rw, struct ras_trace *t, struct ras_error *err)
{
    const struct ras_scan scan = {.headers_only = true};
    struct ras_cursor *c;
    if (source_is_dir(t->source))
        return refuse_raw(t, RAS_NONE, "only its driver could write a directory", err);
    if (t->format->save)
        return refuse_raw(t, RAS_NONE, "a record depends on those before it", err);
    if (strcmp(t->dialect, rw->target) != 0)
        return refuse_raw(t, RAS_NONE, "records are copied as they are, not converted", err);
    int status = ras_cursor_open(&c, t, &scan, err);
    if (status == RAS_OK)
        status = check_bytes(rw, t, c, err);
    ras_cursor_close(c);
    return status;
}

static int begin_raw(struct rewrite *rw, struct ras_error *err)
{
    int status = RAS_OK;
    for (size_t i = 0; status == RAS_OK && i < rw->count; i++)
        status = check_raw(rw, rw->sources[i], err);
    return status == RAS_OK ? rewrite_raw_begin(rw, err) : status;
}

/* Records inside another one are copied with it. */
static int take_raw(struct rewrite *rw, const struct taken *t, struct ras_error *err)
{
    struct raw_copy *k = rw->priv;
    const struct ras_record *r = t->record;
    if (r->parent != RAS_NONE) {
        bool with = k->any && k->wanted;
        return with == t->wanted ? RAS_OK
                                 : refuse_raw(rw->sources[t->source], r->offset,
                                              "a record in another cannot be copied apart", err);
    }
    k->any = true;
    k->wanted = t->wanted;
    return t->wanted ? rewrite_raw_take(rw, &k->run, t, err) : RAS_OK;
}

static int end_raw(struct rewrite *rw, struct ras_error *err)
{
    struct raw_copy *k = rw->priv;
    return rewrite_raw_flush(rw, &k->run, err);
}

const struct rewrite_ops rewrite_raw = {
    .size = sizeof(struct raw_copy),
    .begin = begin_raw,
    .take = take_raw,
    .end = end_raw,
};

const struct rewrite_ops *rewrite_ops_of(const struct ras_format *format)
{
    return format->rewrite ? format->rewrite : &rewrite_raw;
}
