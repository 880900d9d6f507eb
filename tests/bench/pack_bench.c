/* pack_bench.c - recordings compressed as they are written, beside zstd -1 on the same bytes. */
#include "bench.h"
#include "base/out.h"
#include "codec/seekable.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { PIECE = 256 << 10, EVENT = 32, HEAD = 64, ROUNDS = 3 };

struct pack {
    struct ras_bytes in;
    size_t made;
};

static int count_bytes(void *user, const uint8_t *bytes, size_t size, struct ras_error *err)
{
    struct pack *p = user;
    (void)err;
    bench_use(bytes[0]);
    p->made += size;
    return RAS_OK;
}

/* As the drain writes a thread's file. */
static void pack_frames(void *user)
{
    struct pack *p = user;
    struct frames_writer *w = frames_open(HEAD, count_bytes, p);
    p->made = 0;
    bool good = w && frames_put(w, p->in.at, HEAD, NULL) == RAS_OK;
    for (size_t at = HEAD; good && at < p->in.len; at += PIECE)
        good = frames_put(w, p->in.at + at, p->in.len - at < PIECE ? p->in.len - at : PIECE,
                          NULL) == RAS_OK;
    if (!good || frames_end(w, NULL) != RAS_OK)
        p->made = 0;
    frames_free(w);
}

/* As zstd -1 does: one frame with a checksum, in pieces. */
static void pack_stream(void *user)
{
    struct pack *p = user;
    size_t room = ZSTD_CStreamOutSize(), step = ZSTD_CStreamInSize(), left = 1;
    uint8_t *to = malloc(room);
    ZSTD_CCtx *zstd = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, 1);
    ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 1);
    ZSTD_CCtx_setPledgedSrcSize(zstd, p->in.len);
    p->made = 0;
    for (size_t at = 0; to && at < p->in.len; at += step) {
        size_t n = p->in.len - at < step ? p->in.len - at : step;
        ZSTD_EndDirective how = at + n == p->in.len ? ZSTD_e_end : ZSTD_e_continue;
        ZSTD_inBuffer in = {p->in.at + at, n, 0};
        do {
            ZSTD_outBuffer out = {to, room, 0};
            left = ZSTD_compressStream2(zstd, &out, &in, how);
            p->made += out.pos;
        } while (!ZSTD_isError(left) && (how == ZSTD_e_end ? left : in.pos < in.size));
    }
    ZSTD_freeCCtx(zstd);
    free(to);
}

/* The index of a recording of Lua, or of calls that are made up. NULL: cannot. */
static uint8_t *recording(struct bench *b, size_t *size, const char **what)
{
    static const char program[] =
        "local function f(n) if n < 2 then return n end return f(n-1)+f(n-2) end "
        "local t = {} for i=1,9000 do t[i] = i*7919%10007 end table.sort(t) "
        "local s = {} for i=1,3000 do s[i] = string.format('%d:%s', i, tostring(t[i])) end "
        "local c = 0 for w in table.concat(s, ','):gmatch('%d+') do c = c + #w end f(16)";
    const char *folder = bench_folder(b);
    char command[8192], path[8400] = "";
    *what = "a recording of lua5.4";
    snprintf(
        command, sizeof command,
        "'%s' record -q --force --unmodified -o '%s/packed' -- lua5.4 -e \"%s\" 2>/dev/null && "
        "ls '%s'/packed/*/*/thread_0/index.atf",
        bench_program(b), folder, program, folder);
    FILE *said = popen(command, "r");
    if (said && fgets(path, sizeof path, said))
        path[strcspn(path, "\n")] = 0;
    if (said)
        pclose(said);
    uint8_t *bytes = *path ? bench_file(path, size) : NULL;
    if (bytes)
        return bytes;
    *what = "calls that are made up";
    snprintf(command, sizeof command, "%s/packed.calls", bench_folder(b));
    if (!bench_make_calls(command, 2000000))
        return NULL;
    snprintf(path, sizeof path, "%s/thread_0/index.atf", command);
    bytes = bench_file(path, size);
    bench_remove_calls(command);
    return bytes;
}

void pack_bench(struct bench *b)
{
    const char *what;
    struct pack frames = {.made = 0}, stream = {.made = 0};
    size_t size = 0;
    uint8_t *bytes = recording(b, &size, &what);
    if (!bytes || size < 1 << 20) {
        bench_skip(b, "pack.size", "there is no recording");
        free(bytes);
        return;
    }
    frames.in = stream.in = (struct ras_bytes){bytes, size};
    double ours = 0, theirs = 0;
    for (unsigned i = 0; i < ROUNDS; i++) { /* in turns: the machine may slow down meanwhile */
        double a = bench_best(b, pack_frames, &frames), z = bench_best(b, pack_stream, &stream);
        ours = ours == 0 || a < ours ? a : ours;
        theirs = theirs == 0 || z < theirs ? z : theirs;
    }
    bench_report(b, "pack.size", (double)frames.made / (double)stream.made, 0);
    bench_report(b, "pack.speed", theirs / ours, 0);
    bench_report(b, "pack.event", (double)frames.made * EVENT / (double)size, 0);
    bench_remark(b, "pack: %s, %zu bytes to %zu, zstd -1 %zu; %.0f MB/s, zstd -1 %.0f MB/s", what,
                 size, frames.made, stream.made, (double)size / ours / 1e6,
                 (double)size / theirs / 1e6);
    free(bytes);
}
