/* spool_test.c - bytes that grow: in memory, on disk, and old places while they are held. */
#include "base/spool.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { PIECE = 1 << 20, PIECES = 120, LOOKS = 8 };

static uint8_t block[PIECE];

static void append(struct spool *s, unsigned number)
{
    memset(block, (int)number + 1, sizeof block);
    assert_int_equal(spool_append(s, block, sizeof block, NULL), RAS_OK);
}

static void holds(const uint8_t *at, unsigned pieces)
{
    for (unsigned i = 0; i < pieces; i++) {
        assert_int_equal(at[(size_t)i * PIECE], i + 1);
        assert_int_equal(at[(size_t)i * PIECE + PIECE - 1], i + 1);
    }
}

static void it_moves_to_the_disk_and_holds_all(void **state)
{
    struct spool s = {0};
    (void)state;
    for (unsigned i = 0; i < PIECES; i++)
        append(&s, i);
    assert_true(s.fd > 0);
    assert_null(s.old);
    assert_int_equal(s.len, (size_t)PIECES * PIECE);
    holds(s.at, PIECES);
    spool_free(&s);
    assert_null(s.at);
}

/* From memory to memory, to the disk, and from one mapping to the next. */
static void old_places_stay_while_it_is_held(void **state)
{
    struct spool s = {.held = true};
    const uint8_t *seen[LOOKS];
    (void)state;
    for (unsigned i = 0; i < PIECES; i++) {
        append(&s, i);
        if ((i + 1) % (PIECES / LOOKS) == 0)
            seen[i / (PIECES / LOOKS)] = s.at;
        for (unsigned k = 0; k <= i / (PIECES / LOOKS) && i == PIECES - 1; k++)
            holds(seen[k], (k + 1) * (PIECES / LOOKS));
    }
    assert_non_null(s.old);
    spool_forget(&s);
    assert_null(s.old);
    holds(s.at, PIECES);
    spool_free(&s);
    assert_true(s.held);
}

static void an_adopted_block_replaces_the_content(void **state)
{
    struct spool s = {.held = true};
    (void)state;
    append(&s, 0);
    const uint8_t *before = s.at;
    uint8_t *mine = malloc(3);
    assert_non_null(mine);
    memcpy(mine, "abc", 3);
    assert_true(spool_adopt(&s, mine, 3));
    holds(before, 1);
    assert_int_equal(s.len, 3);
    assert_memory_equal(s.at, "abc", 3);
    spool_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_moves_to_the_disk_and_holds_all),
        cmocka_unit_test(old_places_stay_while_it_is_held),
        cmocka_unit_test(an_adopted_block_replaces_the_content),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
