/* reduce_trials.c - tests of candidate traces, each in a process group of its own, and the journal
 * of their outcomes.
 *
 * A test is killed by the id of its group before its first process is reaped, so the id cannot
 * have been reused. A reduction depends only on the outcomes, so the journal keeps nothing else:
 * its first lines say what they belong to, then each outcome is one character. */
#include "cli/reduce_trials.h"
#include "cli/say.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { JOURNAL_MOST = 1 << 30 };

/* "OUT.reduce"; a slash at the end of a directory's name does not count. */
static char *journal_path(const char *out)
{
    static const char suffix[] = ".reduce";
    size_t len = strlen(out);
    while (len > 1 && out[len - 1] == '/')
        len--;
    char *path = malloc(len + sizeof suffix);
    if (path)
        snprintf(path, len + sizeof suffix, "%.*s%s", (int)len, out, suffix);
    return path;
}

/* The trace and command that the outcomes belong to. */
static char *heading(uint64_t identity, const char *const *command, size_t word_count)
{
    size_t size = 80, len;
    for (size_t i = 0; i < word_count; i++)
        size += strlen(command[i]) + 24;
    char *text = malloc(size);
    if (!text)
        return NULL;
    len = (size_t)snprintf(text, size, "rastrum reduce 1\ntrace %016" PRIx64 "\n", identity);
    for (size_t i = 0; i < word_count; i++)
        len += (size_t)snprintf(text + len, size - len, "word %zu %s\n", strlen(command[i]),
                                command[i]);
    snprintf(text + len, size - len, "outcomes\n");
    return text;
}

