/* call_nodes.h - call trees as lists of nodes, one trace's beside another's. */
#ifndef VIEW_CALL_NODES_H
#define VIEW_CALL_NODES_H

#include "codec/json_write.h"

enum { CALLS_NODES_MOST = 50000 };

/* Members "unit", "coverage", "total", "nodes", "left_out" into the open object, of tables that
 * ras_tree() made; `other` NULL: one trace. Nodes beyond CALLS_NODES_MOST are left out, those with
 * the smallest totals. False: memory is short. */
bool calls_put(struct json *, const struct ras_stats *of, const struct ras_stats *other);
#endif
