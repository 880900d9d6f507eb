/* align.c - where two sequences diverge and meet again: the fewest insertions and deletions.
 *
 * After E. W. Myers, "An O(ND) difference algorithm and its variations" (1986). On
 * diagonal k = a - b the furthest a that d differences reach is kept for every d, so that
 * the path can be walked back: row d begins at d * d and has 2 d + 1 places. */
#include "codec/align.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>

#define NOWHERE UINT32_MAX /* outside of the two sequences */

struct search {
    struct align *align;
    int64_t n, m;
    unsigned open;
};

void align_free(struct align *al)
{
    free(al->trail);
    free(al->hunks);
    al->trail = NULL;
    al->hunks = NULL;
    al->trail_room = al->hunk_room = al->hunk_count = 0;
}

static uint32_t *row(const struct align *al, int64_t d)
{
    return al->trail + d * d + d; /* diagonal 0 */
}

/* Where diagonal k is entered with d differences: by a deletion from k - 1 or an insertion
 * from k + 1, whichever comes further. */
static inline uint32_t entry(const struct search *s, int64_t d, int64_t k, bool *deletes)
{
    const uint32_t *before = row(s->align, d - 1);
    uint32_t by_deletion = k - 1 >= -(d - 1) ? before[k - 1] : NOWHERE;
    uint32_t by_insertion = k + 1 <= d - 1 ? before[k + 1] : NOWHERE;
    by_deletion = by_deletion == NOWHERE || by_deletion == s->n ? NOWHERE : by_deletion + 1;
    if (by_insertion != NOWHERE && by_insertion - k > s->m)
        by_insertion = NOWHERE;
    *deletes = by_insertion == NOWHERE || (by_deletion != NOWHERE && by_deletion > by_insertion);
    return *deletes ? by_deletion : by_insertion;
}

static uint32_t run_on(const struct search *s, uint32_t a, int64_t k)
{
    const struct align *al = s->align;
    const uint32_t *x = al->keys[0], *y = al->keys[1];
    while (a < s->n && a - k < s->m && (!x || x[a] == y[a - k]) &&
           al->same(al->user, a, (size_t)(a - k)))
        a++;
    return a;
}

static bool arrived(const struct search *s, uint32_t a, int64_t k)
{
    bool ends = a == s->n, other_ends = a - k == s->m;
    return (ends && other_ends) || (ends && s->open & ALIGN_A_OPEN) ||
           (other_ends && s->open & ALIGN_B_OPEN);
}

/* The next row; *end is the diagonal on which the search is over. */
static bool extend(const struct search *s, int64_t d, int64_t *end)
{
    uint32_t *now = row(s->align, d); /* the next one reads only every other place of it */
    for (int64_t k = -d; k <= d; k += 2) {
        bool deletes;
        uint32_t a = d ? entry(s, d, k, &deletes) : 0;
        now[k] = NOWHERE;
        if (a == NOWHERE || k > s->n || k < -s->m)
            continue;
        now[k] = run_on(s, a, k);
        if (arrived(s, now[k], k)) {
            *end = k;
            return true;
        }
    }
    return false;
}

/* The diagonal that got furthest, when the end was not reached. */
static int64_t furthest(const struct search *s, int64_t d)
{
    const uint32_t *now = row(s->align, d);
    int64_t best = 0, sum = -1;
    for (int64_t k = -d; k <= d; k += 2)
        if (now[k] != NOWHERE && 2 * (int64_t)now[k] - k > sum) {
            sum = 2 * (int64_t)now[k] - k;
            best = k;
        }
    return best;
}

/* One difference before those found so far: the path is walked from its end. */
static bool take_back(struct align *al, size_t a, size_t b, bool deletes)
{
    struct align_hunk *last = al->hunk_count ? &al->hunks[al->hunk_count - 1] : NULL;
    size_t a_end = a + deletes, b_end = b + !deletes;
    if (!last || last->a != a_end || last->b != b_end) {
        if (!array_grow(&al->hunks, &al->hunk_room, al->hunk_count + 1, sizeof *al->hunks))
            return false;
        last = &al->hunks[al->hunk_count++];
        *last = (struct align_hunk){a_end, 0, b_end, 0};
    }
    last->a = a;
    last->b = b;
    last->a_count += deletes;
    last->b_count += !deletes;
    return true;
}

static bool walk_back(const struct search *s, int64_t d, int64_t k)
{
    struct align *al = s->align;
    for (; d > 0; d--) {
        bool deletes;
        uint32_t a = entry(s, d, k, &deletes);
        int64_t b = a - k;
        assert(a != NOWHERE);
        if (!take_back(al, a - deletes, (size_t)(b - !deletes), deletes))
            return false;
        k += deletes ? -1 : 1;
    }
    for (size_t i = 0, j = al->hunk_count; i + 1 < j; i++) {
        struct align_hunk swap = al->hunks[i];
        al->hunks[i] = al->hunks[--j];
        al->hunks[j] = swap;
    }
    return true;
}

bool align_run(struct align *al, size_t n, size_t m, unsigned open)
{
    assert(n < NOWHERE / 2);
    assert(m < NOWHERE / 2);
    const struct search s = {al, (int64_t)n, (int64_t)m, open};
    int64_t most = (int64_t)(al->most < n + m ? al->most : n + m), d = 0, end = 0;
    al->hunk_count = 0;
    al->lost = false;
    for (;; d++) {
        size_t need = (size_t)((d + 1) * (d + 1));
        if (!array_grow(&al->trail, &al->trail_room, need, sizeof *al->trail))
            return false;
        if (extend(&s, d, &end))
            break;
        if (d == most) {
            al->lost = true;
            end = furthest(&s, d);
            break;
        }
    }
    al->distance = (size_t)d;
    al->effort += (uint64_t)(d + 1) * (uint64_t)(d + 2) / 2;
    al->a = row(al, d)[end];
    al->b = (size_t)((int64_t)al->a - end);
    return walk_back(&s, d, end);
}

bool align_pair(struct align *al, size_t n, size_t m, unsigned open,
                bool (*similar)(void *user, size_t a, size_t b))
{
    size_t most = al->distance / 2, changes = 0, both = n < m ? n : m;
    bool reached = n == m || (n < m && open & ALIGN_A_OPEN) || (m < n && open & ALIGN_B_OPEN);
    if (!reached || al->lost)
        return true;
    for (size_t i = 0; i < both; i++)
        if (!al->same(al->user, i, i) && (++changes > most || !similar(al->user, i, i)))
            return true;
    if (!array_grow(&al->hunks, &al->hunk_room, changes, sizeof *al->hunks))
        return false;
    al->hunk_count = 0;
    for (size_t i = 0; al->hunk_count < changes; i++)
        if (!al->same(al->user, i, i))
            al->hunks[al->hunk_count++] = (struct align_hunk){i, 1, i, 1};
    al->a = al->b = both;
    al->distance = 2 * changes;
    return true;
}
