/* sql_prompt.c - statements from a terminal, with history and completion of names.
 *
 * Without libedit, or where standard input is not a terminal, lines are read as they come. */
#include "cli/sql_verb.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#ifdef HAVE_LIBEDIT
#include <editline/readline.h>
#endif

/* The statement so far, and where the session is. */
struct sql_input {
    struct sql_session *session;
    bool terminal, done;
    char *text;
    size_t len, room;
    int status;
};

/* ---- commands ------------------------------------------------------------------------------ */

static void sql_tables(struct sql_input *in, const char *argument)
{
    const struct ras_sql_table *t;
    struct answer *a = in->session->answer;
    for (size_t i = 0; (t = ras_sql_table_at(in->session->sql, i)); i++) {
        if (*argument && strcmp(argument, t->schema) != 0)
            continue;
        if (strcmp(t->schema, "main") != 0) {
            answer_name(a, t->schema);
            answer_format(a, ".");
        }
        answer_name(a, t->name);
        answer_format(a, "%s\n", t->view ? "  (view)" : "");
    }
}

static void sql_put_schema(struct answer *a, const struct ras_sql_table *t)
{
    char *schema = ras_sql_quote(t->schema), *name = ras_sql_quote(t->name);
    if (schema && name) {
        answer_format(a, "%s ", t->view ? "CREATE VIEW" : "CREATE TABLE");
        answer_name(a, schema);
        answer_format(a, ".");
        answer_name(a, name);
        answer_format(a, "%s", t->view ? " AS " : "(");
        if (t->view)
            answer_name(a, t->view);
    }
    for (size_t i = 0; !t->view && i < t->column_count; i++) {
        char *column = ras_sql_quote(t->columns[i].name);
        answer_format(a, "%s\n  ", i ? "," : "");
        answer_name(a, column ? column : "?");
        answer_format(a, " %s", ras_sql_type(&t->columns[i]));
        if (t->columns[i].flags & RAS_HIDDEN)
            answer_format(a, " HIDDEN");
        free(column);
    }
    answer_format(a, "%s;\n", t->view ? "" : "\n)");
    free(schema);
    free(name);
}

/* All of them, or NAME, or SCHEMA.NAME. */
static void sql_schema(struct sql_input *in, const char *argument)
{
    const struct ras_sql_table *t;
    for (size_t i = 0; (t = ras_sql_table_at(in->session->sql, i)); i++) {
        size_t len = strlen(t->schema);
        bool whole = !strncasecmp(argument, t->schema, len) && argument[len] == '.' &&
                     !strcasecmp(argument + len + 1, t->name);
        if (!*argument || whole || !strcasecmp(argument, t->name))
            sql_put_schema(in->session->answer, t);
    }
}

static void sql_mode(struct sql_input *in, const char *argument)
{
    for (size_t i = 0; sql_format_words[i]; i++)
        if (!strcmp(argument, sql_format_words[i])) {
            in->session->format = sql_format_words[i];
            return;
        }
    trouble(".mode takes table, csv, jsonl or markdown, not '%s'", argument);
}

static void sql_timer(struct sql_input *in, const char *argument)
{
    in->session->timer = strcmp(argument, "off") != 0;
}

static void sql_read(struct sql_input *in, const char *argument)
{
    size_t len;
    char *text = sql_read_file(argument, &len);
    in->status = worse(in->status, text ? sql_run_text(in->session, text, len) : EXIT_TROUBLE);
    free(text);
}

static void sql_quit(struct sql_input *in, const char *argument)
{
    (void)argument;
    in->done = true;
}

static void sql_help(struct sql_input *, const char *);

static const struct sql_command {
    const char *name, *argument, *about;
    void (*run)(struct sql_input *, const char *argument);
} sql_commands[] = {
    {".tables", "[SCHEMA]", "list tables and views", sql_tables},
    {".schema", "[TABLE]", "show the columns of tables", sql_schema},
    {".mode", "NAME", "print rows as table, csv, jsonl or markdown", sql_mode},
    {".timer", "[off]", "print how long queries take", sql_timer},
    {".read", "FILE", "run the statements of a file", sql_read},
    {".help", "", "list these commands", sql_help},
    {".quit", "", "end", sql_quit},
};

static void sql_help(struct sql_input *in, const char *argument)
{
    (void)argument;
    for (size_t i = 0; i < sizeof sql_commands / sizeof *sql_commands; i++)
        answer_format(in->session->answer, "%-8s %-9s %s\n", sql_commands[i].name,
                      sql_commands[i].argument, sql_commands[i].about);
}

static void sql_command(struct sql_input *in, char *line)
{
    char *argument = line + strcspn(line, " \t");
    size_t len = (size_t)(argument - line);
    argument += strspn(argument, " \t");
    for (size_t end = strlen(argument); end && strchr(" \t\r;", argument[end - 1]);)
        argument[--end] = 0;
    for (size_t i = 0; i < sizeof sql_commands / sizeof *sql_commands; i++)
        if (strlen(sql_commands[i].name) == len && !strncmp(line, sql_commands[i].name, len)) {
            sql_commands[i].run(in, argument);
            answer_flush(in->session->answer);
            return;
        }
    in->status = worse(in->status, trouble("unknown command '%s'; .help lists them", line));
}

