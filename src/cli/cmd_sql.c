/* cmd_sql.c - questions to traces in SQL, without an import. */
#include "cli/output_guard.h"
#include "cli/sql_verb.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

/* ---- operands ------------------------------------------------------------------------------ */

static bool sql_path_exists(const char *path)
{
    return !strcmp(path, "-") || access(path, F_OK) == 0;
}

/* The path in NAME=PATH, and its name in *len bytes; the operand itself where it has no name. */
static const char *sql_path_of(const char *operand, size_t *len)
{
    const char *equals = strchr(operand, '=');
    *len = 0;
    if (!equals || equals == operand || access(operand, F_OK) == 0 ||
        isdigit((unsigned char)*operand))
        return operand;
    for (const char *p = operand; p < equals; p++)
        if (!isalnum((unsigned char)*p) && *p != '_')
            return operand;
    *len = (size_t)(equals - operand);
    return equals + 1;
}

static bool sql_is_trace(const char *operand)
{
    size_t len;
    return sql_path_exists(sql_path_of(operand, &len));
}

/* The last operand that is not a path; NULL: there is none. */
static const char *sql_take_query(struct list *operands)
{
    if (!operands->count || sql_is_trace(operands->items[operands->count - 1]))
        return NULL;
    return operands->items[--operands->count];
}

/* An operand that is neither a path nor looks like a query: 0, or EXIT_TROUBLE after saying so. */
static int sql_check_query(const char *query)
{
    if (!query[strspn(query, " \t\r\n;")])
        return trouble("the query is empty");
    if (*query == '.' && query[1] && isalpha((unsigned char)query[1]))
        return trouble("'%s' is a command of the prompt, which starts without a query; SELECT name "
                       "FROM _tables lists tables",
                       query);
    if (!strpbrk(query, " \t\r\n('\";"))
        return trouble(
            "%s: cannot open: No such file or directory; nor is it a query, which begins "
            "with SELECT",
            query);
    return 0;
}

enum { THREADS_MOST = 64 };

/* ---- limits -------------------------------------------------------------------------------- */

static int sql_parse_timeout(const char *text, uint64_t *ms)
{
    struct ras_error err;
    uint64_t ns;
    if (ras_time_parse(NULL, text, &ns, &err) < 0)
        return trouble("--timeout: %s", text_of(&err));
    *ms = ns / 1000000;
    if (!*ms)
        return trouble("--timeout: %s is too short: it takes at least 1ms, such as 500ms or 10s",
                       text);
    return 0;
}

/* ---- opening ------------------------------------------------------------------------------- */

/* Signals cancel a query; the progress line shows bytes that were read. */
static bool sql_goes_on(void *user, uint64_t done, uint64_t total)
{
    struct sql_session *s = user;
    if (done || total)
        progress_at(&s->progress, done, total);
    return !interrupted();
}

static int sql_open_source(struct sql_session *s, const char *operand)
{
    const struct common *common = &s->options->common;
    struct ras_sql_source *source = &s->sources[s->count];
    size_t len;
    const char *path = sql_path_of(operand, &len);
    if (len && !(source->name = strndup(operand, len)))
        return trouble("out of memory");
    s->paths[s->count] = path;
    if (is_run(common, path))
        source->run = open_run(common, path);
    else
        source->trace = open_operand(common, path, false);
    s->count++;
    if (!source->run && !source->trace)
        return EXIT_TROUBLE;
    return source->run ? say_missing(source->run) : 0;
}

/* Whether a text may name a table of stats, for which the traces are walked. */
static bool sql_names_stats(const char *text)
{
    while (*text && strncasecmp(text, "stats_", strlen("stats_")) != 0)
        text++;
    return *text;
}

/* The engine over the sources. */
static int sql_start(struct sql_session *s)
{
    const struct sql_options *o = s->options;
    struct ras_error err;
    struct ras_sql_options how = {.struct_size = sizeof how,
                                  .engine = o->engine,
                                  .max_memory = s->max_memory,
                                  .timeout_ms = s->timeout_ms,
                                  .no_grouping = o->no_grouping,
                                  .no_lookup = o->no_lookup,
                                  .no_push_down = o->no_push_down,
                                  .progress = sql_goes_on,
                                  .user = s,
                                  .threads = (unsigned)o->threads.value,
                                  .stats = s->has_stats};
    progress_start(&s->progress, &o->common, "sql", false);
    int status = ras_sql_open(&s->sql, s->sources, s->count, &how, &err);
    progress_stop(&s->progress);
    return status < 0 ? trouble_with(&err) : 0;
}

