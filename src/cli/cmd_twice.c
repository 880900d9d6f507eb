/* cmd_twice.c - run a program again and again, and say what makes it differ. */
#include "cli/record_program.h"
#include "cli/say.h"
#include "cli/twice_report.h"
#include "twice/call_shape.h"
#include "twice/program_facts.h"
#include <rastrum/symbols.h>

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CONDITIONS_NAME "librastrum-conditions.so"

enum {
    PINNED_RUNS = 2,
    PINNED_MOST = 100,
    TRIES = 3,
    RUNS_MOST = 200,
    TIMEOUT_S = 60,
    OUTPUT_MIB = 512,
    RECORDING_MIB = 2048,
};

struct options {
    struct common common;
    struct record_options record;
    struct list vary, only, keep, ignored, files;
    struct number pinned, runs, timeout, recording_mib;
    const char *input;
    const char *addresses; /* a row of address_rows; NULL: the first */
    bool no_calls;
};

/* How addresses in details are compared: by an option of `diff`. */
static const struct address_row {
    const char *name, *choice;
} address_rows[] = {{"kind", "normalise"}, {"number", "number-addresses"}};

/* NULL: none has this name. */
static const struct address_row *address_row(const char *name)
{
    for (size_t i = 0; i < sizeof address_rows / sizeof *address_rows; i++)
        if (!name || !strcmp(address_rows[i].name, name))
            return &address_rows[i];
    return NULL;
}

/* The runs of a program. */
struct twice {
    const struct options *o;
    struct launch launch;
    struct program program; /* for its plans */
    struct common quiet;
    char conditions[4096], hooks[4096];
    struct ras_symbols *symbols;
    struct outcome reference;
    struct twice_evidence alone[TWICE_CONDITIONS], together, pinned;
    unsigned run;
    bool line_wanted, caught;
    struct program_facts facts;
    const char *why_not_loaded; /* the conditions; NULL: they are */
    bool bare_known, bare_same; /* whether it does the same without being recorded */
    bool calls_vary;            /* between pinned runs: they are not reported */
    char incomplete[240], why_not_recorded[240];
};

/* ---- what can be loaded into the program --------------------------------------------------- */

static bool runs_as_another(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && st.st_mode & (S_ISUID | S_ISGID) && st.st_uid != getuid();
}

static bool can_load(const char *path, const char **why)
{
    struct ras_binary b;
    bool known = ras_binary_inspect(path, &b, NULL) == RAS_OK;
    if (runs_as_another(path))
        *why = "it runs as another user";
    else if (known && !b.is_dynamic)
        *why = "it is statically linked";
    else
        return true; /* a script's interpreter may take it */
    return false;
}

/* Whether its calls can be recorded, and by what. */
static bool choose_hooks(struct twice *t)
{
    struct ras_binary b;
    const char *why = "";
    if (t->o->no_calls)
        why = "--no-calls";
    else if (!can_load(t->program.path, &why))
        return snprintf(t->why_not_recorded, sizeof t->why_not_recorded, "%s", why) < 0;
    else if (ras_binary_inspect(t->program.path, &b, NULL) < 0)
        why = "it is a script, or not a program for this machine";
    else if (program_hooks(t->program.path) & HOOKS_KNOWN)
        return true;
    if (*why) {
        snprintf(t->why_not_recorded, sizeof t->why_not_recorded, "%s", why);
        return false;
    }
    t->program.unmodified = t->o->record.unmodified ? t->o->record.unmodified : "";
    t->launch.plans = unmodified_try(&t->program);
    if (!t->launch.plans)
        snprintf(t->why_not_recorded, sizeof t->why_not_recorded,
                 "none of its functions can be patched");
    return t->launch.plans;
}

static bool twice_interrupted(void)
{
    return interrupted() != 0;
}

/* The calls of a program that was patched are those of its author's functions, of which most say
 * nothing of what it does: an interpreter's depend on the seeds of its tables. They decide only
 * where nothing else differs, unless --unmodified says that they matter. So do those of a program
 * with signal handlers, which interrupt it anywhere. */
