/* sql_each.c - one query on each of many traces, each in a process of its own.
 *
 * A child writes its rows to an unlinked file; the parent prints them in the order of the paths,
 * with a column `trace` first. A trace that makes its process fail takes no other with it. */
#include "cli/sql_verb.h"

#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef GLOB_BRACE /* musl does not know braces */
#define GLOB_BRACE 0
#endif

enum { EACH_JOBS_MOST = 256 };

/* A trace, and the process that asks it. */
struct each_job {
    const char *path;
    FILE *rows;
    pid_t process; /* 0: not started, -1: ended */
    int status;
};

/* ---- rows in a file ------------------------------------------------------------------------ */

struct each_out {
    FILE *file;
    bool has_columns;
};

static void each_put(FILE *file, const void *bytes, size_t size)
{
    if (size)                                /* of no bytes there may be no place */
        (void)!fwrite(bytes, 1, size, file); /* ferror() reports it at the end */
}

static void each_put_text(FILE *file, const char *text)
{
    uint32_t len = text ? (uint32_t)strlen(text) : UINT32_MAX;
    each_put(file, &len, sizeof len);
    each_put(file, text, text ? len : 0);
}

/* The columns first, then a byte 1 and the cells of each row, then a byte 0. */
static void each_put_row(void *user, const struct ras_sql_column *columns, size_t count,
                         const struct ras_value *cells)
{
    struct each_out *out = user;
    uint8_t more = cells != NULL;
    if (!out->has_columns) {
        out->has_columns = true;
        each_put(out->file, &count, sizeof count);
        for (size_t i = 0; i < count; i++) {
            each_put_text(out->file, columns[i].name);
            each_put_text(out->file, columns[i].type);
            each_put(out->file, &columns[i].flags, sizeof columns[i].flags);
        }
    }
    each_put(out->file, &more, 1);
    for (size_t i = 0; cells && i < count; i++) {
        each_put(out->file, &cells[i], sizeof cells[i]);
        if (cells[i].kind == RAS_STR || cells[i].kind == RAS_BLOB)
            each_put(out->file, cells[i].at, cells[i].count);
    }
}

static bool each_get(FILE *file, void *bytes, size_t size)
{
    return fread(bytes, 1, size, file) == size;
}

static char *each_get_text(FILE *file)
{
    uint32_t len;
    if (!each_get(file, &len, sizeof len) || len == UINT32_MAX)
        return NULL;
    char *text = malloc((size_t)len + 1);
    if (text && !each_get(file, text, len)) {
        free(text);
        return NULL;
    }
    if (text)
        text[len] = 0;
    return text;
}

/* ---- the children -------------------------------------------------------------------------- */

static int each_child(const struct sql_options *o, const char *query, struct each_job *job)
{
    struct each_out out = {.file = job->rows};
    struct answer answer;
    struct sql_session s = {.options = o, .row = each_put_row, .user = &out, .answer = &answer};
    struct common common = o->common;
    common.out = NULL;
    int status = sql_limits(&s);
    if (status || (status = answer_open(&answer, &common)))
        return status;
    status = sql_session_open(&s, &job->path, 1, query);
    if (status != EXIT_TROUBLE)
        status = worse(status, sql_run_text(&s, query, strlen(query)));
    status = worse(status, sql_session_close(&s));
    if (fflush(job->rows) != 0 || ferror(job->rows))
        status = trouble("%s: its rows cannot be written to a temporary file", job->path);
    return answer_close(&answer, status);
}

static int each_start(const struct sql_options *o, const char *query, struct each_job *job)
{
    job->rows = tmpfile();
    if (!job->rows)
        return trouble("cannot make a temporary file");
    fflush(NULL);
    job->process = fork();
    if (job->process < 0)
        return trouble("cannot start a process");
    if (job->process == 0)
        _exit(each_child(o, query, job));
    return 0;
}

static void each_wait(struct each_job *jobs, size_t count)
{
    int ended;
    pid_t process = wait(&ended);
    for (size_t i = 0; process > 0 && i < count; i++)
        if (jobs[i].process == process) {
            jobs[i].process = -1;
            jobs[i].status = WIFEXITED(ended) ? WEXITSTATUS(ended)
                                              : trouble("%s: its process ended by signal %d",
                                                        jobs[i].path, WTERMSIG(ended));
        }
}

/* ---- printing ------------------------------------------------------------------------------ */

/* What is printed: the columns of the first trace, those of others must be the same. */
struct each_print {
    struct sql_rows rows;
    struct ras_sql_column *columns; /* the first one is `trace` */
    struct ras_value *cells;
    size_t count;
    bool begun;
};

