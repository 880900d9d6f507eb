/* repair_property.c - a repaired trace is complete, has every record that was complete, and stays
 * so.
 *
 * Every golden is cut at every byte, and spans of it are overwritten. The repaired trace ends
 * complete and breaks no rule under strict verification that the golden did not break (a cut) or
 * that is not reported as left over (an overwritten span); no record that the reader found before
 * is missing; a second repair changes nothing. Damage that cannot be repaired is reported in a
 * note. The reported result is what verify and a reader find in the copy. */
#include "held.h"
#include "properties.h"
#include "trial.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void check_left(const struct ras_repair *r, const struct ras_report *golden)
{
    for (size_t i = 0; golden && i < r->left->finding_count; i++) {
        const struct ras_finding *f = &r->left->findings[i];
        if (f->severity == RAS_ERROR && !is_broken(golden, f->rule))
            complain("repaired, but %s at %" PRIu64 ": %s", f->rule->id, f->offset, f->text);
    }
}

/* How many of its values are the content of a record: those of a GPU frame after its index are its
 * position, which changes when damage before it is removed; the last two of an event of ATF are
 * names, which a broken manifest lacks and a repaired one has. */
static size_t deciding(const struct golden *g, const struct seen *s)
{
    bool frame = !strncmp(g->name, "aerogpu/", 8) && s->cells_count == 4 && s->r.schema == 1;
    bool event = !strncmp(g->name, "atf/", 4) && s->cells_count == 8 && s->r.schema == 1;
    return frame ? 1 : event ? 6 : s->cells_count;
}

/* A packet after a gap belongs to no frame; with the gap removed, to the one that was open before
 * it, as its Present is never invented. */
static bool same_tick(const struct golden *g, const struct ras_record *x,
                      const struct ras_record *y)
{
    return x->tick == y->tick || (!strncmp(g->name, "aerogpu/", 8) && !(x->flags & RAS_HAS_TICK));
}

static bool alike(const struct golden *g, const struct walk *a, size_t i, const struct walk *b,
                  size_t k)
{
    const struct seen *x = &a->seen[i], *y = &b->seen[k];
    if (x->type != y->type || x->cells_count != y->cells_count || !same_tick(g, &x->r, &y->r) ||
        x->r.time_ns != y->r.time_ns)
        return false;
    for (size_t n = 0; n < deciding(g, x); n++)
        if (a->cells[x->cells_at + n].digest != b->cells[y->cells_at + n].digest)
            return false;
    return true;
}

/* An event of a dial9 stream of which the plan removes the front, and no more: it was torn, and
 * read into the header of a stream after it. */
static bool is_torn(const struct ras_plan *plan, const struct ras_record *r)
{
    for (size_t i = 0; i < plan->patch_count; i++)
        if (plan->patches[i].at == r->offset && plan->patches[i].remove < r->raw_len)
            return true;
    return false;
}

/* Repair removes gaps, and the zeros that a crash leaves at a replay's end, which read as frames of
 * tick 0, and those at the end of an index, events of time 0. */
static bool may_go(const struct golden *g, const struct ras_plan *plan, const struct seen *s)
{
    return s->r.schema == RAS_SCHEMA_GAP ||
           (!strncmp(g->name, "murk/", 5) && s->r.tick == 0 && !s->child) ||
           (!strncmp(g->name, "atf/", 4) && s->r.time_ns == 0) ||
           (!strncmp(g->name, "dial9/", 6) && is_torn(plan, &s->r));
}

static void check_kept(const struct golden *g, const struct ras_plan *plan,
                       const struct walk *before, const struct walk *after)
{
    size_t k = 0;
    for (size_t i = 0; i < before->count; i++) {
        size_t found = k;
        while (found < after->count && !alike(g, before, i, after, found))
            found++;
        if (found < after->count) {
            k = found + 1;
        } else if (!may_go(g, plan, &before->seen[i])) {
            complain("record %zu is lost: %s", i, describe(before, i));
            return;
        }
    }
}

static uint64_t count_of(const struct walk *w, uint64_t type)
{
    uint64_t count = 0;
    for (size_t i = 0; i < w->count; i++)
        count += w->seen[i].r.schema != RAS_SCHEMA_GAP && w->seen[i].type == type;
    return count;
}

/* Records of each type that a reader found before and does not find afterwards. */
static uint64_t count_missing(const struct walk *before, const struct walk *after)
{
    uint64_t missing = 0;
    for (size_t i = 0; i < before->count; i++) {
        size_t first = 0;
        while (before->seen[first].type != before->seen[i].type)
            first++;
        if (first < i || before->seen[i].r.schema == RAS_SCHEMA_GAP)
            continue;
        uint64_t had = count_of(before, before->seen[i].type);
        uint64_t has = count_of(after, before->seen[i].type);
        missing += had > has ? had - has : 0;
    }
    return missing;
}

