/* cdt_write.h - rows that are msgpack already, handed to a writer. */
#ifndef CDT_WRITE_H
#define CDT_WRITE_H

#include "base/out.h"
#include <rastrum/cdt.h>

/* Append bytes to the chunk under way: `rows` come behind what it holds. */
struct out *cdt_writer_rows(struct ras_cdt_writer *writer);
/* Take the bytes that were appended behind `before` as one row. Afterwards they are in
 * a chunk, or the buffer is as long as before. */
int cdt_writer_take(struct ras_cdt_writer *writer, size_t before, int64_t tick_index,
                    struct ras_error *err) RAS_CHECKED;
/* What a row that cannot be taken is told at: where its chunk would be. */
uint64_t cdt_writer_at(const struct ras_cdt_writer *writer);
#endif
