/* find.c - the route find: items whose name has a text, else records with it in a value.
 *
 * A text matches a name or a string that contains it, whatever the case of its ASCII letters, and a
 * number that is written like it; /.../ is a regular expression. Names are tested once each. */
#include "base/memory.h"
#include "codec/regex.h"
#include "view/side_tracks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HITS_MOST = 1000, FIND_EVERY = 1024, FIND_TEXT_MOST = 4096 };

enum name_state { NAME_UNTESTED, NAME_MATCHES, NAME_DOES_NOT };

/* A record that has it in a value. */
struct find_record {
    unsigned src;
    uint64_t seq, time; /* RAS_NONE: no time */
    uint32_t schema;
    int field; /* top-level */
};

struct find {
    struct request *r;
    unsigned side;
    struct tracks *tracks;
    uint8_t *text; /* in lower case */
    size_t len;
    struct regex *regex; /* instead of it */
    uint8_t *names;      /* enum name_state by id */
    size_t name_room;
    struct out number; /* the one that is tested */
    struct track_item items[HITS_MOST];
    struct find_record records[HITS_MOST];
    uint64_t count, seen;
    bool nomem, cancelled;
};

/* ---- what matches -------------------------------------------------------------------------- */

static uint8_t fold(uint8_t c)
{
    return c >= 'A' && c <= 'Z' ? (uint8_t)(c - 'A' + 'a') : c;
}

static int find_parse(struct find *f)
{
    struct request *r = f->r;
    const uint8_t *text = r->body.at;
    size_t len = r->body.len, at;
    const char *why;
    if (!len || len > FIND_TEXT_MOST)
        return fail(&r->err, RAS_EUSAGE, RAS_NONE, "a text has 1 to %d bytes, not %zu",
                    (int)FIND_TEXT_MOST, len);
    if (len > 2 && text[0] == '/' && text[len - 1] == '/') {
        f->regex = regex_parse(text + 1, len - 2, &why, &at);
        return f->regex ? RAS_OK
                        : fail(&r->err, RAS_EUSAGE, RAS_NONE, "regular expression: %s", why);
    }
    f->text = malloc(len);
    f->len = len;
    if (!f->text)
        return fail_memory(&r->err);
    for (size_t i = 0; i < len; i++)
        f->text[i] = fold(text[i]);
    return RAS_OK;
}

static bool find_in_text(const struct find *f, const void *bytes, size_t len)
{
    const uint8_t *at = bytes;
    if (f->regex)
        return regex_search(f->regex, bytes, len);
    for (size_t i = 0; i + f->len <= len; i++) {
        size_t k = 0;
        while (k < f->len && fold(at[i + k]) == f->text[k])
            k++;
        if (k == f->len)
            return true;
    }
    return false;
}

static bool find_number(struct find *f, const struct ras_value *cell, unsigned flags)
{
    if (cell->kind == RAS_NULL || cell->kind == RAS_LIST || cell->kind == RAS_MAP ||
        cell->kind == RAS_BLOB)
        return false;
    f->number.len = 0;
    json_put_value(&f->number, cell, flags, false);
    const uint8_t *text = f->number.at;
    if (f->number.failed)
        return false;
    size_t from = text[0] == '"', len = f->number.len - 2 * from;
    if (f->regex)
        return regex_search(f->regex, text + from, len);
    return len == f->len && !memcmp(text + from, f->text, len);
}

/* ---- names --------------------------------------------------------------------------------- */

static bool find_name_matches(struct find *f, uint32_t id)
{
    if (id >= f->name_room) {
        size_t had = f->name_room;
        if (!array_grow(&f->names, &f->name_room, (size_t)id + 1, sizeof *f->names)) {
            f->nomem = true;
            return false;
        }
        memset(f->names + had, NAME_UNTESTED, f->name_room - had);
    }
    if (f->names[id] == NAME_UNTESTED) {
        size_t len;
        const char *name = tracks_name(f->tracks, id, &len);
        f->names[id] = name && find_in_text(f, name, len) ? NAME_MATCHES : NAME_DOES_NOT;
    }
    return f->names[id] == NAME_MATCHES;
}

static bool find_item(void *user, const struct track_item *item)
{
    struct find *f = user;
    if (++f->seen % FIND_EVERY == 0 && !request_goes_on(f->r, 0, 0)) {
        f->cancelled = true;
        return false;
    }
    if (tracks_at(f->tracks, item->track)->kind != TRACK_COUNTER &&
        find_name_matches(f, item->name)) {
        if (f->count < HITS_MOST)
            f->items[f->count] = *item;
        f->count++;
    }
    return !f->nomem;
}

/* Whether any name has it, before all items are read. */
static bool find_has_name(struct find *f)
{
    for (size_t i = 0; i < tracks_name_count(f->tracks); i++)
        if (find_name_matches(f, (uint32_t)i) || f->nomem)
            return true;
    return false;
}

static int find_items(struct find *f)
{
    int status = tracks_each(f->tracks, TRACK_NONE, 0, RAS_NONE, find_item, f, &f->r->err);
    if (f->cancelled)
        return fail_canceled(&f->r->err);
    return f->nomem ? fail_memory(&f->r->err) : status < 0 ? status : RAS_OK;
}

/* ---- values -------------------------------------------------------------------------------- */

