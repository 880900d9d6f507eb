/* gles_filter.c - what the process that runs OpenGL may not ask the kernel for.
 *
 * A list of what is refused, not of what is allowed: what a driver calls differs between versions
 * and machines, but none has to open a file for writing, talk over a socket, start a program or
 * touch another process to draw into memory. What is refused fails with EPERM, and a driver that
 * tried goes on without. */
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
#else
#define THIS_MACHINE 0
#endif

enum {
    MOST = 256,
    /* Calls of a second ABI of the same machine (x32) have this bit. */
    OTHER_ABI = 0x40000000,
    WRITES = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC,
};

/* Files made, renamed, removed or changed by their names; sockets; programs; other processes; what
 * would go round this filter. */
static const int refused[] = {
    SYS_truncate,
    SYS_mkdirat,
    SYS_mknodat,
    SYS_unlinkat,
    SYS_renameat2,
    SYS_linkat,
    SYS_symlinkat,
    SYS_fchmod,
    SYS_fchmodat,
    SYS_fchown,
    SYS_fchownat,
    SYS_utimensat,
    SYS_setxattr,
    SYS_lsetxattr,
    SYS_fsetxattr,
    SYS_removexattr,
    SYS_lremovexattr,
    SYS_fremovexattr,
    SYS_mount,
    SYS_umount2,
    SYS_chroot,
    SYS_pivot_root,
    SYS_open_by_handle_at,
    SYS_name_to_handle_at,
    SYS_socket,
    SYS_socketpair,
    SYS_execve,
    SYS_execveat,
    SYS_unshare,
    SYS_setns,
    SYS_kill,
    SYS_tkill,
    SYS_rt_sigqueueinfo,
    SYS_rt_tgsigqueueinfo,
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_kcmp,
    SYS_bpf,
    SYS_perf_event_open,
    SYS_userfaultfd,
    SYS_add_key,
    SYS_request_key,
    SYS_keyctl,
    SYS_setpriority,
#ifdef SYS_renameat
    SYS_renameat,
#endif
#ifdef SYS_creat
    SYS_creat,
    SYS_mkdir,
    SYS_rmdir,
    SYS_mknod,
    SYS_unlink,
    SYS_rename,
    SYS_link,
    SYS_symlink,
    SYS_chmod,
    SYS_chown,
    SYS_lchown,
    SYS_utime,
    SYS_utimes,
    SYS_futimesat,
    SYS_fork,
    SYS_vfork,
#endif
};

/* What callers do without, by another call that can be looked into: it is not there. */
static const int missing[] = {
#ifdef SYS_openat2
    SYS_openat2,
#endif
#ifdef SYS_clone3
    SYS_clone3,
#endif
#ifdef SYS_io_uring_setup
    SYS_io_uring_setup,
#endif
#ifdef SYS_pidfd_open
    SYS_pidfd_open,
#endif
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

static void answer(struct filter *f, int error)
{
    add(f, BPF_RET | BPF_K,
        error ? SECCOMP_RET_ERRNO | ((uint32_t)error & SECCOMP_RET_DATA) : SECCOMP_RET_ALLOW, 0, 0);
}

/* The call, whatever its arguments; its number is loaded. */
static void refuse(struct filter *f, int call, int error)
{
    add(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 1);
    answer(f, error);
}

/* The call, by bits of an argument: refused where any of `bad` is set or one of `good` is not. */
static void refuse_bits(struct filter *f, int call, uint32_t argument, uint32_t bad, uint32_t good)
{
    add(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, good ? 5 : 4);
    load(f, offsetof(struct seccomp_data, args) + sizeof(uint64_t) * argument);
    add(f, BPF_JMP | BPF_JSET | BPF_K, bad, good ? 2 : 1, 0);
    if (good)
        add(f, BPF_JMP | BPF_JSET | BPF_K, good, 0, 1);
    answer(f, 0);
    answer(f, EPERM);
}

/* The call, unless it is about this process. */
static void refuse_others(struct filter *f, int call, uint32_t own)
{
    add(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 4);
    load(f, offsetof(struct seccomp_data, args));
    add(f, BPF_JMP | BPF_JEQ | BPF_K, own, 0, 1);
    answer(f, 0);
    answer(f, EPERM);
}

static void build(struct filter *f)
{
    const uint32_t spaces = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET |
                            CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;
    load(f, offsetof(struct seccomp_data, arch));
    add(f, BPF_JMP | BPF_JEQ | BPF_K, THIS_MACHINE, 1, 0);
    answer(f, EPERM);
    load(f, offsetof(struct seccomp_data, nr));
    add(f, BPF_JMP | BPF_JGE | BPF_K, OTHER_ABI, 0, 1);
    answer(f, EPERM);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        refuse(f, refused[i], EPERM);
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++)
        refuse(f, missing[i], ENOSYS);
    refuse_bits(f, SYS_openat, 2, WRITES, 0);
#ifdef SYS_open
    refuse_bits(f, SYS_open, 1, WRITES, 0);
#endif
    refuse_bits(f, SYS_clone, 0, spaces, CLONE_THREAD);
    refuse_others(f, SYS_tgkill, (uint32_t)getpid());
    refuse_others(f, SYS_prlimit64, 0);
    answer(f, 0);
}

bool gles_filter(void)
{
    struct filter f = {.count = 0};
    if (!THIS_MACHINE)
        return false;
    build(&f);
    const struct sock_fprog program = {.len = f.count, .filter = f.code};
    return f.count < MOST && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}
