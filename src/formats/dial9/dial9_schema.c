/* dial9_schema.c - shapes of events by name and fields, and the layouts by which they are
 * decoded. */
#include "base/error.h"
#include "base/memory.h"
#include "codec/fnv1a.h"
#include "codec/utf8.h"
#include "formats/dial9/dial9_layout.h"
#include "formats/dial9/dial9_schema.h"

#include <stdlib.h>

/* ---- layouts --------------------------------------------------------------------- */

/* Per field type: its step and the most bytes it can have, 0 if there is no bound. */
static const struct {
    uint8_t code, most;
} by_type[] = {
    [RAS_DIAL9_I64] = {DO_U64, 8},
    [RAS_DIAL9_F64] = {DO_U64, 8},
    [RAS_DIAL9_BOOL] = {DO_BOOL, 1},
    [RAS_DIAL9_STRING] = {DO_SPAN, 0},
    [RAS_DIAL9_BYTES] = {DO_SPAN, 0},
    [RAS_DIAL9_POOLED_STACK_FRAMES] = {DO_STACK_ID, 4},
    [RAS_DIAL9_POOLED_STRING] = {DO_STRING_ID, 4},
    [RAS_DIAL9_STACK_FRAMES] = {DO_STACK, 0},
    [RAS_DIAL9_VARINT] = {DO_VARINT, DIAL9_VARINT_MAX},
    [RAS_DIAL9_STRING_MAP] = {DO_TREE, 0},
    [RAS_DIAL9_U8] = {DO_U8, 1},
    [RAS_DIAL9_U16] = {DO_U16, 2},
    [RAS_DIAL9_U32] = {DO_U32, 4},
    [RAS_DIAL9_DYNAMIC_LIST] = {DO_TREE, 0},
    [RAS_DIAL9_DYNAMIC_MAP] = {DO_TREE, 0},
};

static struct layout_step make_step(uint8_t code, uint8_t type, unsigned field)
{
    struct layout_step step = {.code = code, .type = type, .field = (uint16_t)field};
    struct ras_dial9_value native = {.type = type, .field = (uint16_t)field};
    memcpy(step.native, &native, sizeof step.native);
    return step;
}

static void head_row(struct layout_step *step, const struct ras_field *field)
{
    struct ras_value row = {.kind = field->kind, .bits = field->bits, .field = step->field};
    memcpy(step->row, &row, sizeof step->row);
}

/* Combine a step with the next one where that is faster. */
static void fuse(struct layout_step *s)
{
    static const uint8_t with_varint[DO_CODES] = {
        [DO_U8] = DO_VARINT_U8,
        [DO_U32] = DO_VARINT_U32,
        [DO_VARINT] = DO_VARINT_VARINT,
        [DO_STRING_ID] = DO_VARINT_STRING_ID,
    };
    for (; s->code != DO_END; s++) {
        uint8_t both = 0;
        if (s->code == DO_VARINT)
            both = with_varint[s[1].code];
        else if (s->code == DO_OPTIONAL && s[1].code == DO_STRING_ID)
            both = DO_OPTIONAL_STRING_ID;
        if (both)
            s++->code = both;
    }
}

static void dial9_layout_fill(struct dial9_layout *layout, struct layout_step *steps,
                              const struct ras_dial9_schema *schema, const struct ras_field *fields)
{
    struct layout_step *s = steps;
    layout->head = DIAL9_EVENT_SIZE + (schema->has_timestamp ? DIAL9_DELTA_SIZE : 0);
    layout->delta_mask = schema->has_timestamp ? 0xffffff : 0;
    uint32_t first = layout->head, *need = &first;
    for (unsigned i = 0; i < schema->field_count; i++) {
        uint8_t type = schema->fields[i].type & (uint8_t)~RAS_DIAL9_OPTIONAL;
        if (schema->fields[i].type & RAS_DIAL9_OPTIONAL) {
            *s++ = make_step(DO_OPTIONAL, 0, i);
            *need += 1;
        }
        *s = make_step(by_type[type].code, type, i);
        s->need = schema->field_count + 1u;
        head_row(s++, &fields[i]);
        *need += by_type[type].most;
        if (by_type[type].most == 0) {
            *s = make_step(DO_NEED, 0, i);
            need = &s++->need;
        }
    }
    *s = make_step(DO_END, 0, 0);
    fuse(steps);
    /* The delta is masked out of four bytes, also if there is none. */
    layout->need = first > DIAL9_EVENT_SIZE + 4 ? first : DIAL9_EVENT_SIZE + 4;
}

