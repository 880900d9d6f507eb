/* dial9_stats_flame.c - sampled stacks as a tree of names.
 *
 * Stacks are stored leaf first. As a tree they are turned round, each address becomes the
 * functions inlined there, the outermost first, and those of one name are one node. Symbols
 * come last in a trace, so stacks are kept by their addresses until the end. */
#include "base/memory.h"
#include "formats/dial9/dial9_stats.h"

#include <stdlib.h>

static int by_address(const void *a, const void *b)
{
    const struct symbol *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    if (x->depth != y->depth)
        return x->depth < y->depth ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

/* In order, and of those told twice the last one. */
static void settle_symbols(struct dial9_stats *d)
{
    size_t kept = 0;
    if (d->symbol_count)
        qsort(d->symbols, d->symbol_count, sizeof *d->symbols, by_address);
    for (size_t i = 0; i < d->symbol_count; i++) {
        const struct symbol *s = &d->symbols[i];
        if (kept && d->symbols[kept - 1].address == s->address &&
            d->symbols[kept - 1].depth == s->depth)
            kept--;
        else
            d->symbol_addresses += !kept || d->symbols[kept - 1].address != s->address;
        d->symbols[kept++] = *s;
    }
    d->symbol_count = kept;
}

size_t dial9_symbols_at(const struct dial9_stats *d, uint64_t address)
{
    size_t low = 0, high = d->symbol_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (d->symbols[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool dial9_flame_step(struct flame *t, uint32_t *at, uint32_t name, uint64_t count)
{
    uint64_t key = (uint64_t)*at << 32 | name;
    uint32_t child = id_table_find(&t->children, key);
    if (child == ID_TABLE_NONE) {
        child = (uint32_t)t->count;
        if (!array_grow(&t->nodes, &t->room, t->count + 1, sizeof *t->nodes) ||
            !id_table_add(&t->children, key, child))
            return false;
        t->nodes[t->count++] = (struct flame_node){.name = name, .depth = t->nodes[*at].depth + 1};
    }
    t->nodes[child].count += count;
    *at = child;
    return true;
}

/* An address without a name is its own. */
uint32_t dial9_stats_nameless(struct dial9_stats *d, uint64_t address)
{
    char text[24];
    int len = snprintf(text, sizeof text, "0x%" PRIx64, address);
    return dial9_stats_new_text(d, text, (size_t)len);
}

static bool tree_add(struct dial9_stats *d, struct flame *t, const struct stack *s, bool off)
{
    uint32_t at = 0;
    for (uint64_t i = s->length; i--;) {
        uint64_t address = d->addresses[s->first + i];
        size_t symbol = dial9_symbols_at(d, address), first = symbol;
        for (; symbol < d->symbol_count && d->symbols[symbol].address == address; symbol++)
            if (!dial9_flame_step(t, &at, d->symbols[symbol].text, s->count[off]))
                return false;
        if (symbol == first &&
            !dial9_flame_step(t, &at, dial9_stats_nameless(d, address), s->count[off]))
            return false;
    }
    struct flame_node *leaf = &t->nodes[at];
    leaf->first_ns =
        leaf->self && leaf->first_ns < s->first_ns[off] ? leaf->first_ns : s->first_ns[off];
    leaf->self += s->count[off];
    leaf->self_in_poll += s->in_poll[off];
    return true;
}

/* Nodes of less than a thousandth of all samples are not counted, as viewers leave them
 * out; the leaves that stacks end in are listed from the most frequent. */
static int by_self(const void *a, const void *b)
{
    const struct flame_node *x = *(const struct flame_node *const *)a;
    const struct flame_node *y = *(const struct flame_node *const *)b;
    if (x->self != y->self)
        return x->self > y->self ? -1 : 1;
    return (x->first_ns > y->first_ns) - (x->first_ns < y->first_ns);
}

static bool measure(struct flame *t, uint64_t total)
{
    t->total = total;
    t->leaves = calloc(t->count + 1, sizeof *t->leaves);
    for (size_t i = 1; t->leaves && i < t->count; i++) {
        const struct flame_node *n = &t->nodes[i];
        if (n->self)
            t->leaves[t->leaf_count++] = n;
        if (n->count < (total + 999) / 1000)
            continue;
        t->kept++;
        t->deepest = t->deepest > n->depth - 1 ? t->deepest : n->depth - 1;
    }
    if (t->leaf_count)
        qsort(t->leaves, t->leaf_count, sizeof(struct flame_node *), by_self);
    return t->leaves != NULL;
}

static bool grow(struct dial9_stats *d, struct flame *t, bool off)
{
    if (!array_grow(&t->nodes, &t->room, 1, sizeof *t->nodes))
        return false;
    t->nodes[t->count++] = (struct flame_node){.name = NO_TEXT};
    for (size_t i = 0; i < d->stack_count; i++)
        if (d->stacks[i].count[off] && !tree_add(d, t, &d->stacks[i], off))
            return false;
    return measure(t, d->samples[off]);
}

void dial9_stats_end_samples(struct dial9_stats *d)
{
    settle_symbols(d);
    for (int off = 0; off < 2; off++)
        if (!grow(d, &d->flames[off], off))
            stats_nomem(d);
}

void dial9_flame_free(struct flame *t)
{
    free(t->nodes);
    free((void *)t->leaves);
    id_table_free(&t->children);
}
