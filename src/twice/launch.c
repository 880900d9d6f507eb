/* launch.c - a run of a program under conditions: all pinned, but for those that are changed.
 *
 * The directory of a run has the same path in every run; so has its session. The program is in a
 * process group of its own, and where that is allowed in a namespace of processes, so that nothing
 * of it outlives its run and its process id is always the same. */
#include "twice/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LOOK_MS = 50, OTHER_PID = 40 };

/* What the child reports through a pipe: how the program ended, or why it was not started. */
struct report {
    int ended, failed;
    char what[32];
};

static bool is_varied(uint32_t changed, enum twice_condition c)
{
    return changed & TWICE_BIT(c);
}

/* ---- namespaces ------------------------------------------------------------------------------ */

static bool write_text(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool done = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    if (fd >= 0)
        close(fd);
    return done;
}

/* Children of the calling process are in a new namespace from here on. Without privileges that
 * takes a namespace of users, too, in which we are who we were. */
static bool enter_space(void)
{
    char map[64];
    unsigned user = (unsigned)getuid(), group = (unsigned)getgid();
    if (unshare(CLONE_NEWPID) == 0) {
        (void)unshare(CLONE_NEWNS);
        return true;
    }
    if (unshare(CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS) < 0)
        return false;
    (void)write_text("/proc/self/setgroups", "deny");
    snprintf(map, sizeof map, "%u %u 1", user, user);
    bool users = write_text("/proc/self/uid_map", map);
    snprintf(map, sizeof map, "%u %u 1", group, group);
    return users && write_text("/proc/self/gid_map", map);
}

static bool can_enter_space(void)
{
    int status = 0;
    pid_t pid = fork();
    if (pid == 0) {
        if (!enter_space())
            _exit(1);
        pid_t first = fork();
        if (first == 0)
            _exit(getpid() == 1 ? 0 : 1);
        _exit(first > 0 && waitpid(first, &status, 0) == first && status == 0 ? 0 : 1);
    }
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return pid > 0 && status == 0;
}

/* Some systems do not let a process choose. */
static bool can_fix_addresses(void)
{
    int was = personality(0xffffffff);
    bool can = was >= 0 && personality((unsigned long)was | ADDR_NO_RANDOMIZE) >= 0;
    (void)personality((unsigned long)was);
    return can;
}

/* ---- in the child ---------------------------------------------------------------------------- */

static void put_report(int fd, int ended, const char *what)
{
    struct report r = {.ended = ended, .failed = what ? errno : 0};
    snprintf(r.what, sizeof r.what, "%s", what ? what : "");
    (void)!write(fd, &r, sizeof r);
}

static bool set_files(const struct launch *l)
{
    char path[2 * PATH_MAX];
    static const char *const names[] = {NULL, "stdout", "stderr"};
    int in = open(l->input ? l->input : "/dev/null", O_RDONLY);
    if (in < 0 || dup2(in, 0) < 0)
        return false;
    for (int i = 1; i <= 2; i++) {
        snprintf(path, sizeof path, "%s/%s", l->scratch, names[i]);
        int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
        if (fd < 0 || dup2(fd, i) < 0)
            return false;
        if (fd > 2)
            close(fd);
    }
    if (in > 2)
        close(in);
    return true;
}

static void set_processors(const struct launch *l, bool all)
{
    cpu_set_t set;
    if (all)
        return;
    CPU_ZERO(&set);
    CPU_SET((size_t)l->cpu, &set);
    (void)sched_setaffinity(0, sizeof set, &set);
}

/* Does not return. */
static void start_program(const struct launch *l, uint32_t changed, unsigned attempt, int report)
{
    char name[PATH_MAX];
    const struct rlimit no_core = {0, 0};
    size_t count = 0;
    while (l->words[count])
        count++;
    char **environment = environment_make(l, changed, attempt, name);
    char **words = calloc(count + 1, sizeof *words);
    if (!environment || !words) {
        put_report(report, 0, "memory");
        _exit(127);
    }
    memcpy(words, l->words, count * sizeof *words);
    words[0] = name;
    setrlimit(RLIMIT_CORE, &no_core);
    int persona = personality(0xffffffff);
    (void)personality(is_varied(changed, TWICE_ASLR)
                          ? (unsigned long)persona & ~(unsigned long)ADDR_NO_RANDOMIZE
                          : (unsigned long)persona | ADDR_NO_RANDOMIZE);
    set_processors(l, is_varied(changed, TWICE_CPUS));
    if (l->in_child)
        l->in_child();
    if (!set_files(l))
        put_report(report, 0, "standard files");
    else if (chdir(l->folders[is_varied(changed, TWICE_CWD)]) < 0)
        put_report(report, 0, "working directory");
    else if (execve(l->path, words, environment) < 0)
        put_report(report, 0, "program");
    _exit(127);
}

static int wait_for(pid_t pid)
{
    int ended = 0;
    while (waitpid(pid, &ended, 0) < 0 && errno == EINTR) {
    }
    return ended;
}

