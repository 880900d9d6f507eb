/* dial9_rows.c - values as cells: containers, stacks, and the careful way. */
#include "formats/dial9/dial9_driver.h"

bool dial9_put_addresses(struct ras_cursor *c, unsigned field, const uint8_t *at, uint32_t count)
{
    if (!cells_room(&c->values, 1 + (size_t)count))
        return false;
    struct ras_value *v = value_put(&c->values, RAS_LIST, 0, field, count, 0);
    struct ras_value address = {.kind = RAS_UINT, .bits = 64, .field = (uint16_t)field};
    for (uint32_t i = 0; i < count; i++) {
        address.u = load_u64(at + (size_t)i * DIAL9_ADDRESS_SIZE);
        *++v = address;
    }
    c->values.count += count;
    return true;
}

static bool put_pooled_stack(const struct row *row, unsigned field, uint32_t id)
{
    const struct pool_entry *entry = dial9_pool_find(&row->batch->stacks, id, row->at);
    if (!entry) {
        value_null(&row->c->values, field);
        return true;
    }
    struct dial9_cursor *d = row->c->priv;
    d->expanded += entry->length;
    return d->expanded <= DIAL9_EXPANSION_MOST &&
           dial9_put_addresses(row->c, field, row->c->base + entry->offset, entry->length);
}

static void put_pooled_string(const struct row *row, unsigned field, uint32_t id)
{
    const struct pool_entry *entry = dial9_pool_find(&row->batch->strings, id, row->at);
    if (entry)
        value_span(&row->c->values, RAS_STR, field, row->c->base + entry->offset, entry->length);
    else
        value_null(&row->c->values, field);
}

static bool put_container(const struct row *row, const struct ras_dial9_value *value,
                          unsigned field)
{
    struct ras_cursor *c = row->c;
    bool map = value->type == RAS_DIAL9_STRING_MAP || value->type == RAS_DIAL9_DYNAMIC_MAP;
    struct ras_dial9_items items = dial9_items(value, c->in.end);
    struct ras_dial9_value inner;
    size_t open = c->values.count;
    value_put(&c->values, map ? RAS_MAP : RAS_LIST, 0, field, 0, 0);
    while (ras_dial9_next_item(&items, &inner))
        if (!dial9_put_value(row, &inner, field))
            return false;
    value_close(&c->values, open);
    return true;
}

bool dial9_put_value(const struct row *row, const struct ras_dial9_value *value, unsigned field)
{
    struct ras_cursor *c = row->c;
    if (!cells_room(&c->values, 1))
        return false;
    switch (value->type) {
    case 0:
        value_null(&c->values, field);
        return true;
    case RAS_DIAL9_I64:
        value_put(&c->values, RAS_INT, 64, field, 0, value->u);
        return true;
    case RAS_DIAL9_F64:
        value_put(&c->values, RAS_F64, 64, field, 0, value->u);
        return true;
    case RAS_DIAL9_BOOL:
        value_put(&c->values, RAS_BOOL, 8, field, 0, value->u);
        return true;
    case RAS_DIAL9_U8:
        value_uint(&c->values, field, 8, value->u);
        return true;
    case RAS_DIAL9_U16:
        value_uint(&c->values, field, 16, value->u);
        return true;
    case RAS_DIAL9_U32:
        value_uint(&c->values, field, 32, value->u);
        return true;
    case RAS_DIAL9_VARINT:
        value_uint(&c->values, field, 64, value->u);
        return true;
    case RAS_DIAL9_STRING:
        value_span(&c->values, RAS_STR, field, value->at, value->count);
        return true;
    case RAS_DIAL9_BYTES:
        value_span(&c->values, RAS_BLOB, field, value->at, value->count);
        return true;
    case RAS_DIAL9_POOLED_STRING:
        put_pooled_string(row, field, (uint32_t)value->u);
        return true;
    case RAS_DIAL9_POOLED_STACK_FRAMES:
        return put_pooled_stack(row, field, (uint32_t)value->u);
    case RAS_DIAL9_STACK_FRAMES:
        return dial9_put_addresses(c, field, value->at, value->count);
    default:
        return put_container(row, value, field);
    }
}

const uint8_t *dial9_put_long(struct ras_cursor *c, const struct dial9_batch *batch, uint64_t at,
                              const struct plan_step *s, const uint8_t *p, bool kept)
{
    const struct dial9 *d = c->trace->priv;
    struct row row = {c, batch, at};
    if (s->code == DO_STACK_ID) { /* of bounded size: its bytes were counted */
        if (kept && !put_pooled_stack(&row, s->field, load_u32(p)))
            return NULL;
        return cells_room(&c->values, s->need) ? p + 4 : NULL;
    }
    struct in in = {p, c->in.end, false};
    struct ras_dial9_value value;
    if (dial9_value_get(&in, s->type, d->rules.depth, &value) || in.cut)
        return NULL;
    if (kept && !dial9_put_value(&row, &value, s->field))
        return NULL;
    return cells_room(&c->values, s->need) ? in.at : NULL;
}

bool dial9_put_event(const struct row *row, const struct view *view,
                     const struct ras_dial9_frame *frame)
{
    const struct ras_dial9_schema *schema = frame->event.schema;
    const struct dial9 *d = row->c->trace->priv;
    struct in in = in_bytes(frame->raw);
    in_take(&in, DIAL9_EVENT_SIZE + (schema->has_timestamp ? DIAL9_DELTA_SIZE : 0));
    for (unsigned i = 0; i < schema->field_count; i++) {
        struct ras_dial9_value value;
        (void)dial9_value_get(&in, schema->fields[i].type, d->rules.depth, &value);
        if (view_has(view, i) && !dial9_put_value(row, &value, i))
            return false;
    }
    return true;
}
