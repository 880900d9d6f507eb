/* cmd_finalize.c - a Frida raw capture to CDT traces, one per run. */
#include "cli/session.h"
#include <rastrum/cdt.h>

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct options {
    struct common common;
    bool salvage;
};

static void put_int(struct answer *a, const char *key, struct ras_cdt_int n)
{
    if (n.wide)
        answer_format(a, "%s%" PRIu64, key, (uint64_t)n.value);
    else
        answer_format(a, "%s%" PRId64, key, n.value);
}

static void finalize_put_run(struct answer *a, const struct ras_cdt_finalized_run *run)
{
    answer_format(a, "trace=");
    answer_path(a, run->trace, "");
    put_int(a, " run_id=", run->run_id);
    answer_format(a, " ticks=%" PRIu64, run->ticks);
    put_int(a, " mode=", run->mode_id);
    put_int(a, " quest=", run->quest_stage_major);
    put_int(a, ".", run->quest_stage_minor);
    answer_format(a, "\n");
}

/* Ticks that the capture numbers but lacks: a trace has its own numbers. */
static void say_gap(const struct options *o, const struct ras_cdt_finalized_run *run)
{
    int64_t first = run->global_tick_first.value, last = run->global_tick_last.value;
    if (!run->has_global || run->global_tick_first.wide || run->global_tick_last.wide ||
        first < 0 || last < first || (uint64_t)(last - first) < run->ticks)
        return;
    remark(o->common.quiet,
           "%s: ticks %" PRId64 " to %" PRId64 " of the capture, of which %" PRIu64 " are missing",
           run->trace, first, last, (uint64_t)(last - first) + 1 - run->ticks);
}

/* What to do about a refusal; "": what it says is enough. */
static const char *finalize_hint(const char *text)
{
    static const struct {
        const char *about, *hint;
    } hints[] = {
        {"unsupported capture_format_version",
         "; finalize it with the host script that belongs to the capture script (--finalize-only "
         "--keep-raw), then rastrum info TRACE.cdt"},
        {"ended with active run", "; rastrum finalize --salvage keeps these"},
    };
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if (strstr(text, hints[i].about))
            return hints[i].hint;
    return "";
}

/* "PATH: line N: text": the reference says PATH.lines[N] text, or .field text. */
static void finalize_refuse(const char *path, const struct ras_cdt_finalized *r)
{
    char place[40] = "", line[40] = "";
    const char *text = r->refusal;
    size_t len = strlen(path);
    if (r->line) {
        snprintf(place, sizeof place, ".lines[%" PRIu64 "]", r->line);
        snprintf(line, sizeof line, "line %" PRIu64 ": ", r->line);
    }
    if (!strncmp(text, path, len) && !strncmp(text + len, place, strlen(place)))
        text += len + strlen(place);
    trouble("%s: %s%s%s", shown_path(path), line, text + (*text == ' ' || *text == '.'),
            finalize_hint(text));
}

static int finalize_report(const struct options *o, const struct ras_cdt_finalized *r,
                           struct answer *a)
{
    const char *path = o->common.operands.items[0];
    struct ras_error err;
    int status = r->refusal ? EXIT_NO : EXIT_YES;
    if (o->common.json && ras_cdt_finalized_json(a->sink, path, r, &err) < 0)
        status = trouble_with(&err);
    for (size_t i = 0; !o->common.json && i < r->run_count; i++)
        finalize_put_run(a, &r->runs[i]);
    if (!o->common.json && !r->refusal)
        answer_format(a, "finalized traces=%zu ticks=%" PRIu64 "\n", r->run_count, r->ticks);
    answer_flush(a);
    for (size_t i = 0; i < r->run_count; i++)
        say_gap(o, &r->runs[i]);
    if (r->empty_runs)
        remark(o->common.quiet, "%s: skipped %s without ticks", shown_path(path),
               ras_counted(r->empty_runs, "run").text);
    if (r->cut_bytes)
        trouble("%s: line %" PRIu64 ": cut: the last %" PRIu64 " bytes are not a complete row",
                shown_path(path), r->lines, r->cut_bytes);
    if (r->open_runs)
        trouble("%s: the last run has no run_end: draws after its last tick are not known",
                shown_path(path));
    if (r->refusal)
        finalize_refuse(path, r);
    return !status && (r->cut_bytes || r->open_runs) ? EXIT_LOSS : status;
}

