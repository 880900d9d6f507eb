/* eh_frame_test.c - ranges of unwind information, and damaged ones. */
#include "patching/eh_frame.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { SECTION = 0x2000 };

/* A common entry as compilers write it (zR, pcrel sdata4; CFA is rsp + 8), and ranges. */
#define COMMON                                                                                     \
    20, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1, 0, 0
#define RANGE(back, from, size) 16, 0, 0, 0, back, 0, 0, 0, from, 0, 0, 0, size, 0, 0, 0, 0

static const uint8_t plain[] = {COMMON, RANGE(28, 0x10, 32), 0x41, 0x0e, 16, 0, 0, 0, 0};
static const uint8_t part[] = {COMMON, RANGE(28, 0x10, 32), 0x0e, 16, 0x41, 0};
static const uint8_t saved[] = {COMMON, RANGE(28, 0x10, 32), 0x83, 2, 0, 0};
static const uint8_t bottom[] = {COMMON, RANGE(28, 0x10, 32), 0x07, 16, 0, 0};
static const uint8_t computed[] = {COMMON, RANGE(28, 0x10, 32), 0x0f, 1, 0x50, 0};

static bool first_of(const uint8_t *bytes, size_t size, struct eh_frame_range *out)
{
    uint8_t *copy = malloc(size ? size : 1); /* nothing is read beyond */
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    if (size >= 44) /* the size of the second entry is what follows */
        copy[24] = (uint8_t)(size - 28);
    struct eh_frame e = eh_frame_open((struct ras_bytes){copy, size}, SECTION);
    bool found = eh_frame_next(&e, out);
    free(copy);
    return found;
}

static void a_function_begins_with_its_return_address_on_top(void **state)
{
    struct eh_frame_range r;
    (void)state;
    assert_true(first_of(plain, sizeof plain, &r));
    assert_int_equal(r.from, SECTION + 32 + 0x10);
    assert_int_equal(r.to, r.from + 32);
    assert_false(r.is_part);
    assert_false(r.has_no_caller);
}

static void other_frames_are_parts(void **state)
{
    struct eh_frame_range r;
    (void)state;
    assert_true(first_of(part, sizeof part, &r));
    assert_true(r.is_part);
    assert_true(first_of(saved, sizeof saved, &r));
    assert_true(r.is_part);
    assert_true(first_of(computed, sizeof computed, &r));
    assert_true(r.is_part);
}

static void a_frame_without_return_address_has_no_caller(void **state)
{
    struct eh_frame_range r;
    (void)state;
    assert_true(first_of(bottom, sizeof bottom, &r));
    assert_true(r.has_no_caller);
}

/* Every prefix and every changed byte: a range or none, and nothing is read beyond. */
static void damaged_sections_end(void **state)
{
    static const uint8_t others[] = {0, 1, 0x0f, 0x16, 0x40, 0x7f, 0x80, 0xc0, 0xff};
    struct eh_frame_range r;
    (void)state;
    for (size_t size = 0; size < sizeof plain; size++)
        (void)first_of(plain, size, &r);
    for (size_t i = 0; i < sizeof plain; i++)
        for (size_t k = 0; k < sizeof others; k++) {
            uint8_t copy[sizeof plain];
            memcpy(copy, plain, sizeof copy);
            copy[i] = others[k];
            struct eh_frame e = eh_frame_open((struct ras_bytes){copy, sizeof copy}, SECTION);
            for (unsigned n = 0; eh_frame_next(&e, &r); n++)
                assert_true(n < sizeof plain && r.to > r.from);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_function_begins_with_its_return_address_on_top),
        cmocka_unit_test(other_frames_are_parts),
        cmocka_unit_test(a_frame_without_return_address_has_no_caller),
        cmocka_unit_test(damaged_sections_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
