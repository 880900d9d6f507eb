/* aerogpu_compare_units.c - the records of both sides as units, read ahead, and their alignment: a
 * unit that was inserted or deleted does not make all following ones differ.
 *
 * Blobs are compared by their content, so that their ids do not matter. Units that are equal are
 * passed one by one. Where they are not, as many as a window holds are aligned, first by content,
 * then, between equal ones, by name: a pair of one name was changed, others are one-sided. */
#include "core/format.h"
#include "formats/aerogpu/aerogpu_compare.h"
#include "formats/aerogpu/aerogpu_refs.h"

/* ---- blobs --------------------------------------------------------------------------- */

static bool side_blob_at(const struct aero_side *s, uint64_t offset, struct ras_aero_blob *blob)
{
    struct ras_aero_record r;
    return ras_aero_record_get(source_bytes(s->trace->source, 0), &offset, &r, NULL) == RAS_OK &&
           r.record_type == RAS_AERO_BLOB && ras_aero_blob_get(r.payload, blob, NULL) == RAS_OK;
}

/* The last definition before the unit, or else any other, like one of the public readers. */
struct aero_ref aero_ref_of(struct aero_compare *m, int side, const struct aero_unit *u,
                            uint64_t blob_id)
{
    const struct aero_side *s = &m->sides[side];
    const struct aero_recent *recent = &s->recent[blob_id % AERO_RECENT];
    struct aero_ref ref = {.blob_id = blob_id, .offset = RAS_NONE};
    if (!blob_id)
        return ref;
    if (recent->blob_id == blob_id && recent->offset < u->offset) {
        ref.offset = recent->offset;
        ref.there = side_blob_at(s, ref.offset, &ref.blob);
        return ref;
    }
    bool nomem;
    ref.there = aero_blob_before(s->trace, blob_id, u->offset, &ref.blob, &ref.offset, &nomem) ||
                aero_blob_before(s->trace, blob_id, RAS_NONE, &ref.blob, &ref.offset, &nomem);
    m->nomem |= nomem;
    return ref;
}

struct aero_ref aero_unit_ref(const struct aero_side *s, const struct aero_unit *u)
{
    struct aero_ref ref = {.blob_id = u->blob_id,
                           .offset = u->offset - RAS_AERO_RECORD_HEADER_SIZE};
    ref.there = ras_aero_blob_get(aero_unit_bytes(s, u), &ref.blob, NULL) == RAS_OK;
    return ref;
}

static bool same_content(const struct ras_aero_blob *a, const struct ras_aero_blob *b)
{
    return a->kind == b->kind && bytes_same(a->data, b->data);
}

bool aero_refs_same(struct aero_compare *m, const struct aero_ref *a, const struct aero_ref *b)
{
    if (!a->there || !b->there)
        return !a->there && !b->there && a->blob_id == b->blob_id;
    struct aero_known *known = &m->known[(a->offset * 31 + b->offset) % AERO_CACHE];
    if (known->a != a->offset || known->b != b->offset)
        *known = (struct aero_known){a->offset, b->offset, same_content(&a->blob, &b->blob)};
    return known->same;
}

/* One pass over the trace, on the first use. */
static bool find_references(struct aero_side *s)
{
    struct ras_bytes all = source_bytes(s->trace->source, 0);
    struct ras_aero_record r;
    bool again;
    for (uint64_t at = s->trace->body; ras_aero_record_get(all, &at, &r, NULL) == RAS_OK;) {
        uint64_t ref;
        struct aero_refs refs = aero_refs_of(r.record_type, r.payload);
        while (aero_refs_next(&refs, &ref)) {
            uint64_t id = aero_id_at(r.payload.at + ref);
            if (id && !aero_ids_has(&s->referenced, id) &&
                !aero_ids_add(&s->referenced, id, &again))
                return false;
        }
    }
    return true;
}

/* Whether anything in the trace names the blob. */
static bool is_referenced(struct aero_compare *m, int side, uint64_t blob_id)
{
    struct aero_side *s = &m->sides[side];
    if (!s->referenced_known && !find_references(s))
        m->nomem = true;
    s->referenced_known = true;
    return blob_id && aero_ids_has(&s->referenced, blob_id);
}

/* ---- equality ------------------------------------------------------------------------ */

