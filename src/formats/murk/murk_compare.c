/* murk_compare.c - compares two replays: their headers, then commands and hashes tick by tick.
 *
 * Frames that are equal byte for byte are not decoded, and while all are equal only one side is
 * read. Ticks should ascend but need not: a tick that steps back begins another round, and a
 * frame's place is its round, its tick, and its number among the frames of that tick. Frames are
 * not kept after they were compared. Floats are compared by their bits, as the reference compares
 * snapshots: replays that differ in the sign of a zero diverge later. */
#include "formats/murk/murk_compare.h"
#include "core/format.h"

#include <stdio.h>

/* ---- headers and commands, field by field ------------------------------------------------ */

enum { PATH_SIZE = 128 };

static void differ_bytes(struct murk_rows *r, const char *path, struct ras_bytes a,
                         struct ras_bytes b)
{
    r->count += fields_bytes(r->doc, r->compare->options, path, a, b);
}

static void murk_hash_put(struct document *d, const char *key, uint64_t hash)
{
    document_name(d, key);
    document_format(d, "0x%016" PRIx64, hash);
}

static void murk_header_rows(struct murk_rows *r, const struct ras_murk_header *a,
                             const struct ras_murk_header *b)
{
    struct document sides[2] = {0};
    for (int i = 0; i < 2; i++) {
        size_t map = document_open(&sides[i], RAS_MAP);
        murk_header_put(&sides[i], i ? b : a);
        document_close(&sides[i], map);
    }
    r->count +=
        fields_compare_sides(r->doc, r->compare->options, NULL, "header", sides, FIELDS_BITS);
    differ_bytes(r, "header.space_descriptor", a->space_descriptor, b->space_descriptor);
}

/* ---- commands ---------------------------------------------------------------------- */

/* Fields in the order of reports: those of every command, and those of typed payloads, of which
 * each payload has some. */
static const char *const plain_fields[] = {"payload_type", "payload_name", "priority_class",
                                           "source_id",    "source_seq",   "expires_after_tick",
                                           "arrival_seq"};
static const char *const typed_fields[] = {"entity_id", "coord", "field_id",     "type_id", "key",
                                           "value",     "data",  "field_values", "params"};
enum {
    PLAIN = sizeof plain_fields / sizeof *plain_fields,
    TYPED = sizeof typed_fields / sizeof *typed_fields
};

/* A command as cells; `trailing`: bytes after a typed payload. */
struct command {
    struct cells cells;
    bool typed;
    struct ras_bytes payload, trailing;
};

static bool command_open(struct command *c, const struct ras_murk_command *k)
{
    static const struct view all = {.values = true};
    struct ras_murk_payload p = {0};
    struct ras_murk_fault fault;
    *c = (struct command){.payload = k->payload};
    c->typed = ras_murk_payload_get(k->payload_type, k->payload, &p, &fault);
    if (c->typed)
        c->trailing =
            (struct ras_bytes){k->payload.at + (k->payload.len - p.trailing), (size_t)p.trailing};
    return murk_command_values(&c->cells, &all, k);
}

static const struct ras_value *value_named(const struct command *c, const char *name)
{
    return cells_find(&c->cells, ras_field_index(&murk_command_schema, name));
}

static void differ_named(struct murk_rows *r, size_t index, const char *name,
                         const struct command c[2])
{
    char path[PATH_SIZE];
    const struct ras_value *a = value_named(&c[0], name), *b = value_named(&c[1], name);
    size_t most = compare_counts(r->compare)     ? COMPARE_ROWS_MOST
                  : r->count < COMPARE_ROWS_MOST ? COMPARE_ROWS_MOST - r->count
                                                 : 0;
    snprintf(path, sizeof path, "commands[%zu].%s", index, name);
    if (a->kind == RAS_BLOB && b->kind == RAS_BLOB)
        differ_bytes(r, path, (struct ras_bytes){a->at, a->count},
                     (struct ras_bytes){b->at, b->count});
    else
        r->count += fields_compare_some(r->doc, r->compare->options, path, a, b, FIELDS_BITS, most);
}

