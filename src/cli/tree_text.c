/* tree_text.c - a call tree as lines of text. */
#include "cli/tree_text.h"
#include "cli/tabling.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Cells of a row of the tree. */
enum {
    THREAD = 1,
    DEPTH,
    FUNCTION,
    MODULE,
    COUNT,
    TOTAL,
    SELF,
    SHARE,
    UNFINISHED,
    HIDDEN,
    THREAD_NAME
};

/* Cells of a row and its own: samples have no name of a thread. */
static size_t tree_width_of(const struct ras_value *table)
{
    return 1 + ras_value_member(table, "columns")->count;
}

/* Samples are counted, calls are timed: the unit is in the names of the columns. */
static bool of_samples(const struct ras_value *names)
{
    static const char unit[] = "total_samples";
    return names[TOTAL].count == sizeof unit - 1 && !memcmp(names[TOTAL].at, unit, sizeof unit - 1);
}

static bool same(const struct ras_value *a, const struct ras_value *b)
{
    return a && a->count == b->count && (!b->count || !memcmp(a->at, b->at, b->count));
}

static void put_thread(struct answer *a, uint64_t thread, const struct ras_value *name)
{
    answer_format(a, "thread %" PRIu64, thread);
    if (name->kind == RAS_STR) {
        answer_format(a, " ");
        answer_text(a, name->at, name->count);
    }
}

static void put_heading(struct answer *a, const struct ras_value *group)
{
    answer_text(a, group->at, group->count);
    answer_format(a, "\n");
}

/* Semicolons part the names of a path: one inside a name would part it, too. */
static void put_folded_name(struct answer *a, const struct ras_value *name)
{
    const char *at = name->at, *end = at + name->count, *semicolon;
    while (at < end && (semicolon = memchr(at, ';', (size_t)(end - at)))) {
        answer_text(a, at, (size_t)(semicolon - at));
        answer_format(a, ":");
        at = semicolon + 1;
    }
    if (at < end)
        answer_text(a, at, (size_t)(end - at));
}

/* A name that begins in this column. Names of templates are longer than a line, and on a terminal a
 * name ends with its line; --full-names shows them whole. */
static void put_name(struct answer *a, const struct ras_value *name, bool full, size_t column)
{
    enum { LEAST = 24, ROOM = 512 };
    char text[ROOM], line[ROOM];
    if (full || name->count > 8192) {
        answer_text(a, name->at, name->count);
        return;
    }
    size_t len = ras_name_short(name->at, name->count, text, sizeof text);
    size_t most = a->columns > column + LEAST ? a->columns - column : LEAST;
    if (a->columns && len > most && most < ROOM) {
        answer_text(a, line, table_shorten(line, text, len, most));
        return;
    }
    answer_text(a, text, len);
    answer_format(a, "%s", len == sizeof text ? "..." : "");
}

void put_tree(struct answer *a, const char *path, const struct ras_stats *stats, bool full)
{
    const struct ras_value *table = ras_value_member(stats->tables, "tree");
    const struct ras_value *rows = ras_value_member(table, "rows"), *end = ras_value_next(rows);
    const struct ras_value *coverage = ras_value_member(table, "coverage");
    const struct ras_value *group = NULL;
    uint64_t thread = RAS_NONE;
    answer_path(a, path, "");
    answer_format(a, ": %.*s\n", (int)coverage->count, (const char *)coverage->at);
    const struct ras_value *names = ras_value_member(table, "columns");
    bool samples = of_samples(names);
    if (rows->count)
        answer_format(a, "%7s %8s %8s %10s  %s\n", "share", "total", "self",
                      samples ? "in polls" : "calls", "function");
    for (const struct ras_value *r = rows + 1; r < end; r += tree_width_of(table)) {
        char total[TABLE_CELL], self[TABLE_CELL], count[TABLE_CELL];
        if (r[THREAD].kind == RAS_UINT && r[THREAD].u != thread) {
            put_thread(a, thread = r[THREAD].u, &r[THREAD_NAME]);
            answer_format(a, "\n");
        }
        if (r[THREAD].kind == RAS_STR && !same(group, &r[THREAD]))
            put_heading(a, group = &r[THREAD]);
        table_number(total, names[TOTAL].at, names[TOTAL].count, &r[TOTAL], NULL);
        table_number(self, names[SELF].at, names[SELF].count, &r[SELF], NULL);
        table_number(count, "", 0, &r[COUNT], NULL);
        int indent = r[DEPTH].u < 100 ? 2 * (int)r[DEPTH].u : 200;
        answer_format(a, "%6.1f%% %8s %8s %10s%*s", r[SHARE].f64, total, self, count, indent, "");
        put_name(a, &r[FUNCTION], full, 36 + (size_t)indent);
        if (samples && r[MODULE].kind == RAS_STR) {
            answer_format(a, " ");
            answer_text(a, r[MODULE].at, r[MODULE].count);
        }
        if (r[UNFINISHED].u)
            answer_format(a, " (%" PRIu64 " unfinished)", r[UNFINISHED].u);
        if (r[HIDDEN].u)
            answer_format(a, " [+%" PRIu64 "]", r[HIDDEN].u);
        answer_format(a, "\n");
    }
}

