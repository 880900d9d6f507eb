/* arrow.h - a table as a stream of Arrow's C data interface.
 *
 * The structures are those that Arrow specifies; any header that defines them may be included
 * before or after this one.
 *
 *     struct ArrowArrayStream stream;
 *     const struct ras_columns_scan scan = {.table = "command"};
 *     if (ras_tables_open(&tables, trace, NULL, err) == RAS_OK &&
 *         ras_arrow_stream(tables, &scan, &stream, err) == RAS_OK) {
 *         consume(&stream); // as pyarrow.RecordBatchReader does
 *         stream.release(&stream);
 *     } */
#ifndef RASTRUM_ARROW_H
#define RASTRUM_ARROW_H

#include <rastrum/columns.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE           2
#define ARROW_FLAG_MAP_KEYS_SORTED    4

struct ArrowSchema {
    const char *format;
    const char *name;
    const char *metadata;
    int64_t flags;
    int64_t n_children;
    struct ArrowSchema **children;
    struct ArrowSchema *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length;
    int64_t null_count;
    int64_t offset;
    int64_t n_buffers;
    int64_t n_children;
    const void **buffers;
    struct ArrowArray **children;
    struct ArrowArray *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};
#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};
#endif

/* The rows of a scan, batch by batch; the tables must outlive the stream. Arrays own what they
 * hold, so that consumers may keep them. Text is a dictionary of UTF-8 with 32-bit indexes, its
 * own in each array. A trace that is cut ends like another: ask ras_ending() after the last
 * array. */
RAS_API int ras_arrow_stream(struct ras_tables *tables, const struct ras_columns_scan *scan,
                             struct ArrowArrayStream *out, struct ras_error *err) RAS_CHECKED;

#ifdef __cplusplus
}
#endif
#endif
