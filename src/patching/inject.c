/* inject.c - calls in a thread of another process, and changes of its code.
 *
 * A call is made in a thread by changing its registers, on a stack of its own; it returns to an
 * address where nothing is, and the fault is ours to see before the process does. All registers
 * are then as they were, also those of a system call that was interrupted, which the kernel
 * restarts. */
#include "patching/inject.h"
#include "base/error.h"
#include "base/memory.h"
#include "patching/traced.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define CALL_NS UINT64_C(20000000000)

enum {
    NOWHERE = 16,           /* where calls return to */
    STACK = 512 << 10,      /* of a call */
    XSTATE_MOST = 64 << 10, /* vector registers */
    RED_ZONE = 128,
    LOOK = 64 << 10, /* of each stack */
    STEPS = 16,
    WINDOW = 64 << 10,
};

/* ---- where a thread may be diverted ---------------------------------------------------------- */

/* In these a thread waits, and is not in the middle of the allocator or of the dynamic linker. */
static bool is_waiting(const struct user_regs_struct *r)
{
    static const int calls[] = {SYS_read,
                                SYS_poll,
                                SYS_ppoll,
                                SYS_select,
                                SYS_pselect6,
                                SYS_epoll_wait,
                                SYS_epoll_pwait,
                                SYS_nanosleep,
                                SYS_clock_nanosleep,
                                SYS_pause,
                                SYS_wait4,
                                SYS_waitid,
                                SYS_accept,
                                SYS_accept4,
                                SYS_recvfrom,
                                SYS_recvmsg,
                                SYS_rt_sigtimedwait,
                                SYS_rt_sigsuspend,
                                SYS_futex};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if ((long)r->orig_rax == calls[i])
            return true;
    return false;
}

/* Whether this is the context of an interrupted thread: sigaction() leaves the same address. */
static bool is_frame(const struct inject *in, const uint64_t *words, size_t count)
{
    enum { REGISTERS_AT = 5, RIP = REG_RIP, SEGMENTS = REG_CSGSFS, USER_CODE = 0x33 };
    return count > REGISTERS_AT + SEGMENTS &&
           (words[REGISTERS_AT + SEGMENTS] & 0xffff) == USER_CODE &&
           process_map_at(&in->map, words[REGISTERS_AT + RIP]);
}

/* A handler may have interrupted anything: the return of one is on the stack. */
static bool is_in_handler(const struct inject *in, const struct thread *t, uint64_t *words)
{
    struct iovec to = {words, LOOK}, from = {(void *)(uintptr_t)t->regs.rsp, LOOK};
    ssize_t got = process_vm_readv(in->pid, &to, 1, &from, 1, 0);
    for (size_t size = LOOK; got < 0 && size > 4096; size /= 2) {
        to.iov_len = from.iov_len = size / 2;
        got = process_vm_readv(in->pid, &to, 1, &from, 1, 0);
    }
    for (ssize_t i = 0; i < got / 8; i++)
        if (words[i] == in->map.restorer && is_frame(in, words + i + 1, (size_t)(got / 8 - i - 1)))
            return true;
    return got < 0;
}

static bool is_safe(const struct inject *in, const struct thread *t, uint64_t *words)
{
    const struct process_region *at = process_map_at(&in->map, t->regs.rip);
    if (t->group_stop || !at || at->kind == REGION_LINKER)
        return false;
    bool in_call = (long)t->regs.orig_rax >= 0;
    if (in_call ? !is_waiting(&t->regs) : at->kind != REGION_OTHER)
        return false;
    return !is_in_handler(in, t, words);
}

