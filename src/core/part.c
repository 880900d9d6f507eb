/* part.c - one part of a source: loading, growing, decompressing. */
#include "core/part.h"
#include "base/error.h"
#include "base/file.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/os.h"
#include "codec/seekable.h"
#include "core/directory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A frame up to HOLD_MOST is shown when its checksum matches, a larger one as it is inflated. */
enum { HOLD_MOST = 1 << 20 };
enum { INFLATE_BUFFER = 256 << 10, INFLATE_SHARE = 8, FETCH_MOST = 4 << 20 };

static int map_file(struct part *p, uint64_t size, struct ras_error *err)
{
    if (size > SIZE_MAX)
        return fail(err, RAS_ELIMIT, RAS_NONE, "%" PRIu64 " bytes cannot be mapped", size);
    void *at = p->mapped ? map_resize((void *)(uintptr_t)p->raw.at, p->mapped, (size_t)size,
                                      p->fd - 1, true)
                         : map_open(p->fd - 1, (size_t)size);
    if (!at)
        return fail_os(err, "cannot map the file");
    p->mapped = (size_t)size;
    p->raw = (struct ras_bytes){at, (size_t)size};
    return RAS_OK;
}

static int read_file(struct part *p, uint64_t size, struct ras_error *err)
{
    uint8_t *block = malloc((size_t)size + 1);
    if (!block)
        return fail_memory(err);
    int64_t got = file_read_at(p->fd - 1, block, (size_t)size, 0, err);
    if (got < 0) {
        free(block);
        return (int)got;
    }
    (void)spool_adopt(&p->spool, block, (size_t)got); /* it was empty: nothing is kept */
    p->raw = (struct ras_bytes){block, (size_t)got};
    p->stored = (uint64_t)got; /* fewer when it was cut short meanwhile */
    return RAS_OK;
}

int part_load_file(struct part *p, uint64_t size, bool live, struct ras_error *err)
{
    p->stored = size;
    int status = RAS_OK;
    if (size && (live || size >= PART_MAP_SIZE))
        status = map_file(p, size, err);
    else if (size)
        status = read_file(p, size, err);
    p->loaded = status == RAS_OK;
    return status;
}

/* ---- on a server ----------------------------------------------------------------------------- */

static void show_fetched(struct part *p)
{
    p->raw = (struct ras_bytes){p->spool.at, p->spool.len};
}

int part_load_listed(struct part *p, const struct directory *dir, size_t i, bool live,
                     struct ras_error *err)
{
    uint64_t size;
    if (!directory_is_remote(dir)) {
        int fd = directory_open_file(dir, i, &size, err);
        if (fd < 0)
            return fd;
        p->fd = fd + 1;
        return part_load_file(p, size, live, err);
    }
    int status = directory_fetch(dir, i, &p->spool, err);
    if (status < 0)
        return status;
    show_fetched(p);
    p->stored = p->spool.len;
    p->loaded = true;
    return RAS_OK;
}

int part_load_url(struct part *p, const char *url, const struct ras_options *options,
                  struct ras_error *err)
{
    int status = remote_open(&p->remote, url, options, &p->spool, err);
    if (status < 0)
        return status;
    show_fetched(p);
    p->stored = remote_size(p->remote);
    p->window = remote_window(p->remote);
    p->loaded = true;
    if (remote_announced(p->remote)) {
        snprintf(p->broken_off, sizeof p->broken_off,
                 "the server sent %" PRIu64 " of %" PRIu64 " bytes", p->stored,
                 remote_announced(p->remote));
        p->wrap.kind = RAS_CUT;
        p->wrap.why = p->broken_off;
        p->wrap.offset = p->stored;
    }
    return RAS_OK;
}

bool part_is_arriving(const struct part *p)
{
    return p->remote && !p->pages && p->raw.len < p->stored;
}

int part_spread(struct part *p, struct ras_error *err)
{
    int status = pages_open(&p->pages, p->remote, p->raw, err);
    if (status < 0)
        return status;
    spool_free(&p->spool);
    p->raw = pages_bytes(p->pages);
    return RAS_OK;
}

int part_fetch(struct part *p, const struct ras_limits *limits, struct ras_error *err)
{
    uint64_t left = p->stored - p->raw.len;
    p->window = p->window < FETCH_MOST ? 2 * p->window : FETCH_MOST;
    size_t n = (size_t)(left < p->window ? left : p->window);
    uint8_t *bytes = malloc(n);
    if (!bytes)
        return fail_memory(err);
    int status = remote_read(p->remote, p->raw.len, p->raw.len + n, bytes, err);
    if (status == RAS_OK)
        status = spool_append(&p->spool, bytes, n, err);
    free(bytes);
    show_fetched(p);
    return status == RAS_OK ? part_unwrap(p, !part_is_arriving(p), limits, err) : status;
}

