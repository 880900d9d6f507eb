/* filter_test.c - what a process may not ask the kernel for once it runs OpenGL, and what it may:
 * each is tried in a process of its own, which says how it went by its exit status. */
#include "gpu/gles_process.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { WENT_WELL = 0, WAS_REFUSED = 1, NO_FILTER = 77 };

/* 0: it went well; otherwise errno. */
typedef int attempt(void);

static int error_of(long result)
{
    return result < 0 ? errno : 0;
}

static int run_behind(bool (*filter)(void), attempt *try)
{
    int status, pid = fork();
    assert_true(pid >= 0);
    if (!pid) {
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        if (!filter())
            _exit(NO_FILTER);
        int error = try();
        _exit(error == EPERM || error == ENOSYS ? WAS_REFUSED : error);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static int run(attempt *try)
{
    return run_behind(gles_filter, try);
}

static int write_file(void)
{
    return error_of(open("/dev/null", O_WRONLY));
}

static int create_file(void)
{
    return error_of(open("filter_test.out", O_RDWR | O_CREAT, 0600));
}

static int raw_create(void)
{
    return error_of(syscall(SYS_openat, AT_FDCWD, "filter_test.out", O_CREAT, 0600));
}

static int remove_file(void)
{
    return error_of(unlink("there is no such file"));
}

static int make_folder(void)
{
    return error_of(mkdir("filter_test.dir", 0700));
}

static int open_socket(void)
{
    return error_of(socket(AF_UNIX, SOCK_STREAM, 0));
}

static int start_program(void)
{
    char *const none[] = {NULL};
    return error_of(execve("/bin/true", none, none));
}

static int start_process(void)
{
    int pid = fork();
    if (!pid)
        _exit(0);
    return error_of(pid);
}

static int signal_parent(void)
{
    return error_of(kill(getppid(), 0));
}

static int signal_thread_of_parent(void)
{
    return error_of(syscall(SYS_tgkill, getppid(), getppid(), 0));
}

static int limit_parent(void)
{
    struct rlimit now;
    return error_of(syscall(SYS_prlimit64, getppid(), RLIMIT_CPU, NULL, &now));
}

static int trace_parent(void)
{
    return error_of(syscall(SYS_ptrace, 16, getppid(), NULL, NULL));
}

static int read_file(void)
{
    return error_of(open("/proc/self/maps", O_RDONLY | O_CLOEXEC));
}

/* The memory of the process that started us. */
static int read_parent(void)
{
    char path[40];
    snprintf(path, sizeof path, "/proc/%d/mem", getppid());
    return error_of(open(path, O_RDONLY | O_CLOEXEC));
}

static int folder_of_parent = -1; /* open: /proc/PID can stand for a process */

static int signal_by_folder(void)
{
    return error_of(syscall(SYS_pidfd_send_signal, folder_of_parent, 0, NULL, 0));
}

static int open_parent(void)
{
    return error_of(syscall(SYS_pidfd_open, getppid(), 0));
}

static int new_filesystem(void)
{
    return error_of(syscall(SYS_fsopen, "tmpfs", 0));
}

static int open_queue(void)
{
    return error_of(syscall(SYS_mq_open, "filter_test", O_CREAT | O_RDWR, 0600, NULL));
}

static int share_memory(void)
{
    return error_of(syscall(SYS_shmget, 0x7274, 4096, 01600));
}

static int new_space(void)
{
    return error_of(syscall(SYS_clone, CLONE_THREAD | CLONE_VM | CLONE_SIGHAND | CLONE_NEWUSER,
                            NULL, NULL, NULL, NULL));
}

static int set_limit(void)
{
    struct rlimit now = {RLIM_INFINITY, RLIM_INFINITY};
    return error_of(syscall(SYS_prlimit64, 0, RLIMIT_FSIZE, &now, NULL));
}

static int leave_parent(void)
{
    return error_of(prctl(PR_SET_PDEATHSIG, 0));
}

static int type_to_terminal(void)
{
    char c = 'x';
    return error_of(syscall(SYS_ioctl, 0, TIOCSTI, &c));
}

static int other_filter(void)
{
    return gles_filter() ? 0 : EPERM;
}

static int map_code(void)
{
    void *at =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return at == MAP_FAILED ? errno : 0;
}

static void *nothing(void *argument)
{
    return argument;
}

static int start_thread(void)
{
    pthread_t thread;
    int error = pthread_create(&thread, NULL, nothing, NULL);
    return error ? error : pthread_join(thread, NULL);
}

static int signal_itself(void)
{
    return error_of(syscall(SYS_tgkill, getpid(), getpid(), 0));
}

static int know_limits(void)
{
    struct rlimit now;
    return error_of(getrlimit(RLIMIT_STACK, &now));
}

static void check_all(bool (*filter)(void), attempt *const *tries, size_t count, int wanted)
{
    for (size_t i = 0; i < count; i++) {
        int status = run_behind(filter, tries[i]);
        if (status == NO_FILTER)
            skip();
        if (status != wanted)
            print_error("attempt %zu: %d\n", i, status);
        assert_int_equal(status, wanted);
    }
}
#define CHECK_ALL(filter, tries, wanted)                                                           \
    check_all(filter, tries, sizeof(tries) / sizeof *(tries), wanted)

static void what_is_not_needed_is_refused(void **state)
{
    (void)state;
    static attempt *const tries[] = {
        write_file,     create_file,  raw_create,       remove_file,
        make_folder,    open_socket,  start_program,    start_process,
        signal_parent,  limit_parent, trace_parent,     signal_thread_of_parent,
        read_file,      read_parent,  signal_by_folder, open_parent,
        new_filesystem, open_queue,   share_memory,     new_space,
        set_limit,      leave_parent, other_filter,     type_to_terminal,
    };
    folder_of_parent = open("/proc/self", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    CHECK_ALL(gles_filter, tries, WAS_REFUSED);
    close(folder_of_parent);
}

static void what_a_driver_does_is_allowed(void **state)
{
    (void)state;
    static attempt *const tries[] = {map_code, start_thread, signal_itself, know_limits};
    CHECK_ALL(gles_filter, tries, WENT_WELL);
}

static void files_are_read_only_while_a_driver_is_loaded(void **state)
{
    (void)state;
    static attempt *const allowed[] = {read_file, map_code, start_thread, other_filter};
    static attempt *const refused[] = {write_file,  create_file, raw_create,      remove_file,
                                       open_socket, open_queue,  signal_by_folder};
    CHECK_ALL(gles_filter_loading, allowed, WENT_WELL);
    CHECK_ALL(gles_filter_loading, refused, WAS_REFUSED);
}

/* Every call that the kernel has, but for those that this list has once more. */
static bool is_allowed(long call)
{
    static const short allowed[] = {
        SYS_futex,
        SYS_read,
        SYS_write,
        SYS_mmap,
        SYS_munmap,
        SYS_mprotect,
        SYS_brk,
        SYS_mremap,
        SYS_madvise,
        SYS_clock_gettime,
        SYS_clock_getres,
        SYS_gettimeofday,
        SYS_nanosleep,
        SYS_clock_nanosleep,
        SYS_sched_yield,
        SYS_sched_getaffinity,
        SYS_getcpu,
        SYS_membarrier,
        SYS_ppoll,
        SYS_lseek,
        SYS_readv,
        SYS_writev,
        SYS_close,
        SYS_fstat,
        SYS_newfstatat,
        SYS_set_robust_list,
        SYS_rseq,
        SYS_exit,
        SYS_exit_group,
        SYS_rt_sigaction,
        SYS_rt_sigprocmask,
        SYS_rt_sigreturn,
        SYS_sigaltstack,
        SYS_restart_syscall,
        SYS_getpid,
        SYS_gettid,
        SYS_getppid,
        SYS_getuid,
        SYS_geteuid,
        SYS_getgid,
        SYS_getegid,
        SYS_uname,
        SYS_sysinfo,
        SYS_getrusage,
        SYS_getrandom,
        SYS_getrlimit,
#ifdef SYS_poll
        SYS_poll,
        SYS_time,
        SYS_arch_prctl,
#endif
    };
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
        if (allowed[i] == call)
            return true;
    return false;
}

/* uretprobe and uprobe: the kernel's own way back from a probe. It lets them pass every filter,
 * and takes them from its own code alone. */
static bool is_probe(long call)
{
#ifdef __x86_64__
    return call == 335 || call == 336;
#else
    (void)call;
    return false;
#endif
}

static long number;

/* Arguments that are wrong for everything, so that what is let through does no harm; what takes
 * none is seen by its result. clone() and prctl() of -1, too, are none of those that are allowed.
 */
static int call_number(void)
{
    alarm(120);
    return error_of(syscall(number, -1L, -1L, -1L, -1L, -1L, -1L));
}

static void every_other_call_is_refused(void **state)
{
    (void)state;
    enum { CALLS = 600, OTHER_ABI = 0x40000000 };
    for (long i = 0; i < CALLS; i++) {
        number = i;
        if (is_allowed(i) || is_probe(i))
            continue;
        int status = run(call_number);
        if (status == NO_FILTER)
            skip();
        if (status != WAS_REFUSED)
            fail_msg("call %ld: %d", i, status);
    }
#ifdef __x86_64__
    number = OTHER_ABI | SYS_getpid;
    assert_int_equal(run(call_number), WAS_REFUSED);
#endif
}

/* Threads that a driver has started before. */
static void *open_in_thread(void *argument)
{
    int *gate = argument;
    char byte;
    if (read(gate[0], &byte, 1) != 1)
        return NULL;
    return (void *)(intptr_t)error_of(open("/proc/self/maps", O_RDONLY | O_CLOEXEC));
}

static int gate[2];
static pthread_t early;

static bool filter_behind_thread(void)
{
    if (pipe(gate) || pthread_create(&early, NULL, open_in_thread, gate))
        return false;
    return gles_filter();
}

static int let_thread_try(void)
{
    void *error = NULL;
    if (write(gate[1], "", 1) != 1 || pthread_join(early, &error))
        return 0;
    return (int)(intptr_t)error;
}

static void threads_that_are_there_are_filtered_too(void **state)
{
    (void)state;
    int status = run_behind(filter_behind_thread, let_thread_try);
    if (status == NO_FILTER)
        skip();
    assert_int_equal(status, WAS_REFUSED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_needed_is_refused),
        cmocka_unit_test(what_a_driver_does_is_allowed),
        cmocka_unit_test(files_are_read_only_while_a_driver_is_loaded),
        cmocka_unit_test(every_other_call_is_refused),
        cmocka_unit_test(threads_that_are_there_are_filtered_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
