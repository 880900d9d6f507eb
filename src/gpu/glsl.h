/* glsl.h - the little of GLSL ES 3.00 that can be proven to be executed as it is meant.
 *
 * Inputs, outputs, local variables of float, vec2, vec3 and vec4; assignments; swizzles,
 * constructors, constants, + - * and parentheses; one main(). Whatever is more, or has no
 * defined result, is refused, not guessed at. */
#ifndef GPU_GLSL_H
#define GPU_GLSL_H

#include "gpu/program.h"

/* A program whose inputs (vertex: by location) and outputs are known by the hash of their name;
 * gl_Position is SYSTEM_POSITION with z from 0 to w. RAS_EUNSUPPORTED: more than the above. */
int program_from_glsl(struct program **out, struct ras_bytes text, bool vertex,
                      struct ras_error *err);

/* ---- words (glsl.c) ---------------------------------------------------------------------- */

enum glsl_kind { GLSL_END, GLSL_NAME, GLSL_INT, GLSL_FLOAT, GLSL_SIGN, GLSL_BAD };

struct glsl_word {
    enum glsl_kind kind;
    char text[64]; /* of a sign: the one character, or two of "+=" and the like */
    double value;
    uint32_t line;
};

struct glsl_words {
    const char *at, *end;
    uint32_t line;
};

static inline bool glsl_is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static inline bool glsl_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The next word; comments and blanks are skipped. */
struct glsl_word glsl_word_next(struct glsl_words *words);

/* ---- loops (glsl_loops.c) ---------------------------------------------------------------- */

#define GLSL_ROUNDS_UNKNOWN UINT64_MAX

/* The rounds of all loops together in one run of a GLSL ES 3.00 shader, the last test of each
 * loop's condition counted as a round: 0 without loops, GLSL_ROUNDS_UNKNOWN where no bound can be
 * proven from the text. */
uint64_t glsl_rounds(struct ras_bytes text);
#endif