bool aero_stream_of(const struct aero_ref *ref, struct ras_aero_stream *stream)
{
    return ref->there && ref->blob.kind == RAS_AERO_CMD_STREAM &&
           ras_aero_stream_get(ref->blob.data, stream, NULL) == RAS_OK;
}

bool aero_table_of(const struct aero_ref *ref, struct ras_aero_alloc_table *table)
{
    return ref->there && ref->blob.kind == RAS_AERO_ALLOC_TABLE &&
           ras_aero_alloc_table_get(ref->blob.data, table, NULL) == RAS_OK;
}

/* A stream's header and the bytes after its commands, which are units themselves. */
static bool same_stream(const struct ras_aero_stream *a, const struct ras_aero_stream *b)
{
    return aero_numbers_same(aero_stream_numbers, a, b) && bytes_same(a->trailing, b->trailing);
}

static bool same_streams(struct ras_bytes a, struct ras_bytes b)
{
    struct ras_aero_stream x, y;
    if (ras_aero_stream_get(a, &x, NULL) == RAS_OK && ras_aero_stream_get(b, &y, NULL) == RAS_OK)
        return same_stream(&x, &y);
    return bytes_same(a, b);
}

static bool same_tables(struct ras_bytes a, struct ras_bytes b)
{
    struct ras_aero_alloc_table x, y;
    struct in p = in_bytes(a), q = in_bytes(b);
    aero_alloc_table_get(&p, &x);
    aero_alloc_table_get(&q, &y);
    return aero_numbers_same(aero_table_numbers, &x, &y);
}

/* The bytes between the blob ids, and the content of the blobs. */
static bool same_but_refs(struct aero_compare *m, uint8_t type, const struct aero_unit *a,
                          const struct aero_unit *b)
{
    struct ras_bytes x = aero_unit_bytes(&m->sides[0], a), y = aero_unit_bytes(&m->sides[1], b);
    struct aero_refs refs = aero_refs_of(type, x);
    uint64_t at, from = 0;
    if (x.len != y.len)
        return false;
    while (aero_refs_next(&refs, &at)) {
        if (!bytes_same(aero_slice(x, from, at - from), aero_slice(y, from, at - from)))
            return false;
        struct aero_ref p = aero_ref_of(m, 0, a, aero_id_at(x.at + at));
        struct aero_ref q = aero_ref_of(m, 1, b, aero_id_at(y.at + at));
        struct ras_aero_stream s, t;
        bool commands = type == RAS_AERO_SUBMISSION && !from; /* its first blob */
        if (commands && aero_stream_of(&p, &s) && aero_stream_of(&q, &t)) {
            if (!same_stream(&s, &t))
                return false;
        } else if (!aero_refs_same(m, &p, &q)) {
            return false;
        }
        from = at + sizeof(uint64_t);
    }
    return bytes_same(aero_slice(x, from, UINT64_MAX), aero_slice(y, from, UINT64_MAX));
}

static bool same_blobs(struct aero_compare *m, const struct aero_unit *a, const struct aero_unit *b)
{
    struct aero_ref x = aero_unit_ref(&m->sides[0], a), y = aero_unit_ref(&m->sides[1], b);
    return aero_refs_same(m, &x, &y);
}

/* Whether one can be a changed version of the other. */
static bool units_alike(const struct aero_unit *a, const struct aero_unit *b)
{
    return a->kind == b->kind && a->opcode == b->opcode;
}

static bool units_same(struct aero_compare *m, const struct aero_unit *a, const struct aero_unit *b)
{
    if (!units_alike(a, b))
        return false;
    struct ras_bytes x = aero_unit_bytes(&m->sides[0], a), y = aero_unit_bytes(&m->sides[1], b);
    switch (a->kind) {
    case AERO_UNIT_PACKET:
        return same_but_refs(m, RAS_AERO_PACKET, a, b);
    case AERO_UNIT_SUBMISSION:
        return same_but_refs(m, RAS_AERO_SUBMISSION, a, b);
    case AERO_UNIT_STREAM:
        return same_streams(x, y);
    case AERO_UNIT_TABLE:
        return same_tables(x, y);
    case AERO_UNIT_BLOB:
        return same_blobs(m, a, b);
    case AERO_UNIT_PRESENT:
        return true;
    default:
        return bytes_same(x, y);
    }
}

