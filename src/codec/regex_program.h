/* regex_program.h - what a pattern is turned into; for the two halves of regex.h. */
#ifndef CODEC_REGEX_PROGRAM_H
#define CODEC_REGEX_PROGRAM_H

#include "codec/regex.h"

enum regex_op {
    REGEX_CHAR,  /* this character */
    REGEX_ANY,   /* any */
    REGEX_SET,   /* one of ranges[a .. a + b) */
    REGEX_UNSET, /* none of them */
    REGEX_JUMP,  /* to a */
    REGEX_SPLIT, /* to a and to b */
    REGEX_START, /* of the text */
    REGEX_END,   /* of the text */
    REGEX_MATCH,
};

/* Places are counted from the step itself, so that a piece can be moved and copied. */
struct regex_step {
    enum regex_op op;
    int32_t a, b;
};

struct regex_range {
    uint32_t from, to; /* both are in it */
};

/* The steps that are tried at once; each at most once. */
struct regex_states {
    uint16_t *at;
    size_t count;
};

struct regex {
    struct regex_step *steps;
    size_t count, room;
    struct regex_range *ranges;
    size_t range_count, range_room;
    bool fold;       /* the case of ASCII letters does not matter */
    bool first_any;  /* a match may begin with anything, or be empty */
    bool first[256]; /* else with one of these bytes */
    struct regex_states now, next;
    uint16_t *stack;
    uint32_t *seen; /* by step: the place in the text it was last entered for */
    uint32_t turn;
};

/* The next character and its size; a byte that is no UTF-8 lies beyond all characters. */
uint32_t regex_char(const uint8_t *at, size_t left, size_t *size);
/* Once all steps are there. False: memory is short. */
bool regex_prepare(struct regex *);
#endif