/* Whether a thread waits in one of these system calls now, as far as can be seen from outside. */
static bool seems_to_wait(const struct inject *in, pid_t tid)
{
    char path[64], text[32] = "";
    snprintf(path, sizeof path, "/proc/%d/task/%d/syscall", (int)in->pid, (int)tid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    (void)!read(fd, text, sizeof text - 1);
    close(fd);
    char *end;
    const struct user_regs_struct r = {.orig_rax = strtoull(text, &end, 10)};
    return end != text && is_waiting(&r);
}

/* A thread that is stopped; no other was. Those that wait come first: they lose no time. NULL:
 * none is at such a place now. */
static struct thread *choose(struct inject *in, bool anywhere, uint64_t *words)
{
    for (unsigned round = 0; round < 2; round++)
        for (size_t i = 0; !in->gone && i < in->count; i++) {
            struct thread *t = &in->threads[i];
            pid_t tid = t->tid;
            if (!round && !seems_to_wait(in, tid))
                continue;
            t = traced_stop_one(in, tid);
            if (!t)
                continue;
            if (anywhere ? !t->group_stop : is_safe(in, t, words))
                return t;
            traced_go_on(in, t);
        }
    return NULL;
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* The registers of a diverted thread. */
struct diverted {
    struct inject *in;
    pid_t tid;
    struct user_regs_struct regs;
    void *vectors;
    struct iovec saved;
    int signal; /* that came meanwhile */
};

/* Wait for the stop of one thread; the others go on with theirs. */
static bool await_stop(struct diverted *d, int *signal)
{
    struct inject *in = d->in;
    int status;
    for (uint64_t start = traced_now_ns(); traced_now_ns() - start < CALL_NS && !in->gone;) {
        pid_t tid = waitpid(-1, &status, __WALL | WNOHANG);
        if (tid <= 0) {
            traced_pause_us(20);
            continue;
        }
        uint64_t since = traced_thread(in, tid) ? traced_thread(in, tid)->since_ns : 0;
        traced_take_stop(in, tid, status);
        struct thread *t = WIFSTOPPED(status) ? traced_thread(in, tid) : NULL;
        if (!t)
            continue;
        if (tid != d->tid) {
            traced_go_on(in, t);
            continue;
        }
        t->since_ns = since; /* the time of the diversion is that of a stop */
        *signal = t->signal;
        t->signal = 0;
        if (status >> 16 == 0)
            return true;
        ptrace(PTRACE_CONT, tid, NULL, NULL); /* an event of ptrace itself */
    }
    return false;
}

/* Run with these registers up to the fault at NOWHERE, or one step. */
static bool run_until(struct diverted *d, struct user_regs_struct *r, bool step)
{
    int signal;
    if (ptrace(PTRACE_SETREGS, d->tid, NULL, r) < 0 ||
        ptrace(step ? PTRACE_SINGLESTEP : PTRACE_CONT, d->tid, NULL, NULL) < 0)
        return false;
    while (await_stop(d, &signal) && ptrace(PTRACE_GETREGS, d->tid, NULL, r) == 0) {
        if (step && signal == SIGTRAP)
            return true;
        if (signal == SIGSEGV)
            return !step && r->rip == NOWHERE;
        d->signal = signal; /* of the program: delivered when it goes on */
        ptrace(step ? PTRACE_SINGLESTEP : PTRACE_CONT, d->tid, NULL, NULL);
    }
    return false;
}

static bool call_system(struct diverted *d, long number, const uint64_t argument[6],
                        uint64_t *result)
{
    struct user_regs_struct r = d->regs;
    r.rip = d->in->map.syscall;
    r.rax = (uint64_t)number;
    r.orig_rax = UINT64_MAX;
    r.rdi = argument[0];
    r.rsi = argument[1];
    r.rdx = argument[2];
    r.r10 = argument[3];
    r.r8 = argument[4];
    r.r9 = argument[5];
    bool good = run_until(d, &r, true);
    *result = r.rax;
    return good && r.rax < UINT64_MAX - 4095; /* else it is an error */
}

static bool call_function(struct diverted *d, uint64_t function, uint64_t stack, uint64_t first,
                          uint64_t second, uint64_t *result)
{
    const uint64_t back = NOWHERE;
    struct user_regs_struct r = d->regs;
    r.rip = function;
    r.rsp = stack - 8; /* as after a call */
    r.rdi = first;
    r.rsi = second;
    r.rax = 0;
    r.orig_rax = UINT64_MAX;
    r.eflags &= ~(uint64_t)0x500; /* direction and trap flags */
    bool good = pwrite(d->in->memory, &back, sizeof back, (off_t)r.rsp) == sizeof back &&
                run_until(d, &r, false);
    *result = r.rax;
    return good;
}

static bool divert(struct diverted *d, struct inject *in, const struct thread *t)
{
    *d = (struct diverted){.in = in, .tid = t->tid, .regs = t->regs, .signal = t->signal};
    d->vectors = malloc(XSTATE_MOST);
    d->saved = (struct iovec){d->vectors, XSTATE_MOST};
    return d->vectors && ptrace(PTRACE_GETREGSET, d->tid, (void *)NT_X86_XSTATE, &d->saved) == 0;
}

static void restore(struct diverted *d)
{
    struct thread *t = traced_thread(d->in, d->tid);
    ptrace(PTRACE_SETREGSET, d->tid, (void *)NT_X86_XSTATE, &d->saved);
    ptrace(PTRACE_SETREGS, d->tid, NULL, &d->regs);
    if (t) {
        t->stopped = true;
        t->signal = d->signal;
        traced_go_on(d->in, t);
    }
    free(d->vectors);
}

/* A call with a text and a number, errno being as before. */
static bool call_on_stack(struct diverted *d, uint64_t stack, uint64_t function, const char *text,
                          uint64_t number, uint64_t *result)
{
    struct inject *in = d->in;
    uint64_t top = stack + STACK - 8192, error_at = 0;
    int32_t error = 0;
    size_t size = text ? strlen(text) + 1 : 0;
    if (size > 8192 || (size && pwrite(in->memory, text, size, (off_t)top) != (ssize_t)size))
        return false;
    bool keeps = in->map.errno_location &&
                 call_function(d, in->map.errno_location, top, 0, 0, &error_at) &&
                 inject_read(in, error_at, &error, sizeof error);
    bool good = call_function(d, function, top, text ? top : 0, number, result);
    if (good && keeps)
        (void)!pwrite(in->memory, &error, sizeof error, (off_t)error_at);
    return good;
}

/* In a thread that was chosen. */
static int call_in(struct inject *in, const struct thread *t, uint64_t function, const char *text,
                   uint64_t number, uint64_t *result, struct ras_error *err)
{
    struct diverted d;
    uint64_t stack = 0, ignored;
    const uint64_t map[6] = {0,          STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                             UINT64_MAX, 0};
    bool good = divert(&d, in, t) && call_system(&d, SYS_mmap, map, &stack);
    if (good) {
        const uint64_t unmap[6] = {stack, STACK};
        good = call_on_stack(&d, stack, function, text, number, result);
        (void)call_system(&d, SYS_munmap, unmap, &ignored);
    }
    restore(&d);
    return good ? RAS_OK
                : fail(err, RAS_EUNSUPPORTED, RAS_NONE,
                       in->gone ? "process %d has ended" : "a call in process %d failed",
                       (int)in->pid);
}

static int call_somewhere(struct inject *in, bool anywhere, uint64_t function, const char *text,
                          uint64_t number, uint64_t *result, struct ras_error *err)
{
    uint64_t *words = malloc(LOOK), start = traced_now_ns();
    const struct thread *t = NULL;
    if (!words)
        return fail_memory(err);
    for (long us = 100; !t && !in->gone && traced_now_ns() - start < TRACED_TRY_NS;
         us = us < 5000 ? 2 * us : us) {
        t = choose(in, anywhere, words);
        if (!t)
            traced_pause_us(us + (long)(traced_now_ns() % 97));
    }
    free(words);
    if (!t)
        return fail(err, RAS_EUNSUPPORTED, RAS_NONE,
                    in->gone ? "process %d has ended"
                             : "no thread of process %d came to a place where a library can be "
                               "loaded",
                    (int)in->pid);
    return call_in(in, t, function, text, number, result, err);
}

int inject_load(struct inject *in, const char *path, struct ras_error *err)
{
    enum { LAZY = 1, NOW = 2, NODELETE = 0x1000 };
    uint64_t handle = 0;
    if (!in->map.dlopen || !in->map.restorer)
        return fail(
            err, RAS_EUNSUPPORTED, RAS_NONE,
            "process %d has no dlopen(): it is linked statically, or with another C library",
            (int)in->pid);
    int status = call_somewhere(in, false, in->map.dlopen, path, NOW | NODELETE, &handle, err);
    if (status == RAS_OK && !handle)
        status = fail(err, RAS_EUNSUPPORTED, RAS_NONE, "process %d cannot load %.150s",
                      (int)in->pid, path);
    if (status == RAS_OK)
        status = process_map_read(&in->map, in->pid, err);
    return status;
}

int inject_call(struct inject *in, uint64_t function, struct ras_error *err)
{
    uint64_t ignored;
    return call_somewhere(in, true, function, NULL, 0, &ignored, err);
}

/* ---- bytes of code --------------------------------------------------------------------------- */

/* The site into whose bytes, not to whose start, an address leads; NULL: none. */
static const struct attach_site *inside(const struct attach_site *sites, size_t count, uint64_t at)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sites[middle].at < at)
            low = middle + 1;
        else
            high = middle;
    }
    const struct attach_site *s = low ? &sites[low - 1] : NULL;
    return s && at - s->at < ATTACH_JUMP ? s : NULL;
}

