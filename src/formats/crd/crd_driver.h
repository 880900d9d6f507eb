/* crd_driver.h - what the files of the driver share: layouts, the trace, the cursor.
 *
 * Two kinds of files: a replay (.crd), one msgpack map; and the evidence of a capture, msgpack maps
 * with their lengths. Both are wrapped by zstd, which core unwraps. */
#ifndef CRD_DRIVER_H
#define CRD_DRIVER_H

#include "codec/msgpack.h"
#include "core/format.h"

enum {
    CRD_VERSION_OLD = 20, /* the two versions of replays whose layout is known */
    CRD_VERSION = 27,
    CRD_EVIDENCE_VERSION = 3,
    CRD_CONTENT_MOST = 64 << 20, /* limits of the game's own reader */
    CRD_FILE_MOST = 65 << 20,
    CRD_AXES = 4, /* of an input, before its flags */
};

/* ---- layouts: crd_layout.c ----------------------------------------------------------------- */

enum crd_kind {
    CRD_INT, /* within least and most */
    CRD_BOOL,
    CRD_REAL, /* a float64 that is a finite f32 */
    CRD_TEXT, /* of least to most characters */
    CRD_MAP,
    CRD_INTS,  /* exactly `count`, each within least and most */
    CRD_TEXTS, /* at most `count`, each of least to most characters */
    CRD_MAPS,
    CRD_ANY, /* not described */
};

/* Values that rules on other values need. */
enum crd_kept {
    KEPT_NONE,
    KEPT_MODE,
    KEPT_PLAYERS,
    KEPT_LEVEL, /* there is one */
    KEPT_OUTCOME,
    KEPT_FIRED,
    KEPT_HIT,
    KEPT_FINAL,  /* there is one */
    KEPT_RESULT, /* rows of players in the result */
    KEPT_VALUES,
};

struct crd_key {
    const char *name;
    uint8_t kind;
    bool nil;        /* may be */
    uint8_t unit;    /* enum ras_unit */
    uint8_t kept;    /* enum crd_kept */
    uint8_t letters; /* of CRD_TEXTS: 1 letters and dots, else printable ASCII */
    uint32_t count;
    int64_t least, most;
    const struct crd_map *of; /* CRD_MAP, CRD_MAPS */
};

struct crd_map {
    const char *name;
    const struct crd_key *keys;
    size_t count;
};

/* Of a version of replays; NULL: it is not known. */
struct crd_layout {
    uint64_t version;
    const struct crd_map *run, *result;
};
const struct crd_layout *crd_layout_of(uint64_t version);
extern const struct crd_map crd_command, crd_header, crd_evidence_tick, crd_footer;
extern const char *const crd_outcomes[]; /* ends with NULL */

/* ---- trace and cursor --------------------------------------------------------------- */

enum { CRD_FIELDS = 16, CRD_INNER = 16 };

struct crd_schema {
    struct ras_schema schema;
    struct ras_field fields[CRD_FIELDS];
};

struct crd {
    bool evidence;                   /* else a replay */
    const struct crd_layout *layout; /* of a replay; NULL: not known */
    struct crd_schema schemas[3];    /* run, result, command; header, tick, footer */
    struct ras_field inner[CRD_INNER];
    size_t inner_count;
};

/* Where a cursor is: in the map of a replay, in an array of it, in a tick. Of evidence: `ended`. */
struct crd_cursor {
    bool begun, ended;
    uint32_t pairs;            /* left of the map */
    uint32_t items, item;      /* left of the array under way; the number of the next one */
    uint32_t inputs, commands; /* left of the tick */
    uint32_t row;              /* of the input */
    uint64_t parent;           /* seq of the tick, of the member */
};

/* crd_values.c */
void crd_schema_fill(struct crd *, struct crd_schema *, const struct crd_map *, unsigned flags);
/* The value of a key of the map in `bytes`, the last of equal ones; no bytes: it has none. */
struct ras_bytes crd_find(struct ras_bytes bytes, const char *key);
/* The members of the map as values, in the order of the layout; null: absent, or of another kind.
 */
bool crd_values_put(struct cells *, const struct view *, const struct crd_map *,
                    struct ras_bytes bytes);
bool crd_int(struct ras_bytes value, int64_t *number);
bool crd_real(struct ras_bytes value, double *real);

/* Why these bytes cannot be followed: they end, or are not MessagePack. */
enum step crd_stop(struct ras_cursor *, const struct msgpack *, uint64_t offset, const char *what);

/* crd_replay.c */
int crd_replay_open(struct ras_trace *, struct ras_error *);
enum step crd_replay_next(struct ras_cursor *);
/* crd_evidence.c */
int crd_evidence_open(struct ras_trace *, struct ras_error *);
enum step crd_evidence_next(struct ras_cursor *);
/* crd_timeline.c */
extern const struct timeline_ops crd_timeline;
/* crd_check.c, crd_check_evidence.c */
extern const struct ras_rule crd_rules[];
int crd_check(struct ras_trace *, struct report *, struct ras_error *);
#endif
