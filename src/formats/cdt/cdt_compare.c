/* cdt_compare.c - compares two traces tick by tick and reads only the blocks that can differ.
 *
 * Blocks with equal headers (checksum, length, ticks) are taken as equal and not even decompressed.
 * This is done only if the index has neither gaps nor duplicates, because compared ticks must still
 * be counted. The other blocks are decoded by two threads while this one compares. If rows turn out
 * not to ascend, everything is compared again by compare_sorted(). */
#include "formats/cdt/cdt_compare.h"
#include "base/memory.h"
#include "formats/cdt/cdt_side.h"
#include "formats/cdt/cdt_strict.h"
#include "ops/compare/place_walk.h"

#include <stdlib.h>
#include <string.h>

/* Rows do not ascend: they must be sorted first. */
enum { CDT_DISORDER = 100 };

/* One side: the blocks to read, and the current row. */
struct cdt_reader {
    struct cdt_side side;
    size_t *due; /* indexes of spans, in order */
    size_t due_count;
    struct cdt_ahead *ahead;
    const struct cdt_block *block;
    size_t row;
    const struct ras_cdt_tick_record *at; /* NULL: there are no more rows */
    bool ended;
};

struct cdt_comparison {
    struct compare *c;
    struct cdt_window window;
    struct cdt_reader readers[2];
    size_t *skipped, *skipped_other; /* indexes of spans that were skipped, of the first side and of
                                        the second */
    size_t skipped_count;
    struct cdt_projection projection;
    struct cdt_diff diff;
    struct document scratch; /* details after the first divergence */
    struct sorted *sorted;   /* of both sides, while rows in any order are compared */
};

static struct ras_value tick_value(const struct ras_cdt_tick_record *row)
{
    return row->node.wide & 1 ? value_of_uint((uint64_t)row->tick_index)
                              : value_of_int(row->tick_index);
}

/* Whether the first difference of each channel is wanted, which needs the whole range. */
static bool wants_firsts(const struct compare *c)
{
    return compare_chose(c, "per-channel") ||
           (c->options->compat && cdt_model_in(c->side[0])->container == 2);
}

/* Those, or what container 2 has as a diagnostic: NULL where there is neither, or no memory. */
static int open_firsts(struct cdt_comparison *r, struct ras_error *err)
{
    bool wanted = wants_firsts(r->c);
    cdt_firsts_free(r->diff.firsts);
    r->diff.firsts = NULL;
    if (!wanted && cdt_model_in(r->c->side[0])->container != 2)
        return RAS_OK;
    r->diff.firsts = cdt_firsts_new(wanted);
    return r->diff.firsts ? RAS_OK : fail_memory(err);
}

static enum cdt_want want(const struct compare *c, const char *channel)
{
    return compare_wants(c->options, channel) ? CDT_WANT_ALL : CDT_WANT_NOTHING;
}

static int compare_open(struct cdt_comparison *r, struct ras_error *err)
{
    struct compare *c = r->c;
    const struct cdt_wants wants = {want(c, "checkpoint"),     want(c, "sim_state"),
                                    want(c, "entity_samples"), want(c, "rng_stream"),
                                    want(c, "timing_samples"), want(c, "replay_step")};
    const struct cdt_model *model = cdt_model_in(c->side[0]);
    cdt_project(&r->projection, model, &wants);
    const struct cdt_struct *as = c->options->channel_count ? &r->projection.block : model->block;
    int status = cdt_same_identity(c->side, c->options->compat, err);
    for (int i = 0; i < 2 && status == RAS_OK; i++)
        status = cdt_side_open(&r->readers[i].side, c->side[i], as, c->options->compat, err);
    if (status < 0)
        return status;
    cdt_side_order(&r->readers[0].side);
    cdt_side_order(&r->readers[1].side);
    r->diff = (struct cdt_diff){.options = c->options,
                                .model = model,
                                .doc = &c->doc,
                                .brief = compare_counts(c),
                                .masked = cdt_masks(&r->readers[0].side, &r->readers[1].side)};
    c->out->own_schema_2 = c->options->compat && model->container == 2;
    return open_firsts(r, err);
}

/* ---- which blocks to read ---------------------------------------------------- */

static bool heads_equal(const struct cdt_side *a, size_t i, const struct cdt_side *b, size_t k)
{
    struct ras_cdt_chunk x, y;
    return a->spans[i].first == b->spans[k].first && a->spans[i].last == b->spans[k].last &&
           ras_cdt_chunk_get(a->file, a->spans[i].offset, &x, NULL) == RAS_OK &&
           ras_cdt_chunk_get(b->file, b->spans[k].offset, &y, NULL) == RAS_OK &&
           x.checksum64 == y.checksum64 && x.uncompressed_len == y.uncompressed_len &&
           x.flags & y.flags & RAS_CDT_FLAG_MSGPACK;
}