static bool calls_are_last(const struct twice *t)
{
    return t->launch.hooks && !t->o->record.unmodified && (t->launch.plans || t->facts.has_signals);
}

/* Of one that was stripped they have no names, and of one with signal handlers they depend on when
 * these come: they decide nothing. */
static bool calls_are_never(const struct twice *t)
{
    return calls_are_last(t) && t->launch.plans && (!t->facts.has_names || t->facts.has_signals);
}

/* ---- runs --------------------------------------------------------------------------------- */

static void show_twice_run(const struct twice *t, uint32_t changed)
{
    unsigned size = twice_set_size(changed);
    if (!t->line_wanted)
        return;
    if (size == 1)
        progress_draw("twice: run %u: %s", t->run,
                      twice_condition_rows[__builtin_ctz(changed)].name);
    else
        progress_draw("twice: run %u: %u conditions changed", t->run, size);
}

static void note_incomplete(struct twice *t, const char *why)
{
    if (*why && !*t->incomplete)
        snprintf(t->incomplete, sizeof t->incomplete, "%s", why);
}

/* Make a run and take what it left, as `name`. 0, or EXIT_TROUBLE after saying why. */
static int twice_make_run(struct twice *t, uint32_t changed, unsigned attempt, const char *name,
                          struct outcome *out)
{
    struct launched how;
    const char *program = t->program.command[0];
    *out = (struct outcome){0};
    t->run++;
    show_twice_run(t, changed);
    if (!launch_prepare(&t->launch))
        return trouble("%s: %s", t->launch.scratch, strerror(errno));
    snprintf(t->program.session, sizeof t->program.session, "%.4000s/run/calls", t->launch.scratch);
    bool patched = t->launch.hooks && t->launch.plans && !t->launch.bare;
    if (patched && unmodified_write(&t->program))
        return EXIT_TROUBLE;
    bool whole = launch_run(&t->launch, changed, attempt, &how);
    if (!whole) {
        t->caught = true;
        return EXIT_TROUBLE;
    }
    if (how.failed)
        return trouble("%s: %s: %s", program, how.what, strerror(how.failed));
    if (patched)
        unmodified_remove(&t->program);
    if (!outcome_take(out, &t->launch, &how, name))
        return trouble("%s: %s", t->launch.scratch, strerror(errno));
    return 0;
}

static void finish_run(struct twice *t, struct outcome *o)
{
    outcome_finish(o, t->symbols);
    note_incomplete(t, o->incomplete);
}

/* Where the clock cannot be pinned, a second later: what it depends on is a pinned run that
 * differs. */
static void let_time_pass(const struct twice *t)
{
    const struct timespec second = {1, 100000000};
    if (!t->launch.conditions && t->run == 1)
        nanosleep(&second, NULL);
}

/* A pinned run that must be ended says nothing of the others. */
static int check_reference(const struct twice *t)
{
    const char *program = t->program.command[0];
    if (t->reference.how.timed_out)
        return trouble("%s: did not end within %u s: --timeout SECONDS gives it more", program,
                       t->launch.timeout_s);
    if (t->reference.how.too_much)
        return trouble("%s: wrote more than %d MiB of output: have it write to a file below the "
                       "working directory, which is compared by its SHA-256",
                       program, OUTPUT_MIB);
    if (t->reference.how.too_recorded)
        return trouble("%s: more than %" PRIu64 " MiB were recorded: --filter records fewer "
                       "functions, --no-calls none, and --max-recording MIB allows more",
                       program, t->launch.recording_most >> 20);
    return 0;
}

