/* ends_test.c - every way a process can end: sealed if possible, otherwise a whole prefix. */
#include "script.h"

#include <dirent.h>
#include <dlfcn.h>
#include <inttypes.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { EVENTS = 20000 };

static const char *plugin;
static int *volatile nowhere = (int *)(uintptr_t)8;

/* Sanitizers must not handle crashes and forks here. */
RAS_API const char *__asan_default_options(void);
RAS_API const char *__tsan_default_options(void);
const char *__asan_default_options(void)
{
    return "handle_segv=0:handle_abort=0:handle_sigbus=0:use_sigaltstack=0:detect_leaks=0";
}
const char *__tsan_default_options(void)
{
    return "handle_segv=0:handle_abort=0:die_after_fork=0:use_sigaltstack=0";
}

static void start(const char *dir, enum ras_record_fork fork_as)
{
    const struct rlimit no_core = {0};
    const struct ras_record_options options = {.exact = dir, .fork = fork_as, .flush_ms = 10000};
    setrlimit(RLIMIT_CORE, &no_core);
    if (ras_record_start(&options, NULL) < 0)
        _exit(99);
}

static void play_some(uint64_t number)
{
    struct script s = script_of(number);
    for (unsigned i = 0; i < EVENTS; i++) {
        struct played p = script_next(&s);
        play(&p);
    }
}

static void *play_for_ever(void *user)
{
    struct script s = script_of((uint64_t)(uintptr_t)user);
    for (;;) {
        struct played p = script_next(&s);
        play(&p);
    }
    return NULL;
}

/* ---- ways to end ------------------------------------------------------------------ */

static void touch_nothing(const char *dir)
{
    start(dir, RAS_RECORD_FORK_OFF);
    play_some(1);
    (void)!ras_marker("has events");
    *nowhere = 1;
}

static void crash_among_others(const char *dir)
{
    pthread_t thread;
    start(dir, RAS_RECORD_FORK_OFF);
    if (pthread_create(&thread, NULL, play_for_ever, (void *)(uintptr_t)2) == 0)
        play_some(1);
    *nowhere = 1;
}

static int sink_of_frames;

__attribute__((noinline)) static int dig(int depth)
{
    volatile char frame[4096];
    frame[0] = (char)depth;
    sink_of_frames += frame[0];
    return depth ? dig(depth + 1) + frame[0] : 0;
}

static void overflow_the_stack(const char *dir)
{
    start(dir, RAS_RECORD_FORK_OFF);
    play_some(1);
    sink_of_frames = dig(1);
}

static void give_up(const char *dir)
{
    start(dir, RAS_RECORD_FORK_OFF);
    play_some(1);
    abort();
}

static void be_terminated(const char *dir)
{
    start(dir, RAS_RECORD_FORK_OFF);
    play_some(1);
    kill(getpid(), SIGTERM);
    pause();
}

static void return_from_main(const char *dir)
{
    start(dir, RAS_RECORD_FORK_OFF);
    play_some(1);
    exit(7);
}

static void leave_at_once(const char *dir)
{
    start(dir, RAS_RECORD_FORK_OFF);
    play_some(1);
    _exit(7);
}

static sigjmp_buf rescue;

static void on_segv(int number)
{
    (void)number;
    siglongjmp(rescue, 1);
}

/* Half of the script, then a fault that the program's own handler ends, then the other half. */
static void fault_between(const char *dir, void (*handler)(int), int number)
{
    struct sigaction own = {.sa_handler = handler};
    struct script s = script_of(1);
    struct ras_error err;
    sigaction(number, &own, NULL);
    start(dir, RAS_RECORD_FORK_OFF);
    for (unsigned i = 0; i < EVENTS; i++) {
        struct played p = script_next(&s);
        play(&p);
        if (i == EVENTS / 2 && !sigsetjmp(rescue, 1)) {
            if (number == SIGSEGV)
                *nowhere = 1;
            else
                raise(number);
        }
    }
    exit(ras_record_stop(&err) == RAS_OK && ras_record_stop(&err) == RAS_EUSAGE ? 7 : 98);
}

static void survive_by_jump(const char *dir)
{
    fault_between(dir, on_segv, SIGSEGV);
}