static uint64_t ticks_in(const struct cdt_window *w, const struct cdt_span *s)
{
    int64_t first = w->has_first && w->first > s->first ? w->first : s->first;
    int64_t last = w->has_last && w->last < s->last ? w->last : s->last;
    return (uint64_t)(last - first) + 1;
}

/* Selects the spans in the window, except those that are equal on both sides. */
static int choose_blocks(struct cdt_comparison *r, struct ras_error *err)
{
    struct cdt_side *a = &r->readers[0].side, *b = &r->readers[1].side;
    bool may_skip = a->exact && b->exact && !r->c->options->paranoid && !wants_firsts(r->c);
    for (int i = 0; i < 2; i++) {
        r->readers[i].due = calloc(r->readers[i].side.count + 1, sizeof *r->readers[i].due);
        if (!r->readers[i].due)
            return fail_memory(err);
    }
    r->skipped = calloc(a->count + 1, sizeof *r->skipped);
    r->skipped_other = calloc(a->count + 1, sizeof *r->skipped_other);
    if (!r->skipped || !r->skipped_other)
        return fail_memory(err);
    size_t i = 0, k = 0;
    while (i < a->count || k < b->count) {
        bool both = i < a->count && k < b->count;
        if (may_skip && both && heads_equal(a, i, b, k)) {
            if (window_meets(&r->window, &a->spans[i])) {
                r->skipped[r->skipped_count] = i;
                r->skipped_other[r->skipped_count++] = k;
            }
            i++;
            k++;
            continue;
        }
        /* The span that begins first cannot overlap a later one of the other side. */
        bool left = i < a->count && (!both || a->spans[i].first <= b->spans[k].first);
        bool right = k < b->count && (!both || b->spans[k].first <= a->spans[i].first);
        if (left && window_meets(&r->window, &a->spans[i]))
            r->readers[0].due[r->readers[0].due_count++] = i;
        if (right && window_meets(&r->window, &b->spans[k]))
            r->readers[1].due[r->readers[1].due_count++] = k;
        i += left;
        k += right;
    }
    return RAS_OK;
}

/* ---- rows -------------------------------------------------------------------- */

/* Whether the rows ascend (equal ticks are allowed) and lie within their span of the index. */
static bool is_ordered(const struct ras_cdt_tick_block *b, const struct cdt_span *span)
{
    int64_t last = span->first;
    for (size_t i = 0; i < b->ticks.count; i++) {
        int64_t tick = b->ticks.at[i].tick_index;
        if (tick < last || tick > span->last)
            return false;
        last = tick;
    }
    return true;
}

static int compare_next_block(struct cdt_reader *l, struct ras_error *err)
{
    struct ras_error ours;
    size_t span = 0;
    l->row = 0;
    int status = cdt_ahead_next(l->ahead, &l->block, &span, &ours);
    if (status < 0)
        return cdt_side_explain(&l->side, span, status, &ours, err);
    if (status == RAS_OK && l->side.strict) {
        status = cdt_side_rules(&l->side, span, l->block, err);
        if (status < 0)
            return status;
    }
    if (status == RAS_OK && !is_ordered(&l->block->block, &l->side.spans[span]))
        return CDT_DISORDER;
    return status;
}

/* Goes to the next row in the window; of several rows with one tick, to the last. */
static int compare_next_row(void *user, int side, struct ras_error *err)
{
    struct cdt_comparison *r = user;
    struct cdt_reader *l = &r->readers[side];
    l->at = NULL;
    while (!l->ended) {
        const struct ras_cdt_tick_block *b = l->block ? &l->block->block : NULL;
        while (b && l->row < b->ticks.count) {
            const struct ras_cdt_tick_record *row = &b->ticks.at[l->row++];
            if (!window_holds(&r->window, row->tick_index))
                continue;
            if (l->row < b->ticks.count && b->ticks.at[l->row].tick_index == row->tick_index)
                continue;
            l->at = row;
            return RAS_OK;
        }
        int status = compare_next_block(l, err);
        if (status < 0 || status == CDT_DISORDER)
            return status;
        l->ended = status == RAS_END;
    }
    return RAS_END;
}

/* ---- the walk: see struct place_walk_ops ------------------------------------- */

/* Whether the first divergence is known and no other is listed. */
static bool is_decided(const struct cdt_comparison *r)
{
    return wants_firsts(r->c) && r->c->out->divergence_count && !r->c->options->keep_going;
}

