/* tree_text.h - a call tree as lines of text. */
#ifndef CLI_TREE_TEXT_H
#define CLI_TREE_TEXT_H

#include "cli/session.h"

/* Indented lines with the share, total and own time of each node. */
void put_tree(struct answer *, const char *path, const struct ras_stats *tree, bool full_names);
/* The calls that are open at the end, thread by thread. */
void put_open(struct answer *, const char *path, const struct ras_stats *, bool full_names);
/* One line a path: names from the outermost on, and the time of the last one itself;
 * of callers, the time of the first one in calls that came from no others. */
int put_folded(struct answer *, const struct ras_stats *tree, bool callers);
#endif
