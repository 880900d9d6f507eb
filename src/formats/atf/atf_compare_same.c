/* atf_compare_same.c - whether two events are the same, but for their times.
 *
 * A function is known by its name where both manifests have one for it, and else by its
 * id. Names, because another build numbers its functions anew. */
#include "formats/atf/atf_compare.h"

/* ---- functions --------------------------------------------------------------- */

static bool names_same(const struct atf_compare *d, uint64_t a, uint64_t b)
{
    const struct ras_atf_symbol *x = atf_manifest_symbol(&d->side[0].process->manifest, a);
    const struct ras_atf_symbol *y = atf_manifest_symbol(&d->side[1].process->manifest, b);
    if (!x || !y)
        return a == b;
    return x->name_len == y->name_len && !memcmp(x->name, y->name, x->name_len);
}

bool atf_same_function(struct atf_compare *d, uint64_t a, uint64_t b)
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

void atf_put_function_name(struct document *doc, const struct call_side *s, uint64_t function_id)
{
    const struct ras_atf_symbol *symbol = atf_manifest_symbol(&s->process->manifest, function_id);
    if (symbol)
        document_text(doc, symbol->name, symbol->name_len);
    else
        document_format(doc, "0x%016" PRIx64, function_id);
}

void atf_put_cell(struct document *doc, const struct ras_field *field, const struct ras_value *v)
{
    if (field->flags & RAS_HEX && v->kind == RAS_UINT)
        document_format(doc, "0x%016" PRIx64, v->u);
    else
        document_copy(doc, v);
}

/* ---- events ------------------------------------------------------------------ */

bool atf_same_thread(const struct atf_compare *d, uint32_t a, uint32_t b)
{
    return a == b || (a == d->side[0].t->thread_id && b == d->side[1].t->thread_id);
}

/* The careful way: what differs in its bytes may yet be the same. */
static bool equal_events(struct atf_compare *d, const uint8_t *p, const uint8_t *q)
{
    if (load_u32(p + EVENT_KIND) != load_u32(q + EVENT_KIND))
        return false;
    if (load_u32(p + EVENT_CALL_DEPTH) != load_u32(q + EVENT_CALL_DEPTH) && !d->no_depth)
        return false;
    uint64_t a = load_u64(p + EVENT_FUNCTION_ID), b = load_u64(q + EVENT_FUNCTION_ID);
    return (d->no_function || atf_same_function(d, a, b)) &&
           atf_same_thread(d, load_u32(p + EVENT_THREAD_ID), load_u32(q + EVENT_THREAD_ID));
}

static inline bool same_events(struct atf_compare *d, const uint8_t *p, const uint8_t *q)
{
    _Static_assert(EVENT_THREAD_ID + 4 == EVENT_KIND, "one load for both");
    uint64_t apart = (load_u64(p + EVENT_FUNCTION_ID) ^ load_u64(q + EVENT_FUNCTION_ID)) |
                     (load_u64(p + EVENT_THREAD_ID) ^ load_u64(q + EVENT_THREAD_ID)) |
                     (load_u32(p + EVENT_CALL_DEPTH) ^ load_u32(q + EVENT_CALL_DEPTH));
    return (!apart && !d->names) || equal_events(d, p, q);
}

bool atf_same_call(struct atf_compare *d, uint64_t a, uint64_t b)
{
    return same_events(d, d->side[0].events + a * RAS_ATF_INDEX_EVENT_SIZE,
                       d->side[1].events + b * RAS_ATF_INDEX_EVENT_SIZE);
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
        if (!atf_same_detail(d, a + i, b + i))
            break;
    }
    return i;
}

/* ---- details ----------------------------------------------------------------- */

bool atf_side_detail(struct atf_compare *d, int side, uint64_t seq,
                     struct ras_atf_detail_event *out)
{
    struct call_side *s = &d->side[side];
    uint32_t detail_seq = call_at(s, seq).detail_seq;
    return atf_detail_near(s->session, s->thread, &s->hint, detail_seq, out);
}

/* A field of a detail as reports have it. Null ones are not there; neither are its times nor the
 * numbers of the detail, the thread and the process, which differ from run to run. */
static void put_detail_field(struct document *doc, const struct call_side *s,
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
        atf_put_function_name(doc, s, v->u);
    else
        atf_put_cell(doc, field, v);
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
            put_detail_field(doc, s, &schema->fields[i], &d->cells.items[i]);
        if (i == function && rax >= 0) /* it has the slot of the first register */
            put_detail_field(doc, s, &schema->fields[rax], &d->cells.items[rax]);
    }
    document_close(doc, map);
}

size_t atf_detail_rows(struct atf_compare *d, struct document *doc,
                       const struct ras_atf_detail_event *a, const struct ras_atf_detail_event *b)
{
    struct document sides[2] = {0};
    size_t rows = 0;
    put_compared_detail(&sides[0], d, 0, a);
    put_compared_detail(&sides[1], d, 1, b);
    if (sides[0].cells.nomem || sides[1].cells.nomem)
        doc->cells.nomem = true;
    else
        rows = fields_compare(doc, d->c->asked, NULL, "detail", sides[0].cells.items,
                              sides[1].cells.items, 0);
    document_free(&sides[0]);
    document_free(&sides[1]);
    return rows;
}

bool atf_same_payload(struct atf_compare *d, const struct ras_atf_detail_event *a,
                      const struct ras_atf_detail_event *b)
{
    if (a->event_type == b->event_type && a->flags == b->flags &&
        a->payload.len == b->payload.len &&
        (!a->payload.len || !memcmp(a->payload.at, b->payload.at, a->payload.len)))
        return true;
    struct document rows = {0};
    bool same = !atf_detail_rows(d, &rows, a, b);
    d->c->doc.cells.nomem |= rows.cells.nomem;
    document_free(&rows);
    return same;
}

bool atf_same_detail(struct atf_compare *d, uint64_t a, uint64_t b)
{
    struct ras_atf_detail_event x, y;
    return !atf_side_detail(d, 0, a, &x) || !atf_side_detail(d, 1, b, &y) ||
           atf_same_payload(d, &x, &y);
}
