/* reduce_base.c - what is left, copied, once it is much less than the trace.
 *
 * Every candidate is a walk over all of its source. So when a quarter is left, candidates are
 * written from a copy of that quarter: the same bytes, sooner. A copy whose records are not those
 * that are left, one by one, is not used, nor any where records bring others along. */
#include "ops/reduce/reducer.h"
#include "ops/rewrite/rewriter.h"

#include <stdlib.h>

enum { QUARTER = 4, COPY_MOST = 64 << 20 };

static int write_copy(struct ras_reduce *r, struct reduce_base *b)
{
    struct ras_rewritten *made;
    int status = ras_rewrite_is_folder(r->trace) ? ras_folder_memory(&b->folder, NULL)
                                                 : ras_sink_memory(&b->sink, NULL);
    if (status < 0)
        return status;
    const struct ras_rewrite_options how = {.sink = b->sink, .folder = b->folder};
    status = ras_reduce_write(r, NULL, &how, &made, NULL);
    if (status == RAS_OK)
        ras_rewritten_free(made);
    return status;
}

static int open_copy(const struct ras_reduce *r, struct reduce_base *b)
{
    const struct ras_options options = {.format = r->trace->format->about.name,
                                        .limits = r->trace->limits};
    size_t count;
    if (b->sink) {
        struct ras_bytes bytes = ras_sink_bytes(b->sink);
        return ras_open_memory(&b->trace, bytes.at, bytes.len, &options, NULL);
    }
    const struct ras_part *parts = ras_folder_parts(b->folder, &count);
    return ras_open_parts(&b->trace, parts, count, &options, NULL);
}

/* Whether the units of the copy are those that are left. */
static bool is_same(const struct ras_reduce *r, const struct ras_reduce *copy)
{
    size_t k = 0;
    for (size_t i = 0; i < r->unit_count; i++) {
        if (r->gone[i])
            continue;
        if (k == copy->unit_count || copy->units[k].count != r->units[i].count ||
            copy->units[k].mark != r->units[i].mark)
            return false;
        k++;
    }
    return k == copy->unit_count;
}

static bool adopt(struct ras_reduce *r, struct reduce_base *b)
{
    struct ras_reduce copy = {.trace = b->trace};
    bool same = reduce_collect(&copy, NULL) == RAS_OK && is_same(r, &copy);
    for (size_t i = 0, k = 0; same && i < r->unit_count; i++)
        if (!r->gone[i])
            r->units[i].from = copy.units[k++].from;
    free(copy.units);
    return same;
}

void reduce_base_drop(struct reduce_base *b)
{
    ras_close(b->trace);
    ras_sink_drop(b->sink);
    ras_folder_drop(b->folder);
    *b = (struct reduce_base){0};
}

void reduce_rebase(struct ras_reduce *r)
{
    if (rewrite_ops_of(r->trace->format)->needs_all) /* what comes along may stand elsewhere then */
        return;
    if (!r->left || r->left > r->base_records / QUARTER || r->base_bytes < r->copy_least ||
        r->base_bytes / r->base_records > COPY_MOST / r->left)
        return;
    struct reduce_base b = {0};
    r->base_records = r->left; /* if it does not work now, not before another quarter */
    if (write_copy(r, &b) != RAS_OK || open_copy(r, &b) < 0 || !adopt(r, &b)) {
        reduce_base_drop(&b);
        return;
    }
    reduce_base_drop(&r->base);
    r->base = b;
    r->base_bytes = ras_size(b.trace);
}
