/* dial9_stats_facts.c - an event as a fact, and what needs no order counted on the way. */
#include "base/memory.h"
#include "formats/dial9/dial9_stats.h"

#include <stdlib.h>

uint32_t dial9_stats_new_text(struct dial9_stats *d, const void *at, size_t len)
{
    struct ras_bytes bytes = {at, len};
    uint64_t hash = intern_hash(bytes);
    uint32_t id;
    if (intern_find(&d->texts, hash, bytes, &id))
        return id;
    if (d->texts.count >= TEXTS_MOST || d->texts.bytes > d->s->trace->limits.pool_bytes / 4)
        return NO_TEXT;
    if (!intern_free_id(&d->texts, NO_TEXT - 1, &id) || !intern_add(&d->texts, hash, bytes, id)) {
        stats_nomem(d);
        return NO_TEXT;
    }
    return id;
}

/* Texts are few and come again and again from the same place of the pool. */
uint32_t dial9_stats_text(struct dial9_stats *d, const void *at, size_t len)
{
    size_t slot = ((uintptr_t)at * UINT64_C(0x9e3779b97f4a7c15)) >> 54;
    if (d->text_cache[slot].at == at && d->text_cache[slot].len == len && at)
        return d->text_cache[slot].id;
    uint32_t id = dial9_stats_new_text(d, at, len);
    d->text_cache[slot].at = at;
    d->text_cache[slot].len = (uint32_t)len;
    d->text_cache[slot].id = id;
    return id;
}

static inline uint64_t number(const struct ras_dial9_value *v, uint64_t otherwise)
{
    if (!v)
        return otherwise;
    switch (v->type) {
    case RAS_DIAL9_VARINT:
    case RAS_DIAL9_U8:
    case RAS_DIAL9_U16:
    case RAS_DIAL9_U32:
    case RAS_DIAL9_BOOL:
        return v->u;
    case RAS_DIAL9_I64:
        return v->i < 0 ? otherwise : v->u;
    default:
        return otherwise;
    }
}

static uint32_t text(struct dial9_stats *d, const struct fact_event *e,
                     const struct ras_dial9_value *v)
{
    if (v && v->type == RAS_DIAL9_STRING)
        return dial9_stats_text(d, v->at, v->count);
    if (!v || v->type != RAS_DIAL9_POOLED_STRING)
        return NO_TEXT;
    const struct pool_entry *entry = dial9_pool_find(&e->batch->strings, (uint32_t)v->u, e->offset);
    return entry ? dial9_stats_text(d, e->base + entry->offset, entry->length) : NO_TEXT;
}

static uint32_t stack(struct dial9_stats *d, const struct fact_event *e,
                      const struct ras_dial9_value *v)
{
    if (v && v->type == RAS_DIAL9_STACK_FRAMES)
        return dial9_stats_stack(d, v->at, v->count);
    if (!v || v->type != RAS_DIAL9_POOLED_STACK_FRAMES)
        return NO_STACK;
    const struct pool_entry *entry = dial9_pool_find(&e->batch->stacks, (uint32_t)v->u, e->offset);
    return entry ? dial9_stats_stack(d, e->base + entry->offset, entry->length) : NO_STACK;
}

static uint16_t worker_index(struct dial9_stats *d, const struct ras_dial9_value *v)
{
    const struct worker *w = v ? dial9_stats_worker(d, number(v, RAS_NONE)) : NULL;
    return w ? (uint16_t)(w - d->workers) : NO_WORKER;
}

static void count_wait(struct dial9_stats *d, uint16_t worker, uint64_t wait)
{
    if (!wait || worker == NO_WORKER)
        return;
    stats_add(d->s, &d->workers[worker].waits, wait);
    d->waits_over_100ns += wait > 100;
    d->waits_over_100us += wait > 100000;
    d->waits_over_1ms += wait > 1000000;
    d->waits_over_10ms += wait > 10000000;
}

static void count_queue(struct dial9_stats *d, uint16_t worker, uint64_t length)
{
    if (worker == NO_WORKER || length == RAS_NONE)
        return;
    struct worker *w = &d->workers[worker];
    w->queue_max = w->queue_max > length ? w->queue_max : length;
    w->queue_told = true;
}

static void count_wake(struct dial9_stats *d, const struct ras_dial9_value *const *v)
{
    uint64_t target = number(v[ROLE_SMALL], 255);
    d->wakes_to[target < 255 ? target : 255]++;
    uint64_t woken = number(v[ROLE_ID], 0);
    d->wakes_by_self += woken && woken == number(v[ROLE_OTHER], RAS_NONE);
}

static void count_dump(struct dial9_stats *d, uint64_t task)
{
    if (id_table_find(&d->dumped, task) != ID_TABLE_NONE || d->dumped.count >= LIVE_MOST)
        return;
    if (!id_table_add(&d->dumped, task, 0))
        stats_nomem(d);
}