static void differ_span(struct murk_rows *r, size_t index, const char *name, struct ras_bytes a,
                        struct ras_bytes b)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "commands[%zu].%s", index, name);
    differ_bytes(r, path, a, b);
}

/* Adds a row for each field in which two commands differ, as commands[index].field. */
static void murk_command_rows(struct murk_rows *r, size_t index, const struct ras_murk_command *a,
                              const struct ras_murk_command *b)
{
    struct command c[2];
    bool first = command_open(&c[0], a), ok = command_open(&c[1], b) && first;
    bool typed = a->payload_type == b->payload_type && c[0].typed && c[1].typed;
    r->doc->cells.nomem |= !ok;
    for (size_t i = 0; ok && i < PLAIN; i++)
        if (strcmp(plain_fields[i], "payload_name") != 0) /* redundant with payload_type */
            differ_named(r, index, plain_fields[i], c);
    for (size_t i = 0; ok && typed && i < TYPED; i++)
        differ_named(r, index, typed_fields[i], c);
    if (ok && typed)
        differ_span(r, index, "trailing", c[0].trailing, c[1].trailing);
    else if (ok)
        differ_span(r, index, "payload", c[0].payload, c[1].payload);
    cells_free(&c[0].cells);
    cells_free(&c[1].cells);
}

/* ---- output ------------------------------------------------------------------------ */

static size_t items_of(const struct ras_value *list)
{
    size_t n = 0;
    for (const struct ras_value *v = list + 1; v < ras_value_next(list); v = ras_value_next(v))
        n++;
    return n;
}

/* A value, or only its length if it is long. */
static void put_short(struct document *d, const char *key, const struct ras_value *v)
{
    document_key(d, key);
    size_t n = v->kind == RAS_LIST ? items_of(v) : 0;
    if (n > COMPARE_ITEMS_SHOWN)
        document_format(d, "%s", ras_counted(n, "element").text);
    else if (v->kind == RAS_BLOB && v->count > COMPARE_BYTES_SHOWN)
        document_format(d, "%" PRIu32 " bytes", v->count);
    else
        document_copy(d, v);
}

static void put_short_span(struct document *d, const char *key, struct ras_bytes b)
{
    put_short(d, key, &(struct ras_value){.kind = RAS_BLOB, .count = (uint32_t)b.len, .at = b.at});
}

/* Adds one command as a map. */
static void murk_command_put(struct document *d, const struct ras_murk_command *k)
{
    struct command c;
    bool ok = command_open(&c, k);
    size_t map = document_open(d, RAS_MAP);
    d->cells.nomem |= !ok;
    for (size_t i = 0; ok && i < PLAIN; i++)
        put_short(d, plain_fields[i], value_named(&c, plain_fields[i]));
    for (size_t i = 0; ok && i < TYPED; i++) {
        const struct ras_value *v = value_named(&c, typed_fields[i]);
        if (v->kind != RAS_NULL)
            put_short(d, typed_fields[i], v);
    }
    if (ok && !c.typed)
        put_short_span(d, "payload", c.payload);
    else if (ok && c.trailing.len)
        put_short_span(d, "trailing", c.trailing);
    document_close(d, map);
    cells_free(&c.cells);
}

/* ---- frames ------------------------------------------------------------------------------ */

struct side {
    struct ras_cursor *cursor;
    const struct ras_record *frame; /* NULL: no more frames */
    struct compare_place place;     /* of the frame */
};

struct murk_compare {
    struct compare *c;
    struct side sides[2];
    struct murk_match match;
    size_t header; /* where in the document its rows begin; SIZE_MAX: it does not differ */
    bool hash_only, commands, hash;
};

/* ---- header ------------------------------------------------------------------------ */

static bool header_of(const struct ras_trace *t, struct ras_murk_header *h)
{
    struct ras_murk_fault fault;
    return ras_murk_header_get(source_bytes(t->source, 0), h, &fault);
}