/* A program that crashes when it is patched, and only then, is run without. */
static int retry_unrecorded(struct twice *t)
{
    struct outcome bare;
    const char *hooks = t->launch.hooks;
    if (!t->launch.plans || !hooks || !WIFSIGNALED(t->reference.how.ended))
        return 0;
    t->launch.hooks = NULL;
    int status = twice_make_run(t, 0, 0, "unrecorded", &bare);
    if (status)
        return status;
    if (WIFSIGNALED(bare.how.ended)) {
        t->launch.hooks = hooks;
        outcome_free(&bare);
        return 0;
    }
    outcome_free(&t->reference);
    t->reference = bare;
    t->incomplete[0] = 0;
    snprintf(t->why_not_recorded, sizeof t->why_not_recorded,
             "the program crashes when it is patched");
    return 0;
}

static int twice_reference(void *user)
{
    struct twice *t = user;
    int status = twice_make_run(t, 0, 0, "pinned", &t->reference);
    if (!status)
        status = retry_unrecorded(t);
    if (!status)
        status = check_reference(t);
    if (!status)
        finish_run(t, &t->reference);
    return status ? -status : 0;
}

static struct twice_evidence *slot_of(struct twice *t, uint32_t set)
{
    unsigned size = twice_set_size(set);
    return !size ? &t->pinned : size == 1 ? &t->alone[__builtin_ctz(set)] : &t->together;
}

static void evidence_free(struct twice_evidence *e)
{
    if (!e->there)
        return;
    divergence_free(&e->divergence);
    outcome_free(&e->outcome);
    *e = (struct twice_evidence){0};
}

static bool calls_differ(struct twice *t, struct twice_evidence *e)
{
    const struct ras_choice choice = {.name = address_row(t->o->addresses)->choice};
    const struct ras_compare_options how = {.choices = &choice,
                                            .choice_count = 1,
                                            .ignored = t->o->ignored.items,
                                            .ignored_count = t->o->ignored.count,
                                            .any_paths = true};
    if (e->compared)
        return e->divergence.calls;
    e->compared = true;
    finish_run(t, &e->outcome);
    bool differ = outcome_calls_differ(&t->reference, &e->outcome, &how, &e->divergence);
    note_incomplete(t, e->divergence.failed);
    return differ;
}

/* The first run of a set that differs is kept; of several conditions, the last. One that differs in
 * more than its calls replaces one that does not. */
static bool is_kept(const struct twice *t, const struct twice_evidence *slot,
                    const struct twice_evidence *e)
{
    return !slot->there || slot == &t->together || slot->how < e->how;
}

/* Make a run and compare all but its calls. */
static int compare_run(struct twice *t, bool bare, struct twice_evidence *e)
{
    char name[32];
    snprintf(name, sizeof name, "run-%u", t->run);
    let_time_pass(t);
    t->launch.bare = e->bare = bare;
    int status = twice_make_run(t, e->set, e->attempt, name, &e->outcome);
    t->launch.bare = false;
    e->there = !status;
    if (!status && outcome_differs(&t->reference, &e->outcome, &e->divergence))
        e->how = TWICE_DIFFERS;
    return status;
}

/* Where calls say nothing more, a program need not be recorded, which takes much of the time:
 * if it then does the same when all is pinned. */
static bool can_be_bare(struct twice *t, uint32_t changed)
{
    struct twice_evidence e = {.set = 0};
    if (!calls_are_last(t) || !t->launch.plans || (changed & TWICE_BIT(TWICE_STACK)))
        return false;
    if (!t->bare_known) {
        t->bare_known = true;
        t->bare_same = !compare_run(t, true, &e) && !e.how;
        evidence_free(&e);
    }
    return t->bare_same;
}

/* How runs differ whose calls do, and nothing else. */
static enum twice_difference difference_in_calls(const struct twice *t,
                                                 const struct twice_evidence *e)
{
    struct ras_trace *const *traces = e->divergence.traces;
    bool shared = t->reference.threads > 1 && traces[0] && traces[1] &&
                  !e->divergence.calls_missing && call_shapes_equal(traces[0], traces[1]);
    return shared ? TWICE_DIFFERS_IN_SHARES : TWICE_DIFFERS_IN_CALLS;
}

