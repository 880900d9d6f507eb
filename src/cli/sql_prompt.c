/* sql_prompt.c - statements from a terminal, with history and completion of names.
 *
 * Without libedit, or where standard input is not a terminal, lines are read as they come. */
#include "cli/sql_verb.h"

#ifdef HAVE_LIBEDIT
#include "cli/line_editor.h"
#endif

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* The statement so far, and where the session is. */
struct sql_input {
    struct sql_session *session;
    bool terminal, done;
    bool edited; /* lines come from the line editor */
    char *text;
    size_t len, room;
    int status;
};

/* ---- commands ------------------------------------------------------------------------------ */

static void sql_tables(struct sql_input *in, const char *argument)
{
    const struct ras_sql_table *t;
    struct answer *a = in->session->answer;
    size_t shown = 0;
    for (size_t i = 0; (t = ras_sql_table_at(in->session->sql, i)); i++) {
        if (*argument && strcasecmp(argument, t->schema) != 0)
            continue;
        shown++;
        if (strcmp(t->schema, "main") != 0) {
            answer_name(a, t->schema);
            answer_format(a, ".");
        }
        answer_name(a, t->name);
        answer_format(a, "%s\n", t->view ? "  (view)" : "");
    }
    if (!shown)
        in->status = trouble("there is no schema '%s'; .tables lists all tables", argument);
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
    size_t shown = 0;
    for (size_t i = 0; (t = ras_sql_table_at(in->session->sql, i)); i++) {
        size_t len = strlen(t->schema);
        bool whole = !strncasecmp(argument, t->schema, len) && argument[len] == '.' &&
                     !strcasecmp(argument + len + 1, t->name);
        if (*argument && !whole && strcasecmp(argument, t->name) != 0)
            continue;
        sql_put_schema(in->session->answer, t);
        shown++;
    }
    if (!shown)
        in->status = trouble("there is no table '%s'; .tables lists them", argument);
}

static void sql_mode(struct sql_input *in, const char *argument)
{
    for (size_t i = 0; sql_format_words[i]; i++)
        if (!strcmp(argument, sql_format_words[i])) {
            in->session->format = sql_format_words[i];
            return;
        }
    in->status = trouble(".mode takes table, csv, jsonl or markdown, not '%s'", argument);
}

static void sql_timer(struct sql_input *in, const char *argument)
{
    if (*argument && strcmp(argument, "on") != 0 && strcmp(argument, "off") != 0)
        in->status = trouble(".timer takes on or off, not '%s'", argument);
    else
        in->session->timer = strcmp(argument, "off") != 0;
}