const uint8_t *dial9_layout_skip_long(const struct layout_step *s, const uint8_t *p,
                                      const uint8_t *end, unsigned depth)
{
    struct ras_dial9_value value;
    struct in in = {p, end, false};
    return dial9_value_get(&in, s->type, depth, &value) || in.cut ? NULL : in.at;
}

const uint8_t *dial9_layout_skip(const struct layout_step *s, const uint8_t *p, const uint8_t *end,
                                 unsigned depth)
{
    return layout_skip(s, p, end, depth);
}

/* ---- schemas --------------------------------------------------------------------- */

/* A field type in the common model. */
static const struct ras_field common_of[] = {
    [RAS_DIAL9_I64] = {.kind = RAS_INT, .bits = 64},
    [RAS_DIAL9_F64] = {.kind = RAS_F64, .bits = 64},
    [RAS_DIAL9_BOOL] = {.kind = RAS_BOOL, .bits = 8},
    [RAS_DIAL9_STRING] = {.kind = RAS_STR},
    [RAS_DIAL9_BYTES] = {.kind = RAS_BLOB},
    [RAS_DIAL9_POOLED_STACK_FRAMES] = {.kind = RAS_LIST,
                                       .flags = RAS_HEX | RAS_NULLABLE,
                                       .item = RAS_UINT,
                                       .item_bits = 64},
    [RAS_DIAL9_POOLED_STRING] = {.kind = RAS_STR, .flags = RAS_NULLABLE},
    [RAS_DIAL9_STACK_FRAMES] = {.kind = RAS_LIST,
                                .flags = RAS_HEX,
                                .item = RAS_UINT,
                                .item_bits = 64},
    [RAS_DIAL9_VARINT] = {.kind = RAS_UINT, .bits = 64},
    [RAS_DIAL9_STRING_MAP] = {.kind = RAS_MAP, .item = RAS_STR},
    [RAS_DIAL9_U8] = {.kind = RAS_UINT, .bits = 8},
    [RAS_DIAL9_U16] = {.kind = RAS_UINT, .bits = 16},
    [RAS_DIAL9_U32] = {.kind = RAS_UINT, .bits = 32},
    [RAS_DIAL9_DYNAMIC_LIST] = {.kind = RAS_LIST},
    [RAS_DIAL9_DYNAMIC_MAP] = {.kind = RAS_MAP},
};

bool dial9_shape_is(const struct shape *shape, const struct wire_schema *wire)
{
    return shape->native.has_timestamp == (wire->has_timestamp != 0) &&
           bytes_same(shape->name, wire->name) && bytes_same(shape->fields, wire->fields);
}

int dial9_schema_check(const struct wire_schema *wire, enum ras_dial9_dialect dialect, uint64_t at,
                       struct ras_error *err)
{
    if (!utf8_check(wire->name.at, wire->name.len, NULL))
        return fail(err, RAS_EFORMAT, at, "name of schema %u is not UTF-8", wire->type_id);
    struct in in = in_bytes(wire->fields);
    for (unsigned i = 0; i < wire->field_count; i++) {
        struct wire_field field;
        dial9_field_get(&in, &field);
        if (!utf8_check(field.name.at, field.name.len, NULL))
            return fail(err, RAS_EFORMAT, at, "name of field %u of schema %u is not UTF-8", i,
                        wire->type_id);
        if (!dial9_type_known(field.type, dialect))
            return fail(err, RAS_EFORMAT, at, "field '%s' of schema %u has the unknown type %u",
                        dial9_label_bytes(field.name).text, wire->type_id, field.type);
    }
    return RAS_OK;
}

