/* call_tree.h - calls or samples folded by path, the functions chosen in them, and their rows.
 *
 * A driver walks its calls and says where each is; here is decided which node it belongs to, what
 * is left out, who the callers of a function are, and in which order rows are shown. */
#ifndef OPS_STATS_CALL_TREE_H
#define OPS_STATS_CALL_TREE_H

#include "base/id_table.h"
#include "ops/stats/stats_driver.h"

#define CALL_NODES_MOST ((size_t)1 << 20)
#define CALL_NO_NODE    UINT32_MAX
enum { CALL_LEVELS_MOST = 1000 }; /* of callers */

struct call_node {
    uint64_t count, total, self, unfinished;
    uint32_t name; /* the driver's number of its function; of a root CALL_NO_NODE */
    uint32_t parent, depth, first, next;
    uint32_t place; /* the driver's own */
    size_t group;   /* of a root: the driver's own */
};

/* Zero-initialised but for what was asked. */
struct call_tree {
    const struct ras_tree_options *asked;
    bool samples; /* `count` is of samples, as `total` is: once for a function inside itself */
    struct call_node *nodes;
    size_t count, room;
    uint64_t folded; /* calls booked on their callers, because there are too many nodes */
    bool cut;        /* callers beyond CALL_LEVELS_MOST are left out */

    /* Own. */
    struct id_table children; /* parent << 32 | name */
    uint8_t *choices;         /* by name */
    char **names;
    size_t name_count, choice_room, name_room;
    uint8_t *matched; /* by pattern: of callers, of focus, excluded */
};

/* A root, for all calls or those of a group; CALL_NO_NODE: memory is short. */
uint32_t call_tree_root(struct call_tree *, size_t group);
/* Before the first call of a function, whose numbers count up from 0. False: memory is short. */
bool call_tree_name(struct call_tree *, uint32_t name, const char *text, size_t len);
/* The node of a call made from the node `above`; CALL_NO_NODE: memory is short. `*counts`: it is
 * a call of that node; else it was left out, and its own time belongs to `above`. */
uint32_t call_tree_enter(struct call_tree *, uint32_t above, uint32_t name, bool *counts);
/* Whether a function is left out; whether the tree begins with it. */
bool call_tree_excludes(const struct call_tree *, uint32_t name);
bool call_tree_focuses(const struct call_tree *, uint32_t name);
/* RAS_EUSAGE: a pattern matched no name that was given. */
int call_tree_check(const struct call_tree *, struct ras_error *);
/* Turn the tree into that of the callers, if they are asked for. False: memory is short. */
bool call_tree_callers(struct call_tree *);

/* How a driver shows nodes. */
struct call_rows {
    void *user;
    int (*by_name)(void *user, uint32_t name, uint32_t other);
    /* What shares below a root are of. */
    uint64_t (*whole)(void *user, const struct call_node *root);
    void (*put)(void *user, const struct call_node *, const struct call_node *root, double share,
                uint64_t hidden);
};
/* Order all nodes and put those that are asked for, callers before what they called. */
bool call_tree_put(struct call_tree *, const struct call_rows *);
size_t call_tree_paths(const struct call_tree *);
/* Forget the nodes, not the names. */
void call_tree_clear(struct call_tree *);
void call_tree_free(struct call_tree *);
#endif
