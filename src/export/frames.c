/* frames.c - addresses of stacks as the functions that the trace has names for.
 *
 * The symbols are read when the first stack is printed: most output needs none, and a recorder
 * writes them last. */
#include "export/frames.h"
#include "base/memory.h"
#include "codec/json_write.h"
#include "core/format.h"

#include <stdlib.h>

struct frame_name {
    uint64_t address, depth;
    size_t text, len; /* in names->text */
    size_t order;
};

struct frame_names {
    struct frame_name *at;
    size_t count, room;
    struct out text;
    bool nomem;
};

/* A trace may say more than anybody reads; beyond this addresses stay addresses. */
#define NAMES_MOST ((size_t)1 << 20)

static void add(void *user, const struct symbol_line *s)
{
    struct frame_names *n = user;
    if (n->count >= NAMES_MOST)
        return;
    if (!array_grow(&n->at, &n->room, n->count + 1, sizeof *n->at)) {
        n->nomem = true;
        return;
    }
    struct frame_name *f = &n->at[n->count];
    *f = (struct frame_name){s->address, s->depth, n->text.len, 0, n->count};
    out_bytes(&n->text, s->name.at, s->name.len);
    size_t base = s->file.len;
    while (base && s->file.at[base - 1] != '/')
        base--;
    if (s->file.len > base) {
        out_byte(&n->text, ' ');
        out_bytes(&n->text, s->file.at + base, s->file.len - base);
        if (s->line)
            out_format(&n->text, ":%" PRIu64, s->line);
    }
    f->len = n->text.len - f->text;
    n->count++;
}

/* At one address what was inlined comes first; of two that say the same the later one. */
static int by_address(const void *a, const void *b)
{
    const struct frame_name *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    if (x->depth != y->depth)
        return x->depth > y->depth ? -1 : 1;
    return x->order > y->order ? -1 : 1;
}

struct frame_names *frame_names_new(struct ras_trace *t)
{
    struct frame_names *n = calloc(1, sizeof *n);
    if (!n)
        return NULL;
    if (t->format->symbols && t->format->symbols(t, add, n, NULL) < 0)
        n->count = 0;
    if (n->nomem || n->text.failed)
        n->count = 0;
    if (n->count)
        qsort(n->at, n->count, sizeof *n->at, by_address);
    return n;
}

void frame_names_free(struct frame_names *n)
{
    if (!n)
        return;
    free(n->at);
    out_free(&n->text);
    free(n);
}

bool frame_names_any(const struct frame_names *n)
{
    return n && n->count;
}

static size_t first_of(const struct frame_names *n, uint64_t address)
{
    size_t low = 0, high = n->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (n->at[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void frame_names_put(struct out *out, const struct frame_names *n, uint64_t address)
{
    size_t first = first_of(n, address), i = first;
    uint64_t depth = UINT64_MAX;
    for (; i < n->count && n->at[i].address == address; i++) {
        const struct frame_name *f = &n->at[i];
        if (f->depth == depth) /* said before */
            continue;
        depth = f->depth;
        if (i > first)
            out_byte(out, ',');
        json_put_string(out, n->text.at + f->text, f->len);
    }
    if (i == first) {
        out_byte(out, '"');
        out_hex(out, address, 16);
        out_byte(out, '"');
    }
}