static bool each_take_columns(struct each_print *p, FILE *file, size_t count)
{
    bool same = true;
    if (!p->begun) {
        p->count = count + 1;
        p->columns = calloc(p->count, sizeof *p->columns);
        p->cells = calloc(p->count, sizeof *p->cells);
        if (!p->columns || !p->cells)
            return false;
        p->columns[0] = (struct ras_sql_column){.name = strdup("trace")};
    }
    for (size_t i = 1; i <= count; i++) {
        struct ras_sql_column c = {.name = each_get_text(file), .type = each_get_text(file)};
        same = each_get(file, &c.flags, sizeof c.flags) && c.name && same;
        if (!p->begun) {
            p->columns[i] = c;
            continue;
        }
        same = same && i < p->count && !strcmp(c.name, p->columns[i].name);
        free((void *)(uintptr_t)c.name);
        free((void *)(uintptr_t)c.type);
    }
    return same && count + 1 == p->count;
}

static bool each_print_row(struct each_print *p, FILE *file)
{
    bool fine = true;
    for (size_t i = 1; fine && i < p->count; i++) {
        struct ras_value *v = &p->cells[i];
        fine = each_get(file, v, sizeof *v);
        if (fine && (v->kind == RAS_STR || v->kind == RAS_BLOB)) {
            char *bytes = malloc((size_t)v->count + 1);
            v->at = bytes;
            fine = bytes && each_get(file, bytes, v->count);
        }
    }
    if (fine)
        sql_rows_put(&p->rows, p->cells);
    for (size_t i = 1; i < p->count; i++) {
        if (p->cells[i].kind == RAS_STR || p->cells[i].kind == RAS_BLOB)
            free((void *)(uintptr_t)p->cells[i].at);
        p->cells[i] = (struct ras_value){.kind = RAS_NULL};
    }
    return fine;
}

static int each_print(struct each_print *p, const struct sql_options *o, struct answer *answer,
                      struct each_job *job)
{
    size_t count;
    uint8_t more;
    rewind(job->rows);
    if (!each_get(job->rows, &count, sizeof count))
        return 0; /* its process said why */
    if (!each_take_columns(p, job->rows, count))
        return trouble("%s: its columns differ from those of the first trace", job->path);
    if (!p->begun && !sql_rows_begin(&p->rows, answer, o->format, p->columns, p->count))
        return EXIT_TROUBLE;
    p->begun = true;
    p->cells[0] =
        (struct ras_value){.kind = RAS_STR, .count = (uint32_t)strlen(job->path), .at = job->path};
    while (each_get(job->rows, &more, 1) && more)
        if (!each_print_row(p, job->rows))
            return trouble("%s: its rows are incomplete", job->path);
    return 0;
}

static int each_finish(struct each_print *p)
{
    int status = p->begun ? sql_rows_end(&p->rows) : 0;
    for (size_t i = 0; p->columns && i < p->count; i++) {
        free((void *)(uintptr_t)p->columns[i].name);
        free((void *)(uintptr_t)p->columns[i].type);
    }
    free(p->columns);
    free(p->cells);
    return status;
}

static int each_run(const struct sql_options *o, const char *query, struct each_job *jobs,
                    size_t count, struct answer *answer)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t most = o->jobs.given ? (size_t)o->jobs.value : (size_t)(processors > 0 ? processors : 1);
    size_t started = 0, printed = 0;
    struct each_print p = {0};
    int worst = 0;
    most = most > EACH_JOBS_MOST ? EACH_JOBS_MOST : most;
    while (printed < count && !interrupted()) {
        size_t running = 0;
        for (size_t i = printed; i < started; i++)
            running += jobs[i].process > 0;
        if (started < count && running < most) {
            worst = worse(worst, each_start(o, query, &jobs[started++]));
            continue;
        }
        if (jobs[printed].process > 0) {
            each_wait(jobs, started);
            continue;
        }
        if (jobs[printed].rows) {
            worst = worse(worst, jobs[printed].status);
            worst = worse(worst, each_print(&p, o, answer, &jobs[printed]));
            fclose(jobs[printed].rows);
        }
        printed++;
    }
    return worse(worst, each_finish(&p));
}

int sql_each(const struct sql_options *o, const char *query)
{
    glob_t found;
    struct answer answer;
    size_t len;
    char *text = o->file ? sql_read_file(o->file, &len) : NULL;
    if (o->file && !text)
        return EXIT_TROUBLE;
    query = text ? text : query;
    if (!query || o->common.operands.count || (o->jobs.given && !o->jobs.value)) {
        free(text);
        return !query ? trouble("--each needs a query")
               : o->common.operands.count
                   ? trouble("--each names the traces: omit %s", o->common.operands.items[0])
                   : trouble("--jobs takes at least 1");
    }
    if (glob(o->each, GLOB_BRACE | GLOB_TILDE, NULL, &found) != 0) {
        free(text);
        return trouble("--each: no file matches '%s'", o->each);
    }
    struct each_job *jobs = calloc(found.gl_pathc, sizeof *jobs);
    for (size_t i = 0; jobs && i < found.gl_pathc; i++)
        jobs[i].path = found.gl_pathv[i];
    int status = jobs ? answer_open(&answer, &o->common) : trouble("out of memory");
    if (!status) {
        status = each_run(o, query, jobs, found.gl_pathc, &answer);
        status = answer_close(&answer, status);
    }
    free(jobs);
    globfree(&found);
    free(text);
    return status;
}