/* A statement that was not known when the traces were opened names tables of stats. */
static int sql_add_stats(struct sql_session *s)
{
    ras_sql_close(s->sql);
    s->sql = NULL;
    s->has_stats = true;
    return sql_start(s);
}

int sql_session_open(struct sql_session *s, const char *const *operands, size_t count,
                     const char *query)
{
    const struct sql_options *o = s->options;
    int worst = 0;
    s->has_stats = query && sql_names_stats(query);
    s->sources = calloc(count + 1, sizeof *s->sources);
    s->paths = calloc(count + 1, sizeof *s->paths);
    if (!s->sources || !s->paths)
        return trouble("out of memory");
    for (size_t i = 0; i < count; i++)
        worst = worse(worst, sql_open_source(s, operands[i]));
    if (worst == EXIT_TROUBLE)
        return worst;
    int status = sql_start(s);
    if (status)
        return status;
    size_t notes;
    const char *const *note = ras_sql_notes(s->sql, &notes);
    for (size_t i = 0; i < notes; i++)
        remark(o->common.quiet, "%s", note[i]);
    return worst;
}

static int sql_say_endings(const struct sql_session *s, size_t i)
{
    const struct ras_sql_source *source = &s->sources[i];
    bool quiet = s->options->common.quiet;
    int worst = EXIT_YES;
    if (source->trace) {
        struct ras_ending ending = ras_ending(source->trace);
        return say_ending(s->paths[i], source->trace, &ending, quiet);
    }
    for (size_t k = 0; source->run && k < source->run->pen_count; k++) {
        const struct ras_rundir_pen *pen = &source->run->pens[k];
        if (!pen->trace)
            continue;
        struct ras_ending ending = ras_ending(pen->trace);
        worst = worse(worst, say_end(pen->path, pen->trace, &ending, quiet));
    }
    return worst;
}

static void sql_say_lost(const struct sql_session *s, const struct ras_sql_lost *lost,
                         uint64_t count, const char *why)
{
    bool in_main = !strcmp(lost->schema, "main");
    if (count)
        remark(s->options->common.quiet, "%" PRIu64 " value%s of %s%s%s.%s %s NULL here: %s", count,
               count == 1 ? "" : "s", in_main ? "" : lost->schema, in_main ? "" : ".", lost->table,
               lost->column, count == 1 ? "is" : "are", why);
}

/* Values that are NULL in the answers and not in the trace. */
static void sql_say_all_lost(const struct sql_session *s)
{
    const struct ras_sql_lost *lost;
    char why[120];
    for (size_t i = 0; (lost = ras_sql_lost_at(s->sql, i)) != NULL; i++) {
        snprintf(why, sizeof why, "not of its type, %s; \"values\" of record has them", lost->type);
        sql_say_lost(s, lost, lost->unfit, why);
        sql_say_lost(s, lost, lost->nan, "SQLite has no NaN; --engine duckdb keeps it");
    }
}

int sql_session_close(struct sql_session *s)
{
    int worst = EXIT_YES;
    if (s->sql)
        sql_say_all_lost(s);
    for (size_t i = 0; s->sql && i < s->count; i++)
        worst = worse(worst, sql_say_endings(s, i));
    ras_sql_close(s->sql);
    for (size_t i = 0; i < s->count; i++) {
        ras_close(s->sources[i].trace);
        ras_rundir_close(s->sources[i].run);
        free((void *)(uintptr_t)s->sources[i].name);
    }
    free(s->sources);
    free(s->paths);
    return worst;
}

/* ---- statements ---------------------------------------------------------------------------- */

