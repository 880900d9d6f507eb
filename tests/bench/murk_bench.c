/* murk_bench.c - Murk frames of 50 commands, decoded with typed validation and encoded.
 *
 * The shape is that of the public project's own codec benchmark, for which the
 * peer's figure holds: Move payloads of 20 bytes, both source fields, 8 MB. */
#include "bench.h"
#include "base/out.h"
#include <rastrum/murk.h>

#include <stdlib.h>
#include <string.h>

enum { FRAMES = 2700, COMMANDS = 50, MURK_LAST = 16 /* arrival_seq before the hash */ };

static void put(struct out *out, uint64_t value, unsigned size)
{
    while (size--) {
        out_byte(out, (uint8_t)value);
        value >>= 8;
    }
}

static void put_command(struct out *out, uint64_t n)
{
    put(out, RAS_MURK_MOVE, 1);
    put(out, 20, 4);
    put(out, n, 8); /* entity_id */
    put(out, 2, 4); /* two components */
    put(out, n * 0x10001, 8);
    put(out, 1, 1); /* priority_class */
    put(out, 1, 1);
    put(out, n % 4, 8); /* source_id */
    put(out, 1, 1);
    put(out, n, 8);          /* source_seq */
    put(out, UINT64_MAX, 8); /* expires_after_tick */
    put(out, n, 8);          /* arrival_seq */
}

static void put_trace(struct out *out)
{
    out_text(out, "MURK\x03");
    put(out, 0, 16); /* four empty strings */
    put(out, 42, 8);
    put(out, 0, 8);
    put(out, 1, 4);
    put(out, 64, 8);
    put(out, 0, 4); /* space_descriptor */
    for (uint64_t f = 0; f < FRAMES; f++) {
        put(out, f + 1, 8);
        put(out, COMMANDS, 4);
        for (uint64_t i = 0; i < COMMANDS; i++)
            put_command(out, f * COMMANDS + i);
        put(out, 0x4d25767f9dce13f5u, 8);
    }
}

struct job {
    struct ras_bytes bytes;
    uint64_t commands;
};

/* Every frame, every command, every payload: judged and at hand by its fields. */
static void decode(void *user)
{
    struct job *job = user;
    struct ras_murk_header header;
    struct ras_murk_walk walk;
    struct ras_murk_frame frame;
    struct ras_murk_command command;
    struct ras_murk_payload payload;
    struct ras_murk_fault fault;
    uint64_t sum = 0;
    job->commands = 0;
    if (!ras_murk_header_get(job->bytes, &header, &fault))
        return;
    struct ras_bytes rest = {job->bytes.at + header.size, job->bytes.len - header.size};
    while (rest.len && ras_murk_walk_open(rest, &walk, &fault)) {
        while (walk.left) {
            if (!ras_murk_walk_next(&walk, &command, &payload, &fault))
                return;
            sum += payload.entity_id + payload.coord.len + command.arrival_seq;
        }
        if (!ras_murk_walk_close(&walk, &frame, &fault))
            return;
        job->commands += frame.command_count;
        rest = (struct ras_bytes){rest.at + frame.size, rest.len - frame.size};
    }
    bench_use(sum);
}

/* ---- encode ------------------------------------------------------------------------ */

/* The commands of one tick, at hand as a recorder has them when it writes a frame, and the
 * memory that a whole replay of them goes to. */
struct writing {
    struct ras_murk_header header;
    struct ras_murk_command commands[COMMANDS];
    uint64_t hash;
    uint8_t *to;
    size_t room, size;
};

static bool take_apart(struct ras_bytes bytes, struct writing *w)
{
    struct ras_murk_frame frame;
    struct ras_murk_fault fault;
    w->room = bytes.len;
    w->to = malloc(bytes.len);
    if (!w->to || !ras_murk_header_get(bytes, &w->header, &fault))
        return false;
    struct ras_bytes rest = {bytes.at + w->header.size, bytes.len - w->header.size};
    if (!ras_murk_frame_get(rest, &frame, &fault) || frame.command_count != COMMANDS)
        return false;
    w->hash = frame.snapshot_hash;
    for (size_t i = 0; i < COMMANDS; i++) {
        if (!ras_murk_command_get(frame.commands, &w->commands[i], &fault))
            return false;
        frame.commands.at += w->commands[i].size;
        frame.commands.len -= w->commands[i].size;
    }
    return true;
}

