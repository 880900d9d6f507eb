/* cdt_model.h - the 33 structs of schema 12 as tables, and one decoder and one encoder for all of
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
};

enum cdt_need {
    CDT_REQUIRED,
    CDT_NULLABLE, /* nil or a value; absent is nil */
    CDT_DEFAULT,  /* a value; absent is the default */
};

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
    uint16_t fixed;              /* CDT_FIXED: how many */
    uint16_t size;               /* of the C member */
    uint8_t zig;                 /* enum cdt_zig */
    int64_t number;              /* default of an int */
    const char *text;            /* default of a str; NULL: "" */
    const struct cdt_struct *of; /* CDT_STRUCT, CDT_LIST */
};

struct cdt_struct {
    const char *name; /* as in the specification */
    const struct cdt_field *fields;
    uint16_t count;
    uint16_t size; /* of the C struct */
    bool closed;   /* unknown keys are refused, not ignored */
    bool plain;    /* no struct ras_cdt_node in front */
    /* Its own encoder in style python, called with enough room; NULL: the common one. */
    uint8_t *(*put)(struct cdt_encoder *, uint8_t *p, const uint8_t *from);
};

extern const struct cdt_struct cdt_trace_meta, cdt_trace_footer, cdt_tick_block;
extern const struct cdt_struct cdt_tick_record, cdt_replay_tick_channels, cdt_replay_checkpoint;
extern const struct cdt_struct cdt_replay_player_checkpoint, cdt_replay_death_ledger_entry;
extern const struct cdt_struct cdt_replay_hit_summary_entry, cdt_sim_state_snapshot;
extern const struct cdt_struct cdt_snapshot_player, cdt_rng_stream_row, cdt_timing_sample_row;
extern const struct cdt_struct cdt_creature_entity_sample, cdt_projectile_entity_sample;
extern const struct cdt_struct cdt_secondary_projectile_entity_sample, cdt_bonus_entity_sample;
extern const struct cdt_struct cdt_entity_samples_snapshot, cdt_snapshot_bonus_timers;
extern const struct cdt_struct cdt_game_status_data;

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