/* A thread inside the bytes is led out of them, step by step. */
static void step_out(struct inject *in, struct thread *t, const struct attach_site *sites,
                     size_t count)
{
    int status;
    for (unsigned i = 0; i < STEPS && !t->signal && inside(sites, count, t->regs.rip); i++) {
        uint64_t start = traced_now_ns();
        if (ptrace(PTRACE_SINGLESTEP, t->tid, NULL, NULL) < 0)
            return;
        pid_t got;
        while ((got = waitpid(t->tid, &status, __WALL | WNOHANG)) == 0 &&
               traced_now_ns() - start < TRACED_STOP_NS)
            traced_pause_us(5);
        if (got == 0) { /* it waits in a system call */
            ptrace(PTRACE_INTERRUPT, t->tid, NULL, NULL);
            got = waitpid(t->tid, &status, __WALL);
        }
        uint64_t since = t->since_ns;
        if (got != t->tid || !WIFSTOPPED(status)) {
            in->gone |= got == t->tid;
            return;
        }
        if (status >> 16 == 0 && WSTOPSIG(status) != SIGTRAP)
            t->signal = WSTOPSIG(status);
        t->since_ns = since;
        ptrace(PTRACE_GETREGS, t->tid, NULL, &t->regs);
    }
}

/* Sites that a thread is inside of, or returns into, as from a handler, are left as they are. */
static void mark_used(const struct inject *in, const struct thread *t,
                      const struct attach_site *sites, size_t count, bool *used, uint64_t *words)
{
    const struct attach_site *s = inside(sites, count, t->regs.rip);
    struct iovec to = {words, LOOK}, from = {(void *)(uintptr_t)(t->regs.rsp - RED_ZONE), LOOK};
    ssize_t got = process_vm_readv(in->pid, &to, 1, &from, 1, 0);
    for (size_t size = LOOK; got < 0 && size > 512; size /= 2) {
        to.iov_len = from.iov_len = size / 2;
        got = process_vm_readv(in->pid, &to, 1, &from, 1, 0);
    }
    if (s)
        used[s - sites] = true;
    for (ssize_t i = 0; i < got / 8; i++) {
        s = inside(sites, count, words[i]);
        if (s)
            used[s - sites] = true;
    }
}

