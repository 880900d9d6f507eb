/* report_table.c - figures of a report: tables, and numbers as people read them. */
#include "view/report_page.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

void report_heading(struct report_page *p, const char *text)
{
    out_text(&p->out, "<h2>");
    html_text(&p->out, text);
    out_text(&p->out, "</h2>\n");
}

void report_cell(struct report_page *p, const char *class, const char *text)
{
    out_format(&p->out, *class ? "<td class=\"%s\">" : "<td%s>", class);
    html_text(&p->out, text);
    out_text(&p->out, "</td>");
}

/* ---- figures ----------------------------------------------------------------------------- */

/* Three digits that count and a unit, whatever the locale. */
static const char *figure_scaled(struct arena *a, double value, const char *const *units,
                                 double step)
{
    const char *sign = value < 0 ? "-" : "";
    value = fabs(value);
    while (value >= step && units[1]) {
        value /= step;
        units++;
    }
    int decimals = value >= 100 || value == floor(value) ? 0 : value >= 10 ? 1 : 2;
    uint64_t scale = decimals == 2 ? 100 : decimals ? 10 : 1;
    uint64_t number = (uint64_t)llround(value * (double)scale);
    if (!decimals)
        return arena_format(a, "%s%" PRIu64 " %s", sign, number, *units);
    return arena_format(a, "%s%" PRIu64 ".%0*" PRIu64 " %s", sign, number / scale, decimals,
                        number % scale, *units);
}

const char *report_bytes(struct arena *a, uint64_t bytes)
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB", NULL};
    return figure_scaled(a, (double)bytes, units, 1000);
}

const char *report_ns(struct arena *a, double ns)
{
    static const char *const units[] = {"ns", "\xc2\xb5s", "ms", "s", NULL};
    return figure_scaled(a, ns, units, 1000);
}

bool report_number(const struct ras_value *v, double *number)
{
    *number = v->kind == RAS_UINT  ? (double)v->u
              : v->kind == RAS_INT ? (double)v->i
              : v->kind == RAS_F64 ? v->f64
              : v->kind == RAS_F32 ? (double)v->f32
                                   : NAN;
    return isfinite(*number);
}

static bool column_ends(const char *column, const char *word)
{
    size_t len = strlen(column), n = strlen(word);
    return len >= n && !strcmp(column + len - n, word);
}

const char *report_figure(struct arena *a, const char *column, const struct ras_value *v)
{
    static const char *const percent[] = {"%", NULL};
    double number;
    if (v->kind == RAS_NULL)
        return "\xe2\x80\x93";
    if (!report_number(v, &number))
        return evidence_text(a, column, v);
    if (column_ends(column, "_ns") && !column_ends(column, "time_ns"))
        return report_ns(a, number);
    if (column_ends(column, "_bytes"))
        return report_bytes(a, number < 0 ? 0 : (uint64_t)number);
    if (column_ends(column, "_percent"))
        return figure_scaled(a, number, percent, 1000);
    if (v->kind == RAS_UINT && !column_ends(column, "id") && !column_ends(column, "hash"))
        return arena_count(a, v->u);
    return evidence_text(a, column, v);
}

/* ---- tables of figures ------------------------------------------------------------------- */

/* "total_actual_ns" of "total_ns", "count_actual" of "count". */
static void actual_name(const char *column, char *to, size_t size)
{
    static const char *const units[] = {"_ns", "_bytes", "_percent"};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (column_ends(column, units[i])) {
            snprintf(to, size, "%.*s_actual%s", (int)(strlen(column) - strlen(units[i])), column,
                     units[i]);
            return;
        }
    snprintf(to, size, "%s_actual", column);
}

static bool is_column(const struct ras_value *columns, const char *name)
{
    for (const struct ras_value *v = columns + 1; v < ras_value_next(columns);
         v = ras_value_next(v))
        if (v->kind == RAS_STR && !strcmp(v->at, name))
            return true;
    return false;
}

