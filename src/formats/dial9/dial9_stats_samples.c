/* dial9_stats_samples.c - samples on and off the CPU: in which polls, with which stacks, and as a
 * tree.
 *
 * A stack is stored leaf first; at each address inlined functions come before their callers. The
 * tree begins at the outermost caller. */
#include "base/memory.h"
#include "formats/dial9/dial9_profile.h"

#include <stdlib.h>

/* ---- frames of a stack ----------------------------------------------------------- */

static bool in_kernel(uint64_t address)
{
    return address >> 63;
}

bool dial9_frame_next(struct dial9_stats *d, struct frame_walk *w, struct frame *f)
{
    if (w->stack >= d->stack_count)
        return false;
    const struct stack *s = &d->stacks[w->stack];
    if (w->left) {
        w->left--;
    } else {
        if (w->at >= s->length)
            return false;
        w->address = d->addresses[s->first + w->at++];
        w->first = dial9_symbols_at(d, w->address);
        size_t end = w->first;
        while (end < d->symbol_count && d->symbols[end].address == w->address)
            end++;
        w->left = end > w->first ? end - w->first - 1 : 0;
        w->named = end > w->first;
    }
    *f = (struct frame){.address = w->address,
                        .symbol = w->named ? &d->symbols[w->first + w->left] : NULL,
                        .inlined = w->left > 0,
                        .kernel = in_kernel(w->address)};
    return true;
}

static struct ras_bytes stats_text_of(const struct dial9_stats *d, uint32_t text)
{
    if (text >= d->texts.count)
        return (struct ras_bytes){NULL, 0};
    return (struct ras_bytes){d->texts.entries[text].at, d->texts.entries[text].len};
}

/* The name of the file only: paths of registries are too long. */
static struct ras_bytes base_of(struct ras_bytes path)
{
    const uint8_t *at = path.at;
    for (size_t i = path.len; i--;)
        if (at[i] == '/')
            return (struct ras_bytes){at + i + 1, path.len - i - 1};
    return path;
}

void dial9_frame_name(const struct dial9_stats *d, const struct frame *f, struct frame_text *out)
{
    struct ras_bytes name = stats_text_of(d, f->symbol ? f->symbol->text : NO_TEXT);
    size_t most = sizeof out->text - 1;
    if (!name.len) {
        out->len = (size_t)snprintf(out->text, sizeof out->text, "0x%" PRIx64, f->address);
        return;
    }
    out->len = name.len < most ? name.len : most;
    memcpy(out->text, name.at, out->len);
    out->text[out->len] = 0;
}

/* "http.rs:834"; empty: not known. */
void dial9_frame_place(const struct dial9_stats *d, const struct frame *f, struct frame_text *out)
{
    struct ras_bytes file = base_of(stats_text_of(d, f->symbol ? f->symbol->file : NO_TEXT));
    int len = 0;
    out->text[0] = 0;
    if (file.len)
        len = snprintf(out->text, sizeof out->text, "%.*s", (int)(file.len < 400 ? file.len : 400),
                       (const char *)file.at);
    if (file.len && f->symbol->line)
        len +=
            snprintf(out->text + len, sizeof out->text - (size_t)len, ":%" PRIu64, f->symbol->line);
    out->len = (size_t)len;
}

static void name_and_place(const struct dial9_stats *d, const struct frame *f,
                           struct frame_text *out)
{
    struct frame_text place;
    dial9_frame_name(d, f, out);
    dial9_frame_place(d, f, &place);
    if (place.len && out->len + place.len + 2 < sizeof out->text)
        out->len +=
            (size_t)snprintf(out->text + out->len, sizeof out->text - out->len, " %s", place.text);
}

static bool begins(const char *text, const char *with)
{
    return !strncmp(text, with, strlen(with));
}

/* Frames of the scheduler do not say why a thread sleeps. */
static bool only_sleeps(const char *name)
{
    static const char *const prefixes[] = {"__schedule",        "schedule",
                                           "preempt_schedule",  "io_schedule",
                                           "__wait_for_common", "wait_for_completion",
                                           "__wait_rcu_gp",     NULL};
    for (size_t i = 0; prefixes[i]; i++)
        if (begins(name, prefixes[i]))
            return true;
    return false;
}

/* __x64_sys_socket is the entry of socket(2). */
static const char *entry_of(const char *name)
{
    static const char *const prefixes[] = {"__x64_sys_", "__arm64_sys_", "__ia32_sys_",
                                           "__se_sys_",  "__do_sys_",    NULL};
    for (size_t i = 0; prefixes[i]; i++)
        if (begins(name, prefixes[i]))
            return name + strlen(prefixes[i]);
    return NULL;
}

static bool holds(struct ras_bytes text, const char *part)
{
    return text.len && memmem(text.at, text.len, part, strlen(part));
}

