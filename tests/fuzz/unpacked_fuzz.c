/* unpacked_fuzz.c - any bytes as seekable zstd: read by its index as from the start.
 *
 * The first byte says what is done to the rest: read it as it is, or give it an index that agrees
 * with its frames as far as one can be made. */
#include "base/out.h"
#include "codec/inflate.h"
#include "codec/seekable.h"
#include "codec/zstd_frame.h"
#include "core/unpacked.h"
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* What the frames before `end` inflate to, up to MOST bytes. */
static size_t from_the_start(struct ras_bytes in, uint8_t *out)
{
    struct inflate *inflate = zstd_inflate_new();
    size_t len = 0, made;
    enum inflate_state state = INFLATE_FULL;
    while (inflate && len < MOST && (state == INFLATE_FULL || (state == INFLATE_MORE && in.len))) {
        state = inflate_step(inflate, &in, out + len, MOST - len, &made);
        len += made;
    }
    inflate_free(inflate);
    return len;
}

/* An index of the frames, each of which inflates to its size as it is found. */
static void add_index(struct out *file)
{
    struct out entries = {0};
    uint8_t word[4], *room = malloc(MOST);
    struct ras_bytes left = {file->at, file->len};
    uint32_t count = 0;
    size_t stored = 0, frame;
    const char *why;
    while (left.len && zstd_frame_size(left, &frame, &why) == RAS_OK) {
        size_t made = from_the_start((struct ras_bytes){left.at, frame}, room);
        store_u32(word, (uint32_t)frame);
        out_bytes(&entries, word, 4);
        store_u32(word, (uint32_t)made);
        out_bytes(&entries, word, 4);
        left = (struct ras_bytes){left.at + frame, left.len - frame};
        stored += frame;
        count++;
    }
    file->len = stored;
    store_u32(word, 0x184D2A5E);
    out_bytes(file, word, 4);
    store_u32(word, (uint32_t)entries.len + FRAME_INDEX_FOOT);
    out_bytes(file, word, 4);
    out_bytes(file, entries.at, entries.len);
    store_u32(word, count);
    out_bytes(file, word, 4);
    out_bytes(file, "", 1);
    store_u32(word, 0x8F92EAB1);
    out_bytes(file, word, 4);
    out_free(&entries);
    free(room);
}

/* All of it: what is shown is what the start gives. True: no frame is damaged. */
static bool read_whole(struct unpacked *u, const uint8_t *want, size_t len)
{
    uint64_t at = 0;
    (void)!unpacked_need(u, 0, RAS_NONE, NULL, NULL);
    struct ras_bytes shown = unpacked_bytes(u);
    const char *damage = unpacked_damage(u, &at);
    if (shown.len > MOST)
        fuzz_wrong("%zu bytes exceed the limit", shown.len);
    if (shown.len > len || (shown.len && memcmp(shown.at, want, shown.len)))
        fuzz_wrong("%zu bytes by the index, %zu from the start%s", shown.len, len,
                   damage ? ", damaged" : "");
    return !damage;
}

/* Pins in an order that the bytes give. An index may say something else than its frames, which
 * shows when they are read: then the bytes of others may be elsewhere. */
static void read_frames(struct unpacked *u, const uint8_t *want, bool sound, uint8_t order)
{
    struct unpacked_pin pins[2] = {{0}, {0}};
    for (unsigned i = 0; i < 8; i++) {
        size_t all = unpacked_bytes(u).len;
        size_t from = all ? (order * 7919u + i * 104729u) % all : 0, to = from + i * 977;
        if (unpacked_need(u, from, to, &pins[i % 2], NULL) != RAS_OK)
            continue;
        struct ras_bytes shown = unpacked_bytes(u);
        for (size_t k = from; sound && k < to && k < shown.len; k++)
            if (shown.at[k] != want[k])
                fuzz_wrong("byte %zu by the index is %u, from the start %u", k, shown.at[k],
                           want[k]);
    }
    unpacked_release(u, &pins[0]);
    unpacked_release(u, &pins[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct out file = {0};
    struct unpacked *u;
    if (size < 2)
        return 0;
    out_bytes(&file, bytes + 1, size - 1);
    if (bytes[0] & 1)
        add_index(&file);
    uint8_t *want = malloc(MOST);
    struct ras_bytes packed = {file.at, file.len};
    size_t len = from_the_start(packed, want);
    if (len < MOST && unpacked_open(&u, packed, MOST, NULL) == RAS_OK) {
        bool sound = read_whole(u, want, len);
        unpacked_close(u);
        if (unpacked_open(&u, packed, MOST, NULL) == RAS_OK) {
            read_frames(u, want, sound, bytes[0] >> 1);
            unpacked_close(u);
        }
    }
    free(want);
    out_free(&file);
    return 0;
}
