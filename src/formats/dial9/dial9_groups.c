/* dial9_groups.c - samples by kind, thread, worker, task, spawn location and span: how often each
 * stack was seen in each group.
 *
 * On and off the CPU are never added up. Stacks are kept by number; they become trees or text when
 * the symbols are known. */
#include "base/memory.h"
#include "formats/dial9/dial9_profile.h"

#include <stdlib.h>

const char *const dial9_by_words[] = {"kind", "thread", "worker", "task", "spawn", "span", NULL};

bool dial9_groups_want(struct dial9_stats *d, enum stack_by by)
{
    if (!d->groups[by])
        d->groups[by] = calloc(1, sizeof *d->groups[by]);
    return d->groups[by];
}

/* ---- samples -------------------------------------------------------------------------- */

static uint64_t text_or_none(const struct dial9_stats *d, uint32_t text)
{
    return text < d->texts.count ? text : RAS_NONE;
}

static uint64_t group_of(const struct dial9_stats *d, enum stack_by by, const struct fact *f,
                         const struct worker *w, bool in_poll)
{
    switch (by) {
    case BY_THREAD:
        return f->id;
    case BY_WORKER:
        return w ? w->id : RAS_NONE;
    case BY_TASK:
        return in_poll && w ? w->poll_task : RAS_NONE;
    case BY_SPAWN:
        return in_poll && w ? text_or_none(d, w->poll_text) : RAS_NONE;
    case BY_SPAN:
        return w ? text_or_none(d, dial9_lanes_top(d, (uint16_t)(w - d->workers))) : RAS_NONE;
    default:
        return 0;
    }
}

static uint32_t group_index(struct stack_groups *g, uint64_t of, bool off)
{
    uint32_t index = id_table_find(&g->group_ids[off], of);
    if (index != ID_TABLE_NONE)
        return index;
    index = (uint32_t)g->group_count;
    if (index >= LIVE_MOST ||
        !array_grow(&g->groups, &g->group_room, g->group_count + 1, sizeof *g->groups) ||
        !id_table_add(&g->group_ids[off], of, index))
        return ID_TABLE_NONE;
    g->groups[g->group_count++] = (struct stack_group){.of = of, .off = off};
    return index;
}

static struct group_stack *stack_of(struct stack_groups *g, uint32_t group, uint32_t stack)
{
    uint64_t key = (uint64_t)group << 32 | stack;
    uint32_t index = id_table_find(&g->stack_ids, key);
    if (index != ID_TABLE_NONE)
        return &g->stacks[index];
    if (!array_grow(&g->stacks, &g->stack_room, g->stack_count + 1, sizeof *g->stacks) ||
        !id_table_add(&g->stack_ids, key, (uint32_t)g->stack_count))
        return NULL;
    g->stacks[g->stack_count] = (struct group_stack){.group = group, .stack = stack};
    return &g->stacks[g->stack_count++];
}

static bool group_add(struct stack_groups *g, uint64_t of, const struct fact *f, bool in_poll)
{
    uint32_t group = group_index(g, of, f->small != 0);
    struct group_stack *s = group == ID_TABLE_NONE ? NULL : stack_of(g, group, f->ref);
    if (!s)
        return false;
    s->count++;
    s->in_poll += in_poll;
    g->groups[group].total++;
    g->groups[group].in_poll += in_poll;
    return true;
}

void dial9_groups_sample(struct dial9_stats *d, const struct fact *f, const struct worker *w,
                         bool in_poll)
{
    for (int by = 0; by < BY_COUNT; by++)
        if (d->groups[by] &&
            !group_add(d->groups[by], group_of(d, (enum stack_by)by, f, w, in_poll), f, in_poll))
            stats_nomem(d);
}

/* ---- what they are --------------------------------------------------------------------- */

static int by_group(const void *a, const void *b)
{
    const struct group_stack *x = a, *y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    return (x->stack > y->stack) - (x->stack < y->stack);
}

void dial9_groups_settle(struct stack_groups *g)
{
    if (g->stack_count)
        qsort(g->stacks, g->stack_count, sizeof *g->stacks, by_group);
    for (size_t i = g->stack_count; i--;)
        g->groups[g->stacks[i].group].first = i;
}

/* The name of a thread, where a sample of it has one. */
static void name_of_thread(const struct dial9_stats *d, uint64_t tid, struct frame_text *out)
{
    uint32_t text = id_table_find(&d->threads, tid);
    const struct intern_entry *e = text < d->texts.count ? &d->texts.entries[text] : NULL;
    int len = e ? snprintf(out->text, sizeof out->text, "%.*s (%" PRIu64 ")",
                           (int)(e->len < 300 ? e->len : 300), (const char *)e->at, tid)
                : snprintf(out->text, sizeof out->text, "thread %" PRIu64, tid);
    out->len = (size_t)len;
}

void dial9_group_name(const struct dial9_stats *d, enum stack_by by,
                      const struct stack_group *group, struct frame_text *out)
{
    static const char *const none[] = {
        "", "no thread", "no worker", "outside polls", "outside polls", "no span"};
    int len = 0;
    out->text[0] = 0;
    if (by == BY_KIND) {
        len = 0;
    } else if (group->of == RAS_NONE) {
        len = snprintf(out->text, sizeof out->text, "%s", none[by]);
    } else if (by == BY_THREAD) {
        name_of_thread(d, group->of, out);
        return;
    } else if (by == BY_SPAWN || by == BY_SPAN) {
        const struct intern_entry *e = &d->texts.entries[group->of];
        len = snprintf(out->text, sizeof out->text, "%.*s", (int)(e->len < 500 ? e->len : 500),
                       (const char *)e->at);
    } else {
        len = snprintf(out->text, sizeof out->text, "%s %" PRIu64, dial9_by_words[by], group->of);
    }
    out->len = (size_t)len;
}

void dial9_groups_free(struct dial9_stats *d)
{
    for (int by = 0; by < BY_COUNT; by++) {
        struct stack_groups *g = d->groups[by];
        if (!g)
            continue;
        id_table_free(&g->group_ids[0]);
        id_table_free(&g->group_ids[1]);
        id_table_free(&g->stack_ids);
        free(g->groups);
        free(g->stacks);
        free(g);
    }
}
