/* msgpack_cells_test.c - MessagePack of any shape as values. */
#include "core/msgpack_cells.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static struct ras_bytes bytes_of(const char *text, size_t len)
{
    return (struct ras_bytes){(const uint8_t *)text, len};
}
#define BYTES(literal) bytes_of(literal, sizeof(literal) - 1)

static void every_kind_of_scalar_is_kept(void **state)
{
    (void)state;
    struct cells c = {0};
    struct msgpack in = msgpack_bytes(BYTES("\x97\xc0\xc3\x05\xff\xca\x3f\x00\x00\x00\xa2hi\xc4\x01"
                                            "\x07"));
    assert_true(cells_msgpack(&c, 3, &in, 8));
    static const enum ras_kind kinds[] = {RAS_LIST, RAS_NULL, RAS_BOOL, RAS_UINT,
                                          RAS_INT,  RAS_F32,  RAS_STR,  RAS_BLOB};
    assert_int_equal(c.count, 8);
    for (size_t i = 0; i < 8; i++) {
        assert_int_equal(c.items[i].kind, kinds[i]);
        assert_int_equal(c.items[i].field, 3);
    }
    assert_int_equal(c.items[0].count, 7);
    assert_int_equal(c.items[4].i, -1);
    assert_int_equal(msgpack_left(&in), 0);
    cells_free(&c);
}

static void what_is_too_deep_is_delivered_as_bytes(void **state)
{
    (void)state;
    struct cells c = {0};
    struct msgpack in = msgpack_bytes(BYTES("\x91\x91\x01\x02"));
    assert_true(cells_msgpack(&c, 0, &in, 1));
    assert_int_equal(c.count, 2);
    assert_int_equal(c.items[1].kind, RAS_BLOB);
    assert_int_equal(c.items[1].count, 2);
    assert_int_equal(msgpack_left(&in), 1);
    cells_free(&c);
}

static void bytes_that_end_or_are_invalid_are_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {"\x92\x01", "\xc1", "\x81\xa1k", "\x91\xc1"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        for (unsigned depth = 0; depth < 3; depth++) {
            struct cells c = {0};
            struct msgpack in = msgpack_bytes(bytes_of(wrong[i], strlen(wrong[i])));
            assert_false(cells_msgpack(&c, 0, &in, depth));
            cells_free(&c);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_scalar_is_kept),
        cmocka_unit_test(what_is_too_deep_is_delivered_as_bytes),
        cmocka_unit_test(bytes_that_end_or_are_invalid_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
