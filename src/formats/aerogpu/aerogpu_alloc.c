/* aerogpu_alloc.c - allocation tables: where guest memory lay at a submission. */
#include "base/error.h"
#include "formats/aerogpu/aerogpu_wire.h"

int ras_aero_alloc_table_get(struct ras_bytes bytes, struct ras_aero_alloc_table *t,
                             struct ras_error *err)
{
    struct in in = in_bytes(bytes);
    bool ours = aero_alloc_table_get(&in, t);
    t->entries = (struct ras_bytes){0};
    if (bytes.len >= 4 && !ours)
        return fail(err, RAS_EFORMAT, 0, "allocation table magic is not ALOC");
    if (in.cut)
        return fail(err, RAS_ECUT, 0, "allocation table header of 24 bytes in %zu", bytes.len);
    if (aero_major(t->abi_version) != AERO_ABI_MAJOR)
        return fail(err, RAS_EVERSION, 4,
                    "allocation table of ABI %" PRIu32 ".%" PRIu32 ", 1.x is read",
                    aero_major(t->abi_version), aero_minor(t->abi_version));
    if (t->size_bytes < RAS_AERO_ALLOC_TABLE_HEADER_SIZE)
        return fail(err, RAS_EFORMAT, 8, "table size_bytes is %" PRIu32 ", at least 24 wanted",
                    t->size_bytes);
    if (t->entry_stride < RAS_AERO_ALLOC_SIZE)
        return fail(err, RAS_EFORMAT, 16, "entry_stride is %" PRIu32 ", at least 32 wanted",
                    t->entry_stride);
    uint64_t room = t->size_bytes - RAS_AERO_ALLOC_TABLE_HEADER_SIZE;
    uint64_t size = (uint64_t)t->entry_count * t->entry_stride;
    if (size > room)
        return fail(err, RAS_EFORMAT, 12,
                    "%" PRIu32 " entries of %" PRIu32 " bytes, the table has room for %" PRIu64,
                    t->entry_count, t->entry_stride, room / t->entry_stride);
    if (t->size_bytes > bytes.len)
        return fail(err, RAS_ECUT, 8, "allocation table of %" PRIu32 " bytes in %zu", t->size_bytes,
                    bytes.len);
    t->entries = aero_slice(bytes, RAS_AERO_ALLOC_TABLE_HEADER_SIZE, size);
    return RAS_OK;
}

struct ras_aero_alloc ras_aero_alloc_at(const struct ras_aero_alloc_table *t, uint32_t i)
{
    struct ras_aero_alloc alloc = {0};
    struct in in =
        in_bytes(aero_slice(t->entries, (uint64_t)i * t->entry_stride, RAS_AERO_ALLOC_SIZE));
    aero_alloc_get(&in, &alloc);
    return alloc;
}
