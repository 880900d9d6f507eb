/* seekable.h - seekable zstd: independent frames, and an index of them at the end.
 *
 * The format is zstd's own "seekable format" (contrib/seekable_format of its sources): frames with
 * a checksum, then a skippable frame with the stored size and the size of each. Every zstd decoder
 * reads it from the first byte to the last; a reader that knows the index begins anywhere. */
#ifndef CODEC_SEEKABLE_H
#define CODEC_SEEKABLE_H

#include <rastrum/rastrum.h>

enum {
    FRAME_SIZE =
        256 << 10, /* smaller ones take more bytes, larger ones longer to read one record */
    FRAME_HEAD_MOST = 255,
    FRAME_HEAD_USUAL = 64, /* where nothing is changed later: what it is shows without decoding */
    FRAME_INDEX_HEAD = 8,  /* magic number and size of the skippable frame */
    FRAME_INDEX_ENTRY = 8, /* 12 with checksums, which are not written */
    FRAME_INDEX_FOOT = 9,
};

/* ---- writing --------------------------------------------------------------------------------- */

/* Called with bytes to store; all or none of them count. */
typedef int frames_store(void *user, const uint8_t *bytes, size_t size, struct ras_error *);

struct frames_writer;

/* The first `head` bytes, at most FRAME_HEAD_MOST, are a frame of their own, stored as they are:
 * they can be changed later. NULL: memory is short. */
struct frames_writer *frames_open(size_t head, frames_store *, void *user);
/* Take bytes; a full frame is stored. After a failure only frames_free() may follow. */
int frames_put(struct frames_writer *, const void *bytes, size_t size, struct ras_error *);
/* Store all that was taken: a file that ends here can be read up to here. */
int frames_flush(struct frames_writer *, struct ras_error *);
/* Close the last frame, and store the index, once. */
int frames_end(struct frames_writer *, struct ras_error *);
void frames_free(struct frames_writer *);
/* Change bytes of the head: what to store instead at the start of the file. False: they are not
 * all in the head, or it is not stored yet. */
bool frames_patch(struct frames_writer *, uint64_t at, const void *bytes, size_t size,
                  struct ras_bytes *again);
/* Of the bytes taken, those that can be read from what is stored. */
uint64_t frames_kept(const struct frames_writer *);
/* After a failure: give up the open frame and the last whole ones, of at least `most` stored bytes
 * together if there are so many. Returns where the file ends then. */
uint64_t frames_give_back(struct frames_writer *, uint64_t most);
/* Bytes stored so far. */
uint64_t frames_stored(const struct frames_writer *);

/* ---- reading --------------------------------------------------------------------------------- */

struct frame {
    uint64_t at, stored; /* where it is in the file */
    uint64_t from, size; /* the bytes that it decompresses to */
};

struct frames_index {
    struct frame *frames; /* none is empty */
    size_t count;
    uint64_t size;      /* of all bytes */
    uint64_t stored_at; /* where the index begins */
};

/* Read the index at the end of a file. RAS_OK; RAS_END: there is none, or it does not agree with
 * the size of the file; RAS_EMEMORY. */
int frames_index_get(struct ras_bytes file, uint64_t most, struct frames_index *);
void frames_index_free(struct frames_index *);
/* The frame that has this byte; `count` when none does. */
size_t frames_find(const struct frames_index *, uint64_t at);
#endif
