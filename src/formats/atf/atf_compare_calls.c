/* atf_compare_calls.c - whether two calls are the same, and the report where they are not.
 *
 * A function is known by its name where both manifests have one for it, otherwise by its id:
 * another build numbers its functions differently. Where two calls differ their returns do so as
 * well, which is not reported again. */
#include "formats/atf/atf_compare.h"
#include "formats/atf/atf_stack.h"

/* ---- functions --------------------------------------------------------------- */

static bool names_same(const struct atf_compare *d, uint64_t a, uint64_t b)
{
    const struct ras_atf_symbol *x = atf_manifest_symbol(&d->side[0].process->manifest, a);
    const struct ras_atf_symbol *y = atf_manifest_symbol(&d->side[1].process->manifest, b);
    if (!x || !y)
        return a == b;
    return x->name_len == y->name_len && !memcmp(x->name, y->name, x->name_len);
}

static bool same_function(struct atf_compare *d, uint64_t a, uint64_t b)
{
    if (!d->names)
        return a == b;
    uint64_t hash = (a ^ b << 7 ^ b >> 25) * UINT64_C(0x9e3779b97f4a7c15);
    struct call_pair *pair = &d->pairs[hash >> 54];
    _Static_assert(CALL_PAIRS == 1 << 10, "ten bits of the hash");
    if (!pair->known || pair->a != a || pair->b != b)
        *pair = (struct call_pair){a, b, true, names_same(d, a, b)};
    return pair->same;
}

/* The name of a function, or its id as text. */
static void put_function_name(struct document *doc, const struct call_side *s, uint64_t function_id)
{
    const struct ras_atf_symbol *symbol = atf_manifest_symbol(&s->process->manifest, function_id);
    if (symbol)
        document_text(doc, symbol->name, symbol->name_len);
    else
        document_format(doc, "0x%016" PRIx64, function_id);
}

/* A cell that the reader made; a number that is an address becomes text. */
static void put_cell(struct document *doc, const struct ras_field *field, const struct ras_value *v)
{
    if (field->flags & RAS_HEX && v->kind == RAS_UINT)
        document_format(doc, "0x%016" PRIx64, v->u);
    else
        document_copy(doc, v);
}

/* ---- events ------------------------------------------------------------------ */

/* Compares the threads that two events name. */
static bool same_thread(const struct atf_compare *d, uint32_t a, uint32_t b)
{
    return a == b || (a == d->side[0].t->thread_id && b == d->side[1].t->thread_id);
}

/* The careful comparison: events that differ in their bytes may still be the same. */
static bool equal_events(struct atf_compare *d, const uint8_t *p, const uint8_t *q)
{
    if (load_u32(p + EVENT_KIND) != load_u32(q + EVENT_KIND))
        return false;
    if (load_u32(p + EVENT_CALL_DEPTH) != load_u32(q + EVENT_CALL_DEPTH) && !d->no_depth)
        return false;
    uint64_t a = load_u64(p + EVENT_FUNCTION_ID), b = load_u64(q + EVENT_FUNCTION_ID);
    return (d->no_function || same_function(d, a, b)) &&
           same_thread(d, load_u32(p + EVENT_THREAD_ID), load_u32(q + EVENT_THREAD_ID));
}

static inline bool same_events(struct atf_compare *d, const uint8_t *p, const uint8_t *q)
{
    _Static_assert(EVENT_THREAD_ID + 4 == EVENT_KIND, "one load for both");
    uint64_t differing = (load_u64(p + EVENT_FUNCTION_ID) ^ load_u64(q + EVENT_FUNCTION_ID)) |
                         (load_u64(p + EVENT_THREAD_ID) ^ load_u64(q + EVENT_THREAD_ID)) |
                         (load_u32(p + EVENT_CALL_DEPTH) ^ load_u32(q + EVENT_CALL_DEPTH));
    return (!differing && !d->names) || equal_events(d, p, q);
}

bool atf_same_call(struct atf_compare *d, uint64_t a, uint64_t b)
{
    return same_events(d, d->side[0].events + a * RAS_ATF_INDEX_EVENT_SIZE,
                       d->side[1].events + b * RAS_ATF_INDEX_EVENT_SIZE);
}

