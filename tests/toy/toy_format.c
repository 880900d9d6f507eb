/* toy_format.c - the smallest driver: it only reads, and core does the rest.
 *
 * "TOY1", seed u32; then records {kind u8, size u8, tick u32, size bytes of text}. Little-endian.
 * 'e' is an event, 'n' a note. */
#include "core/format.h"

enum { TOY_HEADER = 8, TOY_EVENT = 1, TOY_NOTE };

static const struct ras_field toy_fields[] = {{"tick", RAS_UINT, 32, 0}, {"text", RAS_STR, 0, 0}};
static const struct ras_schema toy_schemas[] = {{"event", toy_fields, 2, 0},
                                                {"note", toy_fields, 2, 0}};

static int toy_probe(const struct probe *p)
{
    return p->head.len >= 4 && !memcmp(p->head.at, "TOY1", 4) ? 90 : 0;
}

static int toy_open(struct ras_trace *t, struct ras_error *err)
{
    struct in in = in_bytes(source_arrived(t->source, 0));
    (void)in_take(&in, 4);
    uint32_t seed = in_u32(&in);
    if (in.cut)
        return fail(err, RAS_ECUT, 4, "the header is not all there");
    t->dialect = "v1";
    t->version = 1;
    t->body = TOY_HEADER;
    for (int i = 0; i < 2; i++)
        if (schema_add(t, &toy_schemas[i]) < 0)
            return fail_memory(err);
    return fact_uint(t, "seed", seed, 0) ? RAS_OK : fail_memory(err);
}

static enum step toy_next(struct ras_cursor *c)
{
    uint64_t at = cursor_offset(c);
    if (c->in.at == c->in.end)
        return STEP_END;
    uint8_t kind = in_u8(&c->in);
    uint8_t size = in_u8(&c->in);
    uint32_t tick = in_u32(&c->in);
    struct ras_bytes text = in_span(&c->in, size);
    if (kind != 'e' && kind != 'n')
        return damaged(c, at, "kind %u is not a valid kind of record", kind);
    if (c->in.cut)
        return cut(c, "ends inside a record");
    c->record = (struct ras_record){.tick = tick,
                                    .flags = RAS_HAS_TICK,
                                    .parent = RAS_NONE,
                                    .offset = at,
                                    .raw = c->base + at,
                                    .raw_len = 6u + size,
                                    .schema = kind == 'e' ? TOY_EVENT : TOY_NOTE};
    const struct view *view = cursor_view(c, c->record.schema);
    if (!view->values)
        return STEP_RECORD;
    if (!cells_room(&c->values, 2))
        return STEP_NOMEM;
    if (view_has(view, 0))
        value_uint(&c->values, 0, 32, tick);
    if (view_has(view, 1))
        value_span(&c->values, RAS_STR, 1, text.at, text.len);
    return STEP_RECORD;
}

const struct ras_format toy_format = {
    .about = {.name = "toy",
              .label = "toy trace",
              .title = "Toy trace: a format for tests",
              .dialects = (const char *const[]){"v1", NULL},
              .extensions = (const char *const[]){".toy", NULL},
              .axis = RAS_AXIS_TICK,
              .axes = 1u << RAS_AXIS_TICK,
              .can = RAS_CAN_READ | RAS_CAN_STREAM | RAS_CAN_REPAIR},
    .probe = toy_probe,
    .open = toy_open,
    .next = toy_next,
};
