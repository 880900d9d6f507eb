/* glsl_words.c - shader text as words: names, numbers and signs. */
#include "gpu/glsl.h"

#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool starts(const struct glsl_words *w, const char *text)
{
    size_t len = strlen(text);
    return (size_t)(w->end - w->at) >= len && !memcmp(w->at, text, len);
}

/* False: a comment that does not end. */
static bool pass_over(struct glsl_words *w)
{
    while (w->at < w->end) {
        if (*w->at == '\n')
            w->line++;
        if (*w->at == ' ' || *w->at == '\t' || *w->at == '\n' || *w->at == '\r') {
            w->at++;
        } else if (starts(w, "//")) {
            while (w->at < w->end && *w->at != '\n')
                w->at++;
        } else if (starts(w, "/*")) {
            for (w->at += 2; !starts(w, "*/"); w->at++) {
                if (w->at == w->end)
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
    uint64_t digits = 0;
    int scale = 0, count = 0;
    bool point = false;
    word->kind = GLSL_INT;
    for (; w->at < w->end && (is_digit(*w->at) || (*w->at == '.' && !point)); w->at++) {
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
    if (w->at < w->end && (is_letter(*w->at) || is_digit(*w->at) || *w->at == '.'))
        word->kind = GLSL_BAD; /* exponents, suffixes, too many digits */
}

struct glsl_word glsl_word_next(struct glsl_words *w)
{
    struct glsl_word word = {.kind = GLSL_END};
    bool good = pass_over(w);
    word.line = w->line;
    if (!good)
        word.kind = GLSL_BAD;
    if (!good || w->at == w->end)
        return word;
    const char *start = w->at;
    if (is_digit(*start) || (*start == '.' && w->at + 1 < w->end && is_digit(start[1]))) {
        number(w, &word);
    } else if (is_letter(*start)) {
        while (w->at < w->end && (is_letter(*w->at) || is_digit(*w->at)))
            w->at++;
        word.kind = GLSL_NAME;
    } else {
        w->at++;
        word.kind = GLSL_SIGN;
        if (w->at < w->end && strchr("+-*", *start) && *w->at == '=')
            w->at++;
    }
    size_t len = (size_t)(w->at - start);
    if (len >= sizeof word.text) {
        word.kind = GLSL_BAD;
        len = sizeof word.text - 1;
    }
    memcpy(word.text, start, len);
    return word;
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
