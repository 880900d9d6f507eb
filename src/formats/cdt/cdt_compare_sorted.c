/* cdt_compare_sorted.c - traces whose rows are in any order: by a sorted list of their ticks.
 *
 * Such traces are legal and rare. Every block is read once to learn where its ticks are,
 * and again when one of them is due; a few blocks are kept. */
#include "base/memory.h"
#include "formats/cdt/cdt_compare_run.h"

#include <stdlib.h>

enum { KEPT = 4 };

struct place {
    int64_t tick;
    uint32_t span, row;
};

struct kept {
    struct cdt_memory memory;
    struct cdt_block block;
    size_t span;
    uint64_t used; /* when; 0: it holds nothing */
};

struct sorted {
    struct place *places;
    size_t count, room, next;
    struct kept kept[KEPT];
    uint64_t clock;
};

static int by_tick(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->tick != y->tick)
        return x->tick < y->tick ? -1 : 1;
    if (x->span != y->span)
        return x->span < y->span ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

/* Of those with one tick the last one stays. */
static void settle(struct sorted *s)
{
    size_t n = 0;
    if (s->count)
        qsort(s->places, s->count, sizeof *s->places, by_tick);
    for (size_t i = 0; i < s->count; i++) {
        bool same = n && s->places[n - 1].tick == s->places[i].tick;
        s->places[same ? n - 1 : n++] = s->places[i];
    }
    s->count = n;
}

static int collect(const struct cdt_run *r, struct cdt_side *side, struct sorted *s,
                   struct ras_error *err)
{
    struct cdt_walk walk = {.side = side, .window = r->window};
    const struct ras_cdt_tick_record *row;
    int status;
    while ((status = cdt_walk_next(&walk, &row, err)) == RAS_OK) {
        if (!array_grow(&s->places, &s->room, s->count + 1, sizeof *s->places)) {
            status = fail_memory(err);
            break;
        }
        s->places[s->count++] =
            (struct place){row->tick_index, (uint32_t)walk.span, (uint32_t)(walk.row - 1)};
    }
    cdt_walk_close(&walk);
    settle(s);
    return status < 0 ? status : RAS_OK;
}

/* The row that is due, from a block that is kept or read again in place of the oldest. */
static int load(struct cdt_side *side, struct sorted *s, const struct ras_cdt_tick_record **row,
                struct ras_error *err)
{
    const struct place *p = &s->places[s->next];
    struct kept *oldest = &s->kept[0], *found = NULL;
    for (int i = 0; i < KEPT; i++) {
        if (s->kept[i].used && s->kept[i].span == p->span)
            found = &s->kept[i];
        if (s->kept[i].used < oldest->used)
            oldest = &s->kept[i];
    }
    if (!found) {
        int status = cdt_side_load(side, p->span, &oldest->memory, &oldest->block, err);
        if (status != RAS_OK)
            return status < 0 ? status
                              : fail(err, RAS_EIO, side->spans[p->span].offset,
                                     "the block changed while it was read");
        oldest->span = p->span;
        found = oldest;
    }
    found->used = ++s->clock;
    *row = &found->block.block.ticks.at[p->row];
    return RAS_OK;
}

static const struct place *at(const struct sorted *s)
{
    return s->next < s->count ? &s->places[s->next] : NULL;
}

/* Of a side that was cut, what is behind its last tick is not known. */
static bool is_over(const struct cdt_run *r, const struct sorted *s)
{
    for (int i = 0; i < 2; i++)
        if (!at(&s[i]) && r->lanes[i].side.lost)
            return true;
    return !at(&s[0]) && !at(&s[1]);
}

static int walk(struct cdt_run *r, struct sorted *s, struct ras_error *err)
{
    while (!is_over(r, s)) {
        const struct ras_cdt_tick_record *rows[2] = {NULL, NULL};
        const struct place *x = at(&s[0]), *y = at(&s[1]);
        bool has[2] = {x && (!y || x->tick <= y->tick), y && (!x || y->tick <= x->tick)};
        for (int i = 0; i < 2; i++) {
            int status = has[i] ? load(&r->lanes[i].side, &s[i], &rows[i], err) : RAS_OK;
            if (status < 0)
                return status;
        }
        bool on = has[0] && has[1] ? cdt_run_compare(r, rows[0], rows[1])
                                   : cdt_run_missing(r, has[0] ? rows[0] : rows[1], has[0]);
        if (r->c->doc.nomem)
            return fail_memory(err);
        if (!on)
            return RAS_OK;
        s[0].next += has[0];
        s[1].next += has[1];
    }
    return RAS_OK;
}

int cdt_compare_sorted(struct cdt_run *r, struct ras_error *err)
{
    struct sorted *s = calloc(2, sizeof *s);
    if (!s)
        return fail_memory(err);
    int status = RAS_OK;
    for (int i = 0; i < 2 && status == RAS_OK; i++)
        status = collect(r, &r->lanes[i].side, &s[i], err);
    if (status == RAS_OK)
        status = walk(r, s, err);
    for (int i = 0; i < 2; i++) {
        free(s[i].places);
        for (int k = 0; k < KEPT; k++)
            cdt_memory_free(&s[i].kept[k].memory);
    }
    free(s);
    return status;
}
