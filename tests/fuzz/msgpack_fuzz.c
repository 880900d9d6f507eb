/* msgpack_fuzz.c - any bytes: walking, skipping and typed reads agree and stay inside. */
#include "codec/msgpack.h"

static void require(bool fact)
{
    if (!fact)
        __builtin_trap();
}

/* One item with its content, by the general function alone. */
static bool walk(struct msgpack *in)
{
    struct msgpack_item item;
    for (uint64_t wanted = 1; wanted; wanted--) {
        if (!msgpack_next_slow(in, &item))
            return false;
        require(in->at <= in->end);
        if (item.kind == MSGPACK_ARRAY || item.kind == MSGPACK_MAP) {
            require(item.count <= msgpack_left(in));
            wanted += item.kind == MSGPACK_MAP ? 2 * item.count : item.count;
        } else if (item.kind == MSGPACK_STR || item.kind == MSGPACK_BIN ||
                   item.kind == MSGPACK_EXT) {
            require(item.bytes.at >= in->start && item.bytes.at + item.bytes.len == in->at);
        }
    }
    return true;
}

static void typed(struct msgpack at)
{
    struct msgpack_item item;
    struct msgpack plain = at;
    if (!msgpack_next(&plain, &item))
        return;
    uint64_t u;
    int64_t i;
    double f;
    bool b;
    struct ras_bytes bytes;
    unsigned taken = 0;
    struct msgpack in = at;
    taken += msgpack_u64(&in, &u) || msgpack_i64(&in, &i);
    taken += msgpack_f64(&in, &f);
    taken += msgpack_bool(&in, &b) || msgpack_nil(&in);
    taken += msgpack_str(&in, &bytes) || msgpack_bin(&in, &bytes);
    taken += msgpack_array(&in, &u) || msgpack_map(&in, &u);
    require(taken >= (item.kind != MSGPACK_EXT)); /* what follows may be taken too */
    if (item.kind == MSGPACK_STR) {
        in = at;
        require(msgpack_key_is(&in, (const char *)item.bytes.at, item.bytes.len));
        require(in.at == plain.at);
    }
    require(MSGPACK_KEY(&at, "tick") <= (item.kind == MSGPACK_STR));
}

static void compare(struct msgpack in)
{
    struct msgpack walked = in, skipped = in;
    bool whole = walk(&walked);
    require(msgpack_skip(&skipped) == whole);
    /* Skipping may see a shortage earlier than walking meets what is invalid. */
    require(!whole || skipped.at == walked.at);
    require(whole || skipped.fault != MSGPACK_FINE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct msgpack in = msgpack_bytes((struct ras_bytes){data, size});
    for (int i = 0; msgpack_left(&in); i++) {
        if (i < 4) /* walking from every item on would be quadratic */
            compare(in);
        typed(in);
        struct msgpack_item item;
        if (!msgpack_next(&in, &item))
            break;
    }
    require(in.at == in.end);
    return 0;
}
