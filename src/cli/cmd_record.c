/* cmd_record.c - record the calls of a program, or the state of a replay. */
#include "cli/comparison.h"
#include "cli/output_guard.h"
#include "cli/record_program.h"
#include "cli/say.h"
#include "cli/session.h"
#include "cli/world_choice.h"
#include <rastrum/replay.h>
#include <rastrum/rundir.h>

#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* By its name or by its magic bytes, which no program begins with. */
static bool is_replay(const char *path)
{
    char head[4] = "";
    size_t len = strlen(path);
    if (len > 5 && !strcmp(path + len - 5, ".murk"))
        return true;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool there = fd >= 0 && read(fd, head, sizeof head) == sizeof head;
    if (fd >= 0)
        close(fd);
    return there && !memcmp(head, "MURK", sizeof head);
}

/* Report why there is no state; for dbg in the words of the format's own tool. */
static int state_refuse(const char *path, const struct state_options *options,
                        const struct ras_replay *r)
{
    char why[200];
    if (r->verdict == RAS_REPLAY_START)
        return trouble("%s: cannot execute it: %s", shown_path(path), r->why);
    snprintf(why, sizeof why, "tick %" PRIu64 ": recorded=0x%016" PRIx64 " replayed=0x%016" PRIx64,
             r->tick_id, r->recorded, r->replayed);
    const char *text = r->verdict == RAS_REPLAY_MISMATCH ? why : r->why;
    if (options->compat)
        say_line("dbg record failed: ", text);
    else
        (void)trouble("%s: differs from the recording: %s", shown_path(path), text);
    return EXIT_NO;
}

static void state_put_json(struct ras_json *j, const char *path, const struct ras_replay *r)
{
    ras_json_object(j, NULL);
    ras_json_text(j, "trace", path);
    ras_json_object(j, "ticks");
    ras_json_uint(j, "start", 1);
    ras_json_uint(j, "end", r->ticks);
    ras_json_uint(j, "count", r->ticks);
    ras_json_end(j);
    ras_json_array(j, "channels");
    for (size_t i = 0; channel_words[i]; i++)
        ras_json_text(j, NULL, channel_words[i]);
    ras_json_end(j);
    ras_json_end(j);
    ras_json_newline(j);
}

static int state_put_answer(const struct common *c, const struct ras_replay *r)
{
    struct answer a;
    struct common common = *c;
    common.out = NULL; /* the trace is written there; the report is printed */
    int status = answer_open(&a, &common);
    if (status)
        return status;
    if (c->json) {
        state_put_json(answer_json(&a), c->out, r);
        return answer_close(&a, 0);
    }
    answer_format(&a, "trace=");
    answer_name(&a, c->out);
    answer_format(&a, "\nticks start=1 end=%" PRIu64 " count=%" PRIu64 "\n", r->ticks, r->ticks);
    for (size_t i = 0; channel_words[i]; i++)
        answer_format(&a, "%s%s", i ? "," : "channels=", channel_words[i]);
    answer_format(&a, "\n");
    return answer_close(&a, 0);
}

static int write_state(const struct common *c, const char *path, struct ras_trace *trace,
                       struct ras_replay_options *how, const struct state_options *options)
{
    struct ras_replay *r;
    struct ras_sink *sink;
    struct ras_error err;
    if (ras_sink_trace(&sink, c->out, c->force, &err) < 0)
        return trouble_with(&err);
    struct progress progress;
    progress_start(&progress, c, "record", false);
    how->progress = progress_at;
    how->user = &progress;
    int done = ras_replay_state(&r, trace, how, sink, &err);
    progress_stop(&progress);
    if (done < 0) {
        const char *at = input_of(&err, options->recipe, path, NULL);
        ras_sink_drop(sink);
        return trouble_at(at ? at : path, &err);
    }
    int status = 0;
    if (r->verdict != RAS_REPLAY_OK) {
        ras_sink_drop(sink);
        status = state_refuse(path, options, r);
    } else if (ras_sink_close(sink, &err) < 0) {
        status = trouble_with(&err);
    }
    struct ras_ending ending = ras_ending(trace);
    if (!status)
        status = state_put_answer(c, r);
    if (!status)
        status = say_ending(path, trace, &ending, c->quiet);
    ras_replay_free(r);
    return status;
}