static void on_trap(int number)
{
    sink_of_frames += number;
}

static void survive_by_return(const char *dir)
{
    fault_between(dir, on_trap, SIGTRAP);
}

static void on_bus(int number)
{
    (void)number;
    _exit(7);
}

static void exit_in_handler(const char *dir)
{
    fault_between(dir, on_bus, SIGSEGV);
}

static void ignore_it(const char *dir)
{
    fault_between(dir, SIG_IGN, SIGTRAP);
}

static void fork_away(const char *dir, enum ras_record_fork fork_as)
{
    start(dir, fork_as);
    struct script s = script_of(1);
    for (unsigned i = 0; i < EVENTS / 2; i++) {
        struct played p = script_next(&s);
        play(&p);
    }
    pid_t child = fork();
    if (child == 0) {
        play_some(2);
        exit(0);
    }
    for (unsigned i = 0; i < EVENTS / 2; i++) {
        struct played p = script_next(&s);
        play(&p);
    }
    int status = 0;
    waitpid(child, &status, 0);
    exit(status ? 98 : 7);
}

static void fork_off(const char *dir)
{
    fork_away(dir, RAS_RECORD_FORK_OFF);
}

__attribute__((unused)) static void fork_follow(const char *dir)
{
    fork_away(dir, RAS_RECORD_FORK_FOLLOW);
}

/* The recorder comes and goes with a plugin, while a thread that was recorded lives on. */
static void *wait_for_end(void *user)
{
    void (*work)(uint64_t number);
    void *const *symbol = user;
    memcpy(&work, symbol, sizeof work);
    work(2);
    return NULL;
}

static void unload(const char *dir)
{
    int (*begin)(const char *);
    void (*work)(uint64_t);
    pthread_t thread;
    void *handle = dlopen(plugin, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        puts(dlerror());
        _exit(98);
    }
    void *symbols[] = {dlsym(handle, "plugin_begin"), dlsym(handle, "plugin_work")};
    memcpy(&begin, &symbols[0], sizeof begin);
    memcpy(&work, &symbols[1], sizeof work);
    if (begin(dir) < 0)
        _exit(98);
    work(1);
    if (pthread_create(&thread, NULL, wait_for_end, &symbols[1]))
        _exit(98);
    pthread_join(thread, NULL);
    dlclose(handle);
    _exit(dlopen(plugin, RTLD_NOW | RTLD_NOLOAD) ? 97 : 7);
}

struct way {
    const char *name;
    void (*end)(const char *dir);
    int signal, status;
    bool sealed;
    unsigned processes;
    uint64_t scripts; /* bits: which are there in full */
    int crash;        /* the signal that the manifest has; 0: none, or that of the process */
};

static const struct way ways[] = {
    {"a crash", touch_nothing, SIGSEGV, 0, true, 1, 1 << 1},
    {"a crash among threads", crash_among_others, SIGSEGV, 0, true, 1, 1 << 1},
    {"a stack that overflows", overflow_the_stack, SIGSEGV, 0, true, 1, 1 << 1},
    {"abort", give_up, SIGABRT, 0, true, 1, 1 << 1},
    {"SIGTERM", be_terminated, SIGTERM, 0, true, 1, 1 << 1},
    {"exit", return_from_main, 0, 7, true, 1, 1 << 1},
    {"_exit", leave_at_once, 0, 7, false, 1, 0},
    {"a fault that a handler leaves by a jump", survive_by_jump, 0, 7, true, 1, 1 << 1, 0},
    {"a signal that a handler returns from", survive_by_return, 0, 7, true, 1, 1 << 1, 0},
    {"a signal that is ignored", ignore_it, 0, 7, true, 1, 1 << 1, 0},
    {"_exit in a handler of a fault", exit_in_handler, 0, 7, false, 1, 0, SIGSEGV},
    {"fork, the child is deaf", fork_off, 0, 7, true, 1, 1 << 1},
#ifndef __SANITIZE_THREAD__ /* which knows of no threads in a child of several */
    {"fork, the child records", fork_follow, 0, 7, true, 2, 1 << 1 | 1 << 2},
#endif
    {"dlclose", unload, 0, 7, true, 1, 1 << 1 | 1 << 2},
};

