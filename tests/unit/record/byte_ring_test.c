/* byte_ring_test.c - what is put into a ring comes out of it, wherever its laps end. */
#include "record/byte_ring.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>

enum { SIZE = 256, ROUNDS = 300 };

struct pair {
    struct byte_ring ring;
    uint8_t bytes[SIZE];
    uint32_t put, taken; /* bytes, each of which is its number */
};

static bool put(struct pair *p, uint64_t n)
{
    if (!byte_ring_has_room(&p->ring, n))
        return false;
    uint8_t *to = byte_ring_reserve(&p->ring, n);
    for (uint64_t i = 0; i < n; i++)
        to[i] = (uint8_t)p->put++;
    byte_ring_commit(&p->ring, n, n);
    return true;
}

static void take_all(struct pair *p)
{
    uint64_t head = p->ring.head;
    while (p->ring.tail < head) {
        uint64_t next;
        struct ras_bytes b = byte_ring_take(&p->ring, head, &next);
        for (size_t i = 0; i < b.len; i++)
            assert_int_equal(b.at[i], (uint8_t)p->taken++);
        p->ring.tail = next;
    }
    assert_int_equal(p->taken, p->put);
}

/* Records of one size and another fill the ring; sometimes it is emptied before it is full. */
static void everything_comes_out(void **state)
{
    (void)state;
    for (uint64_t one = 1; one <= SIZE / 4; one++) {
        for (uint64_t other = 1; other <= SIZE / 4; other += 7) {
            struct pair p = {.ring = {.size = SIZE}};
            p.ring.at = p.bytes;
            byte_ring_clear(&p.ring);
            for (unsigned i = 0; i < ROUNDS; i++)
                if (!put(&p, i % 3 ? one : other) || i % 11 == 10)
                    take_all(&p);
            take_all(&p);
        }
    }
}

/* Filled to the last byte before anything is taken. */
static void a_first_lap_may_be_full(void **state)
{
    struct pair p = {.ring = {.size = SIZE}};
    (void)state;
    p.ring.at = p.bytes;
    byte_ring_clear(&p.ring);
    while (put(&p, SIZE / 8)) {
    }
    assert_int_equal(p.put, SIZE);
    take_all(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_comes_out),
        cmocka_unit_test(a_first_lap_may_be_full),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
