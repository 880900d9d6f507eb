/* filter_test.c - what a process may not ask the kernel for once it runs OpenGL, and what it may:
 * each is tried in a process of its own, which says how it went by its exit status. */
#include "gpu/gles_process.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
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

static int run(attempt *try)
{
    int status, pid = fork();
    assert_true(pid >= 0);
    if (!pid) {
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        if (!gles_filter())
            _exit(NO_FILTER);
        int error = try();
        _exit(error == EPERM || error == ENOSYS ? WAS_REFUSED : error);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
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

static void what_is_not_needed_is_refused(void **state)
{
    (void)state;
    static attempt *const tries[] = {
        write_file,   create_file,   raw_create,    remove_file,   make_folder,
        open_socket,  start_program, start_process, signal_parent, signal_thread_of_parent,
        limit_parent, trace_parent,
    };
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
        int status = run(tries[i]);
        if (status == NO_FILTER)
            skip();
        if (status != WAS_REFUSED)
            print_error("attempt %zu: %d\n", i, status);
        assert_int_equal(status, WAS_REFUSED);
    }
}

static void what_a_driver_does_is_allowed(void **state)
{
    (void)state;
    static attempt *const tries[] = {read_file, map_code, start_thread, signal_itself, know_limits};
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
        int status = run(tries[i]);
        if (status == NO_FILTER)
            skip();
        if (status != WENT_WELL)
            print_error("attempt %zu: %d\n", i, status);
        assert_int_equal(status, WENT_WELL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_needed_is_refused),
        cmocka_unit_test(what_a_driver_does_is_allowed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