/* ---- units --------------------------------------------------------------------------- */

int aero_side_open(struct aero_side *s, const struct ras_mark *mark, struct ras_error *err)
{
    static const char *const none[] = {""};
    static const struct ras_pick picks[] = {{.type = "gap"}, {.fields = none}};
    const struct ras_scan scan = {.picks = picks, .pick_count = 2};
    const struct aero *t = s->trace->priv;
    int status = ras_cursor_open(&s->cursor, s->trace, &scan, err);
    if (status < 0 || t->shape != AERO_CONTAINER)
        return status;
    status = ras_jump(s->cursor, mark, err);
    struct aero_cursor *a = s->cursor->priv;
    memcpy(a->recent, s->streams.recent, sizeof a->recent);
    a->recent_count = s->streams.recent_count;
    return status;
}

void aero_side_close(struct aero_side *s)
{
    aero_textures_free(&s->textures);
    ras_cursor_close(s->cursor);
    aero_ids_free(&s->defined);
    aero_ids_free(&s->referenced);
}

void aero_blob_remember(struct aero_side *s, uint64_t blob_id, uint64_t offset)
{
    s->recent[blob_id % AERO_RECENT] = (struct aero_recent){blob_id, offset};
}

int aero_side_peek(struct aero_side *s, struct ras_error *err)
{
    if (s->next)
        return RAS_OK;
    if (s->ended)
        return RAS_END;
    int status = walk_next(s->trace, s->cursor, &s->next, err);
    if (status == RAS_END) {
        s->next = NULL;
        s->ended = true;
        s->lost = ras_ending(s->trace).kind >= RAS_CUT;
    }
    return status;
}

bool aero_side_framed(const struct aero_side *s, uint64_t *index)
{
    const struct ras_record *r = s->next;
    bool framed = r && r->schema != RAS_SCHEMA_GAP && r->flags & RAS_HAS_TICK;
    *index = framed ? r->tick : 0;
    return framed;
}

void aero_span_open(struct aero_side *s, bool empty)
{
    uint64_t index;
    s->framed = aero_side_framed(s, &index) && !empty;
    s->frame = (uint32_t)index;
    s->closed = empty;
    s->one = false;
    s->first = s->count = 0;
    s->passed = 0;
    memset(s->counts, 0, sizeof s->counts);
    if (s->framed)
        compare_place_next(&s->place, index);
}

/* ---- records as units ------------------------------------------------------------- */

static struct aero_unit unit_of(struct aero_side *s, enum aero_unit_kind kind, uint64_t offset,
                                uint64_t len)
{
    return (struct aero_unit){.kind = (uint8_t)kind,
                              .offset = offset,
                              .len = len > UINT32_MAX ? UINT32_MAX : (uint32_t)len,
                              .index = s->counts[kind]++};
}

static void begin_stream(struct aero_side *s, const struct aero_unit *u, uint32_t abi_version)
{
    s->within = u->kind;
    s->minor = (uint16_t)aero_minor(abi_version);
    s->commands = 0;
}

static struct aero_unit packet_unit(struct aero_side *s, const struct ras_record *r)
{
    uint64_t offset = r->offset + RAS_AERO_RECORD_HEADER_SIZE;
    struct ras_bytes payload = {r->raw + RAS_AERO_RECORD_HEADER_SIZE,
                                r->raw_len - RAS_AERO_RECORD_HEADER_SIZE};
    uint32_t index = s->counts[AERO_UNIT_PACKET]; /* all of them are packets[index] */
    enum aero_unit_kind kind = AERO_UNIT_UNKNOWN;
    s->one = aero_is_packet(payload.at, (uint32_t)payload.len);
    if (s->one)
        kind = AERO_UNIT_PACKET;
    else if (ras_aero_is_stream(payload))
        kind = AERO_UNIT_STREAM;
    struct aero_unit u = unit_of(s, kind, offset, payload.len);
    u.index = index;
    s->counts[AERO_UNIT_PACKET] = index + 1;
    if (kind == AERO_UNIT_PACKET)
        u.opcode = aero_word_at(payload.at);
    if (kind == AERO_UNIT_STREAM)
        begin_stream(s, &u,
                     payload.len >= RAS_AERO_STREAM_HEADER_SIZE ? aero_abi_at(payload.at) : 0);
    return u;
}

