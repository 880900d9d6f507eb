/* pens_notes.c - what a program hands over, as notes in the ledger. */
#include "pens/pens_notes.h"
#include "base/error.h"
#include "base/functions_map.h"
#include "base/os.h"
#include <rastrum/cdt.h>
#include <rastrum/dial9.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PIECE(v) ((struct piece){&(v), sizeof(v)})
#define PUT(p, kind, ...)                                                                          \
    ((void)ledger_put(&(p)->ledger, kind, (const struct piece[]){__VA_ARGS__},                     \
                      sizeof((const struct piece[]){__VA_ARGS__}) / sizeof(struct piece)))

void pens_misused(struct ras_pens *p, int status, const char *fmt, ...)
{
    char text[200];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    mutex_lock(&p->ledger.lock);
    if (p->status == RAS_OK) {
        p->status = fail(&p->failure, status, RAS_NONE, "%s", text);
        p->misused = true;
    }
    mutex_unlock(&p->ledger.lock);
    ledger_stop(&p->ledger);
}

/* ---- ticks --------------------------------------------------------------------------------- */

void ras_pens_tick(struct ras_pens *p, uint64_t tick)
{
    if (!pens_are_on(p))
        return;
    if (tick == RAS_NONE || (p->begun && tick <= p->tick) || (!p->begun && tick < p->first_tick)) {
        pens_misused(p, RAS_EUSAGE, "tick %" PRIu64 " after tick %" PRIu64 ": numbers ascend", tick,
                     p->begun ? p->tick : p->first_tick);
        return;
    }
    bool skips = p->begun && tick != p->tick + 1;
    const struct tick_note n = {tick, os_boot_ns()};
    PUT(p, NOTE_TICK, PIECE(n));
    __atomic_store_n(&p->tick, tick, __ATOMIC_RELAXED);
    p->begun = true;
    p->depth = 0;
    if (p->mark)
        __atomic_store_n(&p->marked, p->mark(MAP_TICK, tick, skips) || p->marked, __ATOMIC_RELAXED);
}

void ras_pens_settled(struct ras_pens *p)
{
    if (!pens_are_on(p) || !p->begun)
        return;
    PUT(p, NOTE_SETTLED, {NULL, 0});
    if (p->mark)
        (void)p->mark(MAP_SETTLED, 0, false);
}

void ras_pens_flush(struct ras_pens *p)
{
    if (!pens_are_on(p))
        return;
    struct ledger *j = &p->ledger;
    mutex_lock(&j->lock);
    uint64_t flushes = j->flushes;
    j->flush = true;
    condition_notify_all(&j->work);
    while (!j->stopped && j->flushes == flushes)
        condition_wait_ms(&j->room, &j->lock, 100);
    mutex_unlock(&j->lock);
}

/* ---- inputs -------------------------------------------------------------------------------- */

void ras_pens_input(struct ras_pens *p, uint32_t type, const void *bytes, size_t size)
{
    const struct input_note n = {type};
    if (!pens_are_on(p))
        return;
    if (size > RAS_MURK_BYTES_MAX - 8)
        pens_misused(p, RAS_ELIMIT, "an input of %zu bytes, more than %u", size,
                     (unsigned)RAS_MURK_BYTES_MAX - 8);
    else
        PUT(p, NOTE_INPUT, PIECE(n), {bytes, bytes ? size : 0});
}

void ras_pens_command(struct ras_pens *p, const struct ras_murk_command *c)
{
    if (!pens_are_on(p) || !c)
        return;
    struct command_note n = {0};
    n.payload_type = c->payload_type;
    n.priority_class = c->priority_class;
    n.has_source_id = c->has_source_id;
    n.has_source_seq = c->has_source_seq;
    n.source_id = c->source_id;
    n.source_seq = c->source_seq;
    n.expires_after_tick = c->expires_after_tick;
    if (c->payload.len > RAS_MURK_BYTES_MAX)
        pens_misused(p, RAS_ELIMIT, "a command of %zu bytes", c->payload.len);
    else
        PUT(p, NOTE_COMMAND, PIECE(n), {c->payload.at, c->payload.len});
}

/* ---- names ----------------------------------------------------------------------------------- */