/* ---- completion ---------------------------------------------------------------------------- */

#ifdef HAVE_LIBEDIT
static const struct sql_input *completing; /* libedit has no other way to pass it */

/* The n-th word that begins with `text`, in the order of tables, their columns, commands. */
static char *sql_word(const char *text, size_t n)
{
    static const char *const words[] = {"SELECT",   "FROM",     "WHERE",  "GROUP BY",
                                        "ORDER BY", "LIMIT",    "JOIN",   "USING",
                                        "DISTINCT", "count(*)", "HAVING", "UNION ALL"};
    const struct ras_sql_table *t;
    size_t len = strlen(text);
    for (size_t i = 0; (t = ras_sql_table_at(completing->session->sql, i)); i++) {
        char whole[300];
        snprintf(whole, sizeof whole, "%s.%s", t->schema, t->name);
        const char *name = strcmp(t->schema, "main") ? whole : t->name;
        if (!strncasecmp(name, text, len) && !n--)
            return strdup(name);
        for (size_t k = 0; k < t->column_count; k++)
            if (len && !strncasecmp(t->columns[k].name, text, len) && !n--)
                return strdup(t->columns[k].name);
    }
    for (size_t i = 0; i < sizeof sql_commands / sizeof *sql_commands; i++)
        if (!strncmp(sql_commands[i].name, text, len) && !n--)
            return strdup(sql_commands[i].name);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strncasecmp(words[i], text, len) && !n--)
            return strdup(words[i]);
    return NULL;
}

static char *sql_next_word(const char *text, int state)
{
    static size_t n;
    n = state ? n + 1 : 0;
    return sql_word(text, n);
}

static char *sql_history_path(char *path, size_t size)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    if (state && *state)
        snprintf(path, size, "%s/rastrum_sql_history", state);
    else
        snprintf(path, size, "%s/.rastrum_sql_history", home ? home : "");
    return home || (state && *state) ? path : NULL;
}
#endif

/* ---- lines --------------------------------------------------------------------------------- */

/* A line without its end, to free(); NULL: no more. */
static char *sql_line(struct sql_input *in)
{
    const char *before = in->len ? "   ...> " : "rastrum> ";
#ifdef HAVE_LIBEDIT
    if (in->terminal) {
        char *line = readline(before);
        if (line && *line)
            add_history(line);
        return line;
    }
#endif
    char *line = NULL;
    size_t room = 0;
    if (in->terminal) {
        fputs(before, stderr);
        fflush(stderr);
    }
    ssize_t len = getline(&line, &room, stdin);
    if (len < 0) {
        free(line);
        return NULL;
    }
    if (len && line[len - 1] == '\n')
        line[len - 1] = 0;
    return line;
}

static bool sql_append_line(struct sql_input *in, const char *line)
{
    size_t len = strlen(line);
    if (in->room - in->len < len + 2) {
        size_t room = 2 * (in->len + len) + 64;
        char *bigger = realloc(in->text, room);
        if (!bigger)
            return false;
        in->text = bigger;
        in->room = room;
    }
    memcpy(in->text + in->len, line, len);
    in->len += len;
    in->text[in->len++] = '\n';
    in->text[in->len] = 0;
    return true;
}

static bool sql_is_blank(const char *text)
{
    return !text[strspn(text, " \t\r\n;")];
}

static void sql_take_line(struct sql_input *in, char *line)
{
    if (!in->len && line[0] == '.') {
        sql_command(in, line);
        return;
    }
    if (!sql_append_line(in, line)) {
        in->status = trouble("out of memory");
        in->done = true;
    } else if (sql_is_blank(in->text)) {
        in->len = 0;
    } else if (ras_sql_is_complete(in->text)) {
        in->status = worse(in->status, sql_run_text(in->session, in->text, in->len));
        in->len = 0;
    }
}

int sql_prompt(struct sql_session *session)
{
    struct sql_input in = {.session = session};
    in.terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
#ifdef HAVE_LIBEDIT
    char path[4096], *history = in.terminal ? sql_history_path(path, sizeof path) : NULL;
    completing = &in;
    if (in.terminal) {
        rl_readline_name = (char *)(uintptr_t) "rastrum";
        rl_completion_entry_function = sql_next_word;
        using_history();
        if (history)
            read_history(history);
    }
#endif
    if (in.terminal)
        remark(session->options->common.quiet, "tables: .tables; commands: .help; end: .quit");
    while (!in.done && !interrupted()) {
        char *line = sql_line(&in);
        if (!line)
            break;
        sql_take_line(&in, line);
        free(line);
        if (in.terminal)
            in.status = 0; /* a mistake at the prompt is corrected there */
    }
    if (in.len && !sql_is_blank(in.text)) /* a last statement needs no semicolon */
        in.status = worse(in.status, sql_run_text(session, in.text, in.len));
#ifdef HAVE_LIBEDIT
    if (history)
        write_history(history);
#endif
    free(in.text);
    return in.status;
}