static struct aero_unit command_unit(struct aero_side *s, const struct ras_record *r)
{
    struct aero_unit u = unit_of(s, AERO_UNIT_COMMAND, r->offset, r->raw_len);
    u.opcode = aero_word_at(r->raw);
    u.within = s->within;
    u.minor = s->minor;
    u.command = s->commands++;
    u.index = s->counts[s->within == AERO_UNIT_STREAM ? AERO_UNIT_PACKET : s->within] - 1;
    return u;
}

static struct aero_unit blob_unit(struct aero_side *s, const struct ras_record *r)
{
    struct aero_unit u = unit_of(s, AERO_UNIT_BLOB, r->offset + RAS_AERO_RECORD_HEADER_SIZE,
                                 r->raw_len - RAS_AERO_RECORD_HEADER_SIZE);
    u.blob_id = aero_id_at(r->raw + RAS_AERO_RECORD_HEADER_SIZE);
    aero_blob_remember(s, u.blob_id, r->offset);
    return u;
}

static struct aero_unit submission_unit(struct aero_side *s, const struct ras_record *r)
{
    struct aero_unit u = unit_of(s, AERO_UNIT_SUBMISSION, r->offset + RAS_AERO_RECORD_HEADER_SIZE,
                                 r->raw_len - RAS_AERO_RECORD_HEADER_SIZE);
    const struct aero_cursor *a = s->cursor->priv;
    struct ras_bytes all = source_bytes(s->trace->source, 0);
    bool follows = a->pending == AERO_COMMANDS;
    begin_stream(s, &u, follows ? aero_abi_at(all.at + a->stream) : 0);
    return u;
}

static struct aero_unit gap_unit(struct aero_side *s)
{
    size_t count;
    const struct ras_value *v = ras_values(s->cursor, &count);
    return unit_of(s, AERO_UNIT_GAP, s->next->offset, count > 1 ? v[1].u : 0);
}

/* The next record as a unit; false: it is not a unit. */
static bool unit_of_record(struct aero_side *s, struct aero_unit *u)
{
    const struct ras_record *r = s->next;
    bool one = s->one;
    s->one = false;
    switch (r->schema) {
    case RAS_SCHEMA_GAP:
        *u = gap_unit(s);
        return true;
    case AERO_FRAME_TYPE:
        *u = unit_of(s, AERO_UNIT_PRESENT, r->offset, 0);
        s->closed = true;
        return true;
    case AERO_PACKET_TYPE:
        *u = packet_unit(s, r);
        return true;
    case AERO_BLOB_TYPE:
        *u = blob_unit(s, r);
        return true;
    case AERO_SUBMISSION_TYPE:
        *u = submission_unit(s, r);
        return true;
    default:
        if (!one)
            *u = command_unit(s, r);
        return !one;
    }
}

/* A bare stream or table begins with its header, which is not a record. */
static bool unit_of_bare(struct aero_side *s, struct aero_unit *u)
{
    const struct aero *t = s->trace->priv;
    const struct ras_record *r = s->next;
    if (r->schema == RAS_SCHEMA_GAP)
        *u = gap_unit(s);
    else if (t->shape == AERO_STREAM)
        *u = command_unit(s, r);
    else
        *u = unit_of(s, AERO_UNIT_ALLOC, r->offset, r->raw_len);
    return true;
}

static bool unit_of_head(struct aero_side *s, struct aero_unit *u)
{
    const struct aero *t = s->trace->priv;
    if (t->shape == AERO_CONTAINER || s->head_done)
        return false;
    struct ras_bytes all = source_bytes(s->trace->source, 0);
    s->head_done = true;
    *u = unit_of(s, t->shape == AERO_STREAM ? AERO_UNIT_STREAM : AERO_UNIT_TABLE, 0, all.len);
    u->within = AERO_UNIT_TABLE; /* not of a packet */
    if (t->shape == AERO_STREAM) {
        begin_stream(s, u, aero_abi_at(all.at));
        s->within = AERO_UNIT_TABLE;
    }
    return true;
}

static bool belongs(const struct aero_side *s)
{
    uint64_t index;
    if (s->next->schema == RAS_SCHEMA_GAP)
        return true;
    bool framed = aero_side_framed(s, &index);
    return framed == s->framed && (!framed || index == s->frame);
}

