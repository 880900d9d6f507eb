/* murk_payload_test.c - the seven payloads: fields, cuts, bits, and what is left over. */
#include "../replay.h"
#include <rastrum/murk.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

/* One whole payload a type, and what runs short when it ends before byte `to`. */
static const struct {
    uint8_t type;
    size_t size;
    const char *bytes;
    struct {
        size_t to;
        const char *field;
    } cuts[4];
} payloads[] = {
    {RAS_MURK_MOVE,
     20,
     "\1\2\3\4\5\6\7\x88\2\0\0\0\3\0\0\0\xfc\xff\xff\xff",
     {{8, "Move payload"}, {12, "coord length"}, {20, "coord data"}}},
    {RAS_MURK_SPAWN,
     20,
     "\1\0\0\0\7\0\0\0\1\0\0\0\1\0\0\0\0\0\x80\x3f",
     {{4, "coord length"},
      {8, "coord data"},
      {12, "Spawn field_values count"},
      {20, "Spawn field_values entry"}}},
    {RAS_MURK_DESPAWN, 8, "\1\2\3\4\5\6\7\x88", {{8, "Despawn payload"}}},
    {RAS_MURK_SET_FIELD,
     16,
     "\1\0\0\0\xff\xff\xff\xff\5\0\0\0\1\0\x80\x7f",
     {{4, "coord length"}, {8, "coord data"}, {16, "SetField payload"}}},
    {RAS_MURK_CUSTOM, 11, "\xcd\xab\0\0\3\0\0\0abc", {{8, "Custom payload"}, {11, "Custom data"}}},
    {RAS_MURK_SET_PARAMETER, 12, "\x09\0\0\0\1\0\0\0\0\0\xf0\x7f", {{12, "SetParameter payload"}}},
    {RAS_MURK_SET_PARAMETER_BATCH,
     16,
     "\1\0\0\0\x09\0\0\0\1\0\0\0\0\0\xf8\xff",
     {{4, "SetParameterBatch count"}, {16, "SetParameterBatch entry"}}},
};
enum { COUNT = sizeof payloads / sizeof *payloads };

static struct ras_murk_payload get(uint8_t type, const void *bytes, size_t size)
{
    struct ras_murk_payload p;
    struct ras_murk_fault fault;
    assert_true(ras_murk_payload_get(type, (struct ras_bytes){bytes, size}, &p, &fault));
    return p;
}

static void every_field_is_found(void **state)
{
    (void)state;
    struct ras_murk_payload p = get(0, payloads[0].bytes, 20);
    assert_int_equal(p.entity_id, 0x8807060504030201);
    assert_int_equal(p.coord.len, 8);
    assert_memory_equal(p.coord.at, "\3\0\0\0\xfc\xff\xff\xff", 8);
    p = get(2, payloads[2].bytes, 8);
    assert_int_equal(p.entity_id, 0x8807060504030201);
    p = get(4, payloads[4].bytes, 11);
    assert_int_equal(p.type_id, 0xabcd);
    assert_int_equal(p.data.len, 3);
    assert_memory_equal(p.data.at, "abc", 3);
}

/* Signalling NaNs and payloads: a float is a bit pattern all the way. */
static void floats_keep_their_bits(void **state)
{
    (void)state;
    struct ras_murk_payload p = get(3, payloads[3].bytes, 16);
    assert_int_equal(p.field_id, 5);
    assert_int_equal(p.value_f32, 0x7f800001);
    p = get(5, payloads[5].bytes, 12);
    assert_int_equal(p.key, 9);
    assert_int_equal(p.value_f64, 0x7ff0000000000001);
    p = get(6, payloads[6].bytes, 16);
    assert_int_equal(p.params.len, 12);
    assert_memory_equal(p.params.at + 4, "\1\0\0\0\0\0\xf8\xff", 8);
}

static void a_payload_cut_at_every_byte_says_what_ran_short(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT; i++) {
        for (size_t size = 0, part = 0; size < payloads[i].size; size++) {
            struct ras_murk_payload p;
            struct ras_murk_fault fault;
            while (part < 3 && size >= payloads[i].cuts[part].to)
                part++;
            uint8_t *exact = malloc(size + 1);
            assert_non_null(exact);
            memcpy(exact, payloads[i].bytes, size);
            struct ras_bytes bytes = {exact, size};
            assert_false(ras_murk_payload_get(payloads[i].type, bytes, &p, &fault));
            assert_int_equal(fault.code, RAS_MURK_SHORT_PAYLOAD);
            assert_int_equal(fault.number, size);
            assert_true(fault.offset <= size);
            assert_string_equal(fault.field, payloads[i].cuts[part].field);
            assert_string_equal(ras_murk_kind(&fault), "MalformedFrame");
            free(exact);
        }
        assert_int_equal(get(payloads[i].type, payloads[i].bytes, payloads[i].size).trailing, 0);
    }
}

