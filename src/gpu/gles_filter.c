/* gles_filter.c - the system calls that the OpenGL process may make.
 *
 * A list of what is allowed, in two phases. While the driver is loaded no byte of the trace has
 * been read: it may open files for reading. From then on it may compute, have memory and threads,
 * and read and write what is open, which is two pipes and /dev/null; no file is opened any more,
 * whichever it is. Everything else fails and does not end the process, so that a driver that tries
 * something else goes on without: with ENOSYS where the call is so new that every caller has a way
 * without it, otherwise with EPERM. */
#include "gpu/gles_process.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The numbers of calls are those of one machine; on others there is no filter. */
#if defined(__x86_64__)
#define THIS_MACHINE AUDIT_ARCH_X86_64
#elif defined(__aarch64__) && defined(__AARCH64EL__)
#define THIS_MACHINE AUDIT_ARCH_AARCH64
#endif

#ifdef THIS_MACHINE

enum {
    MOST = 512, /* instructions */
    CHECKS = 3,
    /* Calls of a second ABI of the same machine (x32) have this bit. */
    OTHER_ABI = 0x40000000,
    /* From here on every machine has the same numbers: pidfd_send_signal() of Linux 5.1, clone3(),
     * openat2() and whatever comes. */
    NEW_CALLS = 424,
    WRITES = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC,
    EMPTY_PATH = 0x1000, /* AT_EMPTY_PATH: of an open file */
    SPACES = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC |
             CLONE_NEWUTS | CLONE_NEWCGROUP,
    THREAD = CLONE_THREAD | CLONE_VM | CLONE_SIGHAND,
};

enum phase { ALWAYS, LOADING };

/* Half an argument is this value in the bits of the mask; a mask of 0 ends the list. */
struct check {
    uint8_t half; /* 2 * argument, + 1: its upper half */
    uint32_t mask, value;
};
#define LOW(argument)  (2 * (argument))
#define HIGH(argument) (2 * (argument) + 1)
#define WHOLE          UINT32_MAX

struct rule {
    int call;
    enum phase phase;
    struct check checks[CHECKS];
};

/* In the order of how often they are called. Of several rows of one call any may allow it. */
static const struct rule rules[] = {
    {SYS_futex, ALWAYS},
    {SYS_read, ALWAYS},
    {SYS_write, ALWAYS},
    {SYS_mmap, ALWAYS},
    {SYS_munmap, ALWAYS},
    {SYS_mprotect, ALWAYS}, /* shaders become code */
    {SYS_brk, ALWAYS},
    {SYS_mremap, ALWAYS},
    {SYS_madvise, ALWAYS},
    {SYS_clock_gettime, ALWAYS},
    {SYS_clock_getres, ALWAYS},
    {SYS_gettimeofday, ALWAYS},
    {SYS_nanosleep, ALWAYS},
    {SYS_clock_nanosleep, ALWAYS},
    {SYS_sched_yield, ALWAYS},
    {SYS_sched_getaffinity, ALWAYS},
    {SYS_getcpu, ALWAYS},
    {SYS_membarrier, ALWAYS},
    {SYS_ppoll, ALWAYS},
    {SYS_lseek, ALWAYS},
    {SYS_readv, ALWAYS},
    {SYS_writev, ALWAYS},
    {SYS_close, ALWAYS},
    {SYS_fstat, ALWAYS},
    {SYS_newfstatat, ALWAYS, {{LOW(3), EMPTY_PATH, EMPTY_PATH}}},
    {SYS_fcntl, ALWAYS, {{LOW(1), WHOLE, F_GETFD}}},
    {SYS_fcntl, ALWAYS, {{LOW(1), WHOLE, F_SETFD}}},
    {SYS_fcntl, ALWAYS, {{LOW(1), WHOLE, F_GETFL}}},
    {SYS_clone, ALWAYS, {{LOW(0), THREAD | SPACES, THREAD}}},
    {SYS_set_robust_list, ALWAYS},
    {SYS_rseq, ALWAYS},
    {SYS_prctl, ALWAYS, {{LOW(0), WHOLE, PR_SET_NAME}}},
    {SYS_prctl, ALWAYS, {{LOW(0), WHOLE, PR_GET_NAME}}},
    {SYS_exit, ALWAYS},
    {SYS_exit_group, ALWAYS},
    {SYS_rt_sigaction, ALWAYS},
    {SYS_rt_sigprocmask, ALWAYS},
    {SYS_rt_sigreturn, ALWAYS},
    {SYS_sigaltstack, ALWAYS},
    {SYS_restart_syscall, ALWAYS},
    {SYS_getpid, ALWAYS},
    {SYS_gettid, ALWAYS},
    {SYS_getppid, ALWAYS},
    {SYS_getuid, ALWAYS},
    {SYS_geteuid, ALWAYS},
    {SYS_getgid, ALWAYS},
    {SYS_getegid, ALWAYS},
    {SYS_uname, ALWAYS},
    {SYS_sysinfo, ALWAYS},
    {SYS_getrusage, ALWAYS},
    {SYS_getrandom, ALWAYS},
    /* Its own limits, to know them. */
    {SYS_prlimit64, ALWAYS, {{LOW(0), WHOLE, 0}, {LOW(2), WHOLE, 0}, {HIGH(2), WHOLE, 0}}},
    {SYS_getrlimit, ALWAYS},
#ifdef SYS_poll /* x86 has older calls beside these */
    {SYS_poll, ALWAYS},
    {SYS_time, ALWAYS},
    {SYS_arch_prctl, ALWAYS},
    {SYS_open, LOADING, {{LOW(1), WRITES, 0}}},
    {SYS_access, LOADING},
    {SYS_stat, LOADING},
    {SYS_lstat, LOADING},
    {SYS_readlink, LOADING},
#endif
    {SYS_openat, LOADING, {{LOW(2), WRITES, 0}}},
    {SYS_newfstatat, LOADING},
    {SYS_statx, LOADING},
    {SYS_statfs, LOADING},
    {SYS_fstatfs, LOADING},
    {SYS_faccessat, LOADING},
    {SYS_readlinkat, LOADING},
    {SYS_getdents64, LOADING},
    {SYS_getcwd, LOADING},
    {SYS_pread64, LOADING},
    {SYS_sched_setaffinity, LOADING}, /* llvmpipe counts processors by it */
    {SYS_seccomp, LOADING},           /* the second phase */
};

