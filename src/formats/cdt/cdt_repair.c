/* cdt_repair.c - reduces a trace to whole chunks and gives it the footer they need.
 *
 * Chunks are walked as the reader walks them. Gaps are removed, an incomplete chunk at the end is
 * cut off, and FOTR and trailer are written after the last whole chunk, unless they are already
 * correct. Payloads of ticks are never changed; META is rewritten if its tick_range does not match
 * the ticks that are kept. */
#include "base/memory.h"
#include "formats/cdt/cdt_driver.h"
#include "formats/cdt/cdt_put.h"

/* A whole chunk of ticks. */
struct kept {
    uint64_t at;
    struct ras_cdt_chunk chunk; /* the correct header */
    bool patched;               /* and it is wrong */
};

/* Bytes that are removed; `content`: how many of them may have been content. */
struct span {
    uint64_t at, length, content;
};

struct repairer {
    struct ras_trace *trace;
    struct plan *plan;
    struct ras_bytes file;
    uint64_t at; /* offset of the walk */
    struct cdt_memory memory;
    struct cdt_block block; /* the current one */
    uint64_t block_rows;
    int64_t block_first, block_last;
    struct kept *kept;
    size_t kept_count, kept_room;
    struct span *spans;
    size_t span_count, span_room;
    struct cdt_bounds bounds;
    bool nomem;
};

static bool is_zero(const uint8_t *p, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        if (p[i])
            return false;
    return true;
}

static void drop(struct repairer *m, uint64_t at, uint64_t length, uint64_t content)
{
    if (!array_grow(&m->spans, &m->span_room, m->span_count + 1, sizeof *m->spans)) {
        m->nomem = true;
        return;
    }
    if (is_zero(m->file.at + at, length)) /* blocks of the disk that were never written */
        content = 0;
    m->spans[m->span_count++] = (struct span){at, length, content};
}

/* ---- blocks ---------------------------------------------------------------------- */

/* Loads the block here: its rows, and its first and last tick. For unknown schemas only the
 * chunk's header gives the ticks. */
static int repair_load_block(struct repairer *m, struct ras_error *err)
{
    uint64_t limit = m->trace->limits.chunk_bytes;
    struct cdt_loaded *l = &m->block.loaded;
    struct cdt_cursor generic;
    const char *why;
    if (((const struct cdt_trace *)m->trace->priv)->meta.typed) {
        int status = cdt_block_load(&m->memory, m->file, m->at, limit,
                                    cdt_model_in(m->trace)->block, &m->block, err);
        const struct ras_cdt_tick_block *block = &m->block.block;
        m->block_rows = status == RAS_OK ? block->ticks.count : 0;
        if (m->block_rows) {
            m->block_first = block->ticks.at[0].tick_index;
            m->block_last = block->ticks.at[block->ticks.count - 1].tick_index;
        }
        return status;
    }
    int status = cdt_chunk_load(&m->memory.buffer, m->file, m->at, limit, l, err);
    if (status == RAS_OK && !cdt_generic_load(&generic, l->payload, &why))
        return fail(err, RAS_EFORMAT, m->at, "invalid tick payload: %s", why);
    m->block_rows = status == RAS_OK ? generic.tick_count : 0;
    m->block_first = l->chunk.start_tick;
    m->block_last = l->chunk.end_tick;
    return status;
}

static void keep_block(struct repairer *m)
{
    int64_t first = m->block_first, last = m->block_last;
    struct kept kept = {m->at, m->block.loaded.chunk, false};
    if (!m->block_rows) { /* a block has ticks */
        drop(m, m->at, cdt_chunk_size(&kept.chunk), 0);
        return;
    }
    bool fits = first >= INT32_MIN && first <= INT32_MAX && last >= INT32_MIN && last <= INT32_MAX;
    if (fits && (first != kept.chunk.start_tick || last != kept.chunk.end_tick)) {
        kept.chunk.start_tick = (int32_t)first;
        kept.chunk.end_tick = (int32_t)last;
        kept.patched = true;
    }
    if (!array_grow(&m->kept, &m->kept_room, m->kept_count + 1, sizeof *m->kept)) {
        m->nomem = true;
        return;
    }
    cdt_bounds_add(&m->bounds, first, last, m->block_rows);
    m->kept[m->kept_count++] = kept;
}

