/* cdt_fuzz.c - CDT traces of any bytes: as records, and natively.
 *
 * A changed byte would end at the chunk's checksum and never reach the decoder, so the lengths and
 * checksums of the chunks are repaired first, and the trailer is pointed at the footer. Bytes that
 * are not a trace become a block of ticks. */
#include "fuzz.h"
#include "codec/blake2b.h"
#include "codec/zstd_chunk.h"
#include <rastrum/cdt.h>

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { UNCOMPRESSED_LEN = 20, CHECKSUM = 24, PAYLOAD_MOST = 1 << 20 };

static void put(uint8_t *at, uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

static void repair_chunk(uint8_t *at, const struct ras_cdt_chunk *chunk)
{
    static uint8_t room[PAYLOAD_MOST];
    const uint8_t *payload = at + RAS_CDT_CHUNK_HEADER_SIZE;
    uint64_t size = chunk->compressed_len;
    if (chunk->flags & RAS_CDT_FLAG_ZSTD) {
        struct zstd_chunk_ctx *zstd = zstd_chunk_ctx_new();
        struct ras_bytes body = {payload, chunk->compressed_len};
        const char *why;
        size = zstd_content_size(body);
        bool good = zstd && size <= PAYLOAD_MOST &&
                    zstd_chunk_get(zstd, body, room, (size_t)size, NULL, &why) == RAS_OK;
        zstd_chunk_ctx_free(zstd);
        if (!good)
            return;
        payload = room;
    }
    put(at + UNCOMPRESSED_LEN, size, 4);
    put(at + CHECKSUM, blake2b64(payload, (size_t)size), 8);
}

static void repair(uint8_t *bytes, size_t size)
{
    struct ras_bytes file = {bytes, size};
    struct ras_cdt_chunk chunk;
    uint64_t at = RAS_CDT_HEADER_SIZE, footer;
    while (ras_cdt_chunk_get(file, at, &chunk, NULL) == RAS_OK &&
           chunk.compressed_len <= size - at - RAS_CDT_CHUNK_HEADER_SIZE) {
        repair_chunk(bytes + at, &chunk);
        if (chunk.kind == RAS_CDT_FOTR && ras_cdt_trailer_get(file, &footer, NULL) == RAS_OK)
            put(bytes + size - 8, at, 8);
        at += RAS_CDT_CHUNK_HEADER_SIZE + (uint64_t)chunk.compressed_len;
    }
}

/* A trace of one block, whose payload the bytes are. */
static uint8_t *wrap(const uint8_t *bytes, size_t size, size_t *whole)
{
    static const uint8_t meta[] =
        "\x86\xb4trace_format_version\x01\xb4trace_schema_version\x0c\xab"
        "created_utc\xa0\xa8producer\x81\xa4impl\xa3zig\xa6source\x80\xaatick_range\x83\xaa"
        "start_tick\x00\xa8"
        "end_tick\x00\xaatick_count\x01";
    enum { HEAD = RAS_CDT_CHUNK_HEADER_SIZE, META = sizeof meta - 1 };
    *whole = RAS_CDT_HEADER_SIZE + HEAD + META + HEAD + size;
    uint8_t *made = calloc(1, *whole), *at = made;
    if (!made)
        return NULL;
    memcpy(at, RAS_CDT_MAGIC, RAS_CDT_MAGIC_SIZE);
    put(at + RAS_CDT_MAGIC_SIZE, 1, 4);
    at += RAS_CDT_HEADER_SIZE;
    memcpy(at, "META\xff\xff\xff\xff\xff\xff\xff\xff\x02", 13);
    put(at + 16, META, 4);
    memcpy(at + HEAD, meta, META);
    at += HEAD + META;
    memcpy(at, "TICK\0\0\0\0\0\0\0\0\x02", 13);
    put(at + 16, size, 4);
    memcpy(at + HEAD, bytes, size);
    return made;
}

/* The native reader must see the same ticks as the records. */
static void native(const uint8_t *bytes, size_t size)
{
    struct ras_cdt *cdt;
    struct ras_trace *t;
    struct ras_cursor *c;
    const struct ras_cdt_tick_record *tick;
    const struct ras_record *r;
    struct ras_pick pick = {.type = "tick"};
    if (ras_cdt_open(&cdt, bytes, size, NULL, NULL) < 0)
        return;
    if (ras_open_memory(&t, bytes, size, &(struct ras_options){.format = "cdt"}, NULL) < 0 ||
        ras_cursor_open(&c, t, &(struct ras_scan){.picks = &pick, .pick_count = 1}, NULL) < 0)
        fuzz_wrong("opens natively and not as records");
    int status;
    do {
        status = ras_cdt_tick_next(cdt, &tick, NULL);
        if (status != RAS_OK)
            continue;
        if (ras_next(c, &r, NULL) != RAS_OK)
            fuzz_wrong("a tick that is no record");
        struct ras_bytes payload = ras_cdt_payload(cdt);
        if (r->raw_len != tick->node.length || tick->node.at > payload.len ||
            memcmp(r->raw, payload.at + tick->node.at, r->raw_len) != 0)
            fuzz_wrong("another tick than the record");
        if (r->flags & RAS_HAS_TICK && r->tick != (uint64_t)tick->tick_index)
            fuzz_wrong("another tick_index than the record's");
    } while (status != RAS_END);
    if (ras_next(c, &r, NULL) != RAS_END)
        fuzz_wrong("a record that is no tick");
    (void)!ras_cdt_tick_at(cdt, 1, &tick, NULL);
    ras_cursor_close(c);
    ras_close(t);
    ras_cdt_close(cdt);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    size_t whole = size;
    bool trace = size >= RAS_CDT_MAGIC_SIZE && !memcmp(bytes, RAS_CDT_MAGIC, RAS_CDT_MAGIC_SIZE);
    uint8_t *made = trace ? malloc(size) : wrap(bytes, size, &whole);
    if (!made)
        return 0;
    if (trace)
        memcpy(made, bytes, size);
    /* One in eight is not repaired: faults of checksums must be handled, too. */
    if (!trace || blake2b64(bytes, size) % 8)
        repair(made, whole);
    native(made, whole);
    fuzz_trace("cdt", made, whole);
    free(made);
    return 0;
}
