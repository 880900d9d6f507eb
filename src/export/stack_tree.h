/* stack_tree.h - calls and samples added up by stack, for targets that are profiles. */
#ifndef EXPORT_STACK_TREE_H
#define EXPORT_STACK_TREE_H

#include "ops/timeline/timeline.h"

#define STACK_ROOT UINT32_C(0)

struct stack_node {
    uint32_t parent, name, depth;
    uint64_t calls, self_ns, samples;
};

/* Zero-initialised: empty. */
struct stack_tree {
    struct stack_node *nodes; /* 0 is the root */
    size_t count, room;
    struct id_table children; /* parent << 32 | name */
    /* Another name to store for one; NULL: itself. It is remembered in `renamed`: 1 + the name. */
    uint32_t (*rename)(struct timeline *, uint32_t name);
    uint32_t *renamed;
    size_t renamed_room;
};

/* Take an event; counters and instants are none of its business. */
void stack_tree_event(struct stack_tree *, struct timeline *, const struct timeline_event *);
/* The node of a frame called by another, made on first use. */
uint32_t stack_tree_child(struct stack_tree *, struct timeline *, uint32_t parent, uint32_t name);
/* The name of a frame: of an address without one, its number. */
uint32_t stack_tree_name(struct timeline *, const struct timeline_frame *);
/* Nodes but the root, by the bytes of their names joined with semicolons, which no name may have;
 * free() it. NULL: memory is short. */
uint32_t *stack_tree_sorted(const struct stack_tree *, const struct timeline *);
void stack_tree_free(struct stack_tree *);
#endif