static void encode(void *user)
{
    struct writing *w = user;
    struct ras_murk_fault fault;
    size_t size;
    if (!ras_murk_header_put(&w->header, w->to, w->room, &size, &fault))
        return;
    w->size = size;
    for (size_t f = 0; f < FRAMES; f++) {
        if (!ras_murk_frame_put(f + 1, w->commands, COMMANDS, w->hash, w->to + w->size,
                                w->room - w->size, &size, &fault))
            return;
        w->size += size;
    }
}

static void measure_encoding(struct bench *b, struct ras_bytes bytes)
{
    struct writing w = {0};
    double seconds = take_apart(bytes, &w) ? bench_best(b, encode, &w) : 0;
    struct job again = {.bytes = {w.to, w.size}};
    decode(&again);
    if (seconds <= 0 || w.size != bytes.len || again.commands != (uint64_t)FRAMES * COMMANDS)
        bench_skip(b, "murk.encode", "what is written is not the trace");
    else
        bench_report(b, "murk.encode", (double)w.size / seconds / 1e9,
                     bench_read_speed(b, bytes.at, bytes.len) / 1e9);
    free(w.to);
}

/* ---- diff -------------------------------------------------------------------------- */

struct pair {
    struct ras_trace *sides[2];
    uint64_t checked;
};

static void diff(void *user)
{
    struct pair *p = user;
    struct ras_diff *d;
    p->checked = 0;
    if (ras_diff(&d, p->sides[0], p->sides[1], NULL, NULL) == RAS_OK && d->divergence_count == 1)
        p->checked = d->checked;
    ras_diff_free(d);
}

static void scan(void *user)
{
    struct pair *p = user;
    const struct ras_scan frames = {.headers_only = true, .frames_only = true};
    struct ras_cursor *c;
    const struct ras_record *r;
    p->checked = 0;
    if (ras_cursor_open(&c, p->sides[0], &frames, NULL) < 0)
        return;
    while (ras_next(c, &r, NULL) == RAS_OK)
        p->checked++;
    ras_cursor_close(c);
}

/* Two replays that part in their last command: bytes of one of them a second, beside a plain
 * scan of its frames. */
static void measure_diff(struct bench *b, struct ras_bytes bytes)
{
    uint8_t *copy = malloc(bytes.len);
    struct pair p = {0};
    if (copy)
        memcpy(copy, bytes.at, bytes.len);
    if (copy)
        copy[bytes.len - MURK_LAST] ^= 1;
    if (copy && ras_open_memory(&p.sides[0], bytes.at, bytes.len, NULL, NULL) == RAS_OK &&
        ras_open_memory(&p.sides[1], copy, bytes.len, NULL, NULL) == RAS_OK) {
        double scanned = bench_best(b, scan, &p), seconds = bench_best(b, diff, &p);
        if (p.checked == FRAMES)
            bench_report(b, "diff.murk", (double)bytes.len / seconds / 1e9,
                         (double)bytes.len / scanned / 1e9);
        else
            bench_skip(b, "diff.murk", "the divergence is not found");
    }
    ras_close(p.sides[0]);
    ras_close(p.sides[1]);
    free(copy);
}

void murk_bench(struct bench *b)
{
    struct out out = {0};
    put_trace(&out);
    struct job job = {.bytes = {out.at, out.len}};
    double seconds = bench_best(b, decode, &job);
    if (job.commands != (uint64_t)FRAMES * COMMANDS)
        bench_skip(b, "murk.decode", "the made trace does not decode");
    else
        bench_report(b, "murk.decode", (double)out.len / seconds / 1e9,
                     bench_read_speed(b, out.at, out.len) / 1e9);
    measure_encoding(b, job.bytes);
    measure_diff(b, job.bytes);
    bench_range(b, "murk.range", job.bytes, FRAMES / 2);
    out_free(&out);
}
