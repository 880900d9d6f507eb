/* dial9_spans.h - spans of three dialects: what their events say, and the live ones.
 *
 * Which dialect an event is of it says itself: one with a span_instance_id is modern, one with a
 * span_id only is legacy, and a span that is one event is known by its annotations. A modern span
 * is paired by instance and thread, innermost first; its close has the summary. */
#ifndef DIAL9_SPANS_H
#define DIAL9_SPANS_H

#include "base/id_table.h"
#include "codec/quantiles.h"
#include <rastrum/rastrum.h>

struct dial9_stats;
struct fact;
struct fact_event;
struct fact_schema;
struct ras_dial9_value;

enum span_dialect { SPAN_LEGACY, SPAN_MODERN, SPAN_SINGLE, SPAN_DIALECTS };
/* Where the id that makes a span unique in the world comes from. */
enum span_identity { IDENTITY_LEGACY, IDENTITY_METADATA, IDENTITY_FLAT };

/* Bits of attribution_flags: what an attribution of time lacks. */
enum {
    SPAN_LACKS_PROFILE = 1,
    SPAN_LACKS_SUM = 2,
    SPAN_LACKS_WORKER = 4,
    SPAN_LACKS_WAKES = 8,
    SPAN_LACKS_ALL = 15,
};

/* What the close of a modern span, or a span of one event, says besides its id and time; kept until
 * the fact is matched. Numbers that are absent are RAS_NONE, texts NO_TEXT. */
struct span_note {
    uint64_t start, first_enter, active, parent, line, unbalanced, task, thread;
    uint64_t attributes; /* where the pairs of a StringMap are in the source */
    uint32_t attribute_count, attribute_bytes;
    uint32_t name, target, file, kind;
};

/* Notes are made in the order in which events are stored and used in that of time, which is nearly
 * the same: blocks of neighbours stay in the cache, and a block that is empty is used
 * again. */
enum { SPAN_NOTES_BLOCK = 1024 };
struct span_notes {
    struct span_note at[SPAN_NOTES_BLOCK];
    uint32_t used, left, next_free;
};

/* What a span has beyond what all derived rows have. */
struct span_more {
    uint64_t first_enter, close, wall, thread_ns, line, task, thread;
    uint64_t unbalanced_enters, unbalanced_exits;
    uint64_t attributes; /* as in struct span_note; of other dialects RAS_NONE */
    uint64_t last_event; /* legacy: the exit whose fields replace those of the enter; 0: none */
    uint32_t attribute_count, attribute_bytes;
    uint32_t target, file, kind, flags;
    uint8_t dialect, identity;
    bool concurrent, complete;
};

/* An enter that was not left yet. */
struct span_entry {
    uint64_t time_ns, thread, event;
    uint32_t below; /* 1 + the one before it in the list; 0: none */
    uint16_t worker;
};

/* A piece that is covered while another enter of the span is open. */
struct span_piece {
    uint64_t from_ns, to_ns;
    uint32_t below;
};

struct live_span {
    uint64_t id, first, event, wall, thread_ns;
    uint64_t exits; /* unbalanced */
    uint32_t entries, entry_count, pieces, intervals, text, next_free;
    bool used, entered;
};

/* A set of spans that have the same place in the program; and the figures of those. */
struct span_type {
    uint32_t name, target, file, kind;
    uint64_t line;
    uint8_t dialect;
    uint64_t open, concurrent, incomplete, unbalanced, keys;
    uint64_t wall, idle;
    struct quantiles elapsed, active;
};

/* Spans of a type that have an attribute. */
struct span_attribute {
    uint32_t type, key, value; /* value NO_TEXT: one of those that are not listed */
    uint64_t values;           /* of the key, in its first row */
    struct quantiles elapsed;
};

/* More types, keys of a type and values of a key than a table should list. */
enum { SPAN_TYPES_MOST = 4096, SPAN_KEYS_MOST = 50, SPAN_VALUES_MOST = 10 };
/* Enters of one span that are open at a time. */
enum { SPAN_ENTRIES_MOST = 1024 };

struct span_book {
    struct id_table ids; /* of live modern spans */
    struct live_span *live;
    size_t live_count, live_room;
    uint32_t live_free;
    struct span_entry *entries;
    size_t entry_count, entry_room;
    uint32_t entry_free;
    struct span_piece *pieces;
    size_t piece_count, piece_room;
    uint32_t piece_free;
    struct span_notes **notes; /* blocks */
    size_t note_count, note_room;
    uint32_t note_block, note_free; /* 1 + the block that is filled, 1 + one that is free */
    struct derived_row *row;        /* of the span that was closed */

