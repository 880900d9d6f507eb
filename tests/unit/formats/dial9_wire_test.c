/* dial9_wire_test.c - the bytes of frames and values. */
#include "../stream.h"
#include "formats/dial9/dial9_layout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

static struct in bytes_of(const struct out *o)
{
    return in_bytes((struct ras_bytes){o->at, o->len});
}

static void a_header_is_five_bytes(void **state)
{
    (void)state;
    static const uint8_t good[] = "TRC\0\1", other[] = "TRX\0\1";
    uint8_t version;
    struct in in = {good, good + 5, false};
    assert_true(dial9_header_get(&in, &version));
    assert_int_equal(version, 1);
    in = (struct in){other, other + 5, false};
    assert_false(dial9_header_get(&in, &version));
    for (size_t n = 0; n <= 5; n++) {
        in = (struct in){good, good + n, false};
        assert_int_equal(dial9_header_begins(&in), n > 0 && n < 5);
        in = (struct in){other, other + n, false};
        assert_int_equal(dial9_header_begins(&in), n > 0 && n < 3);
    }
}

static void field_types_by_dialect(void **state)
{
    (void)state;
    for (unsigned type = 0; type < 256; type++) {
        unsigned plain = type & 0x7f;
        bool full = plain >= 1 && plain <= 15;
        bool seed = full && type < 14 && type != 6;
        assert_int_equal(dial9_type_known(type, RAS_DIAL9_FULL), full);
        assert_int_equal(dial9_type_known(type, RAS_DIAL9_SEED), seed);
        assert_int_equal(ras_dial9_type_name(type) != NULL, full);
    }
    assert_string_equal(ras_dial9_type_name(9), "Varint");
    assert_string_equal(ras_dial9_type_name(0x87), "Optional PooledString");
    assert_null(ras_dial9_type_name(256 + 9));
}

static void a_schema_frame_and_its_fields(void **state)
{
    (void)state;
    struct out o = {0};
    put_schema(&o, 0xabcd, "name", true, 2, "a", 9, "bc", 0x87);
    for (size_t n = 1; n <= o.len; n++) {
        struct in in = {o.at + 1, o.at + n, false};
        struct wire_schema schema;
        dial9_schema_get(&in, &schema);
        assert_int_equal(in.cut, n < o.len);
        if (in.cut)
            continue;
        assert_int_equal(schema.type_id, 0xabcd);
        assert_int_equal(schema.name.len, 4);
        assert_int_equal(schema.has_timestamp, 1);
        assert_int_equal(schema.field_count, 2);
        struct in fields = in_bytes(schema.fields);
        struct wire_field field;
        dial9_field_get(&fields, &field);
        assert_int_equal(field.type, 9);
        dial9_field_get(&fields, &field);
        assert_int_equal(field.type, 0x87);
        assert_memory_equal(field.name.at, "bc", 2);
        assert_int_equal(in_left(&fields), 0);
    }
    out_free(&o);
}

/* One sample of every type; cut at every byte it reports just that. */
static void a_value_of_every_type_is_whole_or_cut(void **state)
{
    (void)state;
    static const struct {
        uint8_t type;
        uint8_t size, bytes[24];
        uint64_t u;
        uint32_t count;
    } samples[] = {
        {RAS_DIAL9_I64, 8, {0xfb, 255, 255, 255, 255, 255, 255, 255}, UINT64_MAX - 4, 0},
        {RAS_DIAL9_F64, 8, {0, 0, 0, 0, 0, 0, 4, 64}, 0x4004000000000000, 0},
        {RAS_DIAL9_BOOL, 1, {7}, 1, 0},
        {RAS_DIAL9_U8, 1, {200}, 200, 0},
        {RAS_DIAL9_U16, 2, {1, 2}, 0x201, 0},
        {RAS_DIAL9_U32, 4, {1, 2, 3, 4}, 0x4030201, 0},
        {RAS_DIAL9_POOLED_STRING, 4, {255, 255, 255, 255}, UINT32_MAX, 0},
        {RAS_DIAL9_POOLED_STACK_FRAMES, 4, {9}, 9, 0},
        {RAS_DIAL9_VARINT, 2, {0xac, 2}, 300, 0},
        {RAS_DIAL9_VARINT | RAS_DIAL9_OPTIONAL, 3, {5, 0xac, 2}, 300, 0},
        {RAS_DIAL9_STRING, 6, {2, 0, 0, 0, 'h', 'i'}, 0, 2},
        {RAS_DIAL9_BYTES, 5, {1, 0, 0, 0, 255}, 0, 1},
        {RAS_DIAL9_STACK_FRAMES, 12, {1, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8}, 0, 1},
        {RAS_DIAL9_STRING_MAP, 14, {1, 0, 0, 0, 1, 0, 0, 0, 'k', 1, 0, 0, 0, 'v'}, 0, 1},
        {RAS_DIAL9_DYNAMIC_LIST, 8, {2, 0, 0, 0, 11, 1, 3, 0}, 0, 2},
        {RAS_DIAL9_DYNAMIC_MAP, 8, {1, 0, 0, 0, 11, 1, 9, 5}, 0, 1},
    };
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        for (size_t n = 0; n <= samples[i].size; n++) {
            struct in in = {samples[i].bytes, samples[i].bytes + n, false};
            struct ras_dial9_value v;
            assert_int_equal(dial9_value_get(&in, samples[i].type, 32, &v), WIRE_FINE);
            assert_int_equal(in.cut, n < samples[i].size);
            if (in.cut)
                continue;
            assert_int_equal(in_left(&in), 0);
            assert_int_equal(v.type, samples[i].type & 0x7f);
            assert_int_equal(v.count, samples[i].count);
            if (!samples[i].count)
                assert_int_equal(v.u, samples[i].u);
        }
    }
}

