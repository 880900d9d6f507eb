/* dial9_check_values.c - the rules of a stream, inside its events. */
#include "codec/leb128.h"
#include "codec/utf8.h"
#include "formats/dial9/dial9_check.h"

static uint64_t offset_of(const struct checker *k, const uint8_t *at)
{
    return (uint64_t)(at - k->all.at);
}

static void check_text(struct checker *k, const uint8_t *at, size_t len)
{
    struct utf8_fault fault;
    if (!utf8_check(at, len, &fault))
        dial9_found(k, VALUE_UTF8, offset_of(k, at) + fault.at, len - fault.at,
                    "a string of '%s' is not UTF-8 from byte %zu of %zu",
                    dial9_label(k->event).text, fault.at, len);
}

static void check_id(struct checker *k, const uint8_t *at, bool stack)
{
    uint32_t id = load_u32(at);
    const struct dial9_pool *pool = stack ? &k->batch->stacks : &k->batch->strings;
    if (dial9_pool_find(pool, id, k->event_at))
        return;
    for (size_t i = 0; i < k->unresolved_count; i++)
        if (k->unresolved[i].id == id && k->unresolved[i].stack == stack)
            return;
    size_t room = sizeof k->unresolved / sizeof *k->unresolved;
    if (k->unresolved_count < room)
        k->unresolved[k->unresolved_count++] = (struct unresolved){offset_of(k, at), id, stack};
}

static void check_value(struct checker *k, struct in *in, uint8_t type, unsigned depth);

/* Elements of a container, each behind its tag. */
static void check_tagged(struct checker *k, struct in *in, uint64_t count, unsigned depth)
{
    for (uint64_t i = 0; i < count; i++) {
        uint8_t tag = in_u8(in);
        check_value(k, in, tag, depth - 1);
    }
}

static void check_scalar(struct checker *k, const uint8_t *start, uint64_t size,
                         const struct ras_dial9_value *value)
{
    switch (value->type) {
    case RAS_DIAL9_BOOL:
        if (*start > 1)
            dial9_found(k, BOOL_VALUE, offset_of(k, start), 1, "a Bool of '%s' is stored as %u",
                        dial9_label(k->event).text, *start);
        break;
    case RAS_DIAL9_VARINT:
        if (size > leb128_size(value->u))
            dial9_found(k, VARINT_MINIMAL, offset_of(k, start), size,
                        "%" PRIu64 " in '%s' takes %" PRIu64 " bytes, %zu would do", value->u,
                        dial9_label(k->event).text, size, leb128_size(value->u));
        break;
    case RAS_DIAL9_POOLED_STRING:
    case RAS_DIAL9_POOLED_STACK_FRAMES:
        check_id(k, start, value->type == RAS_DIAL9_POOLED_STACK_FRAMES);
        break;
    case RAS_DIAL9_STRING:
        check_text(k, value->at, value->count);
        break;
    default:
        break;
    }
}

static void check_value(struct checker *k, struct in *in, uint8_t type, unsigned depth)
{
    if (type & RAS_DIAL9_OPTIONAL) {
        const uint8_t *flag = in->at;
        uint8_t present = in_u8(in);
        if (present > 1)
            dial9_found(k, OPTIONAL_FLAG, offset_of(k, flag), 1,
                        "the presence byte of an optional field of '%s' is %u, taken as 1",
                        dial9_label(k->event).text, present);
        if (!present)
            return;
        type &= (uint8_t)~RAS_DIAL9_OPTIONAL;
    }
    const uint8_t *start = in->at;
    struct ras_dial9_value value;
    switch (type) {
    case RAS_DIAL9_DYNAMIC_LIST:
        check_tagged(k, in, in_u32(in), depth);
        return;
    case RAS_DIAL9_DYNAMIC_MAP:
        check_tagged(k, in, 2 * (uint64_t)in_u32(in), depth);
        return;
    case RAS_DIAL9_STRING_MAP:
        for (uint64_t left = 2 * (uint64_t)in_u32(in); left--;) {
            struct ras_bytes text = in_span(in, in_u32(in));
            check_text(k, text.at, text.len);
        }
        return;
    default:
        (void)dial9_value_get(in, type, depth, &value);
        check_scalar(k, start, (uint64_t)(in->at - start), &value);
    }
}

void dial9_check_values(struct checker *k, const struct ras_dial9_frame *frame)
{
    const struct ras_dial9_schema *schema = frame->event.schema;
    struct in in = in_bytes(frame->raw);
    in_take(&in, DIAL9_EVENT_SIZE + (schema->has_timestamp ? DIAL9_DELTA_SIZE : 0));
    k->event = schema->name;
    k->event_at = frame->offset;
    for (unsigned i = 0; i < schema->field_count; i++)
        check_value(k, &in, schema->fields[i].type, k->rules.depth);
}
