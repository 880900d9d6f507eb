/* dial9_build.c - a stream from values: schemas and annotations, if given, and events.
 *
 * A record of type `schema` gives the fields of the events of its name. Without one they are
 * inferred from the values, event by event: two events of one name may then have two schemas. */
#include "base/memory.h"
#include "core/row.h"
#include "formats/dial9/dial9_driver.h"

#include <stdlib.h>

/* Batches without events for which a gap in the stream numbers may stand, at most. */
enum { SKIPPED_MAX = 1 << 16 };

/* A schema that was given, by its name. */
struct given {
    char *name;
    struct ras_dial9_field *fields; /* names are owned */
    uint16_t count;
    bool timed;
};

struct maker {
    struct ras_dial9_writer *writer;
    bool seed;
    uint32_t stream; /* the highest so far */
    struct given *given;
    size_t given_count, given_room;
    struct ras_dial9_field *fields; /* of the event at hand */
    struct ras_dial9_value *values;
    size_t field_room, value_room;
};

/* Errors of the writer are reported with the line. */
static int build_refuse(const struct json_row *row, const struct ras_error *why,
                        struct ras_error *err)
{
    return fail(err, why->status, RAS_NONE, "line %" PRIu64 ": %s", row->line, why->text);
}

/* ---- values --------------------------------------------------------------------------- */

static bool any_value(struct maker *, struct arena *, const struct ras_value *,
                      struct ras_dial9_value *);

/* Cells of a list or map; of a map, pairs. */
static uint32_t items_of(const struct ras_value *cell)
{
    uint32_t count = 0;
    const struct ras_value *end = ras_value_next(cell);
    for (const struct ras_value *c = cell + 1; c < end; c = ras_value_next(c))
        count++;
    return count;
}

static bool text_value(const struct ras_value *cell, struct ras_dial9_value *v)
{
    struct ras_bytes text;
    if (!cell_text(cell, &text))
        return false;
    *v = (struct ras_dial9_value){
        .type = RAS_DIAL9_STRING, .count = (uint32_t)text.len, .at = text.at};
    return true;
}

/* A list of addresses; `strict`: written as addresses are, to exclude other lists. */
static bool stack_value(struct arena *arena, const struct ras_value *cell, bool strict,
                        struct ras_dial9_value *v)
{
    enum { ADDRESS_TEXT = 18 };
    if (cell->kind != RAS_LIST || (strict && !cell->count))
        return false;
    uint8_t *to = arena_take(arena, (uint64_t)cell->count * DIAL9_ADDRESS_SIZE + 1), *p = to;
    const struct ras_value *end = ras_value_next(cell);
    for (const struct ras_value *c = cell + 1; to && c < end; c = ras_value_next(c)) {
        uint64_t address;
        if ((strict && (c->kind != RAS_STR || c->count != ADDRESS_TEXT)) || !cell_uint(c, &address))
            return false;
        for (unsigned i = 0; i < DIAL9_ADDRESS_SIZE; i++)
            *p++ = (uint8_t)(address >> 8 * i);
    }
    *v = (struct ras_dial9_value){
        .type = RAS_DIAL9_STACK_FRAMES, .count = (uint32_t)((p - to) / 8), .at = to};
    return to != NULL;
}

/* StringMap, DynamicList, DynamicMap. */
static bool container_value(struct maker *m, struct arena *arena, const struct ras_value *cell,
                            uint8_t type, struct ras_dial9_value *v)
{
    bool list = type == RAS_DIAL9_DYNAMIC_LIST;
    if (cell->kind != (list ? RAS_LIST : RAS_MAP))
        return false;
    uint32_t count = items_of(cell), i = 0;
    struct ras_dial9_value *items = arena_take(arena, (uint64_t)count * sizeof *items + 1);
    const struct ras_value *end = ras_value_next(cell);
    for (const struct ras_value *c = cell + 1; items && c < end; c = ras_value_next(c), i++)
        if (type == RAS_DIAL9_STRING_MAP ? !text_value(c, &items[i])
                                         : !any_value(m, arena, c, &items[i]))
            return false;
    *v = ras_dial9_made((enum ras_dial9_type)type, items, list ? count : count / 2);
    return items != NULL;
}

