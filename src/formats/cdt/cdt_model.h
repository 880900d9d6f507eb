/* cdt_model.h - the structs of each schema as tables, and one decoder and one encoder for all of
 * them. */
#ifndef FORMATS_CDT_MODEL_H
#define FORMATS_CDT_MODEL_H

#include <rastrum/cdt.h>

#include <string.h>

struct arena;
struct cdt_encoder;
struct cdt_struct;

enum cdt_type {
    CDT_INT,       /* int64_t */
    CDT_WEAPON,    /* int64_t in 0..53 */
    CDT_FLOAT,     /* double */
    CDT_BOOL,      /* bool */
    CDT_STR,       /* struct ras_bytes */
    CDT_BIN,       /* struct ras_bytes */
    CDT_STRUCT,    /* embedded */
    CDT_LIST,      /* {at, count} of structs */
    CDT_STRS,      /* {at, count} of struct ras_bytes */
    CDT_INTS,      /* struct ras_cdt_int_list */
    CDT_COUNTS,    /* array of array of array of int */
    CDT_TIMERS,    /* map str -> int: {at, count} of struct ras_cdt_timer */
    CDT_FIXED,     /* exactly `fixed` ints, embedded */
    CDT_FIXED_POS, /* the same, each >= 0 */
    CDT_SKIPPED,   /* not decoded: all zero */
    CDT_COUNTED,   /* {NULL, count} of an array: its elements are not decoded */
    /* of container 2, which is strict */
    CDT_REAL,  /* double; an int is refused */
    CDT_RANGE, /* int64_t from `number` to `most` */
    CDT_CHAR,  /* struct ras_bytes: one character */
    CDT_UNION, /* {at, count} of structs, each of which has a tag */
};

enum cdt_need {
    CDT_REQUIRED,
    CDT_NULLABLE, /* nil or a value; absent is nil */
    CDT_DEFAULT,  /* a value; absent is the default */
    CDT_NILABLE,  /* nil or a value, but not absent */
};

static inline bool cdt_may_be_nil(unsigned need)
{
    return need & 1;
}

static inline bool cdt_is_required(unsigned need)
{
    return need == CDT_REQUIRED || need == CDT_NILABLE;
}

/* What the zig producer does differently with a member. */
enum cdt_zig {
    CDT_ZIG_SAME,
    CDT_ZIG_DROP,     /* it has no such key */
    CDT_ZIG_UNSIGNED, /* an int of the unsigned family; its others are signed */
    CDT_ZIG_F64,      /* a float64; its others are float32 */
    CDT_ZIG_HASHES,   /* preceded by state_hash and command_hash, both empty */
};

struct cdt_field {
    /* The key as the writers encode it: a fixstr of its name. The two members are adjacent and
     * compared as one block of bytes. */
    uint8_t head; /* 0xa0 | length of name */
    char name[31];
    uint8_t type, need;          /* enum cdt_type, enum cdt_need */
    uint16_t offset;             /* in the C struct */
    uint16_t fixed;              /* CDT_FIXED: how many; CDT_INTS that is narrow: the same */
    uint16_t size;               /* of the C member */
    uint8_t zig;                 /* enum cdt_zig */
    bool narrow;                 /* a list: its ints have 32 bits, `fixed` is its least length */
    uint8_t moved;               /* its bit in the node, plus one; 0: its place in the table */
    uint32_t most;               /* CDT_RANGE */
    int64_t number;              /* default of an int; CDT_RANGE: the least */
    const char *text;            /* default of a str; NULL: "" */
    const struct cdt_struct *of; /* CDT_STRUCT, CDT_LIST */
};

/* The bit of the i-th member in `present` and `wide` of its struct's node. */
static inline unsigned cdt_bit(const struct cdt_field *f, unsigned i)
{
    return f->moved ? f->moved - 1u : i;
}

struct cdt_struct {
    const char *name; /* as in the specification */
    const struct cdt_field *fields;
    uint16_t count;
    uint16_t size; /* of the C struct */
    bool closed;   /* unknown keys are refused, not ignored */
    bool plain;    /* no struct ras_cdt_node in front */
    bool moved;    /* a member has a bit that is not its place */
    bool own;      /* its rows are records of their own */
    bool f32;      /* its floats are compared by their bits as float32 */
    /* CDT_UNION: the structs that may be there, NULL last; `fields` describe all of them. */
    const struct cdt_struct *const *variants;
    const char *tag; /* of a variant: its `type` */
    /* Its own encoder in style python, called with enough room; NULL: the common one. */
    uint8_t *(*put)(struct cdt_encoder *, uint8_t *p, const uint8_t *from);
};