static size_t text_size(struct ras_bytes name)
{
    return dial9_name_size(name) + 1;
}

static const char *text_put(char **room, struct ras_bytes name)
{
    char *start = *room;
    *room += dial9_name_text(start, name) + 1;
    return start;
}

/* Everything a shape owns beside its layout, in one block. */
struct body {
    struct ras_schema common;
    struct ras_field *fields;
    struct ras_dial9_field *native;
    char *texts;
    uint8_t *key;
    size_t size;
};

static struct body *body_new(const struct wire_schema *wire)
{
    size_t texts = text_size(wire->name), count = wire->field_count;
    struct in in = in_bytes(wire->fields);
    for (size_t i = 0; i < count; i++) {
        struct wire_field field;
        dial9_field_get(&in, &field);
        texts += text_size(field.name);
    }
    size_t key = wire->name.len + wire->fields.len;
    size_t per_field = sizeof(struct ras_field) + sizeof(struct ras_dial9_field);
    size_t size = sizeof(struct body) + count * per_field + texts + key;
    struct body *body = calloc(1, size);
    if (!body)
        return NULL;
    body->fields = (struct ras_field *)(body + 1);
    body->native = (struct ras_dial9_field *)(body->fields + count);
    body->texts = (char *)(body->native + count);
    body->key = (uint8_t *)body->texts + texts;
    body->size = size;
    return body;
}

/* Fields of numbers that are addresses: they print as hex, as stacks do. */
static bool is_address(const char *type, const char *field)
{
    static const char *const fields[][2] = {{"SymbolTableEntry", "addr"},
                                            {"CallframeDefEvent", "address"},
                                            {"AllocEvent", "addr"},
                                            {"FreeEvent", "addr"}};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (!strcmp(fields[i][0], type) && !strcmp(fields[i][1], field))
            return true;
    return false;
}

static void body_fill(struct body *body, const struct wire_schema *wire)
{
    char *room = body->texts;
    const char *name = text_put(&room, wire->name);
    struct in in = in_bytes(wire->fields);
    for (unsigned i = 0; i < wire->field_count; i++) {
        struct wire_field field;
        dial9_field_get(&in, &field);
        const char *text = text_put(&room, field.name);
        body->native[i] = (struct ras_dial9_field){.name = text, .type = field.type};
        body->fields[i] = common_of[field.type & ~RAS_DIAL9_OPTIONAL];
        body->fields[i].name = text;
        if (body->fields[i].kind == RAS_UINT && is_address(name, text))
            body->fields[i].flags |= RAS_HEX;
        if (field.type & RAS_DIAL9_OPTIONAL)
            body->fields[i].flags |= RAS_NULLABLE;
    }
    if (wire->name.len)
        memcpy(body->key, wire->name.at, wire->name.len);
    if (wire->fields.len)
        memcpy(body->key + wire->name.len, wire->fields.at, wire->fields.len);
    body->common =
        (struct ras_schema){.name = name,
                            .fields = body->fields,
                            .field_count = wire->field_count,
                            .flags = strcmp(name, "SymbolTableEntry") ? 0 : RAS_TIMELESS};
}

static void shape_free(struct shape *shape)
{
    if (!shape)
        return;
    if (shape->twin == shape)
        free((void *)(uintptr_t)shape->common); /* the body starts with it */
    free(shape->tally);
    free(shape);
}

void dial9_shapes_free(struct shapes *shapes)
{
    for (size_t i = 0; i < shapes->bucket_count; i++)
        for (struct shape *s = shapes->buckets[i], *chain; s; s = chain) {
            chain = s->chain;
            shape_free(s);
        }
    free(shapes->buckets);
    free(shapes->scratch);
    *shapes = (struct shapes){0};
}

