/* murk_build.c - a replay out of values: frames, then their commands.
 *
 * A command's raw payload, where it is given, is taken as it stands; else the payload
 * is made of the typed fields. */
#include "base/in.h"
#include "base/memory.h"
#include "base/store.h"
#include "formats/murk/murk_driver.h"

#include <stdlib.h>

struct maker {
    struct ras_murk_writer *writer;
    bool open;                         /* a frame waits for its commands */
    uint64_t tick, hash;               /* of it */
    uint64_t declared;                 /* commands it says it has; RAS_NONE: it does not say */
    struct out payloads;               /* of its commands, one after the other */
    struct ras_murk_command *commands; /* payload.len bytes each, in order */
    size_t count, room;
};

/* ---- header ------------------------------------------------------------------------- */

static int get_text(const struct json_row *row, const char *name, struct ras_bytes *text,
                    struct ras_error *err)
{
    return row && row_find(row, name) ? row_text(row, name, text, err) : RAS_OK;
}

static int get_number(const struct json_row *row, const char *name, uint64_t max, uint64_t *value,
                      struct ras_error *err)
{
    *value = 0;
    return row && row_find(row, name) ? row_uint(row, name, max, value, err) : RAS_OK;
}

static void put_header_text(struct document *d, const char *name, struct ras_bytes text)
{
    document_name(d, name);
    document_text(d, text.at, text.len);
}

static void header(struct ras_trace *t, struct document *d)
{
    struct ras_murk_header h;
    struct ras_murk_fault fault;
    if (!ras_murk_header_get(source_bytes(t->source, 0), &h, &fault))
        return;
    put_header_text(d, "toolchain", h.toolchain);
    put_header_text(d, "target_triple", h.target_triple);
    put_header_text(d, "murk_version", h.murk_version);
    put_header_text(d, "compile_flags", h.compile_flags);
    document_name(d, "seed");
    document_uint(d, h.seed);
    document_name(d, "config_hash");
    document_format(d, "0x%016" PRIx64, h.config_hash);
    document_name(d, "field_count");
    document_uint(d, h.field_count);
    document_name(d, "cell_count");
    document_uint(d, h.cell_count);
    document_name(d, "space_descriptor");
    document_bytes(d, h.space_descriptor);
}

static int begin(struct build *b, const struct json_row *row, struct ras_error *err)
{
    struct maker *m = b->priv;
    struct ras_murk_header h = {.version = RAS_MURK_VERSION};
    uint64_t fields = 0;
    int status = get_text(row, "toolchain", &h.toolchain, err);
    if (status == RAS_OK)
        status = get_text(row, "target_triple", &h.target_triple, err);
    if (status == RAS_OK)
        status = get_text(row, "murk_version", &h.murk_version, err);
    if (status == RAS_OK)
        status = get_text(row, "compile_flags", &h.compile_flags, err);
    if (status == RAS_OK)
        status = get_number(row, "seed", UINT64_MAX, &h.seed, err);
    if (status == RAS_OK)
        status = get_number(row, "config_hash", UINT64_MAX, &h.config_hash, err);
    if (status == RAS_OK)
        status = get_number(row, "field_count", UINT32_MAX, &fields, err);
    if (status == RAS_OK)
        status = get_number(row, "cell_count", UINT64_MAX, &h.cell_count, err);
    if (status == RAS_OK && row && row_find(row, "space_descriptor"))
        status = row_bytes(row, "space_descriptor", &h.space_descriptor, err);
    h.field_count = (uint32_t)fields;
    if (!row)
        build_note(b, "there is no header line: seed, versions and sizes are empty");
    return status < 0 ? status : ras_murk_writer_open(&m->writer, b->sink, &h, err);
}

/* ---- payloads ------------------------------------------------------------------------- */