/* The field that has it; -1: none. */
static int find_field(struct find *f, const struct ras_cursor *c)
{
    size_t count;
    const struct ras_value *value = ras_values(c, &count), *end = value + count;
    const struct ras_schema *schema = ras_schema_of(c);
    while (value < end) {
        const struct ras_value *next = ras_value_next(value);
        int field = value->field;
        for (; value < next; value++)
            if (value->kind == RAS_STR ? find_in_text(f, value->at, value->count)
                                       : find_number(f, value, schema->fields[field].flags))
                return field;
    }
    return -1;
}

static int find_in_source(struct find *f, unsigned src)
{
    struct request *r = f->r;
    struct ras_trace *trace = r->shown->sources[src].trace;
    struct ras_cursor *c;
    const struct ras_record *record;
    int status = ras_cursor_open(&c, trace, &(struct ras_scan){0}, &r->err);
    if (status < 0)
        return status;
    while ((status = ras_next(c, &record, &r->err)) == RAS_OK) {
        uint64_t total, done = 0;
        if (++f->seen % FIND_EVERY == 0) {
            done = ras_cursor_progress(c, &total);
            if (!request_goes_on(r, total + done, 2 * total)) {
                status = fail_canceled(&r->err);
                break;
            }
        }
        int field = find_field(f, c);
        if (field < 0)
            continue;
        if (f->count < HITS_MOST)
            f->records[f->count] =
                (struct find_record){src, record->seq, tracks_time_of(f->tracks, trace, c, record),
                                     record->schema, field};
        f->count++;
    }
    ras_cursor_close(c);
    return status == RAS_EMEMORY || status == RAS_ECANCELED ? status : RAS_OK;
}

static int find_records(struct find *f)
{
    const struct side *s = &f->r->shown->sides[f->side];
    int status = RAS_OK;
    for (unsigned i = s->first; i < s->first + s->count && status >= 0; i++)
        if (f->r->shown->sources[i].trace)
            status = find_in_source(f, i);
    return status;
}

/* ---- the answer ---------------------------------------------------------------------------- */

/* The item that a record shows. */
struct find_place {
    const struct find *f;
    const struct find_record *record;
    struct track_item item;
    bool found;
};

static bool find_same(void *user, const struct track_item *item)
{
    struct find_place *p = user;
    const struct find *f = p->f;
    const struct shown_source *source =
        track_source(f->r->shown, f->side, tracks_at(f->tracks, item->track));
    p->found = source == &f->r->shown->sources[p->record->src] && item->seq == p->record->seq;
    if (p->found)
        p->item = *item;
    return !p->found;
}

static void put_found_record(struct json *j, struct find *f, const struct find_record *record)
{
    const struct ras_trace *trace = f->r->shown->sources[record->src].trace;
    const struct ras_schema *schema = ras_schema_at(trace, record->schema);
    struct find_place place = {.f = f, .record = record};
    char text[160];
    struct ras_error ignored;
    if (record->time < RAS_NONE - 1)
        (void)!tracks_each(f->tracks, TRACK_NONE, record->time, record->time + 1, find_same, &place,
                           &ignored);
    json_object(j, NULL);
    json_uint(j, "src", record->src);
    json_u64_text(j, "seq", record->seq);
    json_uint_or_null(j, "track", place.found ? track_number(f->side, place.item.track) : RAS_NONE);
    json_uint_or_null(j, "row", place.found ? place.item.row : RAS_NONE);
    json_u64_text(j, "time", place.found ? place.item.begin : record->time);
    json_u64_text(j, "end", place.found ? place.item.end : RAS_NONE);
    json_text(j, "name", place.found ? item_name(f->tracks, &place.item) : schema->name);
    snprintf(text, sizeof text, "%s: %s", schema->name, schema->fields[record->field].name);
    json_text(j, "text", text);
    json_close(j);
}

static int find_put(struct find *f, bool by_name)
{
    struct request *r = f->r;
    size_t listed = f->count < HITS_MOST ? (size_t)f->count : HITS_MOST;
    struct json j = request_json(r);
    json_uint(&j, "count", f->count);
    json_array(&j, "hits");
    for (size_t i = 0; i < listed; i++) {
        if (!by_name) {
            if (!request_goes_on(r, 0, 0))
                return fail_canceled(&r->err);
            put_found_record(&j, f, &f->records[i]);
            continue;
        }
        json_object(&j, NULL);
        json_item(&j, r->shown, f->side, f->tracks, &f->items[i]);
        json_close(&j);
    }
    json_close(&j);
    return request_end(r, &j);
}

static int find_run(struct find *f)
{
    int status = find_parse(f);
    if (status >= 0)
        status = request_tracks(f->r, f->side, &f->tracks);
    if (status < 0)
        return status;
    bool by_name = find_has_name(f);
    status = by_name ? find_items(f) : find_records(f);
    return status < 0 ? status : find_put(f, by_name);
}

static int answer_find(struct request *r)
{
    struct find *f = calloc(1, sizeof *f);
    if (!f)
        return fail_memory(&r->err);
    f->r = r;
    f->side = (unsigned)r->args[0].value;
    int status = find_run(f);
    regex_free(f->regex);
    free(f->text);
    free(f->names);
    out_free(&f->number);
    free(f);
    return status;
}

const struct route find_routes[] = {
    {.path = "find",
     .post = true,
     .job = true,
     .is_long = true,
     .args = {{"side", ARG_SIDE}},
     .answer = answer_find},
    {0},
};
