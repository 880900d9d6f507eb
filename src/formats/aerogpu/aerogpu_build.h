/* aerogpu_build.h - a trace out of values: what waits to be written, and who makes it. */
#ifndef AEROGPU_BUILD_H
#define AEROGPU_BUILD_H

#include "formats/aerogpu/aerogpu_driver.h"

enum aero_what {
    AERO_CALL_BEGIN,
    AERO_CALL_PRESENT,
    AERO_CALL_END,
    AERO_CALL_PACKET,
    AERO_CALL_BLOB,
    AERO_CALL_SUBMISSION
};

/* A call of the writer that waits for its turn. */
struct aero_call {
    enum aero_what what;
    bool waits;      /* its bytes are not there yet */
    bool made_up;    /* they are not told: `len` zeros */
    uint32_t number; /* frame_index; kind */
    uint64_t blob_id;
    size_t at, len; /* in data */
    struct ras_aero_submission submission;
    struct ras_aero_stream stream; /* of one that waits for its commands */
};

struct aero_maker {
    struct ras_aero_writer *writer;
    struct ras_aero_start start;
    struct out text; /* of the header row, which the start points into */
    bool has_notes;
    struct ras_bytes notes;
    struct aero_call *calls;
    size_t head, count, room;
    struct out data;
    uint8_t *zeros;
    size_t zero_room;
    bool open; /* a frame is, when all that waits is written */
    uint32_t index, next;
    enum { AERO_NO_COMMANDS, AERO_PASS_COMMANDS, AERO_TAKE_COMMANDS } commands; /* that come now */
    size_t stream_call; /* they make this one's bytes */
    struct out stream;
    enum { AERO_TRACE, AERO_BARE_STREAM, AERO_BARE_TABLE } shape;
    bool any;
    uint64_t made_up; /* bytes of blobs without data */
    uint64_t allocs;
};

/* aerogpu_build_queue.c */
struct aero_call *aero_call_add(struct aero_maker *, enum aero_what, struct ras_error *);
/* Write whatever does not wait any more. */
int aero_call_flush(struct aero_maker *, struct ras_sink *, struct ras_error *);
/* The commands are all there: they become the bytes of what waited for them. */
int aero_commands_end(struct aero_maker *, struct ras_error *);
/* The commands that follow are those of this stream, where that still waits for them. */
void aero_commands_await(struct aero_maker *, uint64_t blob_id);
/* Zeros stand for bytes that are not told; and for streams whose commands never came. */
void aero_make_up(struct aero_maker *, struct aero_call *, uint64_t size);
void aero_make_up_waiting(struct aero_maker *);
#endif
