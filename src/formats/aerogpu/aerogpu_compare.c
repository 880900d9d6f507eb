/* aerogpu_compare.c - two traces, frame by frame, packet by packet after decoding.
 *
 * Blobs are compared by what they hold, where something names them; those that nothing
 * names, for themselves. Headers differ between builds of an emulator, so that they are
 * compared only when that is asked for. */
#include "formats/aerogpu/aerogpu_compare.h"

#include <stdlib.h>

/* ---- header ----------------------------------------------------------------------- */

static bool headers_same(const struct aero_compare *m)
{
    const struct aero *a = m->sides[0].trace->priv, *b = m->sides[1].trace->priv;
    struct ras_bytes x = source_bytes(m->sides[0].trace->source, 0);
    struct ras_bytes y = source_bytes(m->sides[1].trace->source, 0);
    x = aero_slice(x, 0, RAS_AERO_HEADER_SIZE + (uint64_t)a->header.meta_len);
    y = aero_slice(y, 0, RAS_AERO_HEADER_SIZE + (uint64_t)b->header.meta_len);
    return x.len == y.len && !memcmp(x.at, y.at, x.len);
}

static void header_rows(struct aero_compare *m)
{
    const struct aero *a = m->sides[0].trace->priv, *b = m->sides[1].trace->priv;
    const struct ras_aero_header *x = &a->header, *y = &b->header;
    aero_row_uint(m, "header", "container_version", x->container_version, y->container_version);
    aero_row_uint(m, "header", "command_abi_version", x->command_abi_version,
                  y->command_abi_version);
    aero_row_uint(m, "header", "flags", x->flags, y->flags);
    aero_row_uint(m, "header", "reserved", x->reserved, y->reserved);
    aero_row_bytes(m, "header", "meta_json",
                   ras_aero_meta(source_bytes(m->sides[0].trace->source, 0), x),
                   ras_aero_meta(source_bytes(m->sides[1].trace->source, 0), y));
}

/* ---- divergences ------------------------------------------------------------------ */

/* The rows of one span, until it is known whether there are any. */
struct span_rows {
    size_t detail, map, list;
};

static struct span_rows begin_rows(struct aero_compare *m)
{
    struct span_rows r;
    struct document *d = compare_detail_open(m->compare, &r.detail);
    m->rows = (struct aero_rows){.doc = d};
    r.map = document_open(d, RAS_MAP);
    document_name(d, "mismatches");
    r.list = document_open(d, RAS_LIST);
    return r;
}

/* Whether to go on. */
static bool end_rows(struct aero_compare *m, const struct span_rows *r, const char *kind,
                     struct ras_value at)
{
    struct document *d = m->rows.doc;
    size_t count = m->rows.count;
    document_close(d, r->list);
    document_name(d, "mismatch_count");
    document_uint(d, count);
    document_close(d, r->map);
    size_t detail = compare_detail_close(m->compare, d, r->detail, count);
    if (!count)
        return true;
    bool on = compare_diverged(m->compare, kind, at, detail);
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
    const struct ras_compare_options *asked = m->compare->asked;
    const struct aero *t = m->sides[0].trace->priv;
    if (t->shape != AERO_CONTAINER || headers_same(m))
        return true;
    if (!asked->channel_count)
        compare_note(m->compare, "the headers differ: the channel header says where");
    if (!asked->channel_count || !compare_wants(asked, "header"))
        return true;
    const struct span_rows rows = begin_rows(m);
    header_rows(m);
    return end_rows(m, &rows, "header_mismatch", (struct ras_value){.kind = RAS_NULL});
}

/* ---- spans ------------------------------------------------------------------------ */

/* Compare the spans that are open. RAS_OK, RAS_END: no more is wanted, or can be known. */
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

/* Pass over all of a span. */
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

/* What lies between frames: on one side, or on both. */
static int compare_between(struct aero_compare *m, struct ras_error *err)
{
    const struct aero *t = m->sides[0].trace->priv;
    const struct ras_compare_options *asked = m->compare->asked;
    bool bare = t->shape != AERO_CONTAINER, ranged = asked->has_first || asked->has_last;
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

/* What stands alone begins with its header. */
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

/* What is no frame comes before the next one. */
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
    if (status < 0 || !compare_in_range(c->asked, index))
        return status;
    c->out->checked++;
    if (compare_wants_detail(c)) {
        detail = document_open(d, RAS_MAP);
        document_name(d, "missing_in");
        document_name(d, side ? "expected" : "actual");
        document_name(d, "ended"); /* not a frame between others: that side has no more */
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
    if (!compare_in_range(m->compare->asked, index)) {
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
    if (!compare_wants(c->asked, "packets"))
        wanted &= ~(1u << AERO_UNIT_PACKET | 1u << AERO_UNIT_STREAM | 1u << AERO_UNIT_ODD);
    if (!compare_wants(c->asked, "submissions"))
        wanted &= ~(1u << AERO_UNIT_SUBMISSION);
    if (!compare_wants(c->asked, "blobs"))
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
                    "a trace, a command stream and an allocation table are not to be compared "
                    "with each other");
    for (int i = 0; i < 2; i++) {
        m->sides[i].trace = c->side[i];
        m->sides[i].wanted = wanted_kinds(c);
    }
    int status = RAS_OK;
    if (a->shape == AERO_CONTAINER && !c->asked->paranoid)
        status = aero_pass_equal(m, mark, err);
    for (int i = 0; i < 2 && status == RAS_OK; i++)
        status = aero_side_open(&m->sides[i], &mark[i], err);
    return status;
}

static int run(struct compare *c, struct ras_error *err)
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

static void stop(struct compare *c)
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
    MEMBER_COUNT("mismatch_count", "how many rows that are"),
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
    MEMBER_MAYBE("box", LIST, "left, top, right, bottom of what differs; sizes are the same"),
    MEMBER_MAYBE("most", NUMBER, "the greatest difference of a colour"),
    MEMBER_MAYBE("pixels", NUMBER, "how many pixels differ"),
    {0},
};
static const struct ras_detail_kind details[] = {
    {"frame_mismatch", "both sides have the frame, or something between frames", rows_members},
    {"command_mismatch", "two command streams that stand alone", rows_members},
    {"entry_mismatch", "two allocation tables that stand alone", rows_members},
    {"header_mismatch", "the headers, where the channel `header` is named", rows_members},
    {"missing_frame", "only one side has the frame", missing_members},
    {"pixel_mismatch", "pictures are compared: both show the frame, with different pixels",
     pixel_members},
    {0},
};

const struct compare_ops aero_compare = {
    .details = details,
    .key = "frame_index",
    .word = "frame",
    .takes = COMPARE_RANGE | COMPARE_CHANNELS | COMPARE_PATHS,
    .channels = (const char *const[]){"header", "packets", "submissions", "blobs", NULL},
    .channel_types = (const char *const[]){NULL, "packet", "submission", "blob"},
    .size = sizeof(struct aero_compare),
    .run = run,
    .stop = stop,
    .paths = aero_paths,
};