/* A list of numbers, or of maps of an id and a value, as the bytes of the wire. */
static int get_list(const struct json_row *row, const char *name, const char *id,
                    unsigned value_size, struct ras_bytes *bytes, struct ras_error *err)
{
    const struct ras_value *list = row_find(row, name);
    if (!list || list->kind != RAS_LIST)
        return row_fail(row, name, err, list ? "is no list" : "is missing");
    uint8_t *p = arena_take(row->arena, (uint64_t)list->count * 12 + 1), *start = p;
    if (!p)
        return fail_memory(err);
    const struct ras_value *end = ras_value_next(list);
    for (const struct ras_value *cell = list + 1; cell < end; cell = ras_value_next(cell)) {
        int64_t whole;
        uint64_t key;
        uint32_t narrow;
        double wide;
        const struct ras_value *k = cell->kind == RAS_MAP && id ? map_find(cell, id) : NULL;
        const struct ras_value *v = k ? map_find(cell, "value") : NULL;
        if (!id && cell_int(cell, &whole) && whole >= INT32_MIN && whole <= INT32_MAX)
            p = store_u32(p, (uint32_t)whole);
        else if (v && cell_uint(k, &key) && key <= UINT32_MAX && value_size == 4 &&
                 cell_f32(v, &narrow))
            p = store_u32(store_u32(p, (uint32_t)key), narrow);
        else if (v && cell_uint(k, &key) && key <= UINT32_MAX && value_size == 8 &&
                 cell_f64(v, &wide)) {
            uint64_t bits;
            memcpy(&bits, &wide, sizeof bits);
            p = store_u64(store_u32(p, (uint32_t)key), bits);
        } else {
            return row_fail(row, name, err, "holds what does not belong there");
        }
    }
    *bytes = (struct ras_bytes){start, (size_t)(p - start)};
    return RAS_OK;
}

static int get_u32(const struct json_row *row, const char *name, uint32_t *value,
                   struct ras_error *err)
{
    uint64_t wide = 0;
    int status = row_uint(row, name, UINT32_MAX, &wide, err);
    *value = (uint32_t)wide;
    return status;
}

static int get_value(const struct json_row *row, uint8_t type, struct ras_murk_payload *p,
                     struct ras_error *err)
{
    double wide;
    int status = row_f64(row, "value", &wide, err);
    if (status == RAS_OK && type == RAS_MURK_SET_FIELD)
        cell_f32(row_find(row, "value"), &p->value_f32);
    else if (status == RAS_OK)
        memcpy(&p->value_f64, &wide, sizeof wide);
    return status;
}

/* The typed fields of each payload, in any order. */
static int get_payload(const struct json_row *row, uint8_t type, struct ras_murk_payload *p,
                       struct ras_error *err)
{
    int status = RAS_OK;
    *p = (struct ras_murk_payload){0};
    switch (type) {
    case RAS_MURK_MOVE:
        status = row_uint(row, "entity_id", UINT64_MAX, &p->entity_id, err);
        return status < 0 ? status : get_list(row, "coord", NULL, 0, &p->coord, err);
    case RAS_MURK_SPAWN:
        status = get_list(row, "coord", NULL, 0, &p->coord, err);
        return status < 0 ? status
                          : get_list(row, "field_values", "field_id", 4, &p->field_values, err);
    case RAS_MURK_DESPAWN:
        return row_uint(row, "entity_id", UINT64_MAX, &p->entity_id, err);
    case RAS_MURK_SET_FIELD:
        status = get_list(row, "coord", NULL, 0, &p->coord, err);
        if (status == RAS_OK)
            status = get_u32(row, "field_id", &p->field_id, err);
        return status < 0 ? status : get_value(row, type, p, err);
    case RAS_MURK_CUSTOM:
        status = get_u32(row, "type_id", &p->type_id, err);
        return status < 0 ? status : row_bytes(row, "data", &p->data, err);
    case RAS_MURK_SET_PARAMETER:
        status = get_u32(row, "key", &p->key, err);
        return status < 0 ? status : get_value(row, type, p, err);
    case RAS_MURK_SET_PARAMETER_BATCH:
        return get_list(row, "params", "key", 8, &p->params, err);
    default:
        return row_fail(row, "payload_type", err, "is %u: say its bytes as `payload`", type);
    }
}