/* A frame of the program or of a crate that it uses, not of the standard library. */
static bool is_application(const struct dial9_stats *d, const struct frame *f)
{
    struct ras_bytes file = stats_text_of(d, f->symbol ? f->symbol->file : NO_TEXT);
    return file.len && !holds(file, "/library/core/") && !holds(file, "/library/std/") &&
           !holds(file, "/library/alloc/");
}

/* glibc's internal names of functions such as socket. */
static const char *plain_wrapper(const char *name)
{
    if (begins(name, "__GI_"))
        name += strlen("__GI_");
    while (*name == '_')
        name++;
    if (begins(name, "libc_"))
        name += strlen("libc_");
    return name;
}

static void set(struct frame_text *to, const char *text)
{
    to->len = (size_t)snprintf(to->text, sizeof to->text, "%s", text);
}

void dial9_stack_explain(struct dial9_stats *d, uint32_t stack, struct stack_words *out)
{
    struct frame_walk w = {.stack = stack};
    struct frame f;
    *out = (struct stack_words){{{0}, 0}};
    bool kernel = false;
    while (dial9_frame_next(d, &w, &f)) {
        struct frame_text name;
        dial9_frame_name(d, &f, &name);
        if (f.kernel) {
            kernel = true;
            if (!out->blocked_by.len && !only_sleeps(name.text))
                out->blocked_by = name;
            if (entry_of(name.text))
                set(&out->syscall, entry_of(name.text));
            continue;
        }
        if (kernel && !out->syscall.len && f.symbol)
            set(&out->syscall, plain_wrapper(name.text));
        kernel = false;
        if (!out->called_from.len && is_application(d, &f))
            name_and_place(d, &f, &out->called_from);
    }
}

/* ---- samples --------------------------------------------------------------------- */

uint32_t dial9_stats_stack(struct dial9_stats *d, const uint8_t *at, size_t count)
{
    struct ras_bytes bytes = {at, count * sizeof(uint64_t)};
    uint64_t hash = intern_hash(bytes);
    uint32_t id;
    if (intern_find(&d->stack_ids, hash, bytes, &id))
        return id;
    if (d->address_count + count > ADDRESSES_MOST) {
        d->stacks_dropped++;
        return NO_STACK;
    }
    if (!intern_free_id(&d->stack_ids, NO_STACK - 1, &id) ||
        !intern_add(&d->stack_ids, hash, bytes, id) ||
        !array_grow(&d->stacks, &d->stack_room, id + 1u, sizeof *d->stacks) ||
        !array_grow(&d->addresses, &d->address_room, d->address_count + count,
                    sizeof *d->addresses)) {
        stats_nomem(d);
        return NO_STACK;
    }
    d->stacks[id] = (struct stack){.first = d->address_count, .length = count};
    d->stack_count = id + 1u;
    for (size_t i = 0; i < count; i++)
        d->addresses[d->address_count++] = load_u64(at + 8 * i);
    return id;
}

struct worker *dial9_worker_on(struct dial9_stats *d, uint64_t tid)
{
    for (size_t i = 0; tid != RAS_NONE && i < d->worker_count; i++)
        if (d->workers[i].tid == tid)
            return &d->workers[i];
    return NULL;
}

/* New recorders store the thread alone. */
static struct worker *worker_of(struct dial9_stats *d, const struct fact *f)
{
    struct worker *w = dial9_worker_on(d, f->id);
    if (w) {
        d->samples_by_tid += f->worker == NO_WORKER;
        return w;
    }
    if (f->worker != NO_WORKER)
        return &d->workers[f->worker];
    d->samples_unassigned++;
    return NULL;
}

void dial9_stats_on_sample(struct dial9_stats *d, const struct fact *f)
{
    struct worker *w = worker_of(d, f);
    bool off = f->small != 0, in_poll = w && dial9_stats_in_poll(d, w, f);
    d->samples[off]++;
    d->samples_in_poll[off] += in_poll;
    if (in_poll && w->polling && w->poll_stack[off] == NO_STACK)
        w->poll_stack[off] = f->ref;
    dial9_groups_sample(d, f, w, in_poll);
    if (in_poll)
        dial9_stats_task_sampled(d, w->poll_task, off);
    if (f->ref == NO_STACK) {
        d->samples_dropped++;
        return;
    }
    struct stack *s = &d->stacks[f->ref];
    if (!s->count[off])
        s->first_ns[off] = f->time_ns;
    s->count[off]++;
    s->in_poll[off] += in_poll;
    d->stack_frames[off] += s->length;
}

/* ---- the tree of stacks ---------------------------------------------------------- */