uint32_t ras_pens_name(struct ras_pens *p, const char *name)
{
    uint32_t number = 0;
    if (!pens_are_on(p) || !name)
        return 0;
    char *text = text_cleaned(name);
    if (!text)
        return 0;
    mutex_lock(&p->name_lock);
    for (size_t i = 0; !number && i < p->name_count; i++)
        if (!strcmp(p->names[i].text, text))
            number = (uint32_t)i + 1;
    if (!number && p->name_count < UINT32_MAX &&
        array_grow(&p->names, &p->name_room, p->name_count + 1, sizeof *p->names)) {
        p->names[p->name_count++] = (struct note_name){text, (uint32_t)strlen(text)};
        number = (uint32_t)p->name_count;
        text = NULL;
    }
    mutex_unlock(&p->name_lock);
    free(text);
    return number;
}

/* A number that is no name's has none. */
static struct note_name name_of(struct ras_pens *p, uint32_t number)
{
    static char nothing[] = "";
    struct note_name name = {nothing, 0};
    mutex_lock(&p->name_lock);
    if (number && number <= p->name_count)
        name = p->names[number - 1];
    mutex_unlock(&p->name_lock);
    return name;
}

/* ---- state ----------------------------------------------------------------------------------- */

/* Eight bytes a step. */
static uint64_t hash_more(uint64_t h, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    const uint64_t factor = UINT64_C(0x9e3779b97f4a7c15);
    for (; size >= 8; size -= 8, at += 8) {
        h = (h ^ load_u64(at)) * factor;
        h ^= h >> 32;
    }
    uint8_t rest[8] = {0};
    if (size)
        memcpy(rest, at, size);
    h = (h ^ load_u64(rest) ^ (uint64_t)size << 56) * factor;
    return h ^ h >> 29;
}

static void put_state(struct ras_pens *p, enum note_kind kind, uint32_t number, uint64_t index,
                      uint64_t size, uint64_t word, struct piece rest)
{
    struct note_name name = name_of(p, number);
    struct state_note n;
    memset(&n, 0, sizeof n);
    n.index = index;
    n.size = size;
    n.word = word;
    n.name_len = name.len;
    PUT(p, kind, PIECE(n), {name.text, name.len}, rest);
}

static bool wants_bytes(const struct ras_pens *p)
{
    return p->begun && p->tick >= p->bytes_from && p->tick < p->bytes_to;
}

void ras_pens_bytes(struct ras_pens *p, uint32_t name, uint64_t index, const void *bytes,
                    size_t size)
{
    if (!pens_are_on(p))
        return;
    size = bytes ? size : 0;
    put_state(p, NOTE_STATE, name, index, size, hash_more(0, bytes, size), (struct piece){NULL, 0});
    if (wants_bytes(p) && size <= UINT32_MAX / 2)
        put_state(p, NOTE_BYTES, name, index, size, 0, (struct piece){bytes, size});
}

void ras_pens_members(struct ras_pens *p, uint32_t name, uint64_t index, const void *object,
                      const struct ras_pens_span *spans, size_t count)
{
    uint64_t h = 0, size = 0;
    if (!pens_are_on(p) || !object || !spans)
        return;
    for (size_t i = 0; i < count; i++) {
        h = hash_more(h, (const uint8_t *)object + spans[i].offset, spans[i].size);
        size += spans[i].size;
    }
    put_state(p, NOTE_STATE, name, index, size, h, (struct piece){NULL, 0});
    for (size_t i = 0; wants_bytes(p) && i < count; i++)
        put_state(p, NOTE_BYTES, name, index, spans[i].size, 0,
                  (struct piece){(const uint8_t *)object + spans[i].offset, spans[i].size});
}

void ras_pens_int(struct ras_pens *p, uint32_t name, uint64_t index, int64_t value)
{
    if (pens_are_on(p))
        put_state(p, NOTE_INT, name, index, 8, (uint64_t)value, (struct piece){NULL, 0});
}

void ras_pens_real(struct ras_pens *p, uint32_t name, uint64_t index, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (pens_are_on(p))
        put_state(p, NOTE_REAL, name, index, 8, bits, (struct piece){NULL, 0});
}

void ras_pens_text(struct ras_pens *p, uint32_t name, uint64_t index, const char *value)
{
    if (!pens_are_on(p) || !value)
        return;
    char *text = text_cleaned(value);
    size_t len = text ? strlen(text) : 0;
    if (text && len <= UINT32_MAX / 2)
        put_state(p, NOTE_TEXT, name, index, len, hash_more(0, text, len),
                  (struct piece){text, len});
    free(text);
}