/* The line of the mistake, and a caret under its place. */
static void sql_show_place(const char *text, size_t len, uint64_t offset)
{
    if (offset == RAS_NONE || offset > len)
        return;
    size_t from = (size_t)offset, to = (size_t)offset, line = 1;
    while (from && text[from - 1] != '\n')
        from--;
    while (to < len && text[to] != '\n')
        to++;
    for (size_t i = 0; i < from; i++)
        line += text[i] == '\n';
    char shown[400], caret[400], before[40];
    size_t width = 0;
    snprintf(before, sizeof before, "line %zu: ", line);
    snprintf(shown, sizeof shown, "%.*s", (int)(to - from < 390 ? to - from : 390), text + from);
    for (size_t i = from; i < offset && width < sizeof caret - 2; i++)
        if (((unsigned char)text[i] & 0xc0) != 0x80)
            caret[width++] = text[i] == '\t' ? '\t' : ' ';
    caret[width] = '^';
    caret[width + 1] = 0;
    for (char *p = shown; *p; p++)
        *p = *p == '\t' ? ' ' : *p;
    for (char *p = caret; *p; p++)
        *p = *p == '\t' ? ' ' : *p;
    say_line(before, shown);
    memset(before, ' ', strlen(before));
    say_line(before, caret);
}

/* What to do about a statement that begins with a word that none begins with. */
static void sql_hint_start(const char *text, size_t len, const struct ras_error *err, char *hint,
                           size_t room)
{
    static const char *const starts[] = {"SELECT", "WITH",   "VALUES", "EXPLAIN", "CREATE",
                                         "INSERT", "PRAGMA", "DROP",   "DELETE",  "UPDATE"};
    char word[24] = "";
    struct ras_near near;
    size_t from = 0, n = 0;
    while (from < len && (isspace((unsigned char)text[from]) || text[from] == ';'))
        from++;
    for (; from + n < len && n < sizeof word - 1 && isalpha((unsigned char)text[from + n]); n++)
        word[n] = (char)toupper((unsigned char)text[from + n]);
    if (err->offset != from || !strstr(err->text, "syntax error"))
        return;
    ras_near_start(&near, word);
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        ras_near_add(&near, starts[i]);
    ras_near_text(&near, hint, room);
    if (!*hint)
        snprintf(hint, room, "; a query begins with SELECT: SELECT name FROM _tables lists tables");
}

static int sql_trouble(const struct sql_session *s, const char *text, size_t len,
                       const struct ras_error *err)
{
    char hint[120] = "";
    if (err->status == RAS_ECANCELED && interrupted())
        return EXIT_TROUBLE;
    if (transfers_expired())
        return trouble("SQL: the transfer took longer than the limit of %" PRIu64
                       " ms; --timeout allows more",
                       s->timeout_ms);
    if (err->status == RAS_EMEMORY)
        snprintf(hint, sizeof hint, "; --max-memory allows more");
    else if (err->status == RAS_ELIMIT && strstr(err->text, "ran longer"))
        snprintf(hint, sizeof hint, "; --timeout allows more");
    else if (err->status == RAS_EUSAGE)
        sql_hint_start(text, len, err, hint, sizeof hint);
    bool named = s->row; /* one of several sessions, all with the same query */
    int status =
        trouble("%s%sSQL: %s%s", named ? s->paths[0] : "", named ? ": " : "", text_of(err), hint);
    sql_show_place(text, len, err->offset);
    return status;
}

static double sql_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int sql_put_rows(struct sql_session *s, struct ras_sql_query *query, struct ras_error *err)
{
    size_t count;
    const struct ras_sql_column *columns = ras_sql_columns(query, &count);
    const struct ras_value *cells;
    struct sql_rows rows;
    /* The first row comes before the columns are used: a statement may be prepared again for it. */
    int status = ras_sql_next(query, &cells, err);
    if (s->row) {
        for (; status == RAS_OK; status = ras_sql_next(query, &cells, err))
            s->row(s->user, columns, count, cells);
        if (status == RAS_END)
            s->row(s->user, columns, count, NULL);
        return status;
    }
    if (status < 0)
        return status;
    if (!sql_rows_begin(&rows, s->answer, s->format, columns, count)) {
        sql_rows_end(&rows);
        err->status = RAS_EMEMORY;
        err->text[0] = 0;
        return RAS_EMEMORY;
    }
    for (; status == RAS_OK; status = ras_sql_next(query, &cells, err))
        sql_rows_put(&rows, cells);
    sql_rows_end(&rows);
    return status;
}

