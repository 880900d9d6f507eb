/* traced.c - the threads of another process under ptrace: seized, which does not stop them, and
 * interrupted when something is to be done. Signals that come meanwhile are theirs. */
#include "patching/traced.h"
#include "base/error.h"
#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

uint64_t traced_now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

void traced_pause_us(long us)
{
    const struct timespec t = {0, us * 1000};
    nanosleep(&t, NULL);
}

/* Until a thread has stopped, or for this long: whoever looks again and again has used up its time
 * when it is needed. SIGCHLD is blocked, and so is not lost. */
void traced_wait_us(long us)
{
    const struct timespec t = {0, us * 1000};
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    (void)sigtimedwait(&child, NULL, &t);
}

/* ---- scheduling --------------------------------------------------------------------------- */

/* struct sched_attr, which the C library does not declare. */
enum { ATTR_SIZE = 48, SLICE_NS = 100000 };
_Static_assert(offsetof(struct urgency, changed) == ATTR_SIZE, "no padding");

static bool get_urgency(pid_t tid, struct urgency *u)
{
    *u = (struct urgency){.size = ATTR_SIZE};
    return syscall(SYS_sched_getattr, tid, u, ATTR_SIZE, 0) == 0;
}

static bool set_urgency(pid_t tid, struct urgency *u)
{
    u->size = ATTR_SIZE;
    return syscall(SYS_sched_setattr, tid, u, 0) == 0;
}

bool traced_hurry(pid_t tid, struct urgency *before)
{
    struct urgency u;
    if (before->changed || !get_urgency(tid, before) ||
        (before->policy != SCHED_OTHER && before->policy != SCHED_BATCH))
        return true;
    u = (struct urgency){.policy = SCHED_FIFO, .flags = 1 /* not for its children */};
    u.priority = 1;
    before->changed = set_urgency(tid, &u);
    if (before->changed)
        return true;
    u = *before;
    u.runtime = SLICE_NS;
    before->changed = set_urgency(tid, &u);
    return false;
}

void traced_relax(pid_t tid, struct urgency *before)
{
    if (before->changed)
        set_urgency(tid, before);
    before->changed = false;
}

/* ---- threads ------------------------------------------------------------------------------ */

struct thread *traced_thread(struct inject *in, pid_t tid)
{
    for (size_t i = 0; i < in->count; i++)
        if (in->threads[i].tid == tid)
            return &in->threads[i];
    if (!array_grow(&in->threads, &in->room, in->count + 1, sizeof *in->threads))
        return NULL;
    in->threads[in->count] = (struct thread){.tid = tid};
    return &in->threads[in->count++];
}

static void forget_thread(struct inject *in, pid_t tid)
{
    for (size_t i = 0; i < in->count; i++)
        if (in->threads[i].tid == tid)
            in->threads[i--] = in->threads[--in->count];
    in->gone |= !in->count;
}

static int refused(pid_t pid, int error, struct ras_error *err)
{
    char scope[8] = "";
    int fd = open("/proc/sys/kernel/yama/ptrace_scope", O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        (void)!read(fd, scope, 1);
        close(fd);
    }
    if (error == ESRCH)
        return fail(err, RAS_EUNSUPPORTED, RAS_NONE, "there is no process %d", (int)pid);
    if (error != EPERM && error != EACCES)
        return fail(err, RAS_EUNSUPPORTED, RAS_NONE, "process %d cannot be traced: %s", (int)pid,
                    strerror(error));
    if (*scope && *scope != '0')
        return fail(err, RAS_EUNSUPPORTED, RAS_NONE,
                    "ptrace of process %d is not permitted: kernel.yama.ptrace_scope is %s, which "
                    "permits it to %s; 0 permits it for processes of the same user",
                    (int)pid, scope, *scope == '3' ? "nobody" : "its parent or the superuser");
    return fail(err, RAS_EUNSUPPORTED, RAS_NONE,
                "ptrace of process %d is not permitted: it is of another user, or traced already, "
                "as by a debugger",
                (int)pid);
}

/* Seize threads that are new; *more: there were some. */
static int seize_new(struct inject *in, bool *more, struct ras_error *err)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", (int)in->pid);
    DIR *dir = opendir(path);
    int status = dir ? RAS_OK : refused(in->pid, ESRCH, err);
    *more = false;
    for (struct dirent *e; dir && status == RAS_OK && (e = readdir(dir));) {
        pid_t tid = (pid_t)strtol(e->d_name, NULL, 10);
        size_t before = in->count;
        if (tid <= 0)
            continue;
        if (!traced_thread(in, tid))
            status = fail_memory(err);
        else if (in->count > before && ptrace(PTRACE_SEIZE, tid, NULL, TRACED_OPTIONS) < 0) {
            int error = errno;
            forget_thread(in, tid);
            in->gone = false;
            if (error != ESRCH || tid == in->pid) /* else it has just ended */
                status = refused(in->pid, error, err);
        }
        *more |= in->count > before;
    }
    if (dir)
        closedir(dir);
    return status;
}

