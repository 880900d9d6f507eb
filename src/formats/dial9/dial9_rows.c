/* dial9_rows.c - values as cells on the slow path: containers, stacks; and the types on request. */
#include "formats/dial9/dial9_driver.h"

static bool dial9_put_addresses(struct ras_cursor *c, unsigned field, const uint8_t *at,
                                uint32_t count)
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

static bool row_put_container(const struct row *row, const struct ras_dial9_value *value,
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
        return row_put_container(row, value, field);
    }
}

const uint8_t *dial9_put_long(struct ras_cursor *c, const struct dial9_batch *batch, uint64_t at,
                              const struct layout_step *s, const uint8_t *p, bool kept)
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

/* ---- types on request: string, stack, annotation, schema ------------------------- */

enum { STRING_POOL_ID, STRING_TEXT };
enum { STACK_POOL_ID, STACK_FRAMES };
enum { NOTE_TYPE_ID, NOTE_TYPE, NOTE_FIELD_INDEX, NOTE_FIELD, NOTE_KEY, NOTE_VALUE, NOTE_FIELDS };
enum { SCHEMA_TYPE_ID, SCHEMA_NAME, SCHEMA_TIMED, SCHEMA_FIELD_MAP, SCHEMA_AGAIN, SCHEMA_FIELDS };

static const struct ras_field string_fields[] = {
    [STRING_POOL_ID] = {"pool_id", RAS_UINT, 32, 0},
    [STRING_TEXT] = {"text", RAS_STR, 0, 0},
};
static const struct ras_field stack_fields[] = {
    [STACK_POOL_ID] = {"pool_id", RAS_UINT, 32, 0},
    [STACK_FRAMES] = {"frames", RAS_LIST, 0, RAS_HEX, .item = RAS_UINT, .item_bits = 64},
};
static const struct ras_field note_fields[] = {
    [NOTE_TYPE_ID] = {"type_id", RAS_UINT, 64, 0},
    [NOTE_TYPE] = {"type", RAS_STR, 0, RAS_NULLABLE},
    [NOTE_FIELD_INDEX] = {"field_index", RAS_UINT, 16, 0},
    [NOTE_FIELD] = {"field", RAS_STR, 0, RAS_NULLABLE},
    [NOTE_KEY] = {"key", RAS_STR, 0, 0},
    [NOTE_VALUE] = {"value", RAS_STR, 0, 0},
};
static const struct ras_field schema_fields[] = {
    [SCHEMA_TYPE_ID] = {"type_id", RAS_UINT, 16, 0},
    [SCHEMA_NAME] = {"name", RAS_STR, 0, 0},
    [SCHEMA_TIMED] = {"has_timestamp", RAS_BOOL, 8, 0},
    [SCHEMA_FIELD_MAP] = {"fields", RAS_MAP, 0, 0, .item = RAS_STR},
    [SCHEMA_AGAIN] = {"again", RAS_BOOL, 0, 0},
};

const struct ras_schema dial9_requests[] = {
    [DIAL9_STRING_RECORD] = {"string", string_fields, 2, RAS_ON_REQUEST},
    [DIAL9_STACK_RECORD] = {"stack", stack_fields, 2, RAS_ON_REQUEST},
    [DIAL9_ANNOTATION_RECORD] = {"annotation", note_fields, NOTE_FIELDS, RAS_ON_REQUEST},
    [DIAL9_SCHEMA_RECORD] = {"schema", schema_fields, SCHEMA_FIELDS, RAS_ON_REQUEST},
};

int dial9_request_types(struct ras_trace *t, struct ras_error *err)
{
    static const struct ras_schema *const derived[] = {&dial9_poll_schema, &dial9_segment_schema,
                                                       &dial9_span_schema};
    for (int i = DIAL9_STRING_RECORD; i <= DIAL9_SPAN_RECORD; i++)
        if (schema_add(t, i < DIAL9_POLL_RECORD ? &dial9_requests[i]
                                                : derived[i - DIAL9_POLL_RECORD]) != i)
            return fail_memory(err);
    return RAS_OK;
}

static bool put_string(struct ras_cursor *c, const struct view *view)
{
    struct wire_string entry;
    dial9_string_get(&c->in, &entry);
    if (!view->values || c->in.cut)
        return true;
    if (!cells_room(&c->values, 2))
        return false;
    if (view_has(view, STRING_POOL_ID))
        value_uint(&c->values, STRING_POOL_ID, 32, entry.pool_id);
    if (view_has(view, STRING_TEXT))
        value_span(&c->values, RAS_STR, STRING_TEXT, entry.text.at, entry.text.len);
    return true;
}

static bool put_stack(struct ras_cursor *c, const struct view *view)
{
    struct wire_stack entry;
    dial9_stack_get(&c->in, &entry);
    if (!view->values || c->in.cut)
        return true;
    if (!cells_room(&c->values, 1))
        return false;
    if (view_has(view, STACK_POOL_ID))
        value_uint(&c->values, STACK_POOL_ID, 32, entry.pool_id);
    return !view_has(view, STACK_FRAMES) ||
           dial9_put_addresses(c, STACK_FRAMES, entry.frames.at, entry.frames.count);
}

/* The name of a field as it is stored: a NUL in it is one, as in every value. */
static struct ras_bytes stored_field(const struct shape *shape, unsigned index)
{
    struct in in = in_bytes(shape->fields);
    struct wire_field field = {0};
    for (unsigned i = 0; i <= index; i++)
        dial9_field_get(&in, &field);
    return field.name;
}

