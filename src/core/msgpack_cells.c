/* msgpack_cells.c - MessagePack of any shape as values, for what has no known layout. */
#include "core/msgpack_cells.h"

static void put_scalar(struct cells *c, unsigned field, const struct msgpack_item *item)
{
    switch (item->kind) {
    case MSGPACK_NIL:
        value_null(c, field);
        break;
    case MSGPACK_BOOL:
        value_put(c, RAS_BOOL, 0, field, 0, item->u);
        break;
    case MSGPACK_UINT:
    case MSGPACK_INT:
        value_put(c, item->kind == MSGPACK_INT ? RAS_INT : RAS_UINT, 8u * (item->width - 1u), field,
                  0, item->u);
        break;
    case MSGPACK_F32:
        value_f32(c, field, (uint32_t)item->bits);
        break;
    case MSGPACK_F64:
        value_put(c, RAS_F64, 64, field, 0, item->bits);
        break;
    case MSGPACK_STR:
        value_span(c, RAS_STR, field, item->bytes.at, item->bytes.len);
        break;
    default:
        value_span(c, RAS_BLOB, field, item->bytes.at, item->bytes.len);
        break;
    }
}

bool cells_msgpack(struct cells *c, unsigned field, struct msgpack *in, unsigned depth)
{
    enum msgpack_kind kind = msgpack_peek(in);
    const uint8_t *start = in->at;
    struct msgpack_item item;
    if (!cells_room(c, 1))
        return false;
    bool nested = kind == MSGPACK_ARRAY || kind == MSGPACK_MAP;
    if (nested && !depth) {
        bool whole = msgpack_skip(in);
        value_span(c, RAS_BLOB, field, start, (size_t)(in->at - start));
        return whole;
    }
    if (!msgpack_next(in, &item))
        return false;
    if (!nested) {
        put_scalar(c, field, &item);
        return true;
    }
    size_t cell = c->count;
    value_put(c, kind == MSGPACK_MAP ? RAS_MAP : RAS_LIST, 0, field, 0, 0);
    for (uint64_t n = kind == MSGPACK_MAP ? 2 * item.count : item.count; n; n--)
        if (!cells_msgpack(c, field, in, depth - 1))
            return false;
    value_close(c, cell);
    return true;
}
