/* cmd_repair.c - a repaired copy of a trace, or the plan for one. */
#include "cli/rewrite_output.h"
#include "cli/rundirs.h"
#include <rastrum/pens.h>

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

struct options {
    struct common common;
    bool dry_run, in_place;
    const char *backup, *undo;
};

static void put_plan(struct answer *a, const struct ras_plan *plan)
{
    enum { SHOWN = 16 };
    for (size_t i = 0; i < plan->patch_count; i++) {
        const struct ras_patch *p = &plan->patches[i];
        answer_format(a, "  ");
        answer_name(a, p->part);
        answer_format(a, "%sat %" PRIu64 ": ", *p->part ? " " : "", p->at);
        if (p->remove)
            answer_format(a, "remove %" PRIu64 " bytes%s", p->remove, p->insert.len ? ", " : "");
        if (p->insert.len)
            answer_format(a, "insert %zu bytes", p->insert.len);
        for (size_t k = 0; k < p->insert.len && k < SHOWN; k++)
            answer_format(a, "%s%02x", k ? "" : ": ", p->insert.at[k]);
        answer_format(a, "%s\n", p->insert.len > SHOWN ? "..." : "");
    }
}

static void put_losses(struct answer *a, const struct ras_repair *r)
{
    for (size_t i = 0; i < r->recovered_count; i++) {
        answer_format(a, i ? ", " : "  recovered ");
        answer_count(a, &r->recovered[i]);
    }
    answer_format(a, r->recovered_count ? "\n" : "  recovered no records\n");
    uint64_t bytes = r->plan.lost_bytes, records = r->plan.lost_records;
    if (records && records != RAS_NONE)
        answer_format(a, "  lost %s, %s\n", ras_counted(bytes, "byte").text,
                      ras_counted(records, "record").text);
    else if (bytes)
        answer_format(a, "  lost %s\n", ras_counted(bytes, "byte").text);
    else if (records)
        answer_format(a, "  lost an unknown amount of data\n");
    for (size_t i = 0; i < r->missing_count; i++) {
        answer_format(a, i ? ", " : "  removed ");
        answer_count(a, &r->missing[i]);
    }
    if (r->missing_count)
        answer_format(a, " that could be read before\n");
}

static void repair_put_text(struct answer *a, const char *path, const struct ras_repair *r)
{
    answer_path(a, path, "");
    answer_format(a, ": %s before, %s after: %s\n", ras_ending_name(r->before.kind),
                  ras_ending_name(r->after.kind), ras_counted(r->plan.patch_count, "patch").text);
    put_plan(a, &r->plan);
    answer_notes(a, r->plan.notes, r->plan.note_count);
    put_losses(a, r);
    for (size_t i = 0; i < r->left->finding_count; i++) {
        const struct ras_finding *f = &r->left->findings[i];
        if (f->severity != RAS_ERROR)
            continue;
        answer_format(a, "  not repaired: ");
        answer_name(a, r->left_parts[i]);
        answer_format(a, "%soffset %" PRIu64 ": ", *r->left_parts[i] ? ": " : "", f->offset);
        answer_name(a, f->text);
        answer_format(a, " [%s]\n", f->rule->id);
    }
}

/* The place of the loss in a trace that ends well: where the plan removes most bytes. */
static const struct ras_patch *most_removed(const struct ras_plan *plan)
{
    const struct ras_patch *most = plan->patches;
    for (size_t i = 1; i < plan->patch_count; i++)
        if (plan->patches[i].remove > most->remove)
            most = &plan->patches[i];
    return most;
}

/* "12 bytes and 3 records are lost" */
static void loss_words(const struct ras_repair *r, char *words, size_t room)
{
    uint64_t bytes = r->plan.lost_bytes, records = r->plan.lost_records;
    char some[100] = "", more[110] = "";
    if (bytes)
        snprintf(some, sizeof some, "%s", ras_counted(bytes, "byte").text);
    if (records && records != RAS_NONE)
        snprintf(more, sizeof more, "%s%s", bytes ? " and " : "",
                 ras_counted(records, "record").text);
    if (*some || *more)
        snprintf(words, room, "%s%s %s lost", some, more,
                 (bytes == 1 && !*more) || (!bytes && records == 1) ? "is" : "are");
    else
        snprintf(words, room, "an unknown amount of data is lost");
}

static void repair_say_loss(const char *path, const struct ras_trace *t, const struct ras_repair *r)
{
    const struct ras_ending *before = &r->before;
    const struct ras_patch *most = most_removed(&r->plan);
    const char *part = ras_part_name(t, before->part);
    char lost[100];
    loss_words(r, lost, sizeof lost);
    if (before->kind > RAS_COMPLETE)
        trouble("%s%s%s: offset %" PRIu64 ": %s: %s; %s", shown_path(path),
                slash_between(path, part), part, before->offset, ras_ending_name(before->kind),
                before->why, lost);
    else if (most)
        trouble("%s%s%s: offset %" PRIu64 ": %s", shown_path(path), slash_between(path, most->part),
                most->part, most->at, lost);
    else
        trouble("%s: %s", shown_path(path), lost);
}