static int by_address(const void *a, const void *b)
{
    const struct symbol *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    if (x->depth != y->depth)
        return x->depth < y->depth ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

/* In order; of duplicates the last one counts. */
static void settle_symbols(struct dial9_stats *d)
{
    size_t kept = 0;
    if (d->symbol_count)
        qsort(d->symbols, d->symbol_count, sizeof *d->symbols, by_address);
    for (size_t i = 0; i < d->symbol_count; i++) {
        const struct symbol *s = &d->symbols[i];
        if (kept && d->symbols[kept - 1].address == s->address &&
            d->symbols[kept - 1].depth == s->depth)
            kept--;
        else
            d->symbol_addresses += !kept || d->symbols[kept - 1].address != s->address;
        d->symbols[kept++] = *s;
    }
    d->symbol_count = kept;
}

size_t dial9_symbols_at(const struct dial9_stats *d, uint64_t address)
{
    size_t low = 0, high = d->symbol_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (d->symbols[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Make the child of that name the node `*at`, and count; false: memory is short. */
static bool dial9_flame_step(struct flame *t, uint32_t *at, uint32_t name, uint64_t count)
{
    uint64_t key = (uint64_t)*at << 32 | name;
    uint32_t child = id_table_find(&t->children, key);
    if (child == ID_TABLE_NONE) {
        child = (uint32_t)t->count;
        if (!array_grow(&t->nodes, &t->room, t->count + 1, sizeof *t->nodes) ||
            !id_table_add(&t->children, key, child))
            return false;
        t->nodes[t->count++] = (struct flame_node){.name = name, .depth = t->nodes[*at].depth + 1};
    }
    t->nodes[child].count += count;
    *at = child;
    return true;
}

/* An address without a name is named by its number. */
uint32_t dial9_stats_nameless(struct dial9_stats *d, uint64_t address)
{
    char text[24];
    int len = snprintf(text, sizeof text, "0x%" PRIx64, address);
    return dial9_stats_new_text(d, text, (size_t)len);
}

static bool tree_add(struct dial9_stats *d, struct flame *t, const struct stack *s, bool off)
{
    uint32_t at = 0;
    for (uint64_t i = s->length; i--;) {
        uint64_t address = d->addresses[s->first + i];
        size_t symbol = dial9_symbols_at(d, address), first = symbol;
        for (; symbol < d->symbol_count && d->symbols[symbol].address == address; symbol++)
            if (!dial9_flame_step(t, &at, d->symbols[symbol].text, s->count[off]))
                return false;
        if (symbol == first &&
            !dial9_flame_step(t, &at, dial9_stats_nameless(d, address), s->count[off]))
            return false;
    }
    struct flame_node *leaf = &t->nodes[at];
    leaf->first_ns =
        leaf->self && leaf->first_ns < s->first_ns[off] ? leaf->first_ns : s->first_ns[off];
    leaf->self += s->count[off];
    leaf->self_in_poll += s->in_poll[off];
    return true;
}

/* Nodes with less than a thousandth of all samples are not counted, as viewers leave them out;
 * leaves of stacks are listed from the most frequent. */
static int by_self(const void *a, const void *b)
{
    const struct flame_node *x = *(const struct flame_node *const *)a;
    const struct flame_node *y = *(const struct flame_node *const *)b;
    if (x->self != y->self)
        return x->self > y->self ? -1 : 1;
    return (x->first_ns > y->first_ns) - (x->first_ns < y->first_ns);
}

static bool flame_measure(struct flame *t, uint64_t total)
{
    t->total = total;
    t->leaves = calloc(t->count + 1, sizeof *t->leaves);
    for (size_t i = 1; t->leaves && i < t->count; i++) {
        const struct flame_node *n = &t->nodes[i];
        if (n->self)
            t->leaves[t->leaf_count++] = n;
        if (n->count < (total + 999) / 1000)
            continue;
        t->kept++;
        t->deepest = t->deepest > n->depth - 1 ? t->deepest : n->depth - 1;
    }
    if (t->leaf_count)
        qsort(t->leaves, t->leaf_count, sizeof(struct flame_node *), by_self);
    return t->leaves != NULL;
}

static bool grow(struct dial9_stats *d, struct flame *t, bool off)
{
    if (!array_grow(&t->nodes, &t->room, 1, sizeof *t->nodes))
        return false;
    t->nodes[t->count++] = (struct flame_node){.name = NO_TEXT};
    for (size_t i = 0; i < d->stack_count; i++)
        if (d->stacks[i].count[off] && !tree_add(d, t, &d->stacks[i], off))
            return false;
    return flame_measure(t, d->samples[off]);
}

void dial9_stats_end_samples(struct dial9_stats *d)
{
    settle_symbols(d);
    for (int off = 0; off < 2; off++)
        if (!grow(d, &d->flames[off], off))
            stats_nomem(d);
}

void dial9_flame_free(struct flame *t)
{
    free(t->nodes);
    free((void *)t->leaves);
    id_table_free(&t->children);
}
