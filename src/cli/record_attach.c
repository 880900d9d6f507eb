/* record_attach.c - recording a process that is running already, and ending such a recording.
 *
 * The hooks are loaded into the process from a copy in the session, and prepare what a program
 * that was started by us has from its start; then the jumps are written while all threads are
 * stopped. To detach, the original bytes are written back, and the recorder finishes. */
#include "cli/record_program.h"
#include "cli/say.h"
#include "base/attach.h"
#include "patching/inject.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { ATTACH_PATH = PATH_MAX + 256, POLL_MS = 50, SEAL_MS = 30000, BEGIN_MS = 10000 };

/* ---- what the hooks need ------------------------------------------------------------------- */

/* The dynamic linker takes a path that it has seen for the library that it has loaded, although
 * that file is gone: so no path is used twice. */
static const char *attach_path(char path[ATTACH_PATH], const struct program *r, const char *name)
{
    static uint64_t moment;
    struct timespec now;
    clock_gettime(CLOCK_BOOTTIME, &now);
    if (!moment)
        moment = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
    snprintf(path, ATTACH_PATH, "%s/" ATTACH_FOLDER "_%d_%" PRIu64 "%s%s", r->session,
             (int)getpid(), moment, *name ? "/" : "", name);
    return path;
}

static bool copy_file(const char *from, const char *to)
{
    char buffer[1 << 16];
    int in = open(from, O_RDONLY | O_CLOEXEC);
    int out = in < 0 ? -1 : open(to, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0777);
    bool good = out >= 0;
    for (ssize_t n; good && (n = read(in, buffer, sizeof buffer)) != 0;)
        good = n > 0 && write(out, buffer, (size_t)n) == n;
    if (in >= 0)
        close(in);
    return out >= 0 && close(out) == 0 && good;
}

static int write_settings(const struct program *r)
{
    char path[ATTACH_PATH];
    if (mkdir(attach_path(path, r, ""), 0777) < 0)
        return trouble("%s: %s", path, strerror(errno));
    FILE *file = fopen(attach_path(path, r, ATTACH_SETTINGS), "wxe");
    bool good = file && fprintf(file, "plans=1\n%ssession=%s", r->hooks, r->session) > 0;
    if (file && fclose(file))
        good = false;
    if (!good)
        return trouble("%s: %s", path, strerror(errno));
    if (!copy_file(r->library, attach_path(path, r, ATTACH_LIBRARY)))
        return trouble("%s: %s", path, strerror(errno));
    return 0;
}

static void remove_settings(const struct program *r)
{
    char path[ATTACH_PATH];
    unlink(attach_path(path, r, ATTACH_SETTINGS));
    unlink(attach_path(path, r, ATTACH_LIBRARY));
    rmdir(attach_path(path, r, ""));
}

/* ---- a recording in another process --------------------------------------------------------- */

struct attached {
    char library[ATTACH_PATH]; /* in the process */
    uint64_t at, detach;       /* of its symbols */
    struct attach_state state;
    struct attach_site *sites;
    size_t count;
    size_t written, left; /* of these */
};

static int site_order(const void *a, const void *b)
{
    const struct attach_site *x = a, *y = b;
    return x->at < y->at ? -1 : x->at > y->at;
}

static bool read_sites(const struct inject *in, struct attached *a)
{
    enum { SITES_MOST = 1 << 24, LISTS_MOST = 1 << 16 };
    struct attach_sites head;
    uint64_t next = a->state.sites;
    for (unsigned i = 0; next && i < LISTS_MOST; i++, next = head.next) {
        if (!inject_read(in, next, &head, sizeof head) || head.count > SITES_MOST - a->count)
            return false;
        struct attach_site *more =
            realloc(a->sites, (a->count + (size_t)head.count + 1) * sizeof *more);
        if (!more)
            return false;
        a->sites = more;
        size_t size = (size_t)head.count * sizeof *more;
        if (size && !inject_read(in, next + sizeof head, more + a->count, size))
            return false;
        a->count += (size_t)head.count;
    }
    if (a->count)
        qsort(a->sites, a->count, sizeof *a->sites, site_order);
    return true;
}

/* Read what the hooks have said; 0, or EXIT_TROUBLE after saying why. */
static int read_attached(const struct inject *in, pid_t pid, struct attached *a)
{
    a->at = inject_symbol(in, a->library, ATTACH_STATE);
    a->detach = inject_symbol(in, a->library, ATTACH_DETACH);
    if (!a->at || !a->detach || !inject_read(in, a->at, &a->state, sizeof a->state) ||
        a->state.version != ATTACH_VERSION)
        return trouble("process %d: %s is not one of this version", (int)pid, a->library);
    if (a->state.step == ATTACH_NOT || a->state.step == ATTACH_FAILED)
        return trouble("process %d: the recorder could not start in it: it cannot write to the "
                       "session, or none of the first 32 keys of its threads is left; each "
                       "attachment takes one",
                       (int)pid);
    return read_sites(in, a) ? 0 : trouble("process %d: its memory cannot be read", (int)pid);
}

