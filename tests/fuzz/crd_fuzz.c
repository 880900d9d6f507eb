/* crd_fuzz.c - replays and evidence of any bytes, as they are and in a zstd frame. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { FRAME_HEAD = 9, BLOCK_HEAD = 3, BLOCK_MOST = 1 << 17 };

/* One frame of one stored block, so that what is changed in it is content. */
static void in_frame(const uint8_t *bytes, size_t size)
{
    static const uint8_t magic[] = {0x28, 0xb5, 0x2f, 0xfd, 0xa0};
    if (size >= BLOCK_MOST)
        return;
    uint8_t *frame = malloc(FRAME_HEAD + BLOCK_HEAD + size);
    if (!frame)
        return;
    uint32_t block = (uint32_t)size << 3 | 1;
    memcpy(frame, magic, sizeof magic);
    for (int i = 0; i < 4; i++)
        frame[5 + i] = (uint8_t)(size >> 8 * i);
    for (int i = 0; i < BLOCK_HEAD; i++)
        frame[FRAME_HEAD + i] = (uint8_t)(block >> 8 * i);
    if (size)
        memcpy(frame + FRAME_HEAD + BLOCK_HEAD, bytes, size);
    fuzz_trace("crd", frame, FRAME_HEAD + BLOCK_HEAD + size);
    free(frame);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    fuzz_trace("crd", bytes, size);
    in_frame(bytes, size);
    return 0;
}
