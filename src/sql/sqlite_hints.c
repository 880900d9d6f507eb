/* sqlite_hints.c - which name was meant by one that SQLite does not know, and where it is. Columns
 * are searched in the tables that the query names, before all others. */
#include "sql/sqlite_hints.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TABLES_MOST = 16, LISTED_MOST = 16, NAME_ROOM = 200 };

static void near_functions(const char *name, char *text, size_t size)
{
    static const char *const own[] = {
        "hex64", "u64", "wall", "tick_of", "time_of", "demangle", "at",  "percentile",
        "count", "sum", "avg",  "min",     "max",     "substr",   "lag", "row_number"};
    struct ras_near near;
    ras_near_start(&near, name);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        ras_near_add(&near, own[i]);
    ras_near_text(&near, text, size);
}

/* ---- tables -------------------------------------------------------------------------------- */

/* Of several runs, good.creature is good_cdt.creature: a schema for each trace of a run. */
static void near_schemas(const struct catalog *c, const char *word, const char *dot, char *text,
                         size_t size)
{
    size_t len = (size_t)(dot - word), used = 0;
    for (size_t i = 0; i < c->table_count && used < size; i++) {
        const struct ras_sql_table *t = &c->tables[i].shown;
        if (!sqlite3_strnicmp(t->schema, word, (int)len) && t->schema[len] == '_' &&
            !sqlite3_stricmp(t->name, dot + 1))
            used += (size_t)snprintf(text + used, size - used, "%s%s.%s",
                                     used ? " or " : "; write ", t->schema, t->name);
    }
}

static void near_tables(const struct catalog *c, const char *word, char *text, size_t size)
{
    const char *dot = strrchr(word, '.');
    struct ras_near near;
    if (dot)
        near_schemas(c, word, dot, text, size);
    if (*text)
        return;
    ras_near_start(&near, dot ? dot + 1 : word);
    for (size_t i = 0; i < c->table_count; i++)
        ras_near_add(&near, c->tables[i].shown.name);
    ras_near_text(&near, text, size);
    if (!*text)
        snprintf(text, size, "; _tables lists them");
}

/* ---- columns ------------------------------------------------------------------------------- */

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

static bool text_names(const char *text, const char *name)
{
    size_t len = strlen(name);
    for (const char *at = text; len && *at; at++)
        if (!sqlite3_strnicmp(at, name, (int)len) && (at == text || !is_word(at[-1])) &&
            !is_word(at[len]))
            return true;
    return false;
}

/* The tables that a query names, each name once. */
static size_t named_tables(const struct catalog *c, const char *text,
                           const struct ras_sql_table **found)
{
    size_t count = 0;
    for (size_t i = 0; text && i < c->table_count && count < TABLES_MOST; i++) {
        const struct ras_sql_table *t = &c->tables[i].shown;
        bool known = !text_names(text, t->name);
        for (size_t k = 0; k < count; k++)
            known |= !sqlite3_stricmp(found[k]->name, t->name);
        if (!known)
            found[count++] = t;
    }
    return count;
}

/* A statement whose columns are those of a table or a view; NULL: it cannot be had. */
static sqlite3_stmt *columns_of(sqlite3 *db, const struct ras_sql_table *t)
{
    sqlite3_stmt *statement = NULL;
    char *text = sqlite3_mprintf("SELECT * FROM \"%w\".\"%w\"", t->schema, t->name);
    if (text)
        (void)sqlite3_prepare_v2(db, text, -1, &statement, NULL);
    sqlite3_free(text);
    return statement;
}

/* "; call has tick, depth, ..." */
static void list_columns(const struct ras_sql_table *t, sqlite3_stmt *statement, char *text,
                         size_t size)
{
    int count = sqlite3_column_count(statement);
    size_t used = (size_t)snprintf(text, size, "; %s has ", t->name);
    for (int i = 0; i < count && used < size; i++) {
        bool is_last = i == LISTED_MOST && i + 1 < count;
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "",
                                 is_last ? "..." : sqlite3_column_name(statement, i));
        if (is_last)
            return;
    }
}

/* The columns of the tables that the query names. */
static void near_named(sqlite3 *db, const struct ras_sql_table *const *tables, size_t count,
                       const char *name, char *text, size_t size)
{
    sqlite3_stmt *statements[TABLES_MOST];
    struct ras_near near;
    ras_near_start(&near, name);
    for (size_t i = 0; i < count; i++) {
        statements[i] = columns_of(db, tables[i]);
        for (int k = 0; k < sqlite3_column_count(statements[i]); k++) {
            const char *column = sqlite3_column_name(statements[i], k);
            if (!sqlite3_stricmp(column, name))
                snprintf(text, size, "; %s.%s has a column of that name", tables[i]->schema,
                         tables[i]->name);
            ras_near_add(&near, column);
        }
    }
    if (!*text)
        ras_near_text(&near, text, size);
    if (!*text && count == 1 && statements[0])
        list_columns(tables[0], statements[0], text, size);
    for (size_t i = 0; i < count; i++)
        sqlite3_finalize(statements[i]);
}

