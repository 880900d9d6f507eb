/* msgpack.c - the general cases of the MessagePack reader. */
#include "codec/msgpack.h"

/* What follows a head byte: `width` bytes of head and number, then `count` items
 * or, for strings and the like, as many bytes as the number says. */
struct shape {
    uint8_t kind;
    uint8_t width;
};

/* 0xc0 to 0xdf; the others hold their number in the head. */
static const struct shape shapes[32] = {
    {MSGPACK_NIL, 1},   {MSGPACK_NONE, 0},  {MSGPACK_BOOL, 1}, {MSGPACK_BOOL, 1}, /* c0 */
    {MSGPACK_BIN, 2},   {MSGPACK_BIN, 3},   {MSGPACK_BIN, 5},  {MSGPACK_EXT, 3},  /* c4 */
    {MSGPACK_EXT, 4},   {MSGPACK_EXT, 6},   {MSGPACK_F32, 5},  {MSGPACK_F64, 9},  /* c8 */
    {MSGPACK_UINT, 2},  {MSGPACK_UINT, 3},  {MSGPACK_UINT, 5}, {MSGPACK_UINT, 9}, /* cc */
    {MSGPACK_INT, 2},   {MSGPACK_INT, 3},   {MSGPACK_INT, 5},  {MSGPACK_INT, 9},  /* d0 */
    {MSGPACK_EXT, 2},   {MSGPACK_EXT, 2},   {MSGPACK_EXT, 2},  {MSGPACK_EXT, 2},  /* d4 */
    {MSGPACK_EXT, 2},   {MSGPACK_STR, 2},   {MSGPACK_STR, 3},  {MSGPACK_STR, 5},  /* d8 */
    {MSGPACK_ARRAY, 3}, {MSGPACK_ARRAY, 5}, {MSGPACK_MAP, 3},  {MSGPACK_MAP, 5},  /* dc */
};

static struct shape shape_of(uint8_t head)
{
    if (head < 0x80)
        return (struct shape){MSGPACK_UINT, 1};
    if (head < 0x90)
        return (struct shape){MSGPACK_MAP, 1};
    if (head < 0xa0)
        return (struct shape){MSGPACK_ARRAY, 1};
    if (head < 0xc0)
        return (struct shape){MSGPACK_STR, 1};
    if (head < 0xe0)
        return shapes[head - 0xc0];
    return (struct shape){MSGPACK_INT, 1};
}

/* The first fault stays; an empty reader makes it stick. */
static bool fault(struct msgpack *in, enum msgpack_fault kind, const char *why)
{
    if (in->fault == MSGPACK_FINE) {
        in->fault = kind;
        in->fault_at = msgpack_offset(in);
        in->why = why;
    }
    in->at = in->end;
    return false;
}

/* A big-endian number of 1, 2, 4 or 8 bytes. */
static uint64_t big_endian(const uint8_t *at, size_t size)
{
    switch (size) {
    case 1:
        return *at;
    case 2:
        return __builtin_bswap16(load_u16(at));
    case 4:
        return __builtin_bswap32(load_u32(at));
    default:
        return __builtin_bswap64(load_u64(at));
    }
}

static void signed_item(struct msgpack_item *item, uint64_t value, size_t size)
{
    unsigned unused_bits = 64 - 8 * (unsigned)size;
    item->i = (int64_t)(value << unused_bits) >> unused_bits;
    item->kind = item->i < 0 ? MSGPACK_INT : MSGPACK_UINT;
}

/* The payload of a string, binary or extension after its head. */
static bool payload(struct msgpack *in, struct msgpack_item *item, uint64_t len)
{
    if (len > msgpack_left(in) - item->width)
        return fault(in, MSGPACK_SHORT, "string, binary or extension beyond the end");
    item->bytes = (struct ras_bytes){in->at + item->width, (size_t)len};
    in->at += item->width + len;
    return true;
}

static bool container(struct msgpack *in, struct msgpack_item *item, uint64_t count)
{
    uint64_t least = item->kind == MSGPACK_MAP ? 2 * count : count; /* at most 2^33 */
    if (least > msgpack_left(in) - item->width)
        return fault(in, MSGPACK_SHORT, "more items than bytes left");
    item->count = count;
    in->at += item->width;
    return true;
}

static bool extension(struct msgpack *in, struct msgpack_item *item, uint8_t head)
{
    bool fixed = head >= 0xd4; /* fixext 1, 2, 4, 8, 16; else ext 8, 16, 32 */
    size_t type_at = item->width - 1u;
    item->ext_type = (int8_t)in->at[type_at];
    return payload(in, item, fixed ? 1u << (head - 0xd4) : big_endian(in->at + 1, type_at - 1));
}

/* Number in the head itself, for the four kinds that have such heads. */
static uint64_t fixed_number(uint8_t head)
{
    if (head >= 0x80 && head < 0xa0)
        return head & 15;
    if (head >= 0xa0 && head < 0xc0)
        return head & 31;
    return head;
}

bool msgpack_next_slow(struct msgpack *in, struct msgpack_item *item)
{
    item->kind = MSGPACK_NONE;
    if (in->at == in->end)
        return fault(in, MSGPACK_SHORT, "end where an item should be");
    uint8_t head = *in->at;
    struct shape shape = shape_of(head);
    if (!shape.width)
        return fault(in, MSGPACK_INVALID, "byte 0xc1 is never used");
    if (shape.width > msgpack_left(in))
        return fault(in, MSGPACK_SHORT, "end inside the head of an item");
    item->kind = shape.kind;
    item->width = shape.width;
    if (shape.kind == MSGPACK_EXT)
        return extension(in, item, head);
    uint64_t value =
        shape.width == 1 ? fixed_number(head) : big_endian(in->at + 1, shape.width - 1u);
    if (shape.kind == MSGPACK_STR || shape.kind == MSGPACK_BIN)
        return payload(in, item, value);
    if (shape.kind == MSGPACK_ARRAY || shape.kind == MSGPACK_MAP)
        return container(in, item, value);
    if (shape.kind == MSGPACK_INT)
        signed_item(item, value, shape.width == 1 ? 1 : shape.width - 1u);
    else if (shape.kind == MSGPACK_NIL || shape.kind == MSGPACK_BOOL)
        item->u = head == 0xc3;
    else
        item->u = value;
    in->at += shape.width;
    return true;
}