static void count_tick(struct cdt_comparison *r)
{
    r->c->out->compared++;
    r->c->out->checked += !is_decided(r);
}

/* Of the current rows of the readers: see struct place_walk_ops. With `compat` the side that lacks
 * the tick is not reported: the reference tool does not report it. */
static int compare_lone(void *user, int side, struct ras_error *err)
{
    struct cdt_comparison *r = user;
    struct document *d = &r->c->doc;
    size_t detail = COMPARE_NO_DETAIL;
    (void)err;
    count_tick(r);
    if (r->diff.firsts)
        cdt_firsts_missing(r->diff.firsts, r->readers[side].at->tick_index);
    if (is_decided(r))
        return RAS_OK;
    if (!r->c->options->compat && compare_wants_detail(r->c)) {
        detail = document_open(d, RAS_MAP);
        document_put_name(d, "missing_in", side ? "expected" : "actual");
        document_close(d, detail);
    }
    const struct ras_value tick = tick_value(r->readers[side].at);
    return compare_diverged(r->c, "missing_tick", tick, detail) || wants_firsts(r->c) ? RAS_OK
                                                                                      : RAS_END;
}

static int compare_pair(void *user, struct ras_error *err)
{
    struct cdt_comparison *r = user;
    const struct ras_cdt_tick_record *a = r->readers[0].at, *b = r->readers[1].at;
    size_t detail;
    (void)err;
    count_tick(r);
    if (is_decided(r)) {
        document_cut(&r->scratch, 0);
        arena_reset(&r->scratch.texts);
        r->diff.doc = &r->scratch;
        (void)cdt_differ(&r->diff, a, b);
        r->c->doc.cells.nomem |= r->scratch.cells.nomem;
        return RAS_OK;
    }
    r->diff.doc = compare_detail_open(r->c, &detail);
    bool differs = cdt_differ(&r->diff, a, b);
    detail = compare_detail_close(r->c, r->diff.doc, detail, differs);
    if (!differs)
        return RAS_OK;
    bool on = compare_diverged(r->c, "tick_mismatch", tick_value(a), detail);
    compare_amount(r->c, r->diff.amount);
    return on || wants_firsts(r->c) ? RAS_OK : RAS_END;
}

static bool compare_is_cut(const void *user, int side)
{
    const struct cdt_comparison *r = user;
    return r->readers[side].side.lost;
}

static int compare_order(const void *user)
{
    const struct cdt_comparison *r = user;
    int64_t a = r->readers[0].at->tick_index, b = r->readers[1].at->tick_index;
    return a < b ? -1 : a > b;
}

static uint64_t compare_progress(const void *user, uint64_t *total)
{
    const struct cdt_comparison *r = user;
    const struct cdt_reader *l = &r->readers[0];
    *total = l->side.count ? (uint64_t)l->side.spans[l->side.count - 1].last : 0;
    return l->at ? (uint64_t)l->at->tick_index : *total;
}

static const struct place_walk_ops ticks = {
    .next = compare_next_row,
    .is_cut = compare_is_cut,
    .order = compare_order,
    .lone = compare_lone,
    .pair = compare_pair,
    .progress = compare_progress,
};

/* After the first divergence: if the index has gaps or duplicates, a later block might hold rows of
 * earlier ticks, and of these the last one counts. So all remaining blocks are checked for order.
 * Blocks that cannot be read are ignored here. */
static int check_later_order(struct cdt_comparison *r)
{
    for (int i = 0; i < 2; i++) {
        struct cdt_reader *l = &r->readers[i];
        int status = l->side.exact || l->ended ? RAS_END : RAS_OK;
        const struct cdt_block *block;
        size_t span;
        while (status == RAS_OK) {
            status = cdt_ahead_next(l->ahead, &block, &span, NULL);
            if (status == RAS_OK && !is_ordered(&block->block, &l->side.spans[span]))
                return CDT_DISORDER;
        }
    }
    return RAS_OK;
}

/* Ticks of skipped blocks count as compared, up to the first divergence. */
static void count_skipped(struct cdt_comparison *r)
{
    const struct ras_diff *out = r->c->out;
    const struct cdt_side *a = &r->readers[0].side;
    bool stopped = out->divergence_count && !r->c->options->keep_going;
    for (size_t i = 0; i < r->skipped_count; i++) {
        const struct cdt_span *s = &a->spans[r->skipped[i]];
        if (!stopped || s->last < out->divergences[0].at[0].value.i)
            r->c->out->checked += ticks_in(&r->window, s);
    }
}