/* The TICK chunk here. False: the file ends inside it. */
static bool take_block(struct repairer *m, const struct ras_cdt_chunk *chunk)
{
    struct ras_error err;
    int status = repair_load_block(m, &err);
    if (status == RAS_ECUT && !cdt_footer_now(m->trace))
        return false;
    m->nomem |= status == RAS_EMEMORY;
    if (status == RAS_OK)
        keep_block(m);
    bool whole = m->block.loaded.payload.at; /* and yet perhaps invalid */
    uint64_t next = whole ? m->at + cdt_chunk_size(chunk)
                          : cdt_resume(&m->memory, m->file, m->at, m->trace->limits.chunk_bytes);
    if (next == RAS_NONE)
        return false;
    if (status < 0) {
        plan_note(m->plan, "the chunk at %" PRIu64 " is removed: %s", m->at, err.text);
        drop(m, m->at, next - m->at, next - m->at);
    }
    m->at = next;
    return true;
}

/* Something else in place of a TICK chunk. False: nothing follows it. */
static bool pass_stray(struct repairer *m)
{
    uint64_t next = cdt_resume(&m->memory, m->file, m->at, m->trace->limits.chunk_bytes);
    if (next == RAS_NONE)
        return false;
    if (m->at != RAS_CDT_HEADER_SIZE) { /* otherwise META, which is rewritten */
        plan_note(m->plan, "%" PRIu64 " bytes at %" PRIu64 " are removed: not a chunk of ticks",
                  next - m->at, m->at);
        drop(m, m->at, next - m->at, next - m->at);
    }
    m->at = next;
    return true;
}

static void repair_walk(struct repairer *m)
{
    struct ras_cdt_chunk chunk;
    bool more = true;
    while (more && plan_progress(m->plan, m->at) &&
           ras_cdt_chunk_get(m->file, m->at, &chunk, NULL) == RAS_OK) {
        if (chunk.kind == RAS_CDT_FOTR)
            return;
        more = chunk.kind == RAS_CDT_TICK ? take_block(m, &chunk) : pass_stray(m);
    }
}

/* ---- required structures ---------------------------------------------------------- */

static enum ras_cdt_style style_of(const struct repairer *m)
{
    return cdt_style_in(m->trace);
}

/* A lost META cannot be recovered; it is replaced by a minimal one. */
static int repair_meta(struct repairer *m, struct out *out, struct ras_error *err)
{
    const struct cdt_bounds *b = &m->bounds;
    const struct cdt_trace *cdt = m->trace->priv;
    struct ras_cdt_trace_meta meta = cdt_meta_plain(cdt_model_in(m->trace), cdt->meta.typed,
                                                    style_of(m), b->first, b->last, b->rows);
    plan_note(m->plan,
              "META cannot be used and is rebuilt: producer %.*s, guessed from how the chunks are "
              "stored, and the ticks; nothing else is known",
              (int)meta.producer.impl.len, (const char *)meta.producer.impl.at);
    return cdt_struct_seal(out, RAS_CDT_META, &meta, cdt_model_in(m->trace), style_of(m), err);
}

/* META with the range of the ticks that are kept. */
static int repair_range(struct repairer *m, struct out *out, struct ras_error *err)
{
    const struct cdt_bounds *b = &m->bounds;
    struct ras_cdt_trace_meta meta = ((const struct cdt_trace *)m->trace->priv)->meta.meta;
    const struct ras_cdt_trace_tick_range *old = &meta.tick_range;
    plan_note(m->plan,
              "META had ticks %" PRId64 " to %" PRId64 ", %" PRId64 " in all; it now has %" PRId64
              " to %" PRId64 ", %" PRIu64,
              old->start_tick, old->end_tick, old->tick_count, b->first, b->last, b->rows);
    meta.tick_range.start_tick = b->first;
    meta.tick_range.end_tick = b->last;
    meta.tick_range.tick_count = (int64_t)b->rows;
    return cdt_struct_seal(out, RAS_CDT_META, &meta, cdt_model_in(m->trace), style_of(m), err);
}

