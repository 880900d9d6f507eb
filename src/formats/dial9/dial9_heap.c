/* dial9_heap.c - sampled allocations: how much was allocated, where, and what was not freed.
 *
 * A recorder samples one allocation in about R bytes, so that one of s bytes stands for
 * s / (1 - exp(-s / R)) of them. What is live has no FreeEvent of the same address and the same
 * time of allocation: the address of a block that was freed is used again. Both need no order; the
 * task of an allocation does: it is the one that the thread's worker polled last. */
#include "base/memory.h"
#include "base/sort.h"
#include "formats/dial9/dial9_profile.h"

#include <math.h>
#include <stdlib.h>

enum { HEAP_RATE = 524288, HEAP_ROWS = 10000 };
#define HEAP_MOST ((size_t)1 << 20) /* allocations, and frees, that are kept */

struct allocation {
    uint64_t address, time_ns, size;
    uint32_t stack;
    uint32_t task : 31, freed : 1; /* 1 + index of a task; 0: none */
};

struct release {
    uint64_t address, time_ns;
};

struct heap_sum {
    uint64_t samples, bytes, live, live_bytes;
    double estimate, allocs, live_estimate;
};

struct heap_row {
    uint64_t of; /* stack or task */
    uint32_t text;
    struct heap_sum sum;
};

struct heap {
    struct allocation *allocs;
    size_t alloc_count, alloc_room;
    struct release *frees;
    size_t free_count, free_room;
    uint64_t alloc_samples, free_samples, unkept; /* all; those beyond HEAP_MOST */
    uint64_t dropped_allocs, dropped_frees, rate; /* rate 0: not stated */
    struct id_table task_ids;
    struct heap_row *tasks;
    size_t task_count, task_room;
};

static struct heap *heap_of(struct dial9_stats *d)
{
    if (!d->heap)
        d->heap = calloc(1, sizeof *d->heap);
    if (!d->heap)
        stats_nomem(d);
    return d->heap;
}

/* ---- events ----------------------------------------------------------------------------- */

uint64_t dial9_heap_alloc(struct dial9_stats *d, uint64_t time_ns, uint64_t address, uint64_t size,
                          uint32_t stack)
{
    struct heap *h = heap_of(d);
    if (!h)
        return RAS_NONE;
    h->alloc_samples++;
    if (h->alloc_count >= HEAP_MOST) {
        h->unkept++;
        return RAS_NONE;
    }
    if (!array_grow(&h->allocs, &h->alloc_room, h->alloc_count + 1, sizeof *h->allocs)) {
        stats_nomem(d);
        return RAS_NONE;
    }
    h->allocs[h->alloc_count] =
        (struct allocation){.address = address, .time_ns = time_ns, .size = size, .stack = stack};
    return h->alloc_count++;
}

void dial9_heap_free_event(struct dial9_stats *d, uint64_t address, uint64_t allocated_ns)
{
    struct heap *h = heap_of(d);
    if (!h)
        return;
    h->free_samples++;
    if (h->free_count >= HEAP_MOST) {
        h->unkept++;
        return;
    }
    if (array_grow(&h->frees, &h->free_room, h->free_count + 1, sizeof *h->frees))
        h->frees[h->free_count++] = (struct release){address, allocated_ns};
    else
        stats_nomem(d);
}

void dial9_heap_overflow(struct dial9_stats *d, uint64_t allocs, uint64_t frees)
{
    struct heap *h = heap_of(d);
    if (!h)
        return;
    h->dropped_allocs += allocs;
    h->dropped_frees += frees;
}

/* Decimal digits and nothing else, above 0; the last one that is stated counts. */
void dial9_heap_rate(struct dial9_stats *d, const uint8_t *at, size_t len)
{
    uint64_t rate = 0;
    for (size_t i = 0; i < len; i++) {
        if (at[i] < '0' || at[i] > '9' || len > 18)
            return;
        rate = rate * 10 + (uint64_t)(at[i] - '0');
    }
    struct heap *h = rate ? heap_of(d) : NULL;
    if (h)
        h->rate = rate;
}

static uint32_t heap_task(struct dial9_stats *d, const struct worker *w)
{
    struct heap *h = d->heap;
    uint32_t found = id_table_find(&h->task_ids, w->poll_task);
    if (found != ID_TABLE_NONE)
        return found + 1;
    if (!array_grow(&h->tasks, &h->task_room, h->task_count + 1, sizeof *h->tasks) ||
        !id_table_add(&h->task_ids, w->poll_task, (uint32_t)h->task_count)) {
        stats_nomem(d);
        return 0;
    }
    h->tasks[h->task_count++] = (struct heap_row){.of = w->poll_task, .text = w->poll_text};
    return (uint32_t)h->task_count;
}

void dial9_heap_on(struct dial9_stats *d, const struct fact *f)
{
    if (f->id == RAS_NONE || f->other == RAS_NONE || !d->heap)
        return;
    for (size_t i = 0; i < d->worker_count; i++) {
        const struct worker *w = &d->workers[i];
        if (w->tid != f->other)
            continue;
        if ((w->polling || w->last_any) && w->poll_task)
            d->heap->allocs[f->id].task = heap_task(d, w) & INT32_MAX;
        return;
    }
}

