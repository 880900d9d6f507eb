/* cmd_tree.c - the call tree of a session: calls with the same callers are one line. */
#include "cli/range.h"
#include "cli/session.h"
#include "cli/table_text.h"

#include <inttypes.h>
#include <stddef.h>
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

/* Index of a cell in a row: samples have no thread name. */
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

/* The cell of the column "file", which is followed by "line"; 0: there is none. */
static size_t source_cell(const struct ras_value *names)
{
    for (size_t i = 1; i <= names->count; i++)
        if (names[i].count == 4 && !memcmp(names[i].at, "file", 4))
            return i;
    return 0;
}

/* The name of the file without its directories: JSON has them. */
static void put_source(struct answer *a, const struct ras_value *file)
{
    if (file->kind != RAS_STR || file[1].kind != RAS_UINT)
        return;
    const char *at = file->at;
    size_t len = file->count, from = len;
    while (from > 0 && at[from - 1] != '/')
        from--;
    answer_format(a, " ");
    answer_text(a, at + from, len - from);
    answer_format(a, ":%" PRIu64, file[1].u);
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

/* Semicolons separate the names of a path: one inside a name is replaced, as are runs of blanks and
 * an empty name. */
static void put_folded_name(struct answer *a, const struct ras_value *name)
{
    const char *at = name->at, *end = at + name->count, *from = at;
    if (at == end)
        answer_format(a, "(anon)");
    for (; at < end; at++) {
        bool again = *at == ' ' && at + 1 < end && at[1] == ' ';
        if (*at != ';' && !again)
            continue;
        answer_text(a, from, (size_t)(at - from));
        answer_format(a, "%s", again ? "" : ":");
        from = at + 1;
    }
    answer_text(a, from, (size_t)(end - from));
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

/* Indented lines with the share, total and own time of each node. */
static void put_tree(struct answer *a, const char *path, const struct ras_stats *stats, bool full)
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
    size_t source = source_cell(names);
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
        if (source)
            put_source(a, &r[source]);
        if (r[UNFINISHED].u)
            answer_format(a, " (%" PRIu64 " unfinished)", r[UNFINISHED].u);
        if (r[HIDDEN].u)
            answer_format(a, " [+%" PRIu64 "]", r[HIDDEN].u);
        answer_format(a, "\n");
    }
}

/* The calls that are open at the end, thread by thread. */
static void put_open(struct answer *a, const char *path, const struct ras_stats *stats, bool full)
{
    enum { START = COUNT, OPEN, OPEN_NAME };
    const struct ras_value *table = ras_value_member(stats->tables, "open_calls");
    const struct ras_value *rows = ras_value_member(table, "rows"), *end = ras_value_next(rows);
    const struct ras_value *coverage = ras_value_member(table, "coverage");
    const struct ras_value *names = ras_value_member(table, "columns");
    uint64_t thread = RAS_NONE;
    size_t source = source_cell(names);
    answer_path(a, path, "");
    answer_format(a, ": %.*s\n", (int)coverage->count, (const char *)coverage->at);
    if (rows->count)
        answer_format(a, "%8s  %s\n", "open", "function");
    for (const struct ras_value *r = rows + 1; r < end; r += tree_width_of(table)) {
        char open[TABLE_CELL];
        if (r[THREAD].u != thread) {
            put_thread(a, thread = r[THREAD].u, &r[OPEN_NAME]);
            answer_format(a, "\n");
        }
        table_number(open, names[OPEN].at, names[OPEN].count, &r[OPEN], NULL);
        int indent = r[DEPTH].u < 100 ? 2 * (int)r[DEPTH].u : 200;
        answer_format(a, "%8s%*s", open, indent, "");
        put_name(a, &r[FUNCTION], full, 8 + (size_t)indent);
        if (source)
            put_source(a, &r[source]);
        answer_format(a, "\n");
    }
}

/* A row of the tree, and the part of its time that no row below it has. */
struct folded {
    const struct ras_value *row;
    uint64_t left;
};

/* With --callers the rows below a line add up to its time. */
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

/* One line per path: names from the outermost on, and the self time of the last one; with
 * --callers, the time of the first one in calls without other callers. */
static int put_folded(struct answer *a, const struct ras_stats *stats, bool callers)
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

struct options {
    struct common common;
    struct range range;
    struct list threads, exclude, focus, callers;
    const char *sort, *min_percent, *by;
    struct number depth;
    bool by_thread, fold_recursion, folded, open, full_names;
};

static const char *const sort_words[] = {"total", "self", "count", "name", NULL};

