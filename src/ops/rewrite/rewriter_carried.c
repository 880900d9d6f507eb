/* rewriter_carried.c - traces of other formats inside the sources are rewritten with them.
 *
 * Each is rewritten as a trace of its own: all of it, or the same range of time. Several that get
 * the same name are joined. */
#include "base/memory.h"
#include "core/format.h"
#include "ops/rewrite/rewriter.h"

#include <stdlib.h>
#include <string.h>

/* One of them. */
struct piece {
    char *name; /* in the target */
    size_t number, source, part;
    struct ras_trace *trace; /* NULL: not open, empty or unreadable */
};

struct pieces {
    struct piece *at;
    size_t count, room;
};

static void free_pieces(struct pieces *p)
{
    for (size_t i = 0; i < p->count; i++)
        free(p->at[i].name);
    free(p->at);
}

static int by_name(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : (x->number > y->number) - (x->number < y->number);
}

static int find_pieces(struct walker *w, struct pieces *p, struct ras_error *err)
{
    for (size_t i = 0; i < w->rw.count; i++) {
        size_t source = w->rw.order[i];
        const struct ras_trace *t = w->rw.sources[source];
        for (size_t k = carried_next(t, 0); k != SIZE_MAX; k = carried_next(t, k + 1)) {
            char *name = w->ops->carry_name(&w->rw, source, k);
            if (!name || !array_grow(&p->at, &p->room, p->count + 1, sizeof *p->at)) {
                free(name);
                return fail_memory(err);
            }
            p->at[p->count] = (struct piece){.name = name, p->count, source, k, NULL};
            p->count++;
        }
    }
    if (p->count)
        qsort(p->at, p->count, sizeof *p->at, by_name);
    return RAS_OK;
}

/* ---- opening -------------------------------------------------------------------------- */

static void note_ending(struct walker *w, const struct piece *p, struct ras_ending e)
{
    e.part = (uint32_t)p->part;
    walker_note_ending(w, p->source, &e);
}

/* One that cannot be read is left out; that becomes the ending of its source. */
static int open_piece(struct walker *w, struct piece *p, struct ras_error *err)
{
    struct ras_error why = {0};
    int status = carried_open(&p->trace, w->rw.sources[p->source], p->part, &why);
    if (status == RAS_EMEMORY)
        return fail_memory(err);
    if (status < 0)
        note_ending(w, p,
                    (struct ras_ending){.kind = RAS_DAMAGED,
                                        .offset = why.offset == RAS_NONE ? 0 : why.offset,
                                        .why = why.text});
    return RAS_OK;
}

/* Whether it has a record in range; if not, its ending is noted here. */
static int has_any(struct walker *w, const struct piece *p, bool *any, struct ras_error *err)
{
    const struct ras_rewrite_options *o = w->rw.options;
    const struct ras_scan scan = {
        .axis = o->axis, .from = o->from, .to = o->to, .headers_only = true};
    struct ras_cursor *c;
    const struct ras_record *r;
    int status = ras_cursor_open(&c, p->trace, &scan, err);
    if (status < 0)
        return status;
    while ((status = walk_next(p->trace, c, &r, err)) == RAS_OK && r->schema == RAS_SCHEMA_GAP)
        ;
    ras_cursor_close(c);
    *any |= status == RAS_OK;
    if (status == RAS_END)
        note_ending(w, p, ras_ending(p->trace));
    return status < 0 ? status : RAS_OK;
}

/* ---- writing -------------------------------------------------------------------------- */

static uint64_t sum_of(const struct ras_count *counts, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += counts[i].records;
    return sum;
}

static int add_carried(struct walker *w, const char *name, const char *format, uint64_t records,
                       struct ras_error *err)
{
    struct ras_rewritten *out = w->rw.out;
    char *copy = text_copy(name, strlen(name));
    if (!copy || !array_grow(&out->carried, &w->rw.carried_room, out->carried_count + 1,
                             sizeof *out->carried)) {
        free(copy);
        return fail_memory(err);
    }
    out->carried[out->carried_count++] =
        (struct ras_carried){.name = copy, .format = format, .records = records};
    return RAS_OK;
}