static bool write_all(int fd, const char *text, size_t len)
{
    while (len) {
        ssize_t n = write(fd, text, len);
        if (n < 0 && errno != EINTR)
            return false;
        text += n > 0 ? n : 0;
        len -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* The whole file; NULL: it cannot be read. */
static char *journal_read_all(int fd, size_t *len)
{
    struct stat st;
    if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size > JOURNAL_MOST)
        return NULL;
    char *text = malloc((size_t)st.st_size + 1);
    *len = 0;
    while (text && *len < (size_t)st.st_size) {
        ssize_t n = read(fd, text + *len, (size_t)st.st_size - *len);
        if (n <= 0)
            break;
        *len += (size_t)n;
    }
    return text;
}

static int take_up(struct journal *j, const char *head, bool restart)
{
    size_t len, head_len = strlen(head);
    char *text = journal_read_all(j->fd, &len);
    if (!text)
        return trouble("%s: cannot be read", j->path);
    bool same = len >= head_len && !memcmp(text, head, head_len);
    if (len && !same && !restart) {
        free(text);
        return trouble("%s belongs to another trace or command; --restart starts over", j->path);
    }
    if (!same || restart) {
        free(text);
        if (ftruncate(j->fd, 0) < 0 || lseek(j->fd, 0, SEEK_SET) < 0 ||
            !write_all(j->fd, head, head_len))
            return trouble("%s: %s", j->path, strerror(errno));
        j->ours = true;
        return 0;
    }
    j->ours = true;
    j->known = text;
    j->at = head_len;
    j->known_count = len;
    return 0;
}

int journal_open(struct journal *j, const char *out, uint64_t identity, const char *const *command,
                 size_t word_count, bool restart)
{
    char *head = heading(identity, command, word_count);
    j->fd = -1;
    j->path = journal_path(out);
    if (!head || !j->path) {
        free(head);
        return trouble("out of memory");
    }
    j->fd = open(j->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    int status =
        j->fd < 0 ? trouble("%s: %s", j->path, strerror(errno)) : take_up(j, head, restart);
    free(head);
    return status;
}

char journal_next(struct journal *j)
{
    return j->at < j->known_count ? j->known[j->at++] : 0;
}

int journal_add(struct journal *j, char outcome)
{
    return write_all(j->fd, &outcome, 1) ? 0 : trouble("%s: %s", j->path, strerror(errno));
}

void journal_close(struct journal *j, bool done)
{
    if (j->fd >= 0)
        close(j->fd);
    if (done && j->ours)
        unlink(j->path);
    free(j->path);
    free(j->known);
}

static double trial_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- folders ------------------------------------------------------------------------ */

static int trial_remove_entry(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st;
    (void)at;
    if (kind == FTW_DP || kind == FTW_D || kind == FTW_DNR)
        rmdir(path);
    else
        unlink(path);
    return 0;
}

/* Remove a folder that we made, with all files that a test put there. */
static void remove_folder(const char *path)
{
    nftw(path, trial_remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* The name after the last slash. */
static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    bool plain = *name && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
    return plain && strcmp(path, "-") != 0 ? name : "candidate";
}

static char *joined(const char *folder, const char *name)
{
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s/%s", folder, name);
    return path;
}

char *trial_path(struct trials *t, struct trial *trial)
{
    char number[24];
    snprintf(number, sizeof number, "%llu", (unsigned long long)++t->folder_count);
    trial->folder = joined(t->folder, number);
    char *path = trial->folder ? joined(trial->folder, t->name) : NULL;
    if (!path)
        trouble("out of memory");
    else if (mkdir(trial->folder, 0700) == 0)
        return path;
    else
        trouble("cannot create %s: %s", trial->folder, strerror(errno));
    free(path);
    free(trial->folder);
    trial->folder = NULL;
    return NULL;
}

/* ---- open and close -------------------------------------------------------------------- */

static sigset_t watched(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    return set;
}

int trials_open(struct trials *t, const char *path)
{
    const char *where = getenv("TMPDIR");
    t->name = name_of(path);
    t->at = calloc(t->count, sizeof *t->at);
    t->folder = joined(where && *where ? where : "/tmp", "rastrum-reduce-XXXXXX");
    if (!t->at || !t->folder)
        return trouble("out of memory");
    if (!mkdtemp(t->folder)) {
        trouble("cannot create %s: %s", t->folder, strerror(errno));
        free(t->folder);
        t->folder = NULL;
        return EXIT_TROUBLE;
    }
    const sigset_t set = watched();
    signal(SIGCHLD, SIG_DFL); /* an ignored signal is never delivered */
    sigprocmask(SIG_BLOCK, &set, NULL);
    return 0;
}

void trials_close(struct trials *t)
{
    for (size_t i = 0; t->at && i < t->count; i++)
        trial_drop(&t->at[i]);
    if (t->folder)
        remove_folder(t->folder);
    free(t->folder);
    free(t->at);
}

/* ---- a test ---------------------------------------------------------------------------------- */

struct trial *trials_find(struct trials *t, uint64_t key)
{
    for (size_t i = 0; i < t->count; i++)
        if (t->at[i].pid && t->at[i].key == key)
            return &t->at[i];
    return NULL;
}

struct trial *trials_place(struct trials *t)
{
    for (size_t i = 0; i < t->count; i++)
        if (!t->at[i].pid)
            return &t->at[i];
    return NULL;
}

/* A word with every {} replaced by the path; NULL: no memory. */
static char *filled(const char *word, const char *path)
{
    size_t count = 0;
    for (const char *p = word; (p = strstr(p, "{}")); p += 2)
        count++;
    size_t size = strlen(word) + count * strlen(path) + 1, len = 0;
    char *out = malloc(size);
    while (out && *word) {
        if (!strncmp(word, "{}", 2)) {
            len += (size_t)snprintf(out + len, size - len, "%s", path);
            word += 2;
        } else {
            out[len++] = *word++;
        }
    }
    if (out)
        out[len] = 0;
    return out;
}

static void free_words(char **words)
{
    for (size_t i = 0; words && words[i]; i++)
        free(words[i]);
    free((void *)words);
}

static char **fill_words(const struct trials *t, const char *path)
{
    char **words = calloc(t->word_count + 1, sizeof *words);
    for (size_t i = 0; words && i < t->word_count; i++)
        if (!(words[i] = filled(t->command[i], path))) {
            free_words(words);
            return NULL;
        }
    return words;
}

/* In the child process, before exec(). */
static _Noreturn void trial_exec(char **words)
{
    const sigset_t set = watched();
    int null = open("/dev/null", O_RDWR);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* if we are killed by SIGKILL */
    dup2(null, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    as_started();
    execvp(words[0], words);
    _exit(127);
}

int trial_start(struct trials *t, struct trial *trial, uint64_t key, const char *path)
{
    char **words = fill_words(t, path);
    if (!words)
        return trouble("out of memory");
    int pid = fork();
    if (pid == 0)
        trial_exec(words);
    free_words(words);
    if (pid < 0)
        return trouble("cannot start the test: %s", strerror(errno));
    setpgid(pid, pid); /* parent and child both call it: either may be first */
    trial->pid = pid;
    trial->key = key;
    trial->outcome = OUTCOME_NONE;
    trial->deadline = t->timeout > 0 ? trial_now() + t->timeout : 0;
    return 0;
}

/* Reap its first process, and kill the rest of its group. */
static int reap(struct trial *trial, bool wait)
{
    siginfo_t info = {0};
    int status = 0;
    int how = WEXITED | WNOWAIT | (wait ? 0 : WNOHANG);
    while (waitid(P_PID, (id_t)trial->pid, &info, how) < 0 && errno == EINTR)
        ;
    if (!info.si_pid)
        return -1;
    kill(-trial->pid, SIGKILL);
    waitpid(trial->pid, &status, 0);
    return status;
}

void trial_drop(struct trial *trial)
{
    if (trial->pid && trial->outcome == OUTCOME_NONE) {
        kill(-trial->pid, SIGKILL);
        reap(trial, true);
    }
    if (trial->folder)
        remove_folder(trial->folder);
    free(trial->folder);
    *trial = (struct trial){0};
}

/* ---- waiting ------------------------------------------------------------------------- */

/* Check every test; true: one of them has ended. */
static bool check_tests(struct trials *t)
{
    bool any = false;
    double time = trial_now();
    for (size_t i = 0; i < t->count; i++) {
        struct trial *trial = &t->at[i];
        if (!trial->pid || trial->outcome != OUTCOME_NONE)
            continue;
        bool late = trial->deadline > 0 && time >= trial->deadline;
        int status = reap(trial, false);
        if (status >= 0) {
            trial->status = status;
            trial->outcome =
                WIFEXITED(status) && WEXITSTATUS(status) == 0 ? OUTCOME_FAILS : OUTCOME_PASSES;
        } else if (late) {
            kill(-trial->pid, SIGKILL);
            reap(trial, true);
            trial->outcome = OUTCOME_TIMEOUT;
        }
        any |= trial->outcome != OUTCOME_NONE;
    }
    return any;
}

/* The longest wait: until the next timeout. */
static struct timespec patience(const struct trials *t)
{
    double least = 3600, time = trial_now();
    for (size_t i = 0; i < t->count; i++) {
        const struct trial *trial = &t->at[i];
        if (trial->pid && trial->outcome == OUTCOME_NONE && trial->deadline > 0 &&
            trial->deadline - time < least)
            least = trial->deadline - time;
    }
    least = least < 0 ? 0 : least;
    return (struct timespec){.tv_sec = (time_t)least,
                             .tv_nsec = (long)((least - (double)(time_t)least) * 1e9)};
}

int trials_wait(struct trials *t)
{
    const sigset_t set = watched();
    while (!check_tests(t)) {
        const struct timespec time = patience(t);
        int signal = sigtimedwait(&set, NULL, &time);
        if (signal == SIGINT || signal == SIGTERM)
            return signal;
    }
    return 0;
}