static int twice_differs(void *user, uint32_t changed, unsigned attempt, bool calls)
{
    struct twice *t = user;
    struct twice_evidence e = {.set = changed, .attempt = attempt}, *slot = slot_of(t, changed);
    if (compare_run(t, !calls && can_be_bare(t, changed), &e))
        return -EXIT_TROUBLE;
    /* Of a program that was patched, later: see complete_evidence(). */
    if (calls && !(e.how && calls_are_last(t)) && calls_differ(t, &e) && !e.how)
        e.how = difference_in_calls(t, &e);
    int how = (int)e.how;
    if (how && is_kept(t, slot, &e)) {
        evidence_free(slot);
        *slot = e;
    } else {
        evidence_free(&e);
    }
    return how;
}

/* Whether calls that were not compared so far are the same in two pinned runs. */
static bool calls_are_steady(struct twice *t)
{
    struct twice_evidence e = {.set = 0};
    bool steady = !compare_run(t, false, &e) && !e.how && !calls_differ(t, &e);
    evidence_free(&e);
    return steady;
}

/* Calls of a run that is reported: one that was not recorded is made again. */
static void complete_evidence(struct twice *t, struct twice_evidence *e)
{
    struct twice_evidence again = {.set = e->set, .attempt = e->attempt};
    if (!e->there || t->calls_vary)
        return;
    if (e->bare && !compare_run(t, false, &again) && again.how) {
        evidence_free(e);
        *e = again;
    } else if (e->bare) {
        evidence_free(&again);
        return;
    }
    (void)calls_differ(t, e);
}

static bool twice_has_threads(void *user)
{
    const struct twice *t = user;
    return !t->reference.has_calls || t->reference.threads > 1 || t->facts.has_signals;
}

/* ---- what is kept ------------------------------------------------------------------------- */