/* ---- figures ----------------------------------------------------------------------------- */

static double weight(uint64_t size, double rate)
{
    double s = (double)size, r = s / rate, share = 1 - exp(-r);
    if (!size || r > 50)
        return s;
    return share > 0 ? s / share : rate; /* so small that the share is rounded to 0 */
}

static void sum_add(struct heap_sum *to, const struct allocation *a, double rate)
{
    double w = weight(a->size, rate);
    to->samples++;
    to->bytes += a->size;
    to->estimate += w;
    to->allocs += a->size ? w / (double)a->size : 0;
    if (a->freed)
        return;
    to->live++;
    to->live_bytes += a->size;
    to->live_estimate += w;
}

static int by_block(const void *a, const void *b)
{
    const struct allocation *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return x->time_ns < y->time_ns ? -1 : x->time_ns > y->time_ns;
}

static int by_release(const void *a, const void *b)
{
    const struct release *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return x->time_ns < y->time_ns ? -1 : x->time_ns > y->time_ns;
}

/* Both in order: one free releases every allocation of its address and time. */
static void match_frees(struct heap *h)
{
    size_t k = 0;
    if (h->alloc_count)
        qsort(h->allocs, h->alloc_count, sizeof *h->allocs, by_block);
    if (h->free_count)
        qsort(h->frees, h->free_count, sizeof *h->frees, by_release);
    for (size_t i = 0; i < h->alloc_count; i++) {
        struct allocation *a = &h->allocs[i];
        const struct release key = {a->address, a->time_ns};
        while (k < h->free_count && by_release(&h->frees[k], &key) < 0)
            k++;
        a->freed = k < h->free_count && !by_release(&h->frees[k], &key);
    }
}

/* ---- tables ------------------------------------------------------------------------------ */

static int by_estimate(const void *a, const void *b, void *context)
{
    const struct heap_row *x = a, *y = b;
    (void)context;
    if (x->sum.estimate != y->sum.estimate)
        return x->sum.estimate > y->sum.estimate ? -1 : 1;
    return x->of < y->of ? -1 : x->of > y->of;
}

static void put_sum(struct dial9_stats *d, const struct heap_sum *s)
{
    struct document *doc = &d->s->doc;
    document_uint(doc, s->samples);
    document_uint(doc, s->bytes);
    document_f64(doc, s->estimate);
    document_f64(doc, s->allocs);
    document_uint(doc, s->live);
    document_uint(doc, s->live_bytes);
    document_f64(doc, s->live_estimate);
}
#define SUM_COLUMNS                                                                                \
    "samples", "sampled_bytes", "estimated_bytes", "estimated_allocs", "live_samples",             \
        "live_sampled_bytes", "live_estimated_bytes"

static void figure_uint(struct dial9_stats *d, const char *name, uint64_t value)
{
    size_t row = stats_row(d->s);
    document_name(&d->s->doc, name);
    document_uint(&d->s->doc, value);
    stats_row_end(d->s, row);
}

static void figure_f64(struct dial9_stats *d, const char *name, double value)
{
    size_t row = stats_row(d->s);
    document_name(&d->s->doc, name);
    document_f64(&d->s->doc, value);
    stats_row_end(d->s, row);
}

static const char *heap_coverage(const struct dial9_stats *d)
{
    return d->heap && d->heap->alloc_samples
               ? "weights by the sampling rate of the metadata, else 524,288"
               : "not measurable: no AllocEvent";
}

static void put_heap_figures(struct dial9_stats *d, double rate)
{
    static const char *const columns[] = {"figure", "value", NULL};
    const struct heap *h = d->heap;
    struct heap_sum sum = {0}, usual = {0};
    stats_table(d->s, "heap", columns);
    for (size_t i = 0; h && i < h->alloc_count; i++) {
        sum_add(&sum, &h->allocs[i], rate);
        sum_add(&usual, &h->allocs[i], HEAP_RATE);
    }
    if (h && (h->alloc_samples || h->free_samples || h->dropped_allocs || h->dropped_frees)) {
        figure_uint(d, "sample_rate_bytes", (uint64_t)rate);
        figure_uint(d, "alloc_samples", h->alloc_samples);
        figure_uint(d, "free_samples", h->free_samples);
        figure_uint(d, "sampled_bytes", sum.bytes);
        figure_f64(d, "estimated_bytes", sum.estimate);
        figure_f64(d, "estimated_allocs", sum.allocs);
        figure_uint(d, "live_samples", sum.live);
        figure_uint(d, "live_sampled_bytes", sum.live_bytes);
        figure_f64(d, "live_estimated_bytes", sum.live_estimate);
        figure_f64(d, "estimated_bytes_at_default_rate", usual.estimate);
        figure_f64(d, "live_estimated_bytes_at_default_rate", usual.live_estimate);
        figure_uint(d, "dropped_allocs", h->dropped_allocs);
        figure_uint(d, "dropped_frees", h->dropped_frees);
    }
    stats_table_end(d->s, "%s; live: no FreeEvent of the same address and time of allocation%s",
                    heap_coverage(d),
                    h && h->unkept ? "; more than 1,048,576 of either: the rest is only counted"
                                   : "");
}

