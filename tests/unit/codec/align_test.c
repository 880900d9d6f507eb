/* align_test.c - hunks turn one sequence into the other, and there are no fewer. */
#include "codec/align.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { MOST = 24 };

struct pair {
    const char *a, *b;
};

static bool same(void *user, size_t a, size_t b)
{
    const struct pair *p = user;
    return p->a[a] == p->b[b];
}

/* Keys that elements which differ have in common, too, change nothing. */
static void check_keys(const struct align *plain, struct pair *p, unsigned open)
{
    size_t n = strlen(p->a), m = strlen(p->b);
    uint32_t *keys = calloc(n + m + 1, sizeof *keys);
    assert_non_null(keys);
    for (size_t i = 0; i < n; i++)
        keys[i] = (uint8_t)p->a[i] % 3;
    for (size_t i = 0; i < m; i++)
        keys[n + i] = (uint8_t)p->b[i] % 3;
    struct align al = {.same = same, .user = p, .most = plain->most, .keys = {keys, keys + n}};
    assert_true(align_run(&al, n, m, open));
    assert_int_equal(al.hunk_count, plain->hunk_count);
    for (size_t i = 0; i < al.hunk_count; i++)
        assert_memory_equal(&al.hunks[i], &plain->hunks[i], sizeof *al.hunks);
    assert_true(al.a == plain->a && al.b == plain->b && al.lost == plain->lost);
    assert_true(al.effort == plain->effort && al.effort >= al.distance);
    align_free(&al);
    free(keys);
}

static struct align aligned(struct pair *p, size_t most, unsigned open)
{
    struct align al = {.same = same, .user = p, .most = most};
    assert_true(align_run(&al, strlen(p->a), strlen(p->b), open));
    check_keys(&al, p, open);
    return al;
}

/* Everything between the hunks is the same; returns the number of elements in them. */
static size_t check_way(const struct align *al, const struct pair *p)
{
    size_t a = 0, b = 0, edits = 0;
    for (size_t i = 0; i <= al->hunk_count; i++) {
        const struct align_hunk end = {al->a, 0, al->b, 0};
        const struct align_hunk *h = i < al->hunk_count ? &al->hunks[i] : &end;
        assert_true(h->a - a == h->b - b);
        assert_memory_equal(p->a + a, p->b + b, h->a - a);
        assert_true(i == al->hunk_count || h->a_count + h->b_count > 0);
        assert_true(!i || i == al->hunk_count || h->a > a || h->a_count == h->b_count);
        edits += h->a_count + h->b_count;
        a = h->a + h->a_count;
        b = h->b + h->b_count;
    }
    assert_int_equal(edits, al->distance);
    return edits;
}

/* The longest common subsequence, by the textbook. */
static size_t common(const char *a, const char *b)
{
    size_t best[MOST + 1][MOST + 1] = {{0}}, n = strlen(a), m = strlen(b);
    for (size_t i = 1; i <= n; i++)
        for (size_t j = 1; j <= m; j++) {
            size_t skip = best[i - 1][j] > best[i][j - 1] ? best[i - 1][j] : best[i][j - 1];
            best[i][j] = a[i - 1] == b[j - 1] ? best[i - 1][j - 1] + 1 : skip;
        }
    return best[n][m];
}

static void make_text(char *text, uint32_t *seed, unsigned letters)
{
    size_t len = (*seed = *seed * 1664525 + 1013904223) >> 16 & 31;
    len = len < MOST ? len : MOST;
    for (size_t i = 0; i < len; i++)
        text[i] = (char)('a' + ((*seed = *seed * 1664525 + 1013904223) >> 16) % letters);
    text[len] = 0;
}

static void fewest_edits_of_any_two(void **state)
{
    (void)state;
    uint32_t seed = 1;
    for (int i = 0; i < 20000; i++) {
        char a[MOST + 1], b[MOST + 1];
        struct pair p = {a, b};
        make_text(a, &seed, 2 + (unsigned)i % 4);
        make_text(b, &seed, 2 + (unsigned)i % 4);
        struct align al = aligned(&p, SIZE_MAX, 0);
        assert_false(al.lost);
        assert_int_equal(al.a, strlen(a));
        assert_int_equal(al.b, strlen(b));
        assert_int_equal(check_way(&al, &p), strlen(a) + strlen(b) - 2 * common(a, b));
        align_free(&al);
    }
}

