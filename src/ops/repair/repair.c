/* repair.c - repair a trace: plan, write, judge the result. */
#include "ops/repair/repair.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/spool.h"
#include "base/struct_size.h"
#include "codec/seekable.h"
#include "core/registry.h"
#include "core/sink.h"
#include "core/format.h"
#include "core/passes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Walk the trace; where the last record of each part ends. */
static int find_ends(struct ras_trace *t, struct passes *passes, uint64_t *ends,
                     struct ras_error *err)
{
    const struct ras_scan scan = {.headers_only = true};
    const struct ras_record *r;
    struct ras_cursor *c;
    int status = ras_cursor_open(&c, t, &scan, err);
    while (status == RAS_OK && (status = passes_walk(passes, t, c, &r, err)) == RAS_OK) {
        uint64_t end = r->offset + r->raw_len;
        if (r->schema != RAS_SCHEMA_GAP && end > ends[r->part])
            ends[r->part] = end;
    }
    ras_cursor_close(c);
    return status < 0 ? status : RAS_OK;
}

int repair_cut(struct ras_trace *t, const struct ras_repair_options *options, struct plan *plan,
               struct ras_error *err)
{
    (void)options;
    uint64_t *ends = calloc(source_count(t->source) + 1, sizeof *ends);
    struct passes nobody = {0};
    int status =
        ends ? find_ends(t, plan->passes ? plan->passes : &nobody, ends, err) : fail_memory(err);
    struct ras_ending e = ras_ending(t);
    if (status == RAS_OK && e.kind > RAS_UNSEALED && e.part < source_count(t->source)) {
        uint64_t size = source_bytes(t->source, e.part).len;
        if (e.offset < ends[e.part]) {
            plan_note(plan, "the damage at %" PRIu64 " stays: records follow it", e.offset);
        } else if (e.offset < size) {
            plan_lose(plan, size - e.offset, RAS_NONE);
            plan_patch(plan, source_name(t->source, e.part), e.offset, size - e.offset, NULL, 0);
        }
    }
    free(ends);
    return status;
}

enum { STEP = 4 << 20 }; /* so that memory holds a piece at a time */

int repair_to_sink(void *user, const void *bytes, size_t n, struct ras_error *err)
{
    const uint8_t *at = bytes;
    int status = RAS_OK;
    while (status == RAS_OK && n) {
        size_t part = n < STEP ? n : STEP;
        status = ras_sink_write(user, at, part, err);
        at += part;
        n -= part;
    }
    return status;
}

/* A copy that is written, part by part. */
struct writing {
    const struct plan_map *map;
    struct source *source;
    struct passes *passes;
    struct ras_sink *sink; /* of the current part */
    uint64_t written, total;
};

/* For plan_apply(): the same for a copy, which can be canceled. */
static int write_piece(void *user, const void *bytes, size_t n, struct ras_error *err)
{
    struct writing *w = user;
    const uint8_t *at = bytes;
    int status = RAS_OK;
    while (status == RAS_OK && n) {
        size_t part = n < STEP ? n : STEP;
        status = ras_sink_write(w->sink, at, part, err);
        at += part;
        n -= part;
        w->written += part;
        if (!passes_at(w->passes, w->written < w->total ? w->written : w->total, w->total))
            return fail_canceled(err);
    }
    return status;
}

struct ras_bytes repair_part(const struct source *s, const char *name)
{
    size_t part;
    return source_find(s, name, &part) ? source_bytes(s, part) : (struct ras_bytes){NULL, 0};
}

/* A part of a directory that is compressed stays so. */
bool repair_is_packed(const struct source *s, const char *name)
{
    size_t part;
    const char *wrap =
        source_is_dir(s) && source_find(s, name, &part) ? source_wrapping(s, part)->name : NULL;
    return wrap && !strcmp(wrap, "zstd");
}

