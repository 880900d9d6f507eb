/* record_program.c - a program under hooks: check it, start it, follow it, finish its session.
 *
 * --follow reads the events from the files, so that the program never waits for the terminal. */
#include "cli/record_program.h"
#include "cli/say.h"
#include <rastrum/atf.h>
#include <rastrum/symbols.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define HOOKS_DIR RASTRUM_LIBDIR "/rastrum"

/* ---- the hooks --------------------------------------------------------------------------- */

static bool program_is_there(char *path, size_t room, const char *dir, const char *more,
                             const char *name)
{
    int len = snprintf(path, room, "%s/%s%s%s", dir, more, *more ? "/" : "", name);
    return len > 0 && (size_t)len < room && access(path, R_OK) == 0;
}

int program_find_library(const char *name, char *path, size_t room)
{
    char dir[PATH_MAX];
    ssize_t len = readlink("/proc/self/exe", dir, sizeof dir - 1);
    dir[len > 0 ? len : 0] = 0;
    char *slash = strrchr(dir, '/');
    if (slash)
        *slash = 0;
    if (program_is_there(path, room, dir, "", name) ||
        program_is_there(path, room, dir, "../" HOOKS_DIR, name) ||
        program_is_there(path, room, RASTRUM_PREFIX, HOOKS_DIR, name)) {
        if (!strpbrk(path, " :"))
            return 0;
        return trouble("%s: cannot be loaded: its path has a space or a colon", path);
    }
    return trouble("%s is neither in %s nor in %s/%s", name, dir, RASTRUM_PREFIX, HOOKS_DIR);
}

/* ---- the program ------------------------------------------------------------------------- */

/* Whether it is executable; `*there`: it exists. */
static bool can_run(const char *path, bool *there)
{
    struct stat st;
    bool is_file = stat(path, &st) == 0 && S_ISREG(st.st_mode);
    *there |= is_file;
    return is_file && access(path, X_OK) == 0;
}

/* Search as execvp() does; `*there`: a file of that name exists, executable or not. */
static bool find_program(const char *name, char *path, size_t room, bool *there)
{
    const char *at = getenv("PATH");
    if (strchr(name, '/')) {
        snprintf(path, room, "%s", name);
        return can_run(path, there);
    }
    for (at = at ? at : "/bin:/usr/bin"; at; at = strchr(at, ':') ? strchr(at, ':') + 1 : NULL) {
        int len = (int)strcspn(at, ":");
        snprintf(path, room, "%.*s/%s", len ? len : 1, len ? at : ".", name);
        if (can_run(path, there))
            return true;
    }
    return false;
}

/* One line of the dynamic linker's list of libraries: "\tNAME => PATH (ADDRESS)". The path. */
static const char *path_of_line(char *line)
{
    char *path = strchr(line, '/'), *end = path ? strrchr(path, '(') : NULL;
    if (!end || end <= path + 1)
        return NULL;
    end[-1] = 0;
    return path;
}

