/* murk_compare_fields.c - headers and commands of two replays, field by field.
 *
 * Floats compare by their bits, as the reference compares snapshots: replays that differ
 * in a zero's sign take different ways. */
#include "formats/murk/murk_compare.h"

#include <stdio.h>

enum { PATH_SIZE = 128 };

static struct ras_value text_of(const void *at, size_t len)
{
    return (struct ras_value){.kind = RAS_STR, .count = (uint32_t)len, .at = at};
}

static void differ(struct murk_rows *r, const char *path, struct ras_value a, struct ras_value b)
{
    const struct ras_compare_options *asked = r->compare->asked;
    r->count += fields_compare(r->doc, asked, NULL, path, &a, &b, FIELDS_BITS);
}

static void differ_bytes(struct murk_rows *r, const char *path, struct ras_bytes a,
                         struct ras_bytes b)
{
    r->count += fields_bytes(r->doc, r->compare->asked, path, a, b);
}

static void differ_hash(struct murk_rows *r, const char *path, uint64_t a, uint64_t b)
{
    char text[2][24];
    int n = snprintf(text[0], sizeof text[0], "0x%016" PRIx64, a);
    int m = snprintf(text[1], sizeof text[1], "0x%016" PRIx64, b);
    differ(r, path, text_of(text[0], (size_t)n), text_of(text[1], (size_t)m));
}

void murk_hash_put(struct document *d, uint64_t hash)
{
    document_format(d, "0x%016" PRIx64, hash);
}

void murk_header_rows(struct murk_rows *r, const struct ras_murk_header *a,
                      const struct ras_murk_header *b)
{
    const struct {
        const char *path;
        const struct ras_bytes *a, *b;
    } texts[] = {
        {"header.toolchain", &a->toolchain, &b->toolchain},
        {"header.target_triple", &a->target_triple, &b->target_triple},
        {"header.murk_version", &a->murk_version, &b->murk_version},
        {"header.compile_flags", &a->compile_flags, &b->compile_flags},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        differ(r, texts[i].path, text_of(texts[i].a->at, texts[i].a->len),
               text_of(texts[i].b->at, texts[i].b->len));
    differ(r, "header.seed", value_of_uint(a->seed), value_of_uint(b->seed));
    differ_hash(r, "header.config_hash", a->config_hash, b->config_hash);
    differ(r, "header.field_count", value_of_uint(a->field_count), value_of_uint(b->field_count));
    differ(r, "header.cell_count", value_of_uint(a->cell_count), value_of_uint(b->cell_count));
    differ_bytes(r, "header.space_descriptor", a->space_descriptor, b->space_descriptor);
}

/* ---- commands ---------------------------------------------------------------------- */

/* Fields in the order in which reports have them: those of every command, and those of typed
 * payloads, each of which has some. */
static const char *const plain_fields[] = {"payload_type", "payload_name", "priority_class",
                                           "source_id",    "source_seq",   "expires_after_tick",
                                           "arrival_seq"};
static const char *const typed_fields[] = {"entity_id", "coord", "field_id",     "type_id", "key",
                                           "value",     "data",  "field_values", "params"};
enum {
    PLAIN = sizeof plain_fields / sizeof *plain_fields,
    TYPED = sizeof typed_fields / sizeof *typed_fields
};

/* A command as its cells; `trailing` is what follows a typed payload. */
struct command {
    struct cells cells;
    bool typed;
    struct ras_bytes payload, trailing;
};

static bool command_open(struct command *c, const struct ras_murk_command *k)
{
    static const struct view all = {.values = true};
    struct ras_murk_payload p = {0};
    struct ras_murk_fault fault;
    *c = (struct command){.payload = k->payload};
    c->typed = ras_murk_payload_get(k->payload_type, k->payload, &p, &fault);
    if (c->typed)
        c->trailing =
            (struct ras_bytes){k->payload.at + (k->payload.len - p.trailing), (size_t)p.trailing};
    return murk_command_values(&c->cells, &all, k);
}

static const struct ras_value *value_named(const struct command *c, const char *name)
{
    return cells_find(&c->cells, ras_field_index(&murk_command_schema, name));
}

static void differ_named(struct murk_rows *r, size_t index, const char *name,
                         const struct command c[2])
{
    char path[PATH_SIZE];
    const struct ras_value *a = value_named(&c[0], name), *b = value_named(&c[1], name);
    size_t most = r->count < COMPARE_ROWS_MOST ? COMPARE_ROWS_MOST - r->count : 0;
    snprintf(path, sizeof path, "commands[%zu].%s", index, name);
    if (a->kind == RAS_BLOB && b->kind == RAS_BLOB)
        differ_bytes(r, path, (struct ras_bytes){a->at, a->count},
                     (struct ras_bytes){b->at, b->count});
    else
        r->count += fields_compare_some(r->doc, r->compare->asked, path, a, b, FIELDS_BITS, most);
}

static void differ_span(struct murk_rows *r, size_t index, const char *name, struct ras_bytes a,
                        struct ras_bytes b)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "commands[%zu].%s", index, name);
    differ_bytes(r, path, a, b);
}

