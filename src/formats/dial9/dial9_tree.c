/* dial9_tree.c - samples as a tree of callers, by kind and what else samples are grouped by.
 *
 * A tree counts samples, not time: how long a thread was off the CPU is not recorded. On and off
 * the CPU are never added up. The walk is that of the statistics, which know in whose poll a sample
 * is; stacks are kept by number with their counts, and become trees when the symbols are known. */
#include "base/memory.h"
#include "base/sort.h"
#include "formats/dial9/dial9_profile.h"
#include "ops/stats/call_tree.h"

#include <stdlib.h>

struct tree_samples {
    enum stack_by by;
    const struct ras_tree_options *options;
    const struct stack_groups *groups;
    uint64_t stackless;    /* samples without a stack */
    uint64_t nameless;     /* frames of samples whose name was not kept */
    struct call_tree tree; /* of one group after the other; `place`: 1 + index of a symbol */
};

/* ---- trees ---------------------------------------------------------------------------- */

static bool grow_step(struct dial9_stats *d, uint32_t *at, uint32_t name,
                      const struct symbol *symbol, const struct group_stack *s)
{
    struct call_tree *t = &d->tree->tree;
    bool counts;
    if (name >= d->texts.count) { /* there were too many */
        d->tree->nameless += s->count;
        return true;
    }
    const struct intern_entry *e = &d->texts.entries[name];
    if (!call_tree_name(t, name, (const char *)e->at, e->len))
        return false;
    uint32_t above = *at;
    *at = call_tree_enter(t, above, name, &counts);
    if (*at == CALL_NO_NODE || *at == above)
        return *at == above;
    struct call_node *n = &t->nodes[*at];
    n->total += s->count;
    n->count += s->in_poll;
    if (symbol && !n->place)
        n->place = (uint32_t)(symbol - d->symbols) + 1;
    return true;
}

/* From the outermost caller on: a stack is stored in the opposite order. */
static bool grow_stack(struct dial9_stats *d, const struct group_stack *t)
{
    const struct stack *s = &d->stacks[t->stack];
    uint32_t at = 0;
    for (uint64_t i = s->length; i--;) {
        uint64_t address = d->addresses[s->first + i];
        size_t symbol = dial9_symbols_at(d, address), first = symbol;
        for (; symbol < d->symbol_count && d->symbols[symbol].address == address; symbol++)
            if (!grow_step(d, &at, d->symbols[symbol].text, &d->symbols[symbol], t))
                return false;
        if (symbol == first && !grow_step(d, &at, dial9_stats_nameless(d, address), NULL, t))
            return false;
    }
    d->tree->tree.nodes[at].self += t->count;
    return true;
}

/* ---- rows --------------------------------------------------------------------------------- */

static int by_name(void *user, uint32_t a, uint32_t b)
{
    const struct dial9_stats *d = user;
    const struct intern_entry *x = &d->texts.entries[a], *y = &d->texts.entries[b];
    size_t shared = x->len < y->len ? x->len : y->len;
    int order = shared ? memcmp(x->at, y->at, shared) : 0;
    return order ? order : (x->len > y->len) - (x->len < y->len);
}

static uint64_t tree_whole(void *user, const struct call_node *root)
{
    const struct dial9_stats *d = user;
    return d->samples[d->tree->groups->groups[root->group].off];
}

static void put_group(struct dial9_stats *d, const struct stack_group *group)
{
    static const char *const joins[] = {"", ", ", ", ", ", ", ", spawned at ", ", in span "};
    enum stack_by by = d->tree->by;
    struct frame_text name;
    char text[700];
    dial9_group_name(d, by, group, &name);
    int len = snprintf(text, sizeof text, "%s%s%s", group->off ? "off-CPU" : "on-CPU",
                       group->of == RAS_NONE ? ", " : joins[by], name.text);
    document_text(&d->s->doc, text, (size_t)len);
}

static void put_node(void *user, const struct call_node *n, const struct call_node *root,
                     double share, uint64_t hidden)
{
    struct dial9_stats *d = user;
    struct document *doc = &d->s->doc;
    struct frame_text place = {{0}, 0};
    if (n->place)
        dial9_frame_place(d, &(struct frame){.symbol = &d->symbols[n->place - 1]}, &place);
    size_t row = stats_row(d->s);
    put_group(d, &d->tree->groups->groups[root->group]);
    document_uint(doc, n->depth);
    dial9_stats_put_text(d, n->name);
    if (place.len)
        document_text(doc, place.text, place.len);
    else
        document_null(doc);
    document_uint(doc, n->count);
    document_uint(doc, n->total);
    document_uint(doc, n->self);
    document_f64(doc, share);
    document_uint(doc, 0);
    document_uint(doc, hidden);
    stats_row_end(d->s, row);
}

