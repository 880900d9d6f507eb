/* exact.c - the bytes of a trace as differences from a trace that is built of its records.
 *
 * Blocks of the built trace are found in the original by a rolling hash, as rsync does; bytes
 * between them are stored literally. */
#include "ops/build/exact.h"
#include "base/error.h"
#include "base/memory.h"
#include "codec/json_read.h"
#include "codec/json_write.h"
#include "codec/sha256.h"
#include "core/format.h"
#include "core/sink.h"
#include "core/source.h"
#include "ops/build/build_driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 24, HASH_TEXT = 2 * SHA256_SIZE + 1 };
#define FACTOR UINT64_C(0x9E3779B97F4A7C15)

/* ---- hashes --------------------------------------------------------------------------------- */

static void hash_text(struct sha256 *sha, char text[HASH_TEXT])
{
    uint8_t digest[SHA256_SIZE];
    sha256_end(sha, digest);
    for (unsigned i = 0; i < SHA256_SIZE; i++)
        snprintf(text + 2 * (size_t)i, 3, "%02x", digest[i]);
}

static void hash_bytes(struct ras_bytes b, char text[HASH_TEXT])
{
    struct sha256 sha = sha256_start();
    sha256_add(&sha, b.at, b.len);
    hash_text(&sha, text);
}

static const struct ras_part *parts_of(const struct exact_built *b, struct ras_part *one,
                                       size_t *count)
{
    if (b->folder)
        return ras_folder_parts(b->folder, count);
    *one = (struct ras_part){.name = "",
                             .bytes = b->sink ? ras_sink_bytes(b->sink) : (struct ras_bytes){0}};
    *count = b->sink ? 1 : 0;
    return one;
}

struct ras_bytes exact_part(const struct exact_built *b, const char *name)
{
    struct ras_part one;
    size_t count;
    const struct ras_part *parts = parts_of(b, &one, &count);
    for (size_t i = 0; i < count; i++)
        if (!b->folder || !strcmp(parts[i].name, name))
            return parts[i].bytes;
    return (struct ras_bytes){0};
}

static void hash_built(const struct exact_built *b, char text[HASH_TEXT])
{
    struct ras_part one;
    size_t count;
    const struct ras_part *parts = parts_of(b, &one, &count);
    struct sha256 sha = sha256_start();
    for (size_t i = 0; i < count; i++) {
        uint8_t size[8];
        for (unsigned k = 0; k < 8; k++)
            size[k] = (uint8_t)((uint64_t)parts[i].bytes.len >> 8 * k);
        sha256_add(&sha, parts[i].name, strlen(parts[i].name) + 1);
        sha256_add(&sha, size, sizeof size);
        sha256_add(&sha, parts[i].bytes.at, parts[i].bytes.len);
    }
    hash_text(&sha, text);
}

/* ---- pieces --------------------------------------------------------------------------------- */

/* Blocks of the built trace, by their hash: the offset of the last one of each. */
struct blocks {
    struct ras_bytes built;
    size_t *at; /* offset + 1; 0: none */
    size_t mask;
    uint64_t power; /* FACTOR to the block's length */
};

static uint64_t block_hash(const uint8_t *at)
{
    uint64_t hash = 0;
    for (unsigned i = 0; i < BLOCK; i++)
        hash = hash * FACTOR + at[i];
    return hash;
}

static size_t slot_of(const struct blocks *b, uint64_t hash)
{
    return (size_t)((hash ^ hash >> 29) * FACTOR >> 20) & b->mask;
}

static bool blocks_make(struct blocks *b, struct ras_bytes built)
{
    size_t room = 64;
    while (room < built.len / BLOCK * 2)
        room *= 2;
    *b = (struct blocks){.built = built, .mask = room - 1, .power = 1};
    b->at = calloc(room, sizeof *b->at);
    if (!b->at)
        return false;
    for (unsigned i = 0; i < BLOCK; i++)
        b->power *= FACTOR;
    for (size_t i = built.len / BLOCK; i-- > 0;)
        b->at[slot_of(b, block_hash(built.at + i * BLOCK))] = i * BLOCK + 1;
    return true;
}

static void put_literal(struct json *j, const uint8_t *at, size_t len)
{
    if (len)
        json_blob(j, NULL, at, len);
}

static void put_copy(struct json *j, size_t at, size_t len)
{
    json_array(j, NULL);
    json_uint(j, NULL, at);
    json_uint(j, NULL, len);
    json_close(j);
}

