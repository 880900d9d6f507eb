/* aerogpu_compare.c - two traces, frame by frame, packet by packet after decoding.
 *
 * A blob that a record names is compared by content where it is named; other blobs are compared as
 * records. Headers differ between builds of an emulator, so that they are compared only on request.
 * Records at the front that are equal to the byte are followed on one side, for both; their values
 * are not decoded. Blobs that such records name are equal, too, if they are before them. */
#include "formats/aerogpu/aerogpu_compare.h"
#include "formats/aerogpu/aerogpu_refs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- paths --------------------------------------------------------------------------- */

enum { PATH = 160 };

static void add_field(struct known_paths *k, const char *base, const struct ras_aero_field *f)
{
    bool list = f->flags & RAS_AERO_LIST;
    if (list && f->type == RAS_AERO_STRUCT) {
        for (const struct ras_aero_field *at = f->item; at->type != RAS_AERO_END; at++) {
            char below[PATH];
            snprintf(below, sizeof below, "%s.%s[*]", base, f->name);
            add_field(k, below, at);
        }
        return;
    }
    paths_add(k, list ? "%s.%s[*]" : "%s.%s", base, f->name);
    if (f->alias)
        paths_add(k, "%s.%s", base, f->alias);
}

/* The first form of an opcode that has several. */
static const struct ras_aero_op *first_form(const struct ras_aero_op *op,
                                            const struct ras_aero_op *(*op_at)(size_t))
{
    size_t i = 0;
    while (strcmp(op_at(i)->name, op->name) != 0)
        i++;
    return op_at(i);
}

static bool has_field(const struct ras_aero_op *op, const struct ras_aero_field *field)
{
    const struct ras_aero_field *f = op->fields;
    while (f->type != RAS_AERO_END && strcmp(f->name, field->name) != 0)
        f++;
    return f->type != RAS_AERO_END;
}

/* The fields of packets, or of commands; an unknown opcode has a payload. */
static void add_ops(struct known_paths *k, const char *base,
                    const struct ras_aero_op *(*op_at)(size_t))
{
    const struct ras_aero_op *op;
    for (size_t i = 0; (op = op_at(i)); i++) {
        char below[PATH];
        const struct ras_aero_op *first = first_form(op, op_at);
        snprintf(below, sizeof below, "%s.%s", base, op->name);
        for (const struct ras_aero_field *f = op->fields; f->type != RAS_AERO_END; f++)
            if (op == first || !has_field(first, f))
                add_field(k, below, f);
        if (op != first)
            continue;
        paths_add(k, "%s.payload", below);
        paths_add(k, "%s.padding", below);
        paths_add(k, "%s.trailing", below);
    }
    paths_add(k, "%s.0x*.payload", base);
}

/* The numbers of a structure, and its other fields; NULL: none. */
static void add_names(struct known_paths *k, const char *base, const struct aero_number *numbers,
                      const char *const *names)
{
    for (; numbers->name; numbers++)
        if (!(numbers->flags & AERO_NOT_COMPARED))
            paths_add(k, "%s.%s", base, numbers->name);
    for (; names && *names; names++)
        paths_add(k, "%s.%s", base, *names);
}

/* Every path that a row may have: see aerogpu_compare_rows.c, which makes them. */
static void known_paths_add(struct ras_trace *t, enum ras_paths of, struct known_paths *k)
{
    static const char *const header[] = {"meta_json", NULL};
    static const char *const stream[] = {"trailing", "bytes", NULL};
    static const char *const entry[] = {"trailing", NULL};
    static const char *const range[] = {"blob_id", NULL};
    static const char *const submission[] = {"cmd_stream_blob_id", "alloc_table", "memory_ranges",
                                             "extension",          "trailing",    NULL};
    (void)t;
    if (of != RAS_PATHS_DIFF)
        return;
    add_names(k, "header", aero_header_numbers, header);
    add_ops(k, "packets[*]", ras_aero_packet_op_at);
    add_names(k, "packets[*].stream", aero_stream_numbers, stream);
    paths_add(k, "packets[*].bytes");
    add_ops(k, "packets[*].commands[*]", ras_aero_command_op_at);
    add_names(k, "submissions[*]", aero_submission_numbers, submission);
    add_names(k, "submissions[*].stream", aero_stream_numbers, stream);
    add_names(k, "submissions[*].alloc_table", aero_table_numbers, NULL);
    add_names(k, "submissions[*].alloc_table.entries[*]", aero_alloc_numbers, entry);
    add_names(k, "submissions[*].memory_ranges[*]", aero_range_numbers, range);
    add_ops(k, "submissions[*].commands[*]", ras_aero_command_op_at);
    paths_add(k, "blobs[*].data");
    paths_add(k, "gaps[*].bytes");
    paths_add(k, "present");
    add_names(k, "stream", aero_stream_numbers, stream);
    add_ops(k, "commands[*]", ras_aero_command_op_at);
    add_names(k, "table", aero_table_numbers, NULL);
    add_names(k, "entries[*]", aero_alloc_numbers, entry);
}