/* Whether the i-th patch is the first of a part that the source lacks. */
static bool repair_is_fresh(const struct plan_map *map, const struct source *s, size_t i)
{
    const char *name = map->plan->patches[i].part;
    size_t part;
    return plan_first(map, name) == i && !source_find(s, name, &part);
}

static int write_to_folder(struct writing *w, const char *name, struct ras_folder *folder,
                           struct ras_error *err)
{
    int status = ras_folder_sink(folder, name, &w->sink, err);
    if (status == RAS_OK && repair_is_packed(w->source, name))
        status = sink_compress(w->sink, FRAME_HEAD_USUAL, err);
    if (status == RAS_OK)
        status = plan_apply(w->map, name, repair_part(w->source, name), write_piece, w, err);
    return status == RAS_OK ? ras_folder_finish(folder, w->sink, err) : status;
}

/* Load the other files of the directory, which are not read otherwise. */
static int write_carried(struct writing *w, size_t i, struct ras_folder *folder,
                         struct ras_error *err)
{
    int status = source_load(w->source, i, err);
    return status == RAS_OK ? write_to_folder(w, source_name(w->source, i), folder, err) : status;
}

static int repair_write_folder(struct writing *w, struct ras_folder *folder, struct ras_error *err)
{
    const struct plan_map *map = w->map;
    struct source *s = w->source;
    int status = RAS_OK;
    for (size_t i = 0; status == RAS_OK && i < source_count(s); i++)
        if (source_is_carried(s, i))
            status = write_carried(w, i, folder, err);
        else if (source_stored(s, i) || plan_first(map, source_name(s, i)) != PLAN_NONE)
            status = write_to_folder(w, source_name(s, i), folder, err);
    for (size_t i = 0; status == RAS_OK && i < map->plan->patch_count; i++)
        if (repair_is_fresh(map, s, i))
            status = write_to_folder(w, map->plan->patches[i].part, folder, err);
    return status;
}

static int repair_write_directory(struct writing *w, const char *path, bool replace,
                                  struct ras_error *err)
{
    struct ras_folder *folder;
    int status = ras_folder_open(&folder, path, replace, err);
    if (status < 0)
        return status;
    status = repair_write_folder(w, folder, err);
    if (status == RAS_OK)
        return ras_folder_close(folder, err);
    ras_folder_drop(folder);
    return status;
}

static int close_sink(struct ras_sink *sink, int status, struct ras_error *err)
{
    if (status == RAS_OK)
        return ras_sink_close(sink, err);
    ras_sink_drop(sink);
    return status;
}

/* A lone file; it replaces only a trace. */
static int repair_write_file(struct writing *w, const char *path, bool replace,
                             struct ras_error *err)
{
    int status = ras_sink_trace(&w->sink, path, replace, err);
    if (status < 0)
        return status;
    struct ras_bytes all = source_bytes(w->source, 0);
    return close_sink(w->sink, plan_apply(w->map, "", all, write_piece, w, err), err);
}

int repair_write_part(const struct plan_map *map, const char *part, const struct source *s,
                      const char *path, struct ras_error *err)
{
    struct ras_sink *sink;
    int status = sink_file(&sink, path, true, 0666, err);
    if (status < 0)
        return status;
    sink_as_is(sink); /* the mode of the replaced file */
    if (repair_is_packed(s, part))
        status = sink_compress(sink, FRAME_HEAD_USUAL, err);
    if (status == RAS_OK)
        status = plan_apply(map, part, repair_part(s, part), repair_to_sink, sink, err);
    return close_sink(sink, status, err);
}

/* Copy the texts of an ending. */
static int repair_keep_ending(struct ras_ending *e, struct ras_error *err)
{
    char *why = text_copy(e->why, strlen(e->why));
    e->why = why;
    return why ? RAS_OK : fail_memory(err);
}