static const char *const by_words[] = {"thread", "kind", "worker", "task", "spawn", "span", NULL};

static enum ras_tree_sort sort_by(const char *word)
{
    for (int i = 0; word && sort_words[i]; i++)
        if (!strcmp(word, sort_words[i]))
            return (enum ras_tree_sort)i;
    return RAS_TREE_TOTAL;
}

static int tree_put_answer(const struct options *o, const char *path, struct ras_trace *t,
                           const struct ras_stats *tree, struct answer *answer)
{
    struct ras_error err;
    int status = 0;
    if (!o->folded || o->common.json)
        answer_item(answer);
    if (o->common.json)
        status = ras_stats_json(answer->sink, path, t, tree, &err) < 0 ? trouble_at(path, &err) : 0;
    else if (o->folded)
        status = put_folded(answer, tree, o->callers.count);
    else if (o->open)
        put_open(answer, path, tree, o->full_names);
    else
        put_tree(answer, path, tree, o->full_names);
    answer_flush(answer);
    return status ? status : say_ending(path, t, &tree->ending, o->common.quiet);
}

static struct ras_tree_names names_of(const struct list *list)
{
    return (struct ras_tree_names){(const char *const *)list->items, list->count};
}

/* Read --thread and --min-percent. 0, or EXIT_TROUBLE after saying why. */
static int tree_read_options(const struct options *o, struct ras_tree_options *how)
{
    char *end = NULL;
    if (o->open && (o->folded || o->fold_recursion || o->sort || o->depth.given || o->min_percent))
        return trouble("--open cannot be combined with --folded, --fold-recursion, --sort, --depth "
                       "or --min-percent");
    if (o->open && o->callers.count)
        return trouble(
            "--open and --callers cannot be combined: --open shows the callers of each call");
    if (o->min_percent) {
        how->min_percent = strtod(o->min_percent, &end);
        if (end == o->min_percent || *end || !(how->min_percent >= 0 && how->min_percent <= 100))
            return trouble("--min-percent: '%s' is not a valid percentage", o->min_percent);
    }
    how->thread_names = names_of(&o->threads);
    how->by_thread = o->by_thread || (o->by && !strcmp(o->by, "thread"));
    how->by = o->by;
    how->fold_recursion = o->fold_recursion;
    how->open = o->open;
    how->exclude = names_of(&o->exclude);
    how->focus = names_of(&o->focus);
    how->callers = names_of(&o->callers);
    how->depth = o->depth.given ? o->depth.value : 0;
    how->sort = sort_by(o->sort);
    return 0;
}

/* Calls, or samples with stacks. */
static bool has_tree(const struct ras_trace *trace)
{
    const char *name = ras_format_of(trace)->name;
    return !strcmp(name, "atf") || !strcmp(name, "dial9");
}

static const char *lister(const struct ras_trace *trace)
{
    return !strcmp(ras_format_of(trace)->name, "atf") ? "stats -t functions" : "tree --sort name";
}

static int show_tree(const struct options *o, const char *path, struct ras_trace *trace,
                     struct ras_tree_options *how, struct answer *answer)
{
    struct ras_scan scan = {.axis = RAS_AXIS_NONE};
    struct ras_stats *tree;
    struct ras_error err;
    struct progress progress;
    int status = range_find(path, &o->range, trace, &scan);
    if (status)
        return status;
    how->axis = scan.axis;
    how->from = scan.from;
    how->to = scan.to;
    if (o->open && strcmp(ras_format_of(trace)->name, "atf") != 0)
        return trouble("%s: --open is for calls: %s has none; rastrum tree %s shows samples", path,
                       ras_format_of(trace)->name, path);
    progress_start(&progress, &o->common, "tree", answer->pager > 0);
    how->progress = progress_at;
    how->user = &progress;
    int done = ras_tree(&tree, trace, how, &err);
    progress_stop(&progress);
    if (done == RAS_EUNSUPPORTED && err.offset == RAS_NONE && !has_tree(trace))
        status = only_for("tree", "ATF sessions and dial9 traces", path, trace, "rastrum stats %s",
                          path);
    else if (done < 0 && err.about == RAS_ABOUT_STREAM)
        status = trouble("%s: %s%s rastrum stats -t threads %s lists all", shown_path(path),
                         err.text, strchr(err.text, '?') ? "" : ";", shown_path(path));
    else if (done < 0 && err.about == RAS_ABOUT_FUNCTION)
        status = trouble("%s: %s%s rastrum %s %s lists all functions", shown_path(path), err.text,
                         strchr(err.text, '?') ? "" : ";", lister(trace), shown_path(path));
    else
        status = done < 0 ? trouble_at(path, &err) : tree_put_answer(o, path, trace, tree, answer);
    ras_stats_free(tree);
    return status;
}