int record_state(const struct common *c, const struct state_options *options)
{
    const char *path = c->operands.items[0];
    struct ras_replay_options how = {0};
    struct ras_bytes recipe = {0};
    int status = 0;
    if (c->operands.count != 1)
        return trouble("record takes one replay, or -- PROGRAM ARGS");
    if (!c->out || !strcmp(c->out, "-"))
        return trouble("record of a replay needs --out STATE.cdt");
    if (options->recipe && !(status = read_recipe(options->recipe, &recipe)))
        how.recipe = &recipe;
    if (!status && options->world)
        status = find_world(NULL, options->world, &how.world);
    struct ras_trace *trace = status ? NULL : open_operand(c, path, false);
    if (!status)
        status = trace ? write_state(c, path, trace, &how, options) : EXIT_TROUBLE;
    ras_close(trace);
    free((void *)(uintptr_t)recipe.at);
    return status;
}

struct options {
    struct common common;
    struct record_options record;
    struct state_options state;
};

/* ---- options ------------------------------------------------------------------------ */

static int needs_patching(const char *option)
{
    return trouble("--%s patches code, which is implemented for x86-64 only: compile the program "
                   "with -finstrument-functions and record it",
                   option);
}

static int check_attach(const struct options *o)
{
    const struct record_options *r = &o->record;
    if (!HOOKS_PATCH)
        return needs_patching(r->attach ? "attach" : "detach");
    if (o->common.operands.count || (r->attach && r->detach))
        return trouble("--attach and --detach take a process id, and no PROGRAM");
    if (r->follow || r->pens || r->children || r->check || r->explain)
        return trouble("--attach cannot be combined with --follow, --pens, --children, --check or "
                       "--explain");
    return 0;
}

/* All words after PROGRAM belong to it, also options; so `--` must come before it. */
static int record_check(const struct options *o)
{
    if (o->record.attach || o->record.detach)
        return check_attach(o);
    if (!o->common.operands.count)
        return trouble("missing program: rastrum record -o DIR -- PROGRAM ARGS");
    if (ras_rundir_exists(o->common.operands.items[0]))
        return trouble("%s is a run directory: name its replay, %s/replay.murk",
                       o->common.operands.items[0], o->common.operands.items[0]);
    if (!HOOKS_PATCH && (o->record.unmodified || o->record.explain || o->record.check))
        return needs_patching(o->record.unmodified ? "unmodified"
                              : o->record.explain  ? "explain"
                                                   : "check");
    if (o->record.pens && (o->record.follow || o->record.drop || o->record.triggers.count))
        return trouble("--pens cannot be combined with --follow, --drop or --trigger");
    if (o->state.world || o->state.recipe)
        return trouble("--world and --world-recipe are for replays: rastrum record REPLAY.murk "
                       "--out STATE.cdt");
    if (o->record.check && (o->record.follow || o->common.json))
        return trouble("--check cannot be combined with --follow or --json");
    return 0;
}

static void record_put_answer(struct program *r, int status)
{
    struct ras_json *j = answer_json(&r->report);
    ras_json_object(j, NULL);
    ras_json_text(j, "session", r->session);
    ras_json_int(j, "exit_status", status);
    ras_json_uint(j, "processes", r->processes);
    if (r->segments > r->processes)
        ras_json_uint(j, "segments", r->segments);
    ras_json_uint(j, "threads", r->threads);
    ras_json_uint(j, "events", r->events);
    ras_json_uint(j, "dropped", r->dropped);
    if (r->deleted)
        ras_json_uint(j, "deleted", r->deleted);
    ras_json_uint(j, "mended", r->repaired);
    ras_json_uint(j, "killed", r->killed);
    ras_json_text(j, "ended_by", *r->ended_by ? r->ended_by : NULL);
    ras_json_end(j);
    ras_json_newline(j);
}

/* What a program with pens has left. */
static void report_pens(const struct program *r)
{
    struct ras_rundir_ended ended = {.closed = true};
    struct ras_rundir *run;
    if (ras_rundir_open(&run, r->dir, NULL, NULL) == RAS_OK) {
        ras_rundir_how_ended(run, &ended);
        ras_rundir_close(run);
    }
    if (!ras_rundir_exists(r->dir))
        remark(r->common->quiet, "%s: no run was written: the program did not open its pens",
               r->dir);
    else if (!r->common->json && !ended.closed)
        remark(r->common->quiet,
               "%s: a run that its program did not close: rastrum repair %s -o COPY completes it",
               r->dir, r->dir);
    else if (!r->common->json)
        remark(r->common->quiet, "%s: a run, which rastrum verify checks", r->dir);
}

static uint64_t lost_events(const struct program *r)
{
    return r->dropped - r->left_out;
}