/* Infer the type of a value. A null inside a list or map is an undefined id. */
static bool any_value(struct maker *m, struct arena *arena, const struct ras_value *cell,
                      struct ras_dial9_value *v)
{
    *v = (struct ras_dial9_value){.u = cell->u};
    switch (cell->kind) {
    case RAS_BOOL:
        v->type = RAS_DIAL9_BOOL;
        return true;
    case RAS_UINT:
        v->type = RAS_DIAL9_VARINT;
        return true;
    case RAS_INT:
        v->type = RAS_DIAL9_I64;
        return true;
    case RAS_F64:
        v->type = RAS_DIAL9_F64;
        return true;
    case RAS_STR:
        return text_value(cell, v);
    case RAS_LIST:
        return stack_value(arena, cell, true, v) ||
               container_value(m, arena, cell, RAS_DIAL9_DYNAMIC_LIST, v);
    case RAS_MAP:
        v->type = RAS_DIAL9_F64; /* {"bits":...} */
        return cell_f64(cell, &v->f64) ||
               container_value(m, arena, cell, RAS_DIAL9_STRING_MAP, v) ||
               container_value(m, arena, cell, RAS_DIAL9_DYNAMIC_MAP, v);
    default:
        *v = (struct ras_dial9_value){.type = RAS_DIAL9_POOLED_STRING, .u = UINT32_MAX};
        return true;
    }
}

/* A text or a stack that goes into a pool. */
static bool pooled_value(struct maker *m, struct arena *arena, const struct ras_value *cell,
                         uint8_t type, struct ras_dial9_value *v, struct ras_error *err)
{
    struct ras_bytes text;
    uint32_t id;
    if (type == RAS_DIAL9_POOLED_STRING) {
        if (!cell_text(cell, &text) || ras_dial9_writer_string(m->writer, text, &id, err) < 0)
            return false;
    } else {
        if (!stack_value(arena, cell, false, v))
            return false;
        uint64_t *addresses = arena_take(arena, (uint64_t)v->count * sizeof *addresses + 1);
        for (uint32_t i = 0; addresses && i < v->count; i++)
            addresses[i] = load_u64(v->at + (size_t)i * DIAL9_ADDRESS_SIZE);
        if (!addresses || ras_dial9_writer_stack(m->writer, addresses, v->count, &id, err) < 0)
            return false;
    }
    *v = (struct ras_dial9_value){.type = type, .u = id};
    return true;
}

/* Convert a value to the type of its field. */
static bool typed_value(struct maker *m, struct arena *arena, const struct ras_value *cell,
                        uint8_t type, struct ras_dial9_value *v, struct ras_error *err)
{
    struct ras_bytes bytes;
    bool truth;
    *v = (struct ras_dial9_value){.type = type};
    switch (type) {
    case RAS_DIAL9_I64:
        return cell_int(cell, &v->i);
    case RAS_DIAL9_F64:
        return cell_f64(cell, &v->f64);
    case RAS_DIAL9_BOOL:
        v->u = cell_bool(cell, &truth) && truth;
        return cell_bool(cell, &truth);
    case RAS_DIAL9_STRING:
        return text_value(cell, v);
    case RAS_DIAL9_BYTES:
        if (!cell_bytes(cell, arena, &bytes))
            return false;
        v->count = (uint32_t)bytes.len;
        v->at = bytes.at;
        return true;
    case RAS_DIAL9_POOLED_STRING:
    case RAS_DIAL9_POOLED_STACK_FRAMES:
        return pooled_value(m, arena, cell, type, v, err);
    case RAS_DIAL9_STACK_FRAMES:
        return stack_value(arena, cell, false, v);
    case RAS_DIAL9_STRING_MAP:
    case RAS_DIAL9_DYNAMIC_LIST:
    case RAS_DIAL9_DYNAMIC_MAP:
        return container_value(m, arena, cell, type, v);
    default:
        return cell_uint(cell, &v->u);
    }
}

/* ---- schemas ---------------------------------------------------------------------------- */

/* Whether a row has exactly the fields of a schema, in their order. */
static bool fits(const struct given *g, const struct json_row *row)
{
    const struct ras_value *c = row->cells, *end = row->cells + row->cell_count;
    unsigned i = 0;
    if (g->timed != row->has_time)
        return false;
    for (; c < end && i < g->count; c = ras_value_next(ras_value_next(c)), i++)
        if (strcmp(c->at, g->fields[i].name) != 0)
            return false;
    return c == end && i == g->count;
}