static int keep_counts(struct ras_repair *r, const struct ras_info *info, struct ras_error *err)
{
    r->recovered = calloc(info->type_count + 1, sizeof *r->recovered);
    if (!r->recovered)
        return fail_memory(err);
    for (size_t i = 0; i < info->type_count; i++) {
        const struct ras_count *from = &info->types[i];
        char *name = text_copy(from->name, strlen(from->name));
        if (!name)
            return fail_memory(err);
        r->recovered[r->recovered_count++] = (struct ras_count){name, from->id, from->records};
    }
    return RAS_OK;
}

static int keep_parts(struct ras_repair *r, const struct ras_trace *t, struct ras_error *err)
{
    r->left_parts = calloc(r->left->finding_count + 1, sizeof *r->left_parts);
    for (size_t i = 0; r->left_parts && i < r->left->finding_count; i++) {
        const char *name = ras_part_name(t, r->left->findings[i].part);
        r->left_parts[i] = text_copy(name, strlen(name));
        if (!r->left_parts[i])
            return fail_memory(err);
    }
    return r->left_parts ? RAS_OK : fail_memory(err);
}

/* How the repaired trace ends, what it holds, and its remaining faults. */
static int judge(struct ras_repair *r, struct ras_trace *t, struct passes *passes,
                 struct ras_error *err)
{
    const struct ras_verify_options how = {.progress = passes_inner, .user = passes};
    const uint64_t size = source_size_before(t->source, source_count(t->source));
    struct ras_info *info;
    int status = ras_info(&info, t, passes_inner, passes, err);
    if (status < 0)
        return status;
    r->after = info->ending;
    status = repair_keep_ending(&r->after, err);
    if (status == RAS_OK)
        status = keep_counts(r, info, err);
    ras_info_free(info);
    passes_next(passes, size);
    if (status == RAS_OK)
        status = ras_verify(&r->left, t, &how, err);
    passes_next(passes, size);
    return status == RAS_OK ? keep_parts(r, t, err) : status;
}

/* ---- what is missing ------------------------------------------------------------------- */

static bool repair_counts_grow(struct repair_counts *c, uint32_t schema)
{
    size_t count = (size_t)schema + 1;
    if (!array_grow(&c->records, &c->room, count, sizeof *c->records))
        return false;
    memset(c->records + c->count, 0, (count - c->count) * sizeof *c->records);
    c->count = count;
    return true;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct ras_count *)a)->name, ((const struct ras_count *)b)->name);
}

/* Ascending by name, and types of one name are one type. */
static size_t sum_by_name(struct ras_count *counts, size_t count)
{
    size_t kept = 0;
    if (count)
        qsort(counts, count, sizeof *counts, by_name);
    for (size_t i = 0; i < count; i++)
        if (kept && !strcmp(counts[kept - 1].name, counts[i].name))
            counts[kept - 1].records += counts[i].records;
        else
            counts[kept++] = counts[i];
    return kept;
}

static int add_missing(struct ras_repair *r, const struct ras_count *before, uint64_t after,
                       struct ras_error *err)
{
    if (before->records <= after)
        return RAS_OK;
    char *name = text_copy(before->name, strlen(before->name));
    if (!name)
        return fail_memory(err);
    r->missing[r->missing_count++] = (struct ras_count){name, before->id, before->records - after};
    return RAS_OK;
}