static void report_losses(const struct program *r)
{
    const struct common *c = r->common;
    if (r->repaired)
        remark(c->quiet, "%s: %zu of %s ended without closing their files; record closed them",
               r->dir, r->repaired, ras_counted(r->processes, "process").text);
    if (lost_events(r))
        remark(c->quiet, "%s: %s dropped (counted in the manifest)%s", r->dir,
               ras_counted(lost_events(r), "event").text,
               program_disk_is_full(r->session) ? "; the disk is full"
               : r->unwritten                   ? "; a file could not be written (a full disk?)"
                                                : "");
    if (r->killed)
        remark(c->quiet,
               "%s: %zu of %s killed: an unknown number of events is lost; --durable keeps them",
               r->dir, r->killed, ras_counted(r->processes, "process").text);
    if (r->unread)
        remark(c->quiet, "%s: the events of %s cannot be read: %s", r->dir,
               ras_counted(r->unread, "process").text, r->why);
}

/* Why there is no event. */
static void report_nothing(const struct program *r)
{
    const struct common *c = r->common;
    if (lost_events(r))
        remark(c->quiet, "%s: nothing was recorded: %s dropped, none stored", r->dir,
               ras_counted(lost_events(r), "event").text);
    else if (r->left_out)
        remark(
            c->quiet,
            "%s: nothing was recorded: %s left out (outside every --trigger window, shorter than "
            "--min-duration, or in a segment that --keep deleted)",
            r->dir, ras_counted(r->left_out, "event").text);
    else if (r->unread || r->unfinished)
        return; /* it was reported */
    else if (WIFSIGNALED(r->ended))
        remark(c->quiet,
               "%s: nothing was recorded: signal %d ended the program before events were stored; "
               "--durable keeps them",
               r->dir, WTERMSIG(r->ended));
    else
        remark(
            c->quiet,
            "%s: nothing was recorded: no function with hooks that matches the options was called",
            r->dir);
}

static void report_events(const struct program *r)
{
    const struct common *c = r->common;
    char deleted[128] = "";
    if (r->deleted)
        snprintf(deleted, sizeof deleted, "; --keep deleted %s",
                 ras_counted(r->deleted, "event").text);
    if (r->segments > r->processes)
        remark(c->quiet, "%s: %s in %s of %s%s", r->dir, ras_counted(r->events, "event").text,
               ras_counted(r->segments, "segment").text, ras_counted(r->processes, "process").text,
               deleted);
    else
        remark(c->quiet, "%s: %s of %s in %s%s", r->dir, ras_counted(r->events, "event").text,
               ras_counted(r->threads, "thread").text, ras_counted(r->processes, "process").text,
               deleted);
}

static int record_report(struct program *r, int status)
{
    const struct common *c = r->common;
    if (r->pens)
        report_pens(r);
    if (!r->bare) {
        report_losses(r);
        if (!r->events)
            report_nothing(r);
        else if (!c->json)
            report_events(r);
    }
    if (*r->ended_by && !c->json)
        remark(c->quiet, "%s: ended by %s", r->dir, r->ended_by);
    if (r->lacks_ns)
        remark(c->quiet,
               "%s: the first %.6f s of a window are incomplete: out of memory for its events; "
               "raise --history or shorten --pre-roll",
               r->dir, (double)r->lacks_ns / 1e9);
    if (c->json && r->report.sink)
        record_put_answer(r, status);
    bool lost = !r->bare && (r->unread || r->lacks_ns || (!r->events && lost_events(r)));
    return !status && lost ? EXIT_LOSS : status; /* the program succeeded, its recording did not */
}

/* Standard output belongs to the program: the report goes elsewhere. */
static int open_report(struct program *r, const char *path)
{
    struct common common = *r->common; /* -o names the session */
    if (!r->follow && !common.json)
        return path ? trouble("--report needs --json or --follow") : 0;
    common.out = path;
    return path && !strcmp(path, "-") ? answer_open(&r->report, &common)
                                      : answer_open_aside(&r->report, &common);
}

/* The exit status: the program's, unless the report cannot be written. */
static int close_report(struct program *r, bool failed, int status)
{
    if (failed)
        ras_sink_drop(r->report.sink);
    else if (answer_close(&r->report, 0))
        return EXIT_TROUBLE;
    return status;
}

