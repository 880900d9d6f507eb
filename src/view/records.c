/* records.c - the routes record and records: one with all that is known of it, and pages of a
 * table. */
#include "base/memory.h"
#include "base/os.h"
#include "view/links.h"
#include "view/value.h"
#include "view/viewer.h"

#include <stdlib.h>
#include <string.h>

enum {
    VALUE_MOST = 64 * 1024, /* bytes of text of a value of one record */
    CELL_MOST = 256,        /* of one in a table */
    HEX_MOST = 4096,        /* raw bytes */
    ROWS_MOST = 500,
    TYPES_MOST = 1024, /* that a page may have */
    PAGE_MS = 50,      /* of searching for records of a page */
    CLOCK_EVERY = 256, /* records between two looks at the clock */
};

/* ---- one record ---------------------------------------------------------------------------- */

static uint64_t own_tick(const struct ras_record *r)
{
    return r->flags & RAS_HAS_TICK ? r->tick : RAS_NONE;
}

static void put_head(struct json *j, const struct ras_cursor *c, const struct ras_record *r,
                     uint64_t tick)
{
    json_u64_text(j, "time", ras_has_time(c) ? r->time_ns : RAS_NONE);
    json_u64_text(j, "tick", tick);
    json_uint(j, "stream", r->stream);
}

static void put_field(struct json *j, const struct ras_field *f, const struct ras_value *value)
{
    json_object(j, NULL);
    json_key(j, "name");
    json_lead(j);
    json_put_name(j->out, f->name);
    bool whole = json_value_text(j, "value", value, f->flags, VALUE_MOST);
    const char *word =
        f->word && (value->kind == RAS_UINT || value->kind == RAS_INT) ? f->word(value->u) : NULL;
    if (word)
        json_text(j, "word", word);
    json_text(j, "unit", unit_text(f->unit));
    if (!whole)
        json_bool(j, "cut", true);
    json_close(j);
}

/* The tick of a record; of one that has none, that in which its time is. */
static uint64_t tick_of(struct request *r, const struct shown_source *s, const struct ras_cursor *c,
                        const struct ras_record *record)
{
    struct tracks *t;
    if (record->flags & RAS_HAS_TICK || request_tracks(r, s->side, &t) < 0)
        return own_tick(record);
    uint64_t time = tracks_time_of(t, s->trace, c, record);
    return time == RAS_NONE ? RAS_NONE : tracks_tick_at(t, time);
}

static void put_record(struct json *j, const struct shown_source *s, const struct ras_cursor *c,
                       const struct ras_record *r, uint64_t tick)
{
    const struct ras_schema *schema = ras_schema_of(c);
    size_t count;
    const struct ras_value *value = ras_values(c, &count), *end = value + count;
    json_key(j, "type");
    json_lead(j);
    json_put_name(j->out, schema->name);
    put_head(j, c, r, tick);
    json_text(j, "part", ras_part_name(s->trace, r->part));
    json_u64_text(j, "offset", r->offset);
    json_uint(j, "size", r->raw_len);
    json_array(j, "fields");
    for (; value < end; value = ras_value_next(value))
        put_field(j, &schema->fields[value->field], value);
    json_close(j);
    size_t shown = r->raw_len < HEX_MOST ? r->raw_len : HEX_MOST;
    json_blob(j, "hex", r->raw, shown);
    json_bool(j, "more", r->raw_len > shown);
}

/* Open a cursor on the record of that number; *c is NULL after a failure. */
static int find_record(struct request *r, const struct shown_source *s, uint64_t seq,
                       struct ras_cursor **c, const struct ras_record **record)
{
    *c = NULL;
    if (seq >= RAS_NONE - 1)
        return fail(&r->err, RAS_ENOTHING, RAS_NONE, "there is no record %" PRIu64, seq);
    const struct ras_scan scan = {.axis = RAS_AXIS_SEQ, .from = seq, .to = seq + 1};
    int status = ras_cursor_open(c, s->trace, &scan, &r->err);
    if (status >= 0)
        status = ras_next(*c, record, &r->err);
    if (status == RAS_END || status == RAS_WAIT)
        status = fail(&r->err, RAS_ENOTHING, RAS_NONE, "there is no record %" PRIu64, seq);
    if (status < 0) {
        ras_cursor_close(*c);
        *c = NULL;
    }
    return status;
}

static int answer_record(struct request *r)
{
    const struct shown_source *s = request_source(r, 0);
    uint64_t seq = r->args[1].value;
    struct ras_cursor *c;
    const struct ras_record *record;
    int status = find_record(r, s, seq, &c, &record);
    if (status < 0)
        return status;
    struct json j = request_json(r);
    json_uint(&j, "src", r->args[0].value);
    json_u64_text(&j, "seq", seq);
    put_record(&j, s, c, record, tick_of(r, s, c, record));
    json_links(&j, r, s, c, record);
    ras_cursor_close(c);
    return request_end(r, &j);
}

/* ---- pages --------------------------------------------------------------------------------- */

struct page {
    struct request *r;
    const struct shown_source *source;
    char *type, *condition; /* of the body; "": none */
    struct ras_where *where;
    struct ras_cursor *cursor;
    uint32_t types[TYPES_MOST]; /* schemas of its rows */
    size_t type_count, rows;
    uint64_t next; /* where the next page begins; RAS_NONE: nowhere */
};

/* "type\ncondition", either may be empty. */
static int page_read_body(struct page *p)
{
    struct request *r = p->r;
    const char *text = (const char *)r->body.at;
    const char *line = r->body.len ? memchr(text, '\n', r->body.len) : NULL;
    size_t len = line ? (size_t)(line - text) : r->body.len;
    size_t rest = line ? r->body.len - len - 1 : 0;
    if (r->body.len && memchr(text, 0, r->body.len))
        return fail(&r->err, RAS_EUSAGE, RAS_NONE, "the body has a NUL");
    p->type = text_copy(r->body.len ? text : "", len);
    p->condition = text_copy(line ? line + 1 : "", rest);
    return p->type && p->condition ? RAS_OK : fail_memory(&r->err);
}