/* The latest schema with this name; prefer one whose fields match the row. */
static const struct given *given_find(const struct maker *m, const char *name,
                                      const struct json_row *row)
{
    const struct given *found = NULL;
    for (size_t i = m->given_count; i; i--) {
        const struct given *g = &m->given[i - 1];
        if (strcmp(g->name, name) != 0)
            continue;
        if (!row || fits(g, row))
            return g;
        found = found ? found : g;
    }
    return found;
}

static void given_free(struct given *g)
{
    for (unsigned i = 0; g->fields && i < g->count; i++)
        free((void *)(uintptr_t)g->fields[i].name);
    free(g->fields);
    free(g->name);
}

/* "Optional Varint" -> 0x89; 0: no such type. */
static uint8_t type_called(const struct ras_value *cell)
{
    struct ras_bytes text;
    if (!cell_text(cell, &text))
        return 0;
    for (unsigned type = 1; type < 256; type++) {
        const char *name = ras_dial9_type_name(type);
        if (name && strlen(name) == text.len && !memcmp(name, text.at, text.len))
            return (uint8_t)type;
    }
    return 0;
}

static char *name_copy(struct ras_bytes name)
{
    char *text = malloc(dial9_name_size(name) + 1);
    if (text)
        dial9_name_text(text, name);
    return text;
}

static int read_fields(struct given *g, const struct json_row *row, const struct ras_value *map,
                       struct ras_error *err)
{
    uint32_t count = items_of(map) / 2;
    if (count > UINT16_MAX)
        return row_fail(row, "fields", err, "are %u, the most is %u", count, UINT16_MAX);
    g->fields = calloc(count + 1u, sizeof *g->fields);
    if (!g->fields)
        return fail_memory(err);
    for (const struct ras_value *c = map + 1; g->count < count;
         c = ras_value_next(ras_value_next(c))) {
        uint8_t type = type_called(ras_value_next(c));
        if (!type)
            return row_fail(row, "fields", err, "'%s' is not a valid type",
                            dial9_label(c->at).text);
        char *name = name_copy((struct ras_bytes){c->at, c->count});
        if (!name)
            return fail_memory(err);
        g->fields[g->count++] = (struct ras_dial9_field){name, type};
    }
    return RAS_OK;
}

static int build_put_schema(struct maker *m, const struct json_row *row,
                            const struct ras_value *map, struct ras_error *err)
{
    struct given g = {.timed = true};
    struct ras_bytes name;
    struct ras_error why;
    uint16_t id;
    const struct ras_value *timed = row_find(row, "has_timestamp");
    int status = row_text(row, "name", &name, err);
    if (status < 0)
        return status;
    if (timed && !cell_bool(timed, &g.timed))
        return row_fail(row, "has_timestamp", err, "is neither true nor false");
    if (!array_grow(&m->given, &m->given_room, m->given_count + 1, sizeof *m->given))
        return fail_memory(err);
    status = read_fields(&g, row, map, err);
    g.name = status == RAS_OK ? name_copy(name) : NULL;
    if (status == RAS_OK && !g.name)
        status = fail_memory(err);
    const struct ras_dial9_schema schema = {g.name, g.fields, g.count, g.timed};
    if (status == RAS_OK && ras_dial9_writer_schema(m->writer, &schema, &id, &why) < 0)
        status = build_refuse(row, &why, err);
    if (status < 0) {
        given_free(&g);
        return status;
    }
    m->given[m->given_count++] = g;
    return RAS_OK;
}

/* The field of an annotation: by its number, by its name, or by both if they agree. */
static int find_field(const struct given *g, const struct json_row *row, uint64_t *index,
                      struct ras_error *err)
{
    struct row_get get = {row, err, RAS_OK};
    uint64_t named = 0;
    bool numbered = row_has(&get, "field_index");
    *index = row_get_uint_or(&get, "field_index", UINT16_MAX, *index);
    struct ras_bytes name = row_get_text_or_none(&get, "field");
    if (get.status < 0 || !row_has(&get, "field"))
        return get.status;
    if (numbered && *index < g->count && !strcmp(g->fields[*index].name, (const char *)name.at))
        return RAS_OK; /* two may share a name */
    while (named < g->count && strcmp(g->fields[named].name, (const char *)name.at) != 0)
        named++;
    if (numbered)
        return row_fail(row, "field", err,
                        "is '%s' and field_index %" PRIu64 ": they name different fields",
                        dial9_label((const char *)name.at).text, *index);
    *index = named;
    return named < g->count
               ? RAS_OK
               : row_fail(row, "field", err, "is '%s', which type %s does not have",
                          dial9_label((const char *)name.at).text, dial9_label(g->name).text);
}