/* ---- equal records at the front ------------------------------------------------------ */

struct front {
    struct ras_bytes all[2];
    uint64_t at[2];
    uint64_t equal; /* bytes from there on that are known to be the same */
    uint64_t most;  /* bytes of a payload */
    uint64_t named; /* opcodes of Appendix A that name blobs, as bits */
    uint8_t types;  /* the highest record type that both know */
    bool framed;    /* a frame is open */
    uint32_t frame; /* its index */
};

/* Whether the next `size` bytes are equal; compared in blocks, since most are. */
static bool front_same_bytes(struct front *f, uint64_t size)
{
    enum { BLOCK = 4096 };
    const uint8_t *a = f->all[0].at + f->at[0], *b = f->all[1].at + f->at[1];
    uint64_t n = f->all[0].len - f->at[0], m = f->all[1].len - f->at[1];
    n = n < m ? n : m;
    if (size > n)
        return false;
    if (size <= f->equal)
        return true;
    uint64_t block = n < size + BLOCK ? n : size + BLOCK;
    if (!memcmp(a + f->equal, b + f->equal, block - f->equal))
        f->equal = block;
    else if (!memcmp(a + f->equal, b + f->equal, size - f->equal))
        f->equal = size;
    return size <= f->equal;
}

/* The record at both places, if it is equal and usual. */
static bool same_record(struct front *f, struct ras_aero_record *r, uint64_t *size)
{
    const uint8_t *p = f->all[0].at + f->at[0];
    uint64_t left = f->all[0].len - f->at[0];
    if (left < RAS_AERO_RECORD_HEADER_SIZE || aero_type_at(p) - 1u >= f->types)
        return false;
    r->record_type = aero_type_at(p);
    r->payload_len = aero_len_at(p);
    r->payload = (struct ras_bytes){p + RAS_AERO_RECORD_HEADER_SIZE, r->payload_len};
    *size = RAS_AERO_RECORD_HEADER_SIZE + (uint64_t)r->payload_len;
    return r->payload_len <= f->most && *size <= left && front_same_bytes(f, *size);
}

static uint64_t naming_opcodes(void)
{
    uint64_t named = 0;
    const struct ras_aero_op *op;
    for (size_t i = 0; (op = ras_aero_packet_op_at(i)) != NULL; i++)
        for (const struct ras_aero_field *f = op->fields; f->type != RAS_AERO_END; f++)
            if (f->flags & RAS_AERO_HAS_LO)
                named |= UINT64_C(1) << op->opcode % 64;
    return named;
}

static bool may_name(const struct front *f, const struct ras_aero_record *r)
{
    if (r->record_type != RAS_AERO_PACKET)
        return r->record_type == RAS_AERO_SUBMISSION;
    return r->payload_len >= RAS_AERO_PACKET_HEADER_SIZE &&
           f->named >> aero_word_at(r->payload.at) % 64 & 1;
}

/* Whether all blobs that the record names were passed before. */
static bool refs_passed(const struct aero_side *s, const struct ras_aero_record *r)
{
    struct aero_refs refs = aero_refs_of(r->record_type, r->payload);
    uint64_t at;
    while (aero_refs_next(&refs, &at)) {
        uint64_t id = aero_id_at(r->payload.at + at);
        if (id && !aero_ids_has(&s->defined, id))
            return false;
    }
    return true;
}

static bool front_blob(struct aero_compare *m, const struct front *f,
                       const struct ras_aero_record *r)
{
    struct ras_aero_blob blob;
    bool again;
    if (ras_aero_blob_get(r->payload, &blob, NULL) < 0)
        return false;
    if (blob.blob_id && !aero_ids_add(&m->sides[0].defined, blob.blob_id, &again))
        return false; /* the cursors continue from here */
    for (int i = 0; i < 2; i++) {
        aero_blob_remember(&m->sides[i], blob.blob_id, f->at[i]);
        aero_remember(&m->sides[i].streams, &blob, f->at[i]);
    }
    return true;
}