/* The traces of one file; `from` is the piece of each. */
static int write_file(struct walker *w, const struct piece *pieces, struct ras_trace *const *traces,
                      const size_t *from, size_t count, uint64_t *records, struct ras_error *err)
{
    const struct ras_rewrite_options *o = w->rw.options;
    struct ras_rewrite_options how = {
        .axis = o->axis, .from = o->from, .to = o->to, .bare = o->bare};
    struct ras_rewritten *r = NULL;
    int status = ras_folder_sink(w->rw.folder, pieces->name, &how.sink, err);
    if (status == RAS_OK)
        status = ras_rewrite(&r, traces, count, &how, err);
    if (status == RAS_OK)
        status = ras_folder_finish(w->rw.folder, how.sink, err);
    if (status == RAS_OK) {
        *records = sum_of(r->kept, r->kept_count) + sum_of(r->companions, r->companion_count);
        w->ops->carried(&w->rw, pieces->source, pieces->part, *records);
        note_ending(w, &pieces[from[r->ending_source]], r->ending);
        for (size_t i = 0; i < r->note_count; i++)
            rewrite_note(&w->rw, "%s: %s", pieces->name, r->notes[i]);
        status = add_carried(w, pieces->name, traces[0]->format->about.name, *records, err);
    }
    ras_rewritten_free(r);
    return status;
}

/* After all of them were copied: check that it is all that their recorders stored. */
static void check_promise(struct walker *w, const struct piece *pieces, size_t count,
                          uint64_t records)
{
    uint64_t promised = 0;
    char why[120];
    for (size_t i = 0; i < count; i++) {
        uint64_t n = carried_promised(w->rw.sources[pieces[i].source], pieces[i].part);
        promised += n == RAS_NONE ? 0 : n;
    }
    if (!w->rw.whole || records >= promised)
        return;
    snprintf(why, sizeof why,
             "holds %" PRIu64 " of the %" PRIu64 " records that its recorder stored", records,
             promised);
    const struct source *s = w->rw.sources[pieces->source]->source;
    uint64_t size = source_bytes(s, pieces->part).len;
    note_ending(w, pieces,
                (struct ras_ending){.kind = RAS_CUT, .offset = size, .size = size, .why = why});
}

/* Write the pieces of one file. */
static int carry(struct walker *w, struct piece *pieces, size_t count, struct ras_error *err)
{
    struct ras_trace **traces = calloc(count, sizeof(struct ras_trace *));
    size_t *from = calloc(count, sizeof *from), n = 0;
    uint64_t records = 0;
    int status = traces && from ? RAS_OK : fail_memory(err);
    for (size_t i = 0; status == RAS_OK && i < count; i++) {
        bool found = false;
        status = open_piece(w, &pieces[i], err);
        if (status == RAS_OK && pieces[i].trace)
            status = has_any(w, &pieces[i], &found, err);
        if (found) {
            from[n] = i;
            traces[n++] = pieces[i].trace;
        }
    }
    for (size_t i = 0; status == RAS_OK && i < count; i++)
        w->ops->carried(&w->rw, pieces[i].source, pieces[i].part, 0);
    if (status == RAS_OK && n)
        status = write_file(w, pieces, traces, from, n, &records, err);
    if (status == RAS_OK)
        check_promise(w, pieces, count, records);
    for (size_t i = 0; i < count; i++)
        ras_close(pieces[i].trace);
    free((void *)traces);
    free(from);
    return status;
}

/* Types, streams and numbers are requested of the trace around them. */
static bool is_for_them(const struct rewrite *rw)
{
    const struct ras_rewrite_options *o = rw->options;
    return rw->folder && !o->type_count && !o->stream_count &&
           (o->axis == RAS_AXIS_NONE || o->axis == RAS_AXIS_TIME);
}

int walker_carry(struct walker *w, struct ras_error *err)
{
    struct pieces p = {0};
    if (!w->ops->carry_name)
        return RAS_OK;
    int status = find_pieces(w, &p, err);
    if (!is_for_them(&w->rw)) {
        w->rw.out->carried_left = p.count;
        for (size_t i = 0; i < p.count; i++)
            w->ops->carried(&w->rw, p.at[i].source, p.at[i].part, 0);
    } else {
        for (size_t i = 0, n; status == RAS_OK && i < p.count; i += n) {
            for (n = 1; i + n < p.count && !strcmp(p.at[i].name, p.at[i + n].name);)
                n++;
            status = carry(w, &p.at[i], n, err);
        }
    }
    free_pieces(&p);
    return status;
}