static int keep_as(struct twice *t, struct outcome *o, const char *name)
{
    char path[2 * PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", t->o->common.out, name);
    tree_remove(path);
    if (rename(o->dir, path) < 0)
        return trouble("%s: %s", path, strerror(errno));
    o->dir[0] = 0;
    return 0;
}

static int keep_all(struct twice *t, const struct twice_result *r)
{
    int status = keep_as(t, &t->reference, "pinned");
    if (!status && r->pinned)
        status = keep_as(t, &t->pinned.outcome, "pinned-again");
    for (size_t i = 0; !status && i < r->found.cause_count; i++) {
        uint32_t set = r->found.causes[i].set;
        struct twice_evidence *e = slot_of(t, set);
        char name[400] = "";
        size_t len = 0;
        for (unsigned k = 0; k < TWICE_CONDITIONS; k++)
            if (set & TWICE_BIT(k))
                len += (size_t)snprintf(name + len, sizeof name - len, "%s%s", len ? "+" : "",
                                        twice_condition_rows[k].name);
        if (e->there && e->set == set)
            status = keep_as(t, &e->outcome, name);
    }
    return status;
}

/* ---- the search ------------------------------------------------------------------------------ */

static int put_result_of(struct twice *t, struct twice_result *r)
{
    struct common common = t->o->common;
    struct answer a;
    common.out = NULL;
    int status = answer_open(&a, &common);
    if (status)
        return status;
    if (common.json)
        twice_put_json(answer_json(&a), r);
    else
        twice_put_text(&a, r);
    int verdict = r->found.uncontrolled || r->found.cause_count ? EXIT_NO
                  : r->found.exhausted                          ? EXIT_LOSS
                                                                : EXIT_YES;
    return answer_close(&a, r->incomplete ? EXIT_LOSS : verdict);
}

static void read_first_line(const struct outcome *o, char line[OUTCOME_LINE])
{
    char path[PATH_MAX + 16];
    snprintf(path, sizeof path, "%s/stderr", o->dir);
    FILE *file = fopen(path, "re");
    if (!file || !fgets(line, OUTCOME_LINE, file))
        *line = 0;
    line[strcspn(line, "\n")] = 0;
    if (file)
        fclose(file);
}

static int twice_report(struct twice *t, const struct twice_found *found, uint32_t varied,
                        uint32_t left_out)
{
    struct twice_result r = {.launch = &t->launch,
                             .found = *found,
                             .varied = varied,
                             .left_out = left_out,
                             .pinned = found->uncontrolled && t->pinned.there ? &t->pinned : NULL,
                             .ending = t->reference.how,
                             .kept = t->o->common.out,
                             .recorded = t->reference.has_calls || t->reference.has_pens,
                             .incomplete = *t->incomplete ? t->incomplete : NULL,
                             .unpinned =
                                 t->launch.conditions ? t->facts.unpinned : t->why_not_loaded,
                             .why_not_recorded = *t->why_not_recorded ? t->why_not_recorded : NULL};
    read_first_line(&t->reference, r.said);
    t->calls_vary = found->calls_vary && !found->uncontrolled;
    if (calls_are_never(t) && found->cause_count && !found->uncontrolled)
        t->calls_vary = !calls_are_steady(t);
    if (t->calls_vary) {
        r.recorded = false;
        r.why_not_recorded = "they differ between pinned runs, in which all else is the same";
    }
    if (r.pinned)
        complete_evidence(t, &t->pinned);
    for (size_t i = 0; i < found->cause_count; i++) {
        struct twice_evidence *e = slot_of(t, found->causes[i].set);
        complete_evidence(t, e);
        r.each[i] = e->there && e->set == found->causes[i].set ? e : NULL;
    }
    r.found.runs = t->run;
    r.incomplete = *t->incomplete ? t->incomplete : NULL;
    if (r.incomplete)
        remark(t->o->common.quiet, "a recording is incomplete: %s", r.incomplete);
    int status = put_result_of(t, &r);
    int kept = r.kept ? keep_all(t, &r) : 0;
    return kept ? kept : status;
}

static int search_all(struct twice *t, uint32_t varied)
{
    uint32_t left_out = launch_left_out(&t->launch, varied);
    const struct options *o = t->o;
    struct twice_found found;
    const struct twice_search how = {
        .varied = varied & ~left_out,
        .pinned = o->pinned.given ? (unsigned)o->pinned.value : PINNED_RUNS,
        .tries = o->pinned.given && o->pinned.value > TRIES ? (unsigned)o->pinned.value : TRIES,
        .apart = calls_are_never(t) ? TWICE_BIT(TWICE_STACK) : 0, /* it needs the hooks */
        .calls_last = calls_are_last(t),
        .calls_never = calls_are_never(t),
        .runs_most = o->runs.given ? (unsigned)o->runs.value : RUNS_MOST,
        .user = t,
        .reference = twice_reference,
        .differs = twice_differs,
        .has_threads = twice_has_threads};
    int status = twice_search(&how, &found);
    if (t->line_wanted)
        progress_clear();
    if (t->caught)
        return 128 + interrupted();
    return status < 0 ? EXIT_TROUBLE : twice_report(t, &found, how.varied, left_out);
}

/* ---- beginning and end -------------------------------------------------------------------- */

static int make_place(const struct options *o, char dir[PATH_MAX])
{
    const char *out = o->common.out, *temporary = getenv("TMPDIR");
    if (!out) {
        snprintf(dir, PATH_MAX, "%s", temporary && *temporary ? temporary : "/tmp");
        return 0;
    }
    if (!strcmp(out, "-"))
        return trouble("recordings are kept in a directory: use -o DIR");
    struct stat st;
    if (mkdir(out, 0777) < 0 && errno != EEXIST)
        return trouble("%s: %s", out, strerror(errno));
    char pinned[2 * PATH_MAX];
    snprintf(pinned, sizeof pinned, "%s/pinned", out);
    if (stat(pinned, &st) == 0 && !o->common.force)
        return trouble("%s exists; --force replaces it", pinned);
    return realpath(out, dir) ? 0 : trouble("%s: %s", out, strerror(errno));
}

/* Every run begins with the same input, so that what waits on ours is not the program's. */
static void say_input(const struct options *o)
{
    struct stat st;
    int waiting = 0;
    if (o->input || fstat(STDIN_FILENO, &st) < 0)
        return;
    if ((S_ISREG(st.st_mode) && st.st_size > 0) ||
        (S_ISFIFO(st.st_mode) && ioctl(STDIN_FILENO, FIONREAD, &waiting) == 0 && waiting > 0))
        remark(o->common.quiet, "standard input is not given to the program, whose input is empty; "
                                "--stdin FILE gives it one");
}

static int twice_open(struct twice *t, char whole[PATH_MAX], char input[PATH_MAX])
{
    const struct options *o = t->o;
    char dir[PATH_MAX];
    const char *why = NULL;
    int status = program_find(&t->program);
    if (status)
        return status;
    if (!realpath(t->program.path, whole))
        return trouble("%s: %s", t->program.path, strerror(errno));
    if (o->input && !realpath(o->input, input))
        return trouble("%s: %s", o->input, strerror(errno));
    status = program_find_library(CONDITIONS_NAME, t->conditions, sizeof t->conditions);
    if (!status)
        status = program_find_library(HOOKS_NAME, t->hooks, sizeof t->hooks);
    if (!status)
        say_input(o);
    if (!status)
        status = make_place(o, dir);
    if (status)
        return status;
    t->launch.path = whole;
    t->facts = program_facts_of(whole);
    t->launch.input = o->input ? input : NULL;
    t->launch.conditions = can_load(whole, &why) ? t->conditions : NULL;
    t->why_not_loaded = t->launch.conditions ? NULL : why;
    t->launch.hooks = choose_hooks(t) ? t->hooks : NULL;
    t->launch.hook_lines = t->program.hooks;
    t->launch.no_yields = calls_are_never(t);
    why = launch_open(&t->launch, dir);
    return why ? trouble("%s: %s: %s", dir, why, strerror(errno)) : 0;
}

static void twice_close(struct twice *t)
{
    for (unsigned i = 0; i < TWICE_CONDITIONS; i++)
        evidence_free(&t->alone[i]);
    evidence_free(&t->together);
    evidence_free(&t->pinned);
    outcome_free(&t->reference);
    t->program.session[0] = 0;
    unmodified_close(&t->program);
    launch_close(&t->launch);
    ras_symbols_close(t->symbols);
    free(t->program.hooks);
}

static int twice_program(struct twice *t, uint32_t varied)
{
    char whole[PATH_MAX], input[PATH_MAX];
    struct ras_error err;
    const struct options *o = t->o;
    t->quiet = o->common;
    t->quiet.quiet = true;
    t->program = (struct program){.common = &t->quiet, .command = o->common.operands.items};
    t->launch = (struct launch){
        .words = o->common.operands.items,
        .kept = o->keep.items,
        .kept_count = o->keep.count,
        .files = o->files.items,
        .file_count = o->files.count,
        .output_most = (uint64_t)OUTPUT_MIB << 20,
        .recording_most = (o->recording_mib.given ? o->recording_mib.value : RECORDING_MIB) << 20,
        .timeout_s = o->timeout.given ? (unsigned)o->timeout.value : TIMEOUT_S,
        .in_child = as_started,
        .interrupted = twice_interrupted};
    t->line_wanted = isatty(STDERR_FILENO) && !o->common.quiet && !o->common.no_progress;
    int status = record_lines(&o->record, &t->program.hooks);
    if (!status && ras_symbols_open(&t->symbols, &err) < 0)
        status = trouble_with(&err);
    interrupts_watch();
    if (!status)
        status = twice_open(t, whole, input);
    if (!status)
        status = search_all(t, varied);
    twice_close(t);
    return status;
}

/* ---- options ------------------------------------------------------------------------------- */

static int read_conditions(const struct list *list, const char *option, uint32_t *set)
{
    const char *unknown;
    struct ras_near near;
    char text[120];
    *set = twice_set_of(list->items, list->count, &unknown);
    if (!unknown)
        return 0;
    ras_near_start(&near, unknown);
    for (unsigned i = 0; i < TWICE_CONDITIONS; i++)
        ras_near_add(&near, twice_condition_rows[i].name);
    ras_near_text(&near, text, sizeof text);
    return trouble("--%s: no condition '%s'%s%s", option, unknown, text,
                   *text ? "" : "; rastrum twice --help lists them");
}

static int check_number(const char *option, const struct number *n, uint64_t least, uint64_t most)
{
    if (!n->given || (n->value >= least && n->value <= most))
        return 0;
    return trouble("--%s takes %" PRIu64 " to %" PRIu64 ", not %" PRIu64, option, least, most,
                   n->value);
}

/* How often a template of the standard library waits for a condition, or copies, says nothing of
 * the program. */
static bool leave_out_defaults(struct options *o)
{
    if (!list_add(&o->ignored, "detail.stack")) /* it holds the random guard of the C library */
        return false;
    static const char *const defaults[] = {"std::*", "__gnu_cxx::*", "__gthread_*"};
    bool added = true;
    if (o->record.excludes.count)
        return true;
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++)
        added &= list_add(&o->record.excludes, defaults[i]);
    return added;
}

