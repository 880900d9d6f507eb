/* dial9_put.c - dial9 frames and values to bytes: pure put, no memory of their own. */
#include "formats/dial9/dial9_put.h"
#include "codec/leb128.h"
#include "codec/utf8.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

enum { SCHEMA_SIZE = 8, FIELD_SIZE = 3, NAME_MOST = UINT16_MAX };

/* Bytes of the types that have one size; 0: the others. */
static const uint8_t widths[] = {
    [RAS_DIAL9_I64] = 8,         [RAS_DIAL9_F64] = 8,
    [RAS_DIAL9_BOOL] = 1,        [RAS_DIAL9_POOLED_STRING] = 4,
    [RAS_DIAL9_U8] = 1,          [RAS_DIAL9_U16] = 2,
    [RAS_DIAL9_U32] = 4,         [RAS_DIAL9_POOLED_STACK_FRAMES] = 4,
    [RAS_DIAL9_DYNAMIC_MAP] = 0,
};

/* The bits of the number that do not fit the type. */
static uint64_t over_of(uint8_t type)
{
    if (type == RAS_DIAL9_BOOL)
        return ~UINT64_C(1);
    return widths[type] == 8 ? 0 : UINT64_MAX << widths[type] * 8;
}

static uint64_t wrong(struct put_fault *fault, int status, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static uint64_t wrong(struct put_fault *fault, int status, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(fault->text, sizeof fault->text, fmt, args);
    va_end(args);
    fault->status = status;
    return RAS_NONE;
}

/* ---- schemas ------------------------------------------------------------------- */

/* Its bytes in the stream; *valid: they are UTF-8. */
static size_t name_len(const char *name, bool *valid)
{
    size_t len = 0;
    const char *nul;
    *valid = true;
    for (; (nul = strstr(name, RAS_NAME_NUL)); name = nul + strlen(RAS_NAME_NUL)) {
        *valid &= utf8_check((const uint8_t *)name, (size_t)(nul - name), NULL);
        len += (size_t)(nul - name) + 1;
    }
    *valid &= utf8_check((const uint8_t *)name, strlen(name), NULL);
    return len + strlen(name);
}

static bool check_name(const char *name, const char *what, size_t *size, struct put_fault *fault)
{
    bool valid;
    size_t len = name_len(name, &valid);
    *size += len;
    if (len > NAME_MOST)
        wrong(fault, RAS_ELIMIT, "name of %s '%s' of %zu bytes, the most is %d", what,
              dial9_label(name).text, len, NAME_MOST);
    else if (!valid)
        wrong(fault, RAS_EFORMAT, "name of %s '%s' is not UTF-8", what, dial9_label(name).text);
    else
        return true;
    return false;
}

uint64_t dial9_schema_size(const struct ras_dial9_schema *schema, enum ras_dial9_dialect dialect,
                           struct put_fault *fault)
{
    size_t size = SCHEMA_SIZE;
    if (!check_name(schema->name, "schema", &size, fault))
        return 0;
    for (unsigned i = 0; i < schema->field_count; i++) {
        const struct ras_dial9_field *field = &schema->fields[i];
        if (!check_name(field->name, "field", &size, fault))
            return 0;
        if (!dial9_type_known(field->type, dialect)) {
            bool known = dial9_type_known(field->type, RAS_DIAL9_FULL);
            wrong(fault, known ? RAS_EUNSUPPORTED : RAS_EUSAGE,
                  "field '%s' of schema '%s' has type %u, which %s", dial9_label(field->name).text,
                  dial9_label(schema->name).text, field->type,
                  known ? "the seed dialect does not know" : "does not exist");
            return 0;
        }
        size += FIELD_SIZE;
    }
    return size;
}

static uint8_t *put_name(uint8_t *p, const char *name)
{
    size_t len = dial9_name_bytes(p + sizeof(uint16_t), name);
    return store_u16(p, (uint16_t)len) + len;
}

uint8_t *dial9_schema_put(uint8_t *p, uint16_t type_id, const struct ras_dial9_schema *schema)
{
    p = store_u16(store_u8(p, RAS_DIAL9_SCHEMA), type_id);
    p = put_name(p, schema->name);
    p = store_u8(p, schema->has_timestamp);
    p = store_u16(p, schema->field_count);
    for (unsigned i = 0; i < schema->field_count; i++)
        p = store_u8(put_name(p, schema->fields[i].name), schema->fields[i].type);
    return p;
}

static struct put_step step_of(uint8_t field_type)
{
    uint8_t type = field_type & (uint8_t)~RAS_DIAL9_OPTIONAL;
    struct put_step step = {.code = PUT_CAREFUL,
                            .type = type,
                            .field = field_type,
                            .optional = field_type & RAS_DIAL9_OPTIONAL};
    if (type == RAS_DIAL9_VARINT) {
        step.code = step.optional ? PUT_OPTIONAL_VARINT : PUT_VARINT;
        step.width = DIAL9_VARINT_MAX;
    } else if (widths[type]) {
        step.code = PUT_FIXED;
        step.width = widths[type];
        step.over = over_of(type);
    }
    return step;
}

void dial9_put_layout_fill(struct put_layout *layout, uint16_t type_id,
                           const struct ras_dial9_schema *schema)
{
    bool timed = schema->has_timestamp;
    bool careful = false;
    layout->head = RAS_DIAL9_EVENT | (uint32_t)type_id << 8;
    layout->head_size = DIAL9_EVENT_SIZE + (timed ? DIAL9_DELTA_SIZE : 0);
    layout->timed = timed;
    layout->field_count = schema->field_count;
    layout->most = DIAL9_RESET_SIZE + layout->head_size + PUT_SLACK;
    for (unsigned i = 0; i < schema->field_count; i++) {
        layout->steps[i] = step_of(schema->fields[i].type);
        layout->most += 1u + layout->steps[i].width;
        careful |= layout->steps[i].code == PUT_CAREFUL;
    }
    if (careful)
        layout->most = UINT64_MAX;
}

/* ---- values -------------------------------------------------------------------- */

/* An absent value has no type of its own. */
static const char *given(const struct ras_dial9_value *value)
{
    const char *name = ras_dial9_type_name(value->type);
    return value->type == 0 ? "an absent value" : name ? name : "an unknown type";
}

static uint64_t string_size(const struct ras_dial9_value *value, struct put_fault *fault)
{
    struct utf8_fault bad;
    if (value->type != RAS_DIAL9_STRING)
        return wrong(fault, RAS_EUSAGE, "String is wanted, %s is given", given(value));
    if (!utf8_check(value->at, value->count, &bad))
        return wrong(fault, RAS_EFORMAT, "not UTF-8 from byte %zu of %" PRIu32, bad.at,
                     value->count);
    return 4 + (uint64_t)value->count;
}

/* The type byte of an element, and the element. */
static uint64_t element_size(const struct ras_dial9_value *item, unsigned depth,
                             struct put_fault *fault)
{
    if (item->type & RAS_DIAL9_OPTIONAL || !dial9_type_known(item->type, RAS_DIAL9_FULL))
        return wrong(fault, RAS_EUSAGE, "%s in a container", given(item));
    if (depth == 0)
        return wrong(fault, RAS_ELIMIT, "values are nested too deep");
    uint64_t size = dial9_value_size(item, item->type, depth - 1, fault);
    return size == RAS_NONE ? RAS_NONE : size + 1;
}

static uint64_t container_size(const struct ras_dial9_value *value, unsigned depth,
                               struct put_fault *fault)
{
    bool list = value->type == RAS_DIAL9_DYNAMIC_LIST;
    uint64_t size = 4, items = (uint64_t)value->count * (list ? 1 : 2);
    if (items && value->made != 1)
        return wrong(fault, RAS_EUSAGE, "%s is given as stored bytes, not as items", given(value));
    for (uint64_t i = 0; i < items; i++) {
        const struct ras_dial9_value *item = &value->items[i];
        uint64_t more = value->type == RAS_DIAL9_STRING_MAP ? string_size(item, fault)
                                                            : element_size(item, depth, fault);
        if (more == RAS_NONE)
            return RAS_NONE;
        size += more;
    }
    return size;
}

uint64_t dial9_value_size(const struct ras_dial9_value *value, uint8_t type, unsigned depth,
                          struct put_fault *fault)
{
    uint64_t presence = type & RAS_DIAL9_OPTIONAL ? 1 : 0, size;
    if (presence && value->type == 0)
        return presence;
    if (value->type != (type & ~RAS_DIAL9_OPTIONAL))
        return wrong(fault, RAS_EUSAGE, "%s is wanted, %s is given", ras_dial9_type_name(type),
                     given(value));
    switch (value->type) {
    case RAS_DIAL9_VARINT:
        return presence + leb128_size(value->u);
    case RAS_DIAL9_STRING:
        size = string_size(value, fault);
        break;
    case RAS_DIAL9_BYTES:
        size = 4 + (uint64_t)value->count;
        break;
    case RAS_DIAL9_STACK_FRAMES:
        size = 4 + (uint64_t)value->count * DIAL9_ADDRESS_SIZE;
        break;
    case RAS_DIAL9_STRING_MAP:
    case RAS_DIAL9_DYNAMIC_LIST:
    case RAS_DIAL9_DYNAMIC_MAP:
        size = container_size(value, depth, fault);
        break;
    default:
        if (value->u & over_of(value->type))
            return wrong(fault, RAS_ELIMIT, "%" PRIu64 " does not fit %s", value->u, given(value));
        size = widths[value->type];
    }
    return size == RAS_NONE ? size : presence + size;
}

uint8_t *dial9_leb128_put(uint8_t *p, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        p = store_u8(p, (uint8_t)(value | 0x80));
    return store_u8(p, (uint8_t)value);
}

/* Spread groups of seven bits over bytes. */
static inline uint64_t spread(uint64_t x)
{
    x = (x & 0x000000000fffffff) | (x & 0x00fffffff0000000) << 4;
    x = (x & 0x00003fff00003fff) | (x & 0x0fffc0000fffc000) << 2;
    return (x & 0x007f007f007f007f) | (x & 0x3f803f803f803f80) << 1;
}

/* The length is computed, not branched on: the lengths of ids change at random, but an
 * id hashed into 64 bits has nine or ten bytes, and a clock less than nine. */
uint8_t *dial9_varint_store_long(uint8_t *p, uint64_t value)
{
    if (value < UINT64_C(1) << 56) {
        unsigned last = (unsigned)(63 - __builtin_clzll(value)) * 37 >> 8; /* divided by 7 */
        uint64_t more = (UINT64_C(1) << last * 8) - 1;
        store_u64(p, spread(value) | (more & 0x8080808080808080));
        return p + last + 1;
    }
    unsigned tenth = (unsigned)(value >> 63);
    store_u64(p, spread(value) | 0x8080808080808080);
    store_u16(p + 8, (uint16_t)((value >> 56 & 0x7f) | tenth << 7 | tenth << 8));
    return p + 9 + tenth;
}

static uint8_t *container_put(uint8_t *p, const struct ras_dial9_value *value)
{
    uint64_t items = (uint64_t)value->count * (value->type == RAS_DIAL9_DYNAMIC_LIST ? 1 : 2);
    p = store_u32(p, value->count);
    for (uint64_t i = 0; i < items; i++) {
        const struct ras_dial9_value *item = &value->items[i];
        if (value->type != RAS_DIAL9_STRING_MAP)
            p = store_u8(p, item->type);
        p = dial9_value_put(p, item, item->type);
    }
    return p;
}

uint8_t *dial9_value_put(uint8_t *p, const struct ras_dial9_value *value, uint8_t type)
{
    if (type & RAS_DIAL9_OPTIONAL)
        p = store_u8(p, value->type != 0);
    switch (value->type) {
    case 0:
        return p;
    case RAS_DIAL9_VARINT:
        return dial9_leb128_put(p, value->u);
    case RAS_DIAL9_STRING:
    case RAS_DIAL9_BYTES:
        return store_bytes(store_u32(p, value->count), value->at, value->count);
    case RAS_DIAL9_STACK_FRAMES:
        return store_bytes(store_u32(p, value->count), value->at,
                           (size_t)value->count * DIAL9_ADDRESS_SIZE);
    case RAS_DIAL9_STRING_MAP:
    case RAS_DIAL9_DYNAMIC_LIST:
    case RAS_DIAL9_DYNAMIC_MAP:
        return container_put(p, value);
    default:
        break;
    }
    for (unsigned i = 0; i < widths[value->type]; i++) /* no wide store: the room is exact */
        p = store_u8(p, (uint8_t)(value->u >> 8 * i));
    return p;
}
