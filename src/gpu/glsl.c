/* glsl.c - a small part of GLSL ES 3.00 to code, in one pass: declarations and statements. */
#include "base/error.h"
#include "gpu/glsl.h"
#include "gpu/glsl_compiler.h"

#include <string.h>

/* ---- glsl words -------------------------------------------------------------------------- */

/* Shader text as words: names, numbers and signs. */

static bool is_shown(char c)
{
    return c > ' ' && c <= '~';
}

static bool starts(const struct glsl_words *w, const char *text)
{
    size_t len = strlen(text);
    return (size_t)(w->end - w->at) >= len && !memcmp(w->at, text, len);
}

/* To the end of its line. False: its end is ambiguous: a backslash continues it, or it ends in a
 * way that compilers treat differently. */
static bool pass_comment(struct glsl_words *w)
{
    for (; w->at < w->end && *w->at != '\n'; w->at++)
        if (*w->at == '\\' || !*w->at || (*w->at == '\r' && !starts(w, "\r\n")))
            return false;
    return true;
}

/* False: a comment that does not end, or whose end is ambiguous. */
static bool words_skip(struct glsl_words *w)
{
    while (w->at < w->end) {
        if (*w->at == '\n')
            w->line++;
        if (*w->at == ' ' || *w->at == '\t' || *w->at == '\n' || *w->at == '\r') {
            w->at++;
        } else if (starts(w, "//")) {
            if (!pass_comment(w))
                return false;
        } else if (starts(w, "/*")) {
            for (w->at += 2; !starts(w, "*/"); w->at++) {
                if (w->at == w->end || !*w->at)
                    return false;
                w->line += *w->at == '\n';
            }
            w->at += 2;
        } else {
            break;
        }
    }
    return true;
}

/* Digits with a point or an exponent; exact for what shaders have: up to 15 digits and small
 * exponents. More is not taken. */
static void number(struct glsl_words *w, struct glsl_word *word)
{
    const char *start = w->at;
    uint64_t digits = 0;
    int scale = 0, count = 0;
    bool point = false;
    word->kind = GLSL_INT;
    for (; w->at < w->end && (glsl_is_digit(*w->at) || (*w->at == '.' && !point)); w->at++) {
        if (*w->at == '.') {
            point = true;
            word->kind = GLSL_FLOAT;
            continue;
        }
        digits = digits * 10 + (uint64_t)(*w->at - '0');
        count += digits > 0;
        scale += point;
        if (count > 15 || scale > 22)
            break;
    }
    static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    word->value = (double)digits / tens[scale > 22 ? 22 : scale];
    if (w->at < w->end && (*w->at == 'f' || *w->at == 'F') && word->kind == GLSL_FLOAT)
        w->at++;
    bool more =
        w->at < w->end && (glsl_is_letter(*w->at) || glsl_is_digit(*w->at) || *w->at == '.');
    bool octal = word->kind == GLSL_INT && *start == '0' && w->at > start + 1;
    if (more || octal || (word->kind == GLSL_INT && digits > INT32_MAX))
        word->kind = GLSL_BAD; /* exponents, suffixes, too many digits */
}

struct glsl_word glsl_word_next(struct glsl_words *w)
{
    struct glsl_word word = {.kind = GLSL_END};
    bool good = words_skip(w);
    word.line = w->line;
    if (!good)
        word.kind = GLSL_BAD;
    if (!good || w->at == w->end)
        return word;
    const char *start = w->at;
    if (glsl_is_digit(*start) || (*start == '.' && w->at + 1 < w->end && glsl_is_digit(start[1]))) {
        number(w, &word);
    } else if (glsl_is_letter(*start)) {
        while (w->at < w->end && (glsl_is_letter(*w->at) || glsl_is_digit(*w->at)))
            w->at++;
        word.kind = GLSL_NAME;
    } else {
        w->at++;
        word.kind = is_shown(*start) ? GLSL_SIGN : GLSL_BAD;
        bool doubled = w->at < w->end && strchr("+-", *start) && *w->at == *start;
        if (w->at < w->end && strchr("+-*", *start) && (*w->at == '=' || doubled))
            w->at++;
    }
    if (!is_shown(*start)) {
        word.text[0] = '?'; /* may be a control character: not shown */
        return word;
    }
    size_t len = (size_t)(w->at - start);
    if (len >= sizeof word.text) {
        word.kind = GLSL_BAD;
        len = sizeof word.text - 1;
    }
    memcpy(word.text, start, len);
    return word;
}