void put_open(struct answer *a, const char *path, const struct ras_stats *stats, bool full)
{
    enum { START = COUNT, OPEN, OPEN_NAME, OPEN_WIDTH };
    const struct ras_value *table = ras_value_member(stats->tables, "open_calls");
    const struct ras_value *rows = ras_value_member(table, "rows"), *end = ras_value_next(rows);
    const struct ras_value *coverage = ras_value_member(table, "coverage");
    const struct ras_value *names = ras_value_member(table, "columns");
    uint64_t thread = RAS_NONE;
    answer_path(a, path, "");
    answer_format(a, ": %.*s\n", (int)coverage->count, (const char *)coverage->at);
    if (rows->count)
        answer_format(a, "%8s  %s\n", "open", "function");
    for (const struct ras_value *r = rows + 1; r < end; r += OPEN_WIDTH) {
        char open[TABLE_CELL];
        if (r[THREAD].u != thread) {
            put_thread(a, thread = r[THREAD].u, &r[OPEN_NAME]);
            answer_format(a, "\n");
        }
        table_number(open, names[OPEN].at, names[OPEN].count, &r[OPEN], NULL);
        int indent = r[DEPTH].u < 100 ? 2 * (int)r[DEPTH].u : 200;
        answer_format(a, "%8s%*s", open, indent, "");
        put_name(a, &r[FUNCTION], full, 8 + (size_t)indent);
        answer_format(a, "\n");
    }
}

/* A row of the tree, and its time that no row below it has. */
struct folded {
    const struct ras_value *row;
    uint64_t left;
};

/* Of callers: what is below a line adds up to its time. */
static void find_left(struct folded *of, size_t count, size_t *path)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t depth = of[i].row[DEPTH].u;
        of[i].left = of[i].row[TOTAL].u;
        path[depth] = i;
        if (depth > 1)
            of[path[depth - 1]].left -= of[i].left;
    }
}

static void tree_put_path(struct answer *a, const struct folded *of, const size_t *path,
                          uint64_t depth)
{
    for (uint64_t i = 1; i <= depth; i++) {
        put_folded_name(a, &of[path[i]].row[FUNCTION]);
        answer_format(a, "%s", i < depth ? ";" : "");
    }
}

int put_folded(struct answer *a, const struct ras_stats *stats, bool callers)
{
    const struct ras_value *table = ras_value_member(stats->tables, "tree");
    const struct ras_value *rows = ras_value_member(table, "rows");
    size_t width = tree_width_of(table), count = rows->count / width,
           *path = calloc(count + 2, sizeof *path);
    struct folded *of = calloc(count + 1, sizeof *of);
    if (!path || !of) {
        free(path);
        free(of);
        return trouble("out of memory");
    }
    for (size_t i = 0; i < count; i++)
        of[i] = (struct folded){rows + 1 + i * width, rows[1 + i * width + SELF].u};
    if (callers)
        find_left(of, count, path);
    for (size_t i = 0; i < count; i++) {
        const struct ras_value *r = of[i].row;
        path[r[DEPTH].u] = i;
        if (!of[i].left)
            continue;
        if (r[THREAD].kind == RAS_UINT)
            answer_format(a, "thread %" PRIu64 ";", r[THREAD].u);
        if (r[THREAD].kind == RAS_STR) {
            put_folded_name(a, &r[THREAD]);
            answer_format(a, ";");
        }
        tree_put_path(a, of, path, r[DEPTH].u);
        answer_format(a, " %" PRIu64 "\n", of[i].left);
    }
    free(path);
    free(of);
    return 0;
}