/* Allocations by stack. NULL: memory is short. */
static struct heap_row *heap_sites(const struct heap *h, double rate, size_t *count)
{
    struct id_table ids = {0};
    struct heap_row *rows = NULL;
    size_t room = 0;
    bool ok = array_grow(&rows, &room, 1, sizeof *rows);
    *count = 0;
    for (size_t i = 0; ok && i < h->alloc_count; i++) {
        uint32_t at = id_table_find(&ids, h->allocs[i].stack);
        if (at == ID_TABLE_NONE) {
            at = (uint32_t)*count;
            ok = array_grow(&rows, &room, *count + 1, sizeof *rows) &&
                 id_table_add(&ids, h->allocs[i].stack, at);
            if (!ok)
                break;
            rows[(*count)++] = (struct heap_row){.of = h->allocs[i].stack};
        }
        sum_add(&rows[at].sum, &h->allocs[i], rate);
    }
    id_table_free(&ids);
    if (ok)
        return rows;
    free(rows);
    return NULL;
}

static void put_heap_site(struct dial9_stats *d, const struct heap_row *r)
{
    struct frame_text name, place;
    struct stack_words words;
    dial9_stack_leaf(d, (uint32_t)r->of, &name, &place);
    dial9_stack_explain(d, (uint32_t)r->of, &words);
    size_t row = stats_row(d->s);
    dial9_stats_put_frame_text(d, &name);
    dial9_stats_put_frame_text(d, &place);
    dial9_stats_put_frame_text(d, &words.called_from);
    put_sum(d, &r->sum);
    dial9_put_folded(d, (uint32_t)r->of);
    stats_row_end(d->s, row);
}

static void put_heap_sites(struct dial9_stats *d, double rate)
{
    static const char *const columns[] = {"function",  "location", "called_from",
                                          SUM_COLUMNS, "stack",    NULL};
    size_t count = 0;
    bool wanted = stats_table(d->s, "heap_sites", columns);
    struct heap_row *rows = d->heap && wanted ? heap_sites(d->heap, rate, &count) : NULL;
    if (d->heap && wanted && !rows)
        stats_nomem(d);
    if (count)
        sort_with(rows, count, sizeof *rows, by_estimate, NULL);
    for (size_t i = 0; i < count && i < HEAP_ROWS; i++)
        put_heap_site(d, &rows[i]);
    free(rows);
    stats_table_end(d->s, "%s; by stack, %s, the %d largest are listed", heap_coverage(d),
                    ras_counted(count, "stack").text, HEAP_ROWS);
}

static void put_heap_tasks(struct dial9_stats *d, double rate)
{
    static const char *const columns[] = {"task", "spawn_loc", SUM_COLUMNS, NULL};
    struct heap *h = d->heap;
    struct heap_row none = {.of = RAS_NONE, .text = NO_TEXT};
    stats_table(d->s, "heap_tasks", columns);
    for (size_t i = 0; h && i < h->alloc_count; i++) {
        uint32_t task = h->allocs[i].task;
        sum_add(task ? &h->tasks[task - 1].sum : &none.sum, &h->allocs[i], rate);
    }
    if (h && h->task_count)
        sort_with(h->tasks, h->task_count, sizeof *h->tasks, by_estimate, NULL);
    size_t count = h ? h->task_count : 0;
    for (size_t i = 0; i <= count && i <= HEAP_ROWS; i++) {
        const struct heap_row *r = i < count && i < HEAP_ROWS ? &h->tasks[i] : &none;
        if (!r->sum.samples)
            continue;
        size_t row = stats_row(d->s);
        if (r->of == RAS_NONE)
            document_null(&d->s->doc);
        else
            document_uint(&d->s->doc, r->of);
        dial9_stats_put_text(d, r->text);
        put_sum(d, &r->sum);
        stats_row_end(d->s, row);
    }
    stats_table_end(d->s,
                    "%s; the task that the worker of the thread polled last, null: none is known",
                    heap_coverage(d));
}

void dial9_stats_put_heap(struct dial9_stats *d)
{
    double rate = d->heap && d->heap->rate ? (double)d->heap->rate : HEAP_RATE;
    if (d->heap)
        match_frees(d->heap);
    put_heap_figures(d, rate);
    put_heap_sites(d, rate);
    put_heap_tasks(d, rate);
}

void dial9_heap_free(struct dial9_stats *d)
{
    struct heap *h = d->heap;
    if (!h)
        return;
    free(h->allocs);
    free(h->frees);
    free(h->tasks);
    id_table_free(&h->task_ids);
    free(h);
}