static bool stream_whole(struct ras_bytes bytes)
{
    struct ras_aero_stream s;
    struct ras_aero_command k;
    uint64_t at = 0;
    int status = RAS_OK;
    if (!bytes.len) /* recorders store an empty stream for a submission they could not read */
        return true;
    if (ras_aero_stream_get(bytes, &s, NULL) < 0)
        return false;
    while (status == RAS_OK)
        status = ras_aero_command_get(s.commands, &at, &k, NULL);
    return status == RAS_END;
}

/* Whether the cursor does not report it as a gap: damage that is equal on both sides is still
 * damage. */
static bool is_whole(const struct ras_aero_record *r)
{
    struct ras_aero_submission s;
    struct ras_aero_blob b;
    if (r->record_type == RAS_AERO_PACKET)
        return !ras_aero_is_stream(r->payload) || stream_whole(r->payload);
    if (r->record_type == RAS_AERO_BLOB)
        return ras_aero_blob_get(r->payload, &b, NULL) == RAS_OK &&
               (b.kind != RAS_AERO_CMD_STREAM || stream_whole(b.data));
    return r->record_type != RAS_AERO_SUBMISSION ||
           ras_aero_submission_get(r->payload, &s, NULL) == RAS_OK;
}

/* Pass one record; false: from here on both sides must be read. */
static bool front_record(struct aero_compare *m, struct front *f, struct ras_mark mark[2])
{
    struct ras_aero_record r;
    uint64_t size;
    if (!same_record(f, &r, &size) || !is_whole(&r) ||
        (may_name(f, &r) && !refs_passed(&m->sides[0], &r)))
        return false;
    bool marker = r.record_type == RAS_AERO_BEGIN_FRAME || r.record_type == RAS_AERO_PRESENT;
    if (marker && r.payload_len != 4)
        return false;
    if (r.record_type == RAS_AERO_BEGIN_FRAME && f->framed)
        return false; /* an unclosed frame: left to the cursor */
    if (r.record_type == RAS_AERO_BLOB && !front_blob(m, f, &r))
        return false;
    if (r.record_type == RAS_AERO_BEGIN_FRAME) {
        mark[0].offset = f->at[0];
        mark[1].offset = f->at[1];
        f->framed = true;
        f->frame = aero_word_at(r.payload.at);
    }
    f->at[0] += size;
    f->at[1] += size;
    f->equal -= size;
    if (r.record_type == RAS_AERO_PRESENT && f->framed) {
        f->framed = false;
        mark[0].offset = f->at[0];
        mark[1].offset = f->at[1];
        compare_place_next(&m->sides[0].place, f->frame);
        m->compare->out->checked += compare_in_range(m->compare->options, f->frame);
    }
    return true;
}

/* Pass the records at the front that are the same to the byte. */
static int pass_equal_front(struct aero_compare *m, struct ras_mark mark[2], struct ras_error *err)
{
    struct front f = {.types = RAS_AERO_SUBMISSION, .most = UINT32_MAX, .named = naming_opcodes()};
    const struct ras_compare_options *options = m->compare->options;
    for (int i = 0; i < 2; i++) {
        const struct aero *t = m->sides[i].trace->priv;
        uint64_t most = m->sides[i].trace->limits.record_bytes;
        f.all[i] = source_bytes(m->sides[i].trace->source, 0);
        f.at[i] = mark[i].offset;
        f.most = most < f.most ? most : f.most;
        if (f.at[i] > f.all[i].len)
            return RAS_OK;
        if (t->v1)
            f.types = RAS_AERO_BLOB;
    }
    for (uint64_t n = 0; front_record(m, &f, mark); n++)
        if (options->progress && n % COMPARE_PROGRESS_ROWS == 0 &&
            !options->progress(options->user, f.at[0], f.all[0].len))
            return fail_canceled(err);
    m->sides[1].place = m->sides[0].place;
    return RAS_OK;
}

/* ---- header ----------------------------------------------------------------------- */

static bool headers_same(const struct aero_compare *m)
{
    const struct aero *a = m->sides[0].trace->priv, *b = m->sides[1].trace->priv;
    struct ras_bytes x = source_bytes(m->sides[0].trace->source, 0);
    struct ras_bytes y = source_bytes(m->sides[1].trace->source, 0);
    x = aero_slice(x, 0, RAS_AERO_HEADER_SIZE + (uint64_t)a->header.meta_len);
    y = aero_slice(y, 0, RAS_AERO_HEADER_SIZE + (uint64_t)b->header.meta_len);
    return bytes_same(x, y);
}

