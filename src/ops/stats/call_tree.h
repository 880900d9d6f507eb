/* call_tree.h - calls or samples folded by path, the selection of functions, and the rows.
 *
 * A driver walks its calls and passes each with its caller; call_tree.c decides which node it
 * belongs to, what is left out, who the callers of a function are, and the order of rows. */
#ifndef OPS_STATS_CALL_TREE_H
#define OPS_STATS_CALL_TREE_H

#include "base/id_table.h"
#include "ops/stats/stats_driver.h"

#define CALL_NODES_MOST ((size_t)1 << 20)
#define CALL_NO_NODE    UINT32_MAX
enum { CALL_LEVELS_MOST = 1000 }; /* the tree of callers */

struct call_node {
    uint64_t count, total, self, unfinished;
    uint32_t name; /* the driver's number of its function; of a root CALL_NO_NODE */
    uint32_t parent, depth, first, next;
    uint32_t place; /* private to the driver */
    size_t group;   /* of a root: private to the driver */
};

/* Zero-initialised except for the options. */
struct call_tree {
    const struct ras_tree_options *options;
    bool samples; /* `count` is of samples, as `total` is: once for a function inside itself */
    struct call_node *nodes;
    size_t count, room;
    uint64_t folded; /* calls counted for their callers, because there are too many nodes */
    bool cut;        /* callers beyond CALL_LEVELS_MOST are left out */

    /* Private. */
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
/* Whether a function is excluded; whether the tree begins with it. */
bool call_tree_excludes(const struct call_tree *, uint32_t name);
bool call_tree_focuses(const struct call_tree *, uint32_t name);
/* RAS_EUSAGE: a pattern matched no name that was given. */
int call_tree_check(const struct call_tree *, struct ras_error *);
/* Turn the tree into that of the callers, if requested. False: memory is short. */
bool call_tree_callers(struct call_tree *);

/* How a driver writes nodes. */
struct call_rows {
    void *user;
    int (*by_name)(void *user, uint32_t name, uint32_t other);
    /* The total that shares below a root refer to. */
    uint64_t (*whole)(void *user, const struct call_node *root);
    void (*put)(void *user, const struct call_node *, const struct call_node *root, double share,
                uint64_t hidden);
};
/* Sort all nodes and write the requested ones, callers before callees. */
bool call_tree_put(struct call_tree *, const struct call_rows *);
size_t call_tree_paths(const struct call_tree *);
/* Free the nodes, not the names. */
void call_tree_clear(struct call_tree *);
void call_tree_free(struct call_tree *);
#endif
