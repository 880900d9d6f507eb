/* dial9_tree.c - samples as a tree of callers, by kind and worker, task or spawn location.
 *
 * A tree counts samples, not time: how long a thread was off the CPU is not recorded. On and off
 * the CPU are never added up. The walk is that of the statistics, which know in whose poll a sample
 * is; stacks are kept by number with their counts, and become trees when the symbols are known. */
#include "base/memory.h"
#include "base/sort.h"
#include "formats/dial9/dial9_stats.h"
#include "ops/stats/call_tree.h"

#include <stdlib.h>

enum tree_by { BY_KIND, BY_WORKER, BY_TASK, BY_SPAWN };
static const char *const by_words[] = {"kind", "worker", "task", "spawn", NULL};

struct tree_group {
    uint64_t of; /* worker, task or text; RAS_NONE: not known */
    uint64_t total;
    size_t first; /* of its stacks, once they are sorted */
    bool off;
};

struct tree_stack {
    uint32_t group, stack;
    uint64_t count, in_poll;
};

struct tree_samples {
    enum tree_by by;
    const struct ras_tree_options *options;
    struct id_table group_ids[2]; /* on and off the CPU */
    struct tree_group *groups;
    size_t group_count, group_room;
    struct id_table stack_ids; /* group << 32 | stack */
    struct tree_stack *stacks;
    size_t stack_count, stack_room;
    uint64_t stackless;    /* samples without a stack */
    uint64_t nameless;     /* frames of samples whose name was not kept */
    struct call_tree tree; /* of one group after the other; `place`: 1 + index of a symbol */
};

/* ---- samples -------------------------------------------------------------------------- */

static uint64_t group_of(const struct tree_samples *t, const struct dial9_stats *d,
                         const struct worker *w, bool in_poll)
{
    if (t->by == BY_KIND)
        return 0;
    if (t->by == BY_WORKER)
        return w ? w->id : RAS_NONE;
    if (!in_poll || !w)
        return RAS_NONE;
    if (t->by == BY_TASK)
        return w->poll_task;
    return w->poll_text < d->texts.count ? w->poll_text : RAS_NONE;
}

static uint32_t group_index(struct tree_samples *t, uint64_t of, bool off)
{
    uint32_t index = id_table_find(&t->group_ids[off], of);
    if (index != ID_TABLE_NONE)
        return index;
    index = (uint32_t)t->group_count;
    if (index >= LIVE_MOST ||
        !array_grow(&t->groups, &t->group_room, t->group_count + 1, sizeof *t->groups) ||
        !id_table_add(&t->group_ids[off], of, index))
        return ID_TABLE_NONE;
    t->groups[t->group_count++] = (struct tree_group){.of = of, .off = off};
    return index;
}

static struct tree_stack *stack_of(struct tree_samples *t, uint32_t group, uint32_t stack)
{
    uint64_t key = (uint64_t)group << 32 | stack;
    uint32_t index = id_table_find(&t->stack_ids, key);
    if (index != ID_TABLE_NONE)
        return &t->stacks[index];
    if (!array_grow(&t->stacks, &t->stack_room, t->stack_count + 1, sizeof *t->stacks) ||
        !id_table_add(&t->stack_ids, key, (uint32_t)t->stack_count))
        return NULL;
    t->stacks[t->stack_count] = (struct tree_stack){.group = group, .stack = stack};
    return &t->stacks[t->stack_count++];
}

void dial9_tree_sample(struct dial9_stats *d, const struct fact *f, const struct worker *w,
                       bool in_poll)
{
    struct tree_samples *t = d->tree;
    bool off = f->small != 0;
    if (f->ref == NO_STACK) {
        t->stackless++;
        return;
    }
    uint32_t group = group_index(t, group_of(t, d, w, in_poll), off);
    struct tree_stack *s = group == ID_TABLE_NONE ? NULL : stack_of(t, group, f->ref);
    if (!s) {
        stats_nomem(d);
        return;
    }
    s->count++;
    s->in_poll += in_poll;
    t->groups[group].total++;
}

/* ---- trees ---------------------------------------------------------------------------- */

static bool grow_step(struct dial9_stats *d, uint32_t *at, uint32_t name,
                      const struct symbol *symbol, const struct tree_stack *s)
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
static bool grow_stack(struct dial9_stats *d, const struct tree_stack *t)
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
    return d->samples[d->tree->groups[root->group].off];
}

