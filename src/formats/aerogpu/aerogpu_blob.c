/* aerogpu_blob.c - blobs by id: an index of the Blob records, made by a scan as far as it is
 * needed. The index of an opened trace passes over damage as the reader does: a walk that resumes
 * at a mark knows blobs by the index alone, and must deliver what a walk from the start delivers.
 *
 * Ids should be unique but need not be (the reference reader does not care), so the index is
 * ordered by id and offset and searched for the last definition before an offset: the one that a
 * reader which goes from front to back has seen. */
#include "formats/aerogpu/aerogpu_driver.h"
#include "base/memory.h"

#include <stdlib.h>

struct ref {
    uint64_t blob_id, offset;
};

struct ras_aero_blobs {
    struct ras_bytes file;
    struct ref *refs;
    size_t count, room;
    uint64_t scanned; /* everything before was scanned */
};

static int by_id(const void *a, const void *b)
{
    const struct ref *x = a, *y = b;
    if (x->blob_id != y->blob_id)
        return x->blob_id < y->blob_id ? -1 : 1;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* What is scanned. */
struct blob_scan {
    struct ras_bytes file;
    uint64_t body, before;  /* blobs from `before` on are not needed yet */
    uint64_t payload_limit; /* the reader skips records with more */
    size_t limit;           /* of references */
    struct aero_seal *seal; /* continue after damage as it says; NULL: end there */
};

/* Whether a record starts at `at`; false: the records end here. */
static bool one_more(struct ras_bytes file, uint64_t *at, struct ras_aero_record *r)
{
    uint64_t start = *at;
    return ras_aero_record_get(file, at, r, NULL) == RAS_OK &&
           (ras_aero_record_name(r->record_type) ||
            !aero_closes(aero_slice(file, start, UINT64_MAX)));
}

/* The next record from *at on, and where it starts. False: there is none. */
static bool next_record(const struct blob_scan *s, uint64_t *at, struct ras_aero_record *r,
                        uint64_t *start)
{
    for (;;) {
        *start = *at;
        if (one_more(s->file, at, r))
            return true;
        bool ends = !s->seal || !s->seal->sealed || *start == s->seal->footer.toc_offset ||
                    *start >= s->file.len;
        *at = ends ? *start : aero_resume_at(s->seal, s->file, s->body, *start);
        if (ends)
            return false;
    }
}

/* Add the blobs before `before` that were not scanned yet; where ids do not ascend, all blobs of
 * the file, to sort them once. False: out of memory. */
static bool scan(struct ras_aero_blobs *b, const struct blob_scan *s)
{
    uint64_t at = b->scanned ? b->scanned : s->body, start;
    struct ras_aero_record r;
    struct ras_aero_blob blob;
    bool sorted = true;
    b->file = s->file;
    for (b->scanned = at; (!sorted || at < s->before) && next_record(s, &at, &r, &start);
         b->scanned = at) {
        if (r.record_type != RAS_AERO_BLOB || r.payload.len > s->payload_limit ||
            ras_aero_blob_get(r.payload, &blob, NULL) < 0)
            continue;
        if (b->count >= s->limit || !array_grow(&b->refs, &b->room, b->count + 1, sizeof *b->refs))
            return false;
        b->refs[b->count++] = (struct ref){blob.blob_id, start};
        sorted &= b->count == 1 || by_id(&b->refs[b->count - 2], &b->refs[b->count - 1]) < 0;
    }
    b->scanned = at;
    if (!sorted)
        qsort(b->refs, b->count, sizeof *b->refs, by_id);
    return true;
}

int ras_aero_blobs_open(struct ras_aero_blobs **out, struct ras_bytes file, struct ras_error *err)
{
    *out = NULL;
    struct ras_aero_header h;
    int status = ras_aero_header_get(file, &h, err);
    if (status < 0)
        return status;
    struct ras_aero_blobs *b = calloc(1, sizeof *b);
    struct blob_scan all = {.file = file,
                            .body = RAS_AERO_HEADER_SIZE + (uint64_t)h.meta_len,
                            .before = RAS_NONE,
                            .payload_limit = UINT64_MAX,
                            .limit = SIZE_MAX};
    if (!b || !scan(b, &all)) {
        ras_aero_blobs_close(b);
        return fail_memory(err);
    }
    *out = b;
    return RAS_OK;
}

void ras_aero_blobs_close(struct ras_aero_blobs *b)
{
    if (!b)
        return;
    free(b->refs);
    free(b);
}

size_t ras_aero_blobs_count(const struct ras_aero_blobs *b)
{
    return b->count;
}

/* The number of references that sort before (id, offset). */
static size_t before_ref(const struct ras_aero_blobs *b, uint64_t blob_id, uint64_t offset)
{
    struct ref key = {blob_id, offset};
    size_t low = 0, high = b->count;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (by_id(&b->refs[mid], &key) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static bool blob_at(const struct ras_aero_blobs *b, uint64_t offset, struct ras_aero_blob *blob)
{
    struct ras_aero_record r;
    return ras_aero_record_get(b->file, &offset, &r, NULL) == RAS_OK &&
           ras_aero_blob_get(r.payload, blob, NULL) == RAS_OK;
}

bool ras_aero_blobs_at(const struct ras_aero_blobs *b, size_t i, struct ras_aero_blob *blob,
                       uint64_t *offset)
{
    if (i >= b->count)
        return false;
    if (offset)
        *offset = b->refs[i].offset;
    return blob_at(b, b->refs[i].offset, blob);
}

bool ras_aero_blobs_find(const struct ras_aero_blobs *b, uint64_t blob_id, uint64_t before,
                         struct ras_aero_blob *blob, uint64_t *offset)
{
    size_t i = before_ref(b, blob_id, before);
    if (i == 0 || b->refs[i - 1].blob_id != blob_id)
        return false;
    if (offset)
        *offset = b->refs[i - 1].offset;
    return blob_at(b, b->refs[i - 1].offset, blob);
}

/* The index of an opened trace, up to `before` and as far as its file goes now. */
static struct ras_aero_blobs *blobs_of(struct ras_trace *t, uint64_t before)
{
    struct aero *a = t->priv;
    if (!a->blobs)
        a->blobs = calloc(1, sizeof *a->blobs);
    if (source_is_spread(t->source) && source_whole(t->source, NULL) < 0)
        return NULL; /* core reports why */
    struct blob_scan s = {.file = source_arrived(t->source, 0),
                          .body = t->body,
                          .before = before,
                          .payload_limit = t->limits.record_bytes,
                          .limit = (size_t)(t->limits.pool_bytes / sizeof(struct ref))};
    if (!source_growing(t->source)) { /* while it grows its last bytes are not a footer */
        aero_seal_find(&a->seal, s.file, t->body);
        s.seal = &a->seal;
    }
    if (!a->blobs || !scan(a->blobs, &s))
        return NULL;
    return a->blobs;
}

bool aero_blob_before(struct ras_trace *t, uint64_t blob_id, uint64_t before,
                      struct ras_aero_blob *blob, uint64_t *offset, bool *nomem)
{
    const struct ras_aero_blobs *b = blobs_of(t, before);
    *nomem = !b;
    return b && ras_aero_blobs_find(b, blob_id, before, blob, offset);
}

static int open_blobs(struct ras_trace *t, const struct ras_aero_blobs **b, struct ras_error *err)
{
    const struct aero *a = t->priv;
    if (t->format->next != aero_next || a->shape != AERO_CONTAINER)
        return fail(err, RAS_EUSAGE, RAS_NONE, "only an AeroGPU container has blobs");
    int status = source_whole(t->source, err);
    if (status < 0)
        return status;
    *b = blobs_of(t, RAS_NONE);
    return *b ? RAS_OK : fail_memory(err);
}

int ras_aero_blob(struct ras_trace *t, uint64_t blob_id, struct ras_aero_blob *blob,
                  struct ras_error *err)
{
    const struct ras_aero_blobs *b;
    int status = open_blobs(t, &b, err);
    if (status < 0)
        return status;
    return ras_aero_blobs_find(b, blob_id, RAS_NONE, blob, NULL) ? RAS_OK : RAS_END;
}

int ras_aero_blob_at(struct ras_trace *t, size_t i, struct ras_aero_blob *blob, uint64_t *offset,
                     struct ras_error *err)
{
    const struct ras_aero_blobs *b;
    int status = open_blobs(t, &b, err);
    if (status < 0)
        return status;
    return ras_aero_blobs_at(b, i, blob, offset) ? RAS_OK : RAS_END;
}
