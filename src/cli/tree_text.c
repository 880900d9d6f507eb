/* tree_text.c - a call tree as lines of text. */
#include "cli/tree_text.h"
#include "cli/tabling.h"

#include <inttypes.h>
#include <stdlib.h>

/* Cells of a row of the tree. */
enum { THREAD = 1, DEPTH, FUNCTION, MODULE, COUNT, TOTAL, SELF, SHARE, UNFINISHED, HIDDEN, WIDTH };

void put_tree(struct answer *a, const char *path, const struct ras_stats *stats)
{
    const struct ras_value *table = ras_member(stats->tables, "tree");
    const struct ras_value *rows = ras_member(table, "rows"), *end = rows + 1 + rows->count;
    const struct ras_value *coverage = ras_member(table, "coverage");
    uint64_t thread = RAS_NONE;
    answer_path(a, path, "");
    answer_format(a, ": %.*s\n", (int)coverage->count, (const char *)coverage->at);
    if (rows->count)
        answer_format(a, "%7s %8s %8s %10s  %s\n", "share", "total", "self", "calls", "function");
    for (const struct ras_value *r = rows + 1; r < end; r += WIDTH) {
        char total[TABLE_CELL], self[TABLE_CELL], count[TABLE_CELL];
        if (r[THREAD].kind == RAS_UINT && r[THREAD].u != thread)
            answer_format(a, "thread %" PRIu64 "\n", thread = r[THREAD].u);
        table_number(total, "_ns", 3, &r[TOTAL], NULL);
        table_number(self, "_ns", 3, &r[SELF], NULL);
        table_number(count, "", 0, &r[COUNT], NULL);
        int indent = r[DEPTH].u < 100 ? 2 * (int)r[DEPTH].u : 200;
        answer_format(a, "%6.1f%% %8s %8s %10s%*s", r[SHARE].f64, total, self, count, indent, "");
        answer_text(a, r[FUNCTION].at, r[FUNCTION].count);
        if (r[UNFINISHED].u)
            answer_format(a, " (%" PRIu64 " unfinished)", r[UNFINISHED].u);
        if (r[HIDDEN].u)
            answer_format(a, " [+%" PRIu64 "]", r[HIDDEN].u);
        answer_format(a, "\n");
    }
}

int put_folded(struct answer *a, const struct ras_stats *stats)
{
    const struct ras_value *rows = ras_member(ras_member(stats->tables, "tree"), "rows");
    const struct ras_value **path = calloc(rows->count + 1u, sizeof *path);
    if (!path)
        return trouble("out of memory");
    for (const struct ras_value *r = rows + 1; r < rows + 1 + rows->count; r += WIDTH) {
        path[r[DEPTH].u] = r;
        if (!r[SELF].u)
            continue;
        if (r[THREAD].kind == RAS_UINT)
            answer_format(a, "thread %" PRIu64 ";", r[THREAD].u);
        for (uint64_t i = 1; i <= r[DEPTH].u; i++) {
            answer_text(a, path[i][FUNCTION].at, path[i][FUNCTION].count);
            answer_format(a, "%s", i < r[DEPTH].u ? ";" : "");
        }
        answer_format(a, " %" PRIu64 "\n", r[SELF].u);
    }
    free((void *)path);
    return 0;
}
