/* inspect.c - inspections of a trace, or of two: rows that a format has, by name. */
#include "base/error.h"
#include "base/struct_size.h"
#include "core/format.h"
#include "ops/compare/diff.h"

#include <stdlib.h>
#include <string.h>

struct held {
    struct ras_inspection out;
    struct document doc;
};

static const struct compare_inspection *find_row(const struct compare_ops *ops, const char *name)
{
    const struct compare_inspection *row = ops ? ops->inspections : NULL;
    while (row && row->name && strcmp(row->name, name) != 0)
        row++;
    return row && row->name ? row : NULL;
}

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

/* Bytes that are not inflated yet are, and what arrives in order has arrived. What a server has is
 * fetched by the inspection, as far as it needs it. */
static int inspect_ready(struct ras_trace *t, struct ras_error *err)
{
    return !t || source_is_spread(t->source) ? RAS_OK : source_whole(t->source, err);
}

/* Whatever the inspection made of the bytes that could not be fetched. */
static int inspect_fault(struct ras_trace *t, int status, struct ras_error *err)
{
    return t && source_is_spread(t->source) && source_fault(t->source, NULL) < 0
               ? source_fault(t->source, err)
               : status;
}

int ras_inspect(struct ras_inspection **out, struct ras_trace *t, struct ras_trace *other,
                const struct ras_inspect_options *options, struct ras_error *err)
{
    *out = NULL;
    struct ras_inspect_options own;
    options = OPTIONS(&own, options, err);
    if (!options)
        return RAS_EUSAGE;
    if (other && other->format != t->format)
        return fail(err, RAS_EUSAGE, RAS_NONE, "different formats: %s and %s",
                    t->format->about.name, other->format->about.name);
    const struct compare_ops *ops = t->format->compare;
    const char *name = options->name ? options->name : "inspection";
    const struct compare_inspection *row = find_row(ops, name);
    if (!row)
        return fail(err, RAS_EUNSUPPORTED, RAS_NONE, "there is no %s for %s traces", name,
                    t->format->about.name);
    struct held *held = calloc(1, sizeof *held);
    if (!held)
        return fail_memory(err);
    held->out.details = ops->details;
    held->out.bare_nan = ops->bare_nan && options->compat;
    int status = inspect_ready(t, err);
    if (status == RAS_OK)
        status = inspect_ready(other, err);
    if (status == RAS_OK)
        status = row->run(t, other, options, &held->doc, err);
    status = inspect_fault(other, inspect_fault(t, status, err), err);
    if (status == RAS_ENOTHING)
        status = with_extent(t, other, ops->word, err);
    if (status == RAS_OK && held->doc.cells.nomem)
        status = fail_memory(err);
    if (status < 0) {
        ras_inspection_free(&held->out);
        return status;
    }
    held->out.value = held->doc.cells.items;
    held->out.endings[0] = t->ending;
    if (other)
        held->out.endings[1] = other->ending;
    *out = &held->out;
    return RAS_OK;
}

void ras_inspection_free(struct ras_inspection *inspection)
{
    struct held *held = (struct held *)inspection;
    if (!held)
        return;
    document_free(&held->doc);
    free(held);
}