static int twice_run(void *options)
{
    struct options *o = options;
    uint32_t varied = TWICE_ALL, only = TWICE_ALL;
    if (!HOOKS_PATCH)
        return trouble("twice changes the conditions of a program, which is implemented for x86-64 "
                       "only");
    if (!o->common.operands.count)
        return trouble("missing program: rastrum twice -- PROGRAM ARGS");
    int status = check_number("pinned", &o->pinned, 2, PINNED_MOST);
    if (!address_row(o->addresses))
        status = trouble("--addresses takes kind or number, not '%s'", o->addresses);
    if (!status)
        status = check_number("timeout", &o->timeout, 1, 86400);
    if (!status)
        status = check_number("max-runs", &o->runs, 2, 10000);
    if (!status)
        status = check_number("max-recording", &o->recording_mib, 1, UINT64_C(1) << 20);
    if (!status && o->vary.count)
        status = read_conditions(&o->vary, "vary", &varied);
    if (!status && o->only.count)
        status = read_conditions(&o->only, "only", &only);
    if (!status && !(varied & only))
        status = trouble("nothing to change: --only has none of the conditions of --vary");
    if (!status && (!list_add(&o->common.operands, NULL) || !leave_out_defaults(o)))
        status = trouble("out of memory");
    struct twice *t = status ? NULL : calloc(1, sizeof *t);
    if (!status && !t)
        status = trouble("out of memory");
    if (status)
        return status;
    o->record.durable = true; /* a program that is killed has recorded all of its calls */
    t->o = o;
    status = twice_program(t, varied & only);
    free(t);
    return status;
}