/* Errors that are left have priority over losses. Both are reported. */
static int status_of(const char *path, const struct ras_trace *t, const struct ras_repair *r)
{
    static const int statuses[] = {[RAS_REPAIR_WHOLE] = EXIT_YES,
                                   [RAS_REPAIR_LOST] = EXIT_LOSS,
                                   [RAS_REPAIR_ERRORS] = EXIT_NO};
    uint64_t errors = r->left->by_severity[RAS_ERROR];
    if (r->plan.lost_bytes || r->plan.lost_records)
        repair_say_loss(path, t, r);
    if (errors)
        trouble("%s: %s %s left that no patch repairs", shown_path(path),
                ras_counted(errors, "error").text, errors == 1 ? "is" : "are");
    return statuses[ras_repair_outcome(r)];
}

static int repair(const struct options *o, const char *path, struct answer *answer)
{
    struct ras_trace *trace = open_operand(&o->common, path, false);
    if (!trace)
        return EXIT_TROUBLE;
    char backup[4096];
    bool to_stream = o->common.out && !strcmp(o->common.out, "-");
    size_t len = strlen(path);
    while (len > 1 && path[len - 1] == '/')
        len--;
    snprintf(backup, sizeof backup, "%.*s.undo.json", (int)len, path);
    struct ras_repair_options how = {.choices = o->common.choices,
                                     .choice_count = o->common.choice_count,
                                     .replace = o->common.force,
                                     .backup = o->backup ? o->backup : backup};
    if (o->in_place)
        how.in_place = path;
    else if (!o->dry_run && to_stream)
        how.sink = answer->sink;
    else if (!o->dry_run)
        how.path = o->common.out;
    struct ras_repair *repair;
    struct ras_error err;
    struct progress progress;
    progress_start(&progress, &o->common, "repair", answer->pager > 0);
    progress.percent = true; /* of several passes */
    how.progress = progress_at;
    how.user = &progress;
    int status = ras_repair(&repair, trace, &how, &err);
    progress_stop(&progress);
    if (status < 0) {
        ras_close(trace);
        return output_trouble(&o->common, &err);
    }
    answer_item(answer);
    status = EXIT_YES;
    if (how.sink)
        ;
    else if (!o->common.json)
        repair_put_text(answer, path, repair);
    else if (ras_repair_json(answer->sink, path, trace, repair, &err) < 0)
        status = trouble_at(path, &err);
    answer_flush(answer);
    if (!status)
        status = status_of(path, trace, repair);
    if (o->in_place && repair->plan.patch_count)
        remark(o->common.quiet, "%s: --undo %s reverts this", path, how.backup);
    ras_repair_free(repair);
    ras_close(trace);
    return status;
}

/* ---- runs ---------------------------------------------------------------------------- */

static void repaired_put_json(struct ras_json *j, const char *path,
                              const struct ras_pens_repaired *r)
{
    ras_json_object(j, NULL);
    ras_json_text(j, "path", path);
    ras_json_bool(j, "complete", r->complete);
    if (!r->complete) {
        ras_json_uint_or_null(j, "first_tick", r->first_tick);
        ras_json_uint_or_null(j, "last_tick", r->last_tick);
        ras_json_uint(j, "staged", r->staged);
        ras_json_object(j, "reached");
        for (size_t i = 0; i < r->reached_count; i++)
            ras_json_uint_or_null(j, r->reached[i].format, r->reached[i].tick);
        ras_json_end(j);
    }
    ras_json_end(j);
    ras_json_newline(j);
}

static void repaired_put_text(struct answer *a, const char *path, const struct ras_pens_repaired *r)
{
    answer_path(a, path, "");
    if (r->complete) {
        answer_format(a, ": closed, and its traces are whole: nothing to repair\n");
        return;
    }
    if (r->last_tick == RAS_NONE)
        answer_format(a, ": no tick is whole in all files; a program that opens its pens with "
                         "RAS_PENS_DURABLE loses none\n");
    else
        answer_format(a, ": ticks %" PRIu64 " to %" PRIu64 " in all files\n", r->first_tick,
                      r->last_tick);
    for (size_t i = 0; i < r->reached_count; i++)
        if (r->reached[i].tick == RAS_NONE)
            answer_format(a, "  %-8s no tick\n", r->reached[i].format);
        else
            answer_format(a, "  %-8s up to tick %" PRIu64 "\n", r->reached[i].format,
                          r->reached[i].tick);
    if (r->staged)
        answer_format(a, "  pens.stage has %s more\n", ras_counted(r->staged, "tick").text);
}

/* Read a trace to its end, which is known only then. */
static bool is_whole(struct ras_trace *trace)
{
    const struct ras_record *record;
    struct ras_cursor *cursor;
    int status = ras_cursor_open(&cursor, trace, NULL, NULL);
    while (status == RAS_OK)
        status = ras_next(cursor, &record, NULL);
    ras_cursor_close(cursor);
    return status == RAS_END && ras_ending(trace).kind < RAS_CUT;
}