/* ---- stopping and going on ------------------------------------------------------------------ */

/* It goes on now. */
static void count_stop(struct inject *in, const struct thread *t)
{
    uint64_t stopped = traced_now_ns() - t->since_ns;
    if (!t->group_stop && stopped > in->stopped_ns)
        in->stopped_ns = stopped;
}

void traced_go_on(struct inject *in, struct thread *t)
{
    traced_relax(t->tid, &t->before);
    if (!t->stopped)
        return;
    t->stopped = false;
    ptrace(t->group_stop ? PTRACE_LISTEN : PTRACE_CONT, t->tid, NULL, (long)t->signal);
    count_stop(in, t);
    t->signal = 0;
}

void traced_go_on_all(struct inject *in)
{
    for (size_t i = 0; i < in->count; i++)
        traced_go_on(in, &in->threads[i]);
}

/* Note that a thread has stopped, and why; one that has ended is forgotten. */
void traced_take_stop(struct inject *in, pid_t tid, int status)
{
    if (WIFEXITED(status) || WIFSIGNALED(status)) {
        forget_thread(in, tid);
        return;
    }
    struct thread *t = WIFSTOPPED(status) ? traced_thread(in, tid) : NULL;
    if (!t)
        return;
    int event = status >> 16, signal = WSTOPSIG(status);
    t->stopped = true;
    t->since_ns = in->looked_ns;
    t->group_stop = event == PTRACE_EVENT_STOP && signal != SIGTRAP;
    t->signal = event ? 0 : signal;
    in->gone |= event == PTRACE_EVENT_EXEC;
}

/* Take what has happened; threads but `stay` go on. */
void traced_events(struct inject *in, pid_t stay)
{
    int status;
    for (pid_t tid; (tid = waitpid(-1, &status, __WALL | WNOHANG)) > 0;) {
        traced_take_stop(in, tid, status);
        struct thread *t = WIFSTOPPED(status) ? traced_thread(in, tid) : NULL;
        if (t && stay != STAY_ALL && stay != tid)
            traced_go_on(in, t);
    }
    in->looked_ns = traced_now_ns();
}

/* Threads that stop meanwhile go on. */
void traced_rest(struct inject *in, long us)
{
    for (uint64_t start = traced_now_ns(), gone = 0; gone < (uint64_t)us * 1000;
         gone = traced_now_ns() - start) {
        traced_wait_us(us - (long)(gone / 1000));
        traced_events(in, STAY_NONE);
    }
}

/* What is done next is done in a hurry. Where real time is not permitted, whoever has slept for a
 * while is not behind others. */
void traced_get_ready(struct inject *in)
{
    if (!traced_hurry(0, &in->before))
        traced_rest(in, REST_US);
}

static bool all_stopped(const struct inject *in)
{
    for (size_t i = 0; i < in->count; i++)
        if (!in->threads[i].stopped)
            return false;
    return true;
}

/* The order counts: what it does in a hurry is to stop. */
static void interrupt(struct thread *t)
{
    ptrace(PTRACE_INTERRUPT, t->tid, NULL, NULL);
    (void)traced_hurry(t->tid, &t->before);
}

/* Stop every thread, or none: one that does not stop (in vfork(), or asleep in a driver) must not
 * let the others wait. */
bool traced_stop_all(struct inject *in, uint64_t limit_ns)
{
    traced_events(in, STAY_NONE);
    uint64_t start = traced_now_ns();
    for (size_t i = 0; i < in->count; i++)
        interrupt(&in->threads[i]);
    while (!in->gone && !all_stopped(in) && traced_now_ns() - start < limit_ns) {
        traced_events(in, STAY_ALL);
        if (!all_stopped(in))
            traced_wait_us(WAIT_US);
    }
    bool stopped = !in->gone && in->count && all_stopped(in);
    for (size_t i = 0; stopped && i < in->count; i++)
        stopped = ptrace(PTRACE_GETREGS, in->threads[i].tid, NULL, &in->threads[i].regs) == 0;
    if (!stopped)
        traced_go_on_all(in);
    return stopped;
}

static struct thread *known_thread(const struct inject *in, pid_t tid)
{
    for (size_t i = 0; i < in->count; i++)
        if (in->threads[i].tid == tid)
            return &in->threads[i];
    return NULL;
}

/* The others go on. NULL: it does not stop, or has ended. */
struct thread *traced_stop_one(struct inject *in, pid_t tid)
{
    uint64_t start = traced_now_ns();
    struct thread *t;
    traced_events(in, STAY_NONE);
    t = known_thread(in, tid);
    if (t)
        interrupt(t);
    while (!in->gone && (t = known_thread(in, tid)) && !t->stopped &&
           traced_now_ns() - start < TRACED_STOP_NS) {
        traced_events(in, tid);
        t = known_thread(in, tid);
        if (t && !t->stopped)
            traced_wait_us(WAIT_US);
    }
    t = known_thread(in, tid);
    if (t && t->stopped && ptrace(PTRACE_GETREGS, tid, NULL, &t->regs) == 0)
        return t;
    if (t)
        traced_relax(tid, &t->before);
    return NULL;
}