static void sql_read(struct sql_input *in, const char *argument)
{
    size_t len;
    if (!*argument) {
        in->status = trouble(".read takes a file with statements");
        return;
    }
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
    {".timer", "[on|off]", "print how long queries take", sql_timer},
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

/* What a word can be completed to. */
struct sql_words {
    char **at;
    size_t count, room, next;
    const char *text;
    size_t head_len; /* of what is before a dot in it, with the dot */
    bool fold;
};

/* `name` is shown after the head, in quotes where it needs them; each once. */
static void sql_words_add(struct sql_words *w, const char *head, const char *name, bool is_name)
{
    const char *typed = w->text + strlen(head);
    size_t len = strlen(typed);
    if (w->fold ? strncasecmp(name, typed, len) : strncmp(name, typed, len))
        return;
    size_t plain = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789.");
    char *quoted = is_name && name[plain] ? ras_sql_quote(name) : strdup(name);
    char *word = NULL;
    if (quoted && asprintf(&word, "%s%s", head, quoted) < 0)
        word = NULL;
    free(quoted);
    for (size_t i = 0; word && i < w->count; i++)
        if (!strcmp(w->at[i], word)) {
            free(word);
            return;
        }
    if (word && w->count == w->room) {
        char **bigger = realloc(w->at, (2 * w->room + 16) * sizeof *bigger);
        if (!bigger) {
            free(word);
            return;
        }
        w->at = bigger;
        w->room = 2 * w->room + 16;
    }
    if (word)
        w->at[w->count++] = word;
}

/* Tables, and columns: also after the name of a table and a dot. */
static void sql_words_of_tables(struct sql_words *w, char *head)
{
    const struct ras_sql_table *t;
    for (size_t i = 0; (t = ras_sql_table_at(completing->session->sql, i)); i++) {
        size_t len = strlen(t->schema);
        bool in_main = !strcmp(t->schema, "main");
        if (!*head && in_main)
            sql_words_add(w, "", t->name, true);
        else if (!*head)
            sql_words_add(w, "", t->schema, true);
        else if (w->head_len == len + 1 && !strncasecmp(head, t->schema, len))
            sql_words_add(w, head, t->name, true);
        for (size_t k = 0; *w->text && k < t->column_count; k++)
            sql_words_add(w, head, t->columns[k].name, true);
    }
}

static void sql_words_find(struct sql_words *w)
{
    static const char *const words[] = {"SELECT",   "FROM",     "WHERE",  "GROUP BY",
                                        "ORDER BY", "LIMIT",    "JOIN",   "USING",
                                        "DISTINCT", "count(*)", "HAVING", "UNION ALL"};
    const char *dot = strrchr(w->text, '.');
    bool is_command = w->text[0] == '.';
    w->head_len = dot && !is_command ? (size_t)(dot - w->text) + 1 : 0;
    char *head = strndup(w->text, w->head_len);
    if (!head)
        return;
    if (!is_command)
        sql_words_of_tables(w, head);
    for (size_t i = 0; is_command && i < sizeof sql_commands / sizeof *sql_commands; i++)
        sql_words_add(w, "", sql_commands[i].name, false);
    for (size_t i = 0; !*head && !is_command && i < sizeof words / sizeof *words; i++)
        sql_words_add(w, "", words[i], false);
    free(head);
}

/* In the case that was typed, where there is such a word: "fr" is frame, "FR" is FROM. */
static char *sql_next_word(const char *text, int state)
{
    static struct sql_words w;
    if (!state) {
        for (; w.next < w.count; w.next++)
            free(w.at[w.next]);
        w.count = w.next = 0;
        w.text = text;
        for (w.fold = false; !w.count; w.fold = true) {
            sql_words_find(&w);
            if (w.fold)
                break;
        }
    }
    return w.next < w.count ? w.at[w.next++] : NULL;
}

/* Not as names of files, in which libedit would put backslashes before quotes. */
static char **sql_complete(const char *text, int from, int to)
{
    (void)from, (void)to;
    *editor.rl_attempted_completion_over = 1;
    return editor.rl_completion_matches(text, sql_next_word);
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
    if (in->edited)
        return editor.readline(before);
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

/* A statement of several lines is one entry, unless a comment ends one of them. */
static void sql_remember(const struct sql_input *in, const char *text)
{
#ifdef HAVE_LIBEDIT
    char *copy = in->edited ? strdup(text) : NULL;
    size_t len = copy ? strlen(copy) : 0;
    while (len && copy[len - 1] == '\n')
        copy[--len] = 0;
    bool joined = copy && !strstr(copy, "--");
    for (char *line = copy, *next; line; line = next) {
        next = strchr(line, '\n');
        if (next && joined) {
            *next = ' ';
            next = line;
            continue;
        }
        if (next)
            *next++ = 0;
        if (*line)
            editor.add_history(line);
    }
    free(copy);
#else
    (void)in, (void)text;
#endif
}

static bool sql_is_blank(const char *text)
{
    return !text[strspn(text, " \t\r\n;")];
}

static void sql_take_line(struct sql_input *in, char *line)
{
    if (!in->len && line[0] == '.') {
        sql_remember(in, line);
        sql_command(in, line);
        return;
    }
    if (!sql_append_line(in, line)) {
        in->status = trouble("out of memory");
        in->done = true;
    } else if (sql_is_blank(in->text)) {
        in->len = 0;
    } else if (ras_sql_is_complete(in->text)) {
        sql_remember(in, in->text);
        in->status = worse(in->status, sql_run_text(in->session, in->text, in->len));
        in->len = 0;
    }
}

/* At a terminal ^C ends the query, or the statement that is being typed, and nothing else. */
static bool sql_heeds(struct sql_input *in)
{
    if (!interrupted())
        return true;
    if (!in->terminal || interrupted() != SIGINT)
        return false;
    interrupts_forget();
    in->len = 0;
    remark(in->session->options->common.quiet, "canceled; .quit or ^D ends");
    return true;
}

int sql_prompt(struct sql_session *session)
{
    struct sql_input in = {.session = session};
    in.terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
#ifdef HAVE_LIBEDIT
    in.edited = in.terminal && line_editor_load();
    char path[4096], *history = in.edited ? sql_history_path(path, sizeof path) : NULL;
    completing = &in;
    if (in.edited) {
        *editor.rl_readline_name = "rastrum";
        *editor.rl_attempted_completion_function = sql_complete;
        editor.using_history();
        if (history)
            editor.read_history(history);
    }
#endif
    if (in.terminal)
        remark(session->options->common.quiet, "tables: .tables; commands: .help; end: .quit");
    while (!in.done && sql_heeds(&in)) {
        char *line = sql_line(&in);
        if (!line && in.terminal && interrupted() == SIGINT)
            continue;
        if (!line)
            break;
        sql_take_line(&in, line);
        free(line);
        if (in.terminal)
            in.status = 0; /* a mistake at the prompt is corrected there */
    }
    if (in.terminal && !in.done)
        fputs("\n", stderr); /* after the prompt that ^D was typed at */
    if (in.len && !interrupted() &&
        !sql_is_blank(in.text)) /* a last statement needs no semicolon */
        in.status = worse(in.status, sql_run_text(session, in.text, in.len));
#ifdef HAVE_LIBEDIT
    if (history)
        editor.write_history(history);
#endif
    free(in.text);
    return in.status;
}