void murk_command_rows(struct murk_rows *r, size_t index, const struct ras_murk_command *a,
                       const struct ras_murk_command *b)
{
    struct command c[2];
    bool first = command_open(&c[0], a), ok = command_open(&c[1], b) && first;
    bool typed = a->payload_type == b->payload_type && c[0].typed && c[1].typed;
    r->doc->cells.nomem |= !ok;
    for (size_t i = 0; ok && i < PLAIN; i++)
        if (strcmp(plain_fields[i], "payload_name") != 0) /* said by payload_type */
            differ_named(r, index, plain_fields[i], c);
    for (size_t i = 0; ok && typed && i < TYPED; i++)
        differ_named(r, index, typed_fields[i], c);
    if (ok && typed)
        differ_span(r, index, "trailing", c[0].trailing, c[1].trailing);
    else if (ok)
        differ_span(r, index, "payload", c[0].payload, c[1].payload);
    cells_free(&c[0].cells);
    cells_free(&c[1].cells);
}

/* ---- showing ----------------------------------------------------------------------- */

static size_t items_of(const struct ras_value *list)
{
    size_t n = 0;
    for (const struct ras_value *v = list + 1; v < ras_value_next(list); v = ras_value_next(v))
        n++;
    return n;
}

/* A value, or how long it is. */
static void put_short(struct document *d, const char *key, const struct ras_value *v)
{
    document_key(d, key);
    size_t n = v->kind == RAS_LIST ? items_of(v) : 0;
    if (n > COMPARE_ITEMS_SHOWN)
        document_format(d, "%s", ras_counted(n, "element").text);
    else if (v->kind == RAS_BLOB && v->count > COMPARE_BYTES_SHOWN)
        document_format(d, "%" PRIu32 " bytes", v->count);
    else
        document_copy(d, v);
}

static void put_short_span(struct document *d, const char *key, struct ras_bytes b)
{
    put_short(d, key, &(struct ras_value){.kind = RAS_BLOB, .count = (uint32_t)b.len, .at = b.at});
}

void murk_command_put(struct document *d, const struct ras_murk_command *k)
{
    struct command c;
    bool ok = command_open(&c, k);
    size_t map = document_open(d, RAS_MAP);
    d->cells.nomem |= !ok;
    for (size_t i = 0; ok && i < PLAIN; i++)
        put_short(d, plain_fields[i], value_named(&c, plain_fields[i]));
    for (size_t i = 0; ok && i < TYPED; i++) {
        const struct ras_value *v = value_named(&c, typed_fields[i]);
        if (v->kind != RAS_NULL)
            put_short(d, typed_fields[i], v);
    }
    if (ok && !c.typed)
        put_short_span(d, "payload", c.payload);
    else if (ok && c.trailing.len)
        put_short_span(d, "trailing", c.trailing);
    document_close(d, map);
    cells_free(&c.cells);
}