/* ---- what is left ----------------------------------------------------------------- */

static bool check_status(const struct way *way, int status)
{
    if (way->signal ? WIFSIGNALED(status) && WTERMSIG(status) == way->signal
                    : WIFEXITED(status) && WEXITSTATUS(status) == way->status)
        return true;
    return complain("it ended with status 0x%x", status);
}

static unsigned count_processes(const char *dir)
{
    unsigned count = 0;
    DIR *d = opendir(dir);
    for (struct dirent *e; d && (e = readdir(d));)
        count += !strncmp(e->d_name, "pid_", 4);
    if (d)
        closedir(d);
    return count;
}

static bool check_threads(const struct way *way, struct ras_atf_session *s)
{
    uint64_t found = 0;
    for (size_t i = 0; i < ras_atf_thread_count(s); i++) {
        struct heard heard;
        struct ras_atf_index_event first;
        if (!script_check(s, i, false, &heard) || !heard.whole)
            return complain("thread %zu is not as it was played", i);
        if (heard.events == EVENTS && ras_atf_index_at(s, i, 0, &first, NULL) == RAS_OK)
            found |= UINT64_C(1) << (first.function_id >> 32);
    }
    return (found & way->scripts) == way->scripts ||
           complain("whole scripts: 0x%" PRIx64 " of 0x%" PRIx64, found, way->scripts);
}

/* Where a stream of events is open, the last of them is the crash. */
static bool check_events(const struct way *way, const char *dir, pid_t child)
{
    char path[4200];
    struct ras_trace *t;
    struct ras_cursor *c;
    const struct ras_record *r;
    uint64_t crashes = 0, signal = 0;
    size_t count;
    snprintf(path, sizeof path, "%s/pid_%d/events.trc", dir, (int)child);
    if (access(path, F_OK) < 0)
        return way->end != touch_nothing || complain("there are no events");
    if (ras_open(&t, path, NULL, NULL) < 0 || ras_cursor_open(&c, t, NULL, NULL) < 0)
        return complain("events.trc cannot be read");
    while (ras_next(c, &r, NULL) == RAS_OK) {
        bool is_crash = !strcmp(ras_schema_of(c)->name, "crash");
        const struct ras_value *v = is_crash ? ras_values(c, &count) : NULL;
        crashes += is_crash;
        signal = v && count >= 2 ? v[1].u : 0;
    }
    ras_cursor_close(c);
    ras_close(t);
    return (crashes == 1 && signal == (uint64_t)way->signal) ||
           complain("%" PRIu64 " crashes, signal %" PRIu64, crashes, signal);
}

static bool check_session(const struct way *way, const char *dir)
{
    struct ras_trace *t;
    struct ras_info *info;
    struct ras_error err = {0};
    if (count_processes(dir) != way->processes)
        return complain("%u processes were recorded", count_processes(dir));
    if (ras_open(&t, dir, NULL, &err) < 0)
        return !way->sealed || complain("open: %s", err.text);
    bool good = ras_info(&info, t, NULL, NULL, &err) == RAS_OK;
    if (good && way->sealed && info->ending.kind != RAS_COMPLETE)
        good = complain("it ends %s: %s", ras_ending_name(info->ending.kind), info->ending.why);
    if (good)
        ras_info_free(info);
    good = good && check_threads(way, ras_atf_session(t));
    uint32_t crash = ras_atf_manifest(ras_atf_session(t), 0)->crash.signal;
    if (good && crash != (uint32_t)(way->crash ? way->crash : way->signal))
        good = complain("the manifest has signal %" PRIu32, crash);
    ras_close(t);
    return good;
}

static bool run(const struct way *way)
{
    int status = 0;
    const char *dir = scratch();
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        way->end(dir);
        _exit(96);
    }
    waitpid(child, &status, 0);
    bool good =
        check_status(way, status) && check_session(way, dir) && check_events(way, dir, child);
    remove_all(dir);
    if (!good)
        printf("ends: %s\n", way->name);
    return good;
}

int main(int argc, char **argv)
{
    unsigned passed = 0, failed = 0;
    plugin = argc == 2 ? argv[1] : "";
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (run(&ways[i]))
            passed++;
        else
            failed++;
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0;
}
