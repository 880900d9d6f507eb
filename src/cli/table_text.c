/* table_text.c - tables of figures as aligned columns, in units people read. */
#include "cli/table_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { COLUMNS_MOST = 24, TEXT_WIDEST = 60, TEXT_LEAST = 12, TEXT_ROOM = 512 };

/* ---- numbers ---------------------------------------------------------------------- */

static void put_grouped(char *text, uint64_t number)
{
    char digits[24];
    int len = snprintf(digits, sizeof digits, "%" PRIu64, number);
    for (int i = 0; i < len; i++) {
        if (i && (len - i) % 3 == 0)
            *text++ = ',';
        *text++ = digits[i];
    }
    *text = 0;
}

/* Three significant digits, and a unit. */
static void put_scaled(char *text, double value, double step, const char *const *units,
                       size_t count)
{
    size_t unit = 0;
    while (unit + 1 < count && value >= step * 0.9995) {
        value /= step;
        unit++;
    }
    int digits = unit == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    snprintf(text, TABLE_CELL, "%.*f%s", digits, value, units[unit]);
}

static void put_duration(char *text, uint64_t ns)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    put_scaled(text, (double)ns, 1000, units, 4);
}

static void put_size(char *text, double bytes)
{
    static const char *const units[] = {" B", " kB", " MB", " GB", " TB"};
    put_scaled(text, bytes, 1000, units, 5);
}

static bool ends_with(const char *name, size_t len, const char *end)
{
    size_t n = strlen(end);
    return len >= n && !memcmp(name + len - n, end, n);
}

static void table_put_f64(char *text, const char *name, size_t len, double value)
{
    if (ends_with(name, len, "_percent"))
        snprintf(text, TABLE_CELL, "%.1f%%", value);
    else if (ends_with(name, len, "_bytes"))
        put_size(text, value);
    else
        snprintf(text, TABLE_CELL, value >= 100 ? "%.0f" : "%.3f", value);
}