static bool buckets_grow(struct shapes *shapes)
{
    if (shapes->count < shapes->bucket_count)
        return true;
    size_t count = shapes->bucket_count ? 2 * shapes->bucket_count : 64;
    struct shape **buckets = calloc(count, sizeof(struct shape *));
    if (!buckets)
        return false;
    for (size_t i = 0; i < shapes->bucket_count; i++)
        for (struct shape *s = shapes->buckets[i], *chain; s; s = chain) {
            chain = s->chain;
            s->chain = buckets[s->hash % count];
            buckets[s->hash % count] = s;
        }
    free(shapes->buckets);
    shapes->buckets = buckets;
    shapes->bucket_count = count;
    return true;
}

/* A shape of its own name and fields. */
static bool shape_define(struct shapes *shapes, struct shape *shape, const struct wire_schema *wire)
{
    struct body *body = body_new(wire);
    if (!body)
        return false;
    body_fill(body, wire);
    shape->twin = shape;
    shape->common = &body->common;
    shape->name = (struct ras_bytes){body->key, wire->name.len};
    shape->fields = (struct ras_bytes){body->key + wire->name.len, wire->fields.len};
    shape->native = (struct ras_dial9_schema){
        .name = body->common.name, .fields = body->native, .field_count = wire->field_count};
    shapes->bytes += body->size;
    return true;
}

static int shape_new(struct shapes *shapes, const struct wire_schema *wire, struct shape *twin,
                     struct shape **out, struct ras_error *err)
{
    size_t steps = LAYOUT_STEPS(wire->field_count);
    size_t size = sizeof(struct shape) + steps * sizeof(struct layout_step);
    struct shape *shape = calloc(1, size);
    bool good = shape != NULL;
    if (good && twin) {
        *shape = *twin;
        shape->tally = NULL;
    } else if (good) {
        good = shape_define(shapes, shape, wire);
    }
    int status = good ? RAS_OK : fail_memory(err);
    /* Last, since the owner keeps it. */
    if (good && !twin && shapes->add) {
        int64_t id = shapes->add(shapes->owner, shape->common);
        shape->schema = (uint32_t)id;
        if (id < 0)
            status = id == RAS_EMEMORY
                         ? fail_memory(err)
                         : fail(err, RAS_ELIMIT, RAS_NONE, "more schemas than the limit allows");
    }
    if (status < 0) {
        shape_free(shape);
        return status;
    }
    shape->native.has_timestamp = wire->has_timestamp != 0;
    dial9_layout_fill(&shape->layout, shape->steps, &shape->native, shape->common->fields);
    shapes->bytes += size;
    *out = shape;
    return RAS_OK;
}

int dial9_shape_get(struct shapes *shapes, const struct wire_schema *wire, struct shape **out,
                    struct ras_error *err)
{
    if (!buckets_grow(shapes) || !array_grow(&shapes->scratch, &shapes->scratch_room,
                                             wire->field_count + 1u, sizeof *shapes->scratch))
        return fail_memory(err);
    uint64_t hash = fnv1a_bytes(FNV1A_START, wire->name.at, wire->name.len);
    hash = fnv1a_bytes(hash, wire->fields.at, wire->fields.len);
    struct shape *twin = NULL;
    for (struct shape *s = shapes->buckets[hash % shapes->bucket_count]; s; s = s->chain) {
        if (s->hash != hash || !bytes_same(s->name, wire->name) ||
            !bytes_same(s->fields, wire->fields))
            continue;
        twin = s->twin;
        if (dial9_shape_is(s, wire)) {
            *out = s;
            return RAS_OK;
        }
    }
    int status = shape_new(shapes, wire, twin, out, err);
    if (status < 0)
        return status;
    struct shape **bucket = &shapes->buckets[hash % shapes->bucket_count];
    (*out)->hash = hash;
    (*out)->chain = *bucket;
    *bucket = *out;
    shapes->count++;
    return RAS_OK;
}