/* Any table that has the column. */
static void near_others(const struct catalog *c, const char *name, char *text, size_t size)
{
    for (size_t i = 0; !*text && i < c->table_count; i++) {
        const struct ras_sql_table *t = &c->tables[i].shown;
        for (size_t k = 0; !*text && *t->name != '_' && k < t->column_count; k++)
            if (!sqlite3_stricmp(t->columns[k].name, name))
                snprintf(text, size, "; %s.%s has a column of that name", t->schema, t->name);
    }
    if (!*text)
        snprintf(text, size, "; _columns lists them");
}

void sqlite_hint(sqlite3 *db, const struct catalog *c, const char *query, const char *message,
                 char *text, size_t size)
{
    static const char table[] = "no such table: ", column[] = "no such column: ",
                      function[] = "no such function: ";
    const struct ras_sql_table *named[TABLES_MOST];
    char word[NAME_ROOM]; /* the message is gone with the next statement */
    const char *colon = strchr(message, ':');
    *text = 0;
    if (!colon || snprintf(word, sizeof word, "%s", colon + 2) >= (int)sizeof word)
        return;
    if (!strncmp(message, function, strlen(function)))
        near_functions(word, text, size);
    if (!strncmp(message, table, strlen(table)))
        near_tables(c, word, text, size);
    if (strncmp(message, column, strlen(column)) != 0)
        return;
    const char *dot = strrchr(word, '.'), *name = dot ? dot + 1 : word;
    near_named(db, named, named_tables(c, query, named), name, text, size);
    if (!*text)
        near_others(c, name, text, size);
}

/* ---- places -------------------------------------------------------------------------------- */

struct token {
    const char *at, *text; /* text and len: without quotes */
    size_t len;
    bool quoted;
};

/* White space, comments and texts in single quotes are no names. */
static const char *skip_between(const char *at)
{
    for (;;) {
        const char *end = NULL;
        if (!strncmp(at, "--", 2))
            end = at + strcspn(at, "\n");
        else if (!strncmp(at, "/*", 2))
            end = (end = strstr(at + 2, "*/")) ? end + 2 : at + strlen(at);
        else if (*at == '\'')
            end = (end = strchr(at + 1, '\'')) ? end + 1 : at + strlen(at);
        else if (isspace((unsigned char)*at))
            end = at + 1;
        if (!end)
            return at;
        at = end;
    }
}

/* The next name or character; false: there is none. */
static bool token_next(const char **at, struct token *t)
{
    *at = skip_between(*at);
    *t = (struct token){.at = *at, .text = *at, .len = 1};
    const char *close = strchr("\"`[", **at);
    if (!**at)
        return false;
    if (is_word(**at)) {
        while (is_word(t->text[t->len]))
            t->len++;
    } else if (close) {
        const char *end = strchr(*at + 1, *close == '[' ? ']' : *close);
        t->text++;
        t->len = end ? (size_t)(end - t->text) : strlen(t->text);
        t->quoted = true;
        *at = t->text + t->len + (end != NULL);
        return true;
    }
    *at = t->text + t->len;
    return true;
}

static bool token_is(const struct token *t, const char *text, size_t len)
{
    return t->len == len && !sqlite3_strnicmp(t->text, text, (int)len);
}

/* Whether the tokens from here on are this name, a schema before it included; moves after it. */
static bool token_begins(const struct token *first, const char **at, const char *name)
{
    const char *dot = strchr(name, '.'), *next = *at;
    struct token t;
    if (!dot)
        return token_is(first, name, strlen(name));
    if (!token_is(first, name, (size_t)(dot - name)) || !token_next(&next, &t) || t.quoted ||
        !token_is(&t, ".", 1) || !token_next(&next, &t) || !token_is(&t, dot + 1, strlen(dot + 1)))
        return false;
    *at = next;
    return true;
}

static bool token_among(const struct token *t, const char *const *words)
{
    for (; *words; words++)
        if (!t->quoted && token_is(t, *words, strlen(*words)))
            return true;
    return false;
}

/* SQLite gives no place for a table that does not exist: it is where a table is named so, after
 * FROM or JOIN, or after a comma between these and the next clause. */
static uint64_t table_place(const char *query, const char *name)
{
    static const char *const opening[] = {"FROM", "JOIN", NULL}, *const comma[] = {",", NULL},
                             *const closing[] = {"SELECT", "WHERE", "GROUP",  "HAVING",
                                                 "ORDER",  "LIMIT", "WINDOW", NULL};
    bool in_list = false, expected = false;
    struct token t;
    for (const char *at = query; token_next(&at, &t);) {
        if (expected && token_begins(&t, &at, name))
            return (uint64_t)(t.at - query);
        expected = token_among(&t, opening) || (in_list && token_among(&t, comma));
        in_list = (in_list || expected) && !token_among(&t, closing);
    }
    return RAS_NONE;
}

uint64_t sqlite_place(const char *query, const char *message)
{
    static const char table[] = "no such table: ";
    if (!query || strncmp(message, table, strlen(table)) != 0)
        return RAS_NONE;
    return table_place(query, message + strlen(table));
}
