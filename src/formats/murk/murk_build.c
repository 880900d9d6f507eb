/* murk_build.c - builds a replay from values: frames, then their commands.
 *
 * A command's raw payload is used as given; without it the payload is built from the typed
 * fields. */
#include "base/in.h"
#include "base/memory.h"
#include "base/out.h"
#include "core/row.h"
#include "formats/murk/murk_driver.h"

#include <stdlib.h>

struct maker {
    struct ras_murk_writer *writer;
    bool open;                         /* a frame is waiting for its commands */
    uint64_t tick, hash;               /* of that frame */
    uint64_t declared;                 /* commands that it declares; RAS_NONE: not declared */
    struct out payloads;               /* of its commands, one after the other */
    struct ras_murk_command *commands; /* payload.len bytes each, in order */
    size_t count, room;
};

/* ---- header ------------------------------------------------------------------------- */

static void put_header_text(struct document *d, const char *name, struct ras_bytes text)
{
    document_name(d, name);
    document_text(d, text.at, text.len);
}

void murk_header_put(struct document *d, const struct ras_murk_header *h)
{
    put_header_text(d, "toolchain", h->toolchain);
    put_header_text(d, "target_triple", h->target_triple);
    put_header_text(d, "murk_version", h->murk_version);
    put_header_text(d, "compile_flags", h->compile_flags);
    document_put_uint(d, "seed", h->seed);
    document_name(d, "config_hash");
    document_format(d, "0x%016" PRIx64, h->config_hash);
    document_put_uint(d, "field_count", h->field_count);
    document_put_uint(d, "cell_count", h->cell_count);
}

static void build_header(struct ras_trace *t, struct document *d)
{
    struct ras_murk_header h;
    struct ras_murk_fault fault;
    if (!ras_murk_header_get(source_bytes(t->source, 0), &h, &fault))
        return;
    murk_header_put(d, &h);
    document_name(d, "space_descriptor");
    document_bytes(d, h.space_descriptor);
}

static int build_begin(struct build *b, const struct json_row *row, struct ras_error *err)
{
    struct maker *m = b->priv;
    struct row_get g = {row, err, RAS_OK};
    struct ras_murk_header h = {.version = RAS_MURK_VERSION};
    h.toolchain = row_get_text_or_none(&g, "toolchain");
    h.target_triple = row_get_text_or_none(&g, "target_triple");
    h.murk_version = row_get_text_or_none(&g, "murk_version");
    h.compile_flags = row_get_text_or_none(&g, "compile_flags");
    h.seed = row_get_u64_or(&g, "seed", 0);
    h.config_hash = row_get_u64_or(&g, "config_hash", 0);
    h.field_count = row_get_u32_or(&g, "field_count", 0);
    h.cell_count = row_get_u64_or(&g, "cell_count", 0);
    h.space_descriptor = row_get_bytes_or_none(&g, "space_descriptor");
    if (!row)
        build_note(b, "there is no header line: seed, versions and sizes are empty");
    return g.status < 0 ? g.status : ras_murk_writer_open(&m->writer, b->sink, &h, err);
}

/* ---- payloads ------------------------------------------------------------------------- */

/* One item of a list: a number, or a map of an id and a value. NULL: it is something else. */
static uint8_t *store_item(const struct json_row *row, uint8_t *p, const struct ras_value *cell,
                           const char *id, unsigned value_size)
{
    int64_t whole;
    uint64_t key, bits;
    uint32_t narrow;
    double wide;
    if (!id)
        return cell_int(cell, &whole) && whole >= INT32_MIN && whole <= INT32_MAX
                   ? store_u32(p, (uint32_t)whole)
                   : NULL;
    const struct ras_value *k = row_find_in(row, cell, id), *v = row_find_in(row, cell, "value");
    if (!k || !v || !cell_uint(k, &key) || key > UINT32_MAX)
        return NULL;
    p = store_u32(p, (uint32_t)key);
    if (value_size == 4)
        return cell_f32(v, &narrow) ? store_u32(p, narrow) : NULL;
    if (!cell_f64(v, &wide))
        return NULL;
    memcpy(&bits, &wide, sizeof bits);
    return store_u64(p, bits);
}