/* The rows of the header, kept in the document until the first divergence includes them. */
static void compare_headers(struct compare *c, struct murk_compare *m)
{
    struct ras_murk_header a, b;
    struct murk_rows rows = {.compare = c, .doc = &c->doc};
    m->header = SIZE_MAX;
    if (m->hash_only || !compare_wants(c->options, "header") || !header_of(c->side[0], &a) ||
        !header_of(c->side[1], &b))
        return;
    size_t list = document_open(&c->doc, RAS_LIST);
    murk_header_rows(&rows, &a, &b);
    document_close(&c->doc, list);
    if (rows.count) {
        m->header = list;
        compare_note(c, "the headers differ");
    } else {
        document_cut(&c->doc, list);
    }
}

/* Adds the rows of the header to the first divergence. */
static void put_header_rows(struct document *d, const struct murk_compare *m)
{
    if (m->header == SIZE_MAX || m->c->out->divergence_count || d != &m->c->doc)
        return;
    document_name(d, "header");
    document_copy_own(d, m->header);
}

/* ---- one tick ---------------------------------------------------------------------- */

static void frame_of(const struct side *s, struct ras_murk_frame *frame)
{
    struct ras_murk_fault fault;
    struct ras_bytes bytes = {s->frame->raw, s->frame->raw_len};
    if (!ras_murk_frame_get(bytes, frame, &fault))
        *frame = (struct ras_murk_frame){0}; /* it was valid before: the file has changed */
}

/* Adds a frame with its commands: all of them, or some from `from` on. */
static void put_frame_map(struct document *d, const struct ras_murk_frame *f, size_t from)
{
    struct in in = in_bytes(f->commands);
    struct ras_murk_command k;
    struct ras_murk_fault fault;
    size_t map = document_open(d, RAS_MAP);
    document_put_uint(d, "command_count", f->command_count);
    if (f->command_count > COMPARE_ITEMS_SHOWN && from) {
        document_put_uint(d, "commands_from", from);
    } else {
        from = 0;
    }
    size_t list = document_put_open(d, "commands", RAS_LIST);
    for (size_t i = 0; i < from + COMPARE_ITEMS_SHOWN && in_left(&in); i++)
        if (murk_command(&in, &k, &fault) && i >= from)
            murk_command_put(d, &k);
    document_close(d, list);
    murk_hash_put(d, "snapshot_hash", f->snapshot_hash);
    document_close(d, map);
}

static void command_row(struct murk_rows *r, int side, const struct murk_match *m, size_t i)
{
    struct document *d = r->doc;
    struct ras_murk_command k;
    char path[48];
    snprintf(path, sizeof path, "commands[%zu]", m->skipped + i);
    if (compare_ignores(r->compare->options, path))
        return;
    const struct murk_entry *e = &m->sides[side].at[i];
    bool moved = e->match != MURK_UNMATCHED;
    const char *lone = side ? "missing_expected" : "missing_actual";
    size_t row = fields_row(d, path, moved ? "moved" : lone);
    murk_entry_get(&m->sides[side], i, &k);
    for (int at = 0; at < 2; at++) {
        document_key(d, at ? "actual" : "expected");
        if (moved)
            document_uint(d, m->skipped + (at ? e->match : i));
        else if (at == side)
            murk_command_put(d, &k);
        else
            document_null(d);
    }
    document_close(d, row);
    r->count++;
}

/* Adds rows for commands; returns the index of the first that differs. */
static size_t compare_commands(struct murk_rows *r, const struct murk_match *m)
{
    struct ras_murk_command a, b;
    for (size_t i = 0; i < m->sides[0].count && !murk_rows_full(r); i++) {
        const struct murk_entry *e = &m->sides[0].at[i];
        size_t before = r->count;
        if (e->match == MURK_UNMATCHED || e->moved)
            command_row(r, 0, m, i);
        if (e->match != MURK_UNMATCHED && !e->same) {
            murk_entry_get(&m->sides[0], i, &a);
            murk_entry_get(&m->sides[1], e->match, &b);
            murk_command_rows(r, m->skipped + i, &a, &b);
        }
        r->things += r->count > before;
    }
    for (size_t i = 0; i < m->sides[1].count && !murk_rows_full(r); i++) {
        size_t before = r->count;
        if (m->sides[1].at[i].match == MURK_UNMATCHED)
            command_row(r, 1, m, i);
        r->things += r->count > before;
    }
    return m->skipped;
}