static void value_bytes(struct cells *c, unsigned field, struct ras_bytes text)
{
    value_span(c, RAS_STR, field, text.len ? (const void *)text.at : "", text.len);
}

static bool entry_put_annotation(struct ras_cursor *c, const struct view *view)
{
    const struct dial9_cursor *d = c->priv;
    struct ras_dial9_annotation entry;
    dial9_annotation_get(&c->in, &entry);
    if (!view->values || c->in.cut)
        return true;
    if (!cells_room(&c->values, NOTE_FIELDS))
        return false;
    const struct shape *shape =
        d->annotated <= UINT16_MAX ? dial9_batch_shape(d->at.batch, (uint16_t)d->annotated) : NULL;
    /* After a jump back more is defined than on the first pass. */
    if (shape && dial9_batch_defined(d->at.batch, (uint16_t)d->annotated) > c->record.offset)
        shape = NULL;
    bool known = shape && entry.field_index < shape->native.field_count;
    if (view_has(view, NOTE_TYPE_ID))
        value_uint(&c->values, NOTE_TYPE_ID, 64, d->annotated);
    if (view_has(view, NOTE_TYPE) && shape)
        value_bytes(&c->values, NOTE_TYPE, shape->name);
    else if (view_has(view, NOTE_TYPE))
        value_null(&c->values, NOTE_TYPE);
    if (view_has(view, NOTE_FIELD_INDEX))
        value_uint(&c->values, NOTE_FIELD_INDEX, 16, entry.field_index);
    if (view_has(view, NOTE_FIELD) && known)
        value_bytes(&c->values, NOTE_FIELD, stored_field(shape, entry.field_index));
    else if (view_has(view, NOTE_FIELD))
        value_null(&c->values, NOTE_FIELD);
    if (view_has(view, NOTE_KEY))
        value_span(&c->values, RAS_STR, NOTE_KEY, entry.key.at, entry.key.len);
    if (view_has(view, NOTE_VALUE))
        value_span(&c->values, RAS_STR, NOTE_VALUE, entry.value.at, entry.value.len);
    return true;
}

enum step dial9_next_entry(struct ras_cursor *c)
{
    struct dial9_cursor *d = c->priv;
    const uint8_t *start = c->in.at;
    uint32_t schema;
    bool good;
    c->record.offset = cursor_offset(c);
    switch (d->tag) {
    case RAS_DIAL9_STRING_POOL:
        schema = DIAL9_STRING_RECORD;
        good = put_string(c, cursor_view(c, schema));
        break;
    case RAS_DIAL9_STACK_POOL:
        schema = DIAL9_STACK_RECORD;
        good = put_stack(c, cursor_view(c, schema));
        break;
    default:
        schema = DIAL9_ANNOTATION_RECORD;
        good = entry_put_annotation(c, cursor_view(c, schema));
    }
    if (c->in.cut) /* measured when its frame was read: the file shrank or changed */
        return damaged(c, RAS_NONE, "the frame changed while it was read");
    if (!good)
        return STEP_NOMEM;
    uint64_t size = (uint64_t)(c->in.at - start);
    d->special = --d->entries_left != 0;
    c->record = (struct ras_record){.time_ns = d->at.base_ns,
                                    .parent = RAS_NONE,
                                    .offset = (uint64_t)(start - c->base),
                                    .raw = start,
                                    .raw_len = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX,
                                    .schema = (uint16_t)schema,
                                    .stream = d->at.batch->number};
    return STEP_RECORD;
}

static bool put_fields(struct ras_cursor *c, const struct shape *shape)
{
    size_t open = c->values.count;
    struct in in = in_bytes(shape->fields);
    value_put(&c->values, RAS_MAP, 0, SCHEMA_FIELD_MAP, 0, 0);
    for (unsigned i = 0; i < shape->native.field_count; i++) {
        struct wire_field field;
        if (!cells_room(&c->values, 2))
            return false;
        dial9_field_get(&in, &field);
        value_bytes(&c->values, SCHEMA_FIELD_MAP, field.name);
        value_text(&c->values, SCHEMA_FIELD_MAP, ras_dial9_type_name(field.type));
    }
    value_close(&c->values, open);
    return true;
}

_Static_assert(offsetof(struct shape, native) == 0, "a shape is found by its schema");

enum step dial9_schema_record(struct ras_cursor *c, const struct ras_dial9_frame *frame)
{
    const struct view *view = cursor_view(c, DIAL9_SCHEMA_RECORD);
    /* The schema is the first member of its shape, which has the names as they are stored. */
    const struct shape *shape = (const struct shape *)(const void *)frame->registered.schema;
    if (!view->values)
        return STEP_RECORD;
    if (!cells_room(&c->values, SCHEMA_FIELDS))
        return STEP_NOMEM;
    if (view_has(view, SCHEMA_TYPE_ID))
        value_uint(&c->values, SCHEMA_TYPE_ID, 16, frame->type_id);
    if (view_has(view, SCHEMA_NAME))
        value_bytes(&c->values, SCHEMA_NAME, shape->name);
    if (view_has(view, SCHEMA_TIMED))
        value_put(&c->values, RAS_BOOL, 8, SCHEMA_TIMED, 0, shape->native.has_timestamp);
    if (view_has(view, SCHEMA_FIELD_MAP) && (!put_fields(c, shape) || !cells_room(&c->values, 1)))
        return STEP_NOMEM;
    if (view_has(view, SCHEMA_AGAIN))
        value_put(&c->values, RAS_BOOL, 0, SCHEMA_AGAIN, 0, frame->registered.again);
    return STEP_RECORD;
}