static bool put_tree_of(struct dial9_stats *d, uint32_t index)
{
    struct tree_samples *t = d->tree;
    const struct stack_groups *g = t->groups;
    const struct call_rows rows = {d, by_name, tree_whole, put_node};
    call_tree_clear(&t->tree);
    bool ok = call_tree_root(&t->tree, index) != CALL_NO_NODE, any = false;
    for (size_t i = g->groups[index].first; ok && i < g->stack_count; i++) {
        if (g->stacks[i].group != index)
            break;
        if (g->stacks[i].stack == NO_STACK) {
            t->stackless += g->stacks[i].count;
        } else {
            ok = grow_stack(d, &g->stacks[i]);
            any = true;
        }
    }
    if (!any)
        return ok;
    return ok && call_tree_callers(&t->tree) && call_tree_put(&t->tree, &rows);
}

/* ---- the whole ---------------------------------------------------------------------------- */

/* On the CPU first; then the groups with the most samples. */
static int by_total(const void *a, const void *b, void *groups)
{
    const struct stack_group *x = (struct stack_group *)groups + *(const uint32_t *)a;
    const struct stack_group *y = (struct stack_group *)groups + *(const uint32_t *)b;
    if (x->off != y->off)
        return x->off - y->off;
    if (x->total != y->total)
        return x->total > y->total ? -1 : 1;
    return (x->of > y->of) - (x->of < y->of);
}

static void put_coverage(struct dial9_stats *d)
{
    const struct tree_samples *t = d->tree;
    char more[160] = "";
    if (t->nameless)
        snprintf(more, sizeof more, "; frames left out, as there are too many names: %" PRIu64,
                 t->nameless);
    if (!d->samples[0] && !d->samples[1])
        dial9_end_without_samples(d);
    else
        stats_table_end(
            d->s,
            "samples on the CPU: %" PRIu64 ", off it: %" PRIu64 ", without a stack: %" PRIu64
            "; shares are of all samples of a kind; addresses with symbols: %" PRIu64 "%s%s%s",
            d->samples[0], d->samples[1], t->stackless, d->symbol_addresses,
            t->tree.folded ? "; paths beyond 1,048,576 are booked on their callers" : "",
            t->tree.cut ? "; callers beyond 1,000 levels are left out" : "", more);
}

static void put_trees(struct dial9_stats *d)
{
    static const char *const columns[] = {
        "group",        "depth",         "function",   "location", "in_poll", "total_samples",
        "self_samples", "share_percent", "unfinished", "hidden",   NULL};
    struct tree_samples *t = d->tree;
    struct stack_groups *g = d->groups[t->by];
    uint32_t *order = calloc(g->group_count + 1, sizeof *order);
    stats_table(d->s, "tree", columns);
    t->groups = g;
    dial9_groups_settle(g);
    for (uint32_t i = 0; order && i < g->group_count; i++)
        order[i] = i;
    if (order && g->group_count)
        sort_with(order, g->group_count, sizeof *order, by_total, g->groups);
    bool ok = order;
    for (size_t i = 0; ok && i < g->group_count; i++)
        ok = put_tree_of(d, order[i]);
    if (!ok)
        stats_nomem(d);
    free(order);
    put_coverage(d);
}

static int choose(struct tree_samples *t, struct ras_error *err)
{
    const struct ras_tree_options *o = t->options;
    const char *by = o->by ? o->by : o->by_thread ? "thread" : "kind";
    if (o->thread_count || o->thread_names.count)
        return fail(err, RAS_EUSAGE, RAS_NONE,
                    "samples of one thread cannot be chosen: group them by thread");
    for (int i = 0; dial9_by_words[i]; i++)
        if (!strcmp(by, dial9_by_words[i])) {
            t->by = (enum stack_by)i;
            return RAS_OK;
        }
    return fail(err, RAS_EUSAGE, RAS_NONE,
                "samples are grouped by kind, thread, worker, task, spawn or span, not by '%.40s'",
                by);
}

int dial9_tree(struct ras_trace *trace, struct stats *s, const struct ras_tree_options *options,
               struct ras_error *err)
{
    struct tree_samples t = {.options = options, .tree = {.options = options, .samples = true}};
    int status = choose(&t, err);
    if (status == RAS_OK)
        status = dial9_stats_run(trace, s, &t, 1u << t.by, put_trees, err);
    if (status == RAS_OK)
        status = call_tree_check(&t.tree, err);
    call_tree_free(&t.tree);
    return status;
}