static int record(struct program *r, const struct record_options *o)
{
    int failed = open_report(r, o ? o->report : NULL), status = 0;
    if (!failed)
        failed = o && o->attach ? program_attach(r, o->attach) : program_prepare(r);
    if (!failed && !r->attached)
        failed = program_record(r);
    int unfinished = failed ? 0 : program_finish(r);
    r->unfinished = unfinished;
    unmodified_close(r);
    if (!failed)
        status = record_report(r, WIFSIGNALED(r->ended) ? 128 + WTERMSIG(r->ended)
                                                        : WEXITSTATUS(r->ended));
    if (!status)
        status = unfinished; /* else the program's own, which ran to its end */
    return close_report(r, failed, failed ? failed : status);
}

static int record_once(struct program *r)
{
    return record(r, NULL);
}

static int record_or_explain(struct program *r, const struct record_options *o)
{
    if ((o->explain || o->check) && !r->unmodified)
        r->unmodified = "";
    if (o->explain)
        return unmodified_explain(r, !strcmp(o->explain, "functions"));
    return o->check ? record_compare(r, record_once) : record(r, o);
}

static int record_run(void *options)
{
    struct options *o = options;
    struct program r = {.common = &o->common,
                        .children = o->record.children,
                        .follow = o->record.follow,
                        .pens = o->record.pens,
                        .append = o->record.append,
                        .unmodified = o->record.unmodified};
    if (o->common.operands.count && is_replay(o->common.operands.items[0])) {
        guard_private(&o->common);
        return guard_output(&o->common) ? EXIT_TROUBLE : record_state(&o->common, &o->state);
    }
    int status = record_check(o);
    if (!status && o->record.detach)
        return program_detach(&o->common, o->record.detach);
    if (!status && !list_add(&o->common.operands, NULL))
        status = trouble("out of memory");
    if (!status)
        status = record_lines(&o->record, &r.hooks);
    r.command = o->common.operands.items;
    if (!status)
        status = record_or_explain(&r, &o->record);
    free(r.hooks);
    return status;
}

#define AT(member) offsetof(struct options, record.member)

static const char *const explain_words[] = {"counts", "functions", NULL};

static const struct option_row rows[] = {
    {"filter", 'F', OPTION_NAMES, "PATTERN", "only functions that match; may be repeated", NULL,
     AT(filters)},
    {"exclude", 'x', OPTION_NAMES, "PATTERN", "exclude functions that match; may be repeated", NULL,
     AT(excludes)},
    {"max-depth", 'd', OPTION_NUMBER, "N", "record calls down to this depth", NULL, AT(max_depth)},
    {"min-duration", 0, OPTION_TEXT, "TIME", "leave out, but count, calls shorter than this", NULL,
     AT(min_duration)},
    {"detail", 0, OPTION_NAMES, "PATTERN", "with registers and stack of these; may be repeated",
     NULL, AT(details)},
    {"trigger", 0, OPTION_NAMES, "WHAT",
     "record only around symbol=NAME, time=TIME, signal=NAME or crash", NULL, AT(triggers)},
    {"pre-roll", 0, OPTION_TEXT, "TIME",
     "time kept before a trigger (default: half a ring of events)", NULL, AT(pre_roll)},
    {"post-roll", 0, OPTION_TEXT, "TIME", "time recorded after a trigger (default 1s)", NULL,
     AT(post_roll)},
    {"history", 0, OPTION_NUMBER, "MIB", "memory for --pre-roll in MiB (default 512)", NULL,
     AT(history)},
    {"duration", 0, OPTION_TEXT, "TIME", "stop recording after this time; the program continues",
     NULL, AT(duration)},
    {"append", 0, OPTION_FLAG, NULL, "add a session to those in the directory", NULL, AT(append)},
    {"follow", 0, OPTION_FLAG, NULL, "print events on standard error while they are recorded", NULL,
     AT(follow)},
    {"report", 0, OPTION_TEXT, "FILE",
     "write the output of --follow and --json to this file or pipe", NULL, AT(report)},
    {"pens", 0, OPTION_FLAG, NULL, "the program has pens (rastrum/pens.h): -o is its run", NULL,
     AT(pens)},
    {"durable", 0, OPTION_FLAG, NULL, "keep unwritten events in files, so that a kill loses none",
     NULL, AT(durable)},
    {"compress", 0, OPTION_FLAG, NULL, "write the files as seekable zstd; every verb reads them",
     NULL, AT(compress)},
    {"rotate", 0, OPTION_TEXT, "SIZE|TIME",
     "begin a new segment after 64M, 1G, 10s, 5m or the like", NULL, AT(rotate)},
    {"keep", 0, OPTION_NUMBER, "N", "keep the newest N segments, delete older ones", NULL,
     AT(keep)},
    {"drop", 0, OPTION_FLAG, NULL, "never wait for a slow disk: drop events and count them", NULL,
     AT(drop)},
    {"world", 0, OPTION_TEXT, "FILE.so", "replay: your own world (rastrum/world.h)", NULL,
     offsetof(struct options, state.world)},
    {"world-recipe", 0, OPTION_TEXT, "FILE", "replay: the recipe, if it has none", NULL,
     offsetof(struct options, state.recipe)},
    {"unmodified", 0, OPTION_TEXT, "MODULES",
     "patch functions of these as they are (default: PROGRAM)", NULL, AT(unmodified), ""},
    {"explain", 0, OPTION_TEXT, "WHAT", "only print what --unmodified patches: counts or functions",
     explain_words, AT(explain), "counts"},
    {"check", 0, OPTION_FLAG, NULL, "run PROGRAM without and with --unmodified, and compare", NULL,
     AT(check)},
    {"attach", 0, OPTION_TEXT, "PID", "record a process that is running, until interrupted", NULL,
     AT(attach)},
    {"detach", 0, OPTION_TEXT, "PID", "end the recording of a process by --attach", NULL,
     AT(detach)},
    {"children", 0, OPTION_FLAG, NULL,
     "record the programs that PROGRAM runs; it needs no hooks itself", NULL, AT(children)},
    {0},
};