/* Skip items while their heads alone determine their size, one branch per common
 * head so that the processor runs ahead of its loads. At most 32 bytes are
 * read per item, the longest being a string of 31. */
static uint64_t skip_plain(struct msgpack *in, uint64_t wanted)
{
    static const uint8_t sizes[32] = {1, 0, 1, 1, 0, 0, 0, 0,  0,  0, 5, 9, 2, 3, 5, 9,  /* c0 */
                                      2, 3, 5, 9, 3, 4, 6, 10, 18, 0, 0, 0, 0, 0, 0, 0}; /* d0 */
    const uint8_t *at = in->at, *last = in->end - 32;
    for (; wanted && at <= last; wanted--) {
        uint8_t head = *at;
        if (head < 0x80 || head >= 0xe0) {
            at++;
        } else if (head == 0xcb) {
            at += 9;
        } else if (head == 0xce) {
            at += 5;
        } else if (head >= 0xc0) {
            if (!sizes[head - 0xc0])
                break;
            at += sizes[head - 0xc0];
        } else if (head >= 0xa0) {
            at += 1 + (head & 31);
        } else {
            uint64_t count = head < 0x90 ? 2 * (head & 15u) : head & 15u;
            if (wanted - 1 + count > (size_t)(in->end - at) - 1)
                break;
            wanted += count;
            at++;
        }
    }
    in->at = at;
    return wanted;
}

/* Counts the items still to come instead of keeping a stack. Every item takes a
 * byte at least, so the count can never pass the bytes left, nor overflow. */
bool msgpack_skip(struct msgpack *in)
{
    uint64_t wanted = 1;
    struct msgpack_item item;
    while (wanted) {
        if (msgpack_left(in) >= 32)
            wanted = skip_plain(in, wanted);
        if (!wanted)
            break;
        const uint8_t *at = in->at;
        if (!msgpack_next(in, &item))
            return false;
        wanted--;
        if (item.kind == MSGPACK_ARRAY)
            wanted += item.count;
        else if (item.kind == MSGPACK_MAP)
            wanted += 2 * item.count;
        if (wanted > msgpack_left(in)) {
            in->at = at;
            return fault(in, MSGPACK_SHORT, "more items than bytes left");
        }
    }
    return true;
}

enum msgpack_kind msgpack_peek(const struct msgpack *in)
{
    if (in->at == in->end)
        return MSGPACK_NONE;
    struct msgpack probe = *in;
    struct msgpack_item item;
    if (shape_of(*in->at).kind == MSGPACK_INT && msgpack_next_slow(&probe, &item))
        return item.kind; /* a signed head can hold either */
    return shape_of(*in->at).kind;
}

bool msgpack_key_is_slow(struct msgpack *in, const char *key, size_t len)
{
    if (msgpack_peek(in) != MSGPACK_STR)
        return false;
    struct msgpack probe = *in;
    struct msgpack_item item;
    if (!msgpack_next_slow(&probe, &item) || item.bytes.len != len ||
        memcmp(item.bytes.at, key, len) != 0)
        return false;
    in->at = probe.at;
    return true;
}

/* Read the next item if its kind is one of `kinds`; if not it stays there. */
static bool next_of(struct msgpack *in, unsigned kinds, struct msgpack_item *item)
{
    struct msgpack probe = *in;
    if (!msgpack_next_slow(&probe, item)) {
        *in = probe;
        return false;
    }
    if (!(kinds >> item->kind & 1))
        return false;
    in->at = probe.at;
    return true;
}

bool msgpack_u64_slow(struct msgpack *in, uint64_t *value)
{
    struct msgpack_item item;
    if (!next_of(in, 1u << MSGPACK_UINT, &item))
        return false;
    *value = item.u;
    return true;
}

bool msgpack_i64_slow(struct msgpack *in, int64_t *value)
{
    struct msgpack_item item;
    struct msgpack before = *in;
    if (!next_of(in, 1u << MSGPACK_UINT | 1u << MSGPACK_INT, &item))
        return false;
    if (item.kind == MSGPACK_UINT && item.u > INT64_MAX) {
        *in = before;
        return false;
    }
    *value = item.i;
    return true;
}

bool msgpack_f64_slow(struct msgpack *in, double *value)
{
    struct msgpack_item item;
    if (!next_of(in, 1u << MSGPACK_F32 | 1u << MSGPACK_F64, &item))
        return false;
    *value = msgpack_real(&item);
    return true;
}

bool msgpack_bool_slow(struct msgpack *in, bool *value)
{
    struct msgpack_item item;
    if (!next_of(in, 1u << MSGPACK_BOOL, &item))
        return false;
    *value = item.u;
    return true;
}

bool msgpack_bytes_slow(struct msgpack *in, enum msgpack_kind kind, struct ras_bytes *bytes)
{
    struct msgpack_item item;
    if (!next_of(in, 1u << kind, &item))
        return false;
    *bytes = item.bytes;
    return true;
}

bool msgpack_count_slow(struct msgpack *in, enum msgpack_kind kind, uint64_t *count)
{
    struct msgpack_item item;
    if (!next_of(in, 1u << kind, &item))
        return false;
    *count = item.count;
    return true;
}
