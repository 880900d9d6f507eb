/* dial9_companions.c - what a slice needs beyond the events in it, to be understood alone.
 *
 * A recorder writes its clock and its metadata once, at the head of a segment, and the names of
 * addresses once, at its end: nearly every slice lacks them. Those at the head of a source go to
 * the head of the slice, where a reader looks for them; those that come later, and the symbols of
 * the addresses in stacks that were copied, to its end. */
#include "formats/dial9/dial9_copy.h"

/* A reader takes the clock from the first frames of a stream, which are no more. */
enum { HEAD_RECORDS = 64 };

static const char *const names[] = {"SymbolTableEntry", "CallframeDefEvent", "ClockSyncEvent",
                                    "SegmentMetadataEvent"};
enum { SYMBOL_TYPES = 2, TYPES = 4 };
static const char *const addresses[] = {"addr", "address"};

static bool taken_anyway(const struct copier *k, const struct ras_record *r, const char *type)
{
    const struct ras_rewrite_options *o = k->rw->asked;
    return rewrite_in_range(o, r) && rewrite_asks_type(o, type) &&
           rewrite_asks_stream(o, r->stream);
}

static bool is_symbol(const char *type)
{
    return !strcmp(type, names[0]) || !strcmp(type, names[1]);
}

/* A symbol whose address no stack has is not needed; the head has its place already. */
static bool is_needed(const struct copier *k, const struct ras_cursor *c,
                      const struct ras_record *r, bool head)
{
    size_t count;
    const struct ras_value *v = ras_values(c, &count);
    if (!is_symbol(ras_schema_of(c)->name))
        return head || r->seq >= HEAD_RECORDS;
    return k->any_address ||
           (count && v->kind == RAS_UINT && id_table_find(&k->addresses, v->u) != ID_TABLE_NONE);
}

/* What is needed of the records with numbers from `from` up to `to`. */
static int copy_range(struct copier *k, size_t source, bool head, uint64_t from, uint64_t to,
                      struct ras_error *err)
{
    const size_t first = head ? SYMBOL_TYPES : 0;
    struct ras_pick picks[TYPES];
    for (size_t i = 0; i < TYPES; i++)
        picks[i] = (struct ras_pick){names[i], addresses, 2};
    const struct ras_scan scan = {.picks = picks + first,
                                  .pick_count = TYPES - first,
                                  .axis = RAS_AXIS_SEQ,
                                  .from = from,
                                  .to = to};
    struct ras_cursor *c;
    const struct ras_record *r;
    int status = ras_cursor_open(&c, k->rw->sources[source], &scan, err);
    while (status == RAS_OK && (status = ras_next(c, &r, err)) == RAS_OK) {
        const char *type = ras_schema_of(c)->name;
        if (r->schema == RAS_SCHEMA_GAP || taken_anyway(k, r, type) || !is_needed(k, c, r, head))
            continue;
        rewrite_companion(k->rw, type, 1);
        status = dial9_copy_event(k, source, r, err);
    }
    ras_cursor_close(c);
    return status < 0 ? status : RAS_OK;
}

int dial9_companions_first(struct copier *k, struct ras_error *err)
{
    int status = RAS_OK;
    k->with_companions = true;
    for (size_t i = 0; i < k->rw->count && status == RAS_OK; i++)
        status = copy_range(k, i, true, 0, HEAD_RECORDS, err);
    return status;
}

/* By numbers what is in range is known, and need not be walked again. */
int dial9_companions_last(struct copier *k, struct ras_error *err)
{
    const struct ras_rewrite_options *o = k->rw->asked;
    bool known = o->axis == RAS_AXIS_SEQ && !o->span_count && !o->type_count && !o->stream_count;
    int status = RAS_OK;
    for (size_t i = 0; i < k->rw->count && status == RAS_OK; i++) {
        if (!known || o->from)
            status = copy_range(k, i, false, 0, known ? o->from : RAS_NONE, err);
        if (status == RAS_OK && known && o->to != RAS_NONE)
            status = copy_range(k, i, false, o->to, RAS_NONE, err);
    }
    return status;
}

bool dial9_companions_stack(struct copier *k, struct ras_bytes stack)
{
    const uint8_t *at = stack.at;
    for (size_t i = 0; i + DIAL9_ADDRESS_SIZE <= stack.len; i += DIAL9_ADDRESS_SIZE) {
        uint64_t address = load_u64(at + i);
        if (id_table_find(&k->addresses, address) == ID_TABLE_NONE &&
            !id_table_add(&k->addresses, address, 0))
            return false;
    }
    return true;
}