/* Several sites with one write. */
static bool write_sites(const struct inject *in, const struct attach_site *sites, size_t count,
                        bool original, const bool *used, size_t *written)
{
    static uint8_t bytes[WINDOW];
    for (size_t i = 0, next; i < count; i = next) {
        uint64_t from = sites[i].at;
        for (next = i + 1; next < count && sites[next].at + ATTACH_JUMP - from <= WINDOW; next++) {
        }
        size_t size = (size_t)(sites[next - 1].at + ATTACH_JUMP - from);
        if (pread(in->memory, bytes, size, (off_t)from) != (ssize_t)size)
            return false;
        for (size_t k = i; k < next; k++) {
            const struct attach_site *s = &sites[k];
            uint8_t *at = bytes + (s->at - from);
            if (used[k] || memcmp(at, original ? s->jump : s->original, ATTACH_JUMP) != 0)
                continue;
            memcpy(at, original ? s->original : s->jump, ATTACH_JUMP);
            ++*written;
        }
        if (pwrite(in->memory, bytes, size, (off_t)from) != (ssize_t)size)
            return false;
    }
    return true;
}

static bool write_stopped(struct inject *in, const struct attach_site *sites, size_t count,
                          bool original, bool *used, uint64_t *words, size_t *written)
{
    for (size_t i = 0; !original && i < in->count; i++) {
        step_out(in, &in->threads[i], sites, count);
        mark_used(in, &in->threads[i], sites, count, used, words);
    }
    return !in->gone && write_sites(in, sites, count, original, used, written);
}

int inject_write(struct inject *in, const struct attach_site *sites, size_t count, bool original,
                 size_t *written, size_t *left, struct ras_error *err)
{
    bool *used = calloc(count + 1, 1), stopped = false, good = false;
    uint64_t *words = malloc(LOOK), start = traced_now_ns();
    *written = *left = 0;
    while (used && words && !in->gone && !stopped && traced_now_ns() - start < TRACED_TRY_NS) {
        stopped = traced_stop_all(in);
        if (!stopped)
            traced_pause_us(1000);
    }
    if (stopped)
        good = write_stopped(in, sites, count, original, used, words, written);
    traced_go_on_all(in);
    for (size_t i = 0; used && i < count; i++)
        *left += used[i];
    bool memory = used && words;
    free(used);
    free(words);
    if (!memory)
        return fail_memory(err);
    if (!stopped)
        return fail(err, RAS_EUNSUPPORTED, RAS_NONE,
                    in->gone ? "process %d has ended" : "the threads of process %d do not stop",
                    (int)in->pid);
    return good ? RAS_OK
                : fail(err, RAS_EUNSUPPORTED, RAS_NONE, "the code of process %d cannot be changed",
                       (int)in->pid);
}
