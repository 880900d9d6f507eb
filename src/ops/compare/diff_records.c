/* diff_records.c - first divergence of two traces, record by record, for any format. */
#include "base/error.h"
#include "core/format.h"
#include "core/walk.h"
#include "ops/compare/diff.h"

enum { PROGRESS_EVERY = 65536 };

struct records {
    struct ras_cursor *cursors[2];
    const struct ras_record *at[2]; /* NULL: this side has ended */
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
static size_t compare_values(struct compare *c, const struct records *r)
{
    struct document sides[2] = {0};
    for (int i = 0; i < 2; i++)
        put_values(&sides[i], r->cursors[i]);
    size_t rows = 0;
    if (sides[0].nomem || sides[1].nomem)
        c->doc.nomem = true;
    else
        rows = fields_compare(&c->doc, c->asked, NULL, "", sides[0].cells, sides[1].cells,
                              FIELDS_NAN_SAME);
    document_free(&sides[0]);
    document_free(&sides[1]);
    return rows;
}

static void put_type(struct document *d, const char *key, const struct ras_cursor *c)
{
    document_key(d, key);
    document_key(d, ras_schema_of(c)->name);
}

/* Whether the two records differ: a divergence with its detail then. */
static bool compare_records(struct compare *c, const struct records *r, uint64_t seq)
{
    struct document *d = &c->doc;
    const char *names[2] = {ras_schema_of(r->cursors[0])->name, ras_schema_of(r->cursors[1])->name};
    size_t detail = document_open(d, RAS_MAP);
    bool types = strcmp(names[0], names[1]) != 0;
    if (types) {
        put_type(d, "expected_type", r->cursors[0]);
        put_type(d, "actual_type", r->cursors[1]);
    } else {
        put_type(d, "type", r->cursors[0]);
        document_key(d, "mismatches");
        size_t list = document_open(d, RAS_LIST);
        size_t rows = compare_values(c, r);
        document_close(d, list);
        if (!rows) {
            document_cut(d, detail);
            return false;
        }
    }
    document_close(d, detail);
    (void)compare_diverged(c, types ? "type_mismatch" : "record_mismatch", value_of_uint(seq),
                           detail);
    return true;
}

static int step(struct compare *c, struct records *r, struct ras_error *err)
{
    for (int i = 0; i < 2; i++) {
        int status = walk_next(c->side[i], r->cursors[i], &r->at[i], err);
        if (status < 0)
            return status;
        if (status == RAS_END)
            r->at[i] = NULL;
    }
    return RAS_OK;
}

/* A side that was cut says nothing of what would have followed. */
static bool lost(const struct compare *c, const struct records *r)
{
    int side = r->at[0] ? 1 : 0;
    return ras_ending(c->side[side]).kind >= RAS_CUT;
}

static int walk(struct compare *c, struct records *r, struct ras_error *err)
{
    int status;
    for (uint64_t seq = 0; (status = step(c, r, err)) == RAS_OK; seq++) {
        if (!r->at[0] && !r->at[1])
            return RAS_OK;
        if (!r->at[0] || !r->at[1]) {
            if (!lost(c, r)) {
                c->out->checked++;
                (void)compare_diverged(c, "missing_record", value_of_uint(seq), COMPARE_NO_DETAIL);
            }
            return RAS_OK;
        }
        c->out->checked++;
        if (c->asked->progress && seq % PROGRESS_EVERY == 0) {
            uint64_t total, done = ras_passed(r->cursors[0], &total);
            c->asked->progress(c->asked->user, done, total);
        }
        if (compare_records(c, r, seq) && !c->asked->keep_going)
            return RAS_OK;
        if (c->doc.nomem)
            return fail_memory(err);
    }
    return status;
}

static int run_records(struct compare *c, struct ras_error *err)
{
    struct records *r = c->priv;
    const struct ras_scan all = {0};
    int status = ras_cursor_open(&r->cursors[0], c->side[0], &all, err);
    if (status == RAS_OK)
        status = ras_cursor_open(&r->cursors[1], c->side[1], &all, err);
    if (status == RAS_OK)
        status = walk(c, r, err);
    for (int i = 0; i < 2 && status == RAS_OK; i++)
        status = compare_ending(c, i, r->cursors[i], err);
    return status;
}

static void stop_records(struct compare *c)
{
    struct records *r = c->priv;
    ras_cursor_close(r->cursors[0]);
    ras_cursor_close(r->cursors[1]);
}

const struct compare_ops diff_records = {
    .key = "seq",
    .word = "record",
    .takes = COMPARE_PATHS,
    .size = sizeof(struct records),
    .run = run_records,
    .stop = stop_records,
};