/* Of a run that was closed the traces are repaired one by one: name those that need it. */
static int repair_closed(const struct options *o, const char *path)
{
    struct ras_rundir *run = open_run(&o->common, path);
    int status = run ? say_missing(run) : EXIT_TROUBLE;
    for (size_t i = 0; run && i < run->pen_count; i++) {
        const struct ras_rundir_pen *pen = &run->pens[i];
        if (pen->trace && !is_whole(pen->trace))
            status = trouble("%s is cut or damaged, and the run was closed: rastrum repair %s "
                             "--in-place",
                             shown_path(pen->path), shown_path(pen->path));
    }
    ras_rundir_close(run);
    return status == EXIT_YES ? EXIT_YES : EXIT_TROUBLE;
}

/* The directory of a run: all its traces at once. What the program did after the last tick is not
 * known: exit status 3. */
static int repair_rundir(const struct options *o, const char *path, struct answer *answer)
{
    struct ras_pens_repaired r;
    struct ras_error err;
    struct ras_pens_repair_options how = {.replace = o->common.force || o->in_place};
    if (strstr(path, "://"))
        return trouble("%s: a run is not repaired by its URL: download it", shown_path(path));
    if (o->backup)
        return trouble("--backup is for traces: a run is written again as a whole");
    if (o->in_place)
        how.path = path;
    else if (!o->dry_run)
        how.path = o->common.out;
    if (ras_pens_repair(&r, path, &how, &err) < 0)
        return trouble_with(&err);
    if (r.complete && repair_closed(o, path))
        return EXIT_TROUBLE;
    if (r.complete && !o->dry_run && !o->in_place)
        return trouble("%s: closed, and its traces are whole: nothing to repair", shown_path(path));
    answer_item(answer);
    if (o->common.json)
        repaired_put_json(answer_json(answer), path, &r);
    else
        repaired_put_text(answer, path, &r);
    return r.complete ? EXIT_YES : EXIT_LOSS;
}

static int repair_refuse(const struct options *o)
{
    const char *out = o->common.out;
    if (o->common.operands.count != 1)
        return trouble("repair takes one trace");
    if (o->dry_run + o->in_place + (out != NULL) != 1)
        return trouble("repair needs one of -o FILE, --dry-run or --in-place");
    if (o->in_place && !strcmp(o->common.operands.items[0], "-"))
        return trouble("standard input cannot be repaired in place");
    return out ? output_refuse(&o->common, "repaired copy") : 0;
}

static int repair_run(void *options)
{
    struct options *o = options;
    struct ras_error err;
    if (o->undo && o->common.operands.count == 1) {
        const char *path = o->common.operands.items[0];
        struct progress progress;
        progress_start(&progress, &o->common, "repair", false);
        int undone = ras_repair_undo(path, o->undo, &err);
        progress_stop(&progress);
        return undone < 0 ? trouble_with(&err) : EXIT_YES;
    }
    int status = repair_refuse(o);
    if (status)
        return status;
    struct answer answer;
    struct common common = o->common;
    if (common.out && strcmp(common.out, "-") != 0)
        common.out = NULL; /* the trace goes there; the report to standard output */
    status = answer_open(&answer, &common);
    if (status)
        return status;
    const char *path = o->common.operands.items[0];
    return answer_close(&answer, is_run(&o->common, path) ? repair_rundir(o, path, &answer)
                                                          : repair(o, path, &answer));
}

static const struct option_row rows[] = {
    {"dry-run", 'n', OPTION_FLAG, NULL, "print the plan and write nothing", NULL,
     offsetof(struct options, dry_run)},
    {"in-place", 0, OPTION_FLAG, NULL, "repair the trace itself, after writing a backup plan", NULL,
     offsetof(struct options, in_place)},
    {"backup", 0, OPTION_TEXT, "FILE", "name of the backup plan (default TRACE.undo.json)", NULL,
     offsetof(struct options, backup)},
    {"undo", 0, OPTION_TEXT, "FILE", "revert a repair in place with its backup plan", NULL,
     offsetof(struct options, undo)},
    {0},
};

const struct command cmd_repair = {
    .name = "repair",
    .alias = "recover",
    .operands = "TRACE",
    .about = "repair a truncated or damaged trace",
    .text =
        "Lists the patches that make a cut or damaged trace valid again, and writes the\n"
        "repaired copy with -o (a directory for an ATF session). Records are never altered and\n"
        "no complete record is lost. The exit status follows the result: 0 if it verifies and\n"
        "nothing was lost, 3 if something was lost (it is counted), 1 if errors are left. The\n"
        "trace itself is changed only with --in-place.\n",
    .examples = "rastrum repair --dry-run run.murk\nrastrum repair crashed.cdt -o repaired.cdt\n"
                "rastrum repair --in-place session/\n"
                "rastrum repair --undo session.undo.json session/\n",
    .exits = "0 repaired, nothing lost; 1 errors are left that no patch repairs; 2 error, or\n"
             "the trace cannot be read; 3 repaired, but something was lost",
    .rows = rows,
    .size = sizeof(struct options),
    .reads = true,
    .run = repair_run,
};
