/* tree_text.h - a call tree as lines of text. */
#ifndef CLI_TREE_TEXT_H
#define CLI_TREE_TEXT_H

#include "cli/session.h"

/* Indented lines with the share, total and own time of each node. */
void put_tree(struct answer *, const char *path, const struct ras_stats *tree);
/* The calls that are open at the end, thread by thread. */
void put_open(struct answer *, const char *path, const struct ras_stats *);
/* One line a path: names from the outermost on, and the time of the last one itself. */
int put_folded(struct answer *, const struct ras_stats *tree);
#endif
