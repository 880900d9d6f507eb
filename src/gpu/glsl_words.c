/* glsl_words.c - shader text as words: names, numbers and signs. */
#include "gpu/glsl.h"

#include <string.h>

static bool is_shown(char c)
{
    return c > ' ' && c <= '~';
}

static bool starts(const struct glsl_words *w, const char *text)
{
    size_t len = strlen(text);
    return (size_t)(w->end - w->at) >= len && !memcmp(w->at, text, len);
}

/* To the end of its line. False: nobody knows where that is, for it goes on behind a backslash, or
 * ends as not all compilers think lines do. */
static bool pass_comment(struct glsl_words *w)
{
    for (; w->at < w->end && *w->at != '\n'; w->at++)
        if (*w->at == '\\' || !*w->at || (*w->at == '\r' && !starts(w, "\r\n")))
            return false;
    return true;
}

/* False: a comment that does not end, or nobody knows where. */
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
        word.text[0] = '?'; /* whatever it is, it is not for a terminal */
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

bool glsl_reserved(const char *name)
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

bool glsl_version(struct glsl_words *w)
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