#define AT(member)     offsetof(struct options, member)
#define RECORD(member) offsetof(struct options, record.member)

static const struct option_row rows[] = {
    {"pinned", 'n', OPTION_NUMBER, "N", "runs in which nothing is changed (default 2)", NULL,
     AT(pinned)},
    {"vary", 0, OPTION_LIST, "LIST", "change these conditions (default: all)", NULL, AT(vary)},
    {"only", 0, OPTION_LIST, "LIST", "of those, only these", NULL, AT(only)},
    {"keep", 0, OPTION_NAMES, "NAME", "a variable of the environment that every run gets", NULL,
     AT(keep)},
    {"stdin", 0, OPTION_TEXT, "FILE", "standard input of every run (default: empty)", NULL,
     AT(input)},
    {"timeout", 0, OPTION_NUMBER, "SECONDS", "end a run that takes longer (default 60)", NULL,
     AT(timeout)},
    {"max-runs", 0, OPTION_NUMBER, "N", "stop the search after this many (default 200)", NULL,
     AT(runs)},
    {"max-recording", 0, OPTION_NUMBER, "MIB", "end a run whose recording is larger (default 2048)",
     NULL, AT(recording_mib)},
    {"no-calls", 0, OPTION_FLAG, NULL, "do not record calls: compare output, exit status, files",
     NULL, AT(no_calls)},
    {"filter", 'F', OPTION_NAMES, "PATTERN", "record only functions that match; may be repeated",
     NULL, RECORD(filters)},
    {"exclude", 'x', OPTION_NAMES, "PATTERN", "exclude functions that match (default: std::*)",
     NULL, RECORD(excludes)},
    {"detail", 0, OPTION_NAMES, "PATTERN", "compare arguments of these, too; may be repeated", NULL,
     RECORD(details)},
    {"ignore", 0, OPTION_NAMES, "PATH", "of a detail: ignore this register; may be repeated", NULL,
     AT(ignored)},
    {"addresses", 0, OPTION_TEXT, "HOW",
     "those of the heap: by kind (default), or number: by appearance", NULL, AT(addresses)},
    {"files", 0, OPTION_NAMES, "GLOB", "of the files it wrote, compare these; may be repeated",
     NULL, AT(files)},
    {"max-depth", 'd', OPTION_NUMBER, "N", "record calls down to this depth", NULL,
     RECORD(max_depth)},
    {"unmodified", 0, OPTION_TEXT, "MODULES",
     "patch functions of these, if it has no hooks (default: PROGRAM)", NULL, RECORD(unmodified),
     ""},
    {0},
};

