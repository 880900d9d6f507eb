/* repair.c - repair a trace: plan, write, judge what was written. */
#include "ops/repair/repair.h"
#include "base/struct_size.h"
#include "core/carried.h"
#include "core/choices.h"
#include "core/walk.h"

#include <stdlib.h>

static int load_all(struct source *s, struct ras_error *err)
{
    int status = RAS_OK;
    for (size_t i = 0; status == RAS_OK && i < source_count(s); i++)
        status = source_load(s, i, err);
    return status;
}

/* ---- the verb ------------------------------------------------------------------------- */

/* How it ends, and how many records of each type it gives. */
static int walk_before(struct ras_trace *t, struct repair_counts *counts, struct ras_ending *ending,
                       struct ras_error *err)
{
    struct ras_cursor *c;
    const struct ras_record *r;
    const struct ras_scan scan = {.headers_only = true};
    int status = ras_cursor_open(&c, t, &scan, err);
    if (status < 0)
        return status;
    while ((status = walk_next(t, c, &r, err)) == RAS_OK) {
        if (r->schema >= counts->count && !repair_counts_grow(counts, r->schema)) {
            status = fail_memory(err);
            break;
        }
        counts->records[r->schema]++;
    }
    ras_cursor_close(c);
    if (status < 0)
        return status;
    *ending = ras_ending(t); /* its text is copied at once: whoever frees it owns it */
    return repair_keep_ending(ending, err);
}

/* To where the caller said. */
static int write_copy(const struct plan_map *map, struct ras_trace *t,
                      const struct ras_repair_options *o, struct ras_error *err)
{
    bool dir = source_is_dir(t->source);
    if ((dir && o->sink) || (!dir && o->folder))
        return fail(err, RAS_EUSAGE, RAS_NONE, "a %s cannot be written to a %s",
                    dir ? "directory" : "file", dir ? "stream" : "folder");
    if (o->in_place)
        return repair_in_place(map, t->source, o->in_place, o->backup, err);
    if (o->folder)
        return repair_write_folder(map, t->source, o->folder, err);
    if (o->path && dir)
        return repair_write_directory(map, t->source, o->path, o->replace, err);
    struct ras_bytes all = source_bytes(t->source, 0);
    if (o->path)
        return repair_write_file(map, all, o->path, o->replace, err);
    return o->sink ? plan_apply(map, "", all, repair_to_sink, o->sink, err) : RAS_OK;
}

static int write_and_judge(struct ras_repair *r, struct ras_trace *t,
                           const struct ras_repair_options *o, struct ras_error *err)
{
    const struct ras_options how = {
        .format = t->format->about.name, .dialect = t->dialect_asked, .limits = t->limits};
    const char *at = o->in_place ? o->in_place : o->path;
    struct plan_map map;
    int status = plan_map_make(&map, &r->plan, err);
    if (status == RAS_OK && !at)
        status = repair_judge_copy(r, &map, t, &how, err);
    if (status == RAS_OK)
        status = write_copy(&map, t, o, err);
    struct ras_error why;
    if (status == RAS_OK && at) {
        status = repair_judge_path(r, at, &how, &why);
        if (status < 0) /* its bytes are known all the same */
            status = repair_judge_copy(r, &map, t, &how, NULL);
        if (status < 0)
            fail(err, status, RAS_NONE, "%s is written, but cannot be read back: %.120s", at,
                 why.text);
    }
    plan_map_free(&map);
    return status;
}

/* What did not come out of a broken wrapping nobody can count. */
static void tell_wrappings(const struct source *s, struct plan *plan)
{
    for (size_t i = 0; i < source_count(s); i++) {
        const struct wrapping *w = source_wrapping(s, i);
        if (!w->name || w->kind <= RAS_COMPLETE)
            continue;
        const char *part = source_name(s, i);
        plan_note(plan,
                  "%s%sthe %s wrapping ends at stored byte %" PRIu64
                  " (%s): what it held beyond is lost",
                  part, *part ? ": " : "", w->name, w->offset, w->why);
        plan_lose(plan, 0, RAS_NONE);
    }
}

/* Put a plan into another: one for a lone file into that for a directory in which it is this part;
 * NULL: as it is. */
static void plan_join(struct plan *plan, const char *part, const struct ras_plan *own)
{
    for (size_t i = 0; i < own->patch_count; i++) {
        const struct ras_patch *p = &own->patches[i];
        plan_patch(plan, part ? part : p->part, p->at, p->remove, p->insert.at, p->insert.len);
    }
    for (size_t i = 0; i < own->note_count; i++)
        plan_note(plan, "%s%s%s", part ? part : "", part ? ": " : "", own->notes[i]);
    if (own->lost_bytes || own->lost_records)
        plan_lose(plan, own->lost_bytes, own->lost_records);
}

