/* host_posix.c - Linux: limits, signals, the pager, the terminal, the browser; see host.h. */
#include "cli/host.h"
#include "cli/command.h"
#include "cli/say.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- the process --------------------------------------------------------------------------- */

/* A mapped file that another process shrinks raises SIGBUS: one line, exit 2. */
static void on_bus_error(int signal)
{
    (void)signal;
    static const char line[] = "rastrum: a file was truncated while it was being read\n";
    (void)!write(STDERR_FILENO, line, sizeof line - 1);
    _exit(EXIT_TROUBLE);
}

/* A file opened in place of a closed standard descriptor would be used as such: a note would end up
 * in the output. So the descriptor is opened in a mode that refuses its use. */
static void hold_standard_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            (void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/* The inherited limits and signals, for the programs that we start. */
static struct rlimit files_before;
static void (*pipe_before)(int);

/* A session that is followed keeps two files open for each of its threads. */
static void allow_many_files(void)
{
    if (getrlimit(RLIMIT_NOFILE, &files_before) < 0)
        return;
    struct rlimit most = {files_before.rlim_max, files_before.rlim_max};
    setrlimit(RLIMIT_NOFILE, &most);
}

void as_started(void)
{
    if (files_before.rlim_max)
        setrlimit(RLIMIT_NOFILE, &files_before);
    signal(SIGPIPE, pipe_before);
    signal(SIGBUS, SIG_DFL);
}

void host_begin(void)
{
    hold_standard_descriptors();
    allow_many_files();
    pipe_before = signal(SIGPIPE, SIG_DFL); /* default SIGPIPE action, whatever we inherited */
    signal(SIGBUS, on_bus_error);
}

int host_start_thread(pthread_t *thread, void *(*run)(void *), void *user)
{
    sigset_t all, before; /* signals are for the thread that works */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int status = pthread_create(thread, NULL, run, user);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}

void host_ignore_broken_pipes(void)
{
    signal(SIGPIPE, SIG_IGN);
}

void host_watch_interrupts(void (*on_interrupt)(int))
{
    struct sigaction action = {.sa_handler = on_interrupt}, before;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    /* SIGHUP stays ignored if we were started by nohup. */
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(SIGHUP, &action, NULL);
}

/* ---- the terminal and its pager -------------------------------------------------------------- */

size_t host_columns(int fd)
{
    struct winsize size;
    return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

bool host_is_same_terminal(int a, int b)
{
    struct stat x, y;
    return isatty(b) && fstat(a, &x) == 0 && fstat(b, &y) == 0 && x.st_rdev == y.st_rdev;
}

void host_check_reader(void)
{
    struct pollfd out = {.fd = STDOUT_FILENO};
    if (poll(&out, 1, 0) > 0 && out.revents & (POLLERR | POLLHUP))
        raise(SIGPIPE);
}

enum { NOT_RUN = 127 }; /* exit status of a shell that cannot run its command */

static volatile sig_atomic_t pager_pid;

/* The pager has ended; whether it ever ran. */
bool host_pager_ran(int pager)
{
    int ended = 0;
    waitpid(pager, &ended, 0);
    if (!WIFEXITED(ended) || WEXITSTATUS(ended) != NOT_RUN)
        return true;
    (void)!trouble("cannot run the pager; the output was not shown");
    return false;
}

/* SIGPIPE: if the user quit the pager, exit quietly; if the pager never started, say so. */
static void on_pipe(int number)
{
    (void)number;
    if (!host_pager_ran(pager_pid))
        _exit(EXIT_TROUBLE);
    signal(SIGPIPE, SIG_DFL);
    raise(SIGPIPE);
}

/* The pager reads our standard output. Ctrl-C is left to the pager: most stop reading and stay
 * open. */
int host_start_pager(void)
{
    int ends[2];
    const char *pager = getenv("PAGER");
    if (pipe(ends) < 0) {
        (void)!trouble("cannot create a pipe to the pager");
        return -1;
    }
    struct sigaction before, ignore = {.sa_handler = SIG_IGN};
    sigaction(SIGINT, &ignore, &before);
    pid_t child = fork();
    if (child == 0) {
        sigaction(SIGINT, &before, NULL);
        as_started();
        dup2(ends[0], STDIN_FILENO);
        close(ends[0]);
        close(ends[1]);
        execl("/bin/sh", "sh", "-c", pager && *pager ? pager : "less -R", (char *)NULL);
        _exit(NOT_RUN);
    }
    close(ends[0]);
    dup2(ends[1], STDOUT_FILENO);
    close(ends[1]);
    if (child < 0)
        (void)!trouble("cannot start the pager");
    if (child > 0) {
        pager_pid = child;
        signal(SIGPIPE, on_pipe);
    }
    return child;
}

/* ---- names and programs ---------------------------------------------------------------------- */

int host_make_folder(const char *path)
{
    return mkdir(path, 0777);
}

char *host_real_path(const char *path)
{
    return realpath(path, NULL);
}

/* Where there is a screen. It is not waited for: a browser may stay in the foreground. */
void host_open_browser(const char *url)
{
    if (!getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY"))
        return;
    pid_t child = fork();
    if (child == 0) {
        int null = open("/dev/null", O_RDWR);
        as_started();
        if (null >= 0 && dup2(null, STDOUT_FILENO) >= 0 && dup2(null, STDERR_FILENO) >= 0 &&
            setsid() >= 0 && fork() == 0)
            execlp("xdg-open", "xdg-open", url, (char *)NULL);
        _exit(EXIT_TROUBLE);
    }
    if (child > 0)
        waitpid(child, NULL, 0);
}
