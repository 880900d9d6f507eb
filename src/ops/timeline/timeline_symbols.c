/* timeline_symbols.c - the names of addresses in the stacks of a trace. */
#include "ops/timeline/timeline.h"

#include <stdlib.h>

enum { SYMBOLS_MOST = 1 << 22, INLINED_MOST = 64 };

struct timeline_symbol {
    uint64_t address, depth;
    uint32_t name, order;
};

struct timeline_symbols {
    struct timeline *t;
    struct timeline_symbol *at;
    size_t count, room;
    uint64_t dropped;
    uint32_t names[INLINED_MOST];
};

static void symbol_keep(void *user, const struct symbol_line *line)
{
    struct timeline_symbols *s = user;
    if (s->count == SYMBOLS_MOST) {
        s->dropped++;
        return;
    }
    if (!array_grow(&s->at, &s->room, s->count + 1, sizeof *s->at)) {
        timeline_nomem(s->t);
        return;
    }
    s->at[s->count] =
        (struct timeline_symbol){.address = line->address,
                                 .depth = line->depth,
                                 .order = (uint32_t)s->count,
                                 .name = timeline_text(s->t, line->name.at, line->name.len)};
    s->count++;
}

static int by_symbol_address(const void *a, const void *b)
{
    const struct timeline_symbol *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    if (x->depth != y->depth)
        return x->depth < y->depth ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

int timeline_symbols_read(struct timeline *t, struct ras_error *err)
{
    struct timeline_symbols *s = t->symbols = calloc(1, sizeof *s);
    if (!s)
        return fail_memory(err);
    s->t = t;
    int status = t->trace->format->symbols
                     ? t->trace->format->symbols(t->trace, symbol_keep, s, err)
                     : RAS_OK;
    if (s->count)
        qsort(s->at, s->count, sizeof *s->at, by_symbol_address);
    timeline_lost(t, "symbols beyond 4194304", s->dropped);
    return status < 0 ? status : RAS_OK;
}

size_t timeline_symbols(struct timeline *t, uint64_t address, const uint32_t **names)
{
    struct timeline_symbols *s = t->symbols;
    size_t low = 0, high = s ? s->count : 0, count = 0;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (s->at[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    /* Of two entries of one depth the later one counts. */
    for (; s && low < s->count && s->at[low].address == address; low++) {
        bool again = low && s->at[low - 1].address == address &&
                     s->at[low - 1].depth == s->at[low].depth && count;
        if (again)
            count--;
        if (count < INLINED_MOST)
            s->names[count++] = s->at[low].name;
    }
    *names = s ? s->names : NULL;
    return count;
}

void timeline_symbols_free(struct timeline_symbols *s)
{
    if (!s)
        return;
    free(s->at);
    free(s);
}
