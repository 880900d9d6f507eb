/* desk.c - the notes of a tick, collected and given to the scribes. */
#include "base/error.h"
#include "codec/fnv1a.h"
#include "core/tick_index.h"
#include "pens/scribe.h"

#include <stdlib.h>
#include <string.h>

const struct scribe_type *const scribes[SCRIBES] = {[MURK] = &murk_scribe,
                                                    [CDT] = &cdt_scribe,
                                                    [AEROGPU] = &aerogpu_scribe,
                                                    [DIAL9] = &dial9_scribe};

static const char ticks_name[] = "ticks.idx";

/* ---- ticks that have ended ------------------------------------------------------------------- */

static int range_add(struct desk *d, uint64_t tick, struct ras_error *err)
{
    struct tick_range *last = d->range_count ? &d->ranges[d->range_count - 1] : NULL;
    if (last && last->first + last->count == tick) {
        last->count++;
    } else {
        if (!array_grow(&d->ranges, &d->range_room, d->range_count + 1, sizeof *d->ranges))
            return fail_memory(err);
        d->ranges[d->range_count++] = (struct tick_range){tick, 1};
    }
    d->ticks++;
    d->last = tick;
    return RAS_OK;
}

/* A scribe that begins late has the ticks before it, too. */
static int write_blanks(const struct desk *d, unsigned i, struct ras_error *err)
{
    struct desk_tick blank = {0};
    int status = RAS_OK;
    for (size_t r = 0; r < d->range_count; r++)
        for (uint64_t k = 0; status == RAS_OK && k < d->ranges[r].count; k++) {
            blank.tick = d->ranges[r].first + k;
            status = scribes[i]->tick(d->scribe[i], &blank, err);
            blank.ordinal++;
        }
    return status;
}

int desk_begin(struct desk *d, unsigned i, struct ras_error *err)
{
    if (d->scribe[i] || d->excluded[i])
        return RAS_OK;
    int status = scribes[i]->open(&d->scribe[i], &d->run, err);
    d->late[i] = d->ticks != 0;
    if (status == RAS_OK && d->begun)
        status = d->begun(d->user, err);
    return status < 0 ? status : write_blanks(d, i, err);
}

int desk_resumed(struct desk *d, uint64_t tick, struct ras_error *err)
{
    return range_add(d, tick, err);
}

/* ---- ticks.idx ---------------------------------------------------------------------------------
 */

/* Rows wait in memory, until the files have what they name. */
static int put_row(struct desk *d, struct ras_error *err)
{
    tick_rows_put(d->rows, "tick", d->tick.tick);
    for (unsigned i = 0; i < SCRIBES; i++)
        if (d->scribe[i] && !d->late[i])
            scribes[i]->place(d->scribe[i], d->rows);
    return tick_rows_end(d->rows, err);
}

static int write_rows(struct desk *d, struct ras_error *err)
{
    struct ras_bytes rows = ras_sink_bytes(d->rows_sink);
    int status = ras_sink_write(d->rows_file, rows.at, rows.len, err);
    if (status == RAS_OK)
        status = ras_sink_flush(d->rows_file, err);
    return status < 0 ? status : ras_sink_rewind(d->rows_sink, 0, err);
}

/* ---- one tick ------------------------------------------------------------------------------ */

/* Draws of several threads have no order that two runs share. Those
 * of one thread stay in their order. */
static void sort_draws(struct desk *d)
{
    bool several = false;
    for (size_t i = 1; i < d->tick.draw_count; i++)
        several |= d->draws[i].thread != d->draws[0].thread;
    for (size_t i = 1; several && i < d->tick.draw_count; i++) {
        struct draw_note one = d->draws[i];
        size_t k = i;
        for (; k > 0 && d->draws[k - 1].thread > one.thread; k--)
            d->draws[k] = d->draws[k - 1];
        d->draws[k] = one;
    }
}