static int make_payload(const struct json_row *row, uint8_t type, struct ras_bytes *bytes,
                        struct ras_error *err)
{
    struct ras_murk_payload p;
    struct ras_murk_fault fault;
    char text[160];
    size_t size;
    int status = get_payload(row, type, &p, err);
    if (status < 0)
        return status;
    if (!ras_murk_payload_put(type, &p, NULL, 0, &size, &fault))
        return row_fail(row, "payload", err, "%s", ras_murk_text(&fault, text, sizeof text));
    uint8_t *to = arena_take(row->arena, size + 1);
    if (!to)
        return fail_memory(err);
    ras_murk_payload_put(type, &p, to, size, &size, &fault);
    *bytes = (struct ras_bytes){to, size};
    return RAS_OK;
}

static bool same_f32(uint32_t a, uint32_t b)
{
    bool nan = (a & 0x7fffffff) > 0x7f800000 && (b & 0x7fffffff) > 0x7f800000;
    return a == b || nan; /* JSON has one NaN */
}

static bool same_f64(uint64_t a, uint64_t b)
{
    const uint64_t infinity = UINT64_C(0x7ff0000000000000), rest = UINT64_MAX >> 1;
    return a == b || ((a & rest) > infinity && (b & rest) > infinity);
}

static bool same_bytes(struct ras_bytes a, struct ras_bytes b)
{
    return a.len == b.len && (!a.len || !memcmp(a.at, b.at, a.len));
}

/* Lists of a number and a float of `size` - 4 bytes. */
static bool same_list(struct ras_bytes a, struct ras_bytes b, size_t size)
{
    bool same = a.len == b.len;
    for (size_t i = 0; same && i + size <= a.len; i += size)
        same = load_u32(a.at + i) == load_u32(b.at + i) &&
               (size == 8 ? same_f32(load_u32(a.at + i + 4), load_u32(b.at + i + 4))
                          : same_f64(load_u64(a.at + i + 4), load_u64(b.at + i + 4)));
    return same;
}

static bool same_payload(const struct ras_murk_payload *a, const struct ras_murk_payload *b)
{
    return a->entity_id == b->entity_id && same_bytes(a->coord, b->coord) &&
           a->field_id == b->field_id && same_f32(a->value_f32, b->value_f32) &&
           same_list(a->field_values, b->field_values, 8) && a->type_id == b->type_id &&
           same_bytes(a->data, b->data) && a->key == b->key &&
           same_f64(a->value_f64, b->value_f64) && same_list(a->params, b->params, 12);
}

/* Bytes and fields may both be given, as cat does; where an edit made them say two things, nobody
 * knows which is meant. */
static int check_payload(const struct json_row *row, uint8_t type, struct ras_bytes bytes,
                         struct ras_error *err)
{
    struct ras_murk_payload given = {0}, said = {0};
    struct ras_murk_fault fault;
    if (get_payload(row, type, &given, NULL) < 0 ||
        !ras_murk_payload_get(type, bytes, &said, &fault) || same_payload(&given, &said))
        return RAS_OK;
    return row_fail(row, "payload", err, "and the fields say different things: remove one of them");
}

/* By its number, or by its name alone. */
static int get_type(const struct json_row *row, uint8_t *type, struct ras_error *err)
{
    const struct ras_value *name = row_find(row, "payload_name");
    uint64_t number = 0;
    if (!row_find(row, "payload_type") && name && name->kind == RAS_STR)
        for (unsigned i = 0; i < RAS_MURK_PAYLOAD_TYPES; i++)
            if (!strcmp(ras_murk_payload_name((uint8_t)i), name->at)) {
                *type = (uint8_t)i;
                return RAS_OK;
            }
    int status = row_uint(row, "payload_type", UINT8_MAX, &number, err);
    *type = (uint8_t)number;
    return status;
}

/* ---- records -------------------------------------------------------------------------- */

static int write_frame(struct maker *m, struct ras_error *err)
{
    if (!m->open)
        return RAS_OK;
    const uint8_t *at = m->payloads.at;
    for (size_t i = 0; i < m->count; i++) {
        m->commands[i].payload.at = at;
        at += m->commands[i].payload.len;
    }
    m->open = false;
    if (m->declared != RAS_NONE && m->declared != m->count)
        return fail(err, RAS_EFORMAT, RAS_NONE,
                    "the frame of tick %" PRIu64 " says command_count %" PRIu64
                    ", and %zu commands follow",
                    m->tick, m->declared, m->count);
    return ras_murk_writer_frame(m->writer, m->tick, m->commands, (uint32_t)m->count, m->hash, err);
}