/* Records that are missing in the result are lost, whatever the plan says. */
static int repair_count_missing(struct ras_repair *r, const struct ras_trace *t,
                                const struct repair_counts *c, struct ras_error *err)
{
    size_t before_count = 0, after_count = r->recovered_count, k = 0;
    struct ras_count *before = calloc(c->count + 1, sizeof *before);
    struct ras_count *after = calloc(after_count + 1, sizeof *after);
    r->missing = calloc(c->count + 1, sizeof *r->missing);
    int status = before && after && r->missing ? RAS_OK : fail_memory(err);
    /* A gap is not a record that could be lost. */
    for (uint32_t id = RAS_SCHEMA_GAP + 1; status == RAS_OK && id < c->count; id++)
        if (c->records[id])
            before[before_count++] = (struct ras_count){t->schemas[id]->name, id, c->records[id]};
    if (status == RAS_OK && after_count)
        memcpy(after, r->recovered, after_count * sizeof *after);
    before_count = sum_by_name(before, before_count);
    after_count = status == RAS_OK ? sum_by_name(after, after_count) : 0;
    uint64_t sum = 0;
    for (size_t i = 0; status == RAS_OK && i < before_count; i++) {
        while (k < after_count && strcmp(after[k].name, before[i].name) < 0)
            k++;
        bool same = k < after_count && !strcmp(after[k].name, before[i].name);
        status = add_missing(r, &before[i], same ? after[k].records : 0, err);
    }
    for (size_t i = 0; i < r->missing_count; i++)
        sum += r->missing[i].records;
    if (sum > r->plan.lost_records) /* RAS_NONE: the number is not known anyway */
        r->plan.lost_records = sum;
    free(before);
    free(after);
    return status;
}

/* It could not be judged to the end: keep the earlier numbers. */
static void forget(struct ras_repair *r)
{
    for (size_t i = 0; i < r->recovered_count; i++)
        free((void *)(uintptr_t)r->recovered[i].name);
    for (size_t i = 0; r->left_parts && i < r->left->finding_count; i++)
        free(r->left_parts[i]);
    free(r->left_parts);
    free(r->recovered);
    free((void *)(uintptr_t)r->after.why);
    ras_report_free(r->left);
    r->left_parts = NULL;
    r->recovered = NULL;
    r->recovered_count = 0;
    r->after = (struct ras_ending){0};
    r->left = NULL;
}

/* Judge the repaired trace at a path, or before it is written: changed parts are in memory or
 * spooled. */
static int repair_judge_path(struct ras_repair *r, const char *path, const struct ras_options *how,
                             struct passes *passes, struct ras_error *err)
{
    struct ras_trace *t;
    int status = ras_open(&t, path, how, err);
    if (status == RAS_OK)
        status = judge(r, t, passes, err);
    ras_close(t);
    if (status < 0)
        forget(r);
    return status;
}

static int to_spool(void *user, const void *bytes, size_t n, struct ras_error *err)
{
    return spool_append(user, bytes, n, err);
}

struct copies {
    struct spool *spools;
    struct ras_part *parts;
    size_t count;
};

static int copy_part(struct copies *k, const struct plan_map *map, const struct source *s,
                     const char *name, struct ras_error *err)
{
    struct ras_bytes all = repair_part(s, name);
    struct spool *spool = &k->spools[k->count];
    int status = RAS_OK;
    if (plan_first(map, name) != PLAN_NONE) {
        status = plan_apply(map, name, all, to_spool, spool, err);
        all = (struct ras_bytes){spool->at, spool->len};
    }
    k->parts[k->count++] = (struct ras_part){name, all};
    return status;
}

static int repair_judge_copy(struct ras_repair *r, const struct plan_map *map,
                             const struct ras_trace *t, const struct ras_options *how,
                             struct passes *passes, struct ras_error *err)
{
    const struct source *s = t->source;
    size_t most = source_count(s) + r->plan.patch_count + 1;
    struct copies k = {calloc(most, sizeof *k.spools), calloc(most, sizeof *k.parts), 0};
    int status = k.spools && k.parts ? RAS_OK : fail_memory(err);
    for (size_t i = 0; status == RAS_OK && i < source_count(s); i++)
        status = copy_part(&k, map, s, source_name(s, i), err);
    for (size_t i = 0; status == RAS_OK && i < r->plan.patch_count; i++)
        if (repair_is_fresh(map, s, i))
            status = copy_part(&k, map, s, r->plan.patches[i].part, err);
    struct ras_trace *repaired = NULL;
    if (status == RAS_OK)
        status = source_is_dir(s) ? ras_open_parts(&repaired, k.parts, k.count, how, err)
                                  : ras_open_memory(&repaired, k.parts[0].bytes.at,
                                                    k.parts[0].bytes.len, how, err);
    if (status == RAS_OK)
        status = judge(r, repaired, passes, err);
    ras_close(repaired);
    for (size_t i = 0; k.spools && i < k.count; i++)
        spool_free(&k.spools[i]);
    free(k.spools);
    free(k.parts);
    return status;
}