struct filter {
    struct sock_filter code[MOST];
    unsigned short count;
};

static void add(struct filter *f, uint16_t code, uint32_t value, uint8_t if_true, uint8_t if_false)
{
    if (f->count < MOST)
        f->code[f->count++] = (struct sock_filter){code, if_true, if_false, value};
}

static void load(struct filter *f, size_t at)
{
    add(f, BPF_LD | BPF_W | BPF_ABS, (uint32_t)at, 0, 0);
}

static void filter_answer(struct filter *f, int error)
{
    add(f, BPF_RET | BPF_K,
        error ? SECCOMP_RET_ERRNO | ((uint32_t)error & SECCOMP_RET_DATA) : SECCOMP_RET_ALLOW, 0, 0);
}

/* The number of the call is loaded, before and after. */
static void allow(struct filter *f, const struct rule *rule)
{
    uint8_t count = 0;
    while (count < CHECKS && rule->checks[count].mask)
        count++;
    add(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)rule->call, 0,
        (uint8_t)(count ? 3 * count + 2 : 1));
    for (uint8_t i = 0; i < count; i++) {
        const struct check *c = &rule->checks[i];
        load(f, offsetof(struct seccomp_data, args) + sizeof(uint32_t) * c->half);
        add(f, BPF_ALU | BPF_AND | BPF_K, c->mask, 0, 0);
        add(f, BPF_JMP | BPF_JEQ | BPF_K, c->value, 0, (uint8_t)(3 * (count - 1 - i) + 1));
    }
    filter_answer(f, 0);
    if (count)
        load(f, offsetof(struct seccomp_data, nr));
}

static void build(struct filter *f, bool loading)
{
    /* To itself, as abort() and raise() do. */
    const struct rule itself = {SYS_tgkill, ALWAYS, {{LOW(0), WHOLE, (uint32_t)getpid()}}};
    load(f, offsetof(struct seccomp_data, arch));
    add(f, BPF_JMP | BPF_JEQ | BPF_K, THIS_MACHINE, 1, 0);
    filter_answer(f, EPERM);
    load(f, offsetof(struct seccomp_data, nr));
    add(f, BPF_JMP | BPF_JGE | BPF_K, OTHER_ABI, 0, 1);
    filter_answer(f, EPERM);
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (loading || rules[i].phase == ALWAYS)
            allow(f, &rules[i]);
    allow(f, &itself);
    add(f, BPF_JMP | BPF_JGE | BPF_K, NEW_CALLS, 0, 1);
    filter_answer(f, ENOSYS);
    filter_answer(f, EPERM);
}

/* For every thread that there is, and all that come: TSYNC. */
static bool install(bool loading)
{
    struct filter f = {.count = 0};
    build(&f, loading);
    const struct sock_fprog program = {.len = f.count, .filter = f.code};
    return f.count < MOST &&
           syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
}

#else
static bool install(bool loading)
{
    (void)loading;
    return false;
}
#endif

bool gles_filter_loading(void)
{
    return install(true);
}

bool gles_filter(void)
{
    return install(false);
}
