/* sql_verb.h - what the files of the verb `sql` share. */
#ifndef CLI_SQL_VERB_H
#define CLI_SQL_VERB_H

#include "cli/rundirs.h"
#include "cli/sql_rows.h"

struct sql_options {
    struct common common;
    const char *file, *format, *engine, *each, *timeout, *max_memory;
    struct number jobs, threads;
    bool no_grouping, no_lookup, no_push_down;
};

/* Open traces, and what they are asked with. */
struct sql_session {
    const struct sql_options *options;
    struct ras_sql_source *sources;
    const char **paths;
    size_t count;
    struct ras_sql *sql;
    struct answer *answer;
    struct progress progress;
    const char *format;    /* of rows; NULL: as the output wants it */
    bool timer, has_stats; /* has_stats: tables of stats, too */
    uint64_t timeout_ms, max_memory;
    /* Called with each row in place of printing it; NULL: print. */
    void (*row)(void *user, const struct ras_sql_column *, size_t count,
                const struct ras_value *cells);
    void *user;
};

/* Run all statements of a text; the exit status. */
int sql_run_text(struct sql_session *, const char *text, size_t len);
/* Read statements from a terminal, or from standard input if it is not one. */
int sql_prompt(struct sql_session *);
/* Open the operands; the exit status. query: what is asked, NULL where that is not known. */
int sql_session_open(struct sql_session *, const char *const *operands, size_t count,
                     const char *query);
/* Report how the traces that were read ended, and close them; the exit status. */
int sql_session_close(struct sql_session *);
/* Take --timeout and --max-memory; 0, or EXIT_TROUBLE after saying why. */
int sql_limits(struct sql_session *);
/* The whole text of a file, to free(); NULL after saying why. */
char *sql_read_file(const char *path, size_t *len);
/* --each. */
int sql_each(const struct sql_options *, const char *query);
#endif
