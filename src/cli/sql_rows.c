/* sql_rows.c - rows of a query as a table, CSV, JSON Lines or Markdown. */
#include "cli/sql_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rows by which the columns of a table are measured; those after them may be wider. */
enum { ROWS_MEASURED = 1000 };

struct sql_format {
    const char *name;
    void (*begin)(struct sql_rows *);
    void (*put)(struct sql_rows *, const struct ras_value *cells);
    void (*end)(struct sql_rows *);
};

static bool sql_append(void *user, const void *bytes, size_t size)
{
    struct sql_rows *r = user;
    if (r->text_len + size > r->text_room) {
        size_t room = 2 * (r->text_len + size) + 64;
        char *bigger = realloc(r->text, room);
        if (!bigger)
            return false;
        r->text = bigger;
        r->text_room = room;
    }
    memcpy(r->text + r->text_len, bytes, size);
    r->text_len += size;
    return true;
}

/* A cell as text: numbers as in JSON, text as it is. It lives until the next call. */
static struct ras_bytes sql_cell_text(struct sql_rows *r, size_t i, const struct ras_value *v)
{
    if (v->kind == RAS_STR)
        return (struct ras_bytes){v->at, v->count};
    r->text_len = 0;
    ras_json_cell(r->texts, NULL, v, r->columns[i].flags);
    ras_json_flush(r->texts);
    const uint8_t *at = (const uint8_t *)r->text;
    size_t len = r->text_len;
    if (len >= 2 && at[0] == '"') /* hexadecimal */
        return (struct ras_bytes){at + 1, len - 2};
    return (struct ras_bytes){at, len};
}

static void sql_put_text(struct sql_rows *r, const char *text)
{
    (void)!ras_sink_write(r->answer->sink, text, strlen(text), NULL); /* sticky */
}

/* ---- JSON Lines ---------------------------------------------------------------------------- */

static void sql_jsonl_put(struct sql_rows *r, const struct ras_value *cells)
{
    ras_json_object(r->json, NULL);
    for (size_t i = 0; i < r->column_count; i++)
        ras_json_cell(r->json, r->keys[i], &cells[i], r->columns[i].flags);
    ras_json_end(r->json);
    ras_json_newline(r->json);
}

/* ---- CSV ----------------------------------------------------------------------------------- */

static void sql_csv_cell(struct sql_rows *r, struct ras_bytes text, bool is_null)
{
    bool plain = is_null || text.len;
    for (size_t i = 0; i < text.len && plain; i++)
        plain = !strchr(",\"\n\r", text.at[i]) || !text.at[i];
    if (is_null)
        return;
    if (plain) {
        if (r->answer->on_terminal)
            answer_text(r->answer, text.at, text.len);
        else
            (void)!ras_sink_write(r->answer->sink, text.at, text.len, NULL);
        return;
    }
    sql_put_text(r, "\"");
    for (size_t i = 0, piece; i < text.len; i += piece) {
        const uint8_t *quote = memchr(text.at + i, '"', text.len - i);
        piece = quote ? (size_t)(quote - text.at) + 1 - i : text.len - i;
        if (r->answer->on_terminal)
            answer_text(r->answer, text.at + i, piece);
        else
            (void)!ras_sink_write(r->answer->sink, text.at + i, piece, NULL);
        if (quote)
            sql_put_text(r, "\"");
    }
    sql_put_text(r, "\"");
}

static void sql_csv_begin(struct sql_rows *r)
{
    for (size_t i = 0; i < r->column_count; i++) {
        const char *name = r->columns[i].name;
        sql_put_text(r, i ? "," : "");
        sql_csv_cell(r, (struct ras_bytes){(const uint8_t *)name, strlen(name)}, false);
    }
    sql_put_text(r, "\n");
}

/* An empty text is "", NULL is nothing. */
static void sql_csv_put(struct sql_rows *r, const struct ras_value *cells)
{
    for (size_t i = 0; i < r->column_count; i++) {
        sql_put_text(r, i ? "," : "");
        if (cells[i].kind != RAS_NULL)
            sql_csv_cell(r, sql_cell_text(r, i, &cells[i]), false);
    }
    sql_put_text(r, "\n");
}

/* ---- Markdown ------------------------------------------------------------------------------ */