/* The reported result of a repair is what verify and the reader find. */
static void check_outcome(const struct ras_repair *r, struct ras_trace *result,
                          const struct walk *before, const struct walk *after)
{
    struct ras_report *report;
    struct ras_error err = {0};
    uint64_t missing = count_missing(before, after), reported = 0;
    bool lost = r->plan.lost_bytes || r->plan.lost_records;
    for (size_t i = 0; i < r->missing_count; i++)
        reported += r->missing[i].records;
    if (reported != missing)
        complain("%" PRIu64 " records are missing, repair says %" PRIu64, missing, reported);
    if (missing && r->plan.lost_records < missing)
        complain("%" PRIu64 " records are missing, %" PRIu64 " are called lost", missing,
                 r->plan.lost_records);
    if (ras_verify(&report, result, NULL, &err) < 0) {
        complain("the result cannot be verified: %s", err.text);
        return;
    }
    bool errors = report->by_severity[RAS_ERROR] > 0;
    enum ras_repair_outcome want = errors ? RAS_REPAIR_ERRORS
                                   : lost ? RAS_REPAIR_LOST
                                          : RAS_REPAIR_WHOLE;
    if (ras_repair_outcome(r) != want)
        complain("repair says '%s', its result is '%s'",
                 ras_repair_outcome_name(ras_repair_outcome(r)), ras_repair_outcome_name(want));
    if (!errors && ras_ending(result).kind > RAS_UNSEALED)
        complain("the result ends %s and is called ok", ras_ending_name(ras_ending(result).kind));
    ras_report_free(report);
}

static bool has_records(const struct walk *w)
{
    for (size_t i = 0; i < w->count; i++)
        if (w->seen[i].r.schema != RAS_SCHEMA_GAP)
            return true;
    return false;
}

static void repair_again(const struct held *h, const char *format)
{
    struct ras_trace *t;
    struct ras_error err;
    struct ras_repair *r;
    if (held_open(h, &t, format, &err) < 0) {
        complain("repaired, but does not open: %s", err.text);
        return;
    }
    if (ras_repair(&r, t, NULL, &err) < 0) {
        complain("repaired, but cannot be repaired again: %s", err.text);
    } else {
        if (r->plan.patch_count)
            complain("repaired again: %zu patches, the first at %" PRIu64
                     " of '%s' removes %" PRIu64 ", inserts %zu",
                     r->plan.patch_count, r->plan.patches[0].at, r->plan.patches[0].part,
                     r->plan.patches[0].remove, r->plan.patches[0].insert.len);
        ras_repair_free(r);
    }
    ras_close(t);
}

static void compare(const struct golden *g, const struct ras_repair *r, const struct held *h,
                    const char *format, const struct walk *before)
{
    struct ras_trace *t;
    struct walk after = {0};
    if (held_open(h, &t, format, &after.err) < 0)
        return; /* repair_again() reports it */
    walk_all(&after, t, NULL);
    check_kept(g, &r->plan, before, &after);
    check_outcome(r, t, before, &after);
    walk_free(&after);
    ras_close(t);
}

/* `golden`: what the uncut golden breaks; NULL: anything may be left over. */
static void repair(const struct golden *g, struct ras_trace *t, const struct ras_report *golden)
{
    struct walk before = {0};
    struct held h = {0};
    struct ras_error err = {0};
    struct ras_repair *r;
    walk_all(&before, t, NULL);
    bool files = g->is_dir && *ras_part_name(t, 0); /* segments of a directory are one stream */
    int made = files ? ras_folder_memory(&h.folder, &err) : ras_sink_memory(&h.sink, &err);
    const struct ras_repair_options how = {.sink = h.sink, .folder = h.folder};
    int status = made < 0 ? made : ras_repair(&r, t, &how, &err);
    if (status < 0) {
        if (status != RAS_EFORMAT || has_records(&before))
            complain("cannot be repaired: %d: %s", status, err.text);
    } else {
        if (r->after.kind != RAS_COMPLETE && !r->plan.note_count)
            complain("repaired, but %s: %s", ras_ending_name(r->after.kind), r->after.why);
        check_left(r, golden);
        compare(g, r, &h, ras_format_of(t)->name, &before);
        ras_repair_free(r);
        repair_again(&h, ras_format_of(t)->name);
    }
    held_drop(&h);
    walk_free(&before);
}

static void repair_bytes(const struct golden *g, const uint8_t *bytes, size_t size,
                         const struct ras_report *golden)
{
    struct ras_trace *t;
    struct ras_error err;
    if (ras_open_memory(&t, bytes, size, NULL, &err) == RAS_OK)
        repair(g, t, golden);
    ras_close(t);
}

/* ---- files ------------------------------------------------------------------------- */

static void cut_file(const struct golden *g, const struct ras_report *golden, enum effort effort)
{
    size_t few = effort == REDUCED ? 100 : effort == NORMAL ? 2000 : SIZE_MAX;
    size_t step = g->size / few + 1;
    for (size_t n = g->size % step; n <= g->size; n += step) {
        uint8_t *copy = exact_copy(g->bytes, n);
        trial(copy, n, "%s cut to %zu bytes and repaired", g->name, n);
        repair_bytes(g, copy, n, golden);
        free(copy);
    }
}

