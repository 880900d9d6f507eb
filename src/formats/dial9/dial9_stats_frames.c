/* dial9_stats_frames.c - one sampled stack, frame by frame, and what it says of a long poll.
 *
 * A stack is stored leaf first; at each address what was inlined there comes before the function
 * that it was inlined into. Kernel frames lie in the upper half of the address space. */
#include "formats/dial9/dial9_stats.h"

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

static struct ras_bytes text_of(const struct dial9_stats *d, uint32_t text)
{
    if (text >= d->texts.count)
        return (struct ras_bytes){NULL, 0};
    return (struct ras_bytes){d->texts.entries[text].at, d->texts.entries[text].len};
}

/* The name of the file alone: paths of registries fill the screen. */
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
    struct ras_bytes name = text_of(d, f->symbol ? f->symbol->text : NO_TEXT);
    size_t most = sizeof out->text - 1;
    if (!name.len) {
        out->len = (size_t)snprintf(out->text, sizeof out->text, "0x%" PRIx64, f->address);
        return;
    }
    out->len = name.len < most ? name.len : most;
    memcpy(out->text, name.at, out->len);
    out->text[out->len] = 0;
}

/* "http.rs:834"; empty: nobody has said. */
void dial9_frame_place(const struct dial9_stats *d, const struct frame *f, struct frame_text *out)
{
    struct ras_bytes file = base_of(text_of(d, f->symbol ? f->symbol->file : NO_TEXT));
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

/* How a kernel puts a thread to sleep says nothing of why. */
static bool only_sleeps(const char *name)
{
    static const char *const ways[] = {"__schedule",        "schedule",
                                       "preempt_schedule",  "io_schedule",
                                       "__wait_for_common", "wait_for_completion",
                                       "__wait_rcu_gp",     NULL};
    for (size_t i = 0; ways[i]; i++)
        if (begins(name, ways[i]))
            return true;
    return false;
}

/* __x64_sys_socket is the entry of socket(2). */
static const char *entry_of(const char *name)
{
    static const char *const ways[] = {"__x64_sys_", "__arm64_sys_", "__ia32_sys_",
                                       "__se_sys_",  "__do_sys_",    NULL};
    for (size_t i = 0; ways[i]; i++)
        if (begins(name, ways[i]))
            return name + strlen(ways[i]);
    return NULL;
}

static bool holds(struct ras_bytes text, const char *part)
{
    return text.len && memmem(text.at, text.len, part, strlen(part));
}

/* A frame of the program or of a crate that it uses, not of the language's own library. */
static bool is_application(const struct dial9_stats *d, const struct frame *f)
{
    struct ras_bytes file = text_of(d, f->symbol ? f->symbol->file : NO_TEXT);
    return file.len && !holds(file, "/library/core/") && !holds(file, "/library/std/") &&
           !holds(file, "/library/alloc/");
}

/* glibc's own names of what everybody calls socket. */
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
