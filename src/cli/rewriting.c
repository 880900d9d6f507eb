/* rewriting.c - what slice, merge and convert share: opening, writing, telling. */
#include "cli/rewriting.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TYPES_LISTED = 5 };

int output_refuse(const struct common *common, const char *what)
{
    const char *out = common->out;
    if (!out)
        return trouble("missing -o FILE for the %s", what);
    if (strcmp(out, "-") != 0)
        return 0;
    if (isatty(STDOUT_FILENO))
        return trouble("a trace is binary and standard output is a terminal: use -o FILE");
    if (common->json)
        return trouble("the trace and the report cannot both go to standard output");
    return 0;
}

/* Whether an error names this file, and so is about it. */
static bool names(const struct ras_error *err, const char *path)
{
    size_t len = path ? strlen(path) : 0;
    return len && !strncmp(err->text, path, len) && strchr(": /", err->text[len]);
}

int output_trouble(const struct common *common, const struct ras_error *err)
{
    const char *in = common->operands.items[0];
    return names(err, common->out) || names(err, in) ? trouble_with(err) : trouble_at(in, err);
}

int rewriting_open(struct rewriting *w, const struct common *common)
{
    const struct list *paths = &common->operands;
    w->common = common;
    if (!paths->count)
        return trouble("missing trace: name a file, a directory, or - for standard input");
    w->traces = calloc(paths->count, sizeof(struct ras_trace *));
    if (!w->traces)
        return trouble("out of memory");
    for (; w->count < paths->count; w->count++) {
        w->traces[w->count] = open_operand(common, paths->items[w->count], false);
        if (!w->traces[w->count])
            return EXIT_TROUBLE;
    }
    return 0;
}

void rewriting_close(struct rewriting *w)
{
    for (size_t i = 0; i < w->count; i++)
        ras_close(w->traces[i]);
    free((void *)w->traces);
}

static uint64_t sum_of(const struct ras_count *counts, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += counts[i].records;
    return sum;
}

static void rewrite_put_counts(struct answer *a, const struct ras_count *counts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        answer_format(a, i ? ", " : "");
        answer_count(a, &counts[i]);
    }
}

/* Traces of other formats that went along. */
static void rewrite_put_carried(struct answer *a, const struct ras_rewritten *r)
{
    for (size_t i = 0; i < r->carried_count && i < TYPES_LISTED; i++) {
        answer_format(a, "  beside    ");
        answer_text(a, r->carried[i].name, strlen(r->carried[i].name));
        answer_format(a, ": %s, %s\n", r->carried[i].format,
                      ras_counted(r->carried[i].records, "record").text);
    }
    if (r->carried_count > TYPES_LISTED)
        answer_format(a, "            and %zu more: --json has them all\n",
                      r->carried_count - TYPES_LISTED);
}

/* A few types are listed; many would fill the screen, unless they are asked for. */
static void rewrite_put_text(const struct common *common, bool verbose, struct answer *a,
                             const struct ras_rewritten *r)
{
    uint64_t needed = sum_of(r->companions, r->companion_count);
    answer_path(a, common->out, "");
    answer_format(a, ": %s, ", r->target);
    if (!r->kept_count)
        answer_format(a, "no records");
    else if (verbose || r->kept_count <= TYPES_LISTED)
        rewrite_put_counts(a, r->kept, r->kept_count);
    else
        answer_format(a, "%s of %s (-v lists them)",
                      ras_counted(sum_of(r->kept, r->kept_count), "record").text,
                      ras_counted(r->kept_count, "type").text);
    if (needed)
        answer_format(a, "; with what they need: ");
    rewrite_put_counts(a, r->companions, r->companion_count);
    answer_format(a, "\n");
    rewrite_put_carried(a, r);
    answer_notes(a, r->notes, r->note_count);
}

/* Totals of every source, so that it can be told what was left out. */
static int rewrite_put_json(const struct rewriting *w, struct answer *a,
                            const struct ras_rewritten *r)
{
    struct ras_info **totals = calloc(w->count, sizeof(struct ras_info *));
    struct ras_error err;
    int status = totals ? RAS_OK : RAS_EMEMORY;
    size_t n = 0;
    for (; status == RAS_OK && n < w->count; n++)
        status = ras_info(&totals[n], w->traces[n], NULL, NULL, &err);
    if (status == RAS_OK)
        status = ras_json_rewritten(a->sink, w->common->operands.items, w->traces, w->count, totals,
                                    r, &err);
    for (size_t i = 0; totals && i < n; i++)
        ras_info_free(totals[i]);
    free((void *)totals);
    return status == RAS_OK
               ? EXIT_YES
               : trouble("%s", status == RAS_EMEMORY ? "out of memory" : text_of(&err));
}

