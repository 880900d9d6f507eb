/* text.c - records for people: one line each, children indented.
 *
 * A record whose first child repeats all its fields is shown without them. */
#include "base/memory.h"
#include "codec/json_write.h"
#include "core/format.h"
#include "export/exporter.h"
#include <rastrum/render.h>

#include <stdlib.h>

/* Names of the addresses in stacks. Symbols are read when the first stack is printed: most output
 * has no stacks, and a recorder writes symbols last. */

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

/* A limit on names; addresses beyond it are printed as addresses. */
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

/* At one address inlined functions come first; of two equal ones the later. */
static int by_address(const void *a, const void *b)
{
    const struct frame_name *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    if (x->depth != y->depth)
        return x->depth > y->depth ? -1 : 1;
    return x->order > y->order ? -1 : 1;
}

static struct frame_names *frame_names_new(struct ras_trace *t)
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

static void frame_names_free(struct frame_names *n)
{
    if (!n)
        return;
    free(n->at);
    out_free(&n->text);
    free(n);
}

static bool frame_names_any(const struct frame_names *n)
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

static void frame_names_put(struct out *out, const struct frame_names *n, uint64_t address)
{
    size_t first = first_of(n, address), i = first;
    uint64_t depth = UINT64_MAX;
    for (; i < n->count && n->at[i].address == address; i++) {
        const struct frame_name *f = &n->at[i];
        if (f->depth == depth) /* printed before */
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

/* A record whose first child has all its fields again is shown without them. */

enum { FIELDS_MOST = 16 }; /* of a record that is checked for being repeated */

/* The offsets of the fields in a line. */
struct places {
    size_t count, ends[FIELDS_MOST], from;
};

struct text_state {
    struct places parent; /* of the line that is still open */
    uint64_t parent_seq;
    struct frame_names *names; /* read when the first stack comes */
};

enum { BLOB_SHOWN = 24 };

static const char *const off = "\033[0m";

static void paint(struct ras_printer *x, const char *color)
{
    if (x->options.color)
        out_text(&x->out, color);
}

static void pad_to(struct out *out, size_t from, size_t width)
{
    while (out->len - from < width)
        out_byte(out, ' ');
}

/* Names and words are bare; anything that could be misread is quoted. */
static void put_string(struct out *out, const void *text, size_t len)
{
    const uint8_t *at = text;
    bool bare = len;
    for (size_t i = 0; i < len && bare; i++)
        bare = at[i] > ' ' && at[i] < 0x7f && at[i] != '"' && at[i] != '\\' && at[i] != '=';
    if (bare)
        out_bytes(out, at, len);
    else
        json_put_string(out, at, len);
}

static void text_put_name(struct out *out, const char *name)
{
    if (strstr(name, RAS_NAME_NUL))
        json_put_name(out, name);
    else
        put_string(out, name, strlen(name));
}

static void put_blob(struct out *out, const struct ras_value *v)
{
    static const char hex[] = "0123456789abcdef";
    const uint8_t *at = v->at;
    for (uint32_t i = 0; i < v->count && i < BLOB_SHOWN; i++) {
        out_byte(out, (uint8_t)hex[at[i] >> 4]);
        out_byte(out, (uint8_t)hex[at[i] & 15]);
    }
    if (v->count > BLOB_SHOWN)
        out_format(out, "..(%u bytes)", v->count);
    if (!v->count)
        out_text(out, "(empty)");
}

static void put_value(struct ras_printer *x, const struct ras_value *v, const struct ras_field *f)
{
    struct out *out = &x->out;
    const char *word = v->kind == RAS_UINT && f->word ? f->word(v->u) : NULL;
    const char *at = v->at;
    size_t folder = 0;
    if (v->kind == RAS_STR && f->flags & RAS_PATH && !x->options.fields)
        for (size_t i = 0; i + 1 < v->count; i++)
            folder = at[i] == '/' ? i + 1 : folder;
    if (word)
        out_text(out, word);
    else if (v->kind == RAS_STR)
        put_string(out, at + folder, v->count - folder);
    else if (v->kind == RAS_BLOB)
        put_blob(out, v);
    else if (v->kind == RAS_UINT && f->flags & RAS_HEX)
        out_hex(out, v->u, 16);
    else
        json_put_value(out, v, f->flags, x->options.float_bits);
}

/* A stack whose addresses have names; false: print the numbers. */
static bool put_frames(struct ras_printer *x, const struct ras_value *v)
{
    struct text_state *state = x->state;
    if (!state->names && !(state->names = frame_names_new(x->trace)))
        return false;
    if (!frame_names_any(state->names))
        return false;
    for (uint32_t i = 1; i <= v->count; i++)
        if (v[i].kind != RAS_UINT)
            return false;
    out_byte(&x->out, '[');
    for (uint32_t i = 1; i <= v->count; i++) {
        if (i > 1)
            out_byte(&x->out, ',');
        frame_names_put(&x->out, state->names, v[i].u);
    }
    out_byte(&x->out, ']');
    return true;
}

static void put_text_field(struct ras_printer *x, const struct ras_value *v,
                           const struct ras_field *f)
{
    if (v->kind == RAS_NULL)
        return;
    paint(x, "\033[2m");
    out_byte(&x->out, ' ');
    text_put_name(&x->out, f->name);
    out_byte(&x->out, '=');
    paint(x, off);
    if (!x->options.symbols || v->kind != RAS_LIST || !(f->flags & RAS_HEX) || !put_frames(x, v))
        put_value(x, v, f);
}

static void text_end(struct ras_printer *x)
{
    frame_names_free(((struct text_state *)x->state)->names);
}

/* A record that is stored with time 0 because it has none has no place on another clock. */
static void put_time(struct ras_printer *x, const struct ras_cursor *cursor, uint64_t time_ns)
{
    char text[RAS_TIME_ROOM];
    const struct ras_time_writing *how = &x->options.time;
    if (how->style != RAS_TIME_RAW && !ras_has_time(cursor))
        out_byte(&x->out, '-');
    else
        out_bytes(&x->out, text, ras_time_write(text, how, time_ns));
    out_text(&x->out, "  ");
}

static void put_head(struct ras_printer *x, const struct ras_cursor *cursor,
                     const struct ras_schema *s, const struct ras_record *r)
{
    struct out *out = &x->out;
    size_t start = out->len;
    if (r->seq == RAS_NONE)
        out_byte(out, '-');
    else
        out_u64(out, r->seq);
    pad_to(out, start, 7);
    if (r->flags & RAS_HAS_TIME)
        put_time(x, cursor, r->time_ns);
    if (x->axes >> RAS_AXIS_TICK & 1) { /* a record outside any tick stays in its column */
        size_t from = out->len;
        if (r->flags & RAS_HAS_TICK) {
            out_text(out, ras_can_render(x->trace) ? "frame " : "tick ");
            out_u64(out, r->tick);
            out_byte(out, ' '); /* however long the number is */
        }
        pad_to(out, from, 11);
    }
    if (s->flags & RAS_CHILD)
        out_text(out, "  ");
    paint(x, r->schema == RAS_SCHEMA_GAP ? "\033[1;31m" : "\033[1;36m");
    text_put_name(out, s->name);
    paint(x, off);
}

/* A field, and where its text ends. */
static void put_placed(struct ras_printer *x, const struct ras_value *v, const struct ras_field *f,
                       struct places *p, size_t line)
{
    size_t before = x->out.len;
    put_text_field(x, v, f);
    if (x->out.len == before)
        return;
    if (p->count < FIELDS_MOST)
        p->ends[p->count] = x->out.len - line;
    p->count++;
}

static struct ras_bytes field_text(const uint8_t *line, const struct places *p, size_t i)
{
    size_t from = i ? p->ends[i - 1] : p->from;
    return (struct ras_bytes){line + from, p->ends[i] - from};
}

/* Whether every field of the line at `a` is in the one at `b`, with the same value. */
static bool repeats(const uint8_t *a, const struct places *in_a, const uint8_t *b,
                    const struct places *in_b)
{
    for (size_t i = 0; i < in_a->count; i++) {
        struct ras_bytes wanted = field_text(a, in_a, i);
        bool found = false;
        for (size_t j = 0; j < in_b->count && !found; j++) {
            struct ras_bytes here = field_text(b, in_b, j);
            found = here.len == wanted.len && !memcmp(here.at, wanted.at, here.len);
        }
        if (!found)
            return false;
    }
    return true;
}

/* The line at `line` is complete: the line of its parent, just before it, may lose its fields, and
 * it may be the parent of the next. */
static void end_line(struct ras_printer *x, const struct ras_schema *s, const struct ras_record *r,
                     size_t line, const struct places *p)
{
    struct text_state *state = x->state;
    struct out *out = &x->out;
    bool child = s->flags & RAS_CHILD, few = p->count && p->count <= FIELDS_MOST;
    if (child && few && x->open && !out->failed && r->parent == state->parent_seq) {
        const struct places *before = &state->parent;
        size_t start = line - x->open;
        if (repeats(out->at + start, before, out->at + line, p)) {
            size_t from = start + before->from, to = start + before->ends[before->count - 1];
            memmove(out->at + from, out->at + to, out->len - to);
            out->len -= to - from;
        }
    }
    x->open = !child && few && !out->failed ? out->len - line : 0;
    if (x->open) {
        state->parent = *p;
        state->parent_seq = r->seq;
    }
}

static void text_put_record(struct ras_printer *x, const struct ras_cursor *cursor,
                            const struct ras_record *r)
{
    const struct ras_schema *s = ras_schema_of(cursor);
    size_t line = x->out.len;
    put_head(x, cursor, s, r);
    struct places places = {.from = x->out.len - line};
    if (x->options.fields) {
        for (size_t i = 0; i < x->options.field_count; i++) {
            int field = ras_field_index(s, x->options.fields[i]);
            const struct ras_value *v = ras_value_at(cursor, field);
            if (v)
                put_placed(x, v, &s->fields[field], &places, line);
        }
    } else {
        size_t count;
        const struct ras_value *v = ras_values(cursor, &count);
        for (size_t i = 0; i < count; i++) {
            if (!(s->fields[v[i].field].flags & RAS_IN_HEAD))
                put_placed(x, &v[i], &s->fields[v[i].field], &places, line);
            if (v[i].kind == RAS_LIST || v[i].kind == RAS_MAP)
                i += v[i].count;
        }
    }
    out_byte(&x->out, '\n');
    end_line(x, s, r, line, &places);
}

/* The name of the next trace, where there are several: as head and tail print it. */
static void text_begin(struct ras_printer *x)
{
    const char *label = x->options.label;
    if (!label)
        return;
    out_text(&x->out, "==> ");
    for (size_t len = strlen(label); len;) {
        char escape[RAS_ESCAPE_SIZE];
        size_t plain = ras_plain_prefix(label, len);
        out_bytes(&x->out, label, plain);
        label += plain;
        len -= plain;
        if (!len)
            break;
        size_t size = ras_plain_escape(escape, label, len);
        out_text(&x->out, escape);
        label += size;
        len -= size;
    }
    out_text(&x->out, " <==\n");
}

const struct exporter text_exporter = {.name = "text",
                                       .begin = text_begin,
                                       .record = text_put_record,
                                       .state_size = sizeof(struct text_state),
                                       .end = text_end};