static void attach_pause(unsigned ms)
{
    const struct timespec t = {0, (long)ms * 1000000};
    nanosleep(&t, NULL);
}

/* Functions of modules that were loaded since are patched, too. False: its memory is gone. */
static bool read_sites_again(struct inject *in, struct attached *a)
{
    if (!inject_put(in, a->at + offsetof(struct attach_state, closed), 1))
        return false;
    for (unsigned ms = 0; ms < BEGIN_MS; ms++) {
        if (!inject_read(in, a->at, &a->state, sizeof a->state))
            return false;
        if (!a->state.busy)
            break;
        inject_run(in);
        attach_pause(1);
    }
    free(a->sites);
    a->sites = NULL;
    a->count = 0;
    return read_sites(in, a);
}

/* Write the original bytes back, and have the recorder finish. */
static int detach(struct inject *in, pid_t pid, struct attached *a)
{
    struct ras_error err;
    size_t written, left;
    if (inject_symbol(in, a->library, ATTACH_STATE) != a->at)
        return 0; /* it is another program now */
    bool there = read_sites_again(in, a);
    int status =
        there ? inject_write(in, a->sites, a->count, true, &written, &left, &err) : (int)RAS_OK;
    if (there && status == RAS_OK && a->state.step == ATTACH_READY)
        status = inject_call(in, a->detach, a->state.stack + ATTACH_STACK, &err);
    if (there && status == RAS_OK)
        return 0;
    inject_run(in);
    if (inject_is_gone(in)) /* while this was done: nothing is left to be done */
        return 0;
    return there ? trouble_with(&err)
                 : trouble("process %d: its memory cannot be accessed", (int)pid);
}

static bool read_process(pid_t pid, uint64_t at, uint32_t *word)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/mem", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool good = fd >= 0 && pread(fd, word, sizeof *word, (off_t)at) == sizeof *word;
    if (fd >= 0)
        close(fd);
    return good;
}

/* Whether the process is there, and its recorder has not closed its files. One that has ended and
 * that its parent has not waited for has no memory. */
static bool is_recording(pid_t pid, const struct attached *a)
{
    uint32_t sealed;
    return read_process(pid, a->state.sealed, &sealed) && !sealed;
}

static volatile sig_atomic_t attach_interrupt;

static void on_attach_signal(int number)
{
    attach_interrupt = number;
}

/* Whoever dies while a thread of the process is diverted leaves it with other registers. */
enum { ATTACH_SIGNALS = 3 };
static const int attach_signals[ATTACH_SIGNALS] = {SIGINT, SIGTERM, SIGHUP};

static void hold_attach_signals(struct sigaction was[ATTACH_SIGNALS])
{
    struct sigaction ours = {.sa_handler = on_attach_signal};
    sigemptyset(&ours.sa_mask);
    for (unsigned i = 0; i < ATTACH_SIGNALS; i++)
        sigaction(attach_signals[i], &ours, &was[i]);
}

static void release_attach_signals(const struct sigaction was[ATTACH_SIGNALS])
{
    for (unsigned i = 0; i < ATTACH_SIGNALS; i++)
        sigaction(attach_signals[i], &was[i], NULL);
}

/* Until a signal to us, the end of the process, or that of its recording (--duration, --detach). */
static void attach_wait(pid_t pid, const struct attached *a)
{
    while (!attach_interrupt && is_recording(pid, a))
        attach_pause(POLL_MS);
}

static void await_seal(pid_t pid, const struct attached *a)
{
    for (unsigned ms = 0; ms < SEAL_MS && is_recording(pid, a); ms += 10)
        attach_pause(10);
}

/* ---- attach ---------------------------------------------------------------------------------- */

static int parse_pid(const char *option, const char *text, pid_t *pid)
{
    char *end;
    errno = 0;
    long number = strtol(text, &end, 10);
    if (errno || end == text || *end || number <= 0 || number > INT_MAX)
        return trouble("%s: '%s' is not a process id", option, text);
    *pid = (pid_t)number;
    return 0;
}

/* The recorder starts in a thread of its own. */
static void await_begin(struct inject *in, const struct attached *a)
{
    uint64_t at = inject_symbol(in, a->library, ATTACH_STATE);
    struct attach_state state = {0};
    for (unsigned ms = 0; at && ms < BEGIN_MS; ms++) {
        if (!inject_read(in, at, &state, sizeof state) || state.step != ATTACH_NOT)
            return;
        inject_run(in);
        attach_pause(1);
    }
}