    struct id_table type_ids, attribute_ids;
    struct span_type *types;
    size_t type_count, type_room;
    struct span_attribute *attributes;
    size_t attribute_count, attribute_room;
    uint32_t type_last;          /* that was counted */
    uint32_t attribute_last[64]; /* likewise, by a few bits of type, key and value */
    uint64_t types_dropped, keys_dropped;
    uint64_t counts[SPAN_DIALECTS]; /* spans */
    uint64_t open, without_id, unbalanced_enters, unbalanced_exits, exits_only;
};

struct span_book *dial9_spans_new(void);
void dial9_spans_free(struct span_book *);

/* dial9_span_facts.c: an enter, exit, close or whole span as a fact whose common members are
 * filled. False: it is not a span event. */
bool dial9_span_fact(struct dial9_stats *, const struct fact_event *, const struct fact_schema *,
                     const struct ras_dial9_value *const *v, struct fact *);
/* Where the numbers of most events of modern spans go, so that they need no values in between: of
 * an enter or exit, and of a close. */
enum { PLACE_NONE, PLACE_INSTANCE, PLACE_THREAD, PLACE_WORKER, STAY_PLACES };
enum {
    PLACE_START = PLACE_INSTANCE + 1,
    PLACE_FIRST,
    PLACE_ACTIVE,
    PLACE_PARENT,
    PLACE_LINE,
    PLACE_UNBALANCED,
    PLACE_NAME,
    PLACE_TARGET,
    PLACE_FILE,
    PLACE_ATTRIBUTES,
    CLOSE_PLACES
};
/* Set the places of a schema, if its events are such. */
struct ras_dial9_schema;
void dial9_span_places(struct dial9_stats *, struct fact_schema *, const struct ras_dial9_schema *);
/* The numbers of an event that has none of the fields; one with an instance is a fact. */
static inline void dial9_span_no_numbers(uint64_t numbers[CLOSE_PLACES], bool is_close)
{
    numbers[PLACE_INSTANCE] = 0;
    numbers[PLACE_THREAD] = numbers[PLACE_WORKER] = RAS_NONE;
    if (!is_close)
        return;
    for (int i = STAY_PLACES; i < CLOSE_PLACES; i++)
        numbers[i] = RAS_NONE;
    numbers[PLACE_ACTIVE] = numbers[PLACE_UNBALANCED] = 0;
}
/* The rest of a close, which is a fact but for what is noted. */
void dial9_close_numbers(struct dial9_stats *, const struct fact_event *,
                         const uint64_t numbers[CLOSE_PLACES], struct fact *);
/* The same of a record. */
struct ras_value;
void dial9_span_record_fact(struct dial9_stats *, const struct fact_schema *,
                            const struct ras_value *const *v, struct fact *);
/* The label of a span's type in the name of its events: "SpanEnter__LABEL". */
const char *dial9_span_label(const char *schema);
/* Name, target, file and line in such a name; texts that are absent are empty, the line
 * RAS_NONE. */
struct span_callsite {
    struct ras_bytes name, target, file;
    uint64_t line;
};
void dial9_span_callsite(const char *schema, struct span_callsite *);

/* dial9_spans.c: a fact of a modern span; and a span that is live when the trace ends. */
void dial9_spans_on(struct dial9_stats *, const struct fact *);
size_t dial9_spans_live(const struct dial9_stats *);
void dial9_spans_end(struct dial9_stats *, size_t i);
/* What a fact has noted; NULL: nothing. And give it back. */
static inline const struct span_note *dial9_span_note(const struct span_book *b, uint64_t note)
{
    uint64_t block = note / SPAN_NOTES_BLOCK;
    return block < b->note_count ? &b->notes[block]->at[note % SPAN_NOTES_BLOCK] : NULL;
}
void dial9_span_note_free(struct span_book *, uint64_t note);

/* dial9_span_types.c: a span is complete, or the trace ends before it is. */
struct derived_row;
void dial9_span_count(struct dial9_stats *, const struct derived_row *);
/* dial9_span_tables.c: their tables; names of dialects and identities. */
const char *dial9_dialect_name(unsigned dialect);
const char *dial9_identity_name(unsigned identity);
void dial9_span_put_tables(struct dial9_stats *);
/* dial9_span_rows.c: the attributes of a close, key and value in turns; empty: they are not
 * there. */
struct ras_bytes dial9_close_pairs(const struct ras_trace *, const struct span_more *);
#endif