static void no_payload_at_all_is_short_at_byte_0(void **state)
{
    (void)state;
    for (uint8_t type = 0; type < RAS_MURK_PAYLOAD_TYPES; type++) {
        struct ras_murk_payload p;
        struct ras_murk_fault fault;
        assert_false(ras_murk_payload_get(type, (struct ras_bytes){NULL, 0}, &p, &fault));
        assert_int_equal(fault.code, RAS_MURK_SHORT_PAYLOAD);
        assert_int_equal(fault.offset, 0);
        assert_int_equal(fault.number, 0);
    }
}

static void what_is_left_over_is_counted(void **state)
{
    (void)state;
    uint8_t bytes[64] = {0};
    memcpy(bytes, payloads[2].bytes, 8);
    for (size_t more = 0; more < 50; more++)
        assert_int_equal(get(2, bytes, 8 + more).trailing, more);
    static const size_t least[] = {12, 8, 8, 12, 8, 12, 4}; /* all counts are 0 */
    memset(bytes, 0, sizeof bytes);
    for (uint8_t type = 0; type < RAS_MURK_PAYLOAD_TYPES; type++)
        assert_int_equal(get(type, bytes, 64).trailing, 64 - least[type]);
}

/* 2^30 components are 2^32 bytes, which 32 bits would take for none. */
static void a_huge_count_does_not_wrap(void **state)
{
    (void)state;
    static const char *const huge[] = {"\0\0\0\x40", "\0\0\0\x20", "\xff\xff\xff\xff",
                                       "\xab\xaa\xaa\xaa", "\x56\x55\x55\x15"};
    for (size_t i = 0; i < sizeof huge / sizeof *huge; i++) {
        for (uint8_t type = 0; type < RAS_MURK_PAYLOAD_TYPES; type++) {
            struct ras_murk_payload p;
            struct ras_murk_fault fault;
            uint8_t bytes[64] = {0};
            size_t at = type == RAS_MURK_MOVE ? 8 : type == RAS_MURK_CUSTOM ? 4 : 0;
            if (type == RAS_MURK_DESPAWN || type == RAS_MURK_SET_PARAMETER)
                continue; /* they count nothing */
            memcpy(bytes + at, huge[i], 4);
            assert_false(ras_murk_payload_get(type, (struct ras_bytes){bytes, 64}, &p, &fault));
            assert_int_equal(fault.code, RAS_MURK_SHORT_PAYLOAD);
        }
    }
}

static void tags_have_names_up_to_6(void **state)
{
    (void)state;
    static const char *const names[] = {"Move",   "Spawn",        "Despawn",          "SetField",
                                        "Custom", "SetParameter", "SetParameterBatch"};
    for (unsigned type = 0; type < 256; type++) {
        struct ras_murk_payload p;
        struct ras_murk_fault fault;
        if (type < RAS_MURK_PAYLOAD_TYPES) {
            assert_string_equal(ras_murk_payload_name((uint8_t)type), names[type]);
            continue;
        }
        assert_null(ras_murk_payload_name((uint8_t)type));
        uint8_t bytes[32] = {0};
        assert_false(
            ras_murk_payload_get((uint8_t)type, (struct ras_bytes){bytes, 32}, &p, &fault));
        assert_int_equal(fault.code, RAS_MURK_UNKNOWN_PAYLOAD);
        assert_int_equal(fault.number, type);
        assert_string_equal(ras_murk_kind(&fault), "UnknownPayloadType");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_is_found),
        cmocka_unit_test(floats_keep_their_bits),
        cmocka_unit_test(a_payload_cut_at_every_byte_says_what_ran_short),
        cmocka_unit_test(no_payload_at_all_is_short_at_byte_0),
        cmocka_unit_test(what_is_left_over_is_counted),
        cmocka_unit_test(a_huge_count_does_not_wrap),
        cmocka_unit_test(tags_have_names_up_to_6),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
