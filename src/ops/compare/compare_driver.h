/* compare_driver.h - the driver's part in comparing two traces, and in inspecting one.
 *
 * diff.c calls a driver's run() to walk both sides. It counts the positions that it compares in
 * out->checked, reports each divergence by compare_diverged(), and sets how the sides ended in
 * out->endings. The detail of a divergence is a value in `doc`. */
#ifndef OPS_COMPARE_COMPARE_DRIVER_H
#define OPS_COMPARE_COMPARE_DRIVER_H

#include "core/format.h"
#include "core/document.h"
#include "ops/compare/detail_schema.h"
#include "ops/compare/paths.h"
#include <rastrum/rastrum.h>

/* How much of a comparison is shown, how far the aligned walk looks ahead, how often progress is
 * reported: the same for every format. */
enum compare_limits {
    /* Two traces that have nothing in common differ everywhere. */
    COMPARE_DIVERGENCES_MOST = 1 << 20,

    /* The aligned walk: rows of each side that are aligned at first, at most (when fewer do not
     * bring the sides together again), and insertions and deletions among them. */
    COMPARE_WINDOW_FIRST = 256,
    COMPARE_WINDOW_MOST = 16384,
    COMPARE_DIFFERENCES_MOST = 1024,
    /* Of sides that have little in common for long: after so much effort (a quarter of a second)
     * fewer are looked for, so that the time grows with the rows, not with their differences. */
    COMPARE_EFFORT_MOST = 1 << 26,
    COMPARE_DIFFERENCES_LATER = 128,

    /* Between two reports of progress: rows that are cheap to pass, frames or ticks that are not.
     */
    COMPARE_PROGRESS_ROWS = 65536,
    COMPARE_PROGRESS_PLACES = 256,

    /* Limits of one detail; the rest is counted or left out. */
    COMPARE_ROWS_MOST = 256,    /* mismatches of one frame or tick */
    COMPARE_LISTED_MOST = 8,    /* rows that only one side has */
    COMPARE_ITEMS_SHOWN = 64,   /* of a list: commands of a frame, numbers, calls of a path */
    COMPARE_BYTES_SHOWN = 256,  /* of a blob */
    COMPARE_CELLS_SHOWN = 4096, /* of one value of an event */
};

/* Options that not every driver supports; others are refused. */
enum compare_takes {
    COMPARE_RANGE = 1, /* first, last */
    COMPARE_CHANNELS = 2,
    COMPARE_PATHS = 4, /* ignored, tolerances */
    COMPARE_SPANS = 8,
};

/* Takes the divergences one by one instead of a list of them: see diff_count(). */
struct compare_tally {
    /* `amount`: how many commands, rows, events or calls differ there; its detail is NULL. */
    void (*add)(void *user, const struct ras_divergence *, uint64_t amount);
    void (*restart)(void *user); /* forget all: the traces are compared again, in another order */
    void *user;
};

struct compare {
    struct ras_trace *side[2]; /* expected, actual */
    const struct compare_ops *ops;
    const struct ras_compare_options *options;
    struct ras_diff *out;
    struct document doc;
    struct document scratch; /* details that are not kept: see compare_detail_open() */
    void *priv;              /* ops->size bytes, zeroed */

    /* Private to core. */
    size_t *details; /* where in doc each divergence's detail begins */
    size_t detail_room, divergence_room, note_room;
    size_t table_at;                    /* SIZE_MAX: none */
    size_t channels_at, diagnostics_at; /* of c->doc, for drivers; SIZE_MAX: none */
    size_t conditions_at;               /* SIZE_MAX: none */
    size_t tables[2];                   /* the open one: itself, its rows */
    const struct compare_tally *tally;  /* NULL: divergences are kept */
    uint64_t amount;                    /* of the last divergence, which was not handed out yet */
};

/* Whether divergences are only counted: limits of what is shown do not apply. */
static inline bool compare_counts(const struct compare *c)
{
    return c->tally != NULL;
}

/* Whether an option of the format was chosen. */
static inline bool compare_chose(const struct compare *c, const char *name)
{
    return choice_made(c->options->choices, c->options->choice_count, name);
}

/* A table of the statistics that a profile compares: rows by these columns. */
struct compare_profile {
    const char *table;
    const char *const *keys;    /* columns, ending with NULL */
    const char *const *figures; /* likewise; rows by how much the first changes */
    const char *only[2];        /* only rows whose column has this text; NULL: all */
    size_t most;                /* rows that are kept; 0: all */
};

