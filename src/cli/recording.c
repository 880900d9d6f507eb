/* recording.c - run a program under hooks to its end. */
#include "cli/recording.h"
#include "cli/say.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The program, for the handler; 0: none. */
static volatile pid_t program;

/* What is sent to us alone is meant for the program; a terminal sends it to both. */
static void pass_on(int number, siginfo_t *info, void *context)
{
    (void)context;
    if (program > 0 && info->si_code <= 0 && info->si_pid != program)
        kill(program, number);
}

static const int signals[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
enum { SIGNALS = sizeof signals / sizeof *signals };

static void watch(struct sigaction was[SIGNALS])
{
    struct sigaction ours = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigemptyset(&ours.sa_mask);
    for (int i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &ours, &was[i]);
}

static void unwatch(const struct sigaction was[SIGNALS])
{
    for (int i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &was[i], NULL);
}

/* Our hooks before whatever is preloaded anyway. */
static bool set_environment(const struct recording *r)
{
    const char *others = getenv("LD_PRELOAD");
    size_t room = strlen(r->library) + (others ? strlen(others) : 0) + 2;
    size_t more = strlen(r->session) + strlen(r->hooks) + 16;
    char *preload = malloc(room), *words = malloc(more);
    if (!preload || !words)
        return false;
    snprintf(preload, room, "%s%s%s", r->library, others && *others ? ":" : "",
             others ? others : "");
    snprintf(words, more, "session=%s\n%s", r->session, r->hooks);
    return setenv("LD_PRELOAD", preload, 1) == 0 && setenv("RASTRUM_RECORD", words, 1) == 0;
}

static void program_exec(const struct recording *r, const struct sigaction was[SIGNALS])
{
    unwatch(was);
    as_started();
    if (set_environment(r))
        execvp(r->command[0], (char *const *)(uintptr_t)r->command);
    trouble("%s: %s", r->command[0], strerror(errno));
    _exit(127);
}

int recording_run(struct recording *r)
{
    struct sigaction was[SIGNALS];
    sigset_t all, mask;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &mask); /* until it is known whom to pass them on to */
    watch(was);
    pid_t pid = fork();
    if (pid == 0) {
        sigprocmask(SIG_SETMASK, &mask, NULL);
        program_exec(r, was);
    }
    program = r->pid = pid;
    sigprocmask(SIG_SETMASK, &mask, NULL);
    if (pid < 0) {
        unwatch(was);
        return trouble("%s: %s", r->command[0], strerror(errno));
    }
    if (r->follow)
        recording_follow(r, pid);
    while (waitpid(pid, &r->ended, 0) < 0 && errno == EINTR) {
    }
    program = 0;
    return 0;
}