typedef int repair_function(struct ras_trace *, const struct ras_repair_options *, struct plan *,
                            struct ras_error *);

static repair_function *repair_of(const struct ras_format *format)
{
    return format->repair ? format->repair : repair_cut;
}

/* One that cannot be read is left as it is: what is wrong is found when the result is judged. */
static int repair_carried(struct ras_trace *of, size_t part, const struct ras_repair_options *o,
                          struct plan *plan, struct ras_error *err)
{
    struct ras_trace *t;
    struct plan own = {0};
    int status = carried_open(&t, of, part, err);
    if (status == RAS_OK)
        status = repair_of(t->format)(t, o, &own, err);
    plan_done(&own);
    if (status == RAS_OK)
        plan_join(plan, source_name(of->source, part), &own.out);
    plan->nomem |= own.nomem;
    plan_free(&own.out);
    ras_close(t);
    return status == RAS_EMEMORY ? status : RAS_OK;
}

/* The traces that lie in it, each as its own format does; but what the plan says already. */
static int repair_all_carried(struct ras_trace *t, const struct ras_repair_options *o,
                              struct plan *plan, struct ras_error *err)
{
    struct plan_map map;
    struct plan more = {0};
    int status = plan_map_make(&map, &plan->out, err);
    for (size_t i = carried_next(t, 0); status == RAS_OK && i != SIZE_MAX;
         i = carried_next(t, i + 1))
        if (plan_first(&map, source_name(t->source, i)) == PLAN_NONE)
            status = repair_carried(t, i, o, &more, err);
    plan_map_free(&map);
    plan_done(&more);
    if (status == RAS_OK)
        plan_join(plan, NULL, &more.out);
    plan->nomem |= more.nomem;
    plan_free(&more.out);
    return status;
}

int ras_repair(struct ras_repair **out, struct ras_trace *t,
               const struct ras_repair_options *options, struct ras_error *err)
{
    *out = NULL;
    struct ras_repair_options own;
    options = OPTIONS(&own, options, err);
    if (!options)
        return RAS_EUSAGE;
    const struct ras_repair_options *o = options;
    int status = choices_check(t->format, "repair", o->choices, o->choice_count, err);
    if (status < 0)
        return status;
    struct ras_repair *r = calloc(1, sizeof *r);
    if (!r)
        return fail_memory(err);
    struct plan plan = {0};
    struct repair_counts counts = {0};
    trace_report_driver(t, "repair", "repair", t->format->repair != NULL);
    status = load_all(t->source, err);
    if (status == RAS_OK)
        status = walk_before(t, &counts, &r->before, err);
    if (status == RAS_OK)
        tell_wrappings(t->source, &plan);
    if (status == RAS_OK)
        status = repair_of(t->format)(t, o, &plan, err);
    if (status == RAS_OK)
        status = repair_all_carried(t, o, &plan, err);
    if (status == RAS_OK && plan.nomem)
        status = fail_memory(err);
    plan_done(&plan);
    r->plan = plan.out;
    if (status == RAS_OK)
        status = write_and_judge(r, t, o, err);
    if (status == RAS_OK)
        status = repair_count_missing(r, t, &counts, err);
    free(counts.records);
    if (status < 0) {
        ras_repair_free(r);
        return status;
    }
    *out = r;
    return RAS_OK;
}

void ras_repair_free(struct ras_repair *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < r->recovered_count; i++)
        free((void *)(uintptr_t)r->recovered[i].name);
    for (size_t i = 0; r->left_parts && i < r->left->finding_count; i++)
        free(r->left_parts[i]);
    free(r->left_parts);
    for (size_t i = 0; i < r->missing_count; i++)
        free((void *)(uintptr_t)r->missing[i].name);
    free(r->missing);
    free(r->recovered);
    free((void *)(uintptr_t)r->before.why);
    free((void *)(uintptr_t)r->after.why);
    ras_report_free(r->left);
    plan_free(&r->plan);
    free(r);
}

enum ras_repair_outcome ras_repair_outcome(const struct ras_repair *r)
{
    if (r->left->by_severity[RAS_ERROR])
        return RAS_REPAIR_ERRORS;
    return r->plan.lost_bytes || r->plan.lost_records ? RAS_REPAIR_LOST : RAS_REPAIR_WHOLE;
}

const char *ras_repair_outcome_name(enum ras_repair_outcome outcome)
{
    static const char *const names[] = {[RAS_REPAIR_WHOLE] = "whole",
                                        [RAS_REPAIR_LOST] = "lost",
                                        [RAS_REPAIR_ERRORS] = "errors_left"};
    return names[outcome];
}