/* A word that begins so and goes on with a digit, or with what such types go on with. */
static bool is_type(const char *word, const char *begin)
{
    size_t len = strlen(begin);
    const char *rest = word + len;
    return !strncmp(word, begin, len) &&
           (glsl_is_digit(*rest) || !strncmp(rest, "Cube", 4) || !strncmp(rest, "Buffer", 6));
}

/* A keyword or a reserved word: not allowed as the name of a variable. */
static bool glsl_reserved(const char *name)
{
    static const char *const words[] = {
        "active",    "asm",        "atomic_uint", "attribute", "bool",     "break",
        "buffer",    "case",       "cast",        "centroid",  "class",    "coherent",
        "common",    "const",      "continue",    "default",   "discard",  "do",
        "double",    "else",       "enum",        "extern",    "external", "false",
        "filter",    "fixed",      "flat",        "float",     "for",      "goto",
        "half",      "highp",      "if",          "in",        "inline",   "inout",
        "input",     "int",        "interface",   "invariant", "layout",   "long",
        "lowp",      "main",       "mediump",     "namespace", "noinline", "noperspective",
        "out",       "output",     "packed",      "partition", "patch",    "precise",
        "precision", "public",     "readonly",    "resource",  "restrict", "return",
        "sample",    "shared",     "short",       "sizeof",    "smooth",   "static",
        "struct",    "subroutine", "superp",      "switch",    "template", "this",
        "true",      "typedef",    "uint",        "uniform",   "union",    "unsigned",
        "using",     "varying",    "void",        "volatile",  "while",    "writeonly",
    };
    static const char *const types[] = {
        "vec",  "ivec",  "uvec",   "bvec",   "hvec",    "dvec",     "fvec",     "mat",
        "dmat", "image", "iimage", "uimage", "sampler", "isampler", "usampler",
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(name, words[i]))
            return true;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (is_type(name, types[i]))
            return true;
    return !strncmp(name, "gl_", 3) || strstr(name, "__");
}

/* "#version 300 es", which must come first. */
static bool glsl_version(struct glsl_words *w)
{
    static const char *const parts[] = {"#version", "300", "es"};
    for (size_t i = 0; i < 3; i++) {
        while (i && w->at < w->end && (*w->at == ' ' || *w->at == '\t'))
            w->at++;
        if (!starts(w, parts[i]))
            return false;
        w->at += strlen(parts[i]);
    }
    while (w->at < w->end && (*w->at == ' ' || *w->at == '\t' || *w->at == '\r'))
        w->at++;
    return w->at < w->end && *w->at == '\n';
}

static bool is_precision(const struct compiler *c)
{
    return glsl_is(c, "highp") || glsl_is(c, "mediump") || glsl_is(c, "lowp");
}

/* ---- declarations and statements --------------------------------------------------------- */

static struct variable *declare(struct compiler *c, enum role role, uint32_t size)
{
    if (c->word.kind != GLSL_NAME || glsl_find(c, c->word.text) || glsl_reserved(c->word.text)) {
        glsl_refuse(c, "'%s' cannot be declared", c->word.text);
        return NULL;
    }
    if (c->variable_count == VARIABLES) {
        glsl_refuse(c, "more than %d variables", (int)VARIABLES);
        return NULL;
    }
    struct variable *v = &c->variables[c->variable_count++];
    *v = (struct variable){.size = size, .role = role};
    memcpy(v->name, c->word.text, sizeof v->name);
    glsl_next(c);
    return v;
}

