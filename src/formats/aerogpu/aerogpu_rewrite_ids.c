/* aerogpu_rewrite_ids.c - which blobs a rewritten trace needs, and their new numbers.
 *
 * Both passes go through a source in its order, so that of each id only the last blob must
 * be known. A blob that will be written anyway needs no note; of others their place is
 * kept, until a record that is kept names them. */
#include "base/memory.h"
#include "formats/aerogpu/aerogpu_rewrite.h"

#include <stdlib.h>

/* What the first pass knows of the last blob of an id. */
enum { KEPT = 1, PLACE = 2 }; /* from PLACE on: where it is, and whether that is in range */

static uint64_t place_of(uint64_t offset, bool in_range)
{
    return PLACE + (offset << 1 | in_range);
}

int aero_see_blob(struct rewrite *rw, size_t source, uint64_t blob_id, uint64_t offset,
                  bool in_range, bool kept, struct ras_error *err)
{
    struct aero_copier *k = rw->priv;
    struct aero_feed *f = &k->feeds[source];
    if (in_range && blob_id > f->most)
        f->most = blob_id;
    if (k->numbers != AERO_ANEW)
        return RAS_OK;
    uint64_t limit = rw->sources[0]->limits.pool_bytes;
    if ((f->last.count + 4 * f->last.used) * sizeof(uint64_t) > limit)
        return fail(err, RAS_ELIMIT, offset, "more than %zu blobs", f->last.count + f->last.used);
    uint64_t known = kept ? KEPT : place_of(offset, in_range);
    f->places -= aero_map_get(&f->last, blob_id) >= PLACE;
    f->places += known >= PLACE;
    return aero_map_set(&f->last, blob_id, known) ? RAS_OK : fail_memory(err);
}

int aero_need_blob(struct rewrite *rw, size_t source, uint64_t blob_id, struct ras_error *err)
{
    struct aero_copier *k = rw->priv;
    struct aero_feed *f = &k->feeds[source];
    uint64_t known = aero_map_get(&f->last, blob_id);
    if (known < PLACE)
        return RAS_OK;
    if (!array_grow(&f->needs, &f->need_room, f->need_count + 1, sizeof *f->needs) ||
        !aero_map_set(&f->last, blob_id, KEPT))
        return fail_memory(err);
    f->places--;
    f->needs[f->need_count++] =
        (struct aero_need){.offset = (known - PLACE) >> 1, .in_range = (known - PLACE) & 1};
    return RAS_OK;
}

/* Blobs that are needed stand before those that need them: where all numbers from here on are
 * kept, and no blob before them can be asked for any more, nothing is needed that was not seen. */
bool aero_knows_all(const struct rewrite *rw)
{
    const struct aero_copier *k = rw->priv;
    const struct ras_rewrite_options *o = rw->asked;
    bool all = (o->axis == RAS_AXIS_SEQ && o->to == RAS_NONE && !o->span_count) ||
               o->axis == RAS_AXIS_NONE;
    return rw->count == 1 && all && !o->type_count && !o->stream_count && k->any_frame &&
           !k->feeds[0].places;
}

static int by_offset(const void *a, const void *b)
{
    const struct aero_need *x = a, *y = b;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

void aero_feed_turn(struct aero_feed *f)
{
    aero_map_free(&f->last);
    if (f->need_count)
        qsort(f->needs, f->need_count, sizeof *f->needs, by_offset);
}

void aero_feed_free(struct aero_feed *f)
{
    aero_map_free(&f->last);
    free(f->needs);
}

bool aero_reach(struct rewrite *rw, size_t source, uint64_t offset)
{
    struct aero_copier *k = rw->priv;
    struct aero_feed *f = &k->feeds[source];
    for (; f->need_next < f->need_count && f->needs[f->need_next].offset <= offset;
         f->need_next++) {
        const struct aero_need *need = &f->needs[f->need_next];
        const uint8_t *raw = aero_source(rw, source).at + need->offset;
        if (need->offset == offset)
            return true;
        if (need->new_id &&
            !aero_map_set(&f->last, aero_id_at(raw + RAS_AERO_RECORD_HEADER_SIZE), need->new_id))
            rw->nomem = true;
    }
    return false;
}

uint64_t aero_new_ref(struct rewrite *rw, size_t source, uint64_t blob_id)
{
    struct aero_copier *k = rw->priv;
    const struct aero_feed *f = &k->feeds[source];
    if (!blob_id || k->numbers == AERO_AS_THEY_ARE)
        return blob_id;
    if (k->numbers == AERO_APART)
        return blob_id + f->base;
    uint64_t id = aero_map_get(&f->last, blob_id);
    return id ? id : ++k->last_id; /* named, but not there: nor may another blob be found by it */
}

uint64_t aero_new_id(struct rewrite *rw, size_t source, uint64_t blob_id)
{
    struct aero_copier *k = rw->priv;
    if (k->numbers != AERO_ANEW)
        return aero_new_ref(rw, source, blob_id);
    uint64_t id = ++k->last_id;
    if (!aero_map_set(&k->feeds[source].last, blob_id, id))
        rw->nomem = true;
    return id;
}
