/* msgpack_test.c - the MessagePack reader: every head, every cut, hostile counts. */
#include "codec/msgpack.h"
#include "oracle.h"

#include <math.h>
#include <stdlib.h>

#define BYTES(...)                                                                                 \
    (struct ras_bytes)                                                                             \
    {                                                                                              \
        (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__})                     \
    }

/* A copy that a sanitizer guards at its last byte. */
static uint8_t *guarded(struct ras_bytes in)
{
    uint8_t *copy = malloc(in.len + !in.len);
    if (in.len)
        memcpy(copy, in.at, in.len);
    return copy;
}

static void put_hex(struct out *text, struct ras_bytes bytes)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < bytes.len; i++) {
        out_byte(text, (uint8_t)digits[bytes.at[i] >> 4]);
        out_byte(text, (uint8_t)digits[bytes.at[i] & 15]);
    }
}

/* An item in the words of oracle/msgpack_values.py. */
static void put_item(struct out *text, const struct msgpack_item *item)
{
    switch ((enum msgpack_kind)item->kind) {
    case MSGPACK_NONE:
        fail();
        break;
    case MSGPACK_NIL:
        out_text(text, "n");
        break;
    case MSGPACK_BOOL:
        out_text(text, item->u ? "t" : "f");
        break;
    case MSGPACK_UINT:
        out_format(text, "u%llu", (unsigned long long)item->u);
        break;
    case MSGPACK_INT:
        out_format(text, "i%lld", (long long)item->i);
        break;
    case MSGPACK_F32:
        out_format(text, "g%08llx", (unsigned long long)item->bits);
        break;
    case MSGPACK_F64:
        out_format(text, "d%016llx", (unsigned long long)item->bits);
        break;
    case MSGPACK_STR:
    case MSGPACK_BIN:
        out_text(text, item->kind == MSGPACK_STR ? "s" : "b");
        put_hex(text, item->bytes);
        break;
    case MSGPACK_EXT:
        out_format(text, "x%d:", item->ext_type);
        put_hex(text, item->bytes);
        break;
    case MSGPACK_ARRAY:
        out_format(text, "a%llu", (unsigned long long)item->count);
        break;
    case MSGPACK_MAP:
        out_format(text, "m%llu", (unsigned long long)item->count);
        break;
    }
}

/* All items of `in` as text; what the reader says at the end in *end. */
static struct out listed(struct ras_bytes in, struct msgpack *end)
{
    struct out text = {0};
    struct msgpack_item item;
    *end = msgpack_bytes(in);
    while (msgpack_left(end)) {
        enum msgpack_kind peeked = msgpack_peek(end);
        size_t before = msgpack_offset(end);
        if (!msgpack_next(end, &item))
            break;
        assert_int_equal(peeked, item.kind);
        bool bytes =
            item.kind == MSGPACK_STR || item.kind == MSGPACK_BIN || item.kind == MSGPACK_EXT;
        assert_int_equal(msgpack_offset(end) - before, item.width + (bytes ? item.bytes.len : 0));
        if (text.len)
            out_byte(&text, ' ');
        put_item(&text, &item);
    }
    return text;
}

static void assert_listed(struct ras_bytes in, const char *want)
{
    struct msgpack end;
    struct out text = listed(in, &end);
    assert_int_equal(end.fault, MSGPACK_FINE);
    assert_string_equal(end.why, "");
    assert_int_equal(text.len, strlen(want));
    assert_memory_equal(text.at, want, text.len);
    out_free(&text);
}