static bool store(struct compiler *c, struct variable *to, const uint32_t *picks, uint32_t count,
                  const struct value *from)
{
    if (from->is_int || from->size != count)
        return glsl_refuse(c, "%" PRIu32 " components to %" PRIu32 " of '%s'", from->size, count,
                           to->name);
    uint32_t sources[1][4];
    uint8_t mask = 0;
    for (uint32_t i = 0; i < 4; i++)
        sources[0][i] = from->at[0];
    for (uint32_t i = 0; i < count; i++) {
        if (mask >> picks[i] & 1)
            return glsl_refuse(c, "'%s' is written twice at once", to->name);
        mask |= (uint8_t)(1u << picks[i]);
        sources[0][picks[i]] = from->at[i];
    }
    to->written |= mask;
    return glsl_emit(c, PROGRAM_MOV, to->at[0], mask, sources, 1);
}

/* "float a = ...;" after its type. */
static bool local(struct compiler *c, enum role role, uint32_t size)
{
    static const uint32_t all[4] = {0, 1, 2, 3};
    struct value v, home;
    char name[64];
    memcpy(name, c->word.text, sizeof name);
    struct variable *to = declare(c, role, size);
    if (!to || !glsl_temp(c, size, &home))
        return false;
    memcpy(to->at, home.at, sizeof to->at);
    if (role == ROLE_LOCAL && glsl_take(c, ";"))
        return true;
    if (!glsl_expect(c, "="))
        return false;
    /* It is not known in its own initializer. */
    to->name[0] = 0;
    c->constant = role == ROLE_CONST;
    bool good = glsl_expression(c, &v);
    c->constant = false;
    if (!good)
        return false;
    memcpy(to->name, name, sizeof name);
    return store(c, to, all, size, &v) && glsl_expect(c, ";");
}

static bool assignment(struct compiler *c)
{
    struct variable *to = glsl_find(c, c->word.text);
    uint32_t picks[4] = {0, 1, 2, 3}, count;
    if (c->word.kind != GLSL_NAME || !to || to->role == ROLE_CONST || to->role == ROLE_IN)
        return glsl_refuse(c, "'%s' is not a known statement", c->word.text);
    count = to->size;
    glsl_next(c);
    if (glsl_take(c, ".") && (to->size < 2 || !glsl_swizzle(c, to->size, picks, &count)))
        return glsl_refuse(c, "a component of a number");
    static const struct {
        const char *sign;
        enum program_op op;
        bool minus;
    } signs[] = {{"+=", PROGRAM_ADD, false}, {"-=", PROGRAM_ADD, true}, {"*=", PROGRAM_MUL, false}};
    struct value v;
    if (glsl_take(c, "="))
        return glsl_expression(c, &v) && store(c, to, picks, count, &v) && glsl_expect(c, ";");
    for (size_t i = 0; i < 3; i++) {
        if (!glsl_take(c, signs[i].sign))
            continue;
        struct value old = {.size = count};
        for (uint32_t k = 0; k < count; k++) {
            if (!(to->written >> picks[k] & 1))
                return glsl_refuse(c, "'%s' is read before it is written", to->name);
            old.at[k] = to->at[picks[k]];
        }
        return glsl_expression(c, &v) &&
               !(v.is_int && glsl_refuse(c, "a number without a point")) &&
               (!signs[i].minus || glsl_negate(c, &v)) &&
               glsl_calculate(c, signs[i].op, &old, &v) && store(c, to, picks, count, &old) &&
               glsl_expect(c, ";");
    }
    return glsl_refuse(c, "'%s' where '=' is wanted", c->word.text);
}

static bool statement(struct compiler *c)
{
    bool is_const = glsl_take(c, "const");
    bool precise = is_precision(c);
    if (precise)
        glsl_next(c);
    uint32_t size = c->word.kind == GLSL_NAME ? glsl_type(c->word.text) : 0;
    if (size) {
        if (!c->vertex && !precise && !c->has_precision)
            return glsl_refuse(c, "no precision of float");
        glsl_next(c);
        return local(c, is_const ? ROLE_CONST : ROLE_LOCAL, size);
    }
    return is_const ? glsl_refuse(c, "'const %s'", c->word.text) : assignment(c);
}

