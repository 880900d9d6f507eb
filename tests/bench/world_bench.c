/* world_bench.c - ticks of a world, and the hash of its fields.
 *
 * The world is that of the public engine's own benchmark: 64 x 64 cells, two fields, one
 * diffused from the other. The first 64 ticks set every cell to a number that is not round. */
#include "bench.h"
#include "cli/world_choice.h"
#include "codec/blake2b.h"
#include "codec/fnv1a.h"
#include "codec/zstd_chunk.h"
#include <rastrum/cdt.h>
#include <rastrum/replay.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TICKS = 2000, SIDE = 64, ROOM = 64, VALUES = 1 << 20, TURNS = 5 };

static const char recipe[] = "murkworld 1 murk-0.1.9\nspace square4 64 64 wrap\n"
                             "dt 3fb999999999999a\nfield from sparse 1\nfield to pertick 1\n"
                             "prop diffuse 0 1 3fb999999999999a\n";

struct program {
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
static bool record(struct program *r)
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
    struct program *r = user;
    struct ras_replay *out;
    r->ticks = 0;
    const struct ras_replay_options how = {.worlds = ras_worlds()};
    if (ras_replay(&out, r->trace, &how, NULL) < 0)
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

/* ---- the same, written down by all five pens ---------------------------------------------- */

struct penned {
    struct ras_run_options how;
    char dir[4096];
    struct ras_run run;
    int status;
};

static double spent(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Threads write for the run while it goes on. What it takes is what the busier of two
 * processors does, one having the run and one all who write for it; the best of some runs. */
static double write_down(struct penned *p, double *wall)
{
    double best = 1e9;
    *wall = 1e9;
    for (unsigned i = 0; i < TURNS && p->status == RAS_OK; i++) {
        double began = spent(CLOCK_MONOTONIC);
        double all = spent(CLOCK_PROCESS_CPUTIME_ID), own = spent(CLOCK_THREAD_CPUTIME_ID);
        p->status = ras_run(&p->run, p->dir, &p->how, NULL);
        own = spent(CLOCK_THREAD_CPUTIME_ID) - own;
        all = spent(CLOCK_PROCESS_CPUTIME_ID) - all;
        began = spent(CLOCK_MONOTONIC) - began;
        double busier = own > all - own ? own : all - own;
        best = busier < best ? busier : best;
        *wall = began < *wall ? began : *wall;
        p->how.replace = true;
    }
    return best;
}

/* What the bytes of its state cost anyway: every payload hashed and compressed. */
struct payloads {
    struct ras_bytes file;
    struct zstd_chunk_ctx *from;
    struct zstd_maker *to;
    uint8_t *bytes, *room;
    size_t used, size, sizes[TICKS], count;
};

static bool take_payloads(struct payloads *p)
{
    struct ras_cdt_chunk chunk;
    const char *why;
    uint64_t at = RAS_CDT_HEADER_SIZE;
    for (p->count = 0; ras_cdt_chunk_get(p->file, at, &chunk, NULL) == RAS_OK && chunk.kind;) {
        struct ras_bytes body = {p->file.at + at + RAS_CDT_CHUNK_HEADER_SIZE, chunk.compressed_len};
        uint8_t *more = realloc(p->bytes, p->used + chunk.uncompressed_len);
        if (!more || p->count == TICKS)
            return false;
        p->bytes = more;
        if (zstd_chunk_get(p->from, body, more + p->used, chunk.uncompressed_len, NULL, &why) < 0)
            return false;
        p->sizes[p->count++] = chunk.uncompressed_len;
        p->size = chunk.uncompressed_len > p->size ? chunk.uncompressed_len : p->size;
        p->used += chunk.uncompressed_len;
        at += RAS_CDT_CHUNK_HEADER_SIZE + (uint64_t)chunk.compressed_len;
    }
    p->size = zstd_chunk_bound(p->size);
    p->room = malloc(p->size);
    return p->room && p->count;
}

static void pack(void *user)
{
    struct payloads *p = user;
    for (size_t i = 0, at = 0; i < p->count; at += p->sizes[i++]) {
        struct ras_bytes payload = {p->bytes + at, p->sizes[i]};
        bench_use(blake2b64(payload.at, payload.len) +
                  zstd_chunk_put(p->to, payload, p->room, p->size));
    }
}

static double pack_time(struct bench *b, const char *dir, double *bytes)
{
    struct payloads p = {.from = zstd_chunk_ctx_new(), .to = zstd_maker_new(3)};
    char path[4200];
    size_t size;
    snprintf(path, sizeof path, "%s/state.cdt", dir);
    uint8_t *file = bench_file(path, &size);
    double seconds = 0;
    p.file = (struct ras_bytes){file, file ? size : 0};
    if (file && p.from && p.to && take_payloads(&p))
        seconds = bench_best(b, pack, &p);
    *bytes = (double)p.used;
    zstd_chunk_ctx_free(p.from);
    zstd_maker_free(p.to);
    free(p.bytes);
    free(p.room);
    free(file);
    return seconds;
}

static void measure_pens(struct bench *b, const struct game *g, double bare)
{
    struct penned p = {.how = {.world = g->type,
                               .recipe = g->recipe,
                               .has_seed = true,
                               .seed = 7,
                               .ticks = TICKS,
                               .calls = &run_calls}};
    snprintf(p.dir, sizeof p.dir, "%s/run", bench_folder(b));
    double bytes, wall, seconds = write_down(&p, &wall);
    double least = p.status == RAS_OK ? pack_time(b, p.dir, &bytes) : 0;
    if (!(least > 0)) {
        bench_skip(b, "run.pens", "the run could not be written down");
        bench_skip(b, "run.pens.ratio", "the run could not be written down");
        return;
    }
    bench_report(b, "run.pens", TICKS / seconds, TICKS / (bare + least));
    bench_report(b, "run.pens.ratio", seconds / (bare + least), 1);
    bench_remark(b,
                 "run.pens: %.1f us a tick on two processors (by the clock now %.1f); bare %.1f,"
                 " zstd 3 and BLAKE2b of %.1f kB %.1f",
                 seconds / TICKS * 1e6, wall / TICKS * 1e6, bare / TICKS * 1e6, bytes / TICKS / 1e3,
                 least / TICKS * 1e6);
}

static void measure_arena(struct bench *b)
{
    static const char text[] = "murkworld 1 arena-1\nsize 32 32\nmode survival\nplayers 2\n";
    struct game g = {.recipe = {(const uint8_t *)text, sizeof text - 1}};
    if (ras_world_type_of(&g.type, g.recipe, NULL) < 0)
        return;
    double seconds = bench_best(b, play, &g);
    if (g.ticks != TICKS) {
        bench_skip(b, "run.arena", "the game ended early");
        return;
    }
    bench_report(b, "run.arena", TICKS / seconds, 0);
    measure_pens(b, &g, seconds);
}

void world_bench(struct bench *b)
{
    struct program r = {0};
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