/* The types of records, in the order of delivery. */
enum {
    CDT_ROW_TICK,
    CDT_ROW_CHECKPOINT,
    CDT_ROW_PLAYER,
    CDT_ROW_DEATH,
    CDT_ROW_HIT,
    CDT_ROW_SIM_STATE,
    CDT_ROW_SIM_PLAYER,
    CDT_ROW_CREATURE, /* the four pools are adjacent */
    CDT_ROW_PROJECTILE,
    CDT_ROW_SECONDARY,
    CDT_ROW_BONUS,
    CDT_ROW_RNG,
    CDT_ROW_TIMING,
    CDT_ROW_STEP, /* from here on of container 2 */
    CDT_ROW_INPUT,
    CDT_ROWS
};

/* The structs of one schema: what drivers and verbs take instead of asking for versions. */
struct cdt_model {
    uint32_t container;
    int64_t schema;
    const struct cdt_struct *meta, *footer, *block, *channels, *entities;
    const struct cdt_struct *rows[CDT_ROWS]; /* by type of record; NULL: it has no such records */
    unsigned row_count;
};

extern const struct cdt_model cdt_model_12, cdt_model_12_late; /* late: other names in its status */
extern const struct cdt_model cdt_model_19, cdt_model_20, cdt_model_21;
/* NULL: the structs of this schema are not known. */
const struct cdt_model *cdt_model_of(uint32_t container, int64_t schema);
/* META and footer of schemas that are not known: those of container 2 since schema 15. */
extern const struct cdt_struct cdt_meta_2, cdt_footer_2;

extern const struct cdt_struct cdt_trace_meta, cdt_trace_footer, cdt_tick_block;
extern const struct cdt_struct cdt_tick_record, cdt_replay_checkpoint, cdt_game_status_data;
extern const struct cdt_struct cdt_snapshot_bonus_timers;
extern const struct cdt_struct cdt_sim_state_snapshot, cdt_snapshot_player;
extern const struct cdt_struct cdt_rng_stream_row, cdt_timing_sample_row;
extern const struct cdt_struct cdt_creature_entity_sample, cdt_projectile_entity_sample;
extern const struct cdt_struct cdt_secondary_projectile_entity_sample, cdt_bonus_entity_sample;
extern const struct cdt_struct cdt_replay_player_checkpoint, cdt_replay_death_ledger_entry;
extern const struct cdt_struct cdt_replay_hit_summary_entry, cdt_entity_samples_snapshot;
extern const struct cdt_struct cdt_replay_tick_channels;

/* The name of the struct of an operation of this type; NULL: there is none. */
const char *cdt_operation_name(struct ras_bytes type);
/* The struct that this element of a union is. */
const struct cdt_struct *cdt_variant(const struct cdt_struct *of, const void *at);

/* Why a payload does not match its struct, or a struct cannot be encoded, and where. */
struct cdt_problem {
    uint64_t ignored; /* unknown keys that were skipped; set on success too */
    int status;       /* RAS_EFORMAT, RAS_EMEMORY; of a struct RAS_EUSAGE, RAS_ELIMIT */
    uint64_t at;      /* in the payload */
    char what[120];   /* "unknown key 'x'" */
    char path[200];   /* "$.ticks[1].channels.sim_state" */
};

static inline bool cdt_text_is(struct ras_bytes text, const char *want)
{
    return text.len == strlen(want) && !memcmp(text.at, want, text.len);
}

/* Bytes that a decoder may read past the end of a payload. They need not be zero: their values are
 * not used. */
#define CDT_PADDING 64

/* Decodes the single value in `payload` as struct `s` into *out (s->size bytes); lists are
 * allocated from the arena. The payload must be followed by CDT_PADDING readable bytes. Returns
 * false and sets *problem if a byte does not fit; trailing bytes do not fit either. */
bool cdt_decode(const struct cdt_struct *s, struct ras_bytes payload, struct arena *arena,
                void *out, struct cdt_problem *problem) RAS_CHECKED;

/* Sets the C member at `out` to its value for an absent key. */
void cdt_member_default(const struct cdt_field *f, uint8_t *out);

/* Puts one more step in front of problem->path: paths grow while the recursion unwinds. */
void cdt_problem_inside(struct cdt_problem *problem, const char *fmt, ...)
    __attribute__((format(printf, 2, 3), cold));

/* The smallest encoded size of this struct. */
uint64_t cdt_struct_least(const struct cdt_struct *s);
#endif
