/* sort.c - sort an array by a comparison that has a context.
 *
 * qsort_r() has other parameters on other systems, or does not exist, and qsort() does not define
 * the order of equal items. This is a merge sort that copies half of what it merges; a merge of
 * runs that are in order costs one comparison. Without memory it is a heap sort. */
#include "base/sort.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ON_STACK = 1024 };

struct sorting {
    size_t size;
    sort_compare *compare;
    void *context;
};

static void swap_items(uint8_t *a, uint8_t *b, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        uint8_t kept = a[i];
        a[i] = b[i];
        b[i] = kept;
    }
}

/* ---- with memory -------------------------------------------------------------------------- */

/* Two runs that follow each other become one; `room` holds the first meanwhile. */
static inline __attribute__((always_inline)) void merge_runs_of(const struct sorting *s,
                                                                uint8_t *items, size_t first,
                                                                size_t second, uint8_t *room,
                                                                const size_t size)
{
    const uint8_t *left = room, *right = items + first * size;
    const uint8_t *left_end = room + first * size, *right_end = right + second * size;
    memcpy(room, items, first * size);
    for (; left < left_end && right < right_end; items += size)
        if (s->compare(right, left, s->context) < 0) {
            memcpy(items, right, size);
            right += size;
        } else {
            memcpy(items, left, size);
            left += size;
        }
    memcpy(items, left, (size_t)(left_end - left));
}

/* Items of the usual sizes are copied without a call. */
static void merge_runs(const struct sorting *s, uint8_t *items, size_t first, size_t second,
                       uint8_t *room)
{
    switch (s->size) {
    case 4:
        merge_runs_of(s, items, first, second, room, 4);
        break;
    case 8:
        merge_runs_of(s, items, first, second, room, 8);
        break;
    case 16:
        merge_runs_of(s, items, first, second, room, 16);
        break;
    default:
        merge_runs_of(s, items, first, second, room, s->size);
    }
}

static void merge_sort(const struct sorting *s, uint8_t *items, size_t count, uint8_t *room)
{
    size_t first = count / 2;
    uint8_t *second = items + first * s->size;
    if (count < 2)
        return;
    merge_sort(s, items, first, room);
    merge_sort(s, second, count - first, room);
    if (s->compare(second - s->size, second, s->context) <= 0)
        return;
    if (count == 2)
        swap_items(items, second, s->size);
    else
        merge_runs(s, items, first, count - first, room);
}

/* ---- without ------------------------------------------------------------------------------ */

static void sift_down(const struct sorting *s, uint8_t *items, size_t at, size_t count)
{
    const size_t size = s->size;
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count &&
            s->compare(items + child * size, items + (child + 1) * size, s->context) < 0)
            child++;
        if (s->compare(items + at * size, items + child * size, s->context) >= 0)
            return;
        swap_items(items + at * size, items + child * size, size);
    }
}

static void heap_sort(const struct sorting *s, uint8_t *items, size_t count)
{
    for (size_t i = count / 2; i-- > 0;)
        sift_down(s, items, i, count);
    for (size_t i = count; i-- > 1;) {
        swap_items(items, items + i * s->size, s->size);
        sift_down(s, items, 0, i);
    }
}

void sort_with(void *items, size_t count, size_t size, sort_compare *compare, void *context)
{
    const struct sorting s = {size, compare, context};
    uint8_t small[ON_STACK];
    if (count < 2)
        return;
    size_t need = count / 2 * size;
    uint8_t *room = need <= sizeof small ? small : malloc(need);
    if (room)
        merge_sort(&s, items, count, room);
    else
        heap_sort(&s, items, count);
    if (room != small)
        free(room);
}

/* ---- names -------------------------------------------------------------------------------- */

static size_t digits_at(const char *text)
{
    return strspn(text, "0123456789");
}

int name_order(const char *a, const char *b)
{
    const char *p = a, *q = b;
    while (*p && *q) {
        size_t left = digits_at(p), right = digits_at(q);
        if (!left || !right) {
            if (*p != *q)
                return (uint8_t)*p < (uint8_t)*q ? -1 : 1;
            p++, q++;
            continue;
        }
        const char *p_end = p + left, *q_end = q + right;
        p += strspn(p, "0");
        q += strspn(q, "0");
        if (p_end - p != q_end - q)
            return p_end - p < q_end - q ? -1 : 1;
        int order = memcmp(p, q, (size_t)(p_end - p));
        if (order)
            return order;
        p = p_end, q = q_end;
    }
    return *p || *q ? (*p ? 1 : -1) : strcmp(a, b);
}