void ras_pens_snapshot(struct ras_pens *p, uint64_t hash)
{
    if (pens_are_on(p))
        PUT(p, NOTE_SNAPSHOT, PIECE(hash));
}

/* Threads are numbered as they draw first; the tick thread is 0. */
static uint32_t thread_number(struct ras_pens *p)
{
    static __thread const struct ras_pens *of;
    static __thread uint32_t number;
    if (pthread_equal(pthread_self(), p->owner))
        return 0;
    if (of != p) {
        of = p;
        number = __atomic_add_fetch(&p->threads, 1, __ATOMIC_RELAXED);
    }
    return number;
}

void ras_pens_draw(struct ras_pens *p, uint32_t caller, uint32_t value, uint32_t before,
                   uint32_t after)
{
    if (!pens_are_on(p))
        return;
    const struct draw_note n = {thread_number(p), caller, value, before, after};
    PUT(p, NOTE_DRAW, PIECE(n));
}

void ras_pens_entity(struct ras_pens *p, const struct ras_pens_entity *entity)
{
    if (pens_are_on(p) && entity)
        PUT(p, NOTE_ENTITY, {entity, sizeof *entity});
}

void ras_pens_player(struct ras_pens *p, uint32_t index, double x, double y, double health,
                     int64_t experience, int64_t level)
{
    struct player_note n;
    if (!pens_are_on(p))
        return;
    memset(&n, 0, sizeof n);
    n.index = index;
    n.x = x;
    n.y = y;
    n.health = health;
    n.experience = experience;
    n.level = level;
    PUT(p, NOTE_PLAYER, PIECE(n));
}

void ras_pens_row(struct ras_pens *p, const struct ras_cdt_tick_record *row)
{
    struct ras_cdt_tick_record own;
    struct ras_error err;
    size_t size = 0;
    if (!pens_are_on(p) || !row)
        return;
    own = *row;
    own.tick_index = own.channels.checkpoint.tick_index = (int64_t)p->tick;
    int status = ras_cdt_tick_put(&own, RAS_CDT_PYTHON, NULL, 0, &size, &err);
    uint8_t *bytes = status == RAS_OK ? malloc(size + 1) : NULL;
    if (bytes)
        status = ras_cdt_tick_put(&own, RAS_CDT_PYTHON, bytes, size, &size, &err);
    if (status < 0)
        pens_misused(p, status, "row of tick %" PRIu64 ": %.120s", p->tick, err.text);
    else if (bytes)
        PUT(p, NOTE_ROW, {bytes, size});
    free(bytes);
}

/* ---- events ---------------------------------------------------------------------------------- */

enum { FIELDS_MOST = 255, TYPES_MOST = 65000 };

static bool is_taken(uint8_t type)
{
    switch (type & ~RAS_DIAL9_OPTIONAL) {
    case RAS_DIAL9_STRING_MAP:
    case RAS_DIAL9_DYNAMIC_LIST:
    case RAS_DIAL9_DYNAMIC_MAP:
    case RAS_DIAL9_POOLED_STACK_FRAMES:
        return false;
    default:
        return ras_dial9_type_name(type) != NULL;
    }
}

uint32_t ras_pens_event_type(struct ras_pens *p, const struct ras_dial9_schema *schema)
{
    struct out out = {0};
    uint32_t number = 0;
    if (!pens_are_on(p) || !schema || !schema->name || schema->field_count > FIELDS_MOST)
        return 0;
    for (uint16_t i = 0; i < schema->field_count; i++) {
        if (!is_taken(schema->fields[i].type))
            return 0;
        char *name = text_cleaned(schema->fields[i].name);
        out_byte(&out, schema->fields[i].type);
        out_bytes(&out, name ? name : "", name ? strlen(name) + 1 : 1);
        free(name);
    }
    char *name = text_cleaned(schema->name);
    if (name && !out.failed && p->type_count < TYPES_MOST) {
        number = __atomic_add_fetch(&p->type_count, 1, __ATOMIC_RELAXED);
        const struct type_note n = {number, schema->field_count, schema->has_timestamp};
        PUT(p, NOTE_EVENT_TYPE, PIECE(n), {out.at, out.len}, {name, strlen(name) + 1});
    }
    free(name);
    out_free(&out);
    return number;
}

