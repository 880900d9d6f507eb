/* repack.c - a trace with its files compressed, or not compressed any more: no byte of it changes.
 */
#include "base/error.h"
#include "base/struct_size.h"
#include "codec/seekable.h"
#include "core/format.h"
#include "core/sink.h"
#include <rastrum/rastrum.h>

#include <string.h>

enum { REPACK_PIECE = 1 << 20 };

/* The work under way. */
struct repack {
    struct source *source;
    const struct ras_repack_options *how;
    struct ras_repacked *out;
    uint64_t total;
};

/* What people read stays readable. */
static bool is_json(const char *name)
{
    size_t len = strlen(name);
    return len > 5 && !strcmp(name + len - 5, ".json");
}

/* All bytes of a part, of which only some are in memory at a time. */
static int repack_bytes(struct repack *r, size_t part, struct ras_sink *sink, struct ras_error *err)
{
    struct source_pin pin = {0};
    int status = RAS_OK;
    for (uint64_t at = 0; status == RAS_OK && at < source_length(r->source, part);) {
        uint64_t left = source_length(r->source, part) - at;
        uint64_t n = left < REPACK_PIECE ? left : REPACK_PIECE;
        int got = source_need(r->source, part, at, at + n, &pin, err);
        if (got == RAS_EFORMAT)
            continue; /* what is damaged is not there any more */
        status = got;
        if (status == RAS_OK)
            status = ras_sink_write(sink, source_arrived(r->source, part).at + at, (size_t)n, err);
        at += n;
        r->out->bytes += n;
        if (status == RAS_OK && r->how->progress &&
            !r->how->progress(r->how->user, r->out->bytes, r->total))
            status = fail_canceled(err);
    }
    source_unpin(r->source, &pin);
    r->out->lost_files += source_wrapping(r->source, part)->kind > RAS_UNSEALED;
    return status;
}

static int repack_part(struct repack *r, size_t part, struct ras_sink *sink, struct ras_error *err)
{
    bool pack = !r->how->decompress && !is_json(source_name(r->source, part));
    int status = pack ? sink_compress(sink, FRAME_HEAD_USUAL, err) : RAS_OK;
    if (status == RAS_OK)
        status = repack_bytes(r, part, sink, err);
    if (status == RAS_OK)
        status = sink_finish(sink, err);
    r->out->stored_bytes += sink_stored(sink);
    r->out->files++;
    return status;
}

static int repack_file(struct repack *r, struct ras_error *err)
{
    struct ras_sink *sink;
    int status = source_whole(r->source, err);
    if (status == RAS_OK)
        status = ras_sink_trace(&sink, r->how->path, r->how->replace, err);
    if (status < 0)
        return status;
    sink_as_is(sink);
    status = repack_part(r, 0, sink, err);
    if (status == RAS_OK)
        return ras_sink_close(sink, err);
    ras_sink_drop(sink);
    return status;
}

static int repack_parts(struct repack *r, struct ras_folder *folder, struct ras_error *err)
{
    int status = RAS_OK;
    for (size_t i = 0; status == RAS_OK && i < source_count(r->source); i++) {
        struct ras_sink *sink;
        if (source_is_foreign(r->source, i))
            continue;
        status = source_load(r->source, i, err);
        if (status == RAS_OK)
            status = ras_folder_sink(folder, source_name(r->source, i), &sink, err);
        if (status == RAS_OK)
            status = repack_part(r, i, sink, err);
        if (status == RAS_OK)
            status = ras_folder_finish(folder, sink, err);
    }
    return status;
}

static int repack_folder(struct repack *r, struct ras_error *err)
{
    struct ras_folder *folder;
    int status = ras_folder_open(&folder, r->how->path, r->how->replace, err);
    if (status < 0)
        return status;
    status = repack_parts(r, folder, err);
    if (status == RAS_OK)
        return ras_folder_close(folder, err);
    ras_folder_drop(folder);
    return status;
}

int ras_repack(struct ras_repacked *out, struct ras_trace *t,
               const struct ras_repack_options *options, struct ras_error *err)
{
    struct ras_repack_options own;
    *out = (struct ras_repacked){0};
    options = OPTIONS(&own, options, err);
    if (!options)
        return RAS_EUSAGE;
    if (!options->path)
        return fail(err, RAS_EUSAGE, RAS_NONE, "a compressed copy needs a path");
    struct repack r = {.source = t->source, .how = options, .out = out};
    r.total = source_size_before(t->source, source_count(t->source));
    return source_is_dir(t->source) ? repack_folder(&r, err) : repack_file(&r, err);
}
