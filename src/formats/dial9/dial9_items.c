/* dial9_items.c - the entries of pool frames and the elements of containers. */
#include "formats/dial9/dial9_wire.h"

/* What was handed out has been measured; a caller's mistake still stays within
 * the bytes. */
static bool items_in(struct ras_dial9_items *items, unsigned type, struct in *in)
{
    if (items->left == 0 || items->type != type)
        return false;
    *in = (struct in){items->at, items->end, false};
    items->left--;
    return true;
}

bool ras_dial9_next_string(struct ras_dial9_items *entries, uint32_t *pool_id,
                           struct ras_bytes *text)
{
    struct in in;
    struct wire_string entry;
    if (!items_in(entries, RAS_DIAL9_STRING_POOL, &in))
        return false;
    dial9_string_get(&in, &entry);
    *pool_id = entry.pool_id;
    *text = entry.text;
    entries->at = in.at;
    return !in.cut;
}

bool ras_dial9_next_stack(struct ras_dial9_items *entries, uint32_t *pool_id,
                          struct ras_dial9_stack *stack)
{
    struct in in;
    struct wire_stack entry;
    if (!items_in(entries, RAS_DIAL9_STACK_POOL, &in))
        return false;
    dial9_stack_get(&in, &entry);
    *pool_id = entry.pool_id;
    *stack = entry.frames;
    entries->at = in.at;
    return !in.cut;
}

bool ras_dial9_next_annotation(struct ras_dial9_items *entries,
                               struct ras_dial9_annotation *annotation)
{
    struct in in;
    if (!items_in(entries, RAS_DIAL9_SCHEMA_ANNOTATIONS, &in))
        return false;
    dial9_annotation_get(&in, annotation);
    entries->at = in.at;
    return !in.cut;
}

struct ras_dial9_items dial9_items(const struct ras_dial9_value *container, const uint8_t *end)
{
    struct ras_dial9_items items = {.at = container->at, .end = end, .type = container->type};
    switch (container->type) {
    case RAS_DIAL9_STACK_FRAMES:
    case RAS_DIAL9_DYNAMIC_LIST:
        items.left = container->count;
        break;
    case RAS_DIAL9_STRING_MAP:
    case RAS_DIAL9_DYNAMIC_MAP:
        items.left = 2 * (uint64_t)container->count;
        break;
    default:
        break;
    }
    return items;
}

bool ras_dial9_next_item(struct ras_dial9_items *items, struct ras_dial9_value *value)
{
    struct in in;
    if (!items_in(items, items->type, &in))
        return false;
    uint8_t type = 0;
    switch (items->type) {
    case RAS_DIAL9_STACK_FRAMES:
        *value = (struct ras_dial9_value){.type = RAS_DIAL9_VARINT, .u = in_u64(&in)};
        break;
    case RAS_DIAL9_STRING_MAP:
        type = RAS_DIAL9_STRING;
        break;
    default:
        type = in_u8(&in);
    }
    enum wire_fault fault = WIRE_FINE;
    if (type)
        fault = dial9_value_get(&in, type, DIAL9_DEPTH_MOST, value);
    items->at = in.at;
    return !in.cut && !fault;
}

uint64_t ras_dial9_address(const struct ras_dial9_stack *stack, uint32_t i)
{
    return load_u64(stack->at + (size_t)i * DIAL9_ADDRESS_SIZE);
}