static int end_tick(struct desk *d, uint64_t end_ns, struct ras_error *err)
{
    struct desk_tick *t = &d->tick;
    int status = RAS_OK;
    if (!d->open)
        return RAS_OK;
    sort_draws(d);
    t->ordinal = d->ticks;
    t->end_ns = end_ns;
    t->hash = d->given || d->hashed ? d->hash : 0;
    t->commands = d->commands_at;
    t->entities = d->entities;
    t->players = d->players;
    t->draws = d->draws;
    t->streams = d->streams;
    t->picture = d->picture.there ? &d->picture : NULL;
    for (unsigned i = 0; status == RAS_OK && i < SCRIBES; i++)
        if (scribes[i]->always)
            status = desk_begin(d, i, err);
    for (unsigned i = 0; status == RAS_OK && i < SCRIBES; i++)
        if (d->scribe[i])
            status = scribes[i]->tick(d->scribe[i], t, err);
    if (status == RAS_OK)
        status = put_row(d, err);
    d->commands += t->command_count;
    d->end_ns = end_ns;
    d->open = false;
    arena_reset(&d->arena);
    return status < 0 ? status : range_add(d, t->tick, err);
}

static int begin_tick(struct desk *d, const struct tick_note *n, struct ras_error *err)
{
    int status = end_tick(d, n->time_ns, err);
    if (status < 0)
        return status;
    if (d->ticks && n->tick <= d->last)
        return fail(err, RAS_EFORMAT, RAS_NONE, "tick %" PRIu64 " after tick %" PRIu64, n->tick,
                    d->last);
    if (!d->ticks) {
        d->begin_ns = n->time_ns;
        d->run.first_tick = n->tick;
    }
    d->tick = (struct desk_tick){.tick = n->tick, .begin_ns = n->time_ns};
    d->open = true;
    d->hashed = d->given = false;
    d->hash = FNV1A_START;
    d->picture.there = false;
    return RAS_OK;
}

/* ---- notes --------------------------------------------------------------------------------- */

/* The fixed part of a note; false: it is too short. */
static bool take(const struct note *n, void *to, size_t size, struct ras_bytes *rest)
{
    if (n->size < size)
        return false;
    memcpy(to, n->at, size);
    if (rest)
        *rest = (struct ras_bytes){n->at + size, n->size - size};
    return true;
}

static int not_valid(const struct note *n, struct ras_error *err)
{
    return fail(err, RAS_EFORMAT, RAS_NONE, "a note of kind %d with %zu bytes", n->kind, n->size);
}

static uint8_t *keep(struct desk *d, struct ras_bytes bytes)
{
    uint8_t *copy = arena_take(&d->arena, bytes.len + 1);
    return copy ? memcpy(copy, bytes.len ? bytes.at : (const uint8_t *)"", bytes.len) : NULL;
}

static int add_command(struct desk *d, const struct ras_murk_command *c, struct ras_error *err)
{
    uint32_t count = d->tick.command_count;
    if (!array_grow(&d->commands_at, &d->command_room, count + 1u, sizeof *c))
        return fail_memory(err);
    d->commands_at[count] = *c;
    d->commands_at[count].arrival_seq = d->commands + count;
    d->tick.command_count++;
    return RAS_OK;
}

/* The program's own bytes: a Custom payload is the type, a length and they. */
static int desk_input(struct desk *d, const struct note *n, struct ras_error *err)
{
    struct input_note input;
    struct ras_bytes data;
    struct ras_murk_fault fault;
    size_t size = 0;
    if (!take(n, &input, sizeof input, &data))
        return not_valid(n, err);
    const struct ras_murk_payload payload = {.type_id = input.type, .data = data};
    bool good = ras_murk_payload_put(RAS_MURK_CUSTOM, &payload, NULL, 0, &size, &fault);
    uint8_t *to = good ? arena_take(&d->arena, size + 1) : NULL;
    if (good && !to)
        return fail_memory(err);
    if (!good || !ras_murk_payload_put(RAS_MURK_CUSTOM, &payload, to, size, &size, &fault))
        return fail(err, RAS_ELIMIT, RAS_NONE, "an input of %zu bytes", data.len);
    const struct ras_murk_command c = {
        .payload_type = RAS_MURK_CUSTOM, .payload = {to, size}, .expires_after_tick = d->tick.tick};
    return add_command(d, &c, err);
}

static int desk_command(struct desk *d, const struct note *n, struct ras_error *err)
{
    struct command_note note;
    struct ras_bytes payload;
    if (!take(n, &note, sizeof note, &payload))
        return not_valid(n, err);
    const struct ras_murk_command c = {.payload_type = note.payload_type,
                                       .priority_class = note.priority_class,
                                       .has_source_id = note.has_source_id & 1,
                                       .has_source_seq = note.has_source_seq & 1,
                                       .source_id = note.source_id,
                                       .source_seq = note.source_seq,
                                       .expires_after_tick = note.expires_after_tick,
                                       .payload = {keep(d, payload), payload.len}};
    return c.payload.at ? add_command(d, &c, err) : fail_memory(err);
}

