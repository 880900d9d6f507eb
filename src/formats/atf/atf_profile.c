/* atf_profile.c - the functions of two sessions side by side: calls, total and self time. */
#include "formats/atf/atf_compare.h"
#include "formats/atf/atf_costs.h"

#include <stdlib.h>

/* One session while it is read. */
struct side {
    struct atf_costs costs;
    const struct atf_process *process;
    uint64_t untimed; /* calls that have no return */
};

/* A function of both sessions. */
struct merged {
    const struct atf_cost *name; /* from the side that has it */
    uint64_t count[2], total_ns[2], self_ns[2];
};

/* ---- one session --------------------------------------------------------------- */

static bool profile_enter(void *user, const struct ras_atf_index_event *event, size_t level)
{
    struct side *s = user;
    struct atf_cost *cost = atf_cost_of(&s->costs, s->process, 0, event->function_id);
    (void)level;
    if (!cost)
        return false;
    cost->count++;
    cost->open++;
    return true;
}

static bool profile_leave(void *user, const struct atf_left_call *call)
{
    struct side *s = user;
    if (call->span->reason == RAS_ATF_NO_CALL)
        return true;
    struct atf_cost *cost = atf_cost_of(&s->costs, s->process, 0, call->span->function_id);
    if (!cost)
        return false;
    atf_cost_take(cost, call);
    s->untimed += !call->time.timed;
    return true;
}

static bool profile_walk_thread(struct atf_call_walk *w, struct ras_atf_session *s,
                                struct atf_thread *t)
{
    struct side *side = w->user;
    side->process = &s->processes[t->process];
    if (!atf_index_ready(s, t))
        return true;
    const uint8_t *at = atf_events(s, t);
    atf_call_walk_thread(w);
    for (uint64_t i = 0; i < t->index.count; i++) {
        struct ras_atf_index_event event = atf_event(at + i * RAS_ATF_INDEX_EVENT_SIZE);
        if (!atf_call_walk_event(w, &event, i))
            return false;
    }
    return atf_call_walk_event(w, NULL, t->index.count);
}

static bool take_session(struct side *side, struct ras_atf_session *s)
{
    struct atf_call_walk w = {.enter = profile_enter, .leave = profile_leave, .user = side};
    bool ok = atf_call_walk_open(&w);
    for (size_t i = 0; ok && i < s->thread_count; i++)
        ok = profile_walk_thread(&w, s, &s->threads[i]);
    atf_call_walk_close(&w);
    return ok;
}

/* ---- both ----------------------------------------------------------------------- */

static int by_text(const char *a, size_t n, const char *b, size_t m)
{
    int order = memcmp(a, b, n < m ? n : m);
    return order ? order : n < m ? -1 : n > m;
}

/* By name; those without one come last, by id. */
static int by_function(const void *a, const void *b)
{
    const struct atf_cost *x = ((const struct merged *)a)->name,
                          *y = ((const struct merged *)b)->name;
    if (x->symbol && y->symbol)
        return by_text(x->symbol->name, x->symbol->name_len, y->symbol->name, y->symbol->name_len);
    if (!x->symbol != !y->symbol)
        return x->symbol ? -1 : 1;
    return x->function_id < y->function_id ? -1 : x->function_id > y->function_id;
}

static int by_id(const void *a, const void *b)
{
    const struct atf_cost *x = ((const struct merged *)a)->name,
                          *y = ((const struct merged *)b)->name;
    return x->function_id < y->function_id ? -1 : x->function_id > y->function_id;
}

static uint64_t difference(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

static int by_self_difference(const void *a, const void *b)
{
    const struct merged *x = a, *y = b;
    uint64_t p = difference(x->self_ns[0], x->self_ns[1]),
             q = difference(y->self_ns[0], y->self_ns[1]);
    if (p != q)
        return p > q ? -1 : 1;
    return by_function(a, b);
}

static void merged_add(struct merged *to, const struct merged *from)
{
    for (int i = 0; i < 2; i++) {
        to->count[i] += from->count[i];
        to->total_ns[i] += from->total_ns[i];
        to->self_ns[i] += from->self_ns[i];
    }
}

/* Merge neighbours that are equal by `order` into one row; returns how many are left. A row that
 * both sides have a name for is not merged by id. */
static size_t merge_rows(struct merged *rows, size_t count,
                         int (*order)(const void *, const void *))
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
        merged_add(&rows[kept], &rows[i]);
    }
    return kept + 1;
}

static struct merged *merge(const struct side *sides, size_t *count)
{
    struct merged *rows = calloc(sides[0].costs.count + sides[1].costs.count + 1, sizeof *rows);
    *count = 0;
    for (int side = 0; rows && side < 2; side++)
        for (size_t i = 0; i < sides[side].costs.count; i++) {
            const struct atf_cost *c = &sides[side].costs.at[i];
            struct merged *row = &rows[(*count)++];
            row->name = c;
            row->count[side] = c->count;
            row->total_ns[side] = c->total_ns;
            row->self_ns[side] = c->self_ns;
        }
    if (rows) {
        *count = merge_rows(rows, *count, by_function);
        *count = merge_rows(rows, *count, by_id);
        if (*count)
            qsort(rows, *count, sizeof *rows, by_self_difference);
    }
    return rows;
}

/* How much larger the second is, in percent and tenths: more digits mean nothing. */
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

static void put_merged_row(struct document *doc, const struct merged *row)
{
    size_t list = document_open(doc, RAS_LIST);
    const struct atf_cost *name = row->name;
    atf_cost_put(doc, name);
    put_difference(doc, row->count);
    put_difference(doc, row->total_ns);
    put_difference(doc, row->self_ns);
    document_close(doc, list);
}

int atf_profile(struct compare *c, struct ras_error *err)
{
    static const char *const columns[] = {
        "function",      "module",         "count",           "count_actual",    "count_change",
        "count_percent", "total_ns",       "total_actual_ns", "total_change_ns", "total_percent",
        "self_ns",       "self_actual_ns", "self_change_ns",  "self_percent",    NULL};
    struct side sides[2] = {0};
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
            put_merged_row(&c->doc, &rows[i]);
        compare_table_end(c);
        if (sides[0].untimed || sides[1].untimed)
            compare_note(c, "%" PRIu64 " and %" PRIu64 " calls have no return and no time",
                         sides[0].untimed, sides[1].untimed);
    }
    free(rows);
    atf_costs_free(&sides[0].costs);
    atf_costs_free(&sides[1].costs);
    return rows ? RAS_OK : fail_memory(err);
}
