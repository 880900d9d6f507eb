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

/* The comparison, for struct place_walk_ops. */
struct sorted_run {
    struct cdt_comparison *run;
    struct sorted sides[2];
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
static void sort_ticks(struct sorted *s)
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

static int collect_ticks(const struct cdt_comparison *r, struct cdt_side *side, struct sorted *s,
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
    sort_ticks(s);
    return status < 0 ? status : RAS_OK;
}

/* The row at a place, from a block that is kept or read again in place of the oldest. */
static int load_sorted_row(struct cdt_side *side, struct sorted *s, const struct place *p,
                           const struct ras_cdt_tick_record **row, struct ras_error *err)
{
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

static int next_place(void *user, int side, struct ras_error *err)
{
    struct sorted_run *r = user;
    struct sorted *s = &r->sides[side];
    struct cdt_reader *l = &r->run->readers[side];
    l->at = NULL;
    return s->next == s->count ? RAS_END
                               : load_sorted_row(&l->side, s, &s->places[s->next++], &l->at, err);
}

static bool sorted_is_cut(const void *user, int side)
{
    return compare_is_cut(((const struct sorted_run *)user)->run, side);
}

static int sorted_order(const void *user)
{
    const struct sorted_run *r = user;
    const struct sorted *a = &r->sides[0], *b = &r->sides[1];
    int64_t x = a->places[a->next - 1].tick, y = b->places[b->next - 1].tick;
    return x < y ? -1 : x > y;
}

static int lone_row(void *user, int side, struct ras_error *err)
{
    return compare_lone(((struct sorted_run *)user)->run, side, err);
}

static int pair_of_rows(void *user, struct ras_error *err)
{
    return compare_pair(((struct sorted_run *)user)->run, err);
}

static const struct place_walk_ops rows = {
    .next = next_place,
    .is_cut = sorted_is_cut,
    .order = sorted_order,
    .lone = lone_row,
    .pair = pair_of_rows,
};

int cdt_compare_sorted(struct cdt_comparison *r, struct ras_error *err)
{
    struct sorted_run *all = calloc(1, sizeof *all);
    if (!all)
        return fail_memory(err);
    int status = RAS_OK;
    all->run = r;
    for (int i = 0; i < 2 && status == RAS_OK; i++)
        status = collect_ticks(r, &r->readers[i].side, &all->sides[i], err);
    if (status == RAS_OK)
        status = place_walk_run(r->c, &rows, all, err);
    for (int i = 0; i < 2; i++) {
        free(all->sides[i].places);
        for (int k = 0; k < KEPT; k++)
            cdt_memory_free(&all->sides[i].kept[k].memory);
        r->readers[i].at = NULL;
    }
    free(all);
    return status;
}