static void sql_markdown_cell(struct sql_rows *r, struct ras_bytes text)
{
    sql_put_text(r, " ");
    for (size_t i = 0, piece; i < text.len; i += piece) {
        const uint8_t *bar = memchr(text.at + i, '|', text.len - i);
        piece = bar ? (size_t)(bar - text.at) - i : text.len - i;
        answer_text(r->answer, text.at + i, piece);
        if (bar) {
            sql_put_text(r, "\\|");
            piece++;
        }
    }
    sql_put_text(r, " |");
}

static void sql_markdown_begin(struct sql_rows *r)
{
    sql_put_text(r, "|");
    for (size_t i = 0; i < r->column_count; i++)
        sql_markdown_cell(
            r, (struct ras_bytes){(const uint8_t *)r->columns[i].name, strlen(r->columns[i].name)});
    sql_put_text(r, "\n|");
    for (size_t i = 0; i < r->column_count; i++)
        sql_put_text(r, "---|");
    sql_put_text(r, "\n");
}

static struct ras_bytes sql_shown_text(struct sql_rows *r, size_t i, const struct ras_value *v)
{
    if (v->kind == RAS_NULL)
        return (struct ras_bytes){(const uint8_t *)"NULL", 4};
    return sql_cell_text(r, i, v);
}

static void sql_markdown_put(struct sql_rows *r, const struct ras_value *cells)
{
    sql_put_text(r, "|");
    for (size_t i = 0; i < r->column_count; i++)
        sql_markdown_cell(r, sql_shown_text(r, i, &cells[i]));
    sql_put_text(r, "\n");
}

/* ---- table --------------------------------------------------------------------------------- */

/* Characters, as a terminal counts most of them. */
static size_t sql_width(const char *text)
{
    size_t width = 0;
    for (; *text; text++)
        width += ((uint8_t)*text & 0xc0) != 0x80;
    return width;
}

static void sql_table_cell(struct sql_rows *r, size_t i, const char *text)
{
    size_t width = sql_width(text), pad = r->widths[i] > width ? r->widths[i] - width : 0;
    sql_put_text(r, i ? "  " : "");
    if (!r->is_text[i])
        answer_format(r->answer, "%*s", (int)pad, "");
    sql_put_text(r, text);
    if (r->is_text[i] && i + 1 < r->column_count)
        answer_format(r->answer, "%*s", (int)pad, "");
}

/* The text of a cell without what controls a terminal, to free(). */
static char *sql_safe_text(struct sql_rows *r, struct ras_bytes text)
{
    struct ras_sink *sink;
    char *copy = NULL;
    if (ras_sink_memory(&sink, NULL) < 0)
        return NULL;
    if (ras_sink_plain(sink, text.at, text.len, NULL) == RAS_OK) {
        struct ras_bytes safe = ras_sink_bytes(sink);
        copy = malloc(safe.len + 1);
        if (copy) {
            memcpy(copy, safe.at, safe.len);
            copy[safe.len] = 0;
        }
    }
    ras_sink_drop(sink);
    r->nomem = r->nomem || !copy;
    return copy;
}

static void sql_table_rule(struct sql_rows *r)
{
    for (size_t i = 0; i < r->column_count; i++) {
        sql_put_text(r, i ? "  " : "");
        for (size_t k = 0; k < r->widths[i]; k++)
            sql_put_text(r, "-");
    }
    sql_put_text(r, "\n");
}

static void sql_table_flush(struct sql_rows *r)
{
    if (r->streaming)
        return;
    r->streaming = true;
    for (size_t i = 0; i < r->column_count; i++)
        sql_table_cell(r, i, r->columns[i].name);
    sql_put_text(r, r->column_count ? "\n" : "");
    if (r->column_count)
        sql_table_rule(r);
    for (size_t k = 0; k < r->kept; k++) {
        for (size_t i = 0; i < r->column_count; i++)
            sql_table_cell(r, i, r->cells[k * r->column_count + i]);
        sql_put_text(r, "\n");
    }
}

static bool sql_table_keep(struct sql_rows *r, char *text, size_t i)
{
    size_t at = r->kept * r->column_count + i;
    if (at >= r->cell_room) {
        size_t room = r->cell_room ? r->cell_room * 2 : 256;
        char **bigger = realloc(r->cells, room * sizeof *bigger);
        if (!bigger)
            return false;
        r->cells = bigger;
        r->cell_room = room;
    }
    r->cells[at] = text;
    size_t width = sql_width(text);
    r->widths[i] = width > r->widths[i] ? width : r->widths[i];
    return true;
}

