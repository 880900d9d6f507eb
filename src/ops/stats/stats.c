/* stats.c - figures of a trace and its call tree, as its format's row tells them. */
#include "base/error.h"
#include "base/struct_size.h"
#include "core/document.h"
#include "core/format.h"
#include "ops/stats/stats_driver.h"

#include <stdlib.h>

/* The document lives behind the struct that the caller sees. */
struct held {
    struct ras_stats stats;
    struct document doc;
};

static int unknown(const char *what, const char *word, const char *const *names, size_t count,
                   struct ras_error *err)
{
    struct ras_near near;
    char text[120];
    ras_near_start(&near, word);
    for (size_t i = 0; i < count; i++)
        ras_near_add(&near, names[i]);
    return fail(err, RAS_EUSAGE, RAS_NONE, "%s '%.60s'%s", what, word,
                ras_near_text(&near, text, sizeof text));
}

/* A name that no table or column has would change nothing, which nobody would notice. */
static int check_asked(const struct stats *s, struct ras_error *err)
{
    const struct ras_stats_options *o = s->asked;
    for (size_t i = 0; i < o->table_count; i++)
        if (!s->held[i])
            return unknown("there is no table", o->tables[i], s->tables, s->table_count, err);
    if (o->sort && !s->sorted)
        return unknown("no table has a column", o->sort, s->columns, s->all_columns, err);
    return RAS_OK;
}

/* Times count from one origin, whatever part of the trace the figures are of. */
static int find_first(struct stats *s, struct ras_error *err)
{
    if (!(s->trace->format->about.axes >> RAS_AXIS_TIME & 1))
        return RAS_OK;
    int status = ras_first_time(s->trace, &s->out->time_first, err);
    s->out->has_time = status == RAS_OK;
    return status < 0 ? status : RAS_OK;
}

static int run(struct stats *s, const struct ras_tree_options *tree, struct ras_error *err)
{
    const struct ras_format *f = s->trace->format;
    s->held = calloc(s->asked->table_count + 1, sizeof *s->held);
    if (!s->held)
        return fail_memory(err);
    trace_report_driver(s->trace, tree ? "tree" : "stats", tree ? "tree" : "stats",
                        tree || f->stats);
    s->top = document_open(&s->doc, RAS_MAP);
    int status = tree       ? f->tree(s->trace, s, tree, err)
                 : f->stats ? f->stats(s->trace, s, err)
                            : stats_records(s->trace, s, err);
    document_close(&s->doc, s->top);
    if (status == RAS_OK && s->doc.cells.nomem)
        status = fail_memory(err);
    if (status == RAS_OK)
        status = check_asked(s, err);
    if (status == RAS_OK && !tree)
        status = find_first(s, err);
    free(s->held);
    return status;
}

static int figures(struct ras_stats **out, struct ras_trace *t,
                   const struct ras_stats_options *options, const struct ras_tree_options *tree,
                   struct ras_error *err)
{
    struct held *held = calloc(1, sizeof *held);
    if (!held)
        return fail_memory(err);
    struct stats s = {
        .trace = t, .asked = options, .out = &held->stats, .budget = QUANTILES_BUDGET};
    int status = run(&s, tree, err);
    held->doc = s.doc;
    if (status < 0) {
        ras_stats_free(&held->stats);
        return status;
    }
    held->stats.tables = &held->doc.cells.items[s.top];
    *out = &held->stats;
    return RAS_OK;
}

int ras_stats(struct ras_stats **out, struct ras_trace *t, const struct ras_stats_options *options,
              struct ras_error *err)
{
    *out = NULL;
    struct ras_stats_options own;
    options = OPTIONS(&own, options, err);
    if (!options)
        return RAS_EUSAGE;
    return figures(out, t, options, NULL, err);
}

int ras_tree(struct ras_stats **out, struct ras_trace *t, const struct ras_tree_options *options,
             struct ras_error *err)
{
    *out = NULL;
    struct ras_tree_options own;
    options = OPTIONS(&own, options, err);
    if (!options)
        return RAS_EUSAGE;
    const struct ras_tree_options *o = options;
    if (!t->format->tree)
        return fail(err, RAS_EUNSUPPORTED, RAS_NONE, "%s traces hold no calls, hence no call tree",
                    t->format->about.name);
    struct ras_stats_options how = {
        .axis = o->axis, .from = o->from, .to = o->to, .progress = o->progress, .user = o->user};
    return figures(out, t, &how, o, err);
}

void ras_stats_free(struct ras_stats *stats)
{
    if (!stats)
        return;
    struct held *held = (struct held *)stats;
    document_free(&held->doc);
    free(held);
}
