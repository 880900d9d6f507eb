/* cdt_tell.c - typed structs as values of a document. */
#include "formats/cdt/cdt_tell.h"

#include <stdlib.h>

static void tell_int(struct document *d, int64_t value, bool wide)
{
    if (wide)
        document_uint(d, (uint64_t)value);
    else
        document_int(d, value);
}

static void tell_ints(struct document *d, const struct ras_cdt_int *at, size_t count)
{
    size_t open = document_open(d, RAS_LIST);
    for (size_t i = 0; i < count; i++)
        tell_int(d, at[i].value, at[i].wide);
    document_close(d, open);
}

/* Arrays of arrays, `depth` of them above the arrays of ints. */
static void tell_counts(struct document *d, const struct cdt_list *list, unsigned depth)
{
    if (!depth) {
        tell_ints(d, (const struct ras_cdt_int *)(const void *)list->at, list->count);
        return;
    }
    const struct cdt_list *item = (const struct cdt_list *)(const void *)list->at;
    size_t open = document_open(d, RAS_LIST);
    for (size_t i = 0; i < list->count; i++)
        tell_counts(d, &item[i], depth - 1);
    document_close(d, open);
}

static void tell_strs(struct document *d, const struct cdt_list *list)
{
    const struct ras_bytes *item = (const struct ras_bytes *)(const void *)list->at;
    size_t open = document_open(d, RAS_LIST);
    for (size_t i = 0; i < list->count; i++)
        document_text(d, item[i].at, item[i].len);
    document_close(d, open);
}

/* A timer of the map: where its key stands first, and its value, which is the last one. */
struct timer {
    const struct ras_cdt_timer *first;
    const struct ras_cdt_timer *last;
};

static int by_key(const void *a, const void *b)
{
    const struct timer *x = a, *y = b;
    const struct ras_bytes *p = &x->first->key, *q = &y->first->key;
    size_t least = p->len < q->len ? p->len : q->len;
    int order = least ? memcmp(p->at, q->at, least) : 0;
    if (order)
        return order;
    if (p->len != q->len)
        return p->len < q->len ? -1 : 1;
    return x->first < y->first ? -1 : x->first > y->first;
}

static int by_place(const void *a, const void *b)
{
    const struct timer *x = a, *y = b;
    return x->first < y->first ? -1 : x->first > y->first;
}

static bool is_same_key(const struct timer *a, const struct timer *b)
{
    const struct ras_bytes *p = &a->first->key, *q = &b->first->key;
    return p->len == q->len && (!p->len || !memcmp(p->at, q->at, p->len));
}

/* Of equal keys the last is the value, at the place of the first, as a dict has it. */
static void tell_timers(struct document *d, const struct cdt_list *list)
{
    const struct ras_cdt_timer *item = (const struct ras_cdt_timer *)(const void *)list->at;
    size_t open = document_open(d, RAS_MAP), n = 0;
    struct timer *timers = calloc(list->count + 1, sizeof *timers);
    d->cells.nomem |= !timers;
    for (size_t i = 0; timers && i < list->count; i++)
        timers[i] = (struct timer){&item[i], &item[i]};
    if (timers && list->count)
        qsort(timers, list->count, sizeof *timers, by_key);
    for (size_t i = 0; timers && i < list->count; i++) {
        if (n && is_same_key(&timers[n - 1], &timers[i]))
            timers[n - 1].last = timers[i].last;
        else
            timers[n++] = timers[i];
    }
    if (n)
        qsort(timers, n, sizeof *timers, by_place);
    for (size_t i = 0; i < n; i++) {
        document_text(d, timers[i].first->key.at, timers[i].first->key.len);
        tell_int(d, timers[i].last->value.value, timers[i].last->value.wide);
    }
    free(timers);
    document_close(d, open);
}

void cdt_tell_list(struct document *d, const struct cdt_struct *of, struct cdt_list list,
                   bool masked)
{
    size_t open = document_open(d, RAS_LIST);
    for (size_t i = 0; i < list.count; i++)
        cdt_tell(d, of, list.at + i * of->size, masked);
    document_close(d, open);
}

static void tell_scalar(struct document *d, const struct cdt_field *f, const void *at, bool wide)
{
    const struct ras_bytes *text = at;
    switch (f->type) {
    case CDT_FLOAT:
        document_f64(d, *(const double *)at);
        return;
    case CDT_BOOL:
        document_bool(d, *(const bool *)at);
        return;
    case CDT_STR:
    case CDT_BIN:
        document_text(d, text->at, text->len);
        return;
    default:
        tell_int(d, *(const int64_t *)at, wide);
    }
}

void cdt_tell_member(struct document *d, const struct cdt_field *f, const void *at,
                     const struct ras_cdt_node *node, unsigned index, bool masked)
{
    const struct cdt_list *list = at;
    if (f->need == CDT_NULLABLE && node && !ras_cdt_has(node, index)) {
        document_null(d);
        return;
    }
    switch (f->type) {
    case CDT_STRUCT:
        cdt_tell(d, f->of, at, masked);
        return;
    case CDT_LIST:
        cdt_tell_list(d, f->of, *list, masked);
        return;
    case CDT_STRS:
        tell_strs(d, list);
        return;
    case CDT_INTS:
        tell_counts(d, list, 0);
        return;
    case CDT_COUNTS:
        tell_counts(d, list, 2);
        return;
    case CDT_TIMERS:
        tell_timers(d, list);
        return;
    case CDT_FIXED:
    case CDT_FIXED_POS:
        tell_ints(d, at, f->fixed);
        return;
    default:
        tell_scalar(d, f, at, node && node->wide >> index & 1);
    }
}

static bool is_masked(const struct cdt_struct *s, const struct cdt_field *f)
{
    if (f->of == &cdt_replay_hit_summary_entry)
        return true;
    return s == &cdt_replay_death_ledger_entry &&
           (!strcmp(f->name, "reward_value") || !strcmp(f->name, "xp_awarded") ||
            !strcmp(f->name, "owner_id"));
}

void cdt_tell_members(struct document *d, const struct cdt_struct *s, const void *at, bool masked)
{
    const struct ras_cdt_node *node = s->plain ? NULL : at;
    for (unsigned i = 0; i < s->count; i++) {
        const struct cdt_field *f = &s->fields[i];
        if (masked && is_masked(s, f))
            continue;
        document_name(d, f->name);
        cdt_tell_member(d, f, (const uint8_t *)at + f->offset, node, i, masked);
    }
}

void cdt_tell(struct document *d, const struct cdt_struct *s, const void *at, bool masked)
{
    size_t open = document_open(d, RAS_MAP);
    cdt_tell_members(d, s, at, masked);
    document_close(d, open);
}

void cdt_tell_tick(struct document *d, const struct ras_cdt_tick_record *t)
{
    cdt_tell_member(d, &cdt_tick_record.fields[0], &t->tick_index, &t->node, 0, false);
}