static bool main_body(struct compiler *c)
{
    glsl_next(c);
    if (!glsl_expect(c, "main") || !glsl_expect(c, "("))
        return false;
    glsl_take(c, "void");
    if (!glsl_expect(c, ")") || !glsl_expect(c, "{"))
        return false;
    if (c->has_main)
        return glsl_refuse(c, "a second main");
    c->has_main = true;
    while (!glsl_take(c, "}"))
        if (!statement(c))
            return false;
    return true;
}

/* "layout(location = 1)": the number; -1: there is none. */
static bool location(struct compiler *c, int32_t *number)
{
    *number = -1;
    if (!glsl_take(c, "layout"))
        return true;
    if (!glsl_expect(c, "(") || !glsl_expect(c, "location") || !glsl_expect(c, "="))
        return false;
    if (c->word.kind != GLSL_INT || c->word.value > 15)
        return glsl_refuse(c, "location '%s'", c->word.text);
    *number = (int32_t)c->word.value;
    glsl_next(c);
    return glsl_expect(c, ")");
}

static bool input(struct compiler *c, struct variable *v, int32_t number)
{
    struct program *p = c->p;
    uint32_t reg = c->vertex ? (uint32_t)number : c->inputs;
    if (c->vertex != (number >= 0) || p->input_count == PROGRAM_SEMANTICS)
        return glsl_refuse(c, "input '%s' %s a location", v->name, number < 0 ? "without" : "with");
    for (uint32_t i = 0; i < p->input_count; i++)
        if (p->inputs[i].reg == reg)
            return glsl_refuse(c, "two inputs at location %" PRIu32, reg);
    for (uint32_t i = 0; i < 4; i++)
        v->at[i] = program_open(REGISTER_INPUT, reg, i);
    v->written = (uint8_t)((1u << v->size) - 1);
    p->inputs[p->input_count++] = (struct semantic){
        .hash = semantic_hash(v->name), .index = v->size, .reg = reg, .mask = v->written};
    c->inputs++;
    return true;
}

static bool output(struct compiler *c, struct variable *v, int32_t number)
{
    struct program *p = c->p;
    uint32_t reg = c->outputs++;
    if (number > 0 || (c->vertex && number == 0) || p->output_count == PROGRAM_SEMANTICS)
        return glsl_refuse(c, "output '%s' with location %" PRId32, v->name, number);
    if (!c->vertex && (reg || v->size != 4))
        return glsl_refuse(c, "output '%s': one of type vec4 is wanted", v->name);
    for (uint32_t i = 0; i < 4; i++)
        v->at[i] = program_open(REGISTER_OUTPUT, reg, i);
    p->outputs[p->output_count++] = (struct semantic){
        .hash = semantic_hash(v->name),
        .index = c->vertex ? v->size : 0,
        .reg = reg,
        .mask = (uint8_t)((1u << v->size) - 1),
        .system = c->vertex ? SYSTEM_NONE : SYSTEM_TARGET,
    };
    return true;
}

static bool interface(struct compiler *c)
{
    int32_t number;
    if (!location(c, &number))
        return false;
    glsl_take(c, "smooth");
    bool in = glsl_take(c, "in");
    if (!in && !glsl_take(c, "out"))
        return glsl_refuse(c, "'%s' is not known here", c->word.text);
    bool precise = is_precision(c);
    if (precise)
        glsl_next(c);
    uint32_t size = c->word.kind == GLSL_NAME ? glsl_type(c->word.text) : 0;
    if (!size)
        return glsl_refuse(c, "type '%s'", c->word.text);
    if (!c->vertex && !precise && !c->has_precision)
        return glsl_refuse(c, "no precision of float");
    glsl_next(c);
    struct variable *v = declare(c, in ? ROLE_IN : ROLE_OUT, size);
    if (!v)
        return false;
    return (in ? input(c, v, number) : output(c, v, number)) && glsl_expect(c, ";");
}