/* The same numbers every time, so that a failure can be repeated. */
static uint64_t draw(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static void overwrite_file(const struct golden *g, enum effort effort)
{
    unsigned times = effort == REDUCED ? 20 : effort == NORMAL ? 200 : 2000;
    uint64_t state = digest(0, g->name, strlen(g->name));
    for (unsigned i = 0; i < times && g->size; i++) {
        uint8_t *copy = exact_copy(g->bytes, g->size);
        size_t at = (size_t)draw(&state) % g->size;
        size_t len = 1 + (size_t)draw(&state) % 64;
        int fill = (int)(draw(&state) % 3);
        for (size_t k = at; k < at + len && k < g->size; k++)
            copy[k] = fill ? (uint8_t)(fill == 1 ? draw(&state) : 0xff) : 0;
        trial(copy, g->size, "%s with %zu bytes overwritten at %zu and repaired", g->name, len, at);
        repair_bytes(g, copy, g->size, NULL);
        free(copy);
    }
}

/* ---- directories -------------------------------------------------------------------- */

static void repair_directory(const struct golden *g, const char *root,
                             const struct ras_report *golden)
{
    struct ras_trace *t;
    struct ras_error err;
    if (ras_open(&t, root, NULL, &err) == RAS_OK)
        repair(g, t, golden);
    ras_close(t);
}

static void cut_directory(const struct golden *g, const struct ras_report *golden,
                          enum effort effort)
{
    char **files = tree_files(g->path);
    for (char **f = files; f && *f; f++) {
        const char *below = *f + strlen(g->path) + 1;
        char *root = tree_copy(g->path), path[8192];
        struct stat st;
        snprintf(path, sizeof path, "%s/%s", root, below);
        long size = stat(path, &st) < 0 ? -1 : (long)st.st_size;
        long step = effort == FULL ? 1 : size / (effort == REDUCED ? 30 : 300) + 1;
        for (long n = size; n >= 0; n -= step) {
            trial(NULL, 0, "%s with %s cut to %ld bytes and repaired", g->name, below, n);
            if (truncate(path, n) < 0)
                complain("cannot be cut");
            else
                repair_directory(g, root, golden);
        }
        tree_remove(root);
    }
    tree_files_free(files);
}

/* The span [at, at + len) of a file, filled with something else. */
static bool overwrite(const char *path, long at, size_t len, uint64_t *state)
{
    FILE *file = fopen(path, "r+b");
    if (!file)
        return false;
    int fill = (int)(draw(state) % 3);
    bool done = fseek(file, at, SEEK_SET) == 0;
    for (size_t k = 0; done && k < len; k++)
        done = fputc(fill ? (fill == 1 ? (int)(draw(state) & 255) : 0xff) : 0, file) != EOF;
    return fclose(file) == 0 && done;
}

static void overwrite_directory(const struct golden *g, enum effort effort)
{
    unsigned times = effort == REDUCED ? 5 : effort == NORMAL ? 40 : 400;
    uint64_t state = digest(0, g->name, strlen(g->name));
    char **files = tree_files(g->path);
    for (char **f = files; f && *f; f++) {
        const char *below = *f + strlen(g->path) + 1;
        struct stat st;
        for (unsigned i = 0; i < times && stat(*f, &st) == 0 && st.st_size; i++) {
            char *root = tree_copy(g->path), path[8192];
            long at = (long)(draw(&state) % (uint64_t)st.st_size);
            size_t len = 1 + (size_t)draw(&state) % 64, left = (size_t)(st.st_size - at);
            snprintf(path, sizeof path, "%s/%s", root, below);
            trial(NULL, 0, "%s with %s overwritten at %ld and repaired", g->name, below, at);
            if (!overwrite(path, at, len < left ? len : left, &state))
                complain("cannot be overwritten");
            else
                repair_directory(g, root, NULL);
            tree_remove(root);
        }
    }
    tree_files_free(files);
}

static void hold(const struct golden *g, enum effort effort)
{
    struct ras_trace *t;
    struct ras_error err;
    struct ras_report *report;
    const struct ras_verify_options strict = {.strict = true};
    trial(g->bytes, g->size, "%s", g->name);
    if (golden_open(g, &t, &err) < 0)
        return;
    if ((ras_format_of(t)->can & RAS_CAN_REPAIR) &&
        ras_verify(&report, t, &strict, &err) == RAS_OK) {
        if (g->is_dir) {
            cut_directory(g, report, effort);
            overwrite_directory(g, effort);
        } else {
            cut_file(g, report, effort);
            overwrite_file(g, effort);
        }
        ras_report_free(report);
    }
    ras_close(t);
}

void repair_property(const struct goldens *g, enum effort effort)
{
    for (size_t i = 0; i < g->count; i++)
        if (!g->at[i].big)
            hold(&g->at[i], effort);
}