static bool is_range_wrong(const struct repairer *m)
{
    const struct cdt_meta *meta = &((const struct cdt_trace *)m->trace->priv)->meta;
    const struct ras_cdt_trace_tick_range *range = &meta->meta.tick_range;
    return meta->typed && meta->complete &&
           (range->start_tick != m->bounds.first || range->end_tick != m->bounds.last ||
            (uint64_t)range->tick_count != m->bounds.rows);
}

/* The index of the kept chunks; `shift` is by how much META's new size moves them. */
static void make_index(const struct repairer *m, int64_t shift,
                       struct ras_cdt_tick_block_index_entry *index)
{
    size_t s = 0;
    for (size_t i = 0; i < m->kept_count; i++) {
        for (; s < m->span_count && m->spans[s].at < m->kept[i].at; s++)
            shift -= (int64_t)m->spans[s].length;
        index[i] = cdt_index_entry(&m->kept[i].chunk, m->kept[i].at + (uint64_t)shift);
    }
}

static bool same_entry(const struct ras_cdt_tick_block_index_entry *a,
                       const struct ras_cdt_tick_block_index_entry *b)
{
    return a->start_tick == b->start_tick && a->end_tick == b->end_tick &&
           a->file_offset == b->file_offset && a->compressed_len == b->compressed_len &&
           a->uncompressed_len == b->uncompressed_len && a->checksum == b->checksum &&
           (a->checksum >> 63) == (uint64_t)(b->node.wide >> 5 & 1);
}

/* Whether the closing structures at m->at match this footer and end the file. */
static bool is_sealed(const struct repairer *m, const struct ras_cdt_trace_footer *want)
{
    const struct cdt_footer *f = cdt_footer_now(m->trace);
    struct ras_cdt_chunk chunk;
    if (!f || f->offset != m->at || f->end + RAS_CDT_TRAILER_SIZE != m->file.len ||
        ras_cdt_chunk_get(m->file, m->at, &chunk, NULL) < 0)
        return false;
    const struct ras_cdt_trace_footer *is = &f->footer;
    bool zstd = chunk.flags & RAS_CDT_FLAG_ZSTD;
    bool same = is->tick_count == want->tick_count && is->first_tick == want->first_tick &&
                is->last_tick == want->last_tick && chunk.start_tick == -1 &&
                chunk.end_tick == -1 &&
                zstd == cdt_is_packed(cdt_model_in(m->trace), style_of(m)) &&
                is->tick_blocks.count == want->tick_blocks.count;
    for (size_t i = 0; same && i < is->tick_blocks.count; i++)
        same = same_entry(&want->tick_blocks.at[i], &is->tick_blocks.at[i]);
    return same;
}

/* How many of the bytes after the last whole chunk were content. */
static uint64_t tail_content(struct repairer *m)
{
    struct ras_cdt_chunk chunk;
    uint64_t left = m->file.len - m->at, end = m->file.len;
    if (!left || is_zero(m->file.at + m->at, left))
        return 0;
    if (cdt_kind_starts(m->file.at + m->at, (size_t)left) != RAS_CDT_FOTR)
        return left;
    if (ras_cdt_chunk_get(m->file, m->at, &chunk, NULL) < 0 || left < cdt_chunk_size(&chunk))
        return 0;
    end = m->at + cdt_chunk_size(&chunk) + RAS_CDT_TRAILER_SIZE;
    if (end >= m->file.len || is_zero(m->file.at + end, m->file.len - end))
        return 0;
    struct ras_bytes rest = {m->file.at + end, m->file.len - (size_t)end};
    if (rest.len >= RAS_CDT_MAGIC_SIZE && cdt_magic_starts(rest))
        plan_note(m->plan,
                  "another trace of %zu bytes begins at %" PRIu64
                  " and is cut off: it is a separate trace",
                  rest.len, end);
    return rest.len;
}

/* ---- the plan ------------------------------------------------------------------------ */