/* A document about one trace, or two. */
struct compare_inspection {
    const char *name;
    int (*run)(struct ras_trace *, struct ras_trace *other, const struct ras_inspect_options *,
               struct document *, struct ras_error *);
};

/* How much goes on in a tick or frame: records of a type, or the sum of a field of theirs. NULL as
 * type: all records. `word` names what is counted, as a plural. */
struct compare_activity {
    const char *type, *field, *word;
};

struct compare_ops {
    const char *key, *word;   /* of the axis: "tick_index", "tick" */
    const char *line, *maker; /* of a staff: "inputs", "Murk"; NULL: its name */
    struct compare_activity activity;
    const struct ras_detail_kind *details;  /* of each kind of divergence, ending with a NULL */
    const struct compare_profile *profiles; /* ending with a table NULL; NULL: none */
    unsigned takes;                         /* enum compare_takes */
    const char *const *channels;            /* names for --channel, ends with NULL; NULL: none */
    /* For each of them, the types of its records, separated by spaces; NULL: always there. */
    const char *const *channel_types;
    bool bare_nan; /* its JSON has NaN as a bare word */
    size_t size;   /* of private state */
    int (*run)(struct compare *, struct ras_error *);
    /* Frees what run() allocated, also after it failed; NULL: nothing. */
    void (*stop)(struct compare *);
    /* All paths; NULL: the fields of the trace's schemas. */
    void (*paths)(struct ras_trace *, enum ras_paths, struct known_paths *);
    const struct compare_inspection *inspections; /* ending with a name NULL; NULL: none */
};

/* A divergence at this place on the format's axis. `detail` is the index in c->doc of the single
 * value that describes it, put already or put now; COMPARE_NO_DETAIL: none. Returns whether to go
 * on: without --keep-going the walk ends here. */
#define COMPARE_NO_DETAIL SIZE_MAX
bool compare_diverged(struct compare *, const char *kind, struct ras_value at, size_t detail);
/* The same for `rows` rows of an aligned walk, which count as checked. RAS_OK, RAS_END: the walk
 * ends here. */
int compare_rows_diverged(struct compare *, const char *kind, struct ras_value at, size_t detail,
                          uint64_t rows);
/* How many things differ in the last divergence: 1, unless stated. */
void compare_amount(struct compare *, uint64_t amount);
/* After the last one, for core: it goes to the tally, too. */
void compare_counted(struct compare *);
/* Forget all divergences: the traces are compared again, in another order. */
void compare_forget(struct compare *);
/* Whether the next divergence's detail is wanted: of very many only the first are kept. */
bool compare_wants_detail(const struct compare *);
/* Begin a detail that may turn out not to be needed: returns its document, c->doc while details are
 * kept, and where it begins there. */
