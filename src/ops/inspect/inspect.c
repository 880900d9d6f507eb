/* inspect.c - inspect one trace (focus, tick, entity, query, health), by the format's row. */
#include "base/error.h"
#include "core/format.h"
#include "ops/compare/diff.h"

#include <stdlib.h>

struct held {
    struct ras_inspection seen;
    struct document doc;
};

static const char *const names[] = {"focus", "tick", "entity", "query", "health"};

/* What the traces do have, after what they lack. */
static int with_extent(struct ras_trace *t, struct ras_trace *other, const char *word,
                       struct ras_error *err)
{
    struct ras_error why = {0};
    char sides[2][64] = {"", ""};
    if (!err)
        return RAS_ENOTHING;
    why = *err;
    int status = extent_text(t, word, sides[0], sizeof sides[0], err);
    if (status == RAS_OK && other)
        status = extent_text(other, word, sides[1], sizeof sides[1], err);
    if (status < 0)
        return status;
    return fail(err, RAS_ENOTHING, RAS_NONE,
                other ? "%.100s: expected has %s, actual %s" : "%.100s: the trace has %s%s",
                why.text, sides[0], sides[1]);
}

int ras_inspect(struct ras_inspection **out, struct ras_trace *t, struct ras_trace *other,
                const struct ras_inspect_options *options, struct ras_error *err)
{
    *out = NULL;
    if (other && other->format != t->format)
        return fail(err, RAS_EUSAGE, RAS_NONE, "different formats: %s and %s",
                    t->format->about.name, other->format->about.name);
    const struct compare_ops *ops = t->format->compare;
    if (!ops || !ops->inspect)
        return fail(err, RAS_EUNSUPPORTED, RAS_NONE, "there is no %s for %s traces",
                    names[options->kind], t->format->about.name);
    struct held *held = calloc(1, sizeof *held);
    if (!held)
        return fail_memory(err);
    held->seen.details = ops->details;
    held->seen.bare_nan = ops->bare_nan && options->compat;
    int status = source_whole(t->source, err);
    if (status == RAS_OK && other)
        status = source_whole(other->source, err);
    if (status == RAS_OK)
        status = ops->inspect(t, other, options, &held->doc, &held->seen, err);
    if (status == RAS_ENOTHING)
        status = with_extent(t, other, ops->word, err);
    if (status == RAS_OK && held->doc.cells.nomem)
        status = fail_memory(err);
    if (status < 0) {
        ras_inspection_free(&held->seen);
        return status;
    }
    held->seen.value = held->doc.cells.items;
    *out = &held->seen;
    return RAS_OK;
}

void ras_inspection_free(struct ras_inspection *seen)
{
    struct held *held = (struct held *)seen;
    if (!held)
        return;
    document_free(&held->doc);
    free(held);
}
