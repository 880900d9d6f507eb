/* cdt_write.h - rows and chunks that are bytes already, handed to a writer. */
#ifndef CDT_WRITE_H
#define CDT_WRITE_H

#include "base/out.h"
#include <rastrum/cdt.h>

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
/* What a row that cannot be taken is told at: where its chunk would be. */
uint64_t cdt_writer_at(const struct ras_cdt_writer *writer);
#endif