static bool page_type_is_known(const struct page *p)
{
    const struct ras_trace *t = p->source->trace;
    for (size_t i = 0; i < ras_schema_count(t); i++)
        if (ras_schema_matches(ras_schema_at(t, i), p->type))
            return true;
    return ras_format_of(t)->defines_types; /* perhaps later in the trace */
}

static int page_open(struct page *p)
{
    struct request *r = p->r;
    const struct ras_pick pick = {.type = p->type};
    const struct ras_scan scan = {.picks = *p->type ? &pick : NULL,
                                  .pick_count = *p->type ? 1 : 0,
                                  .axis = RAS_AXIS_SEQ,
                                  .from = r->args[1].value,
                                  .to = RAS_NONE};
    if (*p->type && !page_type_is_known(p))
        return fail(&r->err, RAS_ENOTHING, RAS_NONE, "there is no type of that name");
    int status = RAS_OK;
    if (p->condition[strspn(p->condition, " \t\r\n")]) {
        status = ras_where_parse(&p->where, p->condition, &r->err);
        if (status >= 0)
            status = ras_where_begin(p->where, p->source->trace, &r->err);
    }
    return status < 0 ? status : ras_cursor_open(&p->cursor, p->source->trace, &scan, &r->err);
}

/* The index of the type of a row, which is listed when it comes first. TYPES_MOST: too many. */
static size_t page_type(struct page *p, uint32_t schema)
{
    size_t i = 0;
    while (i < p->type_count && p->types[i] != schema)
        i++;
    if (i == p->type_count && i < TYPES_MOST)
        p->types[p->type_count++] = schema;
    return i;
}

static void page_put_row(struct page *p, struct json *j, size_t type, const struct ras_record *r)
{
    const struct ras_schema *schema = ras_schema_of(p->cursor);
    size_t count;
    const struct ras_value *value = ras_values(p->cursor, &count), *end = value + count;
    json_object(j, NULL);
    json_u64_text(j, "seq", r->seq);
    json_uint(j, "type", type);
    put_head(j, p->cursor, r, own_tick(r));
    json_array(j, "values");
    for (; value < end; value = ras_value_next(value))
        json_value_text(j, NULL, value, schema->fields[value->field].flags, CELL_MOST);
    json_close(j);
    json_close(j);
}

/* Records until the page is full, the trace ends, or it takes too long. */
static int page_fill(struct page *p, struct json *j)
{
    const struct ras_record *record;
    uint64_t until = os_boot_ns() + (uint64_t)PAGE_MS * 1000000;
    uint64_t most = p->r->args[2].value, seen = 0;
    int status;
    p->next = p->r->args[1].value;
    while ((status = ras_next(p->cursor, &record, &p->r->err)) == RAS_OK) {
        bool matches = true;
        p->next = record->seq;
        if (p->rows == most || (++seen % CLOCK_EVERY == 0 && os_boot_ns() > until))
            return RAS_OK;
        if (p->where)
            status = ras_where_matches(p->where, p->cursor, record, &matches, &p->r->err);
        if (status < 0)
            return status;
        if (!matches)
            continue;
        size_t type = page_type(p, record->schema);
        if (type == TYPES_MOST)
            return RAS_OK;
        page_put_row(p, j, type, record);
        p->rows++;
    }
    p->next = RAS_NONE;
    return status < 0 ? status : RAS_OK;
}

static void page_put_types(const struct page *p, struct json *j)
{
    json_array(j, "types");
    for (size_t i = 0; i < p->type_count; i++) {
        const struct ras_schema *schema = ras_schema_at(p->source->trace, p->types[i]);
        json_object(j, NULL);
        json_key(j, "name");
        json_lead(j);
        json_put_name(j->out, schema->name);
        json_array(j, "fields");
        for (uint16_t k = 0; k < schema->field_count; k++) {
            json_object(j, NULL);
            json_key(j, "name");
            json_lead(j);
            json_put_name(j->out, schema->fields[k].name);
            json_text(j, "unit", unit_text(schema->fields[k].unit));
            json_close(j);
        }
        json_close(j);
        json_close(j);
    }
    json_close(j);
}

static void page_free(struct page *p)
{
    ras_cursor_close(p->cursor);
    ras_where_free(p->where);
    free(p->type);
    free(p->condition);
    free(p);
}

static int answer_records(struct request *r)
{
    struct page *p = calloc(1, sizeof *p);
    if (!p)
        return fail_memory(&r->err);
    p->r = r;
    p->source = request_source(r, 0);
    int status = page_read_body(p);
    if (status >= 0)
        status = page_open(p);
    if (status >= 0) {
        struct json j = request_json(r);
        json_uint(&j, "src", r->args[0].value);
        json_array(&j, "rows");
        status = page_fill(p, &j);
        json_close(&j);
        page_put_types(p, &j);
        json_u64_text(&j, "next", p->next);
        if (status >= 0)
            status = request_end(r, &j);
    }
    page_free(p);
    return status;
}

const struct route record_routes[] = {
    {.path = "record", .args = {{"src", ARG_SOURCE}, {"seq", ARG_NUMBER}}, .answer = answer_record},
    {.path = "records",
     .post = true,
     .args = {{"src", ARG_SOURCE},
              {"from", ARG_NUMBER, .optional = true},
              {"n", ARG_NUMBER, .optional = true, .most = ROWS_MOST, .value = ROWS_MOST}},
     .answer = answer_records},
    {0},
};