static void an_absent_optional_takes_one_byte(void **state)
{
    (void)state;
    static const uint8_t bytes[] = {0, 77};
    struct in in = {bytes, bytes + 2, false};
    struct ras_dial9_value v;
    assert_int_equal(dial9_value_get(&in, RAS_DIAL9_STRING | RAS_DIAL9_OPTIONAL, 32, &v),
                     WIRE_FINE);
    assert_int_equal(v.type, 0);
    assert_int_equal(in_left(&in), 1);
}

static void nesting_has_an_end(void **state)
{
    (void)state;
    for (unsigned levels = 0; levels < 8; levels++) {
        struct out o = {0};
        for (unsigned i = 0; i < levels; i++) {
            put_le(&o, 1, 4);
            out_byte(&o, RAS_DIAL9_DYNAMIC_LIST);
        }
        put_le(&o, 0, 4);
        struct in in = bytes_of(&o);
        struct ras_dial9_value v;
        enum wire_fault fault = dial9_value_get(&in, RAS_DIAL9_DYNAMIC_LIST, 4, &v);
        assert_int_equal(fault, levels <= 4 ? WIRE_FINE : WIRE_TOO_DEEP);
        out_free(&o);
    }
}

static void tags_inside_containers_are_plain_types(void **state)
{
    (void)state;
    for (unsigned tag = 0; tag < 256; tag++) {
        uint8_t bytes[32] = {1, 0, 0, 0, (uint8_t)tag};
        struct in in = {bytes, bytes + sizeof bytes, false};
        struct ras_dial9_value v;
        enum wire_fault fault = dial9_value_get(&in, RAS_DIAL9_DYNAMIC_LIST, 32, &v);
        assert_int_equal(fault, tag >= 1 && tag <= 15 ? WIRE_FINE : WIRE_TYPE);
    }
}

/* The layout's varints agree with those of the slow path, also on what they refuse. */
static void varints_with_and_without_a_loop_agree(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (unsigned round = 0; round < 200000; round++) {
        uint8_t bytes[16];
        for (size_t i = 0; i < sizeof bytes; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            bytes[i] = (uint8_t)(seed >> 56);
            if (i < round % 12)
                bytes[i] |= 0x80;
        }
        if (round % 12 == 9)
            bytes[9] = (uint8_t)(round / 12 % 4);
        struct in in = {bytes, bytes + sizeof bytes, false};
        struct ras_dial9_value v;
        enum wire_fault fault = dial9_value_get(&in, RAS_DIAL9_VARINT, 32, &v);
        uint64_t u = 0;
        const uint8_t *next = varint_take(bytes, &u);
        assert_int_equal(next == NULL, fault == WIRE_VARINT);
        if (!next)
            continue;
        assert_ptr_equal(next, in.at);
        assert_int_equal(u, v.u);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_header_is_five_bytes),
        cmocka_unit_test(field_types_by_dialect),
        cmocka_unit_test(a_schema_frame_and_its_fields),
        cmocka_unit_test(a_value_of_every_type_is_whole_or_cut),
        cmocka_unit_test(an_absent_optional_takes_one_byte),
        cmocka_unit_test(nesting_has_an_end),
        cmocka_unit_test(tags_inside_containers_are_plain_types),
        cmocka_unit_test(varints_with_and_without_a_loop_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