uint32_t atf_call_key(const struct atf_compare *d, int side, uint64_t seq)
{
    const uint8_t *p = d->side[side].events + seq * RAS_ATF_INDEX_EVENT_SIZE;
    uint64_t key = load_u32(p + EVENT_KIND);
    if (!d->no_depth)
        key |= (uint64_t)load_u32(p + EVENT_CALL_DEPTH) << 32;
    if (!d->no_function && !d->names)
        key ^= load_u64(p + EVENT_FUNCTION_ID) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(key * UINT64_C(0xd6e8feb86659fd93) >> 32);
}

/* ---- details ----------------------------------------------------------------- */

static bool side_detail(struct atf_compare *d, int side, uint64_t seq,
                        struct ras_atf_detail_event *out)
{
    struct call_side *s = &d->side[side];
    uint32_t detail_seq = call_at(s, seq).detail_seq;
    return atf_detail_near(s->session, s->thread, &s->hint, detail_seq, out);
}

/* ---- addresses --------------------------------------------------------------- */

/* Where numbers go; NULL: the heap is "heap". What a register that is ignored holds has none. */
static struct atf_numbers *numbers_for(struct atf_compare *d, const struct call_side *s,
                                       const char *field)
{
    char path[64];
    snprintf(path, sizeof path, "detail.%.40s", field);
    return d->numbered && !compare_ignores(d->c->options, path) ? &d->blocks[s == &d->side[1]]
                                                                : NULL;
}

static void put_address(struct document *doc, const struct call_side *s,
                        struct atf_numbers *numbers, uint64_t word)
{
    char text[ATF_PLACE_TEXT];
    int len = atf_put_place(&s->process->manifest, numbers, word, text);
    document_text(doc, text, len < ATF_PLACE_TEXT ? (size_t)len : ATF_PLACE_TEXT - 1);
}

/* The bytes of a stack, word by word. */
static void put_words(struct document *doc, const struct call_side *s, struct atf_numbers *numbers,
                      const struct ras_value *v)
{
    enum { WORDS = 64 };
    char all[WORDS * (ATF_PLACE_TEXT + 1)], text[ATF_PLACE_TEXT];
    size_t len = 0, count = v->count / 8 < WORDS ? v->count / 8 : WORDS;
    all[0] = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t word = load_u64((const uint8_t *)v->at + 8 * i);
        (void)atf_put_place(&s->process->manifest, numbers, word, text);
        len += (size_t)snprintf(all + len, sizeof all - len, "%s%s", i ? " " : "", text);
    }
    document_text(doc, all, len);
}

static bool is_normalised(const struct atf_compare *d, const struct call_side *s)
{
    return d->normalise && s->process->manifest.map_count;
}

/* A field of a detail as reports have it. Fields that are null are left out; so are its times
 * and the numbers of the detail, the thread and the process, which differ from run to run. */
static void put_detail_field(struct document *doc, struct atf_compare *d, const struct call_side *s,
                             const struct ras_field *field, const struct ras_value *v)
{
    static const char *const left_out[] = {"index_seq", "thread_id", "timestamp", "os_thread_id"};
    if (v->kind == RAS_NULL)
        return;
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
        if (!strcmp(field->name, left_out[i]))
            return;
    bool function = !strcmp(field->name, "function_id");
    document_name(doc, function ? "function" : field->name);
    if (function)
        put_function_name(doc, s, v->u);
    else if (is_normalised(d, s) && field->flags & RAS_HEX && v->kind == RAS_UINT)
        put_address(doc, s, numbers_for(d, s, field->name), v->u);
    else if (is_normalised(d, s) && v->kind == RAS_BLOB)
        put_words(doc, s, numbers_for(d, s, field->name), v);
    else
        put_cell(doc, field, v);
}

/* The cells of a detail that the reader makes, as a map. */
static void put_compared_detail(struct document *doc, struct atf_compare *d, int side,
                                const struct ras_atf_detail_event *detail)
{
    const struct call_side *s = &d->side[side];
    const struct atf *atf = d->c->side[side]->priv;
    unsigned arch = s->t->detail.header.arch;
    enum atf_cpu cpu = arch == RAS_ATF_X86_64 ? CPU_X86_64 : CPU_OTHER;
    const struct ras_schema *schema = &atf_detail_schemas[cpu];
    const int function = ras_field_index(schema, "function_id");
    const int rax = ras_field_index(schema, "rax");
    size_t map = document_open(doc, RAS_MAP);
    d->cells.count = 0;
    doc->cells.nomem |= !atf_put_detail(&d->cells, &atf_view_all, 0, cpu, atf->form, detail);
    for (int i = 0; i < (int)d->cells.count; i++) {
        if (i != rax)
            put_detail_field(doc, d, s, &schema->fields[i], &d->cells.items[i]);
        if (i == function && rax >= 0) /* it uses the slot of the first register */
            put_detail_field(doc, d, s, &schema->fields[rax], &d->cells.items[rax]);
    }
    document_close(doc, map);
}

