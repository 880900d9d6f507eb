/* aerogpu_stats.c - figures of a GPU trace: commands, draws and bytes of each frame. */
#include "formats/aerogpu/aerogpu_driver.h"
#include "ops/stats/tally.h"

#include <stdlib.h>

enum spread { COMMANDS, DRAWS, RECORDS, BYTES, BLOB_BYTES, SPREADS };

struct frame_row {
    uint64_t frame;
    uint64_t values[SPREADS];
    uint32_t packets, submissions, blobs;
    bool complete; /* it was presented */
};

struct aero_stats {
    struct stats *s;
    struct tally commands, blobs;
    struct quantiles spreads[SPREADS];
    struct frame_row *frames;
    size_t frame_count, frame_room;
    struct frame_row now, outside;
    bool begun;
    uint64_t all_frames, unpresented, all_commands;
};

/* ---- the walk ------------------------------------------------------------------------- */

static void frame_end(struct aero_stats *m)
{
    if (!m->begun)
        return;
    for (int i = 0; i < SPREADS; i++)
        stats_add(m->s, &m->spreads[i], m->now.values[i]);
    tally_unit_end(m->s, &m->commands);
    tally_unit_end(m->s, &m->blobs);
    m->all_frames++;
    m->unpresented += !m->now.complete;
    m->begun = false;
    if (tally_lists(m->s, &m->frames, &m->frame_room, m->frame_count, sizeof *m->frames))
        m->frames[m->frame_count++] = m->now;
}

/* The frame of a record; records outside frames are counted separately. */
static struct frame_row *frame_of(struct aero_stats *m, const struct ras_record *r)
{
    if (!(r->flags & RAS_HAS_TICK))
        return &m->outside;
    if (m->begun && m->now.frame != r->tick)
        frame_end(m);
    if (!m->begun) {
        m->now = (struct frame_row){.frame = r->tick};
        tally_unit_none(&m->commands);
        tally_unit_none(&m->blobs);
    }
    m->begun = true;
    return &m->now;
}

static const struct ras_value *value_of(const struct ras_cursor *c, const char *name)
{
    const struct ras_value *v = ras_value_of(c, name);
    return v && v->kind != RAS_NULL ? v : NULL;
}

/* Names come from constant tables, so that they may be kept. */
static const char *cell_name(const struct ras_value *v)
{
    return v && v->kind == RAS_STR ? v->at : NULL;
}

static bool is_draw(const struct ras_value *name)
{
    return name && name->kind == RAS_STR && name->count >= 4 && !memcmp(name->at, "DRAW", 4);
}

static void count_command(struct aero_stats *m, const struct ras_cursor *c,
                          const struct ras_record *r, struct frame_row *frame)
{
    const struct ras_value *opcode = value_of(c, "opcode"), *name = value_of(c, "name");
    const struct ras_value *size = value_of(c, "size_bytes");
    tally_add(m->s, &m->commands, opcode ? opcode->u : TALLY_OTHERS - 1, cell_name(name),
              size ? size->u : 0, r->tick);
    frame->values[COMMANDS]++;
    frame->values[DRAWS] += is_draw(name);
    m->all_commands++;
}

static void count_blob(struct aero_stats *m, const struct ras_cursor *c, const struct ras_record *r,
                       struct frame_row *frame)
{
    const struct ras_value *kind = value_of(c, "kind"), *size = value_of(c, "size");
    uint64_t bytes = size ? size->u : 0;
    tally_add(m->s, &m->blobs, kind ? kind->u : 0, cell_name(value_of(c, "kind_name")), bytes,
              r->tick);
    frame->values[BLOB_BYTES] += bytes;
    frame->blobs++;
}

static int count_record(void *user, const struct ras_cursor *c, const struct ras_record *r,
                        struct ras_error *err)
{
    struct aero_stats *m = user;
    const char *type = ras_schema_of(c)->name;
    (void)err;
    if (!strcmp(type, "gap") || !strcmp(type, "alloc"))
        return RAS_OK;
    struct frame_row *frame = frame_of(m, r);
    if (!strcmp(type, "command")) {
        count_command(m, c, r, frame);
        return RAS_OK;
    }
    if (!strcmp(type, "frame")) { /* delivered when it is presented, after its records */
        frame->complete = true;
        frame_end(m);
        return RAS_OK;
    }
    frame->values[RECORDS]++;
    frame->values[BYTES] += r->raw_len;
    frame->packets += !strcmp(type, "packet");
    frame->submissions += !strcmp(type, "submission");
    if (!strcmp(type, "blob"))
        count_blob(m, c, r, frame);
    return RAS_OK;
}

/* ---- tables ---------------------------------------------------------------------------- */