static void items_as_the_specification_lists_them(void **state)
{
    (void)state;
    assert_listed(BYTES(0x00, 0x7f, 0xff, 0xe0), "u0 u127 i-1 i-32");
    assert_listed(BYTES(0xc0, 0xc2, 0xc3), "n f t");
    assert_listed(BYTES(0xcc, 0xff, 0xcd, 1, 2, 0xce, 1, 2, 3, 4), "u255 u258 u16909060");
    assert_listed(BYTES(0xcf, 255, 255, 255, 255, 255, 255, 255, 255), "u18446744073709551615");
    assert_listed(BYTES(0xd0, 0x80, 0xd1, 0x80, 0), "i-128 i-32768");
    assert_listed(BYTES(0xd2, 0x80, 0, 0, 0), "i-2147483648");
    assert_listed(BYTES(0xd3, 0x80, 0, 0, 0, 0, 0, 0, 0), "i-9223372036854775808");
    assert_listed(BYTES(0xd0, 5, 0xd1, 0, 5, 0xd2, 0, 0, 0, 5), "u5 u5 u5");
    assert_listed(BYTES(0xca, 0x7f, 0xc0, 0, 1), "g7fc00001");
    assert_listed(BYTES(0xcb, 0x7f, 0xf0, 0, 0, 0, 0, 0, 1), "d7ff0000000000001");
    assert_listed(BYTES(0xa0, 0xa2, 'h', 'i', 0xd9, 1, 'x', 0xda, 0, 1, 'y'), "s s6869 s78 s79");
    assert_listed(BYTES(0xdb, 0, 0, 0, 1, 'z', 0xc4, 1, 9, 0xc5, 0, 1, 8), "s7a b09 b08");
    assert_listed(BYTES(0xc6, 0, 0, 0, 0, 0xc7, 0, 5, 0xc8, 0, 1, 0xff, 7), "b x5: x-1:07");
    assert_listed(BYTES(0xc9, 0, 0, 0, 1, 6, 7, 0xd4, 1, 2, 0xd5, 3, 4, 5), "x6:07 x1:02 x3:0405");
    assert_listed(BYTES(0x90, 0x91, 0xc0, 0x81, 1, 2, 0x80), "a0 a1 n m1 u1 u2 m0");
    assert_listed(BYTES(0xdc, 0, 1, 1, 0xdd, 0, 0, 0, 1, 2), "a1 u1 a1 u2");
    assert_listed(BYTES(0xde, 0, 1, 1, 2, 0xdf, 0, 0, 0, 1, 3, 4), "m1 u1 u2 m1 u3 u4");
}

/* The expected result for a head byte, derived independently. */
static enum msgpack_kind kind_of(unsigned head)
{
    if (head <= 0x7f || (head >= 0xcc && head <= 0xcf))
        return MSGPACK_UINT;
    if (head <= 0x8f || head >= 0xde) {
        if (head <= 0x8f || head <= 0xdf)
            return MSGPACK_MAP;
        return MSGPACK_INT;
    }
    if (head <= 0x9f || head == 0xdc || head == 0xdd)
        return MSGPACK_ARRAY;
    if (head <= 0xbf || (head >= 0xd9 && head <= 0xdb))
        return MSGPACK_STR;
    if (head >= 0xc4 && head <= 0xc6)
        return MSGPACK_BIN;
    if (head == 0xc2 || head == 0xc3)
        return MSGPACK_BOOL;
    if (head >= 0xd0 && head <= 0xd3)
        return MSGPACK_UINT; /* with zeros after it */
    if (head == 0xca || head == 0xcb)
        return head == 0xca ? MSGPACK_F32 : MSGPACK_F64;
    return head == 0xc0 ? MSGPACK_NIL : head == 0xc1 ? MSGPACK_NONE : MSGPACK_EXT;
}

static void every_head_byte_and_every_cut_of_it(void **state)
{
    (void)state;
    for (unsigned head = 0; head < 256; head++) {
        uint8_t full[64] = {(uint8_t)head};
        struct msgpack in = msgpack_bytes((struct ras_bytes){full, sizeof full});
        struct msgpack_item item;
        bool ok = msgpack_next(&in, &item);
        assert_int_equal(ok, head != 0xc1);
        assert_int_equal(ok ? item.kind : MSGPACK_NONE, kind_of(head));
        if (!ok) {
            assert_int_equal(in.fault, MSGPACK_INVALID);
            assert_string_equal(in.why, "byte 0xc1 is never used");
            continue;
        }
        in = msgpack_bytes((struct ras_bytes){full, sizeof full});
        assert_true(msgpack_skip(&in));
        size_t size = msgpack_offset(&in);
        for (size_t cut = 0; cut <= size; cut++) {
            uint8_t *copy = guarded((struct ras_bytes){full, cut});
            in = msgpack_bytes((struct ras_bytes){copy, cut});
            assert_int_equal(msgpack_skip(&in), cut == size);
            assert_int_equal(in.fault, cut == size ? MSGPACK_FINE : MSGPACK_SHORT);
            free(copy);
        }
    }
}