int part_grow_file(struct part *p, uint64_t size, struct ras_error *err)
{
    if (size < p->raw.len)
        return fail(err, RAS_EIO, size,
                    "file shrank from %zu to %" PRIu64 " bytes while being read", p->raw.len, size);
    p->stored = size;
    return map_file(p, size, err);
}

/* An index says how many bytes there would be. */
static void note_damage(struct part *p)
{
    struct frames_index index;
    p->wrap.offset = p->inflated_from;
    p->wrap.why = inflate_why(p->inflate);
    if (!p->closed || p->wrap.name[0] != 'z' ||
        frames_index_get(p->raw, RAS_NONE, &index) != RAS_OK)
        return;
    p->wrap.whole = index.size;
    snprintf(p->damage, sizeof p->damage, "%s, after %" PRIu64 " of %" PRIu64 " bytes",
             inflate_why(p->inflate), (uint64_t)p->view.len, (uint64_t)index.size);
    p->wrap.why = p->damage;
    frames_index_free(&index);
}

/* How the wrapping ends, as far as it is known. */
static void note_wrapping(struct part *p, enum inflate_state state)
{
    p->wrap.members = inflate_members(p->inflate);
    p->wrap.end = inflate_good(p->inflate);
    if (state == INFLATE_BAD) {
        p->wrap.trailing = inflate_trailing(p->inflate);
        p->wrap.kind = p->wrap.trailing ? RAS_COMPLETE : RAS_DAMAGED;
        note_damage(p);
        if (p->wrap.trailing)
            p->wrap.offset = inflate_good(p->inflate);
    } else if (!p->pending && !inflate_whole(p->inflate)) {
        /* So far, if more may come: the walk that ends here reports it. */
        bool open = inflate_open(p->inflate);
        p->wrap.kind = open ? RAS_UNSEALED : RAS_CUT;
        p->wrap.offset = p->raw.len;
        p->wrap.why = open ? "the last frame was not closed" : "ends inside a compressed member";
    }
}

/* Show what was inflated but the last `unsure` bytes of it. */
static int show_held(struct part *p, uint64_t unsure, struct ras_error *err)
{
    size_t sure = unsure > HOLD_MOST       ? p->held_count
                  : unsure < p->held_count ? p->held_count - (size_t)unsure
                                           : 0;
    int status = spool_append(&p->view, p->held, sure, err);
    if (status == RAS_OK && sure) {
        p->held_count -= sure;
        memmove(p->held, p->held + sure, p->held_count);
    }
    return status;
}

/* Take bytes that were inflated: those of a frame that has a checksum are held until it matches. */
static int take_inflated(struct part *p, const uint8_t *bytes, size_t made, struct ras_error *err)
{
    uint64_t unsure = p->eager ? 0 : inflate_unsure(p->inflate);
    if (!p->held_count && !unsure)
        return spool_append(&p->view, bytes, made, err);
    if (!array_grow(&p->held, &p->held_room, p->held_count + made, 1))
        return fail_memory(err);
    memcpy(p->held + p->held_count, bytes, made);
    p->held_count += made;
    return show_held(p, unsure, err);
}

/* What is held of a frame that is damaged is dropped; that of one which is cut is good. */
static int end_held(struct part *p, enum inflate_state state, struct ras_error *err)
{
    if (state == INFLATE_BAD)
        p->held_count = 0;
    return p->pending || !p->closed ? RAS_OK : show_held(p, 0, err);
}

/* Inflate about `wanted` bytes, and at least one that can be shown, or all that there are. */
static int inflate_some(struct part *p, uint64_t wanted, uint64_t limit, struct ras_error *err)
{
    size_t room = wanted < INFLATE_BUFFER ? (size_t)wanted : INFLATE_BUFFER;
    uint8_t *buffer = malloc(room);
    if (!buffer)
        return fail_memory(err);
    struct ras_bytes in = {p->raw.at + p->inflated_from, p->raw.len - (size_t)p->inflated_from};
    int status = RAS_OK;
    uint64_t done = 0, shown = p->view.len;
    enum inflate_state state;
    do {
        size_t made = 0;
        state = inflate_step(p->inflate, &in, buffer, room, &made);
        if (p->view.len + p->held_count + made > limit)
            status =
                fail(err, RAS_ELIMIT, p->raw.len - in.len,
                     "%s data inflates beyond the limit of %" PRIu64 " bytes", p->wrap.name, limit);
        else
            status = take_inflated(p, buffer, made, err);
        done += made;
        p->pending = state == INFLATE_FULL || (state == INFLATE_MORE && in.len);
    } while (status == RAS_OK && p->pending && (done < wanted || p->view.len == shown));
    if (status == RAS_OK)
        status = end_held(p, state, err);
    free(buffer);
    p->inflated_from = p->raw.len - in.len;
    note_wrapping(p, state);
    return status;
}