static int load_all(struct source *s, struct ras_error *err)
{
    int status = RAS_OK;
    for (size_t i = 0; status == RAS_OK && i < source_count(s); i++)
        status = source_load(s, i, err);
    return status;
}

/* ---- the verb ------------------------------------------------------------------------- */

/* Over the trace to count its records, to plan, to write, and over the result to count and to
 * verify. */
enum { PASSES = 5 };

/* How the trace ends, and its number of records of each type. */
static int walk_before(struct ras_trace *t, struct passes *passes, struct repair_counts *counts,
                       struct ras_ending *ending, struct ras_error *err)
{
    struct ras_cursor *c;
    const struct ras_record *r;
    const struct ras_scan scan = {.headers_only = true};
    int status = ras_cursor_open(&c, t, &scan, err);
    if (status < 0)
        return status;
    while ((status = passes_walk(passes, t, c, &r, err)) == RAS_OK) {
        if (r->schema >= counts->count && !repair_counts_grow(counts, r->schema)) {
            status = fail_memory(err);
            break;
        }
        counts->records[r->schema]++;
    }
    ras_cursor_close(c);
    if (status < 0)
        return status;
    *ending = ras_ending(t); /* its text is copied at once, so that it can be freed */
    return repair_keep_ending(ending, err);
}

/* To the destination of the caller. */
static int write_copy(struct writing *w, const struct ras_repair_options *o, struct ras_error *err)
{
    bool dir = source_is_dir(w->source);
    if ((dir && o->sink) || (!dir && o->folder))
        return fail(err, RAS_EUSAGE, RAS_NONE, "a %s cannot be written to a %s",
                    dir ? "directory" : "file", dir ? "stream" : "folder");
    if (o->in_place)
        return repair_in_place(w->map, w->source, o->in_place, o->backup, err);
    if (o->folder)
        return repair_write_folder(w, o->folder, err);
    if (o->path && dir)
        return repair_write_directory(w, o->path, o->replace, err);
    if (o->path)
        return repair_write_file(w, o->path, o->replace, err);
    w->sink = o->sink;
    return o->sink ? plan_apply(w->map, "", source_bytes(w->source, 0), write_piece, w, err)
                   : RAS_OK;
}

/* Read back what was written. It can be canceled as long as nothing was replaced: a new file or
 * directory is removed then. */
static int judge_written(struct ras_repair *r, struct writing *w, const struct ras_trace *t,
                         const char *path, bool is_new, const struct ras_options *how,
                         struct ras_error *err)
{
    struct passes nobody = {0};
    struct ras_error why = {0};
    int status = repair_judge_path(r, path, how, is_new ? w->passes : &nobody, &why);
    if (status == RAS_ECANCELED) {
        if (source_is_dir(w->source))
            status = ras_folder_remove(path, err);
        else if (os_remove(path) < 0)
            status = fail_os(err, path);
        return status < 0 && status != RAS_ECANCELED ? status : fail_canceled(err);
    }
    if (status < 0) /* its bytes are known anyway */
        status = repair_judge_copy(r, w->map, t, how, &nobody, NULL);
    if (status < 0)
        fail(err, status, RAS_NONE, "%s is written, but cannot be read back: %.120s", path,
             why.text);
    return status;
}

