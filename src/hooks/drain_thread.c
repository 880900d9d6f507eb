/* drain_thread.c - the thread of the drain, which is hidden from the program.
 *
 * pthread_create() would take its memory from the program's heap, create an arena of the
 * allocator, and make the C library behave as in a program with several threads. This thread is
 * made by clone() alone. It has a thread-local area of its own, initialised from the modules'
 * TLS images, so that errno and formatting work; it uses no lock, no stream and no allocator of
 * the C library. It has its own descriptor table, so that its descriptors are not those of the
 * program. */
#include "hooks/hooks.h"

#include <errno.h>
#include <link.h>
#include <linux/futex.h>
#include <locale.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    STACK = 1 << 20,
    LOCALS = 64 << 10, /* thread-local variables of modules */
    CONTROL = 8 << 10, /* the C library's thread descriptor */
    GUARD = 4096,
    SIZE = GUARD + STACK + LOCALS + CONTROL,
    FILES_MOST = 1 << 16,
};

static struct {
    char *memory;  /* reused by the next one */
    uint32_t tid;  /* 0: it has ended; cleared by the kernel */
    uint32_t open; /* 1: it has its own descriptors */
    struct hook_thread mine;
    void *(*run)(void *);
} drain;

/* ---- thread-local memory ---------------------------------------------------------------- */

#if defined(__x86_64__)
/* Thread-local variables are below the thread pointer, the descriptor above. */
enum { POINTER = GUARD + STACK + LOCALS };

/* Words in the descriptor that the ABI fixes. */
enum { WORD_TCB = 0, WORD_SELF = 2, WORD_MANY = 3, WORD_STACK_GUARD = 5, WORD_POINTER_GUARD = 6 };

static void put_control(char *at)
{
    uintptr_t *words = (uintptr_t *)(void *)at, *mine = (uintptr_t *)thread_pointer();
    words[WORD_TCB] = words[WORD_SELF] = (uintptr_t)at;
    words[WORD_MANY] = 1;
    words[WORD_STACK_GUARD] = mine[WORD_STACK_GUARD];
    words[WORD_POINTER_GUARD] = mine[WORD_POINTER_GUARD];
}

/* Whether a block is within LOCALS, at this distance from the thread pointer. */
static bool is_local(uintptr_t away, size_t size)
{
    return 0 - away <= LOCALS && size <= 0 - away;
}
#else
/* The other way round. The guards are variables of the dynamic linker. */
enum { POINTER = GUARD + STACK + CONTROL, TCB = 16 };

static void put_control(char *at)
{
    (void)at;
}

static bool is_local(uintptr_t away, size_t size)
{
    return away >= TCB && away <= LOCALS && size <= LOCALS - away;
}
#endif

/* Initialise the TLS of modules whose block is at a fixed distance from the thread pointer. */
static int put_locals(struct dl_phdr_info *info, size_t size, void *user)
{
    char *pointer = user;
    if (size < offsetof(struct dl_phdr_info, dlpi_tls_data) + sizeof info->dlpi_tls_data)
        return 0;
    uintptr_t away = (uintptr_t)info->dlpi_tls_data - thread_pointer();
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type == PT_TLS && info->dlpi_tls_data && is_local(away, p->p_memsz))
            memcpy(pointer + away, (const void *)(info->dlpi_addr + p->p_vaddr), p->p_filesz);
    }
    return 0;
}

static bool make_memory(void)
{
    if (!drain.memory) {
        char *at = mmap(NULL, SIZE, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (at == MAP_FAILED)
            return false;
        mprotect(at, GUARD, PROT_NONE);
        drain.memory = at;
    }
    char *pointer = drain.memory + POINTER;
    memset(drain.memory + GUARD + STACK, 0, LOCALS + CONTROL);
    dl_iterate_phdr(put_locals, pointer);
    put_control(pointer);
    thread_give(&drain.mine, pointer);
    return true;
}

/* ---- the thread ------------------------------------------------------------------------- */

/* Copies of the program's descriptors would keep its pipes open. */
static void leave_files(void)
{
    if (syscall(SYS_close_range, 0, ~0u, 0) == 0)
        return;
    struct rlimit limit;
    unsigned most = FILES_MOST;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < most)
        most = (unsigned)limit.rlim_cur;
    for (unsigned fd = 0; fd < most; fd++)
        close((int)fd);
}

static int drain_thread_run(void *shared)
{
    if (!shared || syscall(SYS_unshare, CLONE_FILES) == 0)
        leave_files();
    uselocale(newlocale(LC_ALL_MASK, "C",
                        NULL)); /* the C locale always exists, with its character tables */
    STORE_RELEASE(&drain.open, 1);
    word_wake(&drain.open);
    drain.run(NULL);
    return 0;
}

/* Signals belong to the program; also blocks those that the C library reserves. */
static void block_signals(uint64_t *was)
{
    uint64_t all = ~UINT64_C(0);
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, was, sizeof all);
}

int drain_thread_start(void *(*run)(void *))
{
    const int flags = CLONE_VM | CLONE_FS | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |
                      CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID;
    int was = errno;
    uint64_t mask;
    if (!make_memory())
        return ENOMEM;
    loaded_map_begin();
    char *stack = drain.memory + GUARD + STACK;
    drain.run = run;
    STORE(&drain.open, 0);
    block_signals(&mask);
    char *pointer = drain.memory + POINTER;
    int tid = clone(drain_thread_run, stack, flags, NULL, &drain.tid, pointer, &drain.tid);
    if (tid < 0 && errno == EINVAL) /* an emulator that knows only threads that share descriptors */
        tid = clone(drain_thread_run, stack, flags | CLONE_FILES, stack, &drain.tid, pointer,
                    &drain.tid);
    int status = tid < 0 ? errno : 0;
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, sizeof mask);
    while (!status && !LOAD_ACQUIRE(&drain.open))
        word_wait(&drain.open, 0, UINT64_MAX);
    errno = was;
    return status;
}

/* The kernel wakes waiters of any process when the thread has left its stack. */
void drain_thread_join(void)
{
    for (uint32_t tid; (tid = LOAD_ACQUIRE(&drain.tid));)
        syscall(SYS_futex, &drain.tid, FUTEX_WAIT, tid, NULL, NULL, 0);
}
