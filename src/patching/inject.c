/* inject.c - calls in a thread of another process, and changes of its code.
 *
 * A call is made in a thread by changing its registers, on a stack of its own; it returns to an
 * address where nothing is, and the fault is ours to see before the process does. All registers
 * are then as they were, also those of a system call that was interrupted, which the kernel
 * restarts.
 *
 * Each time that a thread is to run again it waits for its turn. So it is diverted for one or two
 * short calls, and whatever can be done before all threads are stopped is done before. */
#include "patching/inject.h"
#include "base/error.h"
#include "base/memory.h"
#include "patching/load_stub.h"
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
    NOWHERE = 16,      /* where calls return to */
    BLOCK = 128 << 10, /* for a call */
    STUB_AT = 8192,    /* in it */
    STUB_MOST = 1024,
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
    uint64_t mask; /* of signals */
    int signal;    /* that came meanwhile */
};

/* Wait for the stop of one thread; the others go on with theirs. */
static bool await_stop(struct diverted *d, int *signal)
{
    struct inject *in = d->in;
    int status;
    for (uint64_t start = traced_now_ns(); traced_now_ns() - start < CALL_NS && !in->gone;) {
        pid_t tid = waitpid(-1, &status, __WALL | WNOHANG);
        if (tid <= 0) {
            in->looked_ns = traced_now_ns();
            traced_wait_us(WAIT_US);
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

/* Map memory in which code can be executed. */
static bool map_block(struct diverted *d, uint64_t size, uint64_t *block)
{
    struct user_regs_struct r = d->regs;
    r.rip = d->in->map.syscall;
    r.rax = SYS_mmap;
    r.orig_rax = UINT64_MAX;
    r.rdi = 0;
    r.rsi = size;
    r.rdx = PROT_READ | PROT_WRITE | PROT_EXEC;
    r.r10 = MAP_PRIVATE | MAP_ANONYMOUS;
    r.r8 = UINT64_MAX;
    r.r9 = 0;
    bool good = run_until(d, &r, true);
    *block = r.rax;
    return good && r.rax < UINT64_MAX - 4095; /* else it is an error */
}

/* Call a function on a stack whose end is a multiple of 16. */
static bool call_function(struct diverted *d, uint64_t function, uint64_t stack, uint64_t argument,
                          uint64_t *result)
{
    const uint64_t back = NOWHERE;
    struct user_regs_struct r = d->regs;
    r.rip = function;
    r.rsp = stack - 8; /* as after a call */
    r.rdi = argument;
    r.rax = 0;
    r.orig_rax = UINT64_MAX;
    r.eflags &= ~(uint64_t)0x500; /* direction and trap flags */
    bool good = pwrite(d->in->memory, &back, sizeof back, (off_t)r.rsp) == sizeof back &&
                run_until(d, &r, false);
    *result = r.rax;
    return good;
}

/* Note what is changed below. */
static bool save_thread(struct diverted *d, struct inject *in, const struct thread *t)
{
    *d = (struct diverted){.in = in, .tid = t->tid, .regs = t->regs, .signal = t->signal};
    d->vectors = malloc(XSTATE_MOST);
    d->saved = (struct iovec){d->vectors, XSTATE_MOST};
    return d->vectors && ptrace(PTRACE_GETREGSET, d->tid, (void *)NT_X86_XSTATE, &d->saved) == 0 &&
           ptrace(PTRACE_GETSIGMASK, d->tid, (void *)sizeof d->mask, &d->mask) == 0;
}

/* Signals wait until it goes on, but those of our own: one that is blocked when it is raised
 * takes the program's handler away. A thread that is created is not ours to stop. */
static bool divert(const struct diverted *d)
{
    const uint64_t ours = UINT64_C(1) << (SIGSEGV - 1) | UINT64_C(1) << (SIGTRAP - 1);
    uint64_t mask = ~ours;
    return ptrace(PTRACE_SETSIGMASK, d->tid, (void *)sizeof mask, &mask) == 0 &&
           ptrace(PTRACE_SETOPTIONS, d->tid, NULL, TRACED_DIVERTED) == 0;
}

static void restore(struct diverted *d)
{
    struct thread *t = traced_thread(d->in, d->tid);
    ptrace(PTRACE_SETOPTIONS, d->tid, NULL, TRACED_OPTIONS);
    ptrace(PTRACE_SETSIGMASK, d->tid, (void *)sizeof d->mask, &d->mask);
    ptrace(PTRACE_SETREGSET, d->tid, (void *)NT_X86_XSTATE, &d->saved);
    ptrace(PTRACE_SETREGS, d->tid, NULL, &d->regs);
    if (t) {
        t->stopped = true;
        t->signal = d->signal;
        traced_go_on(d->in, t);
    }
}

/* What is called in a thread that was chosen. */
struct call {
    uint64_t function, stack;
    struct load_order *order; /* NULL: the function alone */
    const char *path;
};

/* The block has the order, the path, the stub, and the stack of pthread_create(). */
static bool call_stub(struct diverted *d, const struct call *c, uint64_t *result)
{
    static uint8_t block[STUB_AT + STUB_MOST];
    struct load_order *o = c->order;
    size_t size = (size_t)(load_stub_end - load_stub), length = strlen(c->path) + 1;
    if (size > STUB_MOST || length > STUB_AT - sizeof *o || !map_block(d, BLOCK, &o->block))
        return false;
    o->block_size = BLOCK;
    o->path = o->block + sizeof *o;
    memcpy(block, o, sizeof *o);
    memcpy(block + sizeof *o, c->path, length);
    memcpy(block + STUB_AT, load_stub, size);
    return pwrite(d->in->memory, block, sizeof block, (off_t)o->block) == sizeof block &&
           call_function(d, o->block + STUB_AT, o->block + BLOCK, o->block, result) && !*result;
}

static int call_in(struct inject *in, struct thread *t, const struct call *c, struct ras_error *err)
{
    struct diverted d;
    uint64_t result;
    bool saved = save_thread(&d, in, t), good = saved && divert(&d);
    if (good)
        good = c->order ? call_stub(&d, c, &result)
                        : call_function(&d, c->function, c->stack, 0, &result);
    if (saved)
        restore(&d);
    else
        traced_go_on(in, t);
    free(d.vectors);
    return good ? RAS_OK
                : fail(err, RAS_EUNSUPPORTED, RAS_NONE,
                       in->gone ? "process %d has ended" : "a call in process %d failed",
                       (int)in->pid);
}

static int call_somewhere(struct inject *in, const struct call *c, struct ras_error *err)
{
    uint64_t *words = malloc(LOOK), start = traced_now_ns();
    struct thread *t = NULL;
    if (!words)
        return fail_memory(err);
    traced_get_ready(in);
    for (long us = 100; !t && !in->gone && traced_now_ns() - start < TRACED_TRY_NS;
         us = us < 5000 ? 2 * us : us) {
        t = choose(in, !c->order, words);
        if (!t)
            traced_rest(in, us + (long)(traced_now_ns() % 97));
    }
    int status = t ? call_in(in, t, c, err)
                   : fail(err, RAS_EUNSUPPORTED, RAS_NONE,
                          in->gone ? "process %d has ended"
                                   : "no thread of process %d came to a place where a library can "
                                     "be loaded",
                          (int)in->pid);
    traced_relax(0, &in->before);
    free(words);
    return status;
}

/* Until the thread has loaded it; the block goes with that thread. */
static int await_load(struct inject *in, uint64_t block, const char *path, struct ras_error *err)
{
    struct load_order now = {0};
    for (uint64_t start = traced_now_ns(); traced_now_ns() - start < CALL_NS && !in->gone;) {
        if (!inject_read(in, block, &now, sizeof now) || now.done)
            break;
        traced_rest(in, 500);
    }
    if (!now.done)
        return fail(err, RAS_EUNSUPPORTED, RAS_NONE,
                    in->gone ? "process %d has ended" : "process %d does not load a library",
                    (int)in->pid);
    (void)!inject_put(in, block + offsetof(struct load_order, released), 1);
    return now.handle ? RAS_OK
                      : fail(err, RAS_EUNSUPPORTED, RAS_NONE, "process %d cannot load %.150s",
                             (int)in->pid, path);
}

int inject_load(struct inject *in, const char *path, struct ras_error *err)
{
    enum { LAZY = 1, NOW = 2, NODELETE = 0x1000 };
    const struct process_map *m = &in->map;
    struct load_order order = {m->dlopen,         m->pthread_create, m->pthread_detach,
                               m->errno_location, m->munmap,         .flags = NOW | NODELETE};
    const struct call call = {.order = &order, .path = path};
    if (!m->dlopen || !m->pthread_create || !m->pthread_detach || !m->errno_location ||
        !m->munmap || !m->restorer)
        return fail(
            err, RAS_EUNSUPPORTED, RAS_NONE,
            "process %d has no dlopen(): it is linked statically, or with another C library",
            (int)in->pid);
    int status = call_somewhere(in, &call, err);
    if (status == RAS_OK)
        status = await_load(in, order.block, path, err);
    if (status == RAS_OK)
        status = process_map_read(&in->map, in->pid, err);
    return status;
}

int inject_call(struct inject *in, uint64_t function, uint64_t stack, struct ras_error *err)
{
    const struct call call = {.function = function, .stack = stack & ~UINT64_C(15)};
    return call_somewhere(in, &call, err);
}

/* ---- bytes of code --------------------------------------------------------------------------- */

/* The site into whose bytes, not to whose start, an address leads; NULL: none. */
static const struct attach_site *inside(const struct attach_site *sites, size_t count, uint64_t at)
{
    size_t low = 0, high = count;
    if (!count || at <= sites[0].at || at >= sites[count - 1].at + ATTACH_JUMP)
        return NULL; /* as most words of a stack */
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

/* Change the bytes of a site that are at `at` here; false: they stay as they are. */
static bool change_site(const struct attach_site *s, bool original, uint8_t *at)
{
    if (memcmp(at, original ? s->jump : s->original, ATTACH_JUMP) != 0)
        return false;
    memcpy(at, original ? s->original : s->jump, ATTACH_JUMP);
    return true;
}

/* One by one, as where a module has just been unloaded. */
static bool write_single(const struct inject *in, const struct attach_site *sites, size_t count,
                         bool original, const bool *used, size_t *written)
{
    uint8_t bytes[ATTACH_JUMP];
    for (size_t i = 0; i < count; i++)
        if (!used[i] && inject_read(in, sites[i].at, bytes, sizeof bytes) &&
            change_site(&sites[i], original, bytes)) {
            if (pwrite(in->memory, bytes, sizeof bytes, (off_t)sites[i].at) != sizeof bytes)
                return false;
            *written += !sites[i].is_linker;
        }
    return true;
}

/* Several with one write. */
static bool write_together(const struct inject *in, const struct attach_site *sites, size_t count,
                           bool original, const bool *used, size_t *written)
{
    static uint8_t bytes[WINDOW];
    uint64_t from = sites->at;
    size_t size = (size_t)(sites[count - 1].at + ATTACH_JUMP - from);
    if (!inject_read(in, from, bytes, size))
        return write_single(in, sites, count, original, used, written);
    for (size_t i = 0; i < count; i++)
        if (!used[i] && change_site(&sites[i], original, bytes + (sites[i].at - from)))
            *written += !sites[i].is_linker;
    return pwrite(in->memory, bytes, size, (off_t)from) == (ssize_t)size;
}

static bool write_sites(const struct inject *in, const struct attach_site *sites, size_t count,
                        bool original, const bool *used, size_t *written)
{
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && sites[next].at + ATTACH_JUMP - sites[i].at <= WINDOW;
             next++) {
        }
        if (!write_together(in, sites + i, next - i, original, used + i, written))
            return false;
    }
    return true;
}

/* The first write to a page of a file copies it, which takes longer than the write: so one byte
 * of each is written before, as it is. */
static void copy_pages(const struct inject *in, const struct attach_site *sites, size_t count)
{
    enum { PAGE_BITS = 12 };
    uint64_t last = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t at[2] = {sites[i].at, sites[i].at + ATTACH_JUMP - 1};
        for (unsigned k = 0; k < 2; k++) {
            uint8_t byte;
            if (at[k] >> PAGE_BITS == last || !inject_read(in, at[k], &byte, 1))
                continue;
            last = at[k] >> PAGE_BITS;
            (void)!pwrite(in->memory, &byte, 1, (off_t)at[k]);
        }
    }
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

/* A thread that does not stop in time lets all go on, and is tried again: soon, then for longer. */
static bool stop_in_time(struct inject *in)
{
    enum { SHORT_TRIES = 8 };
    uint64_t start = traced_now_ns();
    for (unsigned i = 0; !in->gone && traced_now_ns() - start < TRACED_TRY_NS; i++) {
        if (traced_stop_all(in, i < SHORT_TRIES ? TRACED_STOP_NS : TRACED_MOST_NS))
            return true;
        traced_rest(in, REST_US);
    }
    return false;
}

int inject_write(struct inject *in, const struct attach_site *sites, size_t count, bool original,
                 size_t *written, size_t *left, struct ras_error *err)
{
    bool *used = calloc(count + 1, 1), stopped = false, good = false;
    uint64_t *words = calloc(1, LOOK);
    *written = *left = 0;
    if (used && words) {
        copy_pages(in, sites, original ? 0 : count);
        traced_get_ready(in);
        stopped = stop_in_time(in);
        if (stopped)
            good = write_stopped(in, sites, count, original, used, words, written);
        traced_go_on_all(in);
        traced_relax(0, &in->before);
    }
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