/* A trace is not a raw capture: 0, or EXIT_TROUBLE after saying so. */
static int refuse_trace(const char *path)
{
    struct ras_trace *trace;
    int status = 0;
    if (arrives(path) || ras_open(&trace, path, NULL, NULL) < 0)
        return 0; /* reading it reports the error */
    if (!strcmp(ras_format_of(trace)->name, "cdt"))
        status =
            trouble("%s: this is a CDT trace, not a raw capture: it needs no finalize; rastrum "
                    "info %s",
                    path, path);
    else
        status =
            only_for("finalize", "raw captures (JSON Lines)", path, trace, "rastrum info %s", path);
    ras_close(trace);
    return status;
}

static int finalize_run(void *options)
{
    const struct options *o = options;
    struct common common = o->common;
    struct answer answer;
    struct progress progress;
    struct ras_cdt_finalized *r;
    struct ras_error err;
    if (common.operands.count != 1)
        return trouble("finalize takes one raw capture");
    if (common.out && !strcmp(common.out, "-"))
        return trouble("finalize writes several files: --out must name a directory");
    int status = refuse_trace(common.operands.items[0]);
    common.out = NULL; /* the traces go there; the report to standard output */
    if (!status)
        status = answer_open(&answer, &common);
    if (status)
        return status;
    const struct ras_cdt_finalize_options how = {
        .out = o->common.out, .salvage = o->salvage, .progress = progress_at, .user = &progress};
    progress_start(&progress, &o->common, "finalize", answer.pager > 0);
    status = ras_cdt_finalize(&r, common.operands.items[0], &how, &err);
    progress_stop(&progress);
    if (status < 0)
        return answer_close(&answer, err.offset == RAS_NONE
                                         ? trouble_with(&err) /* it names the file */
                                         : trouble_at(common.operands.items[0], &err));
    status = finalize_report(o, r, &answer);
    ras_cdt_finalized_free(r);
    return answer_close(&answer, status);
}

static const struct option_row rows[] = {
    {"salvage", 0, OPTION_FLAG, NULL,
     "drop an incomplete last line, skip empty runs, keep unended ones", NULL,
     offsetof(struct options, salvage)},
    {0},
};

const struct command cmd_finalize = {
    .name = "finalize",
    .operands = "RAW",
    .about = "make CDT traces from a Frida raw capture",
    .text = "RAW is the output of the capture script: JSON Lines of capture format 13, 14, 15, 28\n"
            "or 29. Each run in it becomes STEM.LABEL.runK.cdt in the directory given by --out\n"
            "(default: that of RAW), of container 1 (13 to 15) or 2 (28, 29);\n"
            "STEM.LABEL.runK.rng_evidence.json beside it lists random draws outside of ticks. Of\n"
            "formats 28 and 29 there are a capture replay (.ccr) and an evidence file\n"
            "(.evidence.msgpack.zst), too. Existing files are replaced. RAW is not changed.\n\n"
            "At the first invalid row finalize reports its line and exits 1; the runs finished\n"
            "before it are kept (13 to 15), or no file is written (28, 29). --salvage accepts a\n"
            "capture that was interrupted: its incomplete last line is dropped (exit status 3).\n",
    .examples = "rastrum finalize gameplay_diff_capture.jsonl --out traces/\n"
                "rastrum finalize --json capture.jsonl\n",
    .exits = "0 written; 1 the capture is refused; 2 error; 3 written, but --salvage dropped\n"
             "the last line or kept a run without an end",
    .refuses = "input-format dialect force",
    .rows = rows,
    .size = sizeof(struct options),
    .reads = true,
    .out_is_shared = true,
    .run = finalize_run,
};