/* --channel may leave some out. */
static bool is_wanted(const struct aero_side *s, const struct aero_unit *u)
{
    unsigned kind = u->kind == AERO_UNIT_COMMAND ? u->within : u->kind;
    return s->wanted >> kind & 1;
}

static int next_unit(struct aero_side *s, struct aero_unit *u, struct ras_error *err)
{
    const struct aero *t = s->trace->priv;
    if (s->closed)
        return RAS_END;
    if (unit_of_head(s, u))
        return RAS_OK;
    for (;;) {
        int status = aero_side_peek(s, err);
        if (status < 0)
            return status;
        if (status == RAS_END || !belongs(s)) {
            s->closed = true;
            return RAS_END;
        }
        bool made = t->shape == AERO_CONTAINER ? unit_of_record(s, u) : unit_of_bare(s, u);
        s->next = NULL;
        if (made && is_wanted(s, u))
            return RAS_OK;
    }
}

int aero_span_fill(struct aero_side *s, size_t want, struct ras_error *err)
{
    if (s->first + want > AERO_WINDOW) {
        memmove(s->window, s->window + s->first, s->count * sizeof *s->window);
        s->first = 0;
    }
    while (s->count < want) {
        int status = next_unit(s, &s->window[s->first + s->count], err);
        if (status != RAS_OK)
            return status < 0 ? status : RAS_OK;
        s->count++;
    }
    return RAS_OK;
}

void aero_span_drop(struct aero_side *s, size_t count)
{
    s->first += count;
    s->count -= count;
    s->passed += count;
    if (!s->count)
        s->first = 0;
}

/* ---- alignment ----------------------------------------------------------------------- */

static bool same_at(void *user, size_t a, size_t b)
{
    struct aero_compare *m = user;
    return units_same(m, aero_unit_at(&m->sides[0], a), aero_unit_at(&m->sides[1], b));
}

static bool alike_at(void *user, size_t a, size_t b)
{
    const struct aero_compare *m = user;
    return units_alike(aero_unit_at(&m->sides[0], a), aero_unit_at(&m->sides[1], b));
}

/* Blobs that a record names are compared where they are named. */
static bool is_named_blob(struct aero_compare *m, int side, const struct aero_unit *u)
{
    return u->kind == AERO_UNIT_BLOB && is_referenced(m, side, u->blob_id);
}

static void drop_named_blobs(struct aero_compare *m, int side)
{
    struct aero_side *s = &m->sides[side];
    struct aero_unit *units = s->window + s->first;
    size_t kept = 0;
    for (size_t i = 0; i < s->count; i++)
        if (!is_named_blob(m, side, &units[i]))
            units[kept++] = units[i];
    s->passed += s->count - kept;
    s->count = kept;
}

/* All units of the span, or as many as the window holds, without blobs that are named. */
static int fill_window(struct aero_compare *m, int side, struct ras_error *err)
{
    struct aero_side *s = &m->sides[side];
    size_t before;
    do {
        int status = aero_span_fill(s, AERO_WINDOW, err);
        if (status < 0)
            return status;
        before = s->count;
        drop_named_blobs(m, side);
    } while (s->count < before && !s->closed);
    return RAS_OK;
}

/* What a side that was cut would have had after its end is unknown. */
static bool is_lost(const struct aero_side *s)
{
    return s->ended && s->lost;
}

static int pair_rows(void *user, size_t a, size_t b, struct ras_error *err)
{
    struct aero_compare *m = user;
    (void)err;
    if (!aero_rows_full(m))
        aero_pair_rows(m, aero_unit_at(&m->sides[0], a), aero_unit_at(&m->sides[1], b));
    return RAS_OK;
}

/* Units that a cut side lacks at its end may have been there: they are not reported. */
static int lone_rows(void *user, const struct align_hunk *h, struct ras_error *err)
{
    struct aero_compare *m = user;
    const struct aero_side *sides = m->sides;
    bool tail = m->last && h->a + h->a_count == m->end[0] && h->b + h->b_count == m->end[1];
    (void)err;
    for (size_t k = 0; k < h->a_count && !m->full && !(tail && is_lost(&sides[1])); k++)
        aero_lone_row(m, 0, aero_unit_at(&sides[0], h->a + k));
    for (size_t k = 0; k < h->b_count && !m->full && !(tail && is_lost(&sides[0])); k++)
        aero_lone_row(m, 1, aero_unit_at(&sides[1], h->b + k));
    m->full = aero_rows_full(m);
    return RAS_OK;
}