static void compare_hashes(struct murk_rows *r, uint64_t a, uint64_t b)
{
    struct document *d = r->doc;
    if (a == b || compare_ignores(r->compare->options, "snapshot_hash"))
        return;
    size_t row = fields_row(d, "snapshot_hash", "value_mismatch");
    murk_hash_put(d, "expected", a);
    murk_hash_put(d, "actual", b);
    document_close(d, row);
    r->count++;
    r->things++;
}

/* Adds the rows of a tick that both sides have; false: out of memory. */
static bool put_rows(struct murk_rows *r, struct murk_compare *m, const struct ras_murk_frame *f,
                     size_t *first)
{
    if (m->commands && !murk_match(&m->match, &f[0], &f[1]))
        return false;
    if (m->commands)
        *first = compare_commands(r, &m->match);
    if (m->hash)
        compare_hashes(r, f[0].snapshot_hash, f[1].snapshot_hash);
    return true;
}

/* Compares frames of one place that are not equal byte for byte. */
static int compare_frames(struct murk_compare *m)
{
    struct compare *c = m->c;
    size_t first = 0, detail;
    struct document *d = compare_detail_open(c, &detail);
    struct ras_murk_frame f[2];
    struct murk_rows rows = {.compare = c, .doc = d};
    frame_of(&m->sides[0], &f[0]);
    frame_of(&m->sides[1], &f[1]);
    size_t map = document_open(d, RAS_MAP);
    put_header_rows(d, m);
    size_t list = document_put_open(d, "mismatches", RAS_LIST);
    if (!put_rows(&rows, m, f, &first))
        d->cells.nomem = true;
    document_close(d, list);
    if (rows.count && d == &c->doc) {
        document_put_uint(d, "mismatch_count", rows.count);
        for (int i = 0; i < 2 && m->commands; i++) {
            document_key(d, i ? "actual" : "expected");
            put_frame_map(d, &f[i], first);
        }
    }
    document_close(d, map);
    detail = compare_detail_close(c, d, detail, rows.count);
    const struct ras_value at = value_of_uint(m->sides[0].place.number);
    if (!rows.count)
        return RAS_OK;
    bool on = compare_diverged(c, "tick_mismatch", at, detail);
    compare_amount(c, rows.things);
    return on ? RAS_OK : RAS_END;
}

/* ---- the walk: see struct place_walk_ops -------------------------------------------- */

/* A frame that only one side has. */
static int lone_frame(void *user, int side, struct ras_error *err)
{
    struct murk_compare *m = user;
    struct compare *c = m->c;
    struct document *d = &c->doc;
    struct ras_murk_frame f;
    size_t detail = COMPARE_NO_DETAIL;
    uint64_t tick = m->sides[side].place.number;
    (void)err;
    if (!compare_in_range(c->options, tick))
        return RAS_OK;
    c->out->checked++;
    if (compare_wants_detail(c)) {
        detail = document_open(d, RAS_MAP);
        put_header_rows(d, m);
        document_put_text(d, "missing_in", side ? "expected" : "actual");
        document_key(
            d, "ended"); /* false: a tick is missing between others; true: that side has no more */
        document_bool(d, !m->sides[!side].frame);
        frame_of(&m->sides[side], &f);
        document_key(d, side ? "actual" : "expected");
        put_frame_map(d, &f, 0);
        document_close(d, detail);
    }
    bool on = compare_diverged(c, "missing_tick", value_of_uint(tick), detail);
    return on ? RAS_OK : RAS_END;
}

static int pair_of_frames(void *user, struct ras_error *err)
{
    struct murk_compare *m = user;
    const struct ras_record *a = m->sides[0].frame, *b = m->sides[1].frame;
    (void)err;
    if (!compare_in_range(m->c->options, m->sides[0].place.number))
        return RAS_OK;
    m->c->out->checked++;
    bool same = a->raw_len == b->raw_len && !memcmp(a->raw, b->raw, a->raw_len);
    return same ? RAS_OK : compare_frames(m);
}