/* The hash of a tick is that of all names and words, as they come. */
static int desk_state(struct desk *d, const struct note *n, struct ras_error *err)
{
    struct state_note s;
    struct ras_bytes name;
    uint8_t words[24];
    if (!take(n, &s, sizeof s, &name) || s.name_len > name.len)
        return not_valid(n, err);
    if (n->kind == NOTE_BYTES)
        return RAS_OK;
    bool state = n->kind == NOTE_STATE;
    uint8_t *end = store_u64(words, s.index);
    if (state)
        end = store_u64(end, s.size);
    end = store_u64(end, s.word);
    if (!d->given) {
        d->hash = fnv1a_bytes(d->hash, name.at, s.name_len);
        d->hash = fnv1a_bytes(d->hash, words, (size_t)(end - words));
    }
    d->hashed = true;
    return RAS_OK;
}

static int desk_snapshot(struct desk *d, const struct note *n, struct ras_error *err)
{
    d->given = true;
    return take(n, &d->hash, sizeof d->hash, NULL) ? RAS_OK : not_valid(n, err);
}

#define ADD(d, n, items, room, count, err)                                                         \
    (!array_grow(&(d)->items, &(d)->room, (d)->tick.count + 1, sizeof *(d)->items)                 \
         ? fail_memory(err)                                                                        \
     : take((n), &(d)->items[(d)->tick.count], sizeof *(d)->items, NULL)                           \
         ? ((d)->tick.count++, RAS_OK)                                                             \
         : not_valid((n), (err)))

static int desk_draw(struct desk *d, const struct note *n, struct ras_error *err)
{
    return ADD(d, n, draws, draw_room, draw_count, err);
}

static int desk_entity(struct desk *d, const struct note *n, struct ras_error *err)
{
    return ADD(d, n, entities, entity_room, entity_count, err);
}

static int desk_player(struct desk *d, const struct note *n, struct ras_error *err)
{
    return ADD(d, n, players, player_room, player_count, err);
}

static int desk_row(struct desk *d, const struct note *n, struct ras_error *err)
{
    struct ras_bytes row = {n->at, n->size};
    d->tick.row = (struct ras_bytes){keep(d, row), row.len};
    return d->tick.row.at ? RAS_OK : fail_memory(err);
}

static int desk_pixels(struct desk *d, const struct note *n, struct ras_error *err)
{
    struct desk_picture *p = &d->picture;
    struct ras_bytes pixels;
    if (!take(n, &p->about, sizeof p->about, &pixels))
        return not_valid(n, err);
    bool indexed = p->about.format == RAS_PENS_INDEXED;
    uint64_t cells = (uint64_t)p->about.width * p->about.height;
    if (p->about.format > RAS_PENS_INDEXED || !cells || cells > UINT32_MAX / 4 ||
        pixels.len != (indexed ? cells + 1024 : cells * 4))
        return not_valid(n, err);
    p->bytes.len = 0;
    out_bytes(&p->bytes, pixels.at, pixels.len);
    p->there = !p->bytes.failed;
    return p->there ? RAS_OK : fail_memory(err);
}

static int desk_commands(struct desk *d, const struct note *n, struct ras_error *err)
{
    struct ras_bytes stream = {n->at, n->size};
    uint8_t *copy = keep(d, stream);
    if (!copy ||
        !array_grow(&d->streams, &d->stream_room, d->tick.stream_count + 1, sizeof *d->streams))
        return fail_memory(err);
    d->streams[d->tick.stream_count++] = (struct ras_bytes){copy, stream.len};
    return RAS_OK;
}