static size_t same_from(struct ras_bytes a, size_t i, struct ras_bytes b, size_t k)
{
    size_t n = 0;
    while (i + n < a.len && k + n < b.len && a.at[i + n] == b.at[k + n])
        n++;
    return n;
}

/* Where `trace` continues in the built trace: right after the last copy, or at a block. */
static size_t find(const struct blocks *b, struct ras_bytes trace, size_t at, size_t after,
                   uint64_t hash, size_t *from)
{
    size_t best = 0;
    const size_t tried[2] = {after, b->at[slot_of(b, hash)] - 1};
    for (unsigned i = 0; i < 2; i++) {
        size_t n = tried[i] < b->built.len ? same_from(trace, at, b->built, tried[i]) : 0;
        if (n >= BLOCK && n > best) {
            best = n;
            *from = tried[i];
        }
    }
    return best;
}

static bool put_pieces(struct json *j, struct ras_bytes trace, struct ras_bytes built)
{
    struct blocks b;
    size_t done = 0, at = 0, after = 0, from = 0;
    if (!blocks_make(&b, built))
        return false;
    uint64_t hash = trace.len >= BLOCK ? block_hash(trace.at) : 0;
    while (at + BLOCK <= trace.len) {
        size_t n = find(&b, trace, at, after + (at - done), hash, &from);
        if (!n) {
            if (at + BLOCK < trace.len)
                hash = hash * FACTOR + trace.at[at + BLOCK] - b.power * trace.at[at];
            at++;
            continue;
        }
        while (at > done && from && trace.at[at - 1] == built.at[from - 1]) {
            at--;
            from--;
            n++;
        }
        put_literal(j, trace.at + done, at - done);
        put_copy(j, from, n);
        at = done = at + n;
        after = from + n;
        hash = at + BLOCK <= trace.len ? block_hash(trace.at + at) : 0;
    }
    put_literal(j, trace.at + done, trace.len - done);
    free(b.at);
    return true;
}

/* ---- writing -------------------------------------------------------------------------------- */

static int put_parts(struct ras_trace *t, const struct exact_built *built, struct json *j,
                     struct ras_error *err)
{
    struct source *s = t->source;
    for (size_t i = 0; i < source_count(s); i++) {
        char hash[HASH_TEXT];
        const char *name = source_name(s, i);
        if (source_is_foreign(s, i))
            continue;
        int status = source_load(s, i, err);
        if (status < 0)
            return status;
        struct ras_bytes bytes = source_bytes(s, i);
        hash_bytes(bytes, hash);
        json_object(j, NULL);
        json_text(j, "name", name);
        json_uint(j, "size", bytes.len);
        json_text(j, "sha256", hash);
        json_array(j, "pieces");
        if (!put_pieces(j, bytes, exact_part(built, name)))
            return fail_memory(err);
        json_close(j);
        json_close(j);
    }
    return RAS_OK;
}

/* The records alone, without the line of differences. */
static int build_again(struct ras_trace *t, struct ras_bytes lines, struct exact_built *b,
                       struct ras_error *err)
{
    struct ras_build_options how = {.format = t->format->about.name};
    struct ras_rewritten *r;
    int status = t->format->build->to_folder ? ras_folder_memory(&b->folder, err)
                                             : ras_sink_memory(&b->sink, err);
    if (status < 0)
        return status;
    how.sink = b->sink;
    how.folder = b->folder;
    status = ras_build(&r, lines, &how, err);
    if (status == RAS_OK)
        ras_rewritten_free(r);
    b->failed = status < 0 && status != RAS_EMEMORY;
    if (b->failed) {
        ras_sink_drop(b->sink);
        ras_folder_drop(b->folder);
        b->sink = NULL;
        b->folder = NULL;
    }
    return b->failed ? RAS_OK : status;
}

int ras_lines_exact(struct ras_trace *t, struct ras_bytes lines, struct ras_sink *sink,
                    struct ras_error *err)
{
    struct exact_built built = {0};
    struct out out = {0};
    struct json j = json_start(&out, 0);
    char hash[HASH_TEXT];
    if (!t->format->build)
        return fail(err, RAS_EUNSUPPORTED, RAS_NONE, "%s traces cannot be built from values",
                    t->format->about.name);
    int status = build_again(t, lines, &built, err);
    if (status == RAS_OK) {
        hash_bytes(lines, hash);
        json_object(&j, NULL);
        json_text(&j, "type", "exact");
        json_object(&j, "values");
        json_text(&j, "lines", hash);
        hash_built(&built, hash);
        json_text(&j, "built", built.failed ? NULL : hash);
        json_array(&j, "parts");
        status = put_parts(t, &built, &j, err);
    }
    json_end_line_quick(&j);
    if (status == RAS_OK)
        status = sink_write_out(sink, &out, err);
    out_free(&out);
    ras_sink_drop(built.sink);
    ras_folder_drop(built.folder);
    return status;
}