/* Adds rows for the fields in which two details differ to the document; returns how many. */
static size_t detail_rows(struct atf_compare *d, struct document *doc,
                          const struct ras_atf_detail_event *a,
                          const struct ras_atf_detail_event *b)
{
    struct document sides[2] = {0};
    put_compared_detail(&sides[0], d, 0, a);
    put_compared_detail(&sides[1], d, 1, b);
    return fields_compare_sides(doc, d->c->options, NULL, "detail", sides, 0);
}

bool atf_same_payload(struct atf_compare *d, const struct ras_atf_detail_event *a,
                      const struct ras_atf_detail_event *b)
{
    /* Every address gets its number, also where both sides have the same. */
    if (a->event_type == b->event_type && a->flags == b->flags &&
        bytes_same(a->payload, b->payload) && !d->numbered)
        return true;
    struct document rows = {0};
    bool same = !detail_rows(d, &rows, a, b);
    d->c->doc.cells.nomem |= rows.cells.nomem;
    document_free(&rows);
    return same;
}

/* The details of two events, where both have one. */
static bool same_detail(struct atf_compare *d, uint64_t a, uint64_t b)
{
    struct ras_atf_detail_event x, y;
    return !side_detail(d, 0, a, &x) || !side_detail(d, 1, b, &y) || atf_same_payload(d, &x, &y);
}

uint64_t atf_same_run(struct atf_compare *d, uint64_t count)
{
    uint64_t a = d->side[0].at, b = d->side[1].at, i = 0;
    const uint8_t *p = d->side[0].events + a * RAS_ATF_INDEX_EVENT_SIZE;
    const uint8_t *q = d->side[1].events + b * RAS_ATF_INDEX_EVENT_SIZE;
    for (; i < count; i++, p += RAS_ATF_INDEX_EVENT_SIZE, q += RAS_ATF_INDEX_EVENT_SIZE) {
        if (!same_events(d, p, q))
            break;
        if (load_u32(p + EVENT_DETAIL_SEQ) == RAS_ATF_NO_DETAIL ||
            load_u32(q + EVENT_DETAIL_SEQ) == RAS_ATF_NO_DETAIL || d->no_details)
            continue;
        if (!same_detail(d, a + i, b + i))
            break;
    }
    return i;
}

/* ---- open calls -------------------------------------------------------------- */

/* Advance the open calls of a side up to, not including, an event. */
static int advance(struct call_side *s, uint64_t seq, struct ras_error *err)
{
    struct ras_atf_span span;
    if (!s->stack)
        s->stack = ras_atf_stack_new();
    if (!s->stack)
        return fail_memory(err);
    for (; s->stacked < seq; s->stacked++) {
        const uint8_t *bytes = s->events + s->stacked * RAS_ATF_INDEX_EVENT_SIZE;
        const struct atf_frame *ended;
        if (atf_stack_usual(s->stack, bytes, s->stacked, &ended))
            continue;
        struct ras_atf_index_event event = call_at(s, s->stacked);
        int status;
        do
            status = ras_atf_stack_step(s->stack, &event, s->stacked, &span, err);
        while (status == RAS_OK);
        if (status < 0)
            return status;
    }
    return RAS_OK;
}

/* Whether an event ends the call that is open at its depth. */
static bool ends_its_call(const struct call_side *s, const struct ras_atf_index_event *e)
{
    size_t count;
    const struct atf_frame *frames = atf_stack_frames(s->stack, &count);
    while (count && frames[count - 1].depth > e->call_depth)
        count--;
    return count && frames[count - 1].depth == e->call_depth &&
           frames[count - 1].function_id == e->function_id;
}