static void put_group(struct dial9_stats *d, const struct tree_group *group)
{
    const char *kind = group->off ? "off-CPU" : "on-CPU";
    struct document *doc = &d->s->doc;
    char text[400];
    int len = snprintf(text, sizeof text, "%s", kind);
    if (d->tree->by == BY_SPAWN && group->of != RAS_NONE) {
        const struct intern_entry *e = &d->texts.entries[group->of];
        len = snprintf(text, sizeof text, "%s, spawned at %.*s", kind,
                       (int)(e->len < 300 ? e->len : 300), (const char *)e->at);
    } else if (d->tree->by != BY_KIND && group->of != RAS_NONE) {
        len =
            snprintf(text, sizeof text, "%s, %s %" PRIu64, kind, by_words[d->tree->by], group->of);
    } else if (d->tree->by != BY_KIND) {
        len = snprintf(text, sizeof text, "%s, %s", kind,
                       d->tree->by == BY_WORKER ? "no worker" : "outside polls");
    }
    document_text(doc, text, (size_t)len);
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
    put_group(d, &d->tree->groups[root->group]);
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
    const struct call_rows rows = {d, by_name, tree_whole, put_node};
    call_tree_clear(&t->tree);
    bool ok = call_tree_root(&t->tree, index) != CALL_NO_NODE;
    for (size_t i = t->groups[index].first; ok && i < t->stack_count; i++) {
        if (t->stacks[i].group != index)
            break;
        ok = grow_stack(d, &t->stacks[i]);
    }
    return ok && call_tree_callers(&t->tree) && call_tree_put(&t->tree, &rows);
}

/* ---- the whole ---------------------------------------------------------------------------- */

/* On the CPU first; then the groups with the most samples. */
static int by_total(const void *a, const void *b, void *groups)
{
    const struct tree_group *x = (struct tree_group *)groups + *(const uint32_t *)a;
    const struct tree_group *y = (struct tree_group *)groups + *(const uint32_t *)b;
    if (x->off != y->off)
        return x->off - y->off;
    if (x->total != y->total)
        return x->total > y->total ? -1 : 1;
    return (x->of > y->of) - (x->of < y->of);
}

static int by_group(const void *a, const void *b)
{
    const struct tree_stack *x = a, *y = b;
    return (x->group > y->group) - (x->group < y->group);
}

static void put_coverage(struct dial9_stats *d)
{
    const struct tree_samples *t = d->tree;
    char more[160] = "";
    if (t->nameless)
        snprintf(more, sizeof more, "; frames left out, as there are too many names: %" PRIu64,
                 t->nameless);
    if (!d->samples[0] && !d->samples[1])
        stats_table_end(d->s, "no samples: the %s has no CpuSampleEvent",
                        d->s->options->axis ? "range" : "trace");
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
    uint32_t *order = calloc(t->group_count + 1, sizeof *order);
    stats_table(d->s, "tree", columns);
    for (uint32_t i = 0; order && i < t->group_count; i++)
        order[i] = i;
    if (order && t->group_count)
        sort_with(order, t->group_count, sizeof *order, by_total, t->groups);
    if (t->stack_count)
        qsort(t->stacks, t->stack_count, sizeof *t->stacks, by_group);
    for (size_t i = t->stack_count; i--;)
        t->groups[t->stacks[i].group].first = i;
    bool ok = order;
    for (size_t i = 0; ok && i < t->group_count; i++)
        ok = put_tree_of(d, order[i]);
    if (!ok)
        stats_nomem(d);
    free(order);
    put_coverage(d);
}

static int choose(struct tree_samples *t, struct ras_error *err)
{
    const struct ras_tree_options *o = t->options;
    const char *by = o->by ? o->by : o->by_thread ? "worker" : "kind";
    if (o->thread_count || o->thread_names.count)
        return fail(err, RAS_EUSAGE, RAS_NONE,
                    "samples of one thread cannot be chosen: group them by worker");
    for (int i = 0; by_words[i]; i++)
        if (!strcmp(by, by_words[i])) {
            t->by = (enum tree_by)i;
            return RAS_OK;
        }
    return fail(err, RAS_EUSAGE, RAS_NONE,
                "samples are grouped by kind, worker, task or spawn, not"
                " by '%.40s'",
                by);
}

int dial9_tree(struct ras_trace *trace, struct stats *s, const struct ras_tree_options *options,
               struct ras_error *err)
{
    struct tree_samples t = {.options = options, .tree = {.options = options, .samples = true}};
    int status = choose(&t, err);
    if (status == RAS_OK)
        status = dial9_stats_run(trace, s, &t, put_trees, err);
    if (status == RAS_OK)
        status = call_tree_check(&t.tree, err);
    for (int i = 0; i < 2; i++)
        id_table_free(&t.group_ids[i]);
    id_table_free(&t.stack_ids);
    free(t.groups);
    free(t.stacks);
    call_tree_free(&t.tree);
    return status;
}