static bool precision(struct compiler *c)
{
    glsl_next(c);
    if (!is_precision(c))
        return glsl_refuse(c, "precision '%s'", c->word.text);
    glsl_next(c);
    if (glsl_take(c, "int"))
        return glsl_expect(c, ";");
    c->has_precision = true;
    return glsl_expect(c, "float") && glsl_expect(c, ";");
}

static bool global(struct compiler *c)
{
    if (c->has_main)
        return glsl_refuse(c, "'%s' after main", c->word.text);
    if (glsl_is(c, "precision"))
        return precision(c);
    if (glsl_is(c, "void"))
        return main_body(c);
    if (glsl_is(c, "const"))
        return statement(c);
    return interface(c);
}

/* ---- the whole --------------------------------------------------------------------------- */

/* OpenGL's depth goes from -w to w, that of the raster from 0 to w. */
static bool finish_position(struct compiler *c, const struct variable *position)
{
    struct value half, w = {.size = 1, .at = {position->at[3]}};
    struct value z = {.size = 1, .at = {position->at[2]}};
    uint32_t from[1][4];
    if (!glsl_constant(c, 0.5, false, &half) || !glsl_calculate(c, PROGRAM_ADD, &z, &w) ||
        !glsl_calculate(c, PROGRAM_MUL, &z, &half))
        return false;
    for (uint32_t i = 0; i < 4; i++)
        from[0][i] = z.at[0];
    return glsl_emit(c, PROGRAM_MOV, position->at[0], 4, from, 1);
}

static bool finish(struct compiler *c)
{
    if (!c->has_main)
        return glsl_refuse(c, "no main");
    for (uint32_t i = 0; i < c->variable_count; i++) {
        const struct variable *v = &c->variables[i];
        if (v->role == ROLE_OUT && v->written != (1u << v->size) - 1)
            return glsl_refuse(c, "'%s' is not written", v->name);
    }
    return !c->vertex || finish_position(c, &c->variables[0]);
}

/* gl_Position is the first variable and the first output of a vertex shader. */
static void add_position(struct compiler *c)
{
    struct variable *v = &c->variables[c->variable_count++];
    *v = (struct variable){.name = "gl_Position", .size = 4, .role = ROLE_OUT};
    for (uint32_t i = 0; i < 4; i++)
        v->at[i] = program_open(REGISTER_OUTPUT, 0, i);
    c->p->outputs[c->p->output_count++] =
        (struct semantic){.reg = c->outputs++, .mask = 15, .system = SYSTEM_POSITION};
}

static bool glsl_compile_text(struct compiler *c)
{
    c->word.line = 1;
    if (!glsl_version(&c->words))
        return glsl_refuse(c, "'#version 300 es' does not come first");
    if (c->vertex)
        add_position(c);
    glsl_next(c);
    while (c->word.kind != GLSL_END)
        if (!global(c))
            return glsl_refuse(c, "'%s'", c->word.text);
    if (!finish(c))
        return false;
    program_lay_out(c->p);
    return true;
}

int program_from_glsl(struct program **out, struct ras_bytes text, bool vertex,
                      struct ras_error *err)
{
    *out = NULL;
    struct compiler *c = calloc(1, sizeof *c);
    struct program *p = calloc(1, sizeof *p);
    if (!c || !p) {
        free(c);
        free(p);
        return fail_memory(err);
    }
    const char *at = text.len ? (const char *)text.at : "";
    *c = (struct compiler){.words = {at, at + text.len, 1}, .p = p, .vertex = vertex, .err = err};
    p->is_vertex = vertex;
    int status = glsl_compile_text(c) ? RAS_OK : c->status;
    free(c);
    if (status)
        program_free(p);
    else
        *out = p;
    return status;
}