/* The calls around an event, from the root: the outermost and the innermost ones. */
static void put_path(struct document *doc, const struct call_side *s,
                     const struct ras_atf_index_event *e)
{
    size_t count;
    const struct atf_frame *frames = atf_stack_frames(s->stack, &count);
    while (count && frames[count - 1].depth >= e->call_depth)
        count--;
    size_t list = document_put_open(doc, "path", RAS_LIST);
    for (size_t i = 0; i < count; i++) {
        bool skip = count > COMPARE_ITEMS_SHOWN && i >= COMPARE_ITEMS_SHOWN / 2 &&
                    i < count - COMPARE_ITEMS_SHOWN / 2;
        if (!skip)
            put_function_name(doc, s, frames[i].function_id);
        else if (i == COMPARE_ITEMS_SHOWN / 2)
            document_format(doc, "... %zu more ...", count - COMPARE_ITEMS_SHOWN);
    }
    document_close(doc, list);
}

/* ---- events ------------------------------------------------------------------ */

static struct ras_value kind_value(uint32_t event_kind)
{
    const char *name = ras_atf_kind_name(event_kind);
    return name ? value_of_text(name) : value_of_uint(event_kind);
}

/* The event at a place, from the cells that the reader makes; null after the last. */
static void put_compared_event(struct document *doc, struct atf_compare *d, int side, uint64_t seq)
{
    static const enum atf_event_field shown[] = {EVENT_F_TIMESTAMP_NS, EVENT_F_KIND,
                                                 EVENT_F_CALL_DEPTH,   EVENT_F_FUNCTION_ID,
                                                 EVENT_F_FUNCTION,     EVENT_F_MODULE};
    const struct call_side *s = &d->side[side];
    document_name(doc, side ? "actual" : "expected");
    if (seq >= s->count) {
        document_null(doc);
        return;
    }
    struct ras_atf_index_event e = call_at(s, seq);
    d->cells.count = 0;
    bool ok = atf_put_event(&d->cells, &atf_view_all, s->process, &e);
    doc->cells.nomem |= !ok;
    size_t map = document_open(doc, RAS_MAP);
    document_put_uint(doc, "index_seq", seq);
    for (size_t i = 0; ok && i < sizeof shown / sizeof *shown; i++) {
        const struct ras_field *field = &atf_event_schema.fields[shown[i]];
        document_name(doc, field->name);
        const struct ras_value kind = kind_value(e.event_kind);
        if (shown[i] == EVENT_F_KIND)
            document_copy(doc, &kind);
        else if (shown[i] == EVENT_F_FUNCTION)
            put_function_name(doc, s, e.function_id);
        else
            put_cell(doc, field, &d->cells.items[shown[i]]);
    }
    document_close(doc, map);
}

static void put_value_row(struct document *doc, const char *path, struct ras_value a,
                          struct ras_value b)
{
    fields_put_row(doc, path, "value_mismatch", &a, &b);
}

static void put_function_row(struct document *doc, const struct atf_compare *d, uint64_t a,
                             uint64_t b)
{
    size_t row = fields_row(doc, "function", "value_mismatch");
    document_name(doc, "expected");
    put_function_name(doc, &d->side[0], a);
    document_name(doc, "actual");
    put_function_name(doc, &d->side[1], b);
    document_close(doc, row);
}

/* ---- divergences ------------------------------------------------------------- */

static int diverged(struct atf_compare *d, const char *kind, uint64_t seq, size_t detail,
                    uint64_t events)
{
    int status = compare_rows_diverged(d->c, kind, value_of_uint(seq), detail, events);
    compare_also(d->c, "thread_id", "thread", value_of_uint(d->side[0].t->thread_id));
    return status;
}

static const char *kind_of(const struct call_diff *p)
{
    bool call = p->x.event_kind == RAS_ATF_CALL;
    if (p->kind)
        return call_ends(&p->x) && call_ends(&p->y) ? "other_return" : "other_kind";
    if (p->function)
        return call ? "other_function" : "other_return";
    if (p->depth)
        return "other_depth";
    return p->thread ? "other_thread" : "detail_mismatch";
}

static size_t put_rows(struct atf_compare *d, struct document *doc, uint64_t a, uint64_t b)
{
    const struct call_diff *p = &d->pair;
    struct ras_atf_detail_event x, y;
    size_t rows = (size_t)p->kind + p->function + p->depth + p->thread;
    if (p->kind)
        put_value_row(doc, "event_kind", kind_value(p->x.event_kind), kind_value(p->y.event_kind));
    if (p->function)
        put_function_row(doc, d, p->x.function_id, p->y.function_id);
    if (p->depth)
        put_value_row(doc, "call_depth", value_of_uint(p->x.call_depth),
                      value_of_uint(p->y.call_depth));
    if (p->thread)
        put_value_row(doc, "thread_id", value_of_uint(p->x.thread_id),
                      value_of_uint(p->y.thread_id));
    if (!d->no_details && side_detail(d, 0, a, &x) && side_detail(d, 1, b, &y))
        rows += detail_rows(d, doc, &x, &y);
    return rows;
}