static int put_frame(struct maker *m, const struct json_row *row, struct ras_error *err)
{
    int status = write_frame(m, err);
    m->count = m->payloads.len = 0;
    m->declared = RAS_NONE;
    if (status == RAS_OK)
        status = row_uint(row, "tick_id", UINT64_MAX, &m->tick, err);
    if (status == RAS_OK)
        status = row_uint(row, "snapshot_hash", UINT64_MAX, &m->hash, err);
    if (status == RAS_OK && row_find(row, "command_count"))
        status = row_uint(row, "command_count", RAS_MURK_COMMANDS_MAX, &m->declared, err);
    m->open = status == RAS_OK;
    return status;
}

static int get_optional(const struct json_row *row, const char *name, bool *has, uint64_t *value,
                        struct ras_error *err)
{
    *has = row_find(row, name) != NULL;
    return *has ? row_uint(row, name, UINT64_MAX, value, err) : RAS_OK;
}

static int put_command(struct maker *m, const struct json_row *row, struct ras_error *err)
{
    struct ras_murk_command c = {.expires_after_tick = UINT64_MAX, .arrival_seq = m->count};
    uint64_t priority = 0;
    if (!m->open)
        return fail(err, RAS_EFORMAT, RAS_NONE, "line %" PRIu64 ": a command before any frame",
                    row->line);
    int status = get_type(row, &c.payload_type, err);
    if (status == RAS_OK)
        status = row_find(row, "payload") ? row_bytes(row, "payload", &c.payload, err)
                                          : make_payload(row, c.payload_type, &c.payload, err);
    if (status == RAS_OK && row_find(row, "payload"))
        status = check_payload(row, c.payload_type, c.payload, err);
    if (status == RAS_OK && row_find(row, "priority_class"))
        status = row_uint(row, "priority_class", UINT8_MAX, &priority, err);
    if (status == RAS_OK)
        status = get_optional(row, "source_id", &c.has_source_id, &c.source_id, err);
    if (status == RAS_OK)
        status = get_optional(row, "source_seq", &c.has_source_seq, &c.source_seq, err);
    if (status == RAS_OK && row_find(row, "expires_after_tick"))
        status = row_uint(row, "expires_after_tick", UINT64_MAX, &c.expires_after_tick, err);
    if (status == RAS_OK && row_find(row, "arrival_seq"))
        status = row_uint(row, "arrival_seq", UINT64_MAX, &c.arrival_seq, err);
    if (status < 0)
        return status;
    c.priority_class = (uint8_t)priority;
    out_bytes(&m->payloads, c.payload.at, c.payload.len);
    if (m->payloads.failed || !array_grow(&m->commands, &m->room, m->count + 1, sizeof c))
        return fail_memory(err);
    m->commands[m->count++] = c;
    return RAS_OK;
}

static int put(struct build *b, const struct json_row *row, struct ras_error *err)
{
    struct maker *m = b->priv;
    if (!strcmp(row->type, "frame"))
        return put_frame(m, row, err);
    if (!strcmp(row->type, "command"))
        return put_command(m, row, err);
    return fail(err, RAS_EFORMAT, RAS_NONE, "line %" PRIu64 ": a replay has no records of type %s",
                row->line, row->type);
}

static int end(struct build *b, struct ras_error *err)
{
    return write_frame(b->priv, err);
}

static void stop(struct build *b)
{
    struct maker *m = b->priv;
    (void)!ras_murk_writer_close(m->writer, NULL); /* the sink's close tells */
    out_free(&m->payloads);
    free(m->commands);
}

const struct build_ops murk_build = {
    .header = header,
    .targets = (const char *const[]){"v3", NULL},
    .types = (const char *const[]){"frame", "command", NULL},
    .schemas = (const struct ras_schema *const[]){&murk_frame_schema, &murk_command_schema, NULL},
    .size = sizeof(struct maker),
    .begin = begin,
    .put = put,
    .end = end,
    .stop = stop,
};