const struct command cmd_twice = {
    .name = "twice",
    .operands = "-- PROGRAM [ARGS]",
    .about = "run a program several times, and find out what makes it differ",
    .text =
        "Runs PROGRAM several times under conditions that are pinned, then with conditions that\n"
        "are changed, and prints the first call, tick or line of output that differs and which\n"
        "condition does it. Compared are its calls (if it was built with hooks, or can be\n"
        "patched), its pens, standard output and error, exit status, and the files that it wrote\n"
        "into its working directory, which every run gets a copy of.\n\n"
        "The conditions:\n\n"
        "  aslr      addresses are random\n"
        "  env-size  the environment is larger, so that the stack is elsewhere\n"
        "  env       other values of PATH, HOME, USER, LOGNAME, SHELL, TERM\n"
        "  argv0     another path in argv[0]\n"
        "  cwd       another working directory with the same files\n"
        "  malloc    other bytes in new and freed blocks, other addresses of small ones\n"
        "  stack     other bytes below the stack pointer\n"
        "  locale    a decimal comma\n"
        "  tz        another time zone\n"
        "  clock     another time\n"
        "  random    other random numbers of the system\n"
        "  pid       another process id\n"
        "  cpus      all processors instead of one\n"
        "  threads   threads start late, and yield\n"
        "  readdir   directories are listed in reverse\n"
        "  files     times of files are a day later\n"
        "  float     subnormal numbers are 0\n\n"
        "If pinned runs differ, something is not controlled here: the result is `uncontrolled`,\n"
        "and no condition is blamed. -o DIR keeps the pinned recording and one of each cause.\n",
    .examples = "rastrum twice -- ./simulation --seed 7\n"
                "rastrum twice --stdin level.txt -o why -- ./game\n"
                "rastrum twice --vary aslr,malloc -n 5 -- ./server --self-test\n"
                "rastrum twice --json -- lua script.lua\n",
    .exits = "0 the same under all conditions; 1 it differs; 2 it could not be run; 3 a recording\n"
             "is incomplete, or --max-runs ended the search before it found anything, so that\n"
             "nothing is certain",
    .refuses = "input-format dialect pager",
    .rows = rows,
    .size = sizeof(struct options),
    .run = twice_run,
};