/* Encodes a list of numbers, or of maps of an id and a value. */
static struct ras_bytes get_list(struct row_get *g, const char *name, const char *id,
                                 unsigned value_size)
{
    const struct ras_value *list = row_find(g->row, name);
    if (!list || list->kind != RAS_LIST) {
        row_get_fail(g, name, list ? "is not a list" : "is missing");
        return (struct ras_bytes){0};
    }
    uint8_t *start = arena_take(g->row->arena, (uint64_t)list->count * 12 + 1), *p = start;
    const struct ras_value *end = ras_value_next(list);
    if (!start)
        row_get_nomem(g);
    for (const struct ras_value *cell = list + 1; p && cell < end; cell = ras_value_next(cell))
        p = store_item(g->row, p, cell, id, value_size);
    if (!p)
        row_get_fail(g, name, "has an invalid element");
    return (struct ras_bytes){start, p ? (size_t)(p - start) : 0};
}

static void get_value(struct row_get *g, uint8_t type, struct ras_murk_payload *p)
{
    double wide = 0;
    if (g->status == RAS_OK)
        g->status = row_f64(g->row, "value", &wide, g->err);
    if (g->status == RAS_OK && type == RAS_MURK_SET_FIELD)
        cell_f32(row_find(g->row, "value"), &p->value_f32);
    else
        memcpy(&p->value_f64, &wide, sizeof wide);
}

/* The typed fields of each payload, in any order. */
static int get_payload(const struct json_row *row, uint8_t type, struct ras_murk_payload *p,
                       struct ras_error *err)
{
    struct row_get g = {row, err, RAS_OK};
    *p = (struct ras_murk_payload){0};
    switch (type) {
    case RAS_MURK_MOVE:
        p->entity_id = row_get_u64(&g, "entity_id");
        p->coord = get_list(&g, "coord", NULL, 0);
        break;
    case RAS_MURK_SPAWN:
        p->coord = get_list(&g, "coord", NULL, 0);
        p->field_values = get_list(&g, "field_values", "field_id", 4);
        break;
    case RAS_MURK_DESPAWN:
        p->entity_id = row_get_u64(&g, "entity_id");
        break;
    case RAS_MURK_SET_FIELD:
        p->coord = get_list(&g, "coord", NULL, 0);
        p->field_id = row_get_u32(&g, "field_id");
        get_value(&g, type, p);
        break;
    case RAS_MURK_CUSTOM:
        p->type_id = row_get_u32(&g, "type_id");
        p->data = row_get_bytes(&g, "data");
        break;
    case RAS_MURK_SET_PARAMETER:
        p->key = row_get_u32(&g, "key");
        get_value(&g, type, p);
        break;
    case RAS_MURK_SET_PARAMETER_BATCH:
        p->params = get_list(&g, "params", "key", 8);
        break;
    default:
        row_get_fail(&g, "payload_type", "is %u: give its bytes as `payload`", type);
    }
    return g.status;
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
    return a->entity_id == b->entity_id && bytes_same(a->coord, b->coord) &&
           a->field_id == b->field_id && same_f32(a->value_f32, b->value_f32) &&
           same_list(a->field_values, b->field_values, 8) && a->type_id == b->type_id &&
           bytes_same(a->data, b->data) && a->key == b->key &&
           same_f64(a->value_f64, b->value_f64) && same_list(a->params, b->params, 12);
}

/* Bytes and fields may both be given, as cat prints them; if an edit made them contradict each
 * other, it is unclear which one is meant. */
static int check_given_payload(const struct json_row *row, uint8_t type, struct ras_bytes bytes,
                               struct ras_error *err)
{
    struct ras_murk_payload given = {0}, said = {0};
    struct ras_murk_fault fault;
    if (get_payload(row, type, &given, NULL) < 0 ||
        !ras_murk_payload_get(type, bytes, &said, &fault) || same_payload(&given, &said))
        return RAS_OK;
    return row_fail(row, "payload", err,
                    "and the fields contradict each other: remove one of them");
}

