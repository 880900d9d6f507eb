/* cdt_write_fuzz.c - CDT traces of any bytes: encoded again, repaired, rewritten and built again.
 *
 * The input is a trace; where it is not, it is the msgpack of one tick, after a META and in a chunk
 * with a valid checksum, so that the contents of chunks are reached, too. */
#include "codec/blake2b.h"
#include "fuzz.h"
#include "sum.h"
#include <rastrum/cdt.h>

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* The content of the records, without their positions. */
static struct sum walk(struct ras_trace *t)
{
    struct sum s = {0};
    struct ras_cursor *c;
    const struct ras_record *r;
    if (ras_cursor_open(&c, t, NULL, NULL) < 0)
        fuzz_wrong("no cursor");
    while (ras_next(c, &r, NULL) == RAS_OK) {
        size_t count;
        const struct ras_value *v = ras_values(c, &count);
        if (r->schema == RAS_SCHEMA_GAP)
            continue;
        mix(&s, &r->schema, sizeof r->schema);
        for (size_t i = 0; i < count; i++)
            mix_cell(&s, &v[i]);
        s.records++;
    }
    s.ending = ras_ending(t).kind;
    ras_cursor_close(c);
    return s;
}

static struct ras_trace *open_bytes(struct ras_bytes bytes)
{
    const struct ras_options how = {.format = "cdt"};
    struct ras_trace *t;
    return ras_open_memory(&t, bytes.at, bytes.len, &how, NULL) == RAS_OK ? t : NULL;
}

/* ---- encoded again ------------------------------------------------------------------ */

/* Every tick that reads; NULL: the writer refused one, as it does when ticks descend. */
static struct ras_sink *encode(struct ras_bytes file, enum ras_cdt_style style, uint64_t *ticks)
{
    struct ras_cdt *in;
    struct ras_sink *sink;
    struct ras_cdt_writer *out = NULL;
    const struct ras_cdt_tick_record *tick;
    struct ras_cdt_writer_options options = {.style = style, .chunk_ticks = 3};
    if (ras_cdt_open(&in, file.at, file.len, NULL, NULL) < 0)
        return NULL;
    if (ras_sink_memory(&sink, NULL) < 0)
        abort();
    int status = ras_cdt_writer_open(&out, sink, ras_cdt_meta(in), &options, NULL), next;
    *ticks = 0;
    while (status == RAS_OK && (next = ras_cdt_tick_next(in, &tick, NULL)) != RAS_END) {
        if (next == RAS_OK)
            status = ras_cdt_writer_tick(out, tick, NULL);
        *ticks += next == RAS_OK;
    }
    if (status == RAS_OK)
        status = ras_cdt_writer_close(out, NULL);
    else
        ras_cdt_writer_drop(out);
    ras_cdt_close(in);
    if (status == RAS_OK)
        return sink;
    ras_sink_drop(sink);
    return NULL;
}

/* What could be written has the ticks, and is written the same the second time. */
static void encode_twice(struct ras_bytes file, enum ras_cdt_style style)
{
    uint64_t first, second;
    struct ras_sink *once = encode(file, style, &first);
    if (!once)
        return;
    struct ras_bytes a = ras_sink_bytes(once);
    struct ras_sink *twice = encode(a, style, &second);
    if (!twice || first != second)
        fuzz_wrong("what was encoded does not read");
    struct ras_bytes b = ras_sink_bytes(twice);
    if (a.len != b.len || memcmp(a.at, b.at, a.len) != 0)
        fuzz_wrong("encoded twice it has %zu bytes, and %zu", a.len, b.len);
    ras_sink_drop(twice);
    ras_sink_drop(once);
}

/* ---- repaired, rewritten ----------------------------------------------------------------- */

static void repair(struct ras_trace *t)
{
    struct ras_sink *sink;
    struct ras_repair *r;
    if (ras_sink_memory(&sink, NULL) < 0)
        abort();
    const struct ras_repair_options to = {.sink = sink};
    if (ras_repair(&r, t, &to, NULL) == RAS_OK) {
        if (r->after.kind != RAS_COMPLETE)
            fuzz_wrong("repaired, but %s", r->after.why);
        ras_repair_free(r);
        struct ras_trace *repaired = open_bytes(ras_sink_bytes(sink));
        if (!repaired || walk(repaired).records != walk(t).records)
            fuzz_wrong("repaired, but records are lost");
        if (ras_repair(&r, repaired, NULL, NULL) < 0 || r->plan.patch_count)
            fuzz_wrong("repaired, but there is more to repair");
        ras_repair_free(r);
        ras_close(repaired);
    }
    ras_sink_drop(sink);
}