int sql_run_text(struct sql_session *s, const char *text, size_t len)
{
    const char *at = text;
    struct ras_error err;
    if (!s->has_stats && sql_names_stats(text) && sql_add_stats(s))
        s->has_stats = false;
    if (!s->sql)
        return EXIT_TROUBLE;
    while (at < text + len) {
        struct ras_sql_query *query;
        size_t used;
        double started = sql_now();
        err.offset = RAS_NONE;
        transfers_limit(s->timeout_ms);
        int status = ras_sql_prepare(&query, s->sql, at, (size_t)(text + len - at), &used, &err);
        if (status < 0) {
            if (err.offset != RAS_NONE)
                err.offset += (uint64_t)(at - text);
            return sql_trouble(s, text, len, &err);
        }
        if (query) {
            progress_start(&s->progress, &s->options->common, "sql", s->answer->on_screen);
            status = sql_put_rows(s, query, &err);
            progress_stop(&s->progress);
            ras_sql_query_close(query);
            answer_flush(s->answer);
            if (status < 0)
                return sql_trouble(s, text, len, &err);
            if (s->timer)
                remark(false, "%.3f s", sql_now() - started);
        }
        if (!used)
            break;
        at += used;
    }
    return EXIT_YES;
}

char *sql_read_file(const char *path, size_t *len)
{
    FILE *file = strcmp(path, "-") ? fopen(path, "rb") : stdin;
    char *text = NULL;
    size_t room = 0;
    *len = 0;
    if (!file) {
        trouble("%s: cannot open: %s", path, strerror(errno));
        return NULL;
    }
    for (size_t got = 1; got;) {
        if (room - *len < 4096) {
            room = room ? room * 2 : 16384;
            char *bigger = realloc(text, room);
            if (!bigger)
                break;
            text = bigger;
        }
        got = fread(text + *len, 1, room - *len - 1, file);
        *len += got;
        if (*len > 1 << 20) {
            trouble("%s: SQL of more than %d bytes", path, 1 << 20);
            free(text);
            text = NULL;
            break;
        }
    }
    if (text)
        text[*len] = 0;
    if (file != stdin)
        fclose(file);
    return text;
}

/* ---- the verb ------------------------------------------------------------------------------ */

static int sql_ask(struct sql_session *s, const char *query)
{
    const struct sql_options *o = s->options;
    if (!query && !o->file)
        return sql_prompt(s);
    if (query)
        return sql_run_text(s, query, strlen(query));
    size_t len;
    char *text = sql_read_file(o->file, &len);
    int status = text ? sql_run_text(s, text, len) : EXIT_TROUBLE;
    free(text);
    return status;
}

/* The output is compared with the paths, without their names. */
static int sql_guard(const struct sql_options *o)
{
    struct common common = o->common;
    size_t len;
    common.operands = (struct list){0};
    for (size_t i = 0; i < o->common.operands.count; i++)
        if (!list_add(&common.operands, sql_path_of(o->common.operands.items[i], &len)))
            return trouble("out of memory");
    int status = guard_output(&common);
    free(common.operands.items);
    return status;
}

int sql_limits(struct sql_session *s)
{
    const struct sql_options *o = s->options;
    int status = o->timeout ? sql_parse_timeout(o->timeout, &s->timeout_ms) : 0;
    if (!status && o->threads.given && (!o->threads.value || o->threads.value > THREADS_MOST))
        status = trouble("--threads takes 1 to %d", THREADS_MOST);
    if (!status && o->max_memory)
        status = size_parse("--max-memory", o->max_memory, &s->max_memory);
    return status;
}

static int sql_on_traces(const struct sql_options *o, const char *query)
{
    struct sql_session s = {.options = o, .format = o->format};
    struct answer answer;
    int status = sql_limits(&s);
    s.answer = &answer;
    if (!status)
        status = sql_guard(o);
    if (!status)
        status = answer_open(&answer, &o->common);
    if (status)
        return status;
    interrupts_watch();
    status = sql_session_open(&s, o->common.operands.items, o->common.operands.count, query);
    if (status != EXIT_TROUBLE)
        status = worse(status, sql_ask(&s, query));
    status = worse(status, sql_session_close(&s));
    return answer_close(&answer, status);
}