/* By the name of its type, which was given before. */
static int build_put_annotation(struct maker *m, const struct json_row *row, struct ras_error *err)
{
    struct ras_dial9_annotation note = {0};
    struct row_get get = {row, err, RAS_OK};
    struct ras_error why;
    uint64_t index = 0;
    uint16_t id;
    struct ras_bytes type = row_get_text(&get, "type");
    note.key = row_get_text(&get, "key");
    note.value = row_get_text(&get, "value");
    if (get.status < 0)
        return get.status;
    char *name = name_copy(type);
    if (!name)
        return fail_memory(err);
    const struct given *g = given_find(m, name, NULL);
    free(name);
    if (!g)
        return row_fail(row, "type", err, "is '%s', of which no schema was given",
                        dial9_label((const char *)type.at).text);
    int status = find_field(g, row, &index, err);
    if (status < 0)
        return status;
    const struct ras_dial9_schema schema = {g->name, g->fields, g->count, g->timed};
    note.field_index = (uint16_t)index;
    if (ras_dial9_writer_schema(m->writer, &schema, &id, &why) < 0 ||
        ras_dial9_writer_annotate(m->writer, id, &note, 1, &why) < 0)
        return build_refuse(row, &why, err);
    return RAS_OK;
}

/* ---- events ----------------------------------------------------------------------------- */

/* The fields of a given schema, in any order. */
static int take_given(struct maker *m, const struct given *g, const struct json_row *row,
                      struct ras_error *err)
{
    const struct ras_value *next = fits(g, row) ? row->cells : NULL;
    if (next)
        row_take_all(row);
    for (unsigned i = 0; i < g->count; i++) {
        const struct ras_dial9_field *field = &g->fields[i];
        /* Two fields may share a name. */
        const struct ras_value *cell = next ? ras_value_next(next) : row_find(row, field->name);
        next = next ? ras_value_next(cell) : NULL;
        cell = cell && cell->kind != RAS_NULL ? cell : NULL;
        uint8_t type = field->type & (uint8_t)~RAS_DIAL9_OPTIONAL;
        struct ras_error why = {0};
        m->values[i] = (struct ras_dial9_value){0};
        if (!cell && field->type & RAS_DIAL9_OPTIONAL)
            continue;
        if (!cell && (type == RAS_DIAL9_POOLED_STRING || type == RAS_DIAL9_POOLED_STACK_FRAMES)) {
            /* An undefined id reads as null. */
            m->values[i] = (struct ras_dial9_value){.type = type, .u = UINT32_MAX};
            continue;
        }
        if (!cell)
            return row_fail(row, field->name, err, "is missing");
        if (!typed_value(m, row->arena, cell, type, &m->values[i], &why))
            return why.status
                       ? build_refuse(row, &why, err)
                       : row_fail(row, field->name, err, "is no %s", ras_dial9_type_name(type));
    }
    return RAS_OK;
}

/* The fields in the order of the row. */
static int take_shown(struct maker *m, const struct json_row *row, uint16_t *count,
                      struct ras_error *err)
{
    const struct ras_value *end = row->cells + row->cell_count;
    row_take_all(row);
    *count = 0;
    for (const struct ras_value *c = row->cells; c < end; c = ras_value_next(ras_value_next(c))) {
        const struct ras_value *cell = ras_value_next(c);
        struct ras_dial9_value *v = &m->values[*count];
        uint8_t optional = 0;
        if (cell->kind == RAS_NULL) {
            if (m->seed)
                continue; /* the event has a schema without it */
            *v = (struct ras_dial9_value){0};
            optional = RAS_DIAL9_OPTIONAL | RAS_DIAL9_STRING;
        } else if (!any_value(m, row->arena, cell, v)) {
            return fail_memory(err);
        }
        m->fields[(*count)++] = (struct ras_dial9_field){c->at, optional ? optional : v->type};
    }
    return RAS_OK;
}