static void open_ends_are_no_differences(void **state)
{
    (void)state;
    uint32_t seed = 2;
    for (int i = 0; i < 20000; i++) {
        char a[MOST + 1], b[MOST + 1];
        struct pair p = {a, b};
        make_text(a, &seed, 3);
        make_text(b, &seed, 3);
        unsigned open = 1 + (unsigned)i % 3;
        struct align al = aligned(&p, SIZE_MAX, open);
        bool first = al.a == strlen(a), second = al.b == strlen(b);
        assert_true((first && open & ALIGN_A_OPEN) || (second && open & ALIGN_B_OPEN) ||
                    (first && second));
        check_way(&al, &p);
        align_free(&al);
    }
    struct pair p = {"abcdef", "abxcd"};
    struct align al = aligned(&p, 9, ALIGN_A_OPEN | ALIGN_B_OPEN);
    assert_int_equal(al.hunk_count, 1);
    assert_int_equal(al.hunks[0].a, 2);
    assert_int_equal(al.hunks[0].a_count, 0);
    assert_int_equal(al.hunks[0].b_count, 1);
    assert_int_equal(al.a, 4);
    align_free(&al);
}

static void too_many_differences_are_reported(void **state)
{
    (void)state;
    uint32_t seed = 3;
    for (int i = 0; i < 20000; i++) {
        char a[MOST + 1], b[MOST + 1];
        struct pair p = {a, b};
        make_text(a, &seed, 4);
        make_text(b, &seed, 4);
        struct align al = aligned(&p, 3, 0);
        size_t least = strlen(a) + strlen(b) - 2 * common(a, b);
        assert_int_equal(al.lost, least > 3);
        check_way(&al, &p);
        assert_true(!al.lost || al.distance == 3);
        align_free(&al);
    }
}

static void nothing_with_nothing(void **state)
{
    (void)state;
    struct pair p = {"", ""}, q = {"", "ab"};
    struct align al = aligned(&p, 4, 0);
    assert_int_equal(al.hunk_count, 0);
    align_free(&al);
    al = aligned(&q, 4, 0);
    assert_int_equal(al.hunk_count, 1);
    assert_int_equal(al.hunks[0].b_count, 2);
    align_free(&al);
}

static bool any_akin(void *user, size_t a, size_t b)
{
    const struct pair *p = user;
    return p->a[a] != '-' && p->b[b] != '-';
}

static size_t paired(const char *a, const char *b)
{
    struct pair p = {a, b};
    struct align al = aligned(&p, 9, 0);
    assert_true(align_pair(&al, strlen(a), strlen(b), 0, any_akin));
    check_way(&al, &p);
    size_t pairs = 0;
    for (size_t i = 0; i < al.hunk_count; i++)
        pairs += al.hunks[i].a_count == 1 && al.hunks[i].b_count == 1;
    align_free(&al);
    return pairs;
}

/* "ab" into "xy" before another "ab" may be an insertion and a deletion, too. */
static void changes_go_before_insertions(void **state)
{
    (void)state;
    assert_int_equal(paired("ababc", "xyabc"), 2);
    assert_int_equal(paired("abcd", "abcd"), 0);
    assert_int_equal(paired("abcd", "xabc"), 0); /* one of each is less than four changes */
    assert_int_equal(paired("a-c", "abc"), 1);   /* found as one deletion, one insertion */
    assert_int_equal(paired("abcd", "abd"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fewest_edits_of_any_two),
        cmocka_unit_test(open_ends_are_no_differences),
        cmocka_unit_test(too_many_differences_are_reported),
        cmocka_unit_test(nothing_with_nothing),
        cmocka_unit_test(changes_go_before_insertions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