/* Removed spans and corrected headers, in file order. */
static void list_patches(struct repairer *m)
{
    size_t s = 0;
    for (size_t i = 0; i <= m->kept_count; i++) {
        uint64_t at = i < m->kept_count ? m->kept[i].at : RAS_NONE;
        for (; s < m->span_count && m->spans[s].at < at; s++) {
            plan_patch(m->plan, "", m->spans[s].at, m->spans[s].length, NULL, 0);
            plan_lose(m->plan, m->spans[s].content, m->spans[s].content ? RAS_NONE : 0);
        }
        if (i == m->kept_count || !m->kept[i].patched)
            continue;
        enum { TICKS_AT = 4, TICKS_SIZE = 8 };
        uint8_t head[RAS_CDT_CHUNK_HEADER_SIZE];
        ras_cdt_chunk_put(&m->kept[i].chunk, head);
        plan_patch(m->plan, "", at + TICKS_AT, TICKS_SIZE, head + TICKS_AT, TICKS_SIZE);
    }
}

static int list_tail(struct repairer *m, const struct ras_cdt_trace_footer *footer, int64_t shift,
                     struct ras_error *err)
{
    struct out out = {0};
    uint64_t removed = 0;
    if (!shift && !m->span_count && is_sealed(m, footer))
        return RAS_OK;
    for (size_t i = 0; i < m->span_count; i++)
        removed += m->spans[i].length;
    int status =
        cdt_struct_seal(&out, RAS_CDT_FOTR, footer, cdt_model_in(m->trace), style_of(m), err);
    uint8_t *trailer = status == RAS_OK ? out_room(&out, RAS_CDT_TRAILER_SIZE) : NULL;
    if (trailer) {
        uint64_t content = tail_content(m);
        cdt_trailer_put(cdt_container(m->file), m->at + (uint64_t)shift - removed, trailer);
        plan_lose(m->plan, content, content ? RAS_NONE : 0);
        plan_patch(m->plan, "", m->at, m->file.len - m->at, out.at, out.len + RAS_CDT_TRAILER_SIZE);
    } else if (status == RAS_OK) {
        status = fail_memory(err);
    }
    out_free(&out);
    return status;
}

static int list_all(struct repairer *m, struct ras_error *err)
{
    const struct cdt_trace *cdt = m->trace->priv;
    struct out meta = {0};
    int64_t shift = 0;
    int status = RAS_OK;
    struct ras_cdt_tick_block_index_entry *index = calloc(m->kept_count, sizeof *index);
    if (!index)
        return fail_memory(err);
    if (cdt->no_meta) {
        uint64_t old = m->kept[0].at - RAS_CDT_HEADER_SIZE;
        if (m->span_count && m->spans[0].at < m->kept[0].at)
            old = m->spans[0].at - RAS_CDT_HEADER_SIZE;
        status = repair_meta(m, &meta, err);
        shift = (int64_t)meta.len - (int64_t)old;
        if (status == RAS_OK) {
            plan_patch(m->plan, "", RAS_CDT_HEADER_SIZE, old, meta.at, meta.len);
            plan_lose(m->plan, old, 0);
        }
    } else if (is_range_wrong(m)) {
        uint64_t old = m->trace->body - RAS_CDT_HEADER_SIZE;
        status = repair_range(m, &meta, err);
        shift = (int64_t)meta.len - (int64_t)old;
        if (status == RAS_OK)
            plan_patch(m->plan, "", RAS_CDT_HEADER_SIZE, old, meta.at, meta.len);
    }
    if (status == RAS_OK) {
        make_index(m, shift, index);
        struct ras_cdt_trace_footer footer = cdt_footer_of(&m->bounds, index, m->kept_count);
        list_patches(m);
        status = list_tail(m, &footer, shift, err);
    }
    out_free(&meta);
    free(index);
    return status;
}

int cdt_repair(struct ras_trace *t, const struct ras_repair_options *options, struct plan *plan,
               struct ras_error *err)
{
    (void)options;
    struct repairer m = {
        .trace = t, .plan = plan, .file = source_bytes(t->source, 0), .at = t->body};
    int status = RAS_OK;
    repair_walk(&m);
    if (m.nomem)
        status = fail_memory(err);
    else if (!m.kept_count)
        status = fail(err, RAS_EFORMAT, t->body,
                      "nothing to repair: no whole chunk of ticks in %zu bytes", m.file.len);
    else
        status = list_all(&m, err);
    cdt_memory_free(&m.memory);
    free(m.kept);
    free(m.spans);
    return status;
}
