/* cdt_tell.c - typed structs as values of a document: maps as a dict has them, copied texts. */
#include "formats/cdt/cdt_tell.h"

#include <stdlib.h>

static int by_timer_text(const void *a, const void *b)
{
    const struct cdt_timer *x = a, *y = b;
    const struct ras_bytes *p = &x->first->key, *q = &y->first->key;
    size_t least = p->len < q->len ? p->len : q->len;
    int order = least ? memcmp(p->at, q->at, least) : 0;
    if (order)
        return order;
    if (p->len != q->len)
        return p->len < q->len ? -1 : 1;
    return x->first < y->first ? -1 : x->first > y->first;
}

static int by_timer_place(const void *a, const void *b)
{
    const struct cdt_timer *x = a, *y = b;
    return x->first < y->first ? -1 : x->first > y->first;
}

static bool is_same_key(const struct cdt_timer *a, const struct cdt_timer *b)
{
    const struct ras_bytes *p = &a->first->key, *q = &b->first->key;
    return p->len == q->len && (!p->len || !memcmp(p->at, q->at, p->len));
}

struct cdt_timer *cdt_timers_merge(const struct cdt_list *list)
{
    const struct ras_cdt_timer *item = (const struct ras_cdt_timer *)(const void *)list->at;
    struct cdt_timer *timers = calloc(list->count + 1, sizeof *timers);
    size_t n = 0;
    for (size_t i = 0; timers && i < list->count; i++)
        timers[i] = (struct cdt_timer){&item[i], &item[i]};
    if (timers && list->count)
        qsort(timers, list->count, sizeof *timers, by_timer_text);
    for (size_t i = 0; timers && i < list->count; i++) {
        if (n && is_same_key(&timers[n - 1], &timers[i]))
            timers[n - 1].last = timers[i].last;
        else
            timers[n++] = timers[i];
    }
    if (n)
        qsort(timers, n, sizeof *timers, by_timer_place);
    if (timers)
        timers[n] = (struct cdt_timer){0};
    return timers;
}

static struct cdt_put put_to(struct document *d, bool masked)
{
    return (struct cdt_put){.to = &d->cells, .texts = &d->texts, .masked = masked};
}

void cdt_doc_struct(struct document *d, const struct cdt_struct *s, const void *at, bool masked)
{
    const struct cdt_put p = put_to(d, masked);
    cdt_put_struct(&p, s, at);
}

void cdt_doc_members(struct document *d, const struct cdt_struct *s, const void *at, bool masked)
{
    const struct cdt_put p = put_to(d, masked);
    cdt_put_members(&p, s, at);
}

void cdt_doc_member(struct document *d, const struct cdt_field *f, const void *at,
                    const struct ras_cdt_node *node, unsigned index, bool masked)
{
    const struct cdt_put p = put_to(d, masked);
    cdt_put_member(&p, f, index, node, at);
}

void cdt_doc_list(struct document *d, const struct cdt_struct *of, struct cdt_list list,
                  bool masked)
{
    const struct cdt_put p = put_to(d, masked);
    cdt_put_list(&p, of, list);
}

void cdt_doc_tick(struct document *d, const struct ras_cdt_tick_record *t)
{
    cdt_doc_member(d, &cdt_tick_record.fields[0], &t->tick_index, &t->node, 0, false);
}