/* So that /proc/self and /proc/PID are those of the namespace. Not all systems allow it, and where
 * it is refused the program sees the numbers outside. */
static void mount_processes(void)
{
    /* Below chroot() the root need not be where something is mounted. */
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 ||
        mount(NULL, "/proc", NULL, MS_REC | MS_PRIVATE, NULL) == 0)
        (void)mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
}

/* The first process of a namespace: the program is the second, or a later one. */
static void be_first(const struct launch *l, uint32_t changed, unsigned attempt, int report)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    mount_processes();
    for (int i = 0; is_varied(changed, TWICE_PID) && i < OTHER_PID; i++) {
        pid_t other = fork();
        if (other == 0)
            _exit(0);
        (void)wait_for(other);
    }
    pid_t pid = fork();
    if (pid == 0)
        start_program(l, changed, attempt, report);
    int ended = pid > 0 ? wait_for(pid) : 0;
    put_report(report, ended, pid > 0 ? NULL : "process");
    _exit(0);
}

static void be_child(const struct launch *l, uint32_t changed, unsigned attempt, int report)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (!l->has_space)
        start_program(l, changed, attempt, report);
    pid_t first = enter_space() ? fork() : -1;
    if (first == 0)
        be_first(l, changed, attempt, report);
    if (first < 0)
        put_report(report, 0, "namespace");
    else
        (void)wait_for(first);
    _exit(0);
}

/* ---- waiting ----------------------------------------------------------------------------------
 */

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static uint64_t output_bytes(const struct launch *l, const char *name)
{
    char path[2 * PATH_MAX];
    struct stat st;
    snprintf(path, sizeof path, "%s/%s", l->scratch, name);
    return stat(path, &st) == 0 ? (uint64_t)st.st_size : 0;
}

static bool is_too_much(const struct launch *l, struct launched *out)
{
    char path[2 * PATH_MAX];
    snprintf(path, sizeof path, "%s/run", l->scratch);
    out->too_much =
        output_bytes(l, "stdout") > l->output_most || output_bytes(l, "stderr") > l->output_most;
    out->too_recorded = tree_bytes(path) > l->recording_most;
    return out->too_much || out->too_recorded;
}

/* Until it has ended, or must end; false: we were interrupted. */
static bool watch_child(const struct launch *l, pid_t pid, struct launched *out)
{
    double begun = seconds_now();
    int fd = (int)syscall(SYS_pidfd_open, pid, 0);
    bool going = true;
    while (going) {
        struct pollfd ready = {.fd = fd, .events = POLLIN};
        int status = poll(&ready, fd >= 0, LOOK_MS);
        siginfo_t info = {0};
        if (status > 0 ||
            (fd < 0 && waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
             info.si_pid == pid))
            break;
        out->timed_out = seconds_now() - begun > l->timeout_s;
        going = !is_too_much(l, out) && !out->timed_out && !(l->interrupted && l->interrupted());
    }
    if (going) /* it has ended: as much may have come since, in a run that is faster */
        (void)is_too_much(l, out);
    if (fd >= 0)
        close(fd);
    kill(-pid, SIGKILL);
    if (!going)
        kill(pid, SIGKILL);
    return going || out->timed_out || out->too_much || out->too_recorded;
}

/* Moved, and not copied, so that its files have the same numbers. */
static bool move_folder(struct launch *l, unsigned which)
{
    if (!l->copied || l->where == which)
        return true;
    if (rename(l->folders[l->where], l->folders[which]) < 0)
        return false;
    l->where = which;
    return true;
}

bool launch_run(struct launch *l, uint32_t changed, unsigned attempt, struct launched *out)
{
    struct report r = {0};
    int ends[2];
    *out = (struct launched){0};
    if (!move_folder(l, is_varied(changed, TWICE_CWD)) ||
        !environment_settings(l, changed, attempt) || pipe2(ends, O_CLOEXEC) < 0) {
        *out = (struct launched){.failed = errno, .what = "run"};
        return true;
    }
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        be_child(l, changed, attempt, ends[1]);
    }
    close(ends[1]);
    if (pid > 0)
        setpgid(pid, pid);
    bool whole = pid < 0 || watch_child(l, pid, out);
    int ended = pid > 0 ? wait_for(pid) : 0;
    ssize_t got = read(ends[0], &r, sizeof r);
    close(ends[0]);
    if (pid < 0 || (got == sizeof r && r.failed)) {
        static char what[sizeof r.what];
        memcpy(what, r.what, sizeof what);
        *out = (struct launched){.failed = pid < 0 ? errno : r.failed, .what = what};
        return true;
    }
    out->ended = l->has_space && got == sizeof r ? r.ended : ended;
    return whole;
}

/* ---- directories --------------------------------------------------------------------------- */