/* Reads blocks in two threads, each reading one half; notes the first block that cannot be read. */
static int read_blocks(struct cdt_side *s, const size_t *spans, size_t count, struct ras_error *err)
{
    size_t half = count / 2, first = SIZE_MAX;
    struct cdt_ahead *ahead[2] = {NULL, NULL};
    struct ras_error ours, why;
    int read[2] = {RAS_OK, RAS_OK};
    int status = cdt_ahead_open(&ahead[0], s, spans, half, err);
    if (status == RAS_OK)
        status = cdt_ahead_open(&ahead[1], s, spans + half, count - half, err);
    while (status == RAS_OK && (read[0] == RAS_OK || read[1] == RAS_OK))
        for (int i = 0; i < 2; i++) {
            const struct cdt_block *block;
            size_t span = 0;
            if (read[i] != RAS_OK)
                continue;
            read[i] = cdt_ahead_next(ahead[i], &block, &span, &ours);
            if (read[i] == RAS_EMEMORY)
                status = fail_memory(err);
            else if (read[i] < 0 && span < first) {
                first = span;
                why = ours;
            }
        }
    if (status == RAS_OK && first != SIZE_MAX)
        cdt_side_damaged(s, first, why.text);
    cdt_ahead_close(ahead[0]);
    cdt_ahead_close(ahead[1]);
    return status;
}

static bool same_bytes(const struct cdt_comparison *r, size_t i)
{
    const struct cdt_side *a = &r->readers[0].side, *b = &r->readers[1].side;
    uint64_t x = a->spans[r->skipped[i]].offset, y = b->spans[r->skipped_other[i]].offset;
    struct ras_cdt_chunk chunk, other;
    return ras_cdt_chunk_get(a->file, x, &chunk, NULL) == RAS_OK &&
           ras_cdt_chunk_get(b->file, y, &other, NULL) == RAS_OK &&
           chunk.compressed_len == other.compressed_len &&
           !memcmp(a->file.at + x, b->file.at + y, (size_t)cdt_chunk_size(&chunk));
}

/* Nothing differs. For the skipped blocks this holds only if they match their headers: the blocks
 * of one side are read, those of the other too if their bytes differ. Damage that both sides share
 * is not a difference, but what the block held is unknown, so it is noted. */
static int check_skipped(struct cdt_comparison *r, struct ras_error *err)
{
    size_t others = 0;
    struct cdt_reader *a = &r->readers[0], *b = &r->readers[1];
    int status = read_blocks(&a->side, r->skipped, r->skipped_count, err);
    for (size_t i = 0; i < r->skipped_count; i++) {
        bool same = same_bytes(r, i);
        if (same && a->side.damaged && a->side.damaged_span == r->skipped[i])
            cdt_side_damaged(&b->side, r->skipped_other[i], r->c->side[0]->ending.why);
        if (!same)
            r->skipped_other[others++] = r->skipped_other[i];
    }
    if (status == RAS_OK && others)
        status = read_blocks(&b->side, r->skipped_other, others, err);
    return status;
}

static int start_reading(struct cdt_comparison *r, struct ras_error *err)
{
    for (int i = 0; i < 2; i++) {
        struct cdt_reader *l = &r->readers[i];
        int status = cdt_ahead_open(&l->ahead, &l->side, l->due, l->due_count, err);
        if (status < 0)
            return status;
    }
    return RAS_OK;
}

/* ---- rows in any order --------------------------------------------------------- */

/* Such traces are legal and rare. Every block is read once to find its ticks, and again when one of
 * them is needed; a few blocks are cached. */
enum { KEPT = 4 };

struct place {
    int64_t tick;
    uint32_t span, row;
};

struct kept {
    struct cdt_memory memory;
    struct cdt_block block;
    size_t span;
    uint64_t used; /* when it was last used; 0: empty */
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

/* Of several rows with one tick the last one is kept. */
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

/* Gets a row from a cached block, or reads its block in place of the least recently used one. */
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
    struct cdt_comparison *r = user;
    struct sorted *s = &r->sorted[side];
    struct cdt_reader *l = &r->readers[side];
    l->at = NULL;
    return s->next == s->count ? RAS_END
                               : load_sorted_row(&l->side, s, &s->places[s->next++], &l->at, err);
}

static const struct place_walk_ops sorted_ticks = {
    .next = next_place,
    .is_cut = compare_is_cut,
    .order = compare_order,
    .lone = compare_lone,
    .pair = compare_pair,
};

