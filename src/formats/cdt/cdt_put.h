/* cdt_put.h - encodes the structs of every schema as msgpack and chunks in the style of either
 * producer, and writes rows and chunks that are already encoded. */
#ifndef CDT_PUT_H
#define CDT_PUT_H

#include "base/out.h"
#include "formats/cdt/cdt_model.h"
#include <rastrum/cdt.h>

/* Appends the struct at `from` to `out`, as the style's producer would write it. Returns false,
 * sets *problem and leaves `out` unchanged if a value cannot be encoded: text that is not UTF-8, an
 * int out of range, a length beyond 32 bits. */
bool cdt_encode(const struct cdt_struct *s, const void *from, enum ras_cdt_style style,
                struct out *out, struct cdt_problem *problem) RAS_CHECKED;

/* Writes the head of a TickBlock of `count` rows, up to its first row: at most CDT_BLOCK_HEAD_MOST
 * bytes. Returns how many. */
enum { CDT_BLOCK_HEAD_MOST = 64 };
size_t cdt_block_head_put(int64_t start_tick, int64_t end_tick, uint32_t count,
                          enum ras_cdt_style style, uint8_t *to);

/* Whether chunks are compressed: those of container 2 never are. */
static inline bool cdt_is_packed(const struct cdt_model *model, enum ras_cdt_style style)
{
    return model->container == RAS_CDT_FORMAT_VERSION && style == RAS_CDT_PYTHON;
}

struct zstd_maker;
enum { CDT_ZSTD_LEVEL = 3 }; /* the producers' */

/* Appends a chunk of this kind and these ticks and fills in the rest of *chunk. Without a
 * compressor the payload is stored as is. */
int cdt_chunk_seal(struct out *out, struct ras_cdt_chunk *chunk, struct ras_bytes payload,
                   struct zstd_maker *zstd, struct ras_error *err) RAS_CHECKED;
/* Appends META or FOTR, depending on `kind`, in this style. */
int cdt_struct_seal(struct out *out, enum ras_cdt_kind kind, const void *from,
                    const struct cdt_model *model, enum ras_cdt_style style,
                    struct ras_error *err) RAS_CHECKED;
/* A minimal META: the producer, by the style, and the ticks. Where these are not typed their schema
 * is not known: it has the number 0, by which they stay untyped. */
struct ras_cdt_trace_meta cdt_meta_plain(const struct cdt_model *model, bool typed,
                                         enum ras_cdt_style style, int64_t first, int64_t last,
                                         uint64_t rows);

/* The rows of some blocks: how many, and which ticks. */
struct cdt_bounds {
    uint64_t rows;
    int64_t first, last; /* tick_index of the first and last row */
    int64_t low, high;   /* of all rows, as far as blocks are in order */
};
void cdt_bounds_add(struct cdt_bounds *bounds, int64_t first, int64_t last, uint64_t rows);
/* The footer for an index and its rows. Readers refuse bounds that descend or are negative: then it
 * gets the lowest and highest tick, from 0 on. */
struct ras_cdt_trace_footer cdt_footer_of(const struct cdt_bounds *bounds,
                                          const struct ras_cdt_tick_block_index_entry *index,
                                          size_t count);
/* The index entry of `chunk`. */
struct ras_cdt_tick_block_index_entry cdt_index_entry(const struct ras_cdt_chunk *chunk,
                                                      uint64_t offset);
/* Reports the problem as an error at this offset. */
int cdt_refuse(const struct cdt_problem *problem, uint64_t at, struct ras_error *err);

/* A writer that starts after a header and META given as bytes. It accepts rows in any order, so
 * that a copy equals its source. */
int cdt_writer_begin(struct ras_cdt_writer **out, struct ras_sink *sink, struct ras_bytes head,
                     const struct cdt_model *model, const struct ras_cdt_writer_options *options,
                     struct ras_error *err) RAS_CHECKED;
/* The structs that it writes. */
const struct cdt_model *cdt_writer_model(const struct ras_cdt_writer *writer);

/* The rows of the current chunk; append the bytes of a row to them. */
struct out *cdt_writer_rows(struct ras_cdt_writer *writer);
/* Takes the bytes appended after `before` as one row. Afterwards they are in a chunk, or the buffer
 * is as long as before. */
int cdt_writer_take(struct ras_cdt_writer *writer, size_t before, int64_t tick_index,
                    struct ras_error *err) RAS_CHECKED;
/* Ends the current chunk without flushing. */
int cdt_writer_end_chunk(struct ras_cdt_writer *writer, struct ras_error *err) RAS_CHECKED;
/* Writes a stored chunk of so many rows. There must be no current chunk. */
int cdt_writer_chunk(struct ras_cdt_writer *writer, const struct ras_cdt_chunk *chunk,
                     struct ras_bytes stored, int64_t first, int64_t last, uint64_t rows,
                     struct ras_error *err) RAS_CHECKED;
/* Writes stored TICK chunks that are adjacent in a file: each has exactly the ticks of its header,
 * one row for each. There must be no current chunk. */
int cdt_writer_chunks(struct ras_cdt_writer *writer, struct ras_bytes file, uint64_t from,
                      uint64_t to, struct ras_error *err) RAS_CHECKED;
/* Offset of the current chunk: errors about one of its rows are reported there. */
uint64_t cdt_writer_at(const struct ras_cdt_writer *writer);
#endif