static int sql_run(void *options)
{
    struct sql_options *o = options;
    if (o->common.json) { /* a stream of rows, not one document */
        if (o->format && strcmp(o->format, "jsonl") != 0)
            return trouble("--json is --format jsonl: omit --format %s", o->format);
        o->format = "jsonl";
        o->common.json = false;
    }
    const char *query = sql_take_query(&o->common.operands);
    if (query && o->file)
        return trouble("--file has the query: '%s' is not a file", query);
    int status = query ? sql_check_query(query) : 0;
    if (status)
        return status;
    if (o->each)
        return sql_each(o, query);
    if (!o->common.operands.count && query)
        return trouble("no trace: '%s' is not a file", query);
    if (!o->common.operands.count)
        return trouble("missing trace: name a file, a directory, or - for standard input");
    status = sql_on_traces(o, query);
    end_if_interrupted();
    return status;
}

static const char *const engine_words[] = {"sqlite", "duckdb", NULL};

static const struct option_row rows[] = {
    {"format", 'F', OPTION_TEXT, "NAME", "table (default on a terminal), csv, jsonl or markdown",
     sql_format_words, offsetof(struct sql_options, format)},
    {"file", 'f', OPTION_TEXT, "FILE", "read the statements from this file", NULL,
     offsetof(struct sql_options, file)},
    {"timeout", 0, OPTION_TEXT, "TIME", "stop a query after this time: 500ms, 10s, 5min", NULL,
     offsetof(struct sql_options, timeout)},
    {"max-memory", 0, OPTION_TEXT, "SIZE", "memory for queries: 256M, 4G (default 1G)", NULL,
     offsetof(struct sql_options, max_memory)},
    {"engine", 0, OPTION_TEXT, "NAME", "sqlite (default) or duckdb", engine_words,
     offsetof(struct sql_options, engine)},
    {"threads", 0, OPTION_NUMBER, "N", "threads of DuckDB (default: processors)", NULL,
     offsetof(struct sql_options, threads)},
    {"each", 0, OPTION_TEXT, "GLOB", "ask each of these traces in a process of its own", NULL,
     offsetof(struct sql_options, each)},
    {"jobs", 'j', OPTION_NUMBER, "N", "processes of --each at a time (default: processors)", NULL,
     offsetof(struct sql_options, jobs)},
    {"no-grouping", 0, OPTION_FLAG, NULL, "leave GROUP BY to the engine, to compare", NULL,
     offsetof(struct sql_options, no_grouping)},
    {"no-lookup", 0, OPTION_FLAG, NULL, "read tables again for every row of a join, to compare",
     NULL, offsetof(struct sql_options, no_lookup)},
    {"no-push-down", 0, OPTION_FLAG, NULL, "leave conditions to the engine, to compare", NULL,
     offsetof(struct sql_options, no_push_down)},
    {0},
};

const struct command cmd_sql = {
    .name = "sql",
    .operands = "[NAME=]TRACE... [QUERY]",
    .about = "query traces in SQL, without an import",
    .text =
        "Every record type is a table; _tables and _columns list them. The last operand that is\n"
        "not a path is the query; without one a prompt reads statements. A run directory has a\n"
        "schema for each of its traces (murk.frame, cdt.creature, ...), and every table of it a\n"
        "column run_tick. Several traces are named (good=a.cdt bad=b.cdt), each a schema; main\n"
        "then has tables of all traces of a format (cdt_creature) with a column trace. Traces\n"
        "are only read; limits hold for memory and time. docs/sql.md has examples.\n",
    .examples = "rastrum sql run.murk 'SELECT tick, command_count FROM frame'\n"
                "rastrum sql rundir/ -f questions.sql --format markdown\n"
                "rastrum sql good=a.cdt bad=b.cdt 'SELECT a.tick, a.uid, a.hp, b.hp FROM\n"
                "    good.creature a JOIN bad.creature b USING (tick, uid) WHERE a.hp <> b.hp'\n"
                "rastrum sql --each 'traces/*.bin' -j 4 'SELECT count(*) FROM record'\n",
    .exits = "0 shown, also without rows; 2 an error in the SQL, or a limit; 3 shown, but a trace\n"
             "is cut or damaged",
    .rows = rows,
    .size = sizeof(struct sql_options),
    .reads = true,
    .run = sql_run,
};
