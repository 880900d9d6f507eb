/* tick_index.h - which record of each stream belongs to which tick: columns of marks.
 *
 * A column has one value a tick: the number of the record that marks it. Marks lie in the
 * traces; ticks.idx holds a copy of them, so that nothing has to be scanned. The file is
 * segments, appended one after the other:
 *
 *   "RASTICK1", u32 size of the head, u32 columns, u64 ordinal of the first row
 *   columns x { u16 length, text: "tick", "murk.offset", "atf.0.tick", ... }
 *   rows: columns x u64, little-endian, one a tick
 *
 * The size of the head counts all bytes before the rows. A segment ends where the next begins. */
#ifndef CORE_TICK_INDEX_H
#define CORE_TICK_INDEX_H

#include "base/memory.h"
#include "base/private_api.h"
#include <rastrum/rastrum.h>

struct passes;

enum tick_kind {
    TICK_PLACE,   /* an offset, row or frame: for readers of that file only */
    TICK_LAST,    /* dial9.event: the last record of the tick */
    TICK_FIRST,   /* atf.N.tick: the first one */
    TICK_SETTLED, /* atf.N.settled: where its simulation was over; RAS_NONE: nothing says */
    TICK_HEAD,    /* atf.N.head: what another thread had recorded when the tick began */
};

struct tick_column {
    const char *name;
    enum tick_kind kind;
    uint32_t stream; /* N */
    uint64_t count;
    /* Ticks and values, little-endian, `stride` bytes apart. */
    const uint8_t *ticks, *values;
    size_t stride;
    uint8_t *own; /* pairs of them, unless they lie in the file */
    size_t room;
};

/* Zero-initialised: empty. */
struct tick_index {
    struct tick_column *columns;
    size_t count, room;
    struct arena names;
    uint64_t descending; /* marks that were not taken: they step back */
    bool nomem;
    struct passes *passes; /* who is told how far tick_index_scan() is; NULL: nobody */
};

/* Take the columns of a file, whose bytes stay where they are. RAS_EFORMAT: it is cut,
 * damaged, or has other than `rows` rows (RAS_NONE: any number); then there are no columns. */
int tick_index_read(struct tick_index *, struct ras_bytes file, uint64_t rows, struct ras_error *);
/* Another mark of a column; where ticks or values step back it is left out, and counted. */
void tick_index_add(struct tick_index *, const char *name, uint64_t tick, uint64_t value);
void tick_index_free(struct tick_index *);

/* ---- marks in traces ------------------------------------------------------------------- */

/* What of a format's trace marks the ticks of a run. */
struct tick_ops {
    const char *column;
    /* Records of this type are one a tick, and have it. Their values are their offset, their
     * ordinal, or their own number where that is not the tick but counts from 0. */
    const char *type;
    enum tick_value { TICK_BY_OFFSET, TICK_BY_ROW, TICK_BY_FRAME } value;
    /* Or else collect the marks. `first` is the run's first tick. */
    int (*scan)(struct ras_trace *, struct tick_index *, uint64_t first, struct ras_error *);
    /* The number of a record in its stream, as marks have it; RAS_NONE: it has none. NULL: its
     * seq, or its parent's where it is of a type on request. */
    uint64_t (*number)(const struct ras_trace *, const struct ras_record *);
};
/* Add all marks of a trace. One that steps back is left out, and counted. */
int tick_index_scan(struct tick_index *, struct ras_trace *, uint64_t first, struct ras_error *);

const struct tick_column *tick_index_find(const struct tick_index *, const char *name);
const struct tick_column *tick_index_stream(const struct tick_index *, enum tick_kind,
                                            uint32_t stream);
uint64_t tick_column_tick(const struct tick_column *, uint64_t i);
uint64_t tick_column_value(const struct tick_column *, uint64_t i);
/* The first mark at or after a record; count: none is. */
uint64_t tick_column_from(const struct tick_column *, uint64_t value);
/* The first mark of this tick or a later one; count: none is. */
uint64_t tick_column_since(const struct tick_column *, uint64_t tick);

/* ---- writing --------------------------------------------------------------------------- */

enum { TICK_COLUMNS = 64, TICK_NAME = 24 };

/* The rows of a file that is being written. Zero-initialised but for the sink. */
struct tick_rows {
    struct ras_sink *sink;
    uint64_t rows;  /* written */
    unsigned count; /* columns of the row so far */
    unsigned known; /* columns of the segment */
    bool renamed;   /* the row has other columns than the segment */
    char names[TICK_COLUMNS][TICK_NAME];
    uint64_t values[TICK_COLUMNS];
};
PRIVATE_API void tick_rows_put(struct tick_rows *, const char *name, uint64_t value);
/* End the row; one whose columns are not those of the row before begins a segment. */
PRIVATE_API int tick_rows_end(struct tick_rows *, struct ras_error *);
#endif