static void header_rows(struct aero_compare *m)
{
    const struct aero *a = m->sides[0].trace->priv, *b = m->sides[1].trace->priv;
    const struct ras_aero_header *x = &a->header, *y = &b->header;
    aero_number_rows(m, "header", aero_header_numbers, x, y);
    aero_row_bytes(m, "header", "meta_json",
                   ras_aero_meta(source_bytes(m->sides[0].trace->source, 0), x),
                   ras_aero_meta(source_bytes(m->sides[1].trace->source, 0), y));
}

/* ---- divergences ------------------------------------------------------------------ */

/* The rows of one span, open until it is known whether there are any. */
struct span_rows {
    size_t detail, map, list;
};

static struct span_rows begin_rows(struct aero_compare *m)
{
    struct span_rows r;
    struct document *d = compare_detail_open(m->compare, &r.detail);
    m->rows = (struct aero_rows){.doc = d};
    r.map = document_open(d, RAS_MAP);
    r.list = document_put_open(d, "mismatches", RAS_LIST);
    return r;
}

/* Whether to continue. */
static bool end_rows(struct aero_compare *m, const struct span_rows *r, const char *kind,
                     struct ras_value at)
{
    struct document *d = m->rows.doc;
    size_t count = m->rows.count;
    document_close(d, r->list);
    document_put_uint(d, "mismatch_count", count);
    document_close(d, r->map);
    size_t detail = compare_detail_close(m->compare, d, r->detail, count);
    if (!count)
        return true;
    bool on = compare_diverged(m->compare, kind, at, detail);
    compare_amount(m->compare, m->rows.units);
    const struct aero_unit *first = &m->rows.first;
    const struct aero *t = m->sides[0].trace->priv;
    if (t->shape == AERO_STREAM && first->kind == AERO_UNIT_COMMAND)
        compare_also(m->compare, "command_index", "command", value_of_uint(first->command));
    if (t->shape == AERO_TABLE && first->kind == AERO_UNIT_ALLOC)
        compare_also(m->compare, "entry_index", "entry", value_of_uint(first->index));
    return on;
}

static bool compare_headers(struct aero_compare *m)
{
    const struct ras_compare_options *options = m->compare->options;
    const struct aero *t = m->sides[0].trace->priv;
    if (t->shape != AERO_CONTAINER || headers_same(m))
        return true;
    if (!options->channel_count)
        compare_note(m->compare, "the headers differ: the channel header shows where");
    if (!options->channel_count || !compare_wants(options, "header"))
        return true;
    const struct span_rows rows = begin_rows(m);
    header_rows(m);
    return end_rows(m, &rows, "header_mismatch", (struct ras_value){.kind = RAS_NULL});
}

/* ---- spans ------------------------------------------------------------------------ */

/* Compare the spans that are open. RAS_OK; RAS_END: no more is wanted, or the rest is unknown. */
static int compare_spans(struct aero_compare *m, const char *kind, struct ras_value at,
                         struct ras_error *err)
{
    const struct span_rows rows = begin_rows(m);
    int status = aero_spans_compare(m, err);
    if (status < 0)
        return status;
    if (m->nomem)
        return fail_memory(err);
    return end_rows(m, &rows, kind, at) ? status : RAS_END;
}

/* Skip all of a span. */
static int skip_span(struct aero_side *s, struct ras_error *err)
{
    int status = RAS_OK;
    aero_span_open(s, false);
    do {
        aero_span_drop(s, s->count);
        status = aero_span_fill(s, AERO_WINDOW, err);
    } while (status == RAS_OK && s->count);
    return status;
}

