/* mcp_records.c - the tool `records`: what `cat --json` prints, page by page.
 *
 * A page ends before the first record that exceeds the budget; its cursor is the mark of that
 * record, or in order of time the number of records before it. */
#include "mcp/mcp_answers.h"
#include "mcp/mcp_cursor.h"

#include <stdlib.h>
#include <string.h>

enum {
    PAGE_ROOM = 600, /* of a page, besides its records */
    NAMES_SHOWN = 20,
    GOES_ON_EVERY = 4096,
};

struct page {
    struct mcp_call *call;
    const char *path;
    struct ras_trace *trace;
    struct ras_cursor *cursor;
    struct ras_printer *export;
    struct ras_sink *sink;
    struct ras_where *where;
    struct out line;
    uint64_t count; /* records in it */
    uint64_t seen;
    bool merged, full;
    struct ras_mark mark; /* of the record that comes next */
};

/* ---- one record ----------------------------------------------------------------------------- */

/* The record as one line of JSON in the sink. */
static int export_one(struct page *p, const struct ras_record *r, struct ras_error *err)
{
    int status = ras_sink_rewind(p->sink, 0, err);
    if (status >= 0)
        status = ras_printer_record(p->export, p->cursor, r, err);
    if (status >= 0)
        status = ras_printer_flush(p->export, err);
    return status;
}

/* Add it to the page, or find that the page is full. The first one is made to fit. */
static bool page_add(struct page *p)
{
    struct mcp_call *call = p->call;
    struct ras_bytes line = ras_sink_bytes(p->sink);
    size_t used = call->doc.len + PAGE_ROOM;
    size_t left = call->budget > used ? call->budget - used : 0;
    p->line.len = 0;
    p->full = !budget_copy(line, left, call->text_most, &p->line);
    if (p->full && !p->count && budget_fit(line, left, call->text_most, &p->line))
        p->full = false;
    if (p->line.failed)
        return tool_fail_memory(call);
    if (p->full && !p->count)
        return tool_fail(call, "one record does not fit: raise budget_tokens, or ask for fields");
    if (!p->full) {
        json_raw(&call->json, NULL, p->line.at, p->line.len);
        p->count++;
    }
    return true;
}

/* ---- the walk ------------------------------------------------------------------------------- */

static int page_next(struct page *p, const struct ras_record **r, bool *wanted,
                     struct ras_error *err)
{
    *wanted = true;
    if (!p->merged)
        ras_mark(p->cursor, &p->mark);
    if (p->seen++ % GOES_ON_EVERY == 0 && !call_goes_on(p->call, 0, 0)) {
        *err = (struct ras_error){.status = RAS_ECANCELED, .offset = RAS_NONE, .text = "canceled"};
        return RAS_ECANCELED;
    }
    int status = ras_next(p->cursor, r, err);
    if (status == RAS_OK && p->where)
        status = ras_where_matches(p->where, p->cursor, *r, wanted, err);
    return status;
}

/* Records until the page is full or the trace ends, which *ended says. */
static bool page_fill(struct page *p, uint64_t skip, uint64_t most, bool *ended)
{
    const struct ras_record *r;
    struct ras_error err;
    bool wanted;
    int status = RAS_OK;
    *ended = false;
    while (!p->full && p->count < most) {
        status = page_next(p, &r, &wanted, &err);
        if (status != RAS_OK)
            break;
        if (!wanted)
            continue;
        if (skip) {
            skip--;
            continue;
        }
        status = export_one(p, r, &err);
        if (status < 0)
            break;
        if (!page_add(p))
            return false;
    }
    if (!p->full && status == RAS_OK && !p->merged)
        ras_mark(p->cursor, &p->mark);
    *ended = status == RAS_END;
    return status >= 0 || tool_fail_with(p->call, p->path, &err);
}

static bool page_open(struct page *p, const struct ras_scan *scan,
                      const struct ras_printer_options *how)
{
    struct ras_error err;
    int status = ras_sink_memory(&p->sink, &err);
    if (status >= 0)
        status = ras_cursor_open(&p->cursor, p->trace, scan, &err);
    if (status >= 0)
        status = ras_printer_open(&p->export, "jsonl", p->trace, scan, how, p->sink, &err);
    return status >= 0 || tool_fail_with(p->call, p->path, &err);
}

static void page_close(struct page *p)
{
    struct ras_error err;
    if (p->export)
        (void)!ras_printer_close(p->export, &err);
    ras_cursor_close(p->cursor);
    ras_sink_drop(p->sink);
    ras_where_free(p->where);
    out_free(&p->line);
}