/* ---- reading -------------------------------------------------------------------------------- */

bool exact_is(struct ras_bytes line)
{
    struct json_read in = json_read_bytes(line);
    struct json_token key, value;
    return json_read_next(&in, &key) == JSON_OBJECT && json_read_next(&in, &key) == JSON_KEY &&
           JSON_IS(&key, "type") && json_read_next(&in, &value) == JSON_STRING &&
           JSON_IS(&value, "exact");
}

static bool take_piece(const struct ras_value *piece, struct ras_bytes built, struct arena *arena,
                       struct out *out)
{
    struct ras_bytes bytes;
    uint64_t at, len;
    if (piece->kind == RAS_STR) {
        if (!cell_bytes(piece, arena, &bytes))
            return false;
        out_bytes(out, bytes.at, bytes.len);
        return true;
    }
    if (piece->kind != RAS_LIST || piece->count != 2 || !cell_uint(piece + 1, &at) ||
        !cell_uint(piece + 2, &len) || at > built.len || len > built.len - at)
        return false;
    out_bytes(out, built.at + at, (size_t)len);
    return true;
}

static int take_part(const struct json_row *row, const struct ras_value *part,
                     const struct exact_built *built, struct out *out, const char **name,
                     struct ras_error *err)
{
    const struct ras_value *named = map_find(part, "name"), *pieces = map_find(part, "pieces");
    const struct ras_value *hash = map_find(part, "sha256");
    char computed[HASH_TEXT];
    if (part->kind != RAS_MAP || !named || named->kind != RAS_STR || !pieces ||
        pieces->kind != RAS_LIST || !hash || hash->kind != RAS_STR)
        return row_fail(row, "parts", err, "has a part without name, pieces or sha256");
    *name = named->at;
    out->len = 0;
    const struct ras_value *end = ras_value_next(pieces);
    for (const struct ras_value *p = pieces + 1; p < end; p = ras_value_next(p))
        if (!take_piece(p, exact_part(built, *name), row->arena, out))
            return row_fail(row, "parts", err, "has a piece outside of the built trace");
    if (out->failed)
        return fail_memory(err);
    hash_bytes((struct ras_bytes){out->at, out->len}, computed);
    if (strcmp(computed, hash->at) != 0)
        return row_fail(row, "sha256", err, "is %.64s, computed %s", (const char *)hash->at,
                        computed);
    return RAS_OK;
}

static bool text_is(const struct json_row *row, const char *field, const char *text)
{
    const struct ras_value *v = row_find(row, field);
    return v && v->kind == RAS_STR && !strcmp(v->at, text);
}

int exact_check(const struct json_row *row, struct ras_bytes lines, const struct exact_built *built,
                bool *lone, struct ras_error *err)
{
    char hash[HASH_TEXT];
    const struct ras_value *parts = row_find(row, "parts"), *name;
    *lone = false;
    if (!parts || parts->kind != RAS_LIST)
        return row_fail(row, "parts", err, "is missing");
    if (built->failed) {
        hash_bytes(lines, hash);
        if (row_find(row, "built") || !text_is(row, "lines", hash))
            return RAS_END;
    } else {
        hash_built(built, hash);
        if (!text_is(row, "built", hash))
            return RAS_END;
    }
    name = parts->count && parts[1].kind == RAS_MAP ? map_find(parts + 1, "name") : NULL;
    *lone = name && name->kind == RAS_STR && !name->count;
    return RAS_OK;
}

int exact_apply(const struct json_row *row, const struct exact_built *built,
                int (*put)(void *user, const char *name, struct ras_bytes, struct ras_error *),
                void *user, struct ras_error *err)
{
    struct out out = {0};
    const char *name = "";
    const struct ras_value *parts = row_find(row, "parts"), *end = ras_value_next(parts);
    int status = RAS_OK;
    for (const struct ras_value *p = parts + 1; status == RAS_OK && p < end;
         p = ras_value_next(p)) {
        status = take_part(row, p, built, &out, &name, err);
        if (status == RAS_OK)
            status = put(user, name, (struct ras_bytes){out.at, out.len}, err);
    }
    out_free(&out);
    return status;
}
