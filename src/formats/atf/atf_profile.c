/* atf_profile.c - the functions of two sessions side by side: calls, total and self time.
 *
 * Total is the time between a call and its return, that of a function inside itself
 * counted once; self is what is left of it without the calls inside. A call that has no
 * return is counted, but has no time. */
#include "base/memory.h"
#include "formats/atf/atf_compare.h"

#include <stdlib.h>

/* A function of one session. */
struct cost {
    uint64_t function_id;
    const struct ras_atf_symbol *symbol; /* NULL: it has no name */
    const struct ras_atf_module *module;
    uint64_t count, total_ns, self_ns;
    uint64_t open; /* calls of it that have not returned */
};

/* The functions of one session, found by process and id. */
struct costs {
    struct cost *at;
    size_t count, room;
    uint32_t *slots; /* 1 + index; 0: empty */
    size_t slot_count;
    uint64_t *inside; /* time in the calls that each open call has made */
    size_t inside_room;
    uint64_t untimed; /* calls that have no return */
};

/* A function of both. */
struct merged {
    const struct cost *name; /* whichever side has it */
    uint64_t count[2], total_ns[2], self_ns[2];
};

static void costs_free(struct costs *c)
{
    free(c->at);
    free(c->slots);
    free(c->inside);
}

/* ---- one session --------------------------------------------------------------- */

static size_t slot_of(const struct costs *c, uint64_t function_id, const struct cost *like)
{
    size_t mask = c->slot_count - 1;
    size_t i = (size_t)(function_id * UINT64_C(0x9e3779b97f4a7c15) >> 32) & mask;
    for (; c->slots[i]; i = (i + 1) & mask) {
        const struct cost *found = &c->at[c->slots[i] - 1];
        if (found->function_id == function_id && found->symbol == like->symbol)
            break;
    }
    return i;
}

static bool make_slots(struct costs *c)
{
    size_t count = c->slot_count ? 2 * c->slot_count : 256;
    uint32_t *slots = calloc(count, sizeof *slots);
    if (!slots)
        return false;
    free(c->slots);
    c->slots = slots;
    c->slot_count = count;
    for (size_t i = 0; i < c->count; i++)
        c->slots[slot_of(c, c->at[i].function_id, &c->at[i])] = (uint32_t)i + 1;
    return true;
}

/* A process has names of its own: two that share an id but not the name are two. */
static struct cost *cost_of(struct costs *c, const struct atf_process *p, uint64_t function_id)
{
    struct cost new = {.function_id = function_id,
                       .symbol = atf_manifest_symbol(&p->manifest, function_id),
                       .module = atf_manifest_module(&p->manifest, (uint32_t)(function_id >> 32))};
    if (2 * c->count >= c->slot_count && !make_slots(c))
        return NULL;
    size_t slot = slot_of(c, function_id, &new);
    if (c->slots[slot])
        return &c->at[c->slots[slot] - 1];
    if (c->count >= UINT32_MAX / 4 || !array_grow(&c->at, &c->room, c->count + 1, sizeof *c->at))
        return NULL;
    c->at[c->count++] = new;
    c->slots[slot] = (uint32_t)c->count;
    return &c->at[c->count - 1];
}

/* A call was left; `level` calls are open around it. */
static bool take_span(struct costs *c, const struct atf_process *p, const struct ras_atf_span *span,
                      size_t level)
{
    if (span->reason == RAS_ATF_NO_CALL)
        return true;
    struct cost *cost = cost_of(c, p, span->function_id);
    if (!cost)
        return false;
    cost->open -= cost->open > 0;
    bool timed = span->return_seq != RAS_NONE && span->end_ns >= span->start_ns;
    uint64_t took = timed ? span->end_ns - span->start_ns : 0;
    uint64_t inner = c->inside[level + 1];
    c->untimed += !timed;
    if (timed) {
        cost->self_ns += took > inner ? took - inner : 0;
        cost->total_ns += cost->open ? 0 : took;
    }
    c->inside[level] += timed ? took : inner; /* what a call without an end held is known */
    return true;
}

