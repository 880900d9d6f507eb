/* entry.c - lists of what buckets show: sorted, and merged to wider buckets. */
#include "view/entry.h"
#include "base/memory.h"
#include "base/sort.h"

bool entry_list_add(struct entry_list *l, const struct entry *e)
{
    if (l->count == l->room && !array_grow(&l->at, &l->room, l->count + 1, sizeof *l->at))
        return false;
    l->at[l->count++] = *e;
    return true;
}

static int by_start(const void *a, const void *b, void *context)
{
    const struct entry *x = a, *y = b;
    (void)context;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (x->seq > y->seq) - (x->seq < y->seq);
}

static void entries_sort(struct entry *at, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (at[i].start < at[i - 1].start) {
            sort_with(at, count, sizeof *at, by_start, NULL);
            return;
        }
}

void entry_list_sort(struct entry_list *l)
{
    entries_sort(l->at, l->count);
}

void entry_list_fold(struct entry_list *l, unsigned shift, uint64_t from, bool values)
{
    size_t to = 0;
    entries_sort(l->at, l->count);
    for (size_t i = 0; i < l->count; i++) {
        uint64_t bucket = l->at[i].start >> shift;
        if (to && l->at[to - 1].start >> shift == bucket)
            entry_merge(&l->at[to - 1], &l->at[i], values);
        else if (to && bucket < from >> shift)
            l->at[0] = l->at[i]; /* so was the one before */
        else
            l->at[to++] = l->at[i];
    }
    l->count = to;
}
