/* atf_write.h - the two files of a thread while they are written. */
#ifndef ATF_WRITE_H
#define ATF_WRITE_H

#include "codec/json_write.h"
#include "formats/atf/atf_wire.h"

/* The first and last event as written, and the smallest and largest time. */
struct atf_written_times {
    uint64_t first, last, min, max;
};

/* One of the two files of a thread. */
struct atf_out_file {
    uint8_t *at, *stop;    /* after the records in the block, and the end of the room for more */
    struct ras_sink *sink; /* NULL: not begun */
    uint64_t base;         /* where the file begins in the sink */
    uint64_t end;          /* bytes that the sink has completely */
    uint64_t bytes;        /* of records, in the sink */
    uint32_t crc;          /* of these */
    bool sealed;           /* the footer is written */
    uint8_t *block;        /* BLOCK bytes once a record is buffered */
};

/* The events in the sink, and those in the block up to `upto`. */
struct atf_ahead {
    const uint8_t *upto;
    uint32_t crc;
    bool any;
    struct atf_written_times times;
};

struct ras_atf_writer {
    struct atf_out_file index, detail; /* it begins as struct ras_atf_room */
    struct ras_sink *detail_sink;      /* made once, even if its header has to be tried again */
    uint64_t details;                  /* taken so far; those of events follow from `index` */
    uint64_t events_max, details_max;
    struct ras_atf_index_header header;
    struct ras_atf_detail_header detail_header;
    struct atf_written_times times; /* of the events in the sink */
    struct atf_ahead ahead;
    uint64_t detail_first, detail_last; /* times of the details taken */
    struct ras_atf_writer_options options;
    bool finalized;
};

_Static_assert(offsetof(struct ras_atf_writer, index.at) == offsetof(struct ras_atf_room, at) &&
                   offsetof(struct ras_atf_writer, index.stop) ==
                       offsetof(struct ras_atf_room, stop),
               "ras_atf_writer_put() uses these offsets");

static inline size_t atf_kept(const struct atf_out_file *file)
{
    return (size_t)(file->at - file->block);
}

static inline uint64_t atf_events_taken(const struct ras_atf_writer *w)
{
    return (w->index.bytes + atf_kept(&w->index)) / RAS_ATF_INDEX_EVENT_SIZE;
}

struct atf_written {
    uint32_t clock_type;
    bool has_events, has_detail, finalized;
    struct atf_written_times times; /* if has_events */
};
/* State of the sinks. */
struct atf_written atf_writer_written(const struct ras_atf_writer *);
/* Begin the detail file, which may stay without details. */
int atf_writer_begin_details(struct ras_atf_writer *, struct ras_error *);
/* ras_atf_writer_event() for an event of any kind. */
int atf_writer_put(struct ras_atf_writer *, const struct ras_atf_index_event *,
                   const struct ras_atf_detail_event *, struct ras_error *);
/* Sets the arch of its headers, which was not known before; 0: keep it. Returns the arch. */
unsigned atf_writer_arch(struct ras_atf_writer *, unsigned arch);
/* Sets arch, os and clock_type of its headers to these, known or not. */
void atf_writer_codes(struct ras_atf_writer *, const struct ras_atf_index_header *);

/* Members that a recorder adds to a manifest. */
struct atf_manifest_more {
    bool no_times;            /* they are not known yet */
    struct ras_bytes members; /* of the object, as written after atf_members_start() */
};
int atf_manifest_write(const struct ras_atf_manifest *, const struct atf_manifest_more *,
                       struct ras_sink *, struct ras_error *);
struct atf_source;
/* The member "sources", for functions that have a file. */
void atf_sources_put(struct json *, const struct atf_source *, size_t count);
/* A JSON string of bytes that may not be text. */
void atf_manifest_text(struct json *, const char *key, const char *text, size_t len);
/* Start members for a manifest, after those in `out`: each begins with atf_member_line(). A
 * member that is already text is added with atf_member(). */
struct json atf_members_start(struct out *out);
void atf_member_line(struct json *);
void atf_member(struct json *, const uint8_t *text, size_t len);
#endif