/* The records between frames, on one side or on both. */
static int compare_between(struct aero_compare *m, struct ras_error *err)
{
    const struct aero *t = m->sides[0].trace->priv;
    const struct ras_compare_options *options = m->compare->options;
    bool bare = t->shape != AERO_CONTAINER, ranged = options->has_first || options->has_last;
    struct aero_side *a = &m->sides[0], *b = &m->sides[1];
    uint64_t index;
    for (int i = 0; i < 2 && ranged && !bare; i++) {
        struct aero_side *s = &m->sides[i];
        int status =
            aero_side_framed(s, &index) || !s->next ? RAS_OK : skip_span(&m->sides[i], err);
        if (status < 0)
            return status;
    }
    if (ranged && !bare)
        return RAS_OK;
    aero_span_open(a, aero_side_framed(a, &index));
    aero_span_open(b, aero_side_framed(b, &index));
    static const char *const kinds[] = {[AERO_CONTAINER] = "frame_mismatch",
                                        [AERO_STREAM] = "command_mismatch",
                                        [AERO_TABLE] = "entry_mismatch"};
    int status = compare_spans(m, kinds[t->shape], (struct ras_value){.kind = RAS_NULL}, err);
    if (bare) /* without the header */
        m->compare->out->checked = (a->passed > b->passed ? a->passed : b->passed) - 1;
    return status;
}

/* ---- the walk: see struct place_walk_ops ------------------------------------------- */

/* A bare stream or table begins with its header. */
static bool has_head(const struct aero_side *s)
{
    const struct aero *t = s->trace->priv;
    return t->shape != AERO_CONTAINER && !s->head_done;
}

/* Between frames one side is compared, and the other stays where it is. */
static int next_span(void *user, int side, struct ras_error *err)
{
    struct aero_compare *m = user;
    struct aero_side *s = &m->sides[side];
    int status = aero_side_peek(s, err);
    return status == RAS_END && has_head(s) ? RAS_OK : status;
}

static bool is_cut(const void *user, int side)
{
    const struct aero_compare *m = user;
    return m->sides[side].lost;
}

/* Records between frames come before the next frame. */
static int order_of(const void *user)
{
    const struct aero_compare *m = user;
    struct compare_place places[2];
    for (int i = 0; i < 2; i++) {
        uint64_t index;
        if (!aero_side_framed(&m->sides[i], &index))
            return 0;
        places[i] = m->sides[i].place;
        compare_place_next(&places[i], index);
    }
    return compare_place_order(&places[0], &places[1]);
}

/* A frame that only one side has. */
static int lone_frame(void *user, int side, struct ras_error *err)
{
    struct aero_compare *m = user;
    struct compare *c = m->compare;
    struct document *d = &c->doc;
    size_t detail = COMPARE_NO_DETAIL;
    uint64_t index;
    if (!aero_side_framed(&m->sides[side], &index))
        return compare_between(m, err);
    int status = skip_span(&m->sides[side], err);
    if (status < 0 || !compare_in_range(c->options, index))
        return status;
    c->out->checked++;
    if (compare_wants_detail(c)) {
        detail = document_open(d, RAS_MAP);
        document_put_name(d, "missing_in", side ? "expected" : "actual");
        document_name(d, "ended"); /* that side has no more frames */
        document_bool(d, m->sides[!side].ended);
        document_close(d, detail);
    }
    return compare_diverged(c, "missing_frame", value_of_uint(index), detail) ? RAS_OK : RAS_END;
}

static int compare_frames(void *user, struct ras_error *err)
{
    struct aero_compare *m = user;
    uint64_t index, other;
    if (!aero_side_framed(&m->sides[0], &index) || !aero_side_framed(&m->sides[1], &other))
        return compare_between(m, err);
    if (!compare_in_range(m->compare->options, index)) {
        int status = skip_span(&m->sides[0], err);
        return status < 0 ? status : skip_span(&m->sides[1], err);
    }
    m->compare->out->checked++;
    aero_span_open(&m->sides[0], false);
    aero_span_open(&m->sides[1], false);
    return compare_spans(m, "frame_mismatch", value_of_uint(index), err);
}

static uint64_t progress(const void *user, uint64_t *total)
{
    const struct aero_compare *m = user;
    return ras_cursor_progress(m->sides[0].cursor, total);
}

static const struct place_walk_ops frames = {
    .next = next_span,
    .is_cut = is_cut,
    .order = order_of,
    .lone = lone_frame,
    .pair = compare_frames,
    .progress = progress,
};

/* ---- the row ---------------------------------------------------------------------- */

static unsigned wanted_kinds(const struct compare *c)
{
    unsigned wanted = ~0u;
    const struct aero *t = c->side[0]->priv;
    if (t->shape != AERO_CONTAINER)
        return wanted;
    if (!compare_wants(c->options, "packets"))
        wanted &= ~(1u << AERO_UNIT_PACKET | 1u << AERO_UNIT_STREAM | 1u << AERO_UNIT_UNKNOWN);
    if (!compare_wants(c->options, "submissions"))
        wanted &= ~(1u << AERO_UNIT_SUBMISSION);
    if (!compare_wants(c->options, "blobs"))
        wanted &= ~(1u << AERO_UNIT_BLOB);
    return wanted;
}