static bool make_folder(const struct launch *l, const char *name)
{
    char path[2 * PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", l->scratch, name);
    return mkdir(path, 0755) == 0;
}

bool launch_prepare(const struct launch *l)
{
    char path[2 * PATH_MAX];
    snprintf(path, sizeof path, "%s/run", l->scratch);
    tree_remove(path);
    return make_folder(l, "run") && (!l->hooks || make_folder(l, "run/calls"));
}

/* An argument that leads out of the working directory is wrong in a copy of it. */
static bool leads_out(const struct launch *l)
{
    for (size_t i = 1; l->words[i]; i++)
        if (!strncmp(l->words[i], "../", 3) || !strcmp(l->words[i], "..") ||
            strstr(l->words[i], "=../") || strstr(l->words[i], "/../"))
            return true;
    return false;
}

static bool copy_folder(struct launch *l)
{
    const char *folder = l->folders[l->where];
    tree_free(&l->copy);
    tree_remove(folder);
    if (!tree_copy(&l->origin, l->here, folder))
        return false;
    tree_scan(&l->copy, folder, NULL);
    return !l->copy.why;
}

/* The directory of the recordings is left out. */
static void choose_folders(struct launch *l, const char *recordings)
{
    if (leads_out(l))
        l->origin.why = "an argument leads out of it";
    else
        tree_scan(&l->origin, l->here, recordings);
    l->copied = !l->origin.why;
    for (unsigned i = 0; i < 2 && l->copied; i++)
        snprintf(l->folders[i], PATH_MAX, "%.*s/%s/work", PATH_MAX - 32, l->scratch,
                 i ? "other" : "place");
    if (l->copied && !copy_folder(l)) {
        l->origin.why = "it cannot be copied";
        l->copied = false;
    }
    for (unsigned i = 0; i < 2 && !l->copied; i++)
        snprintf(l->folders[i], PATH_MAX, "%s", l->here);
}

static int choose_processor(void)
{
    cpu_set_t set;
    int count = 0, wanted;
    if (sched_getaffinity(0, sizeof set, &set) < 0 || !(count = CPU_COUNT(&set)))
        return 0;
    wanted = (int)getpid() % count;
    for (int i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET((size_t)i, &set) && wanted-- == 0)
            return i;
    return 0;
}

const char *launch_open(struct launch *l, const char *dir)
{
    char name[PATH_MAX];
    int len = snprintf(l->scratch, sizeof l->scratch - 64, "%s/rastrum-XXXXXX", dir);
    if (len < 0 || (size_t)len >= sizeof l->scratch - 64 || !mkdtemp(l->scratch)) {
        *l->scratch = 0;
        return "directory for runs";
    }
    if (!getcwd(l->here, sizeof l->here))
        return "working directory";
    if (!make_folder(l, "home") || !make_folder(l, "away") || !make_folder(l, "place") ||
        !make_folder(l, "other"))
        return "directory for runs";
    twice_locale_choose(&l->locale, l->scratch);
    choose_folders(l, dir);
    l->since = (uint64_t)time(NULL);
    l->has_space = can_enter_space();
    l->fixes_addresses = can_fix_addresses();
    l->cpu = choose_processor();
    char **environment = environment_make(l, 0, 0, name);
    if (!environment)
        return "environment";
    l->size = strlen(name) + 1;
    for (size_t i = 0; environment[i]; i++)
        l->size += strlen(environment[i]) + 1;
    environment_free(environment);
    return NULL;
}

void launch_close(struct launch *l)
{
    if (*l->scratch)
        tree_remove(l->scratch);
    *l->scratch = 0;
    tree_free(&l->origin);
    tree_free(&l->copy);
}

void launch_written(struct launch *l, struct tree *written)
{
    *written = (struct tree){0};
    if (!l->copied)
        return;
    tree_written(&l->copy, l->folders[l->where], written);
    if (written->count)
        (void)copy_folder(l);
    if (l->file_count)
        tree_keep(written, l->files, l->file_count);
}

/* ---- what cannot be changed ------------------------------------------------------------------ */

const char *launch_why_left_out(const struct launch *l, enum twice_condition c)
{
    enum twice_needs needs = twice_condition_rows[c].needs;
    if (needs != TWICE_NEEDS_NOTHING && !l->conditions)
        return "nothing can be loaded into the program";
    if (needs == TWICE_NEEDS_HOOKS && !l->hooks)
        return "its calls are not recorded";
    if (c == TWICE_ASLR && !l->fixes_addresses)
        return "addresses may not be fixed";
    if (c == TWICE_LOCALE && !*l->locale.name)
        return "no locale with another decimal point is installed";
    if (c == TWICE_CWD && !l->copied)
        return l->origin.why;
    return c == TWICE_PID && !l->has_space ? "no namespace may be made" : NULL;
}

uint32_t launch_left_out(const struct launch *l, uint32_t set)
{
    uint32_t out = 0;
    for (unsigned i = 0; i < TWICE_CONDITIONS; i++)
        if (set & TWICE_BIT(i) && launch_why_left_out(l, (enum twice_condition)i))
            out |= TWICE_BIT(i);
    return out;
}
