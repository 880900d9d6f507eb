/* recording_finish.c - after a program was recorded: finish each of its processes, and add up. */
#include "cli/recording.h"
#include "cli/say.h"
#include <rastrum/atf.h>
#include <rastrum/symbols.h>

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/wait.h>

enum { PATH_ROOM = 4400 };

/* Nothing of a process can be read although it had events: of a full disk that is why. */
static void note_unread(struct recording *r, const char *dir, const struct ras_error *err)
{
    struct statvfs disk;
    if (r->unread++)
        return;
    if (statvfs(dir, &disk) == 0 && disk.f_blocks && !disk.f_bavail)
        snprintf(r->why, sizeof r->why, "the disk is full");
    else
        snprintf(r->why, sizeof r->why, "%s", err->text);
}

/* The signal as it is called: what a kill leaves cannot say it itself. */
static void name_signal(struct ras_atf_exit *how)
{
    static const struct {
        int number;
        const char *name;
    } names[] = {{SIGKILL, "SIGKILL"}, {SIGSEGV, "SIGSEGV"}, {SIGABRT, "SIGABRT"},
                 {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},   {SIGILL, "SIGILL"},
                 {SIGTRAP, "SIGTRAP"}, {SIGSYS, "SIGSYS"},   {SIGTERM, "SIGTERM"},
                 {SIGINT, "SIGINT"},   {SIGHUP, "SIGHUP"},   {SIGQUIT, "SIGQUIT"},
                 {SIGPIPE, "SIGPIPE"}, {SIGALRM, "SIGALRM"}, {SIGXCPU, "SIGXCPU"},
                 {SIGXFSZ, "SIGXFSZ"}, {SIGUSR1, "SIGUSR1"}, {SIGUSR2, "SIGUSR2"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if ((uint32_t)names[i].number == how->signal)
            snprintf(how->name, sizeof how->name, "%s", names[i].name);
}

/* We have waited for the program itself: how it ended is known here alone. */
static struct ras_atf_exit exit_of(const struct recording *r, const char *name)
{
    struct ras_atf_exit how = {0};
    char own[32];
    snprintf(own, sizeof own, "pid_%d", r->pid);
    if (strcmp(name, own))
        return how;
    how.known = true;
    if (WIFSIGNALED(r->ended))
        how.signal = (uint32_t)WTERMSIG(r->ended);
    else
        how.status = (uint32_t)WEXITSTATUS(r->ended);
    name_signal(&how);
    return how;
}

static int finish_process(struct recording *r, const char *name, struct ras_symbols *symbols)
{
    char dir[PATH_ROOM];
    struct ras_error err = {0};
    struct ras_atf_finished done;
    const struct ras_atf_finish_options how = {.exit = exit_of(r, name), .symbols = symbols};
    snprintf(dir, sizeof dir, "%s/%s", r->session, name);
    int status = ras_atf_finish(dir, &how, &done, &err);
    if (status == RAS_END)
        return 0;
    if (status == RAS_EFORMAT && !done.threads) {
        note_unread(r, dir, &err);
        return 0;
    }
    r->processes++;
    r->threads += done.threads;
    r->events += done.events;
    r->dropped += done.dropped;
    r->left_out += done.left_out;
    r->repaired += done.repaired;
    r->killed += done.unfinished;
    r->lacks_ns = done.lacks_ns > r->lacks_ns ? done.lacks_ns : r->lacks_ns;
    if (!*r->ended_by)
        snprintf(r->ended_by, sizeof r->ended_by, "%s", done.ended_by);
    return status < 0 ? trouble_at(dir, &err) : 0;
}

/* A process that PROGRAM has left behind goes on recording: its files are its own. */
static bool is_running(const char *name)
{
    pid_t pid = (pid_t)strtol(name + 4, NULL, 10);
    return pid > 0 && (kill(pid, 0) == 0 || errno == EPERM);
}

int recording_finish(struct recording *r)
{
    struct ras_symbols *symbols;
    struct ras_error err;
    DIR *dir = opendir(r->session);
    if (!dir)
        return trouble("%s: %s", r->session, strerror(errno));
    int status = ras_symbols_open(&symbols, &err) < 0 ? trouble_with(&err) : 0;
    for (struct dirent *entry; !status && (entry = readdir(dir));) {
        if (strncmp(entry->d_name, "pid_", 4))
            continue;
        if (is_running(entry->d_name))
            remark(r->common->quiet, "%s/%s: still running; it closes its files itself", r->session,
                   entry->d_name);
        else
            status = worse(status, finish_process(r, entry->d_name, symbols));
    }
    closedir(dir);
    ras_symbols_close(symbols);
    return status;
}
