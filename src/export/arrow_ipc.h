/* arrow_ipc.h - a table of column batches as a stream of Arrow. */
#ifndef EXPORT_ARROW_IPC_H
#define EXPORT_ARROW_IPC_H

#include <rastrum/columns.h>

struct arrow_ipc;

/* Columns of the table, in the order of the batches that follow. The sink stays the caller's. */
int arrow_ipc_open(struct arrow_ipc **out, struct ras_sink *, const struct ras_table_about *,
                   const uint16_t *columns, size_t column_count, struct ras_error *) RAS_CHECKED;
/* The rows of a batch that its tests selected. */
int arrow_ipc_write(struct arrow_ipc *, const struct ras_batch *, struct ras_error *) RAS_CHECKED;
/* Texts that are not UTF-8, which Arrow wants, and have U+FFFD instead. */
uint64_t arrow_ipc_not_utf8(const struct arrow_ipc *);
/* The mark of the stream's end. */
int arrow_ipc_finish(struct arrow_ipc *, struct ras_error *) RAS_CHECKED;
void arrow_ipc_free(struct arrow_ipc *); /* NULL is fine */
#endif
