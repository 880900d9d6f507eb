/* completing.c - the words that options take, for the completion of shells.
 *
 * Some are known beforehand; types, fields and tables are known to the trace alone that the command
 * line names already. */
#include "cli/comparing.h"
#include "cli/playing.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    RECORDS_MOST = 100000, /* who presses a key does not wait for a long trace */
    SIZE_MOST = 256 << 20
};

const char *words_asked(const struct command *c, const struct option_row *row)
{
    static const struct {
        const char *verb, *option, *kind; /* verb NULL: any */
    } rows[] = {
        {NULL, "input-format", "format"}, {NULL, "dialect", "dialect"}, {NULL, "type", "type"},
        {NULL, "fields", "field"},        {"stats", "table", "table"},  {"stats", "sort", "column"},
        {NULL, "channel", "channel"},     {"convert", "to", "dialect"},
    };
    for (size_t i = 0; !row->words && i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i].option, row->name) && (!rows[i].verb || !strcmp(rows[i].verb, c->name)))
            return rows[i].kind;
    return NULL;
}

const char *words_of_operands(const struct command *c)
{
    return strstr(c->operands, "WORLD") ? "world" : NULL;
}

/* A name that cannot be typed as it is, is not offered. */
static void put_word(const void *text, size_t len)
{
    if (len && ras_plain_prefix(text, len) == len)
        printf("%.*s\n", (int)len, (const char *)text);
}

/* The first word that is a trace; NULL: there is none. */
static struct ras_trace *find_trace(const struct list *words)
{
    for (size_t i = 0; i < words->count; i++) {
        struct ras_trace *trace;
        if (access(words->items[i], R_OK) == 0 && !arrives(words->items[i]) &&
            ras_open(&trace, words->items[i], NULL, NULL) == RAS_OK)
            return trace;
    }
    return NULL;
}

static void put_formats(struct ras_trace *trace)
{
    (void)trace;
    for (size_t i = 0; ras_format_at(i); i++)
        puts(ras_format_at(i)->name);
}

static void put_dialects(struct ras_trace *trace)
{
    const struct ras_format_about *only = trace ? ras_format_of(trace) : NULL;
    for (size_t i = 0; ras_format_at(i); i++)
        for (const char *const *name = ras_format_at(i)->dialects; *name; name++)
            if (!only || !strcmp(only->name, ras_format_at(i)->name))
                puts(*name);
}

static void put_worlds(struct ras_trace *trace)
{
    (void)trace;
    for (const struct ras_world_type *const *w = ras_world_types(); *w; w++)
        puts((*w)->name);
}

static void put_channels(struct ras_trace *trace)
{
    (void)trace;
    for (const char *const *name = channel_words; *name; name++)
        puts(*name);
}

/* Some formats define their types on the way. */
static void learn_types(struct ras_trace *trace)
{
    const struct ras_scan scan = {.headers_only = true};
    const struct ras_record *record;
    struct ras_cursor *cursor;
    if (ras_cursor_open(&cursor, trace, &scan, NULL) != RAS_OK)
        return;
    for (size_t i = 0; i < RECORDS_MOST && ras_next(cursor, &record, NULL) == RAS_OK; i++) {
    }
    ras_cursor_close(cursor);
}

static void put_types(struct ras_trace *trace)
{
    learn_types(trace);
    for (size_t i = 0; i < ras_schema_count(trace); i++)
        put_word(ras_schema_at(trace, i)->name, strlen(ras_schema_at(trace, i)->name));
}

static void words_put_fields(struct ras_trace *trace)
{
    learn_types(trace);
    for (size_t i = 0; i < ras_schema_count(trace); i++)
        for (size_t k = 0; k < ras_schema_at(trace, i)->field_count; k++) {
            const char *name = ras_schema_at(trace, i)->fields[k].name;
            put_word(name, strlen(name));
        }
}

static void put_stats(struct ras_trace *trace, bool columns)
{
    const struct ras_stats_options how = {.no_rows = true};
    struct ras_stats *stats;
    if (ras_size(trace) > SIZE_MOST || ras_stats(&stats, trace, &how, NULL) < 0)
        return;
    const struct ras_value *tables = stats->tables, *end = ras_value_next(tables);
    for (const struct ras_value *name = tables + 1; name < end;) {
        const struct ras_value *table = name + 1, *all = ras_value_member(table, "columns");
        if (!columns)
            put_word(name->at, name->count);
        for (uint32_t i = 1; columns && i <= all->count; i++)
            put_word(all[i].at, all[i].count);
        name = ras_value_next(table);
    }
    ras_stats_free(stats);
}

static void words_put_tables(struct ras_trace *trace)
{
    put_stats(trace, false);
}

static void put_columns(struct ras_trace *trace)
{
    put_stats(trace, true);
}

int help_words(const char *kind, const struct list *words)
{
    static const struct {
        const char *kind;
        bool of_trace; /* only it knows them */
        void (*put)(struct ras_trace *);
    } kinds[] = {
        {"format", false, put_formats},    {"dialect", false, put_dialects},
        {"world", false, put_worlds},      {"channel", false, put_channels},
        {"type", true, put_types},         {"field", true, words_put_fields},
        {"table", true, words_put_tables}, {"column", true, put_columns},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i].kind, kind)) {
            struct ras_trace *trace = find_trace(words);
            if (trace || !kinds[i].of_trace)
                kinds[i].put(trace);
            ras_close(trace);
            return EXIT_YES;
        }
    return trouble("--words takes format, dialect, world, channel, type, field, table or column, "
                   "not '%s'",
                   kind);
}