static int build_put_event(struct maker *m, const struct json_row *row, struct ras_error *err)
{
    const struct given *g = given_find(m, row->type, row);
    size_t most = row->cell_count / 2 + (g ? g->count : 0) + 1u;
    struct ras_error why;
    uint16_t id, count;
    if (row->cell_count / 2 > UINT16_MAX)
        return row_fail(row, "values", err, "are more than the %u fields there can be", UINT16_MAX);
    if (!array_grow(&m->fields, &m->field_room, most, sizeof *m->fields) ||
        !array_grow(&m->values, &m->value_room, most, sizeof *m->values))
        return fail_memory(err);
    if (g && g->timed && !row->has_time)
        return row_fail(row, "time_ns", err, "is missing");
    int status = g ? take_given(m, g, row, err) : take_shown(m, row, &count, err);
    if (status < 0)
        return status;
    const struct ras_dial9_schema schema = {row->type, g ? g->fields : m->fields,
                                            g ? g->count : count, g ? g->timed : row->has_time};
    if (ras_dial9_writer_schema(m->writer, &schema, &id, &why) < 0 ||
        ras_dial9_writer_event(m->writer, id, row->time_ns, m->values, schema.field_count, &why) <
            0)
        return build_refuse(row, &why, err);
    return RAS_OK;
}

/* ---- the table --------------------------------------------------------------------------- */

static int build_begin(struct build *b, const struct json_row *header, struct ras_error *err)
{
    (void)header; /* a dial9 header says nothing */
    struct maker *m = b->priv;
    m->seed = !strcmp(b->target, "seed");
    const struct ras_dial9_writer_options options = {.dialect =
                                                         m->seed ? RAS_DIAL9_SEED : RAS_DIAL9_FULL};
    return ras_dial9_writer_open(&m->writer, b->sink, &options, err);
}

static int build_put(struct build *b, const struct json_row *row, struct ras_error *err)
{
    struct maker *m = b->priv;
    struct ras_error why;
    /* A new stream number is a new batch; in merged order they repeat. */
    if (row->stream > m->stream && !m->seed) {
        uint32_t batches = row->stream - m->stream; /* those in between have no events */
        m->stream = row->stream;
        for (uint32_t i = 0; i < (batches > SKIPPED_MAX ? 1 : batches); i++)
            if (ras_dial9_writer_batch(m->writer, &why) < 0)
                return build_refuse(row, &why, err);
    }
    const struct ras_value *fields = row_find(row, "fields");
    if (!strcmp(row->type, "schema") && fields && fields->kind == RAS_MAP)
        return build_put_schema(m, row, fields, err);
    bool of_field = row_find(row, "field_index") || row_find(row, "field");
    if (!strcmp(row->type, "annotation") && of_field && row_find(row, "key"))
        return build_put_annotation(m, row, err);
    /* The contents of pools come with the events. */
    if ((!strcmp(row->type, "string") || !strcmp(row->type, "stack")) && row_find(row, "pool_id")) {
        row_take_all(row);
        return RAS_OK;
    }
    return build_put_event(m, row, err);
}

static int build_end(struct build *b, struct ras_error *err)
{
    struct maker *m = b->priv;
    struct ras_dial9_writer *w = m->writer;
    m->writer = NULL;
    return ras_dial9_writer_close(w, err);
}

static void build_stop(struct build *b)
{
    struct maker *m = b->priv;
    (void)!ras_dial9_writer_close(m->writer, NULL);
    for (size_t i = 0; i < m->given_count; i++)
        given_free(&m->given[i]);
    free(m->given);
    free(m->fields);
    free(m->values);
}

const struct build_ops dial9_build = {
    .header_types = (const char *const[]){"schema", "annotation", NULL},
    .targets = (const char *const[]){"full", "seed", NULL},
    .schemas = (const struct ras_schema *const[]){&dial9_requests[DIAL9_STRING_RECORD],
                                                  &dial9_requests[DIAL9_STACK_RECORD],
                                                  &dial9_requests[DIAL9_ANNOTATION_RECORD],
                                                  &dial9_requests[DIAL9_SCHEMA_RECORD], NULL},
    .size = sizeof(struct maker),
    .begin = build_begin,
    .put = build_put,
    .end = build_end,
    .stop = build_stop,
};