static struct call_diff diff_of(struct atf_compare *d, uint64_t a, uint64_t b)
{
    struct call_diff p = {.x = call_at(&d->side[0], a), .y = call_at(&d->side[1], b)};
    p.kind = p.x.event_kind != p.y.event_kind;
    p.depth = p.x.call_depth != p.y.call_depth && !d->no_depth;
    p.function = !d->no_function && !same_function(d, p.x.function_id, p.y.function_id);
    p.thread = !same_thread(d, p.x.thread_id, p.y.thread_id);
    return p;
}

int atf_put_pair(void *user, size_t at, size_t other, struct document *doc, size_t *rows,
                 struct ras_error *err)
{
    struct atf_compare *d = user;
    struct call_diff *p = &d->pair;
    uint64_t a = d->base[0] + at, b = d->base[1] + other;
    int status = advance(&d->side[0], a, err);
    if (status == RAS_OK)
        status = advance(&d->side[1], b, err);
    if (status < 0)
        return status;
    *p = diff_of(d, a, b);
    if (!p->kind && !p->thread && (p->function || p->depth) && call_ends(&p->x) &&
        ends_its_call(&d->side[0], &p->x) && ends_its_call(&d->side[1], &p->y))
        p->function = p->depth = false; /* reported when they were called */
    size_t detail = document_open(doc, RAS_MAP);
    document_put_uint(doc, "depth", p->x.call_depth);
    put_path(doc, &d->side[0], &p->x);
    put_compared_event(doc, d, 0, a);
    put_compared_event(doc, d, 1, b);
    size_t list = document_put_open(doc, "mismatches", RAS_LIST);
    *rows = put_rows(d, doc, a, b);
    document_close(doc, list);
    document_close(doc, detail);
    return RAS_OK;
}

int atf_report_pair(void *user, size_t at, size_t other, size_t detail)
{
    struct atf_compare *d = user;
    uint64_t a = d->base[0] + at, b = d->base[1] + other;
    int status = diverged(d, kind_of(&d->pair), a, detail, 1);
    compare_where(d->c, 0, d->side[0].t->stream, a);
    compare_where(d->c, 1, d->side[1].t->stream, b);
    return status;
}

/* Events that only one side has; `other` is their position in the other side. */
struct one_sided {
    int side;
    uint64_t at, count, other;
};

static const char *one_sided_kind(int side, uint32_t event_kind)
{
    if (event_kind == RAS_ATF_CALL)
        return side ? "extra_call" : "missing_call";
    if (event_kind == RAS_ATF_RETURN || event_kind == RAS_ATF_EXCEPTION)
        return side ? "extra_return" : "missing_return";
    return side ? "extra_event" : "missing_event";
}

static int report_one_sided(struct atf_compare *d, const struct one_sided *run,
                            struct ras_error *err)
{
    struct document *doc = &d->c->doc;
    struct call_side *s = &d->side[run->side];
    struct ras_atf_index_event first = call_at(s, run->at);
    uint64_t calls = 0, seq = run->side ? run->other : run->at;
    size_t detail = COMPARE_NO_DETAIL;
    int status = advance(s, run->at, err);
    if (status < 0)
        return status;
    if (compare_wants_detail(d->c)) {
        for (uint64_t i = 0; i < run->count; i++)
            calls += call_at(s, run->at + i).event_kind == RAS_ATF_CALL;
        detail = document_open(doc, RAS_MAP);
        document_put_uint(doc, "depth", first.call_depth);
        put_path(doc, s, &first);
        put_compared_event(doc, d, 0, run->side ? run->other : run->at);
        put_compared_event(doc, d, 1, run->side ? run->at : run->other);
        document_put_uint(doc, "event_count", run->count);
        document_put_uint(doc, "call_count", calls);
        document_close(doc, detail);
    }
    status = diverged(d, one_sided_kind(run->side, first.event_kind), seq, detail, run->count);
    compare_where(d->c, run->side, s->t->stream, run->at);
    return status;
}

/* ---- hunks ------------------------------------------------------------------- */