const struct command cmd_record = {
    .name = "record",
    .operands = "REPLAY.murk | --attach PID | -- PROGRAM [ARGS]",
    .about = "record the calls of a program, or the state of a replay",
    .text =
        "Executes REPLAY.murk again, as replay does, and writes the state of its world after\n"
        "every tick to the CDT trace given by --out. If a tick differs from the recording,\n"
        "nothing is written and the exit status is 1.\n\n"
        "Runs PROGRAM and writes every call and return of its functions to the directory given\n"
        "by -o (default ada_traces), a session that every verb reads. No event is lost: a\n"
        "thread waits if the disk is too slow. The exit status is that of the program, or\n"
        "128 + N if signal N ended it. Standard output is the program's, too: the output of\n"
        "--json and --follow goes to standard error, or to the file given by --report.\n\n"
        "Compile the program, or one of its libraries, with one of these options of gcc or\n"
        "clang. Optimization and linking are as usual:\n\n"
        "  -finstrument-functions         also records inlined functions\n"
        "  -pg -mfentry                   only functions that are called; smaller\n"
        "  -fpatchable-function-entry=5   the same; free when nothing is recorded\n\n"
        "Function names come from -g or a symbol table. Link the program dynamically.\n\n"
        "Programs that were not compiled so are patched in memory by --unmodified, function by\n"
        "function where that is safe; --explain prints which are not, and why. MODULES are\n"
        "globs, separated by commas, on the name or path of PROGRAM and its libraries; one with\n"
        "a slash also names files that PROGRAM loads later. --check runs PROGRAM twice, and exits\n"
        "0 if its output and exit status are the same, 1 if not, 3 if that is not known.\n\n"
        "--attach patches the functions of a process that is running, which is stopped for some\n"
        "milliseconds. Interrupt, --duration, --detach PID or its end ends the recording.\n\n"
        "A PATTERN is a glob on the whole name (C++: ns::name, without parameters) or\n"
        "/a regular expression/ on any part of it; @MODULE after it is a glob on the file.\n",
    .examples = "cc -g -O2 -finstrument-functions -o demo demo.c\n"
                "rastrum record -o demo.calls -- ./demo --fast\n"
                "rastrum cat --merged demo.calls\n"
                "rastrum record -F 'parse_*' -x '@libc*' -o demo.calls -- ./demo\n"
                "rastrum record --trigger crash --pre-roll 2s -o demo.calls -- ./demo\n"
                "rastrum record --unmodified -o sort.calls -- sort -u names.txt\n"
                "rastrum record --explain -- sort\n"
                "rastrum record --attach 4711 --duration 10s -o server.calls\n"
                "rastrum record --children -o suite.calls -- make check\n"
                "rastrum record --pens -o run1 -- ./game --demo\n"
                "rastrum record replay.murk --out state.cdt\n",
    .exits = "that of PROGRAM, 128 + N if signal N ended it; 2 if it cannot be recorded; 3 if\n"
             "it exits 0 but events were lost. Of a replay: 0 recorded; 1 it differs from the\n"
             "recording; 2 error; 3 recorded, but it was cut",
    .refuses = "input-format dialect pager",
    .rows = rows,
    .size = sizeof(struct options),
    .run = record_run,
};
