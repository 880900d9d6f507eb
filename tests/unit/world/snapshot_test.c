/* snapshot_test.c - the hash of fields, beside one that takes a byte at a time. */
#include "codec/fnv1a.h"
#include <rastrum/world.h>

#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static uint64_t plain(const struct ras_world_field *fields, uint32_t count)
{
    uint64_t hash = FNV1A_START;
    for (uint32_t i = 0; i < count; i++) {
        hash = fnv1a_bytes(hash, &i, sizeof i); /* tests run on little-endian machines */
        if (fields[i].values)
            hash = fnv1a_bytes(hash, fields[i].values, fields[i].count * sizeof(uint32_t));
    }
    return hash;
}

/* Values that the public implementation gave. */
static void published_vectors(void **state)
{
    static const uint32_t zero = 0, minus_zero = 0x80000000u, one = 0x3f800000u;
    static const uint32_t three[] = {0x3f800000u, 0x40000000u, 0x40400000u};
    static const uint32_t two[] = {0x40800000u, 0x40a00000u};
    static const uint32_t nans[] = {0x7fc00000u, 0xffc00000u, 0x7f800001u};
    (void)state;
    struct ras_world_field f[2] = {{.values = NULL}};
    assert_int_equal(ras_snapshot_hash(f, 0), UINT64_C(0xcbf29ce484222325));
    assert_int_equal(ras_snapshot_hash(f, 1), UINT64_C(0x4d25767f9dce13f5));
    f[0] = (struct ras_world_field){"a", &zero, 1, 1};
    assert_int_equal(ras_snapshot_hash(f, 1), UINT64_C(0xa8c7f832281a39c5));
    f[0].values = &minus_zero;
    assert_int_equal(ras_snapshot_hash(f, 1), UINT64_C(0xa8c7783228196045));
    f[0].values = &one;
    assert_int_equal(ras_snapshot_hash(f, 1), UINT64_C(0xaa7ae932298bb4c8));
    f[0] = (struct ras_world_field){"a", three, 3, 1};
    assert_int_equal(ras_snapshot_hash(f, 1), UINT64_C(0x62552b9ea71e5908));
    f[1] = (struct ras_world_field){"b", two, 2, 1};
    assert_int_equal(ras_snapshot_hash(f, 2), UINT64_C(0xd96027af4a5c79d9));
    f[0] = (struct ras_world_field){"a", nans + 2, 1, 1};
    assert_int_equal(ras_snapshot_hash(f, 1), UINT64_C(0x0a7fd329d3554419));
}

/* Runs of zeros of every length, at every place. */
static void zeros_change_nothing(void **state)
{
    enum { ROOM = 200 };
    uint32_t values[ROOM];
    (void)state;
    for (unsigned from = 0; from < 40; from++)
        for (unsigned to = from; to < ROOM; to += 3) {
            for (unsigned i = 0; i < ROOM; i++)
                values[i] = i >= from && i < to ? 0 : (uint32_t)rand() << (i % 4 * 8);
            struct ras_world_field f = {"a", values, ROOM - from / 3, 1};
            assert_int_equal(ras_snapshot_hash(&f, 1), plain(&f, 1));
        }
}

static void configuration(void **state)
{
    static const uint8_t descriptor[] = {1, 2, 3};
    (void)state;
    struct ras_world_shape none = {0};
    struct ras_world_shape some = {UINT64_C(0x3fb99999a0000000), 5, 10000};
    assert_int_equal(ras_config_hash(0, &none, (struct ras_bytes){0}),
                     UINT64_C(0x17d9c15239d081d5));
    assert_int_equal(ras_config_hash(42, &some, (struct ras_bytes){descriptor, 3}),
                     UINT64_C(0xe11b6523efce0003));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_vectors),
        cmocka_unit_test(zeros_change_nothing),
        cmocka_unit_test(configuration),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
