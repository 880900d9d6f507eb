/* glsl_expression.c - expressions of shader text to code: every result is a value of its own. */
#include "gpu/glsl_compiler.h"

#include "base/error.h"

#include <stdarg.h>
#include <string.h>

/* ---- words ------------------------------------------------------------------------------- */

bool glsl_refuse(struct compiler *c, const char *fmt, ...)
{
    if (c->failed)
        return false;
    char text[160];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    c->failed = true;
    c->status =
        fail(c->err, RAS_EUNSUPPORTED, RAS_NONE, "line %" PRIu32 ": %s", c->word.line, text);
    return false;
}

void glsl_next(struct compiler *c)
{
    c->word = glsl_word_next(&c->words);
}

bool glsl_is(const struct compiler *c, const char *text)
{
    return (c->word.kind == GLSL_NAME || c->word.kind == GLSL_SIGN) && !strcmp(c->word.text, text);
}

bool glsl_take(struct compiler *c, const char *text)
{
    if (!glsl_is(c, text))
        return false;
    glsl_next(c);
    return true;
}

bool glsl_expect(struct compiler *c, const char *text)
{
    return glsl_take(c, text) || glsl_refuse(c, "'%s' where '%s' is wanted", c->word.text, text);
}

/* 0: no type that is known here. */
uint32_t glsl_type(const char *name)
{
    static const char *const types[] = {"float", "vec2", "vec3", "vec4"};
    for (uint32_t i = 0; i < 4; i++)
        if (!strcmp(name, types[i]))
            return i + 1;
    return 0;
}

struct variable *glsl_find(struct compiler *c, const char *name)
{
    for (uint32_t i = 0; i < c->variable_count; i++)
        if (!strcmp(c->variables[i].name, name))
            return &c->variables[i];
    return NULL;
}

/* ---- code -------------------------------------------------------------------------------- */

bool glsl_emit(struct compiler *c, enum program_op op, uint32_t to, uint8_t mask,
               uint32_t (*from)[4], uint32_t sources)
{
    struct instruction *in = program_code(c->p);
    if (!in)
        return glsl_refuse(c, "more than %d instructions", (int)PROGRAM_CODE);
    in->op = (uint8_t)op;
    in->to = to;
    in->mask = mask;
    memcpy(in->from, from, sources * sizeof *from);
    in->overlaps = instruction_overlaps(in, sources);
    return true;
}

bool glsl_temp(struct compiler *c, uint32_t size, struct value *value)
{
    if (c->temps >= TEMPS)
        return glsl_refuse(c, "more than %d values", (int)TEMPS);
    value->size = size;
    value->is_int = false;
    for (uint32_t i = 0; i < 4; i++)
        value->at[i] = program_open(REGISTER_TEMP, c->temps, i);
    c->temps++;
    return true;
}

bool glsl_constant(struct compiler *c, double number, bool is_int, struct value *value)
{
    float narrow = (float)number;
    struct uniform u = {0};
    for (int i = 0; i < 4; i++)
        memcpy(&u.bits[i], &narrow, sizeof narrow);
    uint32_t reg = program_uniform(c->p, &u);
    if (reg == UINT32_MAX)
        return glsl_refuse(c, "more than %d constants", (int)PROGRAM_REGISTERS);
    *value = (struct value){.size = 1, .is_int = is_int};
    for (uint32_t i = 0; i < 4; i++)
        value->at[i] = program_open(REGISTER_UNIFORM, reg, 0);
    return true;
}

/* One number for every component. */
static void spread_scalar(struct value *v, uint32_t size)
{
    for (uint32_t i = v->size; i < size; i++)
        v->at[i] = v->at[v->size - 1];
    v->size = size;
}

bool glsl_calculate(struct compiler *c, enum program_op op, struct value *a, struct value *b)
{
    if (a->is_int || b->is_int)
        return glsl_refuse(c, "a number without a point");
    if (a->size == 1)
        spread_scalar(a, b->size);
    else if (b->size == 1)
        spread_scalar(b, a->size);
    if (a->size != b->size)
        return glsl_refuse(c, "%" PRIu32 " components with %" PRIu32, a->size, b->size);
    uint32_t from[2][4];
    for (uint32_t i = 0; i < 4; i++) {
        from[0][i] = a->at[i < a->size ? i : 0];
        from[1][i] = b->at[i < b->size ? i : 0];
    }
    struct value to;
    if (!glsl_temp(c, a->size, &to) ||
        !glsl_emit(c, op, to.at[0], (uint8_t)((1u << to.size) - 1), from, 2))
        return false;
    *a = to;
    return true;
}

bool glsl_negate(struct compiler *c, struct value *v)
{
    struct value minus;
    return glsl_constant(c, -1, false, &minus) && glsl_calculate(c, PROGRAM_MUL, v, &minus);
}

/* ---- expressions ------------------------------------------------------------------------- */