/* Whether the other side has this figure, too. */
static bool is_paired(const struct ras_value *columns, const char *name)
{
    char other[96];
    actual_name(name, other, sizeof other);
    return is_column(columns, other);
}

/* Whether a column is shown: of a pair of sides those in front of figures, which say what a row is
 * of, and figures of both, no others. */
static bool is_shown(const struct ras_value *columns, const struct ras_value *column, bool pair)
{
    bool is_key = true;
    for (const struct ras_value *v = columns + 1; pair && is_key && v <= column;
         v = ras_value_next(v))
        is_key = !is_paired(columns, v->at);
    return is_key || is_paired(columns, column->at) || strstr(column->at, "_actual");
}

/* Without its unit, which is beside each figure; with the side that a figure is of. */
static const char *column_title(struct report_page *p, const struct ras_value *columns,
                                const char *name, const char *const *sides)
{
    static const char *const ends[] = {"_actual_ns", "_actual_bytes", "_actual_percent",
                                       "_actual",    "_ns",           "_bytes"};
    bool actual = strstr(name, "_actual") != NULL;
    size_t len = strlen(name);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (column_ends(name, ends[i]) && strcmp(name, "time_ns") != 0) {
            len -= strlen(ends[i]);
            break;
        }
    if (!sides || (!actual && !is_paired(columns, name)))
        return arena_format(&p->texts, "%.*s", (int)len, name);
    len -= column_ends(name, "_percent") && !actual ? strlen("_percent") : 0;
    return arena_format(&p->texts, "%.*s, %s", (int)len, name, sides[actual]);
}

static bool is_figure(const struct ras_value *rows, size_t column)
{
    double number;
    if (!rows->count)
        return false;
    const struct ras_value *v = rows[1].kind == RAS_LIST ? rows + 2 : NULL;
    for (size_t i = 0; v && i < column; i++)
        v = ras_value_next(v);
    return v && report_number(v, &number);
}

static void figures_head(struct report_page *p, const struct ras_value *columns,
                         const struct ras_value *rows, const char *const *sides)
{
    size_t i = 0;
    out_text(&p->out, "<thead><tr>");
    for (const struct ras_value *v = columns + 1; v < ras_value_next(columns);
         v = ras_value_next(v), i++) {
        if (!is_shown(columns, v, sides))
            continue;
        out_format(&p->out, "<th%s>", is_figure(rows, i) ? " class=\"num\"" : "");
        html_text(&p->out, column_title(p, columns, v->at, sides));
        out_text(&p->out, "</th>");
    }
    out_text(&p->out, "</tr></thead>");
}

void report_figures(struct report_page *p, const struct ras_value *table, size_t most,
                    const char *const *sides)
{
    const struct ras_value *columns = ras_value_member(table, "columns");
    const struct ras_value *rows = ras_value_member(table, "rows");
    size_t left = 0;
    if (!columns || !rows || columns->kind != RAS_LIST || rows->kind != RAS_LIST || !rows->count)
        return;
    out_text(&p->out, "<div class=\"panel\" tabindex=\"0\"><table>");
    figures_head(p, columns, rows, sides);
    out_text(&p->out, "<tbody>");
    for (const struct ras_value *row = rows + 1; row < ras_value_next(rows);
         row = ras_value_next(row)) {
        const struct ras_value *cell = row + 1, *name = columns + 1;
        if (!most) {
            left++;
            continue;
        }
        most--;
        out_text(&p->out, "<tr>");
        for (; cell < ras_value_next(row) && name < ras_value_next(columns);
             cell = ras_value_next(cell), name = ras_value_next(name)) {
            double number;
            if (is_shown(columns, name, sides))
                report_cell(p, report_number(cell, &number) ? "num" : "",
                            report_figure(&p->texts, name->at, cell));
        }
        out_text(&p->out, "</tr>");
    }
    out_text(&p->out, "</tbody></table></div>\n");
    if (left)
        out_format(&p->out, "<p class=\"dim\">and %s</p>\n", ras_counted(left, "more row").text);
}