/* By its number, or without one by its name. */
static uint8_t get_type(struct row_get *g)
{
    const struct ras_value *name = row_find(g->row, "payload_name");
    if (!row_has(g, "payload_type") && name && name->kind == RAS_STR)
        for (unsigned i = 0; i < RAS_MURK_PAYLOAD_TYPES; i++)
            if (!strcmp(ras_murk_payload_name((uint8_t)i), name->at))
                return (uint8_t)i;
    return (uint8_t)row_get_uint(g, "payload_type", UINT8_MAX);
}

/* ---- records -------------------------------------------------------------------------- */

static int build_write_frame(struct maker *m, struct ras_error *err)
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
                    "the frame of tick %" PRIu64 " has command_count %" PRIu64
                    ", but %zu commands follow",
                    m->tick, m->declared, m->count);
    return ras_murk_writer_frame(m->writer, m->tick, m->commands, (uint32_t)m->count, m->hash, err);
}

static int build_put_frame(struct maker *m, const struct json_row *row, struct ras_error *err)
{
    struct row_get g = {row, err, build_write_frame(m, err)};
    m->count = m->payloads.len = 0;
    m->tick = row_get_u64(&g, "tick_id");
    m->hash = row_get_u64(&g, "snapshot_hash");
    m->declared = row_get_uint_or(&g, "command_count", RAS_MURK_COMMANDS_MAX, RAS_NONE);
    m->open = g.status == RAS_OK;
    return g.status;
}

static int build_get_command(struct row_get *g, struct ras_murk_command *c)
{
    const struct json_row *row = g->row;
    c->payload_type = get_type(g);
    if (row_has(g, "payload")) {
        c->payload = row_get_bytes(g, "payload");
        if (g->status == RAS_OK)
            g->status = check_given_payload(row, c->payload_type, c->payload, g->err);
    } else if (g->status == RAS_OK) {
        g->status = make_payload(row, c->payload_type, &c->payload, g->err);
    }
    c->priority_class = (uint8_t)row_get_uint_or(g, "priority_class", UINT8_MAX, 0);
    c->has_source_id = row_has(g, "source_id");
    c->source_id = row_get_u64_or(g, "source_id", 0);
    c->has_source_seq = row_has(g, "source_seq");
    c->source_seq = row_get_u64_or(g, "source_seq", 0);
    c->expires_after_tick = row_get_u64_or(g, "expires_after_tick", UINT64_MAX);
    c->arrival_seq = row_get_u64_or(g, "arrival_seq", c->arrival_seq);
    return g->status;
}

static int put_command(struct maker *m, const struct json_row *row, struct ras_error *err)
{
    struct ras_murk_command c = {.arrival_seq = m->count};
    struct row_get g = {row, err, RAS_OK};
    if (!m->open)
        return fail(err, RAS_EFORMAT, RAS_NONE, "line %" PRIu64 ": a command before any frame",
                    row->line);
    if (build_get_command(&g, &c) < 0)
        return g.status;
    out_bytes(&m->payloads, c.payload.at, c.payload.len);
    if (m->payloads.failed || !array_grow(&m->commands, &m->room, m->count + 1, sizeof c))
        return fail_memory(err);
    m->commands[m->count++] = c;
    return RAS_OK;
}

static int build_put(struct build *b, const struct json_row *row, struct ras_error *err)
{
    struct maker *m = b->priv;
    if (!strcmp(row->type, "frame"))
        return build_put_frame(m, row, err);
    if (!strcmp(row->type, "command"))
        return put_command(m, row, err);
    return fail(err, RAS_EFORMAT, RAS_NONE, "line %" PRIu64 ": a replay has no records of type %s",
                row->line, row->type);
}

static int build_end(struct build *b, struct ras_error *err)
{
    return build_write_frame(b->priv, err);
}

static void build_stop(struct build *b)
{
    struct maker *m = b->priv;
    (void)!ras_murk_writer_close(m->writer, NULL); /* closing the sink reports failures */
    out_free(&m->payloads);
    free(m->commands);
}

const struct build_ops murk_build = {
    .header = build_header,
    .targets = (const char *const[]){"v3", NULL},
    .types = (const char *const[]){"frame", "command", NULL},
    .schemas = (const struct ras_schema *const[]){&murk_frame_schema, &murk_command_schema, NULL},
    .size = sizeof(struct maker),
    .begin = build_begin,
    .put = build_put,
    .end = build_end,
    .stop = build_stop,
};