static void put_tally_name(struct stats *s, void *row, void *user)
{
    const struct tally_row *k = row;
    (void)user;
    if (k->name)
        document_key(&s->doc, k->name);
    else
        document_format(&s->doc, "unknown 0x%" PRIx64, k->id);
}

#define COUNT_COLUMNS                                                                              \
    TALLY_COLUMN("count", count), TALLY_COLUMN("size_bytes", bytes),                               \
        TALLY_COLUMN("frames", units), TALLY_PER_UNIT,                                             \
    {                                                                                              \
        0                                                                                          \
    }

static void put_tally(struct aero_stats *m, struct tally *t, const char *table,
                      const struct stats_column *columns, const char *coverage)
{
    stats_columns(m->s, table, columns, NULL);
    stats_order(m->s, "count", false);
    stats_put_rows(m->s, t->rows, t->count, sizeof *t->rows);
    stats_table_end(m->s, "%s; percentiles over the frames in which they occur", coverage);
}

static void put_frames(struct aero_stats *m)
{
    static const struct stats_column columns[] = {
        {"frame", STATS_U64, offsetof(struct frame_row, frame)},
        {"commands", STATS_U64, offsetof(struct frame_row, values[COMMANDS])},
        {"draws", STATS_U64, offsetof(struct frame_row, values[DRAWS])},
        {"packets", STATS_U32, offsetof(struct frame_row, packets)},
        {"submissions", STATS_U32, offsetof(struct frame_row, submissions)},
        {"blobs", STATS_U32, offsetof(struct frame_row, blobs)},
        {"records", STATS_U64, offsetof(struct frame_row, values[RECORDS])},
        {"size_bytes", STATS_U64, offsetof(struct frame_row, values[BYTES])},
        {"blob_bytes", STATS_U64, offsetof(struct frame_row, values[BLOB_BYTES])},
        {"presented", STATS_BOOL, offsetof(struct frame_row, complete)},
        {0}};
    if (stats_columns(m->s, "frames", columns, NULL))
        stats_put_rows(m->s, m->frames, m->frame_count, sizeof *m->frames);
    stats_table_end(
        m->s,
        "%zu of %s, %" PRIu64 " never presented; size is of packets, blobs and submissions; "
        "outside frames: %s of %" PRIu64 " bytes, %s",
        m->frame_count, ras_counted(m->all_frames, "frame").text, m->unpresented,
        ras_counted(m->outside.values[RECORDS], "record").text, m->outside.values[BYTES],
        ras_counted(m->outside.values[COMMANDS], "command").text);
}

static void put_tables(struct aero_stats *m)
{
    static const struct stats_column commands[] = {{"command", .put = put_tally_name},
                                                   COUNT_COLUMNS};
    static const struct stats_column blobs[] = {{"kind", .put = put_tally_name}, COUNT_COLUMNS};
    static const char *const spread[] = {"in_each_frame", TALLY_SPREAD, NULL};
    static const char *const names[SPREADS] = {"commands", "draws", "records", "bytes",
                                               "bytes of blobs"};
    put_tally(m, &m->commands, "commands", commands,
              "decoded commands of packets and of the streams that submissions name");
    stats_table(m->s, "spread", spread);
    for (int i = 0; i < SPREADS; i++)
        tally_put_spread(m->s, names[i], &m->spreads[i]);
    if (m->all_frames)
        stats_table_end(m->s, "over %s; draws are DRAW and DRAW_INDEXED; %s",
                        ras_counted(m->all_frames, "frame").text,
                        stats_exactness(quantiles_exact(&m->spreads[BYTES])));
    else
        stats_table_end(m->s, "not measurable: there are no frames");
    put_tally(m, &m->blobs, "blobs", blobs, "blobs by kind");
    put_frames(m);
}

int aero_stats(struct ras_trace *t, struct stats *s, struct ras_error *err)
{
    static const char *const command[] = {"opcode", "name", "size_bytes"};
    static const char *const blob[] = {"kind", "kind_name", "size"}, *const none[] = {""};
    static const struct ras_pick picks[] = {
        {"frame", none, 0}, {"packet", none, 0},     {"submission", none, 0}, {"blob", blob, 3},
        {"gap", none, 0},   {"command", command, 3}, {"alloc", none, 0},
    };
    const struct ras_scan scan = {.picks = picks, .pick_count = sizeof picks / sizeof *picks};
    struct aero_stats m = {.s = s};
    (void)t;
    int status = stats_walk(s, &scan, count_record, &m, err);
    frame_end(&m);
    if (status == RAS_OK)
        put_tables(&m);
    tally_free(&m.commands);
    tally_free(&m.blobs);
    for (int i = 0; i < SPREADS; i++)
        quantiles_free(&m.spreads[i]);
    free(m.frames);
    return status;
}