bool put_some_records(struct mcp_call *call, const char *path, struct ras_trace *trace,
                      const struct ras_scan *scan, uint64_t most)
{
    struct page p = {.call = call, .path = path, .trace = trace, .merged = true};
    const struct ras_printer_options how = {.struct_size = sizeof how};
    bool ended;
    bool fine = page_open(&p, scan, &how) && page_fill(&p, 0, most, &ended);
    page_close(&p);
    return fine;
}

/* ---- names ---------------------------------------------------------------------------------- */

/* Every type has been seen: is there one that the name matches? */
static bool check_type(struct mcp_call *call, const struct ras_trace *t, const char *type)
{
    char all[400] = "";
    size_t len = 0, shown = 0;
    for (size_t i = 0; i < ras_schema_count(t); i++) {
        const struct ras_schema *s = ras_schema_at(t, i);
        if (ras_schema_matches(s, type))
            return true;
        if (shown++ < NAMES_SHOWN && len < sizeof all)
            len +=
                (size_t)snprintf(all + len, sizeof all - len, "%s%.40s", len ? ", " : "", s->name);
    }
    return tool_fail(call, "no type '%.60s'; there are: %s%s", type, all,
                     shown > NAMES_SHOWN ? ", ..." : "");
}

static bool check_field(struct mcp_call *call, const struct ras_trace *t, const char *field)
{
    struct ras_near near;
    char text[160];
    ras_near_start(&near, field);
    for (size_t i = 0; i < ras_schema_count(t); i++) {
        const struct ras_schema *s = ras_schema_at(t, i);
        if (ras_field_index(s, field) >= 0)
            return true;
        for (unsigned k = 0; k < s->field_count; k++)
            ras_near_add(&near, s->fields[k].name);
    }
    return tool_fail(call, "no type has a field '%.60s'%s", field,
                     ras_near_text(&near, text, sizeof text));
}

static bool check_names(struct mcp_call *call, const struct ras_trace *t)
{
    const struct mcp_value *types = call_value(call, "type");
    const struct mcp_value *fields = call_value(call, "fields");
    for (size_t i = 0; i < types->count; i++)
        if (!check_type(call, t, types->items[i]))
            return false;
    for (size_t i = 0; i < fields->count; i++)
        if (!check_field(call, t, fields->items[i]))
            return false;
    return true;
}

/* A stream by its number or its name. */
static bool stream_of(struct ras_trace *t, const char *name, uint32_t *id)
{
    size_t count;
    const struct ras_stream *all = ras_streams(t, &count);
    char number[24];
    for (size_t i = 0; i < count; i++) {
        snprintf(number, sizeof number, "%u", all[i].id);
        *id = all[i].id;
        if (!strcmp(number, name) || (all[i].name && !strcmp(all[i].name, name)))
            return true;
    }
    return false;
}

static bool find_threads(struct page *p, struct ras_scan *scan)
{
    const struct mcp_value *names = call_value(p->call, "thread");
    struct ras_info *info;
    struct ras_error err;
    if (!names->count)
        return true;
    if (ras_info(&info, p->trace, call_goes_on, p->call, &err) < 0) /* finds the streams */
        return tool_fail_with(p->call, p->path, &err);
    ras_info_free(info);
    uint32_t *ids = arena_take(&p->call->texts, names->count * sizeof *ids);
    if (!ids)
        return tool_fail_memory(p->call);
    for (size_t i = 0; i < names->count; i++)
        if (!stream_of(p->trace, names->items[i], &ids[i]))
            return tool_fail(p->call, "no thread or stream '%.60s'; info lists them",
                             names->items[i]);
    scan->streams = ids;
    scan->stream_count = names->count;
    return true;
}

/* ---- the scan ------------------------------------------------------------------------------- */

/* The decoded fields: those that are shown and those that the condition uses. */
static bool fields_of(struct page *p, const struct mcp_value *shown, struct ras_pick *pick)
{
    size_t count = 0;
    const char *const *tested = p->where ? ras_where_fields(p->where, &count) : NULL;
    const char **all = arena_take(&p->call->texts, (shown->count + count + 1) * sizeof *all);
    if (!all)
        return tool_fail_memory(p->call);
    for (size_t i = 0; i < shown->count; i++)
        all[i] = shown->items[i];
    for (size_t i = 0; i < count; i++)
        all[shown->count + i] = tested[i];
    pick->fields = all;
    pick->field_count = shown->count + count;
    return true;
}

