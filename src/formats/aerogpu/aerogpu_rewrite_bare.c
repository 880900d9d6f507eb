/* aerogpu_rewrite_bare.c - command streams and allocation tables that stand alone, rewritten. */
#include "formats/aerogpu/aerogpu_rewrite.h"

/* Of a stream or table, which begins so alike. */
static uint32_t abi_of(const struct rewrite *rw, size_t source)
{
    return aero_abi_at(aero_source(rw, source).at);
}

static uint32_t stride_of(const struct rewrite *rw, size_t source)
{
    const struct aero *a = rw->sources[source]->priv;
    return a->shape == AERO_TABLE ? a->table.entry_stride : 0;
}

int aero_bare_begin(struct rewrite *rw, struct ras_error *err)
{
    size_t first = rw->order[0];
    if (!strcmp(rw->target, "v1"))
        return fail(err, RAS_EUNSUPPORTED, RAS_NONE, "v1 has no such blobs");
    for (size_t i = 1; i < rw->count; i++) {
        if (abi_of(rw, i) != abi_of(rw, first))
            return fail(err, RAS_EUSAGE, 4,
                        "abi_version is 0x%08" PRIx32 " in trace 1, 0x%08" PRIx32 " in trace %zu",
                        abi_of(rw, first), abi_of(rw, i), i + 1);
        if (stride_of(rw, i) != stride_of(rw, first))
            return fail(err, RAS_EUSAGE, 16,
                        "entry_stride is %" PRIu32 " in trace 1, %" PRIu32 " in trace %zu",
                        stride_of(rw, first), stride_of(rw, i), i + 1);
    }
    return RAS_OK;
}

void aero_bare_need(struct rewrite *rw, const struct taken *t)
{
    struct aero_copier *k = rw->priv;
    k->bare_bytes += t->wanted ? t->record->raw_len : 0;
    k->bare_count += t->wanted;
}

int aero_bare_header(struct rewrite *rw, struct ras_error *err)
{
    const struct aero_copier *k = rw->priv;
    const struct aero *a = rw->sources[rw->order[0]]->priv;
    struct in in = in_bytes(aero_source(rw, rw->order[0]));
    uint8_t head[RAS_AERO_STREAM_HEADER_SIZE];
    _Static_assert(RAS_AERO_STREAM_HEADER_SIZE == RAS_AERO_ALLOC_TABLE_HEADER_SIZE, "both: 24");
    uint64_t size = sizeof head + k->bare_bytes;
    struct ras_aero_stream s;
    struct ras_aero_alloc_table t = a->table;
    if (size > UINT32_MAX)
        return fail(err, RAS_ELIMIT, 8, "%" PRIu64 " bytes, size_bytes holds %" PRIu32, size,
                    UINT32_MAX);
    if (k->shape == AERO_STREAM) {
        aero_stream_get(&in, &s);
        s.size_bytes = (uint32_t)size;
        ras_aero_stream_put(&s, head);
    } else {
        t.size_bytes = (uint32_t)size;
        t.entry_count = (uint32_t)k->bare_count;
        ras_aero_alloc_table_put(&t, head);
    }
    return aero_put_bytes(rw, head, sizeof head, err);
}
