/* world_bench.c - ticks of a world, and the hash of its fields.
 *
 * The world is that of the public engine's own benchmark: 64 x 64 cells, two fields, one
 * diffused from the other. The first 64 ticks set every cell to a number that is not round. */
#include "bench.h"
#include "codec/fnv1a.h"
#include <rastrum/replay.h>

#include <stdlib.h>
#include <string.h>

enum { TICKS = 2000, SIDE = 64, ROOM = 64, VALUES = 1 << 20 };

static const char recipe[] = "murkworld 1 murk-0.1.9\nspace square4 64 64 wrap\n"
                             "dt 3fb999999999999a\nfield from sparse 1\nfield to pertick 1\n"
                             "prop diffuse 0 1 3fb999999999999a\n";

struct recording {
    struct ras_sink *sink;
    struct ras_trace *trace;
    uint64_t ticks;
};

static void set_cell(int32_t row, int32_t col, struct ras_world_command *c, uint8_t *bytes)
{
    const int32_t coord[2] = {row, col};
    const float value = (float)(row * SIDE + col + 1) / 3;
    struct ras_murk_payload p = {.coord = {(const uint8_t *)coord, sizeof coord}};
    struct ras_murk_fault fault;
    size_t size = 0;
    memcpy(&p.value_f32, &value, sizeof value);
    (void)!ras_murk_payload_put(RAS_MURK_SET_FIELD, &p, bytes, ROOM, &size, &fault);
    c->wire = (struct ras_murk_command){.payload_type = RAS_MURK_SET_FIELD,
                                        .payload = {bytes, size},
                                        .expires_after_tick = UINT64_MAX};
    (void)!ras_murk_payload_get(RAS_MURK_SET_FIELD, c->wire.payload, &c->typed, &fault);
}

/* Play the world once and write down what came out. */
static bool record(struct recording *r)
{
    const struct ras_bytes text = {(const uint8_t *)recipe, sizeof recipe - 1};
    const struct ras_world_type *type;
    struct ras_murk_writer *writer = NULL;
    struct ras_world_command commands[SIDE];
    struct ras_murk_command wire[SIDE];
    struct ras_receipt receipts[SIDE];
    struct ras_step step = {.commands = commands, .receipts = receipts};
    uint8_t bytes[SIDE][ROOM];
    void *world = NULL;
    if (ras_world_type_of(&type, text, NULL) < 0 || type->create(&world, text, 1, NULL) < 0)
        return false;
    struct ras_world_shape shape = type->shape(world);
    struct ras_murk_header header = {.version = RAS_MURK_VERSION,
                                     .seed = 1,
                                     .config_hash = ras_config_hash(1, &shape, text),
                                     .field_count = shape.field_count,
                                     .cell_count = shape.cell_count,
                                     .space_descriptor = text};
    bool good = ras_sink_memory(&r->sink, NULL) == RAS_OK &&
                ras_murk_writer_open(&writer, r->sink, &header, NULL) == RAS_OK;
    for (uint64_t tick = 1; good && tick <= TICKS; tick++) {
        step.command_count = tick <= SIDE ? SIDE : 0;
        for (uint32_t i = 0; i < step.command_count; i++) {
            set_cell((int32_t)tick - 1, (int32_t)i, &commands[i], bytes[i]);
            wire[i] = commands[i].wire;
        }
        good = type->step(world, &step, NULL) == RAS_OK &&
               ras_murk_writer_frame(writer, tick, wire, step.command_count,
                                     ras_world_hash(type, world), NULL) == RAS_OK;
    }
    type->destroy(world);
    if (ras_murk_writer_close(writer, NULL) < 0)
        return false;
    struct ras_bytes all = ras_sink_bytes(r->sink);
    return good && ras_open_memory(&r->trace, all.at, all.len, NULL, NULL) == RAS_OK;
}

static void replay(void *user)
{
    struct recording *r = user;
    struct ras_replay *out;
    r->ticks = 0;
    if (ras_replay(&out, r->trace, NULL, NULL) < 0)
        return;
    if (out->verdict == RAS_REPLAY_OK)
        r->ticks = out->ticks;
    ras_replay_free(out);
}

static void hash_fields(void *user)
{
    bench_use(ras_snapshot_hash(user, 1));
}

/* The chain of multiplications that nothing shortens. */
static void hash_bytes(void *user)
{
    const struct ras_world_field *f = user;
    bench_use(fnv1a_bytes(FNV1A_START, f->values, f->count * sizeof *f->values));
}

static void measure_hash(struct bench *b)
{
    uint32_t *values = calloc(VALUES, sizeof *values);
    if (!values)
        return;
    struct ras_world_field f = {"field", values, VALUES, 1};
    const double size = (double)VALUES * sizeof *values;
    for (size_t i = 0; i < VALUES; i += 97)
        values[i] = 0x3f800000u + (uint32_t)i;
    double zeros = size / bench_best(b, hash_fields, &f) / 1e9;
    for (uint32_t i = 0; i < VALUES; i++)
        values[i] = i * 0x9e3779b9u | 0x01010101u;
    double serial = size / bench_best(b, hash_bytes, &f) / 1e9;
    bench_report(b, "snapshot.zeros", zeros, serial);
    bench_report(b, "snapshot.dense", size / bench_best(b, hash_fields, &f) / 1e9 / serial, 1);
    free(values);
}

/* ---- a world that plays itself, with nobody who writes it down -------------------------- */

struct game {
    const struct ras_world_type *type;
    struct ras_bytes recipe;
    uint64_t ticks;
};

static void play(void *user)
{
    struct game *g = user;
    struct ras_world_command commands[RAS_PLAY_COMMANDS];
    struct ras_receipt receipts[RAS_PLAY_COMMANDS];
    uint8_t bytes[RAS_PLAY_BYTES];
    struct ras_play next = {commands, RAS_PLAY_COMMANDS, bytes, sizeof bytes, 0};
    struct ras_step step = {.commands = commands, .receipts = receipts};
    void *world;
    g->ticks = 0;
    if (g->type->create(&world, g->recipe, 7, NULL) < 0)
        return;
    for (uint64_t tick = 1; tick <= TICKS; tick++) {
        if (g->type->play(world, tick, &next) < 0)
            break;
        step.command_count = next.count;
        if (g->type->step(world, &step, NULL) < 0)
            break;
        bench_use(ras_world_hash(g->type, world));
        g->ticks = step.tick;
    }
    g->type->destroy(world);
}

static void measure_arena(struct bench *b)
{
    static const char text[] = "murkworld 1 arena-1\nsize 32 32\nmode survival\nplayers 2\n";
    struct game g = {.recipe = {(const uint8_t *)text, sizeof text - 1}};
    if (ras_world_type_of(&g.type, g.recipe, NULL) < 0)
        return;
    double seconds = bench_best(b, play, &g);
    if (g.ticks != TICKS)
        bench_skip(b, "run.arena", "the game ended early");
    else
        bench_report(b, "run.arena", TICKS / seconds, 0);
}

void world_bench(struct bench *b)
{
    struct recording r = {0};
    double seconds = record(&r) ? bench_best(b, replay, &r) : 0;
    if (seconds <= 0 || r.ticks != TICKS)
        bench_skip(b, "replay.grid64", "the world does not come out as it did");
    else
        bench_report(b, "replay.grid64", TICKS / seconds, 0);
    measure_arena(b);
    measure_hash(b);
    ras_close(r.trace);
    ras_sink_drop(r.sink);
}