static void sql_table_put(struct sql_rows *r, const struct ras_value *cells)
{
    if (r->kept == ROWS_MEASURED)
        sql_table_flush(r);
    for (size_t i = 0; i < r->column_count && !r->nomem; i++) {
        bool is_text = cells[i].kind == RAS_STR || cells[i].kind == RAS_BLOB;
        r->is_text[i] = r->is_text[i] || (is_text && !r->streaming);
        char *text = sql_safe_text(r, sql_shown_text(r, i, &cells[i]));
        if (text && r->streaming) {
            sql_table_cell(r, i, text);
            free(text);
        } else if (text && !sql_table_keep(r, text, i)) {
            free(text);
            r->nomem = true;
        }
    }
    if (r->streaming)
        sql_put_text(r, "\n");
    else if (!r->nomem)
        r->kept++;
}

static void sql_table_begin(struct sql_rows *r)
{
    for (size_t i = 0; i < r->column_count; i++)
        r->widths[i] = sql_width(r->columns[i].name);
}

/* ---- all ----------------------------------------------------------------------------------- */

static const struct sql_format sql_formats[] = {
    {"table", sql_table_begin, sql_table_put, sql_table_flush},
    {"csv", sql_csv_begin, sql_csv_put, NULL},
    {"jsonl", NULL, sql_jsonl_put, NULL},
    {"markdown", sql_markdown_begin, sql_markdown_put, NULL},
};

const char *const sql_format_words[] = {"table", "csv", "jsonl", "markdown", NULL};

static const struct sql_format *sql_format_find(const char *name)
{
    for (size_t i = 0; i < sizeof sql_formats / sizeof *sql_formats; i++)
        if (!strcmp(sql_formats[i].name, name))
            return &sql_formats[i];
    return &sql_formats[0];
}

/* Names of members: the second `n` is `n~2`. */
static bool sql_make_keys(struct sql_rows *r)
{
    r->keys = calloc(r->column_count + 1, sizeof *r->keys);
    for (size_t i = 0; r->keys && i < r->column_count; i++) {
        size_t same = 1, room = strlen(r->columns[i].name) + 24;
        for (size_t k = 0; k < i; k++)
            same += !strcmp(r->columns[k].name, r->columns[i].name);
        r->keys[i] = malloc(room);
        if (!r->keys[i])
            return false;
        if (same > 1)
            snprintf(r->keys[i], room, "%s~%zu", r->columns[i].name, same);
        else
            snprintf(r->keys[i], room, "%s", r->columns[i].name);
    }
    return r->keys != NULL;
}

bool sql_rows_begin(struct sql_rows *r, struct answer *answer, const char *format,
                    const struct ras_sql_column *columns, size_t count)
{
    struct ras_error err;
    *r = (struct sql_rows){.answer = answer, .columns = columns, .column_count = count};
    r->format = sql_format_find(format ? format : answer->on_terminal ? "table" : "csv");
    r->widths = calloc(count + 1, sizeof *r->widths);
    r->is_text = calloc(count + 1, sizeof *r->is_text);
    bool fine = r->widths && r->is_text && sql_make_keys(r) &&
                ras_json_open_callback(&r->texts, sql_append, r, 0, &err) == RAS_OK &&
                ras_json_open(&r->json, answer->sink, 0, &err) == RAS_OK;
    if (fine && r->format->begin && count)
        r->format->begin(r);
    r->nomem = !fine;
    return fine;
}

void sql_rows_put(struct sql_rows *r, const struct ras_value *cells)
{
    r->format->put(r, cells);
}

int sql_rows_end(struct sql_rows *r)
{
    if (!r->nomem && r->format->end && r->column_count)
        r->format->end(r);
    (void)!ras_json_close(r->json, NULL); /* the sink keeps its failure */
    (void)!ras_json_close(r->texts, NULL);
    free(r->text);
    for (size_t i = 0; r->keys && i < r->column_count; i++)
        free(r->keys[i]);
    for (size_t i = 0; i < r->kept * r->column_count; i++)
        free(r->cells[i]);
    free(r->keys);
    free(r->cells);
    free(r->widths);
    free(r->is_text);
    return r->nomem ? trouble("out of memory") : 0;
}