/* ---- open and close ------------------------------------------------------------------------- */

/* What /proc/PID/status says of a key, as a number; -1: nothing. */
static long status_of(pid_t pid, const char *key)
{
    char path[64], line[256];
    long value = -1;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *file = fopen(path, "re");
    while (file && value < 0 && fgets(line, sizeof line, file))
        if (!strncmp(line, key, strlen(key)) && line[strlen(key)] == ':')
            value = strtol(line + strlen(key) + 1, NULL, 10);
    if (file)
        fclose(file);
    return value;
}

static int check_process(pid_t pid, struct ras_error *err)
{
    long user = status_of(pid, "Uid");
    if (pid <= 0 || user < 0)
        return refused(pid, ESRCH, err);
    if (pid == getpid())
        return fail(err, RAS_EUNSUPPORTED, RAS_NONE, "a process cannot be attached to itself");
    if (user != (long)geteuid())
        return fail(err, RAS_EUNSUPPORTED, RAS_NONE,
                    "process %d is of user %ld, and must be able to write the session of user %ld",
                    (int)pid, user, (long)geteuid());
    if (status_of(pid, "Seccomp") > 0)
        return fail(err, RAS_EUNSUPPORTED, RAS_NONE,
                    "process %d has a filter of system calls, which may end it for those of the "
                    "recorder",
                    (int)pid);
    return RAS_OK;
}

int inject_open(struct inject **out, pid_t pid, struct ras_error *err)
{
    char path[64];
    sigset_t child;
    bool more = true;
    *out = NULL;
    int status = check_process(pid, err);
    if (status < 0)
        return status;
    struct inject *in = calloc(1, sizeof *in);
    if (!in)
        return fail_memory(err);
    in->pid = pid;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, &in->mask);
    snprintf(path, sizeof path, "/proc/%d/mem", (int)pid);
    in->memory = -1;
    /* Before its threads are traced, which stop for every signal until that is seen. */
    (void)!process_map_read(&in->map, pid, NULL);
    in->looked_ns = traced_now_ns();
    while (status == RAS_OK && more)
        status = seize_new(in, &more, err);
    if (status == RAS_OK && (in->memory = open(path, O_RDWR | O_CLOEXEC)) < 0)
        status = refused(pid, errno, err);
    if (status == RAS_OK && !in->map.count)
        status = process_map_read(&in->map, pid, err);
    if (status < 0) {
        inject_close(in);
        return status;
    }
    *out = in;
    return RAS_OK;
}

/* PTRACE_DETACH needs a stopped thread. */
uint64_t inject_close(struct inject *in)
{
    if (!in)
        return 0;
    traced_get_ready(in);
    for (uint64_t start = traced_now_ns();
         !in->gone && in->count && traced_now_ns() - start < TRACED_TRY_NS;) {
        pid_t tid = in->threads[in->count - 1].tid;
        struct thread *t = traced_stop_one(in, tid);
        if (!t)
            continue;
        traced_relax(tid, &t->before);
        count_stop(in, t);
        ptrace(PTRACE_DETACH, tid, NULL, (long)(t->group_stop ? SIGSTOP : t->signal));
        forget_thread(in, tid);
    }
    traced_relax(0, &in->before);
    if (in->memory >= 0)
        close(in->memory);
    process_map_free(&in->map);
    sigprocmask(SIG_SETMASK, &in->mask, NULL);
    uint64_t stopped_ns = in->stopped_ns;
    free(in->threads);
    free(in);
    return stopped_ns;
}

/* A process that has ended has no memory, even if nobody has waited for it. */
bool inject_is_gone(const struct inject *in)
{
    uint8_t byte;
    bool has_code = in->map.count && inject_read(in, in->map.regions[0].from, &byte, 1);
    return in->gone || (in->map.count && !has_code);
}

void inject_run(struct inject *in)
{
    traced_events(in, STAY_NONE);
}

bool inject_read(const struct inject *in, uint64_t at, void *to, size_t size)
{
    return pread(in->memory, to, size, (off_t)at) == (ssize_t)size;
}

bool inject_put(const struct inject *in, uint64_t at, uint32_t value)
{
    return pwrite(in->memory, &value, sizeof value, (off_t)at) == sizeof value;
}

uint64_t inject_symbol(const struct inject *in, const char *path, const char *name)
{
    return process_map_symbol(&in->map, path, name);
}

bool inject_find(const struct inject *in, const char *name, char *path, size_t room)
{
    const struct process_region *found = NULL;
    for (size_t i = 0; i < in->map.count; i++)
        if (!strcmp(process_map_file(&in->map.regions[i]), name))
            found = &in->map.regions[i];
    return found && (size_t)snprintf(path, room, "%s", found->path) < room;
}
