/* crc32_test.c - the check value of CRC-32, and that it goes on where it stopped. */
#include "codec/crc32.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void crc32_check_value(void **state)
{
    (void)state;
    assert_int_equal(crc32_update(0, "123456789", 9), 0xcbf43926);
    assert_int_equal(crc32_update(0, "", 0), 0);
    assert_int_equal(crc32_update(0, "a", 1), 0xe8b7be43);
    assert_int_equal(crc32_update(0, "IEND", 4), 0xae426082); /* the end of every PNG */
}

static void crc32_keeps_its_state_without_bytes(void **state)
{
    (void)state;
    assert_int_equal(crc32_update(0xcbf43926, NULL, 0), 0xcbf43926);
}

/* One bit at a time, as the polynomial says. */
static uint32_t slow(const uint8_t *at, size_t len)
{
    uint32_t crc = 0xffffffff;
    for (size_t i = 0; i < len; i++) {
        crc ^= at[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
    }
    return ~crc;
}

static void crc32_of_any_length_in_any_pieces(void **state)
{
    (void)state;
    uint8_t bytes[700];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * i + 3 * i);
    for (size_t len = 0; len <= sizeof bytes; len += 7) {
        uint32_t want = slow(bytes, len);
        assert_int_equal(crc32_update(0, bytes, len), want);
        for (size_t cut = 0; cut <= len; cut += 13)
            assert_int_equal(crc32_update(crc32_update(0, bytes, cut), bytes + cut, len - cut),
                             want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crc32_check_value),
        cmocka_unit_test(crc32_keeps_its_state_without_bytes),
        cmocka_unit_test(crc32_of_any_length_in_any_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