static void hostile_counts_are_refused_before_anything(void **state)
{
    (void)state;
    const struct ras_bytes rows[] = {
        BYTES(0xdd, 0xff, 0xff, 0xff, 0xff, 1),
        BYTES(0xdf, 0xff, 0xff, 0xff, 0xff, 1),
        BYTES(0xdf, 0x80, 0, 0, 0, 1, 2),
        BYTES(0xdc, 0xff, 0xff, 1),
        BYTES(0xde, 0, 1, 1),
        BYTES(0x92, 1),
        BYTES(0x81, 1),
        BYTES(0xdb, 0xff, 0xff, 0xff, 0xff, 'x'),
        BYTES(0xc6, 0xff, 0xff, 0xff, 0xff, 'x'),
        BYTES(0xc9, 0xff, 0xff, 0xff, 0xff, 1, 'x'),
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct msgpack in = msgpack_bytes(rows[i]), skipped = in;
        struct msgpack_item item;
        assert_false(msgpack_next(&in, &item));
        assert_int_equal(in.fault, MSGPACK_SHORT);
        assert_int_equal(in.fault_at, 0);
        assert_false(msgpack_skip(&skipped));
        assert_int_equal(skipped.fault, MSGPACK_SHORT);
    }
}

/* Each count alone is possible; together they want more than there is. */
static void skip_adds_up_what_nested_counts_want(void **state)
{
    (void)state;
    enum { SIZE = 1 << 20 };
    uint8_t *bomb = malloc(SIZE);
    for (size_t i = 0; i + 5 <= SIZE; i += 5)
        memcpy(bomb + i, (uint8_t[]){0xdd, 0, 0, 0x10, 0}, 5);
    struct msgpack in = msgpack_bytes((struct ras_bytes){bomb, SIZE});
    assert_false(msgpack_skip(&in));
    assert_int_equal(in.fault, MSGPACK_SHORT);
    assert_string_equal(in.why, "more items than bytes left");
    assert_true(in.fault_at < 2000);
    memset(bomb, 0x91, SIZE); /* one array in the other, a million deep */
    in = msgpack_bytes((struct ras_bytes){bomb, SIZE});
    assert_false(msgpack_skip(&in));
    bomb[SIZE - 1] = 0xc0;
    in = msgpack_bytes((struct ras_bytes){bomb, SIZE});
    assert_true(msgpack_skip(&in));
    assert_int_equal(msgpack_left(&in), 0);
    memset(bomb, 0x9f, SIZE);
    in = msgpack_bytes((struct ras_bytes){bomb, SIZE});
    assert_false(msgpack_skip(&in));
    assert_int_equal(in.fault, MSGPACK_SHORT);
    free(bomb);
}

