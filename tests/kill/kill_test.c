/* kill_test.c - a writer is killed at any moment; repair brings back all records that were
 * acknowledged.
 *
 *   kill_test NAME TIMES
 *
 * With RASTRUM_EFFORT=full ten times as often. */
#include "kill.h"

#include <ftw.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const struct killed_writer *const writers[] = {&aerogpu_writer, &atf_writer,  &cdt_writer,
                                                      &dial9_writer,   &murk_writer, NULL};

static void tell_parent(void *user)
{
    const int *fd = user;
    if (write(*fd, "", 1) != 1)
        _exit(1);
}

/* A moment that may lie in the opening as well as after thousands of records. */
static void wait_a_while(unsigned round)
{
    uint64_t us = (uint64_t)rand() % (round % 4 == 0 ? 300 : 12000);
    const struct timespec t = {0, (long)us * 1000};
    nanosleep(&t, NULL);
}

/* How many records were acknowledged to the writer when it was killed; -1: it did not start. */
static int64_t write_and_kill(const struct killed_writer *writer, const char *path, unsigned round)
{
    int pipes[2];
    if (pipe(pipes) < 0)
        return -1;
    pid_t child = fork();
    if (child == 0) {
        close(pipes[0]);
        writer->write(path, tell_parent, &pipes[1]);
        _exit(1);
    }
    close(pipes[1]);
    if (child < 0)
        return -1;
    /* A pipe holds 64 KiB, one byte a record: the writer is dead before it is full. */
    wait_a_while(round);
    kill(child, SIGKILL);
    int status;
    waitpid(child, &status, 0);
    int64_t acknowledged = 0;
    char bytes[4096];
    for (ssize_t n; (n = read(pipes[0], bytes, sizeof bytes)) > 0;)
        acknowledged += n;
    close(pipes[0]);
    bool killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    return killed ? acknowledged : -1;
}

/* The records of a repaired trace are 0, 1, 2 ... and no less than were acknowledged. */
static bool check_records(const struct killed_writer *writer, struct ras_trace *t,
                          int64_t acknowledged)
{
    struct ras_cursor *c;
    const struct ras_record *r;
    struct ras_error err = {0};
    uint64_t next = 0;
    int status = ras_cursor_open(&c, t, NULL, &err);
    if (status < 0) {
        printf("%s: %s\n", writer->name, err.text);
        return false;
    }
    while ((status = ras_next(c, &r, &err)) == RAS_OK) {
        uint64_t number = writer->number(c, r);
        if (number == RAS_NONE)
            continue;
        if (number != next) {
            printf("%s: record %" PRIu64 " where %" PRIu64 " should be\n", writer->name, number,
                   next);
            break;
        }
        next++;
    }
    ras_cursor_close(c);
    if (status != RAS_END || ras_ending(t).kind != RAS_COMPLETE || next < (uint64_t)acknowledged) {
        printf("%s: %" PRIu64 " records of %" PRId64 " that were acknowledged, %s\n", writer->name,
               next, acknowledged, ras_ending_name(ras_ending(t).kind));
        return false;
    }
    return true;
}

/* The repaired copy: a file in a sink, a session in a folder. */
struct copy {
    struct ras_sink *sink;
    struct ras_folder *folder;
};

static bool open_copy(const struct copy *copy, const struct killed_writer *writer,
                      struct ras_trace **repaired, struct ras_error *err)
{
    const struct ras_options how = {.format = writer->name};
    size_t count;
    if (copy->folder) {
        const struct ras_part *parts = ras_folder_parts(copy->folder, &count);
        return ras_open_parts(repaired, parts, count, &how, err) == RAS_OK;
    }
    struct ras_bytes bytes = ras_sink_bytes(copy->sink);
    return ras_open_memory(repaired, bytes.at, bytes.len, &how, err) == RAS_OK;
}

static bool repair(const struct killed_writer *writer, struct ras_trace *t, bool dir,
                   int64_t acknowledged, struct ras_error *err)
{
    struct copy copy = {0};
    struct ras_trace *repaired = NULL;
    struct ras_repair *r;
    bool good =
        (dir ? ras_folder_memory(&copy.folder, err) : ras_sink_memory(&copy.sink, err)) == RAS_OK;
    const struct ras_repair_options to = {.sink = copy.sink, .folder = copy.folder};
    if (good && ras_repair(&r, t, &to, err) == RAS_OK) {
        good = open_copy(&copy, writer, &repaired, err) && !r->left->by_severity[RAS_ERROR] &&
               check_records(writer, repaired, acknowledged);
        ras_repair_free(r);
    } else {
        good = !acknowledged && err->status == RAS_EFORMAT;
    }
    ras_close(repaired);
    ras_sink_drop(copy.sink);
    ras_folder_drop(copy.folder);
    return good;
}

static bool check_repaired(const struct killed_writer *writer, const char *path,
                           int64_t acknowledged)
{
    struct ras_trace *t;
    struct ras_error err = {0};
    struct stat st;
    const struct ras_options how = {.format = writer->name};
    if (ras_open(&t, path, &how, &err) < 0) {
        if (acknowledged) /* killed before the header was out: nothing was promised */
            printf("%s: %" PRId64 " records were acknowledged: %s\n", writer->name, acknowledged,
                   err.text);
        return !acknowledged;
    }
    bool good = repair(writer, t, stat(path, &st) == 0 && S_ISDIR(st.st_mode), acknowledged, &err);
    if (!good && err.status)
        printf("%s: %s\n", writer->name, err.text);
    ras_close(t);
    return good;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

static void remove_trace(const char *path)
{
    nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

int main(int argc, char **argv)
{
    const struct killed_writer *writer = NULL;
    for (int i = 0; argc == 3 && writers[i]; i++)
        if (!strcmp(writers[i]->name, argv[1]))
            writer = writers[i];
    if (!writer) {
        fprintf(stderr, "usage: kill_test NAME TIMES\n");
        return 2;
    }
    const char *effort = getenv("RASTRUM_EFFORT");
    unsigned times = (unsigned)strtoul(argv[2], NULL, 10), failed = 0;
    times *= effort && !strcmp(effort, "full") ? 10 : 1;
    char folder[] = "/tmp/rastrum-kill-XXXXXX", path[64];
    int64_t sum = 0;
    if (!mkdtemp(folder))
        return 2;
    srand((unsigned)time(NULL));
    snprintf(path, sizeof path, "%s/trace", folder);
    for (unsigned i = 0; i < times; i++) {
        remove_trace(path);
        int64_t acknowledged = write_and_kill(writer, path, i);
        sum += acknowledged > 0 ? acknowledged : 0;
        failed += acknowledged < 0 || !check_repaired(writer, path, acknowledged);
    }
    remove_trace(path);
    rmdir(folder);
    if (!sum) {
        printf("%s: it was always killed before its first record\n", writer->name);
        failed++;
    }
    printf("%u passed, %u failed\n", times - (failed < times ? failed : times), failed);
    return failed > 0;
}