static bool take_event(struct costs *c, const struct atf_process *p, struct ras_atf_stack *stack,
                       const struct ras_atf_index_event *event, uint64_t seq)
{
    struct ras_atf_span span;
    size_t level;
    int status;
    while ((status = ras_atf_stack_step(stack, event, seq, &span, NULL)) == RAS_OK) {
        (void)atf_stack_frames(stack, &level);
        if (!take_span(c, p, &span, level))
            return false;
    }
    if (status < 0 || !event || event->event_kind != RAS_ATF_CALL)
        return status >= 0;
    (void)atf_stack_frames(stack, &level);
    struct cost *cost = cost_of(c, p, event->function_id);
    if (!cost || !array_grow(&c->inside, &c->inside_room, level + 1, sizeof *c->inside))
        return false;
    c->inside[level] = 0;
    cost->count++;
    cost->open++;
    return true;
}

static bool take_thread(struct costs *c, struct ras_atf_session *s, struct atf_thread *t,
                        struct ras_atf_stack *stack)
{
    const struct atf_process *p = &s->processes[t->process];
    if (!atf_index_ready(s, t))
        return true;
    const uint8_t *at = atf_events(s, t);
    atf_stack_clear(stack);
    c->inside[0] = 0;
    for (uint64_t i = 0; i < t->index.count; i++) {
        struct ras_atf_index_event event = atf_event(at + i * RAS_ATF_INDEX_EVENT_SIZE);
        if (!take_event(c, p, stack, &event, i))
            return false;
    }
    return take_event(c, p, stack, NULL, t->index.count);
}

static bool take_session(struct costs *c, struct ras_atf_session *s)
{
    struct ras_atf_stack *stack = ras_atf_stack_new();
    bool ok = stack && array_grow(&c->inside, &c->inside_room, 2, sizeof *c->inside);
    for (size_t i = 0; ok && i < s->thread_count; i++)
        ok = take_thread(c, s, &s->threads[i], stack);
    ras_atf_stack_free(stack);
    return ok;
}

/* ---- both ----------------------------------------------------------------------- */

static int by_text(const char *a, size_t n, const char *b, size_t m)
{
    int order = memcmp(a, b, n < m ? n : m);
    return order ? order : n < m ? -1 : n > m;
}

/* By name; those without one behind, by id. */
static int by_function(const void *a, const void *b)
{
    const struct cost *x = ((const struct merged *)a)->name, *y = ((const struct merged *)b)->name;
    if (x->symbol && y->symbol)
        return by_text(x->symbol->name, x->symbol->name_len, y->symbol->name, y->symbol->name_len);
    if (!x->symbol != !y->symbol)
        return x->symbol ? -1 : 1;
    return x->function_id < y->function_id ? -1 : x->function_id > y->function_id;
}

static int by_id(const void *a, const void *b)
{
    const struct cost *x = ((const struct merged *)a)->name, *y = ((const struct merged *)b)->name;
    return x->function_id < y->function_id ? -1 : x->function_id > y->function_id;
}