static bool page_picks(struct page *p, bool minimal, struct ras_scan *scan)
{
    const struct mcp_value *types = call_value(p->call, "type");
    const struct mcp_value *fields = call_value(p->call, "fields");
    struct ras_pick fields_only = {0};
    if ((minimal || fields->count) && !fields_of(p, fields, &fields_only))
        return false;
    scan->pick_count = types->count ? types->count : fields_only.fields ? 1 : 0;
    struct ras_pick *picks = arena_take(&p->call->texts, (scan->pick_count + 1) * sizeof *picks);
    if (!picks)
        return tool_fail_memory(p->call);
    for (size_t i = 0; i < scan->pick_count; i++) {
        picks[i] = fields_only;
        picks[i].type = types->count ? types->items[i] : NULL;
    }
    scan->picks = picks;
    return true;
}

static bool page_where(struct page *p)
{
    const char *text = call_text(p->call, "where");
    struct ras_error err;
    if (!text)
        return true;
    return (ras_where_parse(&p->where, text, &err) >= 0 &&
            ras_where_begin(p->where, p->trace, &err) >= 0) ||
           tool_fail(p->call, "where: %s", err.text);
}

/* ---- the tool ------------------------------------------------------------------------------- */

static void put_page_end(struct page *p, uint64_t identity, const struct mcp_place *place,
                         bool ended)
{
    struct mcp_call *call = p->call;
    struct ras_ending ending = ras_ending(p->trace);
    struct mcp_place next = {.shown = place->shown + p->count};
    next.skip = p->merged ? next.shown : 0;
    next.marked = !p->merged;
    next.mark = p->mark;
    json_uint(&call->json, "count", p->count);
    json_bool(&call->json, "did_truncate", !ended);
    if (ended)
        json_uint(&call->json, "total", next.shown);
    else
        cursor_put(call, "next_cursor", identity, &next);
    if (ended && ending.kind > RAS_COMPLETE) {
        json_text(&call->json, "ending", ras_ending_name(ending.kind));
        json_text(&call->json, "ending_why", ending.why);
    }
    if (!ended)
        json_text(&call->json, "how_to_go_on",
                  "more records follow: call again with the same arguments and next_cursor as "
                  "cursor");
}

static bool page_put(struct page *p, uint64_t identity, const struct ras_scan *scan,
                     const struct ras_printer_options *how, const struct mcp_place *place)
{
    struct mcp_call *call = p->call;
    struct ras_error err;
    bool ended;
    if (!page_open(p, scan, how))
        return false;
    if (place->marked && ras_jump(p->cursor, &place->mark, &err) < 0)
        return tool_fail_with(call, p->path, &err);
    json_object(&call->json, NULL);
    json_text(&call->json, "path", p->path);
    json_array(&call->json, "records");
    uint64_t most = call_number(call, "limit", UINT64_MAX);
    if (!page_fill(p, place->skip, most, &ended))
        return false;
    json_close(&call->json);
    if (ended && !check_names(call, p->trace))
        return false;
    put_page_end(p, identity, place, ended);
    json_close(&call->json);
    return true;
}

bool tool_records(struct mcp_call *call)
{
    static const char *const nothing[] = {""};
    const char *projection = call_text(call, "projection"), *order = call_text(call, "order");
    const char *where = call_text(call, "where");
    const struct mcp_value *fields = call_value(call, "fields");
    bool minimal = projection && !strcmp(projection, "minimal");
    const struct mcp_trace *shown = call_trace(call, call_text(call, "path"));
    if (!shown)
        return false;
    uint64_t identity = shown->identity;
    struct page p = {.call = call,
                     .path = call_text(call, "path"),
                     .trace = shown->trace,
                     .merged = order && !strcmp(order, "time")};
    struct ras_scan scan = {.struct_size = sizeof scan,
                            .merged = p.merged,
                            .by_index = !where || !strstr(where, "seq")};
    struct ras_printer_options how = {.struct_size = sizeof how};
    struct mcp_place place;
    if (fields->count) {
        how.fields = fields->items;
        how.field_count = fields->count;
    } else if (minimal) {
        how.fields = nothing; /* no field has this name */
        how.field_count = 1;
    }
    if (projection && !minimal)
        call->text_most = call->budget;
    bool fine = cursor_get(call, identity, &place) && page_where(&p) &&
                page_picks(&p, minimal, &scan) && call_range(call, p.trace, &scan) &&
                find_threads(&p, &scan) && page_put(&p, identity, &scan, &how, &place);
    page_close(&p);
    return fine;
}
