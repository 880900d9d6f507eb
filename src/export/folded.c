/* folded.c - stacks in the folded form of flame graphs: `a;b;c self_ns`, sorted by stack.
 *
 * The first frame is the thread. A line counts nanoseconds of slices; in an export without slices
 * it counts samples. Semicolons and line ends in names become commas and blanks. */
#include "export/stack_tree.h"
#include "export/target.h"

#include <stdlib.h>

struct folded {
    struct stack_tree tree;
};

static void folded_event(struct timeline *t, const struct timeline_event *e)
{
    stack_tree_event(&((struct folded *)t->state)->tree, t, e);
}

/* What a line can hold of a name: valid UTF-8 without its separators. */
static uint32_t folded_name(struct timeline *t, uint32_t name)
{
    struct timeline_name from = timeline_name(t, name);
    struct out plain = {0}, text = {0};
    char escape[RAS_ESCAPE_SIZE];
    for (uint32_t i = 0; i < from.len; i++) {
        char c = from.at[i];
        out_byte(&plain, (uint8_t)(c == ';' ? ',' : c == '\n' || c == '\r' ? ' ' : c));
    }
    for (size_t i = 0; i < plain.len;) {
        size_t fine = ras_plain_prefix(plain.at + i, plain.len - i);
        out_bytes(&text, plain.at + i, fine);
        i += fine;
        if (i < plain.len) {
            i += ras_plain_escape(escape, plain.at + i, plain.len - i);
            out_text(&text, escape);
        }
    }
    if (text.failed || plain.failed)
        timeline_nomem(t);
    uint32_t to = timeline_text(t, text.at, text.len);
    timeline_lost(t, "names with separators or control characters, replaced or escaped",
                  to != name);
    out_free(&plain);
    out_free(&text);
    return to;
}

static bool folded_start(struct timeline *t)
{
    ((struct folded *)t->state)->tree.rename = folded_name;
    return true;
}

/* One line, its frames from the outermost on; `path` has room for them. */
static void folded_line(struct timeline *t, const struct stack_tree *tree, uint32_t node,
                        uint64_t value, uint32_t *path)
{
    size_t depth = 0;
    for (uint32_t at = node; at != STACK_ROOT; at = tree->nodes[at].parent)
        path[depth++] = tree->nodes[at].name;
    for (size_t i = depth; i--;) {
        struct timeline_name name = timeline_name(t, path[i]);
        out_bytes(&t->out, name.at, name.len);
        out_byte(&t->out, i ? ';' : ' ');
    }
    out_u64(&t->out, value);
    out_byte(&t->out, '\n');
}

static int folded_finish(struct timeline *t, struct ras_error *err)
{
    const struct stack_tree *tree = &((struct folded *)t->state)->tree;
    uint32_t *order = stack_tree_sorted(tree, t);
    uint32_t *path = calloc(tree->count + 1, sizeof *path);
    bool by_time = t->outcome->slices;
    for (size_t i = 0; order && path && i + 1 < tree->count; i++) {
        const struct stack_node *n = &tree->nodes[order[i]];
        uint64_t value = by_time ? n->self_ns : n->samples;
        if (value)
            folded_line(t, tree, order[i], value, path);
    }
    if (by_time && t->outcome->samples) {
        timeline_lost(t, "samples, as lines count nanoseconds: choose the type of samples alone",
                      t->outcome->samples);
        t->outcome->samples = 0;
    }
    bool ok = order && path;
    free(order);
    free(path);
    return ok ? RAS_OK : fail_memory(err);
}

static void folded_release(struct timeline *t)
{
    stack_tree_free(&((struct folded *)t->state)->tree);
}

const struct target folded_target = {
    .about = {.name = "folded",
              .about = "folded stacks with their own time: flamegraph.pl, inferno, speedscope",
              .extension = ".folded",
              .kind = RAS_EXPORT_TIMELINE},
    .timeline = &(const struct timeline_writer){.state_size = sizeof(struct folded),
                                                .start = folded_start,
                                                .event = folded_event,
                                                .finish = folded_finish,
                                                .release = folded_release,
                                                .no_args = true,
                                                .no_flows = true,
                                                .no_counters = true,
                                                .no_instants = true},
};