/* One value, with its bytes where it has some. */
static void put_value(struct ras_pens *p, struct out *out, const struct ras_dial9_value *v)
{
    static const uint8_t zero[8];
    struct value_note n = {.type = v->type, .word = v->u};
    const void *bytes = v->at;
    if (v->type == RAS_DIAL9_STRING || v->type == RAS_DIAL9_BYTES) {
        n.len = v->count;
    } else if (v->type == RAS_DIAL9_STACK_FRAMES) {
        n.len = v->count <= UINT32_MAX / 8 ? v->count * 8 : 0;
    } else if (v->type == RAS_DIAL9_POOLED_STRING) {
        struct note_name name = name_of(p, (uint32_t)v->u);
        n.len = name.len;
        bytes = name.text;
    }
    out_bytes(out, &n, sizeof n);
    out_bytes(out, bytes, n.len);
    out_bytes(out, zero, (8 - n.len % 8) % 8);
}

void ras_pens_event(struct ras_pens *p, uint32_t type, const struct ras_dial9_value *values,
                    uint32_t count)
{
    struct out out = {0};
    if (!pens_are_on(p) || !type || count > FIELDS_MOST || (count && !values))
        return;
    const struct event_note n = {type, count, os_boot_ns()};
    for (uint32_t i = 0; i < count; i++)
        put_value(p, &out, &values[i]);
    if (!out.failed)
        PUT(p, NOTE_EVENT, PIECE(n), {out.at, out.len});
    out_free(&out);
}

void ras_pens_begin(struct ras_pens *p, uint32_t name)
{
    if (!pens_are_on(p))
        return;
    if (p->depth < SPANS_DEEP) {
        p->spans[p->depth].name = name;
        p->spans[p->depth].begin_ns = os_boot_ns();
    }
    p->depth++;
}

/* Those inside it that were not ended end with it. */
void ras_pens_end(struct ras_pens *p, uint32_t name)
{
    if (!pens_are_on(p) || !p->depth)
        return;
    size_t at = p->depth < SPANS_DEEP ? p->depth : SPANS_DEEP;
    while (at && p->spans[at - 1].name != name)
        at--;
    if (!at)
        return;
    uint64_t now = os_boot_ns();
    const struct span_note n = {now, now - p->spans[at - 1].begin_ns};
    struct note_name text = name_of(p, name);
    p->depth = at - 1;
    PUT(p, NOTE_SPAN, PIECE(n), {text.text, text.len});
}

/* ---- pictures -------------------------------------------------------------------------------- */

enum { SIDE_MOST = 16384, ROWS_MOST = SIDE_MOST + 2, PALETTE = 1024 };

void ras_pens_pixels(struct ras_pens *p, enum ras_pens_pixel format, uint32_t width,
                     uint32_t height, size_t stride, const void *pixels, const uint32_t *palette)
{
    if (!pens_are_on(p) || !pixels || !width || !height)
        return;
    bool indexed = format == RAS_PENS_INDEXED;
    size_t row = indexed ? width : (size_t)width * 4;
    stride = stride ? stride : row;
    if (width > SIDE_MOST || height > SIDE_MOST || stride < row || format > RAS_PENS_INDEXED ||
        (indexed && !palette)) {
        pens_misused(p, RAS_EUSAGE, "a picture of %" PRIu32 " x %" PRIu32 " with rows of %zu bytes",
                     width, height, stride);
        return;
    }
    const struct picture_note n = {format, width, height};
    const struct piece colors = {palette, indexed ? PALETTE : 0};
    if (stride == row) {
        PUT(p, NOTE_PIXELS, PIECE(n), {pixels, row * height}, colors);
        return;
    }
    struct piece *pieces = malloc((height + 2u) * sizeof *pieces);
    if (!pieces)
        return;
    pieces[0] = PIECE(n);
    for (uint32_t i = 0; i < height; i++)
        pieces[i + 1] = (struct piece){(const uint8_t *)pixels + i * stride, row};
    pieces[height + 1] = colors;
    (void)ledger_put(&p->ledger, NOTE_PIXELS, pieces, height + 2u);
    free(pieces);
}

void ras_pens_commands(struct ras_pens *p, struct ras_bytes acmd)
{
    if (pens_are_on(p) && acmd.len && acmd.len <= UINT32_MAX / 2)
        PUT(p, NOTE_COMMANDS, {acmd.at, acmd.len});
}
