/* glsl_compiler.h - what the two halves of the compiler share: words, variables, values. */
#ifndef GPU_GLSL_COMPILER_H
#define GPU_GLSL_COMPILER_H

#include "gpu/glsl.h"

enum { VARIABLES = 64, TEMPS = 512, NESTING = 32 };

enum role { ROLE_LOCAL, ROLE_CONST, ROLE_IN, ROLE_OUT };

struct variable {
    char name[64];
    uint32_t size; /* components */
    enum role role;
    uint32_t at[4];  /* open components */
    uint8_t written; /* of them */
};

/* What an expression is: some components, wherever they are. */
struct value {
    uint32_t size;
    uint32_t at[4];
    bool is_int; /* a literal without a point: for constructors alone */
};

struct compiler {
    struct glsl_words words;
    struct glsl_word word; /* the one at hand */
    struct program *p;
    struct variable variables[VARIABLES];
    uint32_t variable_count, temps, inputs, outputs, nesting;
    bool vertex, has_precision, has_main;
    bool constant; /* an expression that only constants may be in */
    bool failed;
    struct ras_error *err;
    int status;
};

/* More than can be proven: the first reason is reported. False, so that a check is one line. */
bool glsl_refuse(struct compiler *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void glsl_next(struct compiler *c);
/* The word at hand is this one; take it if it is; refuse what is another. */
bool glsl_is(const struct compiler *c, const char *text);
bool glsl_take(struct compiler *c, const char *text);
bool glsl_expect(struct compiler *c, const char *text);
/* Components of a type; 0: no type that is known here. */
uint32_t glsl_type(const char *name);
struct variable *glsl_find(struct compiler *c, const char *name);

bool glsl_emit(struct compiler *c, enum program_op op, uint32_t to, uint8_t mask,
               uint32_t (*from)[4], uint32_t sources);
bool glsl_temp(struct compiler *c, uint32_t size, struct value *value);
bool glsl_constant(struct compiler *c, double number, bool is_int, struct value *value);
bool glsl_calculate(struct compiler *c, enum program_op op, struct value *a, struct value *b);
bool glsl_negate(struct compiler *c, struct value *v);
bool glsl_expression(struct compiler *c, struct value *v);
/* The letters after a point: which components of so many. */
bool glsl_swizzle(struct compiler *c, uint32_t size, uint32_t picks[4], uint32_t *count);
#endif