static uint64_t apart(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

static int by_self_difference(const void *a, const void *b)
{
    const struct merged *x = a, *y = b;
    uint64_t p = apart(x->self_ns[0], x->self_ns[1]), q = apart(y->self_ns[0], y->self_ns[1]);
    if (p != q)
        return p > q ? -1 : 1;
    return by_function(a, b);
}

static void add(struct merged *to, const struct merged *from)
{
    for (int i = 0; i < 2; i++) {
        to->count[i] += from->count[i];
        to->total_ns[i] += from->total_ns[i];
        to->self_ns[i] += from->self_ns[i];
    }
}

/* Make one row of neighbours that `order` holds for the same; how many are left. A row
 * that both sides have a name for is not joined by id. */
static size_t fold(struct merged *rows, size_t count, int (*order)(const void *, const void *))
{
    size_t kept = 0;
    if (!count)
        return 0;
    qsort(rows, count, sizeof *rows, order);
    for (size_t i = 1; i < count; i++) {
        bool named = rows[kept].name->symbol && rows[i].name->symbol && order == by_id;
        if (named || order(&rows[kept], &rows[i]) != 0) {
            rows[++kept] = rows[i];
            continue;
        }
        if (!rows[kept].name->symbol)
            rows[kept].name = rows[i].name;
        add(&rows[kept], &rows[i]);
    }
    return kept + 1;
}

static struct merged *merge(const struct costs *sides, size_t *count)
{
    struct merged *rows = calloc(sides[0].count + sides[1].count + 1, sizeof *rows);
    *count = 0;
    for (int side = 0; rows && side < 2; side++)
        for (size_t i = 0; i < sides[side].count; i++) {
            const struct cost *c = &sides[side].at[i];
            struct merged *row = &rows[(*count)++];
            row->name = c;
            row->count[side] = c->count;
            row->total_ns[side] = c->total_ns;
            row->self_ns[side] = c->self_ns;
        }
    if (rows) {
        *count = fold(rows, *count, by_function);
        *count = fold(rows, *count, by_id);
        if (*count)
            qsort(rows, *count, sizeof *rows, by_self_difference);
    }
    return rows;
}

/* How much more the second is, in percent and tenths: no more means anything. */
static double percent(uint64_t a, uint64_t b)
{
    double tenths = 1000.0 * ((double)b - (double)a) / (double)a;
    if (tenths > 1e15)
        return tenths / 10;
    return (double)(int64_t)(tenths + (tenths < 0 ? -0.5 : 0.5)) / 10;
}

static void put_difference(struct document *doc, const uint64_t *sides)
{
    document_uint(doc, sides[0]);
    document_uint(doc, sides[1]);
    document_int(doc, (int64_t)(sides[1] - sides[0]));
    if (sides[0])
        document_f64(doc, percent(sides[0], sides[1]));
    else
        document_null(doc);
}

static void put_row(struct document *doc, const struct merged *row)
{
    size_t list = document_open(doc, RAS_LIST);
    const struct cost *name = row->name;
    if (name->symbol)
        document_text(doc, name->symbol->name, name->symbol->name_len);
    else
        document_format(doc, "0x%016" PRIx64, name->function_id);
    if (name->module)
        document_key(doc, name->module->path);
    else
        document_null(doc);
    put_difference(doc, row->count);
    put_difference(doc, row->total_ns);
    put_difference(doc, row->self_ns);
    document_close(doc, list);
}

int atf_profile(struct compare *c, struct ras_error *err)
{
    static const char *const columns[] = {
        "function",           "module",           "count",
        "count_actual",       "count_difference", "count_percent",
        "total_ns",           "total_ns_actual",  "total_ns_difference",
        "total_percent",      "self_ns",          "self_ns_actual",
        "self_ns_difference", "self_percent",     NULL};
    struct costs sides[2] = {{0}};
    struct merged *rows = NULL;
    size_t count = 0;
    bool ok = true;
    for (int i = 0; i < 2 && ok; i++)
        ok = take_session(&sides[i], &((struct atf *)c->side[i]->priv)->session);
    if (ok)
        rows = merge(sides, &count);
    if (rows) {
        compare_table(c, "functions", columns);
        for (size_t i = 0; i < count; i++)
            put_row(&c->doc, &rows[i]);
        compare_table_end(c);
        if (sides[0].untimed || sides[1].untimed)
            compare_note(c, "%" PRIu64 " and %" PRIu64 " calls have no return, hence no time",
                         sides[0].untimed, sides[1].untimed);
    }
    free(rows);
    costs_free(&sides[0]);
    costs_free(&sides[1]);
    return rows ? RAS_OK : fail_memory(err);
}