static int load_hooks(const struct program *r, pid_t pid, struct inject *in, struct attached *a)
{
    struct ras_error err;
    attach_path(a->library, r, ATTACH_LIBRARY);
    if (inject_load(in, a->library, &err) < 0)
        return trouble_with(&err);
    await_begin(in, a);
    int status = read_attached(in, pid, a);
    if (status)
        return status;
    if (inject_write(in, a->sites, a->count, false, &a->written, &a->left, &err) < 0) {
        (void)inject_call(in, a->detach, a->state.stack + ATTACH_STACK, NULL);
        return trouble_with(&err);
    }
    return 0;
}

static void say_attached(const struct program *r, pid_t pid, const struct attached *a,
                         uint64_t stopped_ns)
{
    remark(r->common->quiet,
           "attached to process %d: %s patched%s; stopped for %.1f ms at most; interrupt (Ctrl-C), "
           "or rastrum record --detach %d, ends the recording",
           (int)pid, ras_counted(a->written, "function").text, a->left ? ", others are in use" : "",
           (double)stopped_ns / 1e6, (int)pid);
}

static int attach_and_wait(const struct program *r, pid_t pid)
{
    struct attached a = {.count = 0};
    struct sigaction was[ATTACH_SIGNALS];
    struct inject *in;
    struct ras_error err;
    if (inject_open(&in, pid, &err) < 0)
        return trouble_with(&err);
    hold_attach_signals(was);
    int status = load_hooks(r, pid, in, &a);
    uint64_t stopped_ns = inject_close(in);
    if (!status)
        say_attached(r, pid, &a, stopped_ns);
    if (!status)
        attach_wait(pid, &a);
    if (!status && read_process(pid, a.at + offsetof(struct attach_state, step), &a.state.step)) {
        if (inject_open(&in, pid, &err) == RAS_OK)
            status = detach(in, pid, &a);
        else if (is_recording(pid, &a)) /* it has not just ended */
            status = trouble_with(&err);
        inject_close(in);
        await_seal(pid, &a);
    }
    release_attach_signals(was);
    free(a.sites);
    return status;
}

static int check_unrecorded(const struct inject *in, pid_t pid)
{
    struct attached a = {.count = 0};
    bool recorded = inject_find(in, "librastrum-hooks.so", a.library, sizeof a.library);
    if (!recorded && inject_find(in, ATTACH_LIBRARY, a.library, sizeof a.library)) {
        a.at = inject_symbol(in, a.library, ATTACH_STATE);
        recorded =
            a.at && inject_read(in, a.at, &a.state, sizeof a.state) && a.state.step == ATTACH_READY;
    }
    return recorded ? trouble("process %d is recorded already, by %s", (int)pid, a.library) : 0;
}

int program_attach(struct program *r, const char *text)
{
    static char path[64], program[PATH_MAX];
    static const char *command[] = {program, NULL};
    pid_t pid = 0;
    struct inject *in;
    struct ras_error err;
    int status = parse_pid("--attach", text, &pid);
    if (status)
        return status;
    if (inject_open(&in, pid, &err) < 0) /* before anything is written */
        return trouble_with(&err);
    status = check_unrecorded(in, pid);
    inject_close(in);
    if (status)
        return status;
    snprintf(path, sizeof path, "/proc/%d/exe", (int)pid);
    ssize_t len = readlink(path, program, sizeof program - 1);
    if (len <= 0)
        return trouble("%s: %s", path, strerror(errno));
    program[len] = 0;
    r->command = command;
    r->attached = pid;
    if (!r->unmodified)
        r->unmodified = "";
    status = program_prepare(r);
    if (!status)
        status = write_settings(r);
    if (!status)
        status = attach_and_wait(r, pid);
    if (*r->session)
        remove_settings(r);
    return status;
}

int program_detach(const struct common *c, const char *text)
{
    pid_t pid = 0;
    struct attached a = {.count = 0};
    struct inject *in;
    struct ras_error err;
    struct sigaction was[ATTACH_SIGNALS];
    int status = parse_pid("--detach", text, &pid);
    if (status)
        return status;
    if (inject_open(&in, pid, &err) < 0)
        return trouble_with(&err);
    hold_attach_signals(was);
    if (!inject_find(in, ATTACH_LIBRARY, a.library, sizeof a.library))
        status = trouble("process %d is not recorded by --attach", (int)pid);
    if (!status)
        status = read_attached(in, pid, &a);
    if (!status && a.state.step == ATTACH_ENDING)
        status = trouble("process %d: the recording has ended already", (int)pid);
    if (!status)
        status = detach(in, pid, &a);
    double stopped = (double)inject_close(in) / 1e6;
    release_attach_signals(was);
    if (!status) {
        await_seal(pid, &a);
        remark(c->quiet, "detached from process %d; stopped for %.1f ms at most", (int)pid,
               stopped);
    }
    free(a.sites);
    return status;
}