static int tree_show(void *options, const char *path, struct answer *answer)
{
    const struct options *o = options;
    struct ras_tree_options how = {.depth = 0};
    int status = tree_read_options(o, &how);
    struct ras_trace *trace = status ? NULL : open_operand(&o->common, path, false);
    if (!status)
        status = trace ? show_tree(o, path, trace, &how, answer) : EXIT_TROUBLE;
    ras_close(trace);
    return status;
}

static int tree_run(void *options)
{
    return each_operand(options, tree_show);
}

static const struct option_row rows[] = {
    {"thread", 0, OPTION_LIST, "ID", "only these threads, by number or name; may be repeated", NULL,
     offsetof(struct options, threads)},
    {"by-thread", 0, OPTION_FLAG, NULL, "one tree per thread", NULL,
     offsetof(struct options, by_thread)},
    {"by", 0, OPTION_TEXT, "WHAT", "a tree per thread; of samples: kind, worker, task, spawn, span",
     by_words, offsetof(struct options, by)},
    {"depth", 0, OPTION_NUMBER, "N", "show N levels of calls", NULL,
     offsetof(struct options, depth)},
    {"min-percent", 0, OPTION_TEXT, "P", "leave out lines with less than P percent of all time",
     NULL, offsetof(struct options, min_percent)},
    {"sort", 0, OPTION_TEXT, "WHAT", "sort by total (default), self, count or name", sort_words,
     offsetof(struct options, sort)},
    {"fold-recursion", 0, OPTION_FLAG, NULL, "show recursive calls as one line", NULL,
     offsetof(struct options, fold_recursion)},
    {"folded", 0, OPTION_FLAG, NULL,
     "one line per path: a;b;c and the time (ns) or samples of c itself", NULL,
     offsetof(struct options, folded)},
    {"callers", 0, OPTION_LIST, "F", "invert the tree: show the callers of functions that match F",
     NULL, offsetof(struct options, callers)},
    {"focus", 0, OPTION_LIST, "F", "only the tree below functions that match F, merged", NULL,
     offsetof(struct options, focus)},
    {"exclude", 0, OPTION_LIST, "F",
     "leave out functions that match F; their time is their caller's", NULL,
     offsetof(struct options, exclude)},
    {"full-names", 0, OPTION_FLAG, NULL, "do not shorten template arguments to <...>", NULL,
     offsetof(struct options, full_names)},
    {"open", 0, OPTION_FLAG, NULL, "only the calls of each thread that are open at the end", NULL,
     offsetof(struct options, open)},
    RANGE_ROWS(struct options, range),
    {0},
};

const struct command cmd_tree = {
    .name = "tree",
    .operands = "TRACE...",
    .about = "show the call tree of a session or of samples: callers, calls, times",
    .text =
        "Calls with the same callers are one line: their number, the time from call to return,\n"
        "and the part of it that was not spent in nested calls. [+N] means that --depth or\n"
        "--min-percent leave out N lines below. A call without a return is counted; its time is\n"
        "that of the nested calls. The first line says how many spans have no end, and why.\n\n"
        "F is a glob such as 'parse_*' or 'std::*', on the whole name or the name without "
        "template\n"
        "arguments and parameters; separate several by commas or repeat the option. --exclude\n"
        "comes first, then --focus, then --callers. Shares are always of all time.\n\n"
        "For a dial9 trace it is the tree of its samples, including inlined functions: lines\n"
        "count samples, on the CPU and off the CPU separately, and how many were inside polls.\n"
        "--by groups them by thread, worker, task, the place where the task was spawned, or\n"
        "the innermost span.\n",
    .examples = "rastrum tree session/\n"
                "rastrum tree --depth 4 --min-percent 1 session/\n"
                "rastrum tree --by-thread --sort self session/\n"
                "rastrum tree --folded session/ >stacks.folded\n"
                "rastrum tree --open session/\n"
                "rastrum tree --callers hash --exclude 'std::*' session/\n"
                "rastrum tree --by spawn --min-percent 1 trace.bin\n",
    .exits = "0 shown; 2 error; 3 shown, but a trace is cut or damaged",
    .rows = rows,
    .size = sizeof(struct options),
    .format = "atf",
    .reads = true,
    .run = tree_run,
};