static int compare_next_frame(void *user, int side, struct ras_error *err)
{
    struct murk_compare *m = user;
    struct side *s = &m->sides[side];
    int status = walk_next(m->c->side[side], s->cursor, &s->frame, err);
    if (status == RAS_OK)
        compare_place_next(&s->place, s->frame->tick);
    if (status == RAS_END)
        s->frame = NULL;
    return status;
}

static bool compare_is_cut(const void *user, int side)
{
    const struct murk_compare *m = user;
    return ras_ending(m->c->side[side]).kind >= RAS_CUT;
}

static int compare_order(const void *user)
{
    const struct murk_compare *m = user;
    return compare_place_order(&m->sides[0].place, &m->sides[1].place);
}

static uint64_t compare_progress(const void *user, uint64_t *total)
{
    const struct murk_compare *m = user;
    return ras_cursor_progress(m->sides[0].cursor, total);
}

static const struct place_walk_ops frames = {
    .next = compare_next_frame,
    .is_cut = compare_is_cut,
    .order = compare_order,
    .lone = lone_frame,
    .pair = pair_of_frames,
    .progress = compare_progress,
};

/* Skips frames at the front that are equal byte for byte: only one side is parsed. */
static int pass_equal(struct compare *c, struct murk_compare *m, struct ras_mark mark[2],
                      struct ras_error *err)
{
    struct ras_bytes a = source_bytes(c->side[0]->source, 0);
    struct ras_bytes b = source_bytes(c->side[1]->source, 0);
    uint64_t most = c->side[0]->limits.record_bytes, other = c->side[1]->limits.record_bytes;
    struct ras_murk_frame f;
    struct ras_murk_fault fault;
    struct compare_place *place = &m->sides[0].place;
    most = most < other ? most : other;
    for (uint64_t n = 0; mark[0].offset < a.len; n++) {
        struct ras_bytes rest = {a.at + mark[0].offset, a.len - mark[0].offset};
        if (!ras_murk_frame_get(rest, &f, &fault) || f.size > b.len - mark[1].offset ||
            f.size > most || memcmp(rest.at, b.at + mark[1].offset, f.size) != 0)
            break;
        mark[0].offset += f.size;
        mark[1].offset += f.size;
        mark[0].seq += 1 + (uint64_t)f.command_count;
        compare_place_next(place, f.tick_id);
        c->out->checked += compare_in_range(c->options, f.tick_id);
        if (c->options->progress && n % COMPARE_PROGRESS_ROWS == 0 &&
            !c->options->progress(c->options->user, mark[0].offset, a.len))
            return fail_canceled(err);
    }
    mark[1].seq = mark[0].seq;
    m->sides[1].place = *place;
    return RAS_OK;
}

static int open_sides(struct compare *c, struct murk_compare *m, struct ras_error *err)
{
    static const struct ras_pick pick = {.type = "frame"};
    const struct ras_scan scan = {.picks = &pick, .pick_count = 1, .headers_only = true};
    struct ras_mark mark[2] = {{.offset = c->side[0]->body}, {.offset = c->side[1]->body}};
    int status = c->options->paranoid ? RAS_OK : pass_equal(c, m, mark, err);
    for (int i = 0; i < 2 && status == RAS_OK; i++) {
        status = ras_cursor_open(&m->sides[i].cursor, c->side[i], &scan, err);
        if (status == RAS_OK)
            status = ras_jump(m->sides[i].cursor, &mark[i], err);
    }
    return status;
}

static int compare_run(struct compare *c, struct ras_error *err)
{
    struct murk_compare *m = c->priv;
    m->c = c;
    m->hash_only = compare_chose(c, "hash-only");
    m->commands = !m->hash_only && compare_wants(c->options, "commands");
    m->hash = compare_wants(c->options, "hash");
    compare_headers(c, m);
    int status = open_sides(c, m, err);
    if (status == RAS_OK)
        status = place_walk_run(c, &frames, m, err);
    for (int i = 0; i < 2 && status == RAS_OK; i++)
        status = compare_ending(c, i, m->sides[i].cursor, err);
    if (status == RAS_OK && m->header != SIZE_MAX && !c->out->divergence_count) {
        size_t detail = document_open(&c->doc, RAS_MAP);
        put_header_rows(&c->doc, m);
        document_close(&c->doc, detail);
        (void)compare_diverged(c, "header_mismatch", (struct ras_value){.kind = RAS_NULL}, detail);
    }
    return status;
}