/* All at once, where that is fast: few bytes were inflated yet, and no more will come. */
static bool inflate_all(struct part *p, const struct ras_limits *limits)
{
    uint8_t *block;
    size_t len;
    uint64_t most = limits->inflated_bytes;
    size_t cap = most < SPOOL_MEMORY ? (size_t)most : SPOOL_MEMORY;
    if (!p->closed || p->wrap.name[0] != 'g' || !p->view.len ||
        p->view.len > limits->inflate_step || p->raw.len > cap ||
        !gzip_inflate_all(p->raw, cap, &block, &len, &p->wrap.members))
        return false;
    p->pending = !spool_adopt(&p->view, block, len);
    if (p->pending)
        free(block);
    return !p->pending;
}

int part_inflate(struct part *p, const struct ras_limits *limits, struct ras_error *err)
{
    if (!p->pending || inflate_all(p, limits))
        return RAS_OK;
    /* In proportion to what there is, so that a reader that needs all of it takes few steps. */
    uint64_t share = p->view.len / INFLATE_SHARE, least = limits->inflate_step;
    return inflate_some(p, share > least ? share : least, limits->inflated_bytes, err);
}

static bool detect_wrapping(struct part *p)
{
    if (gzip_is(p->raw))
        p->wrap.name = "gzip";
    else if (zstd_is(p->raw))
        p->wrap.name = "zstd";
    return p->wrap.name;
}

void part_note_frames(struct part *p)
{
    const char *why = unpacked_damage(p->unpacked, &p->wrap.offset);
    p->wrap.members = unpacked_frames(p->unpacked);
    p->wrap.kind = why ? RAS_DAMAGED : RAS_COMPLETE;
    p->wrap.why = why;
}

/* RAS_END: there is no index, or it cannot be used. */
static int unwrap_frames(struct part *p, const struct ras_limits *limits, struct ras_error *err)
{
    if (!p->by_frames || !p->closed || p->wrap.name[0] != 'z')
        return RAS_END;
    int status = unpacked_open(&p->unpacked, p->raw, limits->inflated_bytes, err);
    if (status == RAS_OK)
        part_note_frames(p);
    return status;
}

int part_unwrap(struct part *p, bool closed, const struct ras_limits *limits, struct ras_error *err)
{
    if (p->wrap.kind == RAS_DAMAGED || p->wrap.trailing)
        return RAS_OK;
    p->closed = closed;
    p->wrap.kind = *p->broken_off ? RAS_CUT : RAS_COMPLETE;
    if (!p->inflate) {
        if (!detect_wrapping(p))
            return RAS_OK;
        int status = unwrap_frames(p, limits, err);
        if (status != RAS_END)
            return status;
        p->inflate = p->wrap.name[0] == 'g' ? gzip_inflate_new() : zstd_inflate_new();
        if (!p->inflate)
            return fail_memory(err);
    }
    p->pending = true;
    return part_inflate(p, limits, err);
}

struct ras_bytes part_bytes(const struct part *p)
{
    if (p->unpacked)
        return unpacked_bytes(p->unpacked);
    if (p->pages)
        return pages_bytes(p->pages);
    if (p->wrap.name || p->joined)
        return (struct ras_bytes){p->view.at, p->view.len};
    return p->raw;
}

void part_unload(struct part *p)
{
    if (p->mapped)
        map_close((void *)(uintptr_t)p->raw.at, p->mapped);
    if (p->fd)
        os_close(p->fd - 1);
    pages_close(p->pages);
    remote_close(p->remote);
    spool_free(&p->spool);
    spool_free(&p->view);
    free(p->held);
    inflate_free(p->inflate);
    unpacked_close(p->unpacked);
    *p = (struct part){.name = p->name,
                       .by_name = p->by_name,
                       .edition = p->edition,
                       .by_frames = p->by_frames,
                       .eager = p->eager,
                       .foreign = p->foreign,
                       .carried = p->carried};
}

void part_free(struct part *p)
{
    part_unload(p);
    free(p->name);
    *p = (struct part){0};
}

void part_report(const struct part *p, const struct ras_debug *debug)
{
    const char *how = p->remote     ? "on a server"
                      : p->borrowed ? "in memory"
                      : p->mapped   ? "mapped"
                                    : "read";
    debug_write(debug, RAS_DEBUG_SOURCE, "%s%s%" PRIu64 " bytes, %s%s%s", p->name,
                *p->name ? ": " : "", p->stored, how, p->wrap.name ? ", inflated from " : "",
                p->wrap.name ? p->wrap.name : "");
}