/* A format that has no empty trace: there is nothing to write. Damage is why, if there is any. */
static int rewrite_report_none(const struct rewriting *w)
{
    const char *const *paths = w->common->operands.items;
    for (size_t i = 0; i < w->count; i++) {
        struct ras_ending e = ras_ending(w->traces[i]);
        const char *part = ras_part_name(w->traces[i], e.part);
        if (e.kind > RAS_UNSEALED)
            return trouble("%s%s%s: offset %" PRIu64 ": %s: %s; nothing is written",
                           shown_path(paths[i]), slash_between(paths[i], part), part, e.offset,
                           ras_ending_name(e.kind), e.why);
    }
    trouble(w->asked ? "%s: no records match; nothing is written"
                     : "%s: no record could be copied; nothing is written",
            shown_path(paths[0]));
    return EXIT_NO;
}

int rewriting_loss(const char *path, const struct ras_rewritten *r)
{
    if (r->made_up_bytes)
        trouble("%s: %" PRIu64 " byte%s of data %s not given: zeros stand for %s", shown_path(path),
                r->made_up_bytes, r->made_up_bytes == 1 ? "" : "s",
                r->made_up_bytes == 1 ? "was" : "were", r->made_up_bytes == 1 ? "it" : "them");
    if (r->lost_records)
        trouble("%s: %" PRIu64 " record%s %s lost, for which %s has no place", shown_path(path),
                r->lost_records, r->lost_records == 1 ? "" : "s",
                r->lost_records == 1 ? "is" : "are", r->target);
    return r->made_up_bytes || r->lost_records ? EXIT_LOSS : EXIT_YES;
}

static int rewrite_report(const struct rewriting *w, struct answer *a,
                          const struct ras_rewritten *r)
{
    const char *path = w->common->operands.items[r->ending_source];
    int status = EXIT_YES;
    if (w->common->json)
        status = rewrite_put_json(w, a, r);
    else if (!w->how.sink)
        rewrite_put_text(w->common, w->verbose, a, r);
    answer_flush(a);
    const struct ras_trace *trace = w->traces[r->ending_source];
    int lost = r->carried_left ? say_ending(path, trace, &r->ending, w->common->quiet)
                               : say_end(path, trace, &r->ending, w->common->quiet);
    if (!status)
        status = lost;
    int dropped = rewriting_loss(path, r);
    if (!status)
        status = dropped;
    if (!status && w->asked && !r->kept_count && !r->carried_count) {
        trouble("%s: no records match", shown_path(path));
        status = EXIT_NO;
    }
    return status;
}

int rewriting_tell(const struct common *common, bool verbose, struct answer *a,
                   const struct ras_rewritten *r)
{
    struct ras_error err;
    if (!common->json)
        rewrite_put_text(common, verbose, a, r);
    else if (ras_json_rewritten(a->sink, common->operands.items, NULL, 1, NULL, r, &err) < 0)
        return trouble_with(&err);
    return EXIT_YES;
}

int rewriting_run(struct rewriting *w)
{
    struct common common = *w->common;
    struct answer answer;
    bool to_stream = !strcmp(common.out, "-");
    if (!to_stream)
        common.out = NULL; /* the trace goes there; the report to standard output */
    int status = answer_open(&answer, &common);
    if (status)
        return status;
    if (to_stream)
        w->how.sink = answer.sink;
    else
        w->how.path = w->common->out;
    struct progress progress;
    struct ras_rewritten *r;
    struct ras_error err;
    w->how.replace = w->common->force;
    w->how.progress = progress_at;
    w->how.user = &progress;
    progress_start(&progress, w->common, "write", to_stream && answer.on_screen);
    status = ras_rewrite(&r, w->traces, w->count, &w->how, &err);
    progress_stop(&progress);
    if (status < 0)
        return answer_close(&answer, output_trouble(w->common, &err));
    if (status == RAS_END)
        return answer_close(&answer, rewrite_report_none(w));
    status = rewrite_report(w, &answer, r);
    ras_rewritten_free(r);
    return answer_close(&answer, status);
}