static void compare_stop(struct compare *c)
{
    struct murk_compare *m = c->priv;
    ras_cursor_close(m->sides[0].cursor);
    ras_cursor_close(m->sides[1].cursor);
    murk_match_free(&m->match);
}

static void compare_paths(struct ras_trace *t, enum ras_paths of, struct known_paths *k)
{
    static const char *const header[] = {"toolchain",     "target_triple", "murk_version",
                                         "compile_flags", "seed",          "config_hash",
                                         "field_count",   "cell_count",    "space_descriptor"};
    static const char *const command[] = {
        "payload_type", "priority_class", "source_id", "source_seq", "expires_after_tick",
        "arrival_seq",  "entity_id",      "coord",     "field_id",   "value",
        "field_values", "type_id",        "data",      "key",        "params",
        "payload",      "trailing"};
    (void)t;
    if (of != RAS_PATHS_DIFF)
        return;
    for (size_t i = 0; i < sizeof header / sizeof *header; i++)
        paths_add(k, "header.%s", header[i]);
    for (size_t i = 0; i < sizeof command / sizeof *command; i++)
        paths_add(k, "commands[*].%s...", command[i]);
    paths_add(k, "snapshot_hash");
}

static const struct ras_detail_member frame_members[] = {
    MEMBER_VALUE("command_count", NUMBER, "commands of the frame"),
    MEMBER_MAYBE("commands_from", NUMBER,
                 "index of the first listed command, if not all are listed"),
    MEMBER_VALUE("commands", LIST, "at most 64 commands, each with the fields of its payload"),
    MEMBER_VALUE("snapshot_hash", TEXT, "`0x` and 16 digits"),
    {0},
};
#define HEADER_ROWS                                                                                \
    {                                                                                              \
        "header", RAS_DETAIL_ROWS, RAS_DETAIL_LIST, true, detail_row,                              \
            "first divergence only: fields of the headers that differ"                             \
    }
#define FRAME(key, what)                                                                           \
    {                                                                                              \
        key, RAS_DETAIL_SIDE, RAS_DETAIL_MAP, true, frame_members, what                            \
    }
static const struct ras_detail_member tick_members[] = {
    HEADER_ROWS,
    MEMBER_ROWS("mismatches", "fields that differ, at most 256"),
    MEMBER_COUNT("mismatch_count", "number of rows"),
    FRAME("expected", "the first side's frame, where commands are compared"),
    FRAME("actual", "the second side's frame, where commands are compared"),
    {0},
};
static const struct ras_detail_member missing_members[] = {
    HEADER_ROWS,
    MEMBER_MISSING,
    MEMBER_ENDED,
    FRAME("expected", "the frame, where the first side has it"),
    FRAME("actual", "the frame, where the second side has it"),
    {0},
};
static const struct ras_detail_member header_members[] = {
    MEMBER_ROWS("header", "fields of the headers that differ"),
    {0},
};
static const struct ras_detail_kind details[] = {
    {"tick_mismatch", "both sides have the tick, with different commands or hashes", tick_members},
    {"missing_tick", "only one side has the tick", missing_members},
    {"header_mismatch", "only the headers differ", header_members},
    {0},
};

const struct compare_ops murk_compare = {
    .details = details,
    .key = "tick_index",
    .word = "tick",
    .line = "inputs",
    .maker = "Murk",
    .activity = {"frame", "command_count", "commands"},
    .takes = COMPARE_RANGE | COMPARE_CHANNELS | COMPARE_PATHS,
    .channels = (const char *const[]){"header", "commands", "hash", NULL},
    .channel_types = (const char *const[]){NULL, "command", "frame"},
    .size = sizeof(struct murk_compare),
    .run = compare_run,
    .stop = compare_stop,
    .paths = compare_paths,
};