/* Units between two equal ones. `last`: no unit is known to follow. */
static int hunk_rows(struct aero_compare *m, const struct align_hunk *h, bool last,
                     struct ras_error *err)
{
    const struct align_pairing names = {m, alike_at, pair_rows, lone_rows};
    m->last = last;
    m->end[0] = h->a + h->a_count;
    m->end[1] = h->b + h->b_count;
    m->full = false;
    return align_pair_rows(&m->by_name, h, &names, err);
}

/* Align the windows and drop their units. A last hunk that the end of a window may have cut off
 * from its counterpart is kept for the next round, unless the slice begins with the trace. */
static int align_windows(struct aero_compare *m, struct ras_error *err)
{
    struct aero_side *sides = m->sides;
    struct align *al = &m->by_content;
    for (int i = 0; i < 2; i++) {
        int status = fill_window(m, i, err);
        if (status < 0)
            return status;
    }
    size_t n = sides[0].count, k = sides[1].count;
    bool all = sides[0].closed && sides[1].closed;
    if (!align_run(al, n, k, false)) {
        m->nomem = true;
        return RAS_OK;
    }
    size_t a = n, b = k;
    for (size_t i = 0; i < al->hunk_count && !aero_rows_full(m); i++) {
        const struct align_hunk *h = &al->hunks[i];
        bool last = h->a + h->a_count == n && h->b + h->b_count == k;
        if (last && !all && (h->a || h->b)) {
            a = h->a;
            b = h->b;
            break;
        }
        int status = hunk_rows(m, h, last, err);
        if (status < 0)
            return status;
    }
    aero_span_drop(&sides[0], a);
    aero_span_drop(&sides[1], b);
    return RAS_OK;
}

/* One unit on each side that is changed, followed by equal ones: the most frequent case. */
static bool is_plain_change(struct aero_compare *m)
{
    const struct aero_side *a = &m->sides[0], *b = &m->sides[1];
    if (!a->count || !b->count || a->count != b->count ||
        !units_alike(aero_unit_at(a, 0), aero_unit_at(b, 0)))
        return false;
    return a->count == 1 || same_at(m, 1, 1);
}

/* Compare the first units. RAS_END: there are no more. */
static int compare_first(struct aero_compare *m, struct ras_error *err)
{
    struct aero_side *sides = m->sides;
    int status = RAS_OK;
    for (int i = 0; i < 2 && status == RAS_OK; i++)
        status = aero_span_fill(&sides[i], 2, err);
    if (status < 0)
        return status;
    bool both = sides[0].count && sides[1].count;
    if (!sides[0].count && !sides[1].count)
        return RAS_END;
    if (!both && (is_lost(&sides[0]) || is_lost(&sides[1])))
        return RAS_END;
    if (aero_rows_full(m) || (both && same_at(m, 0, 0))) {
        aero_span_drop(&sides[0], sides[0].count > 0);
        aero_span_drop(&sides[1], sides[1].count > 0);
        return RAS_OK;
    }
    for (int i = 0; i < 2; i++)
        if (sides[i].count && is_named_blob(m, i, aero_unit_at(&sides[i], 0))) {
            aero_span_drop(&sides[i], 1);
            return RAS_OK;
        }
    if (!is_plain_change(m))
        return align_windows(m, err);
    aero_pair_rows(m, aero_unit_at(&sides[0], 0), aero_unit_at(&sides[1], 0));
    aero_span_drop(&sides[0], 1);
    aero_span_drop(&sides[1], 1);
    return RAS_OK;
}

int aero_spans_compare(struct aero_compare *m, struct ras_error *err)
{
    int status;
    m->by_content.same = same_at;
    m->by_content.user = m;
    m->by_content.most = m->by_name.most = 2 * (size_t)AERO_WINDOW;
    while ((status = compare_first(m, err)) == RAS_OK)
        if (m->nomem || m->rows.doc->cells.nomem)
            return fail_memory(err);
    if (status < 0)
        return status;
    return is_lost(&m->sides[0]) || is_lost(&m->sides[1]) ? RAS_END : RAS_OK;
}