/* ".xyz": which components; false where there is none of that name. */
bool glsl_swizzle(struct compiler *c, uint32_t size, uint32_t picks[4], uint32_t *count)
{
    static const char *const sets[] = {"xyzw", "rgba", "stpq"};
    size_t len = strlen(c->word.text);
    if (c->word.kind != GLSL_NAME || len > 4)
        return glsl_refuse(c, "'.%s'", c->word.text);
    for (size_t set = 0; set < 3; set++) {
        size_t found = 0;
        for (; found < len; found++) {
            const char *letter = strchr(sets[set], c->word.text[found]);
            if (!letter || (uint32_t)(letter - sets[set]) >= size)
                break;
            picks[found] = (uint32_t)(letter - sets[set]);
        }
        if (found == len) {
            *count = (uint32_t)len;
            glsl_next(c);
            return true;
        }
    }
    return glsl_refuse(c, "'.%s' of %" PRIu32 " components", c->word.text, size);
}

/* The arguments, one after the other; a single number fills all components. */
static bool constructor(struct compiler *c, uint32_t size, struct value *v)
{
    struct value made = {0};
    uint32_t arguments = 0, first_size = 0;
    if (!glsl_expect(c, "("))
        return false;
    do {
        struct value part;
        if (made.size >= size)
            return glsl_refuse(c, "more arguments than components");
        if (!glsl_expression(c, &part))
            return false;
        for (uint32_t i = 0; i < part.size && made.size < size; i++)
            made.at[made.size++] = part.at[i];
        first_size = arguments++ ? first_size : part.size;
    } while (glsl_take(c, ","));
    if (arguments == 1 && first_size == 1)
        spread_scalar(&made, size);
    if (made.size != size)
        return glsl_refuse(c, "%" PRIu32 " components for %" PRIu32, made.size, size);
    *v = made;
    return glsl_expect(c, ")");
}

static bool name_value(struct compiler *c, struct value *v)
{
    uint32_t size = glsl_type(c->word.text);
    if (size) {
        glsl_next(c);
        return constructor(c, size, v);
    }
    const struct variable *variable = glsl_find(c, c->word.text);
    if (!variable)
        return glsl_refuse(c, "'%s' is not known here", c->word.text);
    if (variable->written != (1u << variable->size) - 1)
        return glsl_refuse(c, "'%s' is read before it is written", c->word.text);
    if (c->constant && variable->role != ROLE_CONST)
        return glsl_refuse(c, "'%s' is not constant", c->word.text);
    *v = (struct value){.size = variable->size};
    memcpy(v->at, variable->at, sizeof v->at);
    glsl_next(c);
    return true;
}

static bool primary(struct compiler *c, struct value *v)
{
    if (c->word.kind == GLSL_INT || c->word.kind == GLSL_FLOAT) {
        double number = c->word.value;
        bool is_int = c->word.kind == GLSL_INT;
        glsl_next(c);
        return glsl_constant(c, number, is_int, v);
    }
    if (glsl_take(c, "(")) {
        if (++c->nesting > NESTING)
            return glsl_refuse(c, "more than %d parentheses", (int)NESTING);
        bool good = glsl_expression(c, v) && glsl_expect(c, ")");
        c->nesting--;
        return good;
    }
    if (c->word.kind != GLSL_NAME)
        return glsl_refuse(c, "'%s' in an expression", c->word.text);
    return name_value(c, v);
}

static bool postfix(struct compiler *c, struct value *v)
{
    if (!primary(c, v))
        return false;
    while (glsl_take(c, ".")) {
        uint32_t picks[4], count;
        struct value picked = {0};
        if (v->size < 2)
            return glsl_refuse(c, "a component of a number");
        if (!glsl_swizzle(c, v->size, picks, &count))
            return false;
        for (uint32_t i = 0; i < count; i++)
            picked.at[picked.size++] = v->at[picks[i]];
        *v = picked;
    }
    return true;
}

static bool unary(struct compiler *c, struct value *v)
{
    bool minus = false;
    while (glsl_is(c, "-") || glsl_is(c, "+")) {
        minus ^= glsl_is(c, "-");
        glsl_next(c);
    }
    if (!postfix(c, v))
        return false;
    if (!minus)
        return true;
    v->is_int = false; /* a constructor takes it as well */
    return glsl_negate(c, v);
}

static bool product(struct compiler *c, struct value *v)
{
    if (!unary(c, v))
        return false;
    while (glsl_take(c, "*")) {
        struct value b;
        if (!unary(c, &b) || !glsl_calculate(c, PROGRAM_MUL, v, &b))
            return false;
    }
    return true;
}

bool glsl_expression(struct compiler *c, struct value *v)
{
    if (++c->nesting > NESTING)
        return glsl_refuse(c, "expressions %d deep", (int)NESTING);
    bool good = product(c, v);
    while (good && (glsl_is(c, "+") || glsl_is(c, "-"))) {
        bool minus = glsl_is(c, "-");
        struct value b;
        glsl_next(c);
        good = product(c, &b) && !(b.is_int && glsl_refuse(c, "a number without a point")) &&
               (!minus || glsl_negate(c, &b)) && glsl_calculate(c, PROGRAM_ADD, v, &b);
    }
    c->nesting--;
    return good;
}