/* The comparison of traces whose rows are in any order. */
static int compare_sorted(struct cdt_comparison *r, struct ras_error *err)
{
    int status = RAS_OK;
    r->sorted = calloc(2, sizeof *r->sorted);
    if (!r->sorted)
        return fail_memory(err);
    for (int i = 0; i < 2 && status == RAS_OK; i++)
        status = collect_ticks(r, &r->readers[i].side, &r->sorted[i], err);
    if (status == RAS_OK)
        status = place_walk_run(r->c, &sorted_ticks, r, err);
    for (int i = 0; i < 2; i++) {
        free(r->sorted[i].places);
        for (int k = 0; k < KEPT; k++)
            cdt_memory_free(&r->sorted[i].kept[k].memory);
        r->readers[i].at = NULL;
    }
    free(r->sorted);
    return status;
}

/* Both METAs state a schema, and neither's is known. */
static bool is_untyped(const struct compare *c)
{
    const struct cdt_trace *a = c->side[0]->priv, *b = c->side[1]->priv;
    return !c->options->compat && !a->no_meta && !b->no_meta && !a->meta.typed && !b->meta.typed;
}

/* Ticks of a schema that is not known, member by member. */
static int compare_untyped(struct compare *c, struct ras_error *err)
{
    const struct cdt_trace *cdt = c->side[0]->priv;
    int status = cdt_same_identity(c->side, false, err);
    if (status < 0)
        return status;
    if (c->options->channel_count || compare_chose(c, "per-channel"))
        return fail(err, RAS_EUNSUPPORTED, RAS_NONE,
                    "the channels of trace schema version %" PRId64 " are not known",
                    cdt->meta.meta.trace_schema_version);
    compare_note(c, "trace schema version %" PRId64 " is not known: ticks are compared untyped",
                 cdt->meta.meta.trace_schema_version);
    return compare_by_tick(c, err);
}

static int compare_run(struct compare *c, struct ras_error *err)
{
    struct cdt_comparison *r = c->priv;
    const struct ras_compare_options *o = c->options;
    if (is_untyped(c))
        return compare_untyped(c, err);
    r->c = c;
    r->window = (struct cdt_window){o->has_first, o->has_last, o->first, o->last};
    int status = compare_open(r, err);
    if (status < 0)
        return status;
    if (r->readers[0].side.ordered && r->readers[1].side.ordered) {
        status = choose_blocks(r, err);
        if (status == RAS_OK)
            status = start_reading(r, err);
        if (status == RAS_OK)
            status = place_walk_run(c, &ticks, r, err);
        if (status == RAS_OK && c->out->divergence_count && !o->keep_going && !wants_firsts(c))
            status = check_later_order(r);
        if (status == RAS_OK)
            count_skipped(r);
        if (status == RAS_OK && !c->out->divergence_count && !compare_chose(c, "trust-checksums") &&
            !o->compat)
            status = check_skipped(r, err);
    } else {
        status = CDT_DISORDER;
    }
    if (status == CDT_DISORDER) {
        compare_forget(c);
        c->out->compared = 0;
        status = open_firsts(r, err);
        if (status == RAS_OK)
            status = compare_sorted(r, err);
    }
    if (status == RAS_OK && c->out->own_schema_2 && !c->out->compared)
        status = fail(err, RAS_EREFUSED, RAS_NONE, "trace comparison window contains no ticks");
    if (status == RAS_OK && r->diff.firsts)
        cdt_firsts_put(r->diff.firsts, c);
    for (int i = 0; i < 2; i++)
        c->out->endings[i] = c->side[i]->ending;
    return status;
}

static void compare_stop(struct compare *c)
{
    struct cdt_comparison *r = c->priv;
    for (int i = 0; i < 2; i++) {
        cdt_ahead_close(r->readers[i].ahead);
        cdt_side_close(&r->readers[i].side);
        free(r->readers[i].due);
    }
    free(r->skipped);
    free(r->skipped_other);
    cdt_firsts_free(r->diff.firsts);
    document_free(&r->scratch);
    cdt_diff_free(&r->diff);
}

const struct compare_ops cdt_compare = {
    .details = cdt_details,
    .key = "tick_index",
    .word = "tick",
    .line = "state",
    .maker = "CDT",
    .activity = {"rng", NULL, "random numbers"},
    .takes = COMPARE_RANGE | COMPARE_CHANNELS | COMPARE_PATHS,
    .channels = cdt_channels,
    .channel_types = (const char *const[]){"checkpoint", "rng", "sim_state",
                                           "creature projectile secondary_projectile bonus",
                                           "timing", "replay_step"},
    .bare_nan = true,
    .size = sizeof(struct cdt_comparison),
    .run = compare_run,
    .stop = compare_stop,
    .paths = cdt_paths,
    .inspections = cdt_inspections,
};