static void keep_symbol(struct dial9_stats *d, const struct fact_event *e,
                        const struct ras_dial9_value *const *v)
{
    if (d->symbol_count >= SYMBOLS_MOST) {
        d->symbols_untold++;
        return;
    }
    if (!array_grow(&d->symbols, &d->symbol_room, d->symbol_count + 1, sizeof *d->symbols)) {
        stats_nomem(d);
        return;
    }
    d->symbols_lined += number(v[ROLE_LINE], 0) != 0;
    d->symbols[d->symbol_count] = (struct symbol){.address = number(v[ROLE_ID], 0),
                                                  .depth = number(v[ROLE_DEPTH], 0),
                                                  .line = number(v[ROLE_LINE], 0),
                                                  .text = text(d, e, v[ROLE_TEXT]),
                                                  .file = text(d, e, v[ROLE_FILE]),
                                                  .order = (uint32_t)d->symbol_count};
    d->symbol_count++;
}

static void keep_clock(struct dial9_stats *d, uint64_t time_ns, uint64_t realtime_ns)
{
    size_t room = sizeof d->clocks / sizeof *d->clocks;
    if (d->clock_count < room) {
        d->clocks[d->clock_count].time_ns = time_ns;
        d->clocks[d->clock_count].realtime_ns = realtime_ns;
    }
    d->clock_count++;
}

static void name_thread(struct dial9_stats *d, uint64_t tid, uint32_t name)
{
    if (name == NO_TEXT || tid == RAS_NONE || d->threads.count >= WORKERS_MOST ||
        id_table_find(&d->threads, tid) != ID_TABLE_NONE)
        return;
    if (!id_table_add(&d->threads, tid, name))
        stats_nomem(d);
}

/* What an event says that needs no order. True: that is all. */
static bool count_only(struct dial9_stats *d, const struct fact_event *e, unsigned kind,
                       const struct ras_dial9_value *const *v)
{
    if (fact_is_timed(kind))
        return false;
    switch (kind) {
    case FACT_DUMP:
        count_dump(d, number(v[ROLE_ID], 0));
        return true;
    case FACT_SYMBOL:
        keep_symbol(d, e, v);
        return true;
    case FACT_CLOCK:
        keep_clock(d, e->time_ns, number(v[ROLE_ID], 0));
        return true;
    case FACT_METADATA:
        dial9_stats_on_metadata(d, v[ROLE_ENTRIES], e->end);
        return true;
    default:
        return true;
    }
}

static void fill(struct dial9_stats *d, const struct fact_event *e,
                 const struct ras_dial9_value *const *v, struct fact *f)
{
    switch (f->kind) {
    case FACT_POLL_START:
        count_queue(d, f->worker, number(v[ROLE_OTHER], RAS_NONE));
        break;
    case FACT_PARK:
    case FACT_UNPARK:
        count_queue(d, f->worker, number(v[ROLE_OTHER], RAS_NONE));
        count_wait(d, f->worker, number(v[ROLE_WAIT], 0));
        f->id = number(v[ROLE_CPU], RAS_NONE);
        f->other = number(v[ROLE_TID], RAS_NONE);
        break;
    case FACT_QUEUE:
        f->id = number(v[ROLE_OTHER], 0);
        stats_add(d->s, &d->queue, f->id);
        break;
    case FACT_WAKE:
        count_wake(d, v);
        break;
    case FACT_SPAWN:
        d->uninstrumented += v[ROLE_SMALL] && !f->small;
        break;
    case FACT_SPAN_ENTER:
        f->other = number(v[ROLE_OTHER], RAS_NONE);
        break;
    case FACT_SAMPLE:
        f->id = number(v[ROLE_TID], RAS_NONE);
        name_thread(d, f->id, f->ref);
        f->ref = stack(d, e, v[ROLE_STACK]);
        break;
    default:
        break;
    }
}

bool dial9_stats_fact(struct dial9_stats *d, const struct fact_event *e,
                      const struct fact_schema *schema, struct fact *f)
{
    const struct ras_dial9_value *v[ROLE_COUNT] = {NULL};
    for (unsigned i = 0; i < e->count; i++)
        v[schema->roles[i]] = &e->values[i];
    if (count_only(d, e, schema->kind, v))
        return false;
    *f = (struct fact){.time_ns = e->time_ns,
                       .id = number(v[ROLE_ID], 0),
                       .other = RAS_NONE,
                       .ref = v[ROLE_TEXT] ? text(d, e, v[ROLE_TEXT]) : NO_TEXT,
                       .worker = v[ROLE_WORKER] ? worker_index(d, v[ROLE_WORKER]) : NO_WORKER,
                       .kind = schema->kind,
                       .small = (uint8_t)number(v[ROLE_SMALL], 0)};
    if (f->kind == FACT_SPAN_WHOLE) {
        f->other = dial9_stats_length(schema, number(v[ROLE_ID], RAS_NONE), e->time_ns);
        f->ref = f->ref == NO_TEXT ? schema->name : f->ref;
    }
    fill(d, e, v, f);
    return true;
}