bool atf_calls_similar(void *user, size_t a, size_t b)
{
    struct atf_compare *d = user;
    struct ras_atf_index_event x = call_at(&d->side[0], d->base[0] + a);
    struct ras_atf_index_event y = call_at(&d->side[1], d->base[1] + b);
    bool like = x.event_kind == y.event_kind || (call_ends(&x) && call_ends(&y));
    return (like &&
            (x.call_depth == y.call_depth || same_function(d, x.function_id, y.function_id))) ||
           (x.call_depth == y.call_depth && x.function_id == y.function_id &&
            !ras_atf_kind_name(x.event_kind) != !ras_atf_kind_name(y.event_kind));
}

static bool repeats(const struct call_side *s, uint64_t a, uint64_t b)
{
    struct ras_atf_index_event x = call_at(s, a), y = call_at(s, b);
    return x.event_kind == y.event_kind && x.call_depth == y.call_depth &&
           x.function_id == y.function_id;
}

/* The same insertion can often be reported in several ways; the one that begins with a call is a
 * whole call. Returns how far back it begins, `room` at most. */
static uint64_t slide(const struct call_side *s, uint64_t at, uint64_t count, uint64_t room)
{
    for (uint64_t back = 0; back < count; back++) {
        if (call_at(s, at - back).event_kind == RAS_ATF_CALL)
            return back;
        if (back == room || !repeats(s, at - back - 1, at - back - 1 + count))
            return 0;
    }
    return 0;
}

static int report_unpaired(struct atf_compare *d, const struct align_hunk *h, struct ras_error *err)
{
    int status = RAS_OK;
    if (h->a_count)
        status = report_one_sided(d, &(struct one_sided){0, h->a, h->a_count, h->b}, err);
    if (h->b_count && status == RAS_OK)
        status =
            report_one_sided(d, &(struct one_sided){1, h->b, h->b_count, h->a + h->a_count}, err);
    return status;
}

int atf_report_one_sided(void *user, const struct align_hunk *hunk, uint64_t room,
                         struct ras_error *err)
{
    struct atf_compare *d = user;
    int side = hunk->a_count ? 0 : 1;
    struct align_hunk h = *hunk;
    h.a += (size_t)d->base[0];
    h.b += (size_t)d->base[1];
    uint64_t back = room ? slide(&d->side[side], side ? h.b : h.a, h.a_count + h.b_count, room) : 0;
    h.a -= back;
    h.b -= back;
    d->c->out->checked -= back;
    int status = report_unpaired(d, &h, err);
    d->c->out->checked += status == RAS_OK ? back : 0;
    return status;
}

int atf_report_rest(void *user, int side, struct ras_error *err)
{
    struct atf_compare *d = user;
    const struct call_side *a = &d->side[0], *b = &d->side[1];
    struct align_hunk rest = {a->at, a->count - a->at, b->at, b->count - b->at};
    (void)side;
    return report_unpaired(d, &rest, err);
}

/* ---- threads and details ------------------------------------------------------ */

int atf_report_thread(struct atf_compare *d, int side, size_t thread)
{
    struct document *doc = &d->c->doc;
    struct ras_atf_session *s = &((struct atf *)d->c->side[side]->priv)->session;
    struct atf_thread *t = &s->threads[thread];
    size_t detail = document_open(doc, RAS_MAP);
    document_put_text(doc, "process", s->processes[t->process].name);
    document_put_uint(doc, "event_count", atf_index_ready(s, t) ? t->index.count : 0);
    document_close(doc, detail);
    const struct ras_value nowhere = {.kind = RAS_NULL};
    bool more = compare_diverged(d->c, side ? "extra_thread" : "missing_thread", nowhere, detail);
    compare_also(d->c, "thread_id", "thread", value_of_uint(t->thread_id));
    d->c->out->checked++;
    return more ? RAS_OK : RAS_END;
}

int atf_report_detail(struct atf_compare *d, uint64_t seq, const struct ras_atf_detail_event *a,
                      const struct ras_atf_detail_event *b)
{
    struct document *doc = &d->c->doc;
    const char *kind = !a ? "extra_detail" : !b ? "missing_detail" : "detail_mismatch";
    size_t detail = document_open(doc, RAS_MAP);
    document_put_uint(doc, "detail_seq", seq);
    size_t list = document_put_open(doc, "mismatches", RAS_LIST);
    if (a && b)
        (void)detail_rows(d, doc, a, b);
    document_close(doc, list);
    document_close(doc, detail);
    return diverged(d, kind, a ? a->index_seq : b->index_seq, detail, 1);
}