/* What takes a note on the desk, and which scribe it is for. */
static const struct {
    int (*take)(struct desk *, const struct note *, struct ras_error *);
    int scribe; /* -1: none alone */
} kinds[NOTE_KINDS] = {
    [NOTE_INPUT] = {desk_input, MURK},
    [NOTE_COMMAND] = {desk_command, MURK},
    [NOTE_STATE] = {desk_state, MURK},
    [NOTE_BYTES] = {desk_state, DIAL9},
    [NOTE_INT] = {desk_state, MURK},
    [NOTE_REAL] = {desk_state, MURK},
    [NOTE_TEXT] = {desk_state, MURK},
    [NOTE_SNAPSHOT] = {desk_snapshot, MURK},
    [NOTE_DRAW] = {desk_draw, CDT},
    [NOTE_ENTITY] = {desk_entity, CDT},
    [NOTE_PLAYER] = {desk_player, CDT},
    [NOTE_ROW] = {desk_row, CDT},
    [NOTE_EVENT_TYPE] = {NULL, DIAL9},
    [NOTE_EVENT] = {NULL, DIAL9},
    [NOTE_SPAN] = {NULL, DIAL9},
    [NOTE_PIXELS] = {desk_pixels, AEROGPU},
    [NOTE_COMMANDS] = {desk_commands, AEROGPU},
};

/* Events are written as they come, in their order. */
static int pass_on(struct desk *d, const struct note *n, struct ras_error *err)
{
    int status = RAS_OK;
    for (unsigned i = 0; status == RAS_OK && i < SCRIBES; i++) {
        if (!scribes[i]->note || d->excluded[i])
            continue;
        status = desk_begin(d, i, err);
        if (status == RAS_OK)
            status = scribes[i]->note(d->scribe[i], d->tick.tick, n, err);
    }
    return status;
}

int desk_note(struct desk *d, const struct note *n, struct ras_error *err)
{
    struct tick_note tick;
    if (n->kind == NOTE_TICK || n->kind == NOTE_END) {
        if (!take(n, &tick, sizeof tick, NULL))
            return not_valid(n, err);
        return n->kind == NOTE_TICK ? begin_tick(d, &tick, err) : end_tick(d, tick.time_ns, err);
    }
    if (n->kind == NOTE_SETTLED || n->kind == NOTE_PAD)
        return RAS_OK;
    if (!d->open && n->kind != NOTE_EVENT_TYPE)
        return RAS_OK; /* before the first tick */
    int status = desk_begin(d, (unsigned)kinds[n->kind].scribe, err);
    if (status == RAS_OK && kinds[n->kind].take)
        status = kinds[n->kind].take(d, n, err);
    return status < 0 ? status : pass_on(d, n, err);
}

/* ---- the desk ------------------------------------------------------------------------------ */

int desk_open(struct desk *d, const struct scribe_run *run, struct ras_error *err)
{
    *d = (struct desk){.run = *run};
    d->rows = calloc(1, sizeof *d->rows);
    if (!d->rows)
        return fail_memory(err);
    int status = ras_sink_memory(&d->rows_sink, err);
    d->rows->sink = d->rows_sink;
    return status < 0 ? status : ras_folder_sink(run->folder, ticks_name, &d->rows_file, err);
}

int desk_flush(struct desk *d, struct stage_saved *saved, struct ras_error *err)
{
    int status = RAS_OK;
    *saved = (struct stage_saved){.tick = d->ticks ? d->last : RAS_NONE};
    for (unsigned i = 0; status == RAS_OK && i < SCRIBES; i++)
        if (d->scribe[i]) {
            status = scribes[i]->flush(d->scribe[i], err);
            saved->sizes[i] = scribes[i]->size(d->scribe[i]);
        }
    return status < 0 ? status : write_rows(d, err);
}

int desk_close(struct desk *d, struct ras_error *err)
{
    int status = end_tick(d, d->tick.end_ns, err);
    for (unsigned i = 0; i < SCRIBES; i++) {
        if (!d->scribe[i])
            continue;
        if (status == RAS_OK)
            status = scribes[i]->close(d->scribe[i], err);
        else
            scribes[i]->drop(d->scribe[i]);
        d->late[i] = true; /* it was there */
        d->scribe[i] = NULL;
    }
    if (status == RAS_OK)
        status = write_rows(d, err);
    return status < 0 ? status : ras_folder_finish(d->run.folder, d->rows_file, err);
}

void desk_free(struct desk *d)
{
    for (unsigned i = 0; i < SCRIBES; i++)
        if (d->scribe[i])
            scribes[i]->drop(d->scribe[i]);
    ras_sink_drop(d->rows_sink);
    free(d->rows);
    free(d->ranges);
    free(d->commands_at);
    free(d->entities);
    free(d->players);
    free(d->draws);
    free(d->streams);
    out_free(&d->picture.bytes);
    arena_free(&d->arena);
    *d = (struct desk){0};
}