/* NULL: it was refused, or holds nothing. */
static struct ras_sink *rewrite(struct ras_trace *t, const struct ras_rewrite_options *options)
{
    struct ras_rewrite_options how = *options;
    struct ras_rewritten *r;
    struct ras_sink *sink;
    if (ras_sink_memory(&sink, NULL) < 0)
        abort();
    how.sink = sink;
    if (ras_rewrite(&r, &t, 1, &how, NULL) == RAS_OK) {
        ras_rewritten_free(r);
        return sink;
    }
    ras_sink_drop(sink);
    return NULL;
}

/* A slice of everything has the same content, and a slice of that the same bytes. */
static void slice(struct ras_trace *t)
{
    struct sum before = walk(t);
    struct ras_sink *sink = rewrite(t, &(struct ras_rewrite_options){0});
    if (!sink && before.records)
        fuzz_wrong("cannot be sliced");
    if (!sink)
        return;
    struct ras_trace *part = open_bytes(ras_sink_bytes(sink));
    struct sum after = part ? walk(part) : (struct sum){0};
    if (!part || after.ending != RAS_COMPLETE || after.records != before.records ||
        after.digest != before.digest)
        fuzz_wrong("a slice has %llu records of %llu", (unsigned long long)after.records,
                   (unsigned long long)before.records);
    struct ras_sink *more = rewrite(part, &(struct ras_rewrite_options){0});
    struct ras_bytes a = ras_sink_bytes(sink), b = more ? ras_sink_bytes(more) : a;
    if (!more || a.len != b.len || memcmp(a.at, b.at, a.len) != 0)
        fuzz_wrong("a slice of the slice has %zu bytes, not %zu", b.len, a.len);
    ras_sink_drop(more);
    ras_close(part);
    ras_sink_drop(sink);
}

static void convert(struct ras_trace *t, const struct ras_rewrite_options *how)
{
    struct ras_sink *sink = rewrite(t, how);
    struct ras_trace *made = sink ? open_bytes(ras_sink_bytes(sink)) : NULL;
    if (sink && (!made || walk(made).ending != RAS_COMPLETE))
        fuzz_wrong("rewritten it is not whole");
    ras_close(made);
    ras_sink_drop(sink);
}

static void try_trace(struct ras_bytes file)
{
    static const char *const types[] = {"creature", "hit"};
    encode_twice(file, RAS_CDT_PYTHON);
    encode_twice(file, RAS_CDT_ZIG);
    struct ras_trace *t = open_bytes(file);
    if (!t)
        return;
    repair(t);
    slice(t);
    convert(t, &(struct ras_rewrite_options){.target = "zig"});
    convert(t, &(struct ras_rewrite_options){.target = "python"});
    convert(t, &(struct ras_rewrite_options){.types = types, .type_count = 2});
    convert(t, &(struct ras_rewrite_options){.axis = RAS_AXIS_SEQ, .from = 2, .to = 9});
    ras_close(t);
}

/* ---- a tick of any bytes ------------------------------------------------------------------ */

static size_t put_chunk(uint8_t *to, enum ras_cdt_kind kind, const void *payload, size_t size)
{
    struct ras_cdt_chunk chunk = {.kind = kind,
                                  .start_tick = -1,
                                  .end_tick = -1,
                                  .flags = RAS_CDT_FLAG_MSGPACK,
                                  .compressed_len = (uint32_t)size,
                                  .uncompressed_len = (uint32_t)size,
                                  .checksum64 = blake2b64(payload, size)};
    ras_cdt_chunk_put(&chunk, to);
    memcpy(to + RAS_CDT_CHUNK_HEADER_SIZE, payload, size);
    return RAS_CDT_CHUNK_HEADER_SIZE + size;
}

static void try_tick(const uint8_t *bytes, size_t size)
{
    static const char block[] = "\x83\xaastart_tick\x00\xa8"
                                "end_tick\x00\xa5ticks\x91";
    const struct ras_cdt_trace_meta meta = {.trace_schema_version = RAS_CDT_SCHEMA_VERSION};
    uint8_t said[512];
    size_t meta_size;
    if (ras_cdt_meta_put(&meta, RAS_CDT_ZIG, said, sizeof said, &meta_size, NULL) < 0)
        abort();
    uint8_t *file = malloc(size + 2000), *payload = malloc(size + sizeof block);
    if (!file || !payload)
        abort();
    ras_cdt_header_put(file);
    size_t len = RAS_CDT_HEADER_SIZE;
    len += put_chunk(file + len, RAS_CDT_META, said, meta_size);
    memcpy(payload, block, sizeof block - 1);
    memcpy(payload + sizeof block - 1, bytes, size);
    len += put_chunk(file + len, RAS_CDT_TICK, payload, sizeof block - 1 + size);
    try_trace((struct ras_bytes){file, len});
    free(payload);
    free(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    uint32_t version;
    if (size && ras_cdt_header_get((struct ras_bytes){bytes, size}, &version, NULL) == RAS_OK)
        try_trace((struct ras_bytes){bytes, size});
    else
        try_tick(bytes, size);
    return 0;
}
