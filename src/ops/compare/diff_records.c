/* diff_records.c - first divergence of two traces, record by record, for any format. */
#include "base/error.h"
#include "core/format.h"
#include "core/walk.h"
#include "ops/compare/diff.h"
#include "ops/compare/place_walk.h"

struct records {
    struct compare *c;
    uint64_t seq; /* of the records to be compared */
    struct ras_cursor *cursors[2];
    const struct ras_record *at[2];
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
    if (sides[0].cells.nomem || sides[1].cells.nomem)
        c->doc.cells.nomem = true;
    else
        rows = fields_compare(&c->doc, c->asked, NULL, "", sides[0].cells.items,
                              sides[1].cells.items, FIELDS_NAN_SAME);
    document_free(&sides[0]);
    document_free(&sides[1]);
    return rows;
}

static void put_type(struct document *d, const char *key, const struct ras_cursor *c)
{
    document_key(d, key);
    document_key(d, ras_schema_of(c)->name);
}

/* The two records: a divergence with its detail, if they differ. */
static int compare_records(void *user, struct ras_error *err)
{
    struct records *r = user;
    struct compare *c = r->c;
    struct document *d = &c->doc;
    const struct ras_value seq = value_of_uint(r->seq++);
    (void)err;
    c->out->checked++;
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
            return RAS_OK;
        }
    }
    document_close(d, detail);
    const char *kind = types ? "type_mismatch" : "record_mismatch";
    return compare_diverged(c, kind, seq, detail) ? RAS_OK : RAS_END;
}

/* One side has ended. */
static int lone_record(void *user, int side, struct ras_error *err)
{
    struct records *r = user;
    (void)side;
    (void)err;
    r->c->out->checked++;
    (void)compare_diverged(r->c, "missing_record", value_of_uint(r->seq), COMPARE_NO_DETAIL);
    return RAS_END;
}

static int next_record(void *user, int side, struct ras_error *err)
{
    struct records *r = user;
    return walk_next(r->c->side[side], r->cursors[side], &r->at[side], err);
}

static bool is_cut(const void *user, int side)
{
    const struct records *r = user;
    return ras_ending(r->c->side[side]).kind >= RAS_CUT;
}

/* A record's place is its number. */
static int order_of(const void *user)
{
    (void)user;
    return 0;
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

static int run_records(struct compare *c, struct ras_error *err)
{
    struct records *r = c->priv;
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

static void stop_records(struct compare *c)
{
    struct records *r = c->priv;
    ras_cursor_close(r->cursors[0]);
    ras_cursor_close(r->cursors[1]);
}

static const struct ras_detail_member type_members[] = {
    {"expected_type", RAS_DETAIL_PAIR, RAS_DETAIL_TEXT, .about = "type of the first side's record"},
    {"actual_type", RAS_DETAIL_PAIR, RAS_DETAIL_TEXT, .about = "type of the second side's record"},
    {0},
};
static const struct ras_detail_member record_members[] = {
    MEMBER_VALUE("type", TEXT, "type of both records"),
    MEMBER_ROWS("mismatches", "fields that differ"),
    {0},
};
static const struct ras_detail_kind details[] = {
    {"type_mismatch", "records of different types", type_members},
    {"record_mismatch", "records of one type with different fields", record_members},
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
