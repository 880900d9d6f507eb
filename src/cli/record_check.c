/* record_check.c - a program without and with recording, and whether what it does is the same.
 *
 * Standard input is read once and given to each run. Where the runs differ, a second one without
 * recording shows whether they always do. */
#include "cli/record_program.h"
#include "cli/say.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FILES = 3, BLOCK = 1 << 16 };

/* What a run did: its wait() status, and files with its standard output and error. */
struct outcome {
    int ended;
    FILE *files[FILES];
};

static const char *const file_words[FILES] = {"standard input", "standard output",
                                              "standard error"};

static bool copy_all(int from, int to)
{
    char block[BLOCK];
    ssize_t n;
    while ((n = read(from, block, sizeof block)) > 0 || (n < 0 && errno == EINTR))
        for (ssize_t done = 0, more; done < n; done += more)
            if ((more = write(to, block + done, (size_t)(n - done))) < 0)
                return false;
    return n == 0;
}

/* Standard input as a file; a terminal's is empty. NULL: see errno. */
static FILE *spool_input(void)
{
    FILE *file = tmpfile();
    if (!file || isatty(STDIN_FILENO) || copy_all(STDIN_FILENO, fileno(file)))
        return file;
    int was = errno;
    fclose(file);
    errno = was;
    return NULL;
}

static bool outcome_open(struct outcome *o, FILE *input)
{
    *o = (struct outcome){.files = {input, tmpfile(), tmpfile()}};
    return lseek(fileno(input), 0, SEEK_SET) == 0 && o->files[1] && o->files[2];
}

static void outcome_close(struct outcome *o)
{
    for (unsigned i = 1; i < FILES; i++)
        if (o->files[i])
            fclose(o->files[i]);
}

/* Without recording. */
static int outcome_run(const struct program *r, struct outcome *o)
{
    pid_t pid = fork();
    if (pid == 0) {
        as_started();
        for (int i = 0; i < FILES; i++)
            dup2(fileno(o->files[i]), i);
        execvp(r->command[0], (char *const *)(uintptr_t)r->command);
        _exit(127);
    }
    while (pid > 0 && waitpid(pid, &o->ended, 0) < 0)
        if (errno != EINTR)
            pid = -1;
    return pid > 0 ? 0 : trouble("%s: %s", r->command[0], strerror(errno));
}

static int outcome_record(struct program *r, struct outcome *o, int (*record)(struct program *))
{
    r->pid = 0;
    for (int i = 0; i < FILES; i++)
        r->files[i] = fileno(o->files[i]);
    int status = record(r);
    o->ended = r->ended;
    memset(r->files, 0, sizeof r->files);
    return r->pid > 0 ? 0 : status;
}

static bool same_file(FILE *a, FILE *b)
{
    char left[BLOCK / 2], right[BLOCK / 2];
    ssize_t n = 0;
    for (off_t at = 0; (n = pread(fileno(a), left, sizeof left, at)) > 0; at += n)
        if (pread(fileno(b), right, (size_t)n, at) != n || memcmp(left, right, (size_t)n))
            return false;
    struct stat x, y;
    return n == 0 && fstat(fileno(a), &x) == 0 && fstat(fileno(b), &y) == 0 &&
           x.st_size == y.st_size;
}

/* What differs; NULL: nothing. */
static const char *difference(const struct outcome *a, const struct outcome *b)
{
    if (a->ended != b->ended)
        return "the exit status";
    for (unsigned i = 1; i < FILES; i++)
        if (!same_file(a->files[i], b->files[i]))
            return file_words[i];
    return NULL;
}

/* The program's output, once. */
static int pass_output(const struct outcome *o)
{
    for (int i = 1; i < FILES; i++)
        if (lseek(fileno(o->files[i]), 0, SEEK_SET) < 0 || !copy_all(fileno(o->files[i]), i))
            return trouble("check: %s cannot be written: %s", file_words[i], strerror(errno));
    return 0;
}

/* What is the same means little where it was not recorded, or not all of it. */
static int lost_of(const struct program *r)
{
    if (r->events && !r->unread && r->dropped <= r->left_out)
        return EXIT_YES;
    remark(false, "check: events were lost, or none was recorded: what would differ is not known");
    return EXIT_LOSS;
}

static long long bytes_of(FILE *file)
{
    struct stat st;
    return fstat(fileno(file), &st) == 0 ? (long long)st.st_size : 0;
}

/* `plain` and `recorded` are done. */
static int compare_outcomes(const struct program *r, const struct outcome *plain,
                            const struct outcome *recorded, FILE *input)
{
    const char *what = difference(plain, recorded);
    struct outcome again;
    if (pass_output(recorded))
        return EXIT_TROUBLE;
    if (!what) {
        remark(r->common->quiet,
               "check: the same with and without recording: exit status, %lld bytes of standard "
               "output, %lld of standard error",
               bytes_of(plain->files[1]), bytes_of(plain->files[2]));
        return lost_of(r);
    }
    int status = outcome_open(&again, input) ? outcome_run(r, &again) : trouble("out of files");
    const char *itself = status ? NULL : difference(plain, &again);
    outcome_close(&again);
    if (status)
        return status;
    if (itself) {
        remark(r->common->quiet,
               "check: not known: %s differs between two runs without recording, too; rastrum "
               "twice -- %s says why",
               itself, r->command[0]);
        return EXIT_LOSS;
    }
    remark(false, "check: %s differs when %s is recorded", what, r->command[0]);
    return EXIT_NO;
}

int record_compare(struct program *r, int (*record)(struct program *))
{
    struct outcome plain = {0}, recorded = {0};
    FILE *input = spool_input();
    if (!input)
        return trouble("check: standard input cannot be kept for two runs: %s", strerror(errno));
    int status = outcome_open(&plain, input) ? outcome_run(r, &plain)
                                             : trouble("check: %s", strerror(errno));
    if (!status)
        status = outcome_open(&recorded, input) ? outcome_record(r, &recorded, record)
                                                : trouble("check: %s", strerror(errno));
    if (!status)
        status = compare_outcomes(r, &plain, &recorded, input);
    outcome_close(&plain);
    outcome_close(&recorded);
    fclose(input);
    return status;
}
