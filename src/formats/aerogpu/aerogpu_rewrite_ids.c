/* aerogpu_rewrite_ids.c - which blobs a rewritten trace needs, and their new numbers. */
#include "base/memory.h"
#include "formats/aerogpu/aerogpu_rewrite.h"

#include <stdlib.h>

enum { BLOB_ID_AT = RAS_AERO_RECORD_HEADER_SIZE };

static int by_id(const void *a, const void *b, void *user)
{
    const struct aero_part *parts = user;
    const uint32_t *i = a, *k = b;
    if (parts[*i].blob_id != parts[*k].blob_id)
        return parts[*i].blob_id < parts[*k].blob_id ? -1 : 1;
    return *i < *k ? -1 : *i > *k; /* they are in the order of the file */
}

static bool sort_parts(struct aero_feed *f)
{
    f->by_id = malloc((f->part_count + 1) * sizeof *f->by_id);
    if (!f->by_id)
        return false;
    for (size_t i = 0; i < f->part_count; i++)
        f->by_id[i] = (uint32_t)i;
    qsort_r(f->by_id, f->part_count, sizeof *f->by_id, by_id, f->parts);
    return true;
}

static int add_part(struct rewrite *rw, struct aero_feed *f, const struct ras_record *r,
                    struct ras_error *err)
{
    uint64_t limit = rw->sources[0]->limits.pool_bytes / sizeof *f->parts;
    if (f->part_count >= limit || f->part_count >= UINT32_MAX)
        return fail(err, RAS_ELIMIT, r->offset, "more than %zu blobs", f->part_count);
    if (!array_grow(&f->parts, &f->part_room, f->part_count + 1, sizeof *f->parts))
        return fail_memory(err);
    f->parts[f->part_count++] = (struct aero_part){
        .blob_id = aero_id_at(r->raw + BLOB_ID_AT), .offset = r->offset, .size = r->raw_len};
    return RAS_OK;
}

int aero_feed_fill(struct rewrite *rw, size_t source, struct ras_error *err)
{
    struct aero_copier *k = rw->priv;
    struct aero_feed *f = &k->feeds[source];
    const struct ras_pick pick = {.type = "blob"};
    const struct ras_scan scan = {.picks = &pick, .pick_count = 1, .headers_only = true};
    const struct ras_record *r;
    struct ras_cursor *c;
    int status = ras_cursor_open(&c, rw->sources[source], &scan, err);
    if (status < 0)
        return status;
    while ((status = ras_next(c, &r, err)) == RAS_OK)
        if ((status = add_part(rw, f, r, err)) < 0)
            break;
    ras_cursor_close(c);
    if (status < 0)
        return status;
    return sort_parts(f) ? RAS_OK : fail_memory(err);
}

void aero_feed_free(struct aero_feed *f)
{
    free(f->parts);
    free(f->by_id);
}

struct aero_part *aero_part_of(const struct aero_feed *f, uint64_t blob_id, uint64_t before)
{
    size_t low = 0, high = f->part_count;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        const struct aero_part *p = &f->parts[f->by_id[mid]];
        if (p->blob_id < blob_id || (p->blob_id == blob_id && p->offset < before))
            low = mid + 1;
        else
            high = mid;
    }
    struct aero_part *p = low ? &f->parts[f->by_id[low - 1]] : NULL;
    return p && p->blob_id == blob_id ? p : NULL;
}

uint64_t aero_new_ref(struct rewrite *rw, size_t source, uint64_t blob_id, uint64_t offset)
{
    struct aero_copier *k = rw->priv;
    const struct aero_feed *f = &k->feeds[source];
    if (!blob_id || k->numbers == AERO_AS_THEY_ARE)
        return blob_id;
    if (k->numbers == AERO_APART)
        return blob_id + f->base;
    const struct aero_part *p = aero_part_of(f, blob_id, offset);
    if (p && p->new_id)
        return p->new_id;
    return ++k->last_id; /* named, but not there: nor may another blob be found by it */
}

uint64_t aero_new_id(struct rewrite *rw, size_t source, uint64_t blob_id, uint64_t offset)
{
    struct aero_copier *k = rw->priv;
    if (k->numbers != AERO_ANEW)
        return aero_new_ref(rw, source, blob_id, offset);
    struct aero_part *p = aero_part_of(&k->feeds[source], blob_id, offset + 1);
    uint64_t id = ++k->last_id;
    if (p)
        p->new_id = id;
    return id;
}
