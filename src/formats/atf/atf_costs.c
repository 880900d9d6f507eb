/* atf_costs.c - calls with the time they took, and functions by their cost. */
#include "formats/atf/atf_costs.h"
#include "base/memory.h"

#include <stdlib.h>

/* ---- the walk --------------------------------------------------------------------- */

bool atf_call_walk_open(struct atf_call_walk *w)
{
    w->stack = ras_atf_stack_new();
    return w->stack;
}

void atf_call_walk_close(struct atf_call_walk *w)
{
    ras_atf_stack_free(w->stack);
}

void atf_call_walk_thread(struct atf_call_walk *w)
{
    atf_stack_clear(w->stack);
}

static bool walk_leave(struct atf_call_walk *w, const struct ras_atf_span *span)
{
    struct atf_left_call call = {.span = span, .time = w->stack->time};
    (void)atf_stack_frames(w->stack, &call.level);
    return w->leave(w->user, &call);
}

bool atf_call_walk_event(struct atf_call_walk *w, const struct ras_atf_index_event *event,
                         uint64_t seq)
{
    struct ras_atf_span span;
    size_t level;
    int status;
    while ((status = ras_atf_stack_step(w->stack, event, seq, &span, NULL)) == RAS_OK)
        if (!walk_leave(w, &span))
            return false;
    if (status < 0 || !event || event->event_kind != RAS_ATF_CALL)
        return status >= 0;
    (void)atf_stack_frames(w->stack, &level);
    return w->enter(w->user, event, level);
}

/* ---- functions -------------------------------------------------------------------- */

void atf_costs_free(struct atf_costs *c)
{
    for (size_t i = 0; i < c->count; i++)
        quantiles_free(&c->at[i].times);
    free(c->at);
    id_table_free(&c->index);
}

/* Processes share ids but have names of their own. */
static uint64_t cost_key(const struct atf_cost *c)
{
    return c->function_id + c->thread * UINT64_C(0xd1b54a32d192ed03) +
           ((uintptr_t)c->symbol >> 3) * UINT64_C(0x2545f4914f6cdd1d);
}

static bool same_cost(const struct atf_cost *a, const struct atf_cost *b)
{
    return a->function_id == b->function_id && a->symbol == b->symbol && a->thread == b->thread;
}

struct atf_cost *atf_cost_of(struct atf_costs *c, const struct atf_process *p, size_t thread,
                             uint64_t function_id)
{
    struct atf_cost new = {.function_id = function_id,
                           .symbol = atf_manifest_symbol(&p->manifest, function_id),
                           .thread = thread};
    uint64_t key = cost_key(&new);
    uint32_t found;
    for (; (found = id_table_find(&c->index, key)) != ID_TABLE_NONE; key++) /* two share a key */
        if (same_cost(&c->at[found], &new))
            return &c->at[found];
    if (c->count >= UINT32_MAX / 4 || !array_grow(&c->at, &c->room, c->count + 1, sizeof *c->at) ||
        !id_table_add(&c->index, key, (uint32_t)c->count))
        return NULL;
    new.module = atf_manifest_module(&p->manifest, (uint32_t)(function_id >> 32));
    new.source = atf_manifest_source(&p->manifest, function_id);
    c->sourced |= p->manifest.source_count;
    c->at[c->count] = new;
    return &c->at[c->count++];
}

bool atf_cost_named(struct atf_costs *c, struct call_tree *t, const struct atf_process *p,
                    uint64_t function_id, uint32_t *index)
{
    size_t had = c->count;
    const struct atf_cost *cost = atf_cost_of(c, p, 0, function_id);
    char number[24];
    if (!cost)
        return false;
    *index = (uint32_t)(cost - c->at);
    if (c->count == had)
        return true;
    if (cost->symbol)
        return call_tree_name(t, *index, cost->symbol->name, cost->symbol->name_len);
    int len = snprintf(number, sizeof number, "0x%016" PRIx64, function_id);
    return call_tree_name(t, *index, number, (size_t)len);
}

void atf_cost_take(struct atf_cost *cost, const struct atf_left_call *call)
{
    cost->open -= cost->open > 0;
    cost->untimed += !call->time.timed;
    cost->self_ns += call->time.self;
    cost->total_ns += cost->open ? 0 : call->time.took;
}

void atf_put_text(struct document *doc, const char *text)
{
    if (text)
        document_key(doc, text);
    else
        document_null(doc);
}

void atf_cost_put(struct document *doc, const struct atf_cost *cost)
{
    if (cost->symbol)
        document_text(doc, cost->symbol->name, cost->symbol->name_len);
    else
        document_format(doc, "0x%016" PRIx64, cost->function_id);
    atf_put_text(doc, cost->module ? cost->module->path : NULL);
}

void atf_cost_put_source(struct document *doc, const struct atf_cost *cost)
{
    atf_put_text(doc, cost->source ? cost->source->file : NULL);
    if (cost->source)
        document_uint(doc, cost->source->line);
    else
        document_null(doc);
}