static void the_first_fault_sticks(void **state)
{
    (void)state;
    struct msgpack in = msgpack_bytes(BYTES(1, 0xc1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
    struct msgpack_item item;
    uint64_t u = 77;
    int64_t i;
    double f;
    bool b;
    struct ras_bytes bytes;
    assert_true(msgpack_next(&in, &item));
    assert_false(msgpack_next(&in, &item));
    assert_int_equal(msgpack_left(&in), 0);
    assert_false(msgpack_next(&in, &item) || msgpack_skip(&in) || msgpack_u64(&in, &u));
    assert_false(msgpack_i64(&in, &i) || msgpack_f64(&in, &f) || msgpack_bool(&in, &b));
    assert_false(msgpack_nil(&in) || msgpack_str(&in, &bytes) || msgpack_bin(&in, &bytes));
    assert_false(msgpack_array(&in, &u) || msgpack_map(&in, &u) || MSGPACK_KEY(&in, "a"));
    assert_int_equal(msgpack_peek(&in), MSGPACK_NONE);
    assert_int_equal(u, 77);
    assert_int_equal(in.fault, MSGPACK_INVALID);
    assert_int_equal(in.fault_at, 1);
}

static void typed_reads_take_only_their_kind(void **state)
{
    (void)state;
    struct msgpack in = msgpack_bytes(
        BYTES(0x82, 0xa4, 't', 'i', 'c', 'k', 0xcd, 1, 0, 0xd9, 2, 'o', 'k', 0xc3, 0xe1, 0xd1, 0xff,
              0, 0xce, 0, 0, 0, 9, 0xd0, 3, 0xcb, 0x3f, 0xf8, 0, 0, 0, 0, 0, 0, 0xca, 0x3f, 0xc0, 0,
              0, 0xc0, 0xcf, 0x80, 0, 0, 0, 0, 0, 0, 0, 0x91, 0xc4, 1, 5, 0xa1, 'z'));
    uint64_t u = 0;
    int64_t i = 0;
    double f = 0;
    bool b = false;
    struct ras_bytes bytes;
    assert_false(msgpack_array(&in, &u) || msgpack_u64(&in, &u) || msgpack_str(&in, &bytes));
    assert_true(msgpack_map(&in, &u) && u == 2);
    assert_false(MSGPACK_KEY(&in, "tock") || MSGPACK_KEY(&in, "ticks") || MSGPACK_KEY(&in, ""));
    assert_true(MSGPACK_KEY(&in, "tick"));
    assert_false(MSGPACK_KEY(&in, "tick") || msgpack_f64(&in, &f) || msgpack_nil(&in));
    assert_true(msgpack_u64(&in, &u) && u == 256);
    assert_false(MSGPACK_KEY(&in, "no"));
    assert_true(MSGPACK_KEY(&in, "ok")); /* in a longer encoding than need be */
    assert_false(msgpack_u64(&in, &u) || msgpack_i64(&in, &i));
    assert_true(msgpack_bool(&in, &b) && b);
    assert_false(msgpack_u64(&in, &u) || msgpack_bool(&in, &b));
    assert_true(msgpack_i64(&in, &i) && i == -31);
    assert_false(msgpack_u64(&in, &u));
    assert_true(msgpack_i64(&in, &i) && i == -256);
    assert_true(msgpack_i64(&in, &i) && i == 9);
    assert_true(msgpack_u64(&in, &u) && u == 3);
    assert_false(msgpack_u64(&in, &u) || msgpack_i64(&in, &i));
    assert_true(msgpack_f64(&in, &f) && f == 1.5);
    assert_true(msgpack_f64(&in, &f) && f == 1.5);
    assert_true(msgpack_nil(&in));
    assert_false(msgpack_i64(&in, &i)); /* above INT64_MAX */
    assert_true(msgpack_u64(&in, &u) && u == UINT64_C(1) << 63);
    assert_true(msgpack_array(&in, &u) && u == 1);
    assert_false(msgpack_str(&in, &bytes) || msgpack_map(&in, &u));
    assert_true(msgpack_bin(&in, &bytes) && bytes.len == 1 && bytes.at[0] == 5);
    assert_false(msgpack_bin(&in, &bytes));
    assert_true(msgpack_str(&in, &bytes) && bytes.len == 1 && bytes.at[0] == 'z');
    assert_int_equal(in.fault, MSGPACK_FINE);
    assert_false(msgpack_nil(&in) || MSGPACK_KEY(&in, "z"));
    assert_int_equal(in.fault, MSGPACK_FINE); /* those two do not consume anything */
    assert_false(msgpack_bool(&in, &b));
    assert_int_equal(in.fault, MSGPACK_SHORT);
    assert_string_equal(in.why, "end where an item should be");
}

static void long_keys_match_too(void **state)
{
    (void)state;
    static const char key[] = "a_key_that_is_longer_than_thirty_one_bytes";
    uint8_t packed[64] = {0xd9, sizeof key - 1};
    memcpy(packed + 2, key, sizeof key - 1);
    for (size_t cut = 0; cut <= sizeof key + 1; cut++) {
        uint8_t *copy = guarded((struct ras_bytes){packed, cut});
        struct msgpack in = msgpack_bytes((struct ras_bytes){copy, cut});
        assert_int_equal(msgpack_key_is(&in, key, sizeof key - 1), cut == sizeof key + 1);
        assert_int_equal(in.fault, MSGPACK_FINE);
        free(copy);
    }
}

/* Typed reads over every cut of every head: no byte too far, no fault missed. */
static void typed_reads_survive_every_cut(void **state)
{
    (void)state;
    for (unsigned head = 0; head < 256; head++)
        for (size_t cut = 0; cut < 12; cut++) {
            uint8_t full[12] = {(uint8_t)head, 0, 0, 0, 1};
            uint8_t *copy = guarded((struct ras_bytes){full, cut});
            for (int read = 0; read < 8; read++) {
                struct msgpack in = msgpack_bytes((struct ras_bytes){copy, cut}), plain = in;
                struct msgpack_item item = {0};
                bool whole = msgpack_next(&plain, &item);
                uint64_t u;
                int64_t i;
                double f;
                bool b;
                struct ras_bytes bytes;
                bool took = read == 0   ? msgpack_u64(&in, &u)
                            : read == 1 ? msgpack_i64(&in, &i)
                            : read == 2 ? msgpack_f64(&in, &f)
                            : read == 3 ? msgpack_bool(&in, &b)
                            : read == 4 ? msgpack_str(&in, &bytes)
                            : read == 5 ? msgpack_bin(&in, &bytes)
                            : read == 6 ? msgpack_array(&in, &u)
                                        : msgpack_map(&in, &u);
                static const unsigned kinds[8] = {1u << MSGPACK_UINT,
                                                  1u << MSGPACK_UINT | 1u << MSGPACK_INT,
                                                  1u << MSGPACK_F32 | 1u << MSGPACK_F64,
                                                  1u << MSGPACK_BOOL,
                                                  1u << MSGPACK_STR,
                                                  1u << MSGPACK_BIN,
                                                  1u << MSGPACK_ARRAY,
                                                  1u << MSGPACK_MAP};
                assert_int_equal(took, whole && (kinds[read] >> item.kind & 1));
                assert_int_equal(in.fault, plain.fault);
                assert_true(!took || in.at == plain.at);
                assert_true(took || !whole || in.at == copy);
            }
            free(copy);
        }
}

static void python_agrees(void **state)
{
    (void)state;
    struct out all = oracle("msgpack_values.py", "5");
    struct in in = oracle_in(&all);
    size_t pairs = 0, deepest = 0;
    for (; in_left(&in); pairs++) {
        struct ras_bytes packed = oracle_blob(&in), want = oracle_blob(&in);
        struct msgpack end;
        struct out text = listed(packed, &end);
        assert_int_equal(end.fault, MSGPACK_FINE);
        assert_int_equal(text.len, want.len);
        assert_memory_equal(text.at, want.at, want.len);
        out_free(&text);
        deepest = packed.len > deepest ? packed.len : deepest;
        /* All cuts of small ones, some of large ones, the last byte always. */
        size_t step = packed.len < 500 ? 1 : packed.len / 50;
        for (size_t less = 0; less <= packed.len; less = less ? less + step : 1) {
            size_t cut = packed.len - less;
            uint8_t *copy = guarded((struct ras_bytes){packed.at, cut});
            struct msgpack skip = msgpack_bytes((struct ras_bytes){copy, cut});
            assert_int_equal(msgpack_skip(&skip), less == 0);
            assert_int_equal(skip.fault, less ? MSGPACK_SHORT : MSGPACK_FINE);
            free(copy);
        }
    }
    assert_true(pairs > 250 && deepest > 10000);
    out_free(&all);
}

/* A cut gives the same items as far as it goes. */
static void every_cut_lists_a_prefix(void **state)
{
    (void)state;
    struct ras_bytes whole = BYTES(0x83, 0xa4, 't', 'i', 'c', 'k', 0xcd, 1, 0, 0xa1, 'v', 0xcb, 1,
                                   2, 3, 4, 5, 6, 7, 8, 0xa1, 'l', 0x93, 1, 0xd1, 0x80, 0, 0xc0);
    struct msgpack end;
    struct out want = listed(whole, &end);
    for (size_t cut = 0; cut < whole.len; cut++) {
        uint8_t *copy = guarded((struct ras_bytes){whole.at, cut});
        struct out got = listed((struct ras_bytes){copy, cut}, &end);
        assert_true(got.len <= want.len);
        assert_true(!got.len || !memcmp(got.at, want.at, got.len));
        assert_true(end.fault != MSGPACK_INVALID);
        out_free(&got);
        free(copy);
    }
    out_free(&want);
}

static void narrow_floats_are_widened(void **state)
{
    (void)state;
    struct msgpack_item narrow = {.kind = MSGPACK_F32, .bits = 0x7fc00000};
    assert_true(isnan(msgpack_real(&narrow)));
    narrow.bits = 0xbf000000;
    assert_true(msgpack_real(&narrow) == -0.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_as_the_specification_lists_them),
        cmocka_unit_test(every_head_byte_and_every_cut_of_it),
        cmocka_unit_test(hostile_counts_are_refused_before_anything),
        cmocka_unit_test(skip_adds_up_what_nested_counts_want),
        cmocka_unit_test(the_first_fault_sticks),
        cmocka_unit_test(typed_reads_take_only_their_kind),
        cmocka_unit_test(long_keys_match_too),
        cmocka_unit_test(typed_reads_survive_every_cut),
        cmocka_unit_test(every_cut_lists_a_prefix),
        cmocka_unit_test(python_agrees),
        cmocka_unit_test(narrow_floats_are_widened),
    };
    return cmocka_run_group_tests_name("codec/msgpack", tests, NULL, NULL);
}
