/* space_test.c - cells and their neighbours, in the order that sums depend on. */
#include "world/space.h"

#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static struct space space_of(enum space_kind kind, enum space_edge edge, uint32_t rows,
                             uint32_t cols)
{
    return (struct space){kind, edge, rows, cols, (uint64_t)rows * cols};
}

static void near_to(const struct space *s, uint64_t cell, const uint32_t *want, uint32_t count)
{
    struct neighbours n = {0};
    assert_true(neighbours_make(&n, s));
    assert_int_equal(n.from[cell + 1] - n.from[cell], count);
    assert_memory_equal(n.at + n.from[cell], want, count * sizeof *want);
    neighbours_free(&n);
}
#define NEAR(space, cell, ...)                                                                     \
    near_to(space, cell, (const uint32_t[]){__VA_ARGS__},                                          \
            sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

static void lines(void **state)
{
    (void)state;
    struct space line = space_of(SPACE_LINE, EDGE_ABSORB, 1, 4);
    NEAR(&line, 0, 1);
    NEAR(&line, 1, 0, 2);
    line.edge = EDGE_CLAMP;
    NEAR(&line, 0, 0, 1);
    NEAR(&line, 3, 2, 3);
    line.edge = EDGE_WRAP;
    NEAR(&line, 0, 3, 1);
    struct space ring = space_of(SPACE_RING, EDGE_WRAP, 1, 1);
    NEAR(&ring, 0, 0, 0);
}

static void squares(void **state)
{
    (void)state;
    struct space s = space_of(SPACE_SQUARE4, EDGE_ABSORB, 3, 3);
    NEAR(&s, 4, 1, 7, 3, 5);
    NEAR(&s, 0, 3, 1);
    s.edge = EDGE_WRAP;
    NEAR(&s, 0, 6, 3, 2, 1);
    s.kind = SPACE_SQUARE8;
    NEAR(&s, 4, 1, 7, 3, 5, 0, 2, 6, 8);
    s.edge = EDGE_ABSORB;
    NEAR(&s, 0, 3, 1, 4);
    s.edge = EDGE_CLAMP;
    NEAR(&s, 0, 0, 3, 0, 1, 0, 1, 3, 4);
}

/* E NE NW W SW SE of [q, r]. */
static void hexagons(void **state)
{
    (void)state;
    struct space s = space_of(SPACE_HEX, EDGE_ABSORB, 3, 3);
    NEAR(&s, 4, 5, 2, 1, 3, 6, 7);
    NEAR(&s, 0, 1, 3);
}

static uint64_t rank(const struct space *s, const int32_t *coord, size_t count)
{
    return space_rank(s, (struct ras_bytes){(const uint8_t *)coord, count * sizeof *coord});
}

static void ranks(void **state)
{
    int32_t coord[RAS_WORLD_AXES];
    (void)state;
    struct space s = space_of(SPACE_SQUARE4, EDGE_WRAP, 2, 3), h = s, l = s;
    h.kind = SPACE_HEX;
    l = space_of(SPACE_LINE, EDGE_WRAP, 1, 3);
    assert_int_equal(rank(&s, (const int32_t[]){1, 2}, 2), 5);
    assert_int_equal(rank(&h, (const int32_t[]){2, 1}, 2), 5);
    assert_int_equal(rank(&l, (const int32_t[]){2}, 1), 2);
    /* Nothing wraps, and nothing is made up. */
    assert_int_equal(rank(&s, (const int32_t[]){2, 0}, 2), RAS_NONE);
    assert_int_equal(rank(&s, (const int32_t[]){0, -1}, 2), RAS_NONE);
    assert_int_equal(rank(&s, (const int32_t[]){0}, 1), RAS_NONE);
    assert_int_equal(rank(&s, (const int32_t[]){0, 0, 0}, 3), RAS_NONE);
    assert_int_equal(rank(&l, NULL, 0), RAS_NONE);
    assert_int_equal(space_coord(&s, 5, coord), 2);
    assert_true(coord[0] == 1 && coord[1] == 2);
    assert_int_equal(space_coord(&h, 5, coord), 2);
    assert_true(coord[0] == 2 && coord[1] == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines),
        cmocka_unit_test(squares),
        cmocka_unit_test(hexagons),
        cmocka_unit_test(ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