/* The dynamic linker lists them and does not run the program. */
void program_libraries(const char *program, void (*each)(const char *path, void *user), void *user)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
        return;
    pid_t pid = fork();
    if (pid == 0) {
        setenv("LD_TRACE_LOADED_OBJECTS", "1", 1);
        dup2(ends[1], STDOUT_FILENO);
        int quiet = open("/dev/null", O_RDWR | O_CLOEXEC);
        dup2(quiet, STDERR_FILENO);
        dup2(quiet, STDIN_FILENO);
        execl(program, program, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    FILE *list = fdopen(ends[0], "r");
    char line[PATH_MAX + 256];
    while (list && pid > 0 && fgets(line, sizeof line, list)) {
        const char *path = path_of_line(line);
        if (path)
            each(path, user);
    }
    if (list)
        fclose(list);
    if (pid > 0)
        waitpid(pid, NULL, 0);
}

static void add_hooks(const char *path, void *user)
{
    struct ras_binary b;
    if (ras_binary_inspect(path, &b, NULL) == RAS_OK)
        *(unsigned *)user |= b.hooks;
}

static int refuse_unprepared(const char *name, unsigned hooks)
{
    if (!HOOKS_PATCH)
        return trouble("%s: not built to be recorded: compile it with -finstrument-functions; "
                       "-pg -mfentry, -fpatchable-function-entry and --unmodified are recorded on "
                       "x86-64 only",
                       name);
    if (hooks & RAS_HOOK_MCOUNT)
        return trouble(
            "%s: built with -pg only: add -mfentry; rastrum record --help says how to compile",
            name);
    return trouble("%s: not built to be recorded: add --unmodified to patch it while it runs, or "
                   "compile it with -finstrument-functions, -pg -mfentry or "
                   "-fpatchable-function-entry=5, or add --children to record the programs that "
                   "it runs; rastrum record --help says more",
                   name);
}

unsigned program_hooks(const char *path)
{
    unsigned hooks = 0;
    add_hooks(path, &hooks);
    program_libraries(path, add_hooks, &hooks);
    return hooks;
}

int program_find(struct program *r)
{
    const char *name = r->command[0];
    bool there = false;
    if (find_program(name, r->path, sizeof r->path, &there))
        return 0;
    return there ? trouble("%s: permission denied: not an executable file (chmod +x?)", name)
                 : trouble("%s: no such program", name);
}

/* A program with pens needs no hooks: then its calls are not recorded. */
static int without_hooks(struct program *r)
{
    r->bare = true;
    remark(r->common->quiet, "%s: not built to be recorded: its calls are left out", r->command[0]);
    return 0;
}

int program_check(struct program *r)
{
    const char *name = r->command[0], *path = r->path;
    struct ras_binary b;
    struct stat st;
    if (program_find(r))
        return EXIT_TROUBLE;
    if (r->children)
        return 0;
    bool known = ras_binary_inspect(path, &b, NULL) == RAS_OK;
    if (r->pens && (!known || !b.is_dynamic))
        return without_hooks(r);
    if (!known)
        return trouble("%s: not an executable for this machine (a script?); --children records "
                       "the programs that it runs",
                       name);
    if (!b.is_dynamic)
        return trouble("%s: statically linked: hooks cannot be loaded into it", name);
    if (stat(path, &st) == 0 && st.st_mode & (S_ISUID | S_ISGID) && st.st_uid != getuid())
        return trouble("%s: runs as another user: hooks cannot be loaded into it", name);
    if (b.hooks & HOOKS_KNOWN || r->unmodified)
        return 0;
    program_libraries(path, add_hooks, &b.hooks);
    if (b.hooks & HOOKS_KNOWN)
        return 0;
    return r->pens ? without_hooks(r) : refuse_unprepared(name, b.hooks);
}

/* ---- the directory ------------------------------------------------------------------------ */

static bool is_empty(const char *path)
{
    DIR *dir = opendir(path);
    unsigned entries = 0;
    if (!dir)
        return false;
    while (entries < 3 && readdir(dir))
        entries++;
    closedir(dir);
    return entries < 3; /* itself and the one above */
}

static int make_session(struct program *r)
{
    char whole[PATH_MAX], stamp[32];
    struct tm t;
    time_t now = time(NULL);
    const char *dir = r->dir;
    if (mkdir(dir, 0777) < 0 && errno != EEXIST)
        return trouble("%s: %s", dir, strerror(errno));
    if (!realpath(dir, whole))
        return trouble("%s: %s", dir, strerror(errno));
    for (unsigned tries = 0; tries < 3600; tries++, now++) {
        localtime_r(&now, &t);
        strftime(stamp, sizeof stamp, "%Y%m%d_%H%M%S", &t);
        int len = snprintf(r->session, sizeof r->session, "%s/session_%s", whole, stamp);
        if (len < 0 || (size_t)len >= sizeof r->session - 256)
            return trouble("%s: a path of %d bytes is too long for a session", dir, len);
        if (mkdir(r->session, 0777) == 0)
            return 0;
        if (errno != EEXIST)
            break;
    }
    return trouble("%s: %s", r->session, strerror(errno));
}

/* The calls of a run are below its directory. */
static int make_run(struct program *r)
{
    char whole[PATH_MAX];
    if (mkdir(r->dir, 0777) < 0 && errno != EEXIST)
        return trouble("%s: %s", r->dir, strerror(errno));
    if (!realpath(r->dir, whole))
        return trouble("%s: %s", r->dir, strerror(errno));
    int len = snprintf(r->session, sizeof r->session, "%s/calls", whole);
    if (len < 0 || (size_t)len >= sizeof r->session - 256)
        return trouble("%s: a path of %d bytes is too long for a run", r->dir, len);
    if (!r->bare && mkdir(r->session, 0777) < 0)
        return trouble("%s: %s", r->session, strerror(errno));
    return 0;
}

int program_prepare(struct program *r)
{
    const char *out = r->common->out;
    struct ras_error err;
    if (out && strlen(out) >= sizeof r->dir)
        return trouble("a path of %zu bytes is too long for a session", strlen(out));
    snprintf(r->dir, sizeof r->dir, "%s", out ? out : "ada_traces");
    if (out && !strcmp(out, "-"))
        return trouble("a session is a directory: use -o DIR");
    if (r->pens && (!out || r->append))
        return trouble("--pens needs -o RUN, and has no --append");
    if (r->append && r->common->force)
        return trouble("--append and --force cannot be combined");
    bool holds = access(r->dir, F_OK) == 0 && !is_empty(r->dir);
    if (out && holds && !r->common->force && !r->append)
        return trouble("%s exists; --force replaces it, --append adds a session to it", out);
    int status = program_find_library(HOOKS_NAME, r->library, sizeof r->library);
    if (!status)
        status = program_check(r);
    if (!status && r->unmodified)
        status = unmodified_plan(r);
    if (!status && holds && r->common->force && ras_folder_remove(r->dir, &err) < 0)
        status = trouble_with(&err);
    if (!status)
        status = r->pens ? make_run(r) : make_session(r);
    return !status && r->unmodified ? unmodified_write(r) : status;
}

struct follow {
    struct answer *answer;
    const char *format;
    struct ras_trace *trace;
    struct ras_cursor *cursor;
    struct ras_printer *export;
    uint64_t shown;
    struct ras_error err; /* of reading: an output without a reader is none */
};

/* Whether the program has ended; it stays to be waited for. */
static bool has_ended(int pid)
{
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid;
}

static bool begin(struct follow *f, const char *session)
{
    const struct ras_options live = {.live = true};
    const struct ras_scan scan = {.follow = true};
    const struct ras_printer_options how = {.color = f->answer->color};
    if (ras_open(&f->trace, session, NULL, NULL) < 0)
        return false; /* there is no file yet, and opening a growing one would wait */
    ras_close(f->trace);
    if (ras_open(&f->trace, session, &live, NULL) < 0)
        return false;
    return ras_cursor_open(&f->cursor, f->trace, &scan, NULL) == RAS_OK &&
           ras_printer_open(&f->export, f->format, f->trace, &scan, &how, f->answer->sink, NULL) ==
               RAS_OK;
}

static void end(struct follow *f)
{
    if (f->export)
        (void)!ras_printer_close(f->export, NULL);
    ras_cursor_close(f->cursor);
    ras_close(f->trace);
    *f = (struct follow){.answer = f->answer, .format = f->format};
}

/* Print all events stored so far; false: the output failed, or reading did, which sets f->err. */
static bool follow_show(struct follow *f)
{
    const struct ras_record *record;
    int status;
    while ((status = ras_next(f->cursor, &record, &f->err)) == RAS_OK) {
        if (ras_printer_record(f->export, f->cursor, record, NULL) < 0)
            return false;
        f->shown++;
    }
    return status >= 0 && ras_printer_flush(f->export, NULL) == RAS_OK;
}

/* Print stored events until the program has ended. */
static void program_follow(struct program *r, int pid)
{
    struct follow f = {.answer = &r->report, .format = r->common->json ? "jsonl" : "text"};
    const struct timespec pause = {0, 50000000};
    signal(SIGPIPE, SIG_IGN); /* a closed output does not end the recording */
    bool good = true;
    for (unsigned quiet = 0; good && quiet < 2;) { /* once more for the last events */
        bool ended = has_ended(pid);
        uint64_t before = f.shown;
        if (f.trace || begin(&f, r->session)) {
            good = ras_wait(f.trace, 100, &f.err) >= 0 && follow_show(&f);
        } else {
            end(&f);
            nanosleep(&pause, NULL);
        }
        quiet = ended && f.shown == before ? quiet + 1 : 0;
    }
    uint64_t shown = f.shown;
    struct ras_error err = f.err;
    end(&f);
    if (good)
        return;
    if (err.status < 0) {
        remark(false, "--follow ended after %" PRIu64 " events: %s; the recording goes on", shown,
               err.text);
        return;
    }
    ras_sink_drop(r->report.sink); /* there is no reader to report a write error to */
    r->report.sink = NULL;
}

enum { PATH_ROOM = 4400 };

bool program_disk_is_full(const char *dir)
{
    struct statvfs disk;
    return statvfs(dir, &disk) == 0 && disk.f_blocks && !disk.f_bavail;
}

/* No event of a process can be read although it had some: with a full disk that is the cause. */
static void note_unread(struct program *r, const char *dir, const struct ras_error *err)
{
    if (r->unread++)
        return;
    if (program_disk_is_full(dir))
        snprintf(r->why, sizeof r->why, "the disk is full");
    else
        snprintf(r->why, sizeof r->why, "%s", err->text);
}

/* The name of the signal: the files of a killed process do not contain it. */
static void name_signal(struct ras_atf_exit *how)
{
    static const struct {
        int number;
        const char *name;
    } names[] = {{SIGKILL, "SIGKILL"}, {SIGSEGV, "SIGSEGV"}, {SIGABRT, "SIGABRT"},
                 {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},   {SIGILL, "SIGILL"},
                 {SIGTRAP, "SIGTRAP"}, {SIGSYS, "SIGSYS"},   {SIGTERM, "SIGTERM"},
                 {SIGINT, "SIGINT"},   {SIGHUP, "SIGHUP"},   {SIGQUIT, "SIGQUIT"},
                 {SIGPIPE, "SIGPIPE"}, {SIGALRM, "SIGALRM"}, {SIGXCPU, "SIGXCPU"},
                 {SIGXFSZ, "SIGXFSZ"}, {SIGUSR1, "SIGUSR1"}, {SIGUSR2, "SIGUSR2"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if ((uint32_t)names[i].number == how->signal)
            snprintf(how->name, sizeof how->name, "%s", names[i].name);
}

/* The process of pid_N, or of its segment pid_N.2; an exec() leaves pid_N_2. -1: another name. */
static pid_t pid_of(const char *name, unsigned *segment)
{
    char *end;
    if (strncmp(name, "pid_", 4))
        return -1;
    long pid = strtol(name + 4, &end, 10);
    *segment = *end == '.' ? (unsigned)strtoul(end + 1, NULL, 10) : 1;
    return *end && *end != '.' ? -1 : (pid_t)pid;
}

/* Segments of a process count as one. */
static bool has_earlier(const struct program *r, const char *name)
{
    char dir[PATH_ROOM];
    unsigned segment = 0;
    pid_t pid = pid_of(name, &segment);
    for (unsigned i = 1; pid > 0 && i < segment; i++) {
        if (i == 1)
            snprintf(dir, sizeof dir, "%s/pid_%d", r->session, (int)pid);
        else
            snprintf(dir, sizeof dir, "%s/pid_%d.%u", r->session, (int)pid, i);
        if (access(dir, F_OK) == 0)
            return true;
    }
    return false;
}

/* Only this process reaped the program and knows how it ended. */
static struct ras_atf_exit exit_of(const struct program *r, const char *name)
{
    struct ras_atf_exit how = {0};
    unsigned segment = 0;
    if (pid_of(name, &segment) != r->pid || segment != r->last_segment)
        return how;
    how.known = true;
    how.signal = WIFSIGNALED(r->ended) ? (uint32_t)WTERMSIG(r->ended) : 0;
    how.status = (uint32_t)(how.signal ? WCOREDUMP(r->ended) != 0 : WEXITSTATUS(r->ended));
    name_signal(&how);
    return how;
}

/* Reasons of drops that the report names. */
static void add_drops(struct program *r, const char *dir)
{
    struct ras_trace *trace;
    if (ras_open(&trace, dir, NULL, NULL) < 0)
        return;
    const struct ras_atf_manifest *m = ras_atf_manifest(ras_atf_session(trace), 0);
    for (size_t i = 0; i < m->drop_count; i++) {
        r->deleted += !strcmp(m->drops[i].reason, "deleted") ? m->drops[i].events : 0;
        r->unwritten += !strcmp(m->drops[i].reason, "write_failed") ? m->drops[i].events : 0;
    }
    ras_close(trace);
}

static int finish_process(struct program *r, const char *name, struct ras_symbols *symbols)
{
    char dir[PATH_ROOM];
    struct ras_error err = {0};
    struct ras_atf_finished done;
    const struct ras_atf_finish_options how = {.exit = exit_of(r, name), .symbols = symbols};
    snprintf(dir, sizeof dir, "%s/%s", r->session, name);
    int status = ras_atf_finish(&done, dir, &how, &err);
    if (status == RAS_END)
        return 0;
    if (status == RAS_EFORMAT && !done.threads) {
        note_unread(r, dir, &err);
        return 0;
    }
    r->segments++;
    r->processes += !has_earlier(r, name);
    r->threads += done.threads;
    r->events += done.events;
    r->dropped += done.dropped;
    r->left_out += done.left_out;
    if (done.dropped)
        add_drops(r, dir);
    r->repaired += done.repaired;
    r->killed += done.unfinished;
    r->lacks_ns = done.lacks_ns > r->lacks_ns ? done.lacks_ns : r->lacks_ns;
    if (!*r->ended_by)
        snprintf(r->ended_by, sizeof r->ended_by, "%s", done.ended_by);
    return status < 0 ? trouble_at(dir, &err) : 0;
}

/* A process that outlives PROGRAM continues recording: its files are left to it. */
static bool is_running(const char *name)
{
    pid_t pid = (pid_t)strtol(name + 4, NULL, 10);
    return pid > 0 && (kill(pid, 0) == 0 || errno == EPERM);
}

/* Its recording has ended, though it has not. */
static bool is_attached(const struct program *r, const char *name)
{
    return r->attached && strtol(name + 4, NULL, 10) == r->attached && !strchr(name + 4, '_');
}

int program_finish(struct program *r)
{
    struct ras_symbols *symbols;
    struct ras_error err;
    if (r->bare)
        return 0;
    DIR *dir = opendir(r->session);
    if (!dir)
        return trouble("%s: %s", r->session, strerror(errno));
    int status = ras_symbols_open(&symbols, &err) < 0 ? trouble_with(&err) : 0;
    for (struct dirent *entry; (entry = readdir(dir));) {
        unsigned segment = 0;
        if (pid_of(entry->d_name, &segment) == r->pid && segment > r->last_segment)
            r->last_segment = segment;
    }
    rewinddir(dir);
    for (struct dirent *entry; !status && (entry = readdir(dir));) {
        if (strncmp(entry->d_name, "pid_", 4))
            continue;
        if (is_running(entry->d_name) && !is_attached(r, entry->d_name))
            remark(r->common->quiet, "%s/%s: still running; it closes its files itself", r->session,
                   entry->d_name);
        else
            status = worse(status, finish_process(r, entry->d_name, symbols));
    }
    closedir(dir);
    ras_symbols_close(symbols);
    if (r->pens)
        (void)rmdir(r->session); /* where no call was recorded */
    return status;
}

/* The program, for the handler; 0: none. */
static volatile pid_t program;

/* A signal sent only to us is meant for the program; a terminal sends it to both. */
static void pass_on(int number, siginfo_t *info, void *context)
{
    (void)context;
    if (program > 0 && info->si_code <= 0 && info->si_pid != program)
        kill(program, number);
}

static const int signals[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
enum { SIGNALS = sizeof signals / sizeof *signals };

static void watch(struct sigaction was[SIGNALS])
{
    struct sigaction ours = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigemptyset(&ours.sa_mask);
    for (int i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &ours, &was[i]);
}

static void unwatch(const struct sigaction was[SIGNALS])
{
    for (int i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &was[i], NULL);
}

static bool set_pens(const struct program *r)
{
    char run[sizeof r->session];
    snprintf(run, sizeof run, "%s", r->session);
    char *slash = strrchr(run, '/');
    if (slash)
        *slash = 0;
    return setenv("RASTRUM_PENS", run, 1) == 0;
}

/* Our hooks before other preloaded libraries. */
static bool set_environment(const struct program *r)
{
    if (r->pens && !set_pens(r))
        return false;
    if (r->bare)
        return true;
    const char *others = getenv("LD_PRELOAD");
    size_t room = strlen(r->library) + (others ? strlen(others) : 0) + 2;
    size_t more = strlen(r->session) + strlen(r->hooks) + 32;
    char *preload = malloc(room), *words = malloc(more);
    if (!preload || !words)
        return false;
    snprintf(preload, room, "%s%s%s", r->library, others && *others ? ":" : "",
             others ? others : "");
    snprintf(words, more, "%s%ssession=%s", r->plans ? "plans=1\n" : "", r->hooks, r->session);
    return setenv("LD_PRELOAD", preload, 1) == 0 && setenv("RASTRUM_RECORD", words, 1) == 0;
}

static void program_exec(const struct program *r, const struct sigaction was[SIGNALS])
{
    unwatch(was);
    as_started();
    for (int i = 0; i < 3; i++)
        if (r->files[i])
            dup2(r->files[i], i);
    if (set_environment(r))
        execvp(r->command[0], (char *const *)(uintptr_t)r->command);
    trouble("%s: %s", r->command[0], strerror(errno));
    _exit(127);
}

int program_record(struct program *r)
{
    struct sigaction was[SIGNALS];
    sigset_t all, mask;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &mask); /* until the process id of the program is known */
    watch(was);
    pid_t pid = fork();
    if (pid == 0) {
        sigprocmask(SIG_SETMASK, &mask, NULL);
        program_exec(r, was);
    }
    program = r->pid = pid;
    sigprocmask(SIG_SETMASK, &mask, NULL);
    if (pid < 0) {
        unwatch(was);
        return trouble("%s: %s", r->command[0], strerror(errno));
    }
    if (r->follow)
        program_follow(r, pid);
    while (waitpid(pid, &r->ended, 0) < 0 && errno == EINTR) {
    }
    program = 0;
    return 0;
}
