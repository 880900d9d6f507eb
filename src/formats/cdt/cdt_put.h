/* cdt_put.h - the structs of schema 12 to msgpack and chunks in the style of either producer, and
 * rows and chunks that are bytes already. */
#ifndef CDT_PUT_H
#define CDT_PUT_H

#include "base/out.h"
#include "formats/cdt/cdt_model.h"
#include <rastrum/cdt.h>

/* Append the struct at `from` to `out`, as the style's producer would write it. False,
 * with *problem told and `out` as long as before, when a value of it has no place in the
 * format: text that is not UTF-8, an int out of its range, a length beyond 32 bits. */
bool cdt_encode(const struct cdt_struct *s, const void *from, enum ras_cdt_style style,
                struct out *out, struct cdt_problem *problem) RAS_CHECKED;

/* The head of a TickBlock of `count` rows, up to its first row: at most
 * CDT_BLOCK_HEAD_MOST bytes. Returns how many. */
enum { CDT_BLOCK_HEAD_MOST = 64 };
size_t cdt_block_head_put(int64_t start_tick, int64_t end_tick, uint32_t count,
                          enum ras_cdt_style style, uint8_t *to);

struct zstd_maker;
enum { CDT_ZSTD_LEVEL = 3 }; /* the producers' */

/* Append a chunk of this kind and these ticks; the rest of *chunk is filled in. Without
 * a maker the payload is stored as it is. */
int cdt_chunk_seal(struct out *out, struct ras_cdt_chunk *chunk, struct ras_bytes payload,
                   struct zstd_maker *zstd, struct ras_error *err) RAS_CHECKED;
/* Append META or FOTR, whichever `kind` says, as the style has it. */
int cdt_struct_seal(struct out *out, enum ras_cdt_kind kind, const void *from,
                    enum ras_cdt_style style, struct ras_error *err) RAS_CHECKED;
/* A META that says no more than it must: the producer, by the style, and the ticks. */
struct ras_cdt_trace_meta cdt_meta_plain(enum ras_cdt_style style, int64_t first, int64_t last,
                                         uint64_t rows);

/* The rows of some blocks: how many, and which ticks. */
struct cdt_bounds {
    uint64_t rows;
    int64_t first, last; /* tick_index of the first and last row */
    int64_t low, high;   /* of all, as far as blocks are in order */
};
void cdt_bounds_add(struct cdt_bounds *bounds, int64_t first, int64_t last, uint64_t rows);
/* The footer of an index and its rows. Bounds that descend or are below zero no reader
 * takes: it has the lowest and highest tick then, from 0 on. */
struct ras_cdt_trace_footer cdt_footer_of(const struct cdt_bounds *bounds,
                                          const struct ras_cdt_tick_block_index_entry *index,
                                          size_t count);
/* What `chunk` is in the index. */
struct ras_cdt_tick_block_index_entry cdt_index_entry(const struct ras_cdt_chunk *chunk,
                                                      uint64_t offset);
/* The problem as an error told at this offset. */
int cdt_refuse(const struct cdt_problem *problem, uint64_t at, struct ras_error *err);

/* A writer behind a header and META that the caller gives as bytes. It takes rows as they
 * come, in whatever order: what a trace had is what a copy has. */
int cdt_writer_begin(struct ras_cdt_writer **out, struct ras_sink *sink, struct ras_bytes head,
                     const struct ras_cdt_write_options *options,
                     struct ras_error *err) RAS_CHECKED;

/* The rows of the chunk under way; append the bytes of one behind them. */
struct out *cdt_writer_rows(struct ras_cdt_writer *writer);
/* Take the bytes that were appended behind `before` as one row. Afterwards they are in
 * a chunk, or the buffer is as long as before. */
int cdt_writer_take(struct ras_cdt_writer *writer, size_t before, int64_t tick_index,
                    struct ras_error *err) RAS_CHECKED;
/* End the chunk under way; nothing is flushed. */
int cdt_writer_end_chunk(struct ras_cdt_writer *writer, struct ras_error *err) RAS_CHECKED;
/* A chunk of so many rows, as it is stored. None may be under way. */
int cdt_writer_chunk(struct ras_cdt_writer *writer, const struct ras_cdt_chunk *chunk,
                     struct ras_bytes stored, int64_t first, int64_t last, uint64_t rows,
                     struct ras_error *err) RAS_CHECKED;
/* Chunks of TICK that follow each other in a file, as they are stored: each has the ticks that its
 * head says, and one row for each of them. None may be under way. */
int cdt_writer_chunks(struct ras_cdt_writer *writer, struct ras_bytes file, uint64_t from,
                      uint64_t to, struct ras_error *err) RAS_CHECKED;
/* Where the chunk under way will be: the offset of an error about one of its rows. */
uint64_t cdt_writer_at(const struct ras_cdt_writer *writer);
#endif
