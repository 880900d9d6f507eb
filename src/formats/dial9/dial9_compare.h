/* dial9_compare.h - two traces event by event: shared by the parts of the comparison.
 *
 * The two are walked side by side. Where they diverge, the events that follow are read into a
 * window on each side, as hashes, and aligned; an event that is reported is read again by a jump
 * to it, so that memory does not grow with the traces. */
#ifndef DIAL9_COMPARE_H
#define DIAL9_COMPARE_H

#include "core/document.h"
#include "formats/dial9/dial9_driver.h"
#include "ops/compare/align_walk.h"

/* How the comparison treats a field. */
enum field_care {
    FIELD_EXACT,
    FIELD_IGNORED, /* --ignore names all of it */
    FIELD_CAREFUL, /* --ignore or --tolerance names something in it */
};

/* What is known about a type of one side. */
struct compare_type {
    bool known;
    bool careful;     /* a field of it is FIELD_CAREFUL */
    bool alike;       /* `twin` has the same fields in the same order */
    uint32_t twin;    /* the other side's type of the same name, seen last; 0: none yet */
    uint64_t name;    /* hash */
    uint64_t *fields; /* hashes of their names */
    uint8_t *care;    /* enum field_care of each; NULL: all are exact */
};

/* An event in a window: enough to align it, and to find it again. */
struct compare_item {
    uint64_t hash;  /* of its type's name and its exact fields, not of its time */
    uint64_t index; /* its number in the trace */
    uint64_t offset, time_ns, base_ns;
    uint32_t schema, batch;
    bool timed;
};

/* A batch, once batches are compared as wholes. */
struct compare_batch {
    uint64_t offset; /* of its header */
    uint64_t first;  /* number of its first event */
    uint64_t count, hash;
    bool paired; /* with one of the other trace that has the same events */
};

struct compare_side {
    struct ras_cursor *cursor;
    const struct ras_record *at;   /* the current event; NULL: the trace has ended */
    uint64_t index;                /* its number, or how many there are */
    uint32_t batch;                /* that the event before it was in */
    bool opens;                    /* it is the first of its batch */
    bool opened;                   /* so is the first of the window */
    struct compare_batch *batches; /* by number; NULL: no batch is left out */
    size_t batch_count, batch_room;
    struct compare_type *types; /* by schema id */
    size_t type_count, type_room;
    struct compare_item *items;
    size_t item_count, item_room;
    uint64_t past;          /* number of the event after the window */
    bool ended;             /* the window holds all remaining events */
    struct ras_mark beyond; /* after the window, if it does not */
};

struct dial9_compare {
    struct compare *c;
    struct compare_side side[2];
    struct align_walk walk;
    uint64_t shift_ns; /* how much later the second clock is */
    bool with_time;    /* times are compared, too */
    uint64_t time_eps_ns;
    bool nomem;
    bool ordered;             /* the order of the batches was checked */
    struct compare_type none; /* where memory is short */
};

/* dial9_compare_same.c: whether two events are the same. */
uint64_t dial9_compare_hash(struct dial9_compare *, int side);
/* The current events. */
bool dial9_compare_same(struct dial9_compare *);
bool dial9_times_same(const struct dial9_compare *, uint64_t a, uint64_t b);
/* Put a row into the document for each difference between the values of the current events,
 * which are of one type; how many. */
size_t dial9_compare_rows(struct dial9_compare *, struct document *);
void dial9_compare_forget(struct compare_side *);

/* dial9_compare.c: how differences are reported. */
/* One of them; the flags of its field say whether numbers in it are addresses. */
void dial9_put_tree(struct document *, const struct ras_value *, unsigned flags);
static inline unsigned dial9_field_flags(const struct ras_cursor *c, const struct ras_value *v)
{
    return ras_schema_of(c)->fields[v->field].flags;
}

/* Batches in another order. */
/* Make the first event at or after the cursor that is not in a paired batch the current one;
 * NULL at the end. */
int dial9_compare_next(struct dial9_compare *, int side, struct ras_error *);
/* Both are at the beginnings of batches that differ: pair the batches that are the same in both
 * and leave them out from here on. */
int dial9_pair_batches(struct dial9_compare *, struct ras_error *);

extern const struct compare_ops dial9_compare;
#endif