static int write_and_judge(struct ras_repair *r, struct ras_trace *t,
                           const struct ras_repair_options *o, struct passes *passes,
                           struct ras_error *err)
{
    const struct ras_options how = {
        .format = t->format->about.name, .dialect = t->dialect_requested, .limits = t->limits};
    const char *at = o->in_place ? o->in_place : o->path;
    if (o->in_place && source_is_remote(t->source))
        return fail(err, RAS_EUSAGE, RAS_NONE,
                    "a file on a server cannot be repaired in place: write a copy with -o");
    struct plan_map map;
    struct os_about about;
    bool is_new = at && os_about_link(at, &about) < 0;
    int status = plan_map_make(&map, &r->plan, err);
    struct writing w = {.map = &map, .source = t->source, .passes = passes};
    w.total = source_size_before(t->source, source_count(t->source));
    if (status == RAS_OK && !at)
        status = repair_judge_copy(r, &map, t, &how, passes, err);
    if (status == RAS_OK)
        status = write_copy(&w, o, err);
    passes_next(passes, w.total);
    if (status == RAS_OK && at)
        status = judge_written(r, &w, t, at, is_new, &how, err);
    plan_map_free(&map);
    return status;
}

/* The amount lost in a broken wrapping is not known without an index. */
static void report_wrappings(const struct source *s, struct plan *plan)
{
    for (size_t i = 0; i < source_count(s); i++) {
        const struct wrapping *w = source_wrapping(s, i);
        if (!w->name || w->kind <= RAS_UNSEALED || (w->kind == RAS_CUT && plan->cut_is_covered))
            continue;
        const char *part = source_name(s, i);
        plan_note(plan,
                  "%s%sthe %s wrapping ends at stored byte %" PRIu64
                  " (%s): the data after it is lost",
                  part, *part ? ": " : "", w->name, w->offset, w->why);
        const uint64_t there = source_length(s, i);
        plan_lose(plan, w->whole > there ? w->whole - there : 0, RAS_NONE);
    }
}

/* Add a plan to another: one for a lone file to that of a directory in which it is this part; NULL:
 * as it is. */
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

/* One that cannot be read is not changed: its faults are found when the result is judged. */
static int repair_carried(struct ras_trace *of, size_t part, const struct ras_repair_options *o,
                          struct plan *plan, struct ras_error *err)
{
    struct ras_trace *t;
    struct plan own = {.passes = plan->passes};
    int status = carried_open(&t, of, part, err);
    own.total = plan->total;
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

/* The traces inside it, each by its own format; except for parts that the plan has patches for. */
static int repair_all_carried(struct ras_trace *t, const struct ras_repair_options *o,
                              struct plan *plan, struct ras_error *err)
{
    struct plan_map map;
    struct plan more = {.passes = plan->passes, .total = plan->total};
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
    if (!(t->format->about.can & RAS_CAN_REPAIR))
        return fail(err, RAS_EUNSUPPORTED, RAS_NONE, "%s traces cannot be repaired",
                    t->format->about.name);
    struct ras_repair *r = calloc(1, sizeof *r);
    if (!r)
        return fail_memory(err);
    struct passes passes = {.progress = o->progress, .user = o->user};
    struct plan plan = {.passes = &passes};
    struct repair_counts counts = {0};
    trace_report_driver(t, "repair", "repair", t->format->repair != NULL);
    status = load_all(t->source, err);
    plan.total = source_size_before(t->source, source_count(t->source));
    passes.all = PASSES * plan.total;
    if (status == RAS_OK)
        status = walk_before(t, &passes, &counts, &r->before, err);
    passes_next(&passes, plan.total);
    if (status == RAS_OK)
        status = repair_of(t->format)(t, o, &plan, err);
    if (status == RAS_OK)
        report_wrappings(t->source, &plan);
    if (status == RAS_OK)
        status = repair_all_carried(t, o, &plan, err);
    passes_next(&passes, plan.total);
    if (passes.canceled)
        status = fail_canceled(err);
    if (status == RAS_OK && plan.nomem)
        status = fail_memory(err);
    plan_done(&plan);
    r->plan = plan.out;
    if (status == RAS_OK)
        status = write_and_judge(r, t, o, &passes, err);
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