struct document *compare_detail_open(struct compare *, size_t *detail);
/* End it: for compare_diverged(), or dropped when nothing differs. */
size_t compare_detail_close(struct compare *, struct document *, size_t detail, bool differs);
/* Another number that locates the last divergence. */
void compare_also(struct compare *, const char *key, const char *word, struct ras_value at);
/* The record of this side. */
void compare_where(struct compare *, int side, uint32_t stream, uint64_t seq);
/* A note on how the comparison was made, once. */
void compare_note(struct compare *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A table for the report: its columns end with NULL; its rows are lists, put into c->doc between
 * these two calls. Only after the last divergence. */
void compare_table(struct compare *, const char *name, const char *const *columns);
void compare_table_end(struct compare *);

/* The position of a tick or frame in its trace. Numbers should ascend but need not: one that steps
 * back begins another round, and `nth` counts repetitions of one. Zero-initialised: before the
 * first. */
struct compare_place {
    uint64_t round, number, nth;
    bool begun;
};
void compare_place_next(struct compare_place *, uint64_t number);
/* Below, at or above zero, as for memcmp. */
int compare_place_order(const struct compare_place *, const struct compare_place *);
/* Whether the requested range holds it. */
bool compare_in_range(const struct ras_compare_options *, uint64_t number);

/* For the run() of a driver that does not know what its records have: every record of a tick with
 * that of the other side, by the fields of its schema. Kinds: record_mismatch (detail_record),
 * type_mismatch, missing_tick. Floats are compared by their bits. */
int compare_by_tick(struct compare *, struct ras_error *) RAS_CHECKED;

/* How a side ends: the cursor reads to the end, because an exit status that reports a cut must not
 * depend on where the traces differ. */
int compare_ending(struct compare *, int side, const struct ras_cursor *, struct ras_error *);

/* Whether --channel includes this one. */
bool compare_wants(const struct ras_compare_options *, const char *channel);
/* Whether --ignore names the path or one above it. */
bool compare_ignores(const struct ras_compare_options *, const char *path);
/* Whether two numbers count as equal at this path. */
bool compare_near(const struct ras_compare_options *, const char *path, double a, double b);
/* Whether a pattern names the path or something above it. */
bool path_covers(const char *pattern, const char *path);

/* ---- field by field ---------------------------------------------------- */

enum fields_how {
    FIELDS_SORTED = 1,   /* keys of maps in the order of their repr; else in that of `a` */
    FIELDS_NAN_SAME = 2, /* NaN is the same as NaN */
    /* Floats by their bits: 0.0 differs from -0.0, and a NaN only from other NaNs, by a
     * row of kind bits_mismatch. */
    FIELDS_BITS = 4,
    /* Floats by their bits as float32. Rows of two floats have their distance, bits and how many
     * float32 are between them; a side that is null is left out. */
    FIELDS_F32 = 8,
};

/* The name of the type of a map, which is a struct then; NULL: it is just a map. Maps of different
 * types are a type_mismatch. */
typedef const char *fields_class(const struct ras_value *map);

/* Put a row {"path", "kind", "expected", "actual"} into the document for each place in which the
 * two values differ, below `root`; returns their number. Kinds: value_mismatch, type_mismatch
 * (names of Python's types), length_mismatch, missing_actual, missing_expected. Floats compare by
 * value: NaN differs from itself, unless `how` says otherwise. `options` may be NULL. `alias`, if
 * any, is a name above root that --ignore and --tolerance may use, too. */
size_t fields_compare(struct document *, const struct ras_compare_options *options,
                      const char *alias, const char *root, const struct ras_value *a,
                      const struct ras_value *b, unsigned how);
/* The same for maps that have types. */
size_t fields_compare_typed(struct document *, const struct ras_compare_options *options,
                            const char *alias, const char *root, const struct ras_value *a,
                            const struct ras_value *b, unsigned how, fields_class *class_of);
/* The same without an alias; a list is followed until there are `most` rows. */
size_t fields_compare_some(struct document *, const struct ras_compare_options *options,
                           const char *root, const struct ras_value *a, const struct ras_value *b,
                           unsigned how, size_t most);
/* The same for a value in the document of each side, which are freed. */
size_t fields_compare_sides(struct document *, const struct ras_compare_options *options,
                            const char *alias, const char *root, struct document sides[2],
                            unsigned how);
/* Begin a row of the caller: "expected" and "actual" follow, then document_close(). */
size_t fields_row(struct document *, const char *path, const char *kind);
/* A whole row; NULL is null. */
void fields_put_row(struct document *, const char *path, const char *kind,
                    const struct ras_value *a, const struct ras_value *b);
/* A row of kind bytes_mismatch when two spans differ: of each its size, and the bytes from the
 * first difference on. Returns the number of rows. */
size_t fields_bytes(struct document *, const struct ras_compare_options *options, const char *path,
                    struct ras_bytes a, struct ras_bytes b);

static inline struct ras_value value_of_int(int64_t i)
{
    return (struct ras_value){.kind = RAS_INT, .i = i};
}

static inline struct ras_value value_of_f32(uint32_t bits)
{
    struct ras_value v = {.kind = RAS_F32, .bits = 32};
    memcpy(&v.f32, &bits, sizeof bits);
    return v;
}

static inline uint32_t value_f32_bits(const struct ras_value *v)
{
    uint32_t bits;
    memcpy(&bits, &v->f32, sizeof bits);
    return bits;
}

static inline struct ras_value value_of_uint(uint64_t u)
{
    return (struct ras_value){.kind = RAS_UINT, .u = u};
}

static inline struct ras_value value_of_text(const char *text)
{
    return (struct ras_value){.kind = RAS_STR, .count = (uint32_t)strlen(text), .at = text};
}
#endif
