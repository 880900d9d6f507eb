/* recipe.h - what a grid world is made of, from its text. */
#ifndef WORLD_RECIPE_H
#define WORLD_RECIPE_H

#include <rastrum/world.h>
#include "world/space.h"

enum field_kind { FIELD_STATIC, FIELD_PERTICK, FIELD_SPARSE, FIELD_KINDS };

#define RECIPE_FIELDS 256u
#define RECIPE_NONE   UINT32_MAX

struct recipe_field {
    char name[64];
    enum field_kind kind;
    uint32_t components; /* values of one cell */
};

enum prop_kind {
    PROP_CONST,
    PROP_COPYPREV,
    PROP_COPY,
    PROP_HOLD,
    PROP_DIFFUSE,
    PROP_EXAMPLE,
    PROP_FAIL,
    PROP_PARAMFILL,
    PROP_SCALE,
    PROP_NOISE,
    PROP_DIGEST,
    PROP_SCALARDIFF, /* from here on those of recipes of version 2 */
    PROP_GRADIENT,
    PROP_FLOW,
    PROP_IDENTITY,
    PROP_WAVE,
    PROP_RESOURCE,
    PROP_EMISSION,
    PROP_NOISEINJ,
    PROP_MORPH,
    PROP_REFDIFFUSION,
    PROP_MOVEMENT,
    PROP_REWARD,
    PROP_KINDS,
};

/* The fields of the reference propagators. */
enum { REF_HEAT, REF_VELOCITY, REF_PRESENCE, REF_GRADIENT, REF_REWARD };

/* A number of a list: of a cell and its value, or of an agent and its cell. */
struct recipe_pair {
    uint64_t first, second;
};

struct recipe_prop {
    enum prop_kind kind;
    uint32_t reads, writes; /* fields; the same where only one is named */
    uint32_t bits;          /* an f32 */
    uint32_t key;           /* of a parameter */
    uint64_t number;        /* a cell, a seed, or a count of calls */
    double factor;
    unsigned line; /* of the text */
    /* Of version 2. */
    uint32_t beside;  /* a second field that is read; RECIPE_NONE: none */
    uint32_t also;    /* a second field that is written; RECIPE_NONE: none */
    uint32_t more[2]; /* f32 */
    bool given[2];    /* whether `more` was given */
    double second;
    unsigned choice; /* which of its words */
    struct recipe_pair *pairs;
    size_t pair_count, pair_room;
};

struct recipe_param {
    uint32_t key;
    uint64_t bits; /* an f64 */
};

struct recipe {
    bool full;      /* of a world with entities and parameters */
    unsigned given; /* statements that were there, as bits */
    unsigned version;
    struct space space;
    uint64_t dt_bits;
    uint64_t queue; /* commands that one tick may be given */
    uint64_t entities;
    struct recipe_field *fields;
    size_t field_count, field_room;
    struct recipe_prop *props;
    size_t prop_count, prop_room;
    struct recipe_param *params; /* by key once read */
    size_t param_count, param_room;
    bool of_entities[RECIPE_FIELDS]; /* entities write their values into it */
    bool written[RECIPE_FIELDS];     /* by a propagator */
};

/* The recipe of a world that has entities, parameters and what acts on them, or not. */
int recipe_read(struct recipe *, struct ras_bytes text, bool full, struct ras_error *);
void recipe_free(struct recipe *);
const struct recipe_param *recipe_param(const struct recipe_param *, size_t count, uint32_t key);
const char *prop_name(enum prop_kind);
/* Whether it looks at the neighbours of cells. */
bool prop_spreads(enum prop_kind);

/* ---- recipe text ------------------------------------------------------------------------- */

/* The text of a recipe: a statement a line, in words. */

enum { RECIPE_WORD = 64 };

struct recipe_line {
    void *recipe;    /* what is being read */
    unsigned number; /* from 1 */
    unsigned count;  /* of words */
    const char **words;
    size_t word_room;
    struct ras_error *err;
};

/* Call `read` with each line that has words, until it fails. */
int recipe_lines(struct recipe_line *, struct ras_bytes text, int (*read)(struct recipe_line *));
int recipe_wrong(const struct recipe_line *, const char *word, const char *what);
bool recipe_number(const char *word, uint64_t most, uint64_t *out);
bool recipe_hex(const char *word, unsigned digits, uint64_t *out);
#endif