static int open_sides(struct aero_compare *m, struct ras_error *err)
{
    struct compare *c = m->compare;
    const struct aero *a = c->side[0]->priv, *b = c->side[1]->priv;
    struct ras_mark mark[2] = {{.offset = c->side[0]->body}, {.offset = c->side[1]->body}};
    if (a->shape != b->shape)
        return fail(err, RAS_EUSAGE, RAS_NONE,
                    "a trace, a command stream and an allocation table cannot be compared "
                    "with each other");
    for (int i = 0; i < 2; i++) {
        m->sides[i].trace = c->side[i];
        m->sides[i].wanted = wanted_kinds(c);
    }
    int status = RAS_OK;
    if (a->shape == AERO_CONTAINER && !c->options->paranoid)
        status = pass_equal_front(m, mark, err);
    for (int i = 0; i < 2 && status == RAS_OK; i++)
        status = aero_side_open(&m->sides[i], &mark[i], err);
    return status;
}

static int diff_run(struct compare *c, struct ras_error *err)
{
    struct aero_compare *m = c->priv;
    m->compare = c;
    if (compare_chose(c, "pixels"))
        return aero_compare_pixels(c, err);
    int status = open_sides(m, err);
    if (status == RAS_OK && compare_headers(m))
        status = place_walk_run(c, &frames, m, err);
    for (int i = 0; i < 2 && status == RAS_OK; i++)
        status = compare_ending(c, i, m->sides[i].cursor, err);
    return status;
}

static void diff_stop(struct compare *c)
{
    struct aero_compare *m = c->priv;
    aero_side_close(&m->sides[0]);
    aero_side_close(&m->sides[1]);
    align_free(&m->by_content);
    align_free(&m->by_name);
    cells_free(&m->shown);
}

static const struct ras_detail_member rows_members[] = {
    MEMBER_ROWS("mismatches", "fields that differ, 256 or some more"),
    MEMBER_COUNT("mismatch_count", "the number of these rows"),
    {0},
};
static const struct ras_detail_member missing_members[] = {MEMBER_MISSING, MEMBER_ENDED, {0}};
static const struct ras_detail_member picture_members[] = {
    MEMBER_VALUE("width", NUMBER, "in pixels"),
    MEMBER_VALUE("height", NUMBER, "in pixels"),
    MEMBER_VALUE("sha256", TEXT, "of the pixels"),
    {0},
};
#define PICTURE(key, what)                                                                         \
    {                                                                                              \
        key, RAS_DETAIL_SIDE, RAS_DETAIL_MAP, false, picture_members, what                         \
    }
static const struct ras_detail_member pixel_members[] = {
    PICTURE("expected", "the first side's picture"),
    PICTURE("actual", "the second side's picture"),
    MEMBER_MAYBE("box", LIST,
                 "left, top, right, bottom of the difference; only if both have one size"),
    MEMBER_MAYBE("most", NUMBER, "the greatest difference of a colour"),
    MEMBER_MAYBE("pixels", NUMBER, "how many pixels differ"),
    {0},
};
static const struct ras_detail_kind details[] = {
    {"frame_mismatch", "both sides have the frame, or records between frames", rows_members},
    {"command_mismatch", "two command streams without a container", rows_members},
    {"entry_mismatch", "two allocation tables without a container", rows_members},
    {"header_mismatch", "the headers, where the channel `header` is named", rows_members},
    {"missing_frame", "only one side has the frame", missing_members},
    {"pixel_mismatch", "comparing pictures: both sides show the frame, with different pixels",
     pixel_members},
    {0},
};

const struct compare_ops aero_compare = {
    .details = details,
    .key = "frame_index",
    .word = "frame",
    .line = "pictures",
    .maker = "AeroGPU",
    .activity = {"command", NULL, "commands"},
    .takes = COMPARE_RANGE | COMPARE_CHANNELS | COMPARE_PATHS,
    .channels = (const char *const[]){"header", "packets", "submissions", "blobs", NULL},
    .channel_types = (const char *const[]){NULL, "packet", "submission", "blob"},
    .size = sizeof(struct aero_compare),
    .run = diff_run,
    .stop = diff_stop,
    .paths = known_paths_add,
};