/* Numbers that name something are not grouped. */
static bool is_name(const char *name, size_t len)
{
    static const char *const names[] = {"worker",    "task",   "tid",      "target_worker",
                                        "tick",      "frame",  "thread",   "thread_id",
                                        "source_id", "opcode", "realtime", "process"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (len == strlen(names[i]) && !memcmp(name, names[i], len))
            return true;
    return false;
}

/* A difference, printed with its sign. */
static void put_change(char *text, const char *name, size_t len, int64_t change)
{
    uint64_t size = change < 0 ? -(uint64_t)change : (uint64_t)change;
    if (!ends_with(name, len, "_ns")) {
        snprintf(text, TABLE_CELL, "%" PRId64, change);
        return;
    }
    char amount[TABLE_CELL];
    put_duration(amount, size);
    snprintf(text, TABLE_CELL, "%s%.90s", change < 0 ? "-" : change ? "+" : "", amount);
}

void table_number(char *text, const char *name, size_t len, const struct ras_value *v,
                  const struct ras_time_writing *how)
{
    *text = 0;
    if (v->kind == RAS_NULL)
        snprintf(text, TABLE_CELL, "-");
    else if (v->kind == RAS_F64)
        table_put_f64(text, name, len, v->f64);
    else if (v->kind == RAS_INT)
        put_change(text, name, len, v->i);
    else if (v->kind == RAS_BOOL)
        snprintf(text, TABLE_CELL, "%s", v->u ? "yes" : "no");
    else if (is_name(name, len))
        snprintf(text, TABLE_CELL, "%" PRIu64, v->u);
    else if (ends_with(name, len, "_time_ns") || (len == 7 && !memcmp(name, "time_ns", 7)))
        ras_time_write(text, how, v->u);
    else if (ends_with(name, len, "_ns"))
        put_duration(text, v->u);
    else if (ends_with(name, len, "_bytes"))
        put_size(text, (double)v->u);
    else
        put_grouped(text, v->u);
}

/* ---- columns ------------------------------------------------------------------------ */

/* Counts characters: UTF-8 continuation bytes have no width. */
static size_t table_width_of(const char *text, size_t len)
{
    size_t width = 0;
    for (size_t i = 0; i < len; i++)
        width += ((uint8_t)text[i] & 0xc0) != 0x80;
    return width;
}

struct column {
    const struct ras_value *name;
    size_t width, most; /* most: bytes of text that it may have */
    bool is_text;
};

struct layout {
    struct column columns[COLUMNS_MOST];
    size_t count;
    const struct ras_time_writing *time;
};

/* A list of figures, one a row. */
static bool of_figures(const struct layout *l)
{
    const struct ras_value *name = l->columns[0].name;
    return name->count == 6 && !memcmp(name->at, "figure", 6);
}

/* The name whose suffix gives the unit: the column's, or the figure's in a list of figures. */
static const struct ras_value *unit_of(const struct layout *l, const struct ras_value *row,
                                       size_t i)
{
    return i == 1 && of_figures(l) && row[1].kind == RAS_STR ? &row[1] : l->columns[i].name;
}

/* The text of a heading, without the unit, which the cells show. */
static size_t heading_len(const struct ras_value *name)
{
    static const char *const ends[] = {"_ns", "_bytes", "_percent"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (ends_with(name->at, name->count, ends[i]))
            return name->count - strlen(ends[i]);
    return name->count;
}

size_t table_shorten(char *text, const char *from, size_t len, size_t most)
{
    if (len <= most) {
        if (len)
            memcpy(text, from, len);
        return len;
    }
    size_t head = (most - 3) * 2 / 5, at = len - (most - 3 - head);
    while (head && ((uint8_t)from[head] & 0xc0) == 0x80)
        head--;
    while (at < len && ((uint8_t)from[at] & 0xc0) == 0x80)
        at++;
    memcpy(text, from, head);
    memcpy(text + head, "...", 3);
    memcpy(text + head + 3, from + at, len - at);
    return head + 3 + (len - at);
}

/* Into TEXT_ROOM bytes. */
static size_t cell_text(const struct layout *l, const struct ras_value *row, size_t i, char *text)
{
    const struct ras_value *v = &row[1 + i], *unit = unit_of(l, row, i);
    struct ras_value bare = *v;
    if (v->kind == RAS_STR && i == 0 && of_figures(l))
        bare.count = (uint32_t)heading_len(v);
    if (v->kind == RAS_STR)
        return table_shorten(text, bare.at, bare.count, l->columns[i].most);
    table_number(text, unit->at, unit->count, v, l->time);
    return strlen(text);
}

static void measure_rows(struct layout *l, const struct ras_value *rows)
{
    char text[TEXT_ROOM];
    for (size_t i = 0; i < l->count; i++)
        l->columns[i].width = heading_len(l->columns[i].name);
    for (const struct ras_value *row = rows + 1; row < ras_value_next(rows);
         row = ras_value_next(row))
        for (size_t i = 0; i < l->count; i++) {
            struct column *c = &l->columns[i];
            size_t width = table_width_of(text, cell_text(l, row, i, text));
            c->width = c->width > width ? c->width : width;
            c->is_text |= row[1 + i].kind == RAS_STR;
        }
}

/* Shorten the widest text column until the rows fit or all columns are narrow. */
static void fit(struct layout *l, size_t columns)
{
    size_t all = 0;
    for (size_t i = 0; i < l->count; i++)
        all += 2 + l->columns[i].width;
    while (all > columns) {
        struct column *widest = NULL;
        for (size_t i = 0; i < l->count; i++) {
            struct column *c = &l->columns[i];
            size_t least = heading_len(c->name) > TEXT_LEAST ? heading_len(c->name) : TEXT_LEAST;
            if (c->is_text && c->width > least && (!widest || c->width > widest->width))
                widest = c;
        }
        if (!widest)
            return;
        widest->most = --widest->width;
        all--;
    }
}

/* `columns_most`: of the terminal; 0: rows are as wide as they are. */
static void measure(struct layout *l, const struct ras_value *columns, const struct ras_value *rows,
                    size_t columns_most)
{
    for (const struct ras_value *c = columns + 1; c < ras_value_next(columns); c++)
        if (l->count < COLUMNS_MOST)
            l->columns[l->count++] = (struct column){.name = c, .most = TEXT_WIDEST};
    l->columns[l->count - 1].most = TEXT_ROOM - 1;
    measure_rows(l, rows);
    if (columns_most) {
        fit(l, columns_most);
        measure_rows(l, rows);
    }
}

/* The colour of a severity, in any column. 0: it is not a severity. */
static int paint_of(const char *text, size_t len)
{
    if (len == 8 && !memcmp(text, "critical", 8))
        return 31;
    if (len == 7 && (!memcmp(text, "warning", 7) || !memcmp(text, "problem", 7)))
        return 33;
    return 0;
}

static void put_cell(struct answer *a, const struct layout *l, size_t i, const char *text,
                     size_t len)
{
    const struct column *c = &l->columns[i];
    size_t width = table_width_of(text, len), pad = c->width > width ? c->width - width : 0;
    int paint = a->color ? paint_of(text, len) : 0;
    answer_format(a, "%*s", (int)(c->is_text ? 2 : 2 + pad), "");
    if (paint)
        answer_paint(a, paint == 31 ? "\033[1;31m" : "\033[1;33m");
    answer_text(a, text, len);
    if (paint)
        answer_paint(a, "\033[0m");
    if (c->is_text && i + 1 < l->count)
        answer_format(a, "%*s", (int)pad, "");
}

static void put_text_of(struct answer *a, const char *before, const struct ras_value *v,
                        const char *after)
{
    answer_format(a, "%s", before);
    answer_text(a, v->at, v->count);
    answer_format(a, "%s", after);
}

void put_figures(struct answer *a, const struct ras_value *name, const struct ras_value *table,
                 const struct ras_time_writing *time)
{
    const struct ras_value *rows = ras_value_member(table, "rows");
    const struct ras_value *left = ras_value_member(table, "left_out");
    struct layout l = {.time = time};
    char text[TEXT_ROOM];
    const struct ras_value *coverage = ras_value_member(table, "coverage");
    answer_format(a, "\n");
    answer_paint(a, "\033[1m");
    answer_text(a, name->at, name->count);
    answer_paint(a, "\033[0m");
    answer_format(a, ":");
    if (coverage)
        put_text_of(a, " ", coverage, "");
    answer_format(a, "\n");
    if (!rows->count && !left)
        return;
    measure(&l, ras_value_member(table, "columns"), rows, a->columns);
    for (size_t i = 0; i < l.count; i++)
        put_cell(a, &l, i, l.columns[i].name->at, heading_len(l.columns[i].name));
    answer_format(a, "\n");
    for (const struct ras_value *row = rows + 1; row < ras_value_next(rows);
         row = ras_value_next(row)) {
        for (size_t i = 0; i < l.count; i++)
            put_cell(a, &l, i, text, cell_text(&l, row, i, text));
        answer_format(a, "\n");
    }
    if (left)
        answer_format(a, "  and %" PRIu64 " more: --all shows them\n", left->u);
}
