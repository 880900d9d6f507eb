/* glsl_loops.c - a bound for the rounds that the loops of a shader take, proven from its text.
 *
 * Only one shape of loop is proven: `for (int i = A; i < B; i += C)` with constants, and with an i
 * that the body cannot change. Functions are charged where they are called. Whatever might make
 * the text mean something else (macros other than plain numbers, conditional compilation, lines
 * that are continued) leaves the bound unknown: the caller must not trust what it cannot prove. */
#include "gpu/glsl.h"

#include <stdlib.h>
#include <string.h>

enum kind { END, NAME, NUMBER, SIGN };

struct word {
    enum kind kind;
    const char *at;
    uint32_t len;
    uint32_t pair; /* of an opening bracket: the index of the closing one; 0: none */
    bool whole;    /* a number without point and exponent */
    double value;
};

struct function {
    const char *name;
    uint32_t len;
    uint64_t rounds;
};

enum { NESTING = 64, FUNCTIONS = 256, MACROS = 256, PADDING = 8 };
#define RANGE_MAX 65536.0 /* of the variable of a loop: floats step exactly below */

struct reader {
    const char *at, *end;
    struct word *words; /* a few ENDs are the last */
    uint32_t count, room;
    bool loops;  /* a word of a loop is among them, or in a macro */
    bool unsure; /* the words are not all that the compiler sees, or not as they are here */
    struct word macros[MACROS], values[MACROS];
    uint32_t macro_count;
    struct function functions[FUNCTIONS];
    uint32_t function_count, nesting;
};

/* ---- words ------------------------------------------------------------------------------- */

static bool is(const struct word *w, const char *text)
{
    return w->len == strlen(text) && !memcmp(w->at, text, w->len);
}

static bool same(const struct word *a, const struct word *b)
{
    return a->len == b->len && !memcmp(a->at, b->at, a->len);
}

/* Blanks and comments; with `line` not beyond the end of the line. False: a comment is open. */
static bool skip_blanks(struct reader *r, bool line)
{
    while (r->at < r->end) {
        const char *at = r->at;
        bool two = r->end - at > 1;
        if (two && at[0] == '/' && at[1] == '/') {
            while (r->at < r->end && *r->at != '\n' && *r->at != '\r')
                r->at++;
        } else if (two && at[0] == '/' && at[1] == '*') {
            const char *close = memmem(at + 2, (size_t)(r->end - at) - 2, "*/", 2);
            if (!close)
                return false;
            r->at = close + 2;
        } else if (line && (*at == '\n' || *at == '\r')) {
            return true;
        } else if (strchr(" \t\n\r\v\f", *at) && *at) {
            r->at++;
        } else {
            return true;
        }
    }
    return true;
}

/* Digits, at most nine of them, a point, more digits, an f; all else has no value (NaN). */
static void read_number(struct reader *r, struct word *w)
{
    const char *at = w->at;
    double value = 0, scale = 1;
    bool point = false, not_decimal = *at == '0' && r->end - at > 1 && glsl_is_digit(at[1]);
    uint32_t digits = 0;
    for (; at < r->end && (glsl_is_digit(*at) || (*at == '.' && !point)); at++) {
        if (*at == '.') {
            point = true;
            continue;
        }
        value = value * 10 + (*at - '0');
        scale *= point ? 10 : 1;
        digits++;
    }
    if (point && at < r->end && (*at == 'f' || *at == 'F'))
        at++;
    while (at < r->end && (glsl_is_letter(*at) || glsl_is_digit(*at) || *at == '.')) {
        not_decimal = true;
        at++;
    }
    w->kind = NUMBER;
    w->whole = !point;
    w->value = not_decimal || !digits || digits > 9 ? 1e30 : value / scale;
    w->len = (uint32_t)(at - w->at);
    r->at = at;
}

/* The word at r->at, which is not a blank. */
static struct word read_word(struct reader *r)
{
    struct word w = {.kind = SIGN, .at = r->at, .len = 1};
    const char *at = r->at;
    if (glsl_is_digit(*at) || (*at == '.' && r->end - at > 1 && glsl_is_digit(at[1]))) {
        read_number(r, &w);
        return w;
    }
    if (glsl_is_letter(*at)) {
        while (at < r->end && (glsl_is_letter(*at) || glsl_is_digit(*at)))
            at++;
        w.kind = NAME;
        w.len = (uint32_t)(at - w.at);
    } else if (r->end - at > 1 && (at[1] == '=' || at[1] == at[0]) && strchr("+-*/%<>=!&|^", *at)) {
        w.len = 2;
    }
    r->at = w.at + w.len;
    return w;
}

static void note_loop(struct reader *r, const struct word *w)
{
    r->loops |= w->kind == NAME && (is(w, "for") || is(w, "while") || is(w, "do"));
}

/* The first words of a directive, at most four; false: a comment is open. */
static bool read_line(struct reader *r, struct word *words, uint32_t *count)
{
    for (*count = 0;;) {
        if (!skip_blanks(r, true))
            return false;
        if (r->at == r->end || *r->at == '\n' || *r->at == '\r')
            return true;
        struct word w = read_word(r);
        note_loop(r, &w);
        if (*count < 4)
            words[(*count)++] = w;
    }
}

/* "#define NAME NUMBER" of a new name is taken; #version, #extension, #pragma and #line change no
 * loop. */
static bool read_directive(struct reader *r)
{
    static const char *const harmless[] = {"version", "extension", "pragma", "line"};
    struct word w[4] = {0};
    uint32_t count;
    if (!read_line(r, w, &count))
        return false;
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
        if (count && is(&w[0], harmless[i]))
            return true;
    bool plain = count == 3 && is(&w[0], "define") && w[1].kind == NAME && w[2].kind == NUMBER &&
                 w[2].at > w[1].at + w[1].len && r->macro_count < MACROS;
    for (uint32_t i = 0; plain && i < r->macro_count; i++)
        plain = !same(&r->macros[i], &w[1]);
    for (uint32_t i = 0; plain && i < r->count; i++)
        plain = !same(&r->words[i], &w[1]);
    r->unsure |= count && !plain;
    if (count && plain) {
        r->macros[r->macro_count] = w[1];
        r->values[r->macro_count++] = w[2];
    }
    return true;
}

static bool add_word(struct reader *r, struct word w)
{
    if (r->count == r->room) {
        uint32_t room = r->room * 2 + 256;
        struct word *more = realloc(r->words, room * sizeof *more);
        if (!more)
            return false;
        r->words = more;
        r->room = room;
    }
    r->words[r->count++] = w;
    return true;
}

/* Every opening bracket knows the one that closes it. */
static void pair_brackets(struct reader *r)
{
    uint32_t open[NESTING], depth = 0;
    for (uint32_t i = 0; i < r->count && !r->unsure; i++) {
        const struct word *w = &r->words[i];
        if (w->kind != SIGN || w->len != 1)
            continue;
        if (strchr("([{", *w->at)) {
            r->unsure = depth == NESTING;
            open[depth % NESTING] = i;
            depth++;
        } else if (strchr(")]}", *w->at)) {
            r->unsure = !depth;
            if (depth)
                r->words[open[--depth]].pair = i;
        }
    }
    r->unsure |= depth > 0;
}

/* All words. False: a comment is open, or memory is short. */
static bool read_words(struct reader *r)
{
    bool first = true; /* of the line */
    for (;;) {
        const char *before = r->at;
        if (!skip_blanks(r, false))
            return false;
        first |= memchr(before, '\n', (size_t)(r->at - before)) ||
                 memchr(before, '\r', (size_t)(r->at - before));
        if (r->at == r->end)
            break;
        if (*r->at == '#' && first) {
            r->at++;
            if (!read_directive(r))
                return false;
            continue;
        }
        first = false;
        struct word w = read_word(r);
        note_loop(r, &w);
        if (!add_word(r, w))
            return false;
    }
    pair_brackets(r);
    for (int i = 0; i < PADDING; i++)
        if (!add_word(r, (struct word){.kind = END, .at = ""}))
            return false;
    return true;
}

/* ---- loops ------------------------------------------------------------------------------- */

/* A name that is declared once as `const TYPE NAME = NUMBER`, and nowhere anything else. */
static bool find_constant(const struct reader *r, const struct word *name, struct word *value)
{
    bool found = false;
    const struct word *w = r->words;
    for (uint32_t i = 0; i < r->count; i++) {
        if (w[i].kind != NAME || !same(&w[i], name))
            continue;
        bool declared = i > 1 && i + 3 < r->count && is(&w[i + 1], "=") &&
                        w[i + 2].kind == NUMBER && is(&w[i + 3], ";") &&
                        (is(&w[i - 1], "int") || is(&w[i - 1], "float")) &&
                        (is(&w[i - 2], "const") || (i > 2 && is(&w[i - 3], "const")));
        if (declared && found)
            return false;
        if (declared) {
            *value = w[i + 2];
            found = true;
            continue;
        }
        bool typed = i && ((w[i - 1].kind == NAME && !is(&w[i - 1], "return")) ||
                           is(&w[i - 1], ",") || is(&w[i - 1], "]"));
        if (typed || is(&w[i + 1], "="))
            return false;
    }
    return found;
}

/* A number, with a sign or by its name. Moves *at past it. */
static bool read_bound(const struct reader *r, uint32_t *at, double *value, bool whole)
{
    bool minus = is(&r->words[*at], "-");
    struct word w = r->words[*at + minus];
    if (w.kind == NAME) {
        bool found = false;
        for (uint32_t i = 0; i < r->macro_count; i++)
            if (same(&w, &r->macros[i])) {
                w = r->values[i];
                found = true;
            }
        if (!found && !find_constant(r, &r->words[*at + minus], &w))
            return false;
    }
    if (w.kind != NUMBER || (whole && !w.whole) || !(w.value <= RANGE_MAX))
        return false;
    *value = minus ? -w.value : w.value;
    *at += 1 + minus;
    return true;
}

/* Whether words may change a variable: everything but reading it is taken for a change. */
static bool may_change(const struct reader *r, const struct word *name, uint32_t from, uint32_t to)
{
    static const char *const changes[] = {
        "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "++", "--", "<<", ">>"};
    for (uint32_t i = from; i < to; i++) {
        const struct word *w = &r->words[i];
        if (w->kind != NAME || !same(w, name))
            continue;
        if (is(w - 1, "++") || is(w - 1, "--") || (w[-1].kind == NAME && !is(w - 1, "return")))
            return true;
        for (size_t k = 0; k < sizeof changes / sizeof *changes; k++)
            if (is(w + 1, changes[k]))
                return true;
    }
    return false;
}

/* "i++", "i += 2" and their like, up to the bracket at `end`. */
static bool read_step(const struct reader *r, const struct word *name, uint32_t at, uint32_t end,
                      bool whole, double *step)
{
    const struct word *w = &r->words[at];
    bool before = is(w, "++") || is(w, "--");
    const struct word *variable = w + before, *sign = before ? w : w + 1;
    if (!same(variable, name))
        return false;
    at += 2;
    if (is(sign, "++") || is(sign, "--")) {
        *step = 1;
    } else if (is(sign, "+=") || is(sign, "-=")) {
        if (!read_bound(r, &at, step, whole))
            return false;
    } else {
        return false;
    }
    if (*sign->at == '-')
        *step = -*step;
    return at == end;
}

/* The rounds of `for (int i = A; i < B; i += C)`, whose bracket is at `at`. */
static uint64_t header_rounds(const struct reader *r, uint32_t at, uint32_t body_end)
{
    const struct word *w = r->words;
    uint32_t end = w[at].pair;
    at++;
    if (is(&w[at], "highp"))
        at++;
    bool whole = is(&w[at], "int");
    if (!whole && !is(&w[at], "float"))
        return GLSL_ROUNDS_UNKNOWN;
    const struct word *name = &w[at + 1];
    if (name->kind != NAME || !is(&w[at + 2], "="))
        return GLSL_ROUNDS_UNKNOWN;
    double from, to, step;
    at += 3;
    if (!read_bound(r, &at, &from, whole) || !is(&w[at], ";") || !same(&w[at + 1], name))
        return GLSL_ROUNDS_UNKNOWN;
    const struct word *less = &w[at + 2];
    bool up = is(less, "<") || is(less, "<=");
    at += 3;
    if ((!up && !is(less, ">") && !is(less, ">=")) || !read_bound(r, &at, &to, whole) ||
        !is(&w[at], ";") || !read_step(r, name, at + 1, end, whole, &step))
        return GLSL_ROUNDS_UNKNOWN;
    double distance = up ? to - from : from - to, stride = up ? step : -step;
    if (stride < 1 || may_change(r, name, end + 1, body_end))
        return GLSL_ROUNDS_UNKNOWN;
    if (distance < 0)
        return 0;
    /* Fractions may be rounded at every step, by less than half of it. */
    return (uint64_t)(whole ? (distance + stride - (less->len == 1)) / stride
                            : 2 * distance / stride + 2);
}

static uint64_t add_rounds(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? GLSL_ROUNDS_UNKNOWN : a + b;
}

/* The index after the statement at `at`; 0: unknown. */
static uint32_t statement_end(struct reader *r, uint32_t at)
{
    const struct word *w = r->words;
    uint32_t end = 0;
    if (++r->nesting > NESTING)
        return 0;
    if (is(&w[at], "{")) {
        end = w[at].pair + 1;
    } else if (is(&w[at], "if") || is(&w[at], "for") || is(&w[at], "switch")) {
        bool branch = is(&w[at], "if");
        if (is(&w[at + 1], "("))
            end = statement_end(r, w[at + 1].pair + 1);
        if (end && branch && is(&w[end], "else"))
            end = statement_end(r, end + 1);
    } else {
        while (w[at].kind != END && !is(&w[at], ";") && !is(&w[at], "}"))
            at = w[at].pair ? w[at].pair + 1 : at + 1;
        end = is(&w[at], ";") ? at + 1 : 0;
    }
    r->nesting--;
    return end;
}

static uint64_t called_rounds(const struct reader *r, const struct word *name)
{
    uint64_t sum = 0; /* of all that have this name */
    for (uint32_t i = 0; i < r->function_count; i++)
        if (name->len == r->functions[i].len && !memcmp(name->at, r->functions[i].name, name->len))
            sum = add_rounds(sum, r->functions[i].rounds);
    return sum;
}

static uint64_t range_rounds(struct reader *r, uint32_t from, uint32_t to);

/* The loop at *at, which is moved past it. */
static uint64_t loop_rounds(struct reader *r, uint32_t *at)
{
    const struct word *w = r->words;
    if (!is(&w[*at], "for") || !is(&w[*at + 1], "("))
        return GLSL_ROUNDS_UNKNOWN;
    uint32_t body = w[*at + 1].pair + 1, end = statement_end(r, body);
    if (!end)
        return GLSL_ROUNDS_UNKNOWN;
    uint64_t rounds = header_rounds(r, *at + 1, end);
    if (rounds == GLSL_ROUNDS_UNKNOWN)
        return rounds;
    uint64_t inside = range_rounds(r, body, end);
    *at = end;
    if (inside == GLSL_ROUNDS_UNKNOWN || (rounds && inside > (UINT64_MAX - 1) / (rounds + 1) - 1))
        return GLSL_ROUNDS_UNKNOWN;
    return rounds * (inside + 1) + 1;
}

static uint64_t range_rounds(struct reader *r, uint32_t from, uint32_t to)
{
    const struct word *w = r->words;
    uint64_t sum = 0;
    if (++r->nesting > NESTING)
        return GLSL_ROUNDS_UNKNOWN;
    for (uint32_t i = from; i < to && sum != GLSL_ROUNDS_UNKNOWN;) {
        bool loop = is(&w[i], "for") || is(&w[i], "while") || is(&w[i], "do");
        if (w[i].kind == NAME && loop) {
            sum = add_rounds(sum, loop_rounds(r, &i));
            continue;
        }
        if (w[i].kind == NAME && is(&w[i + 1], "("))
            sum = add_rounds(sum, called_rounds(r, &w[i]));
        i++;
    }
    r->nesting--;
    return sum;
}

/* ---- the whole --------------------------------------------------------------------------- */

/* A function that loops must be defined before it is named: earlier calls were not counted. */
static bool add_function(struct reader *r, uint32_t at, uint64_t rounds)
{
    const struct word *name = &r->words[at];
    if (!rounds)
        return true;
    for (uint32_t i = 0; i < at; i++)
        if (r->words[i].kind == NAME && same(&r->words[i], name) && !called_rounds(r, name))
            return false;
    if (r->function_count == FUNCTIONS)
        return false;
    r->functions[r->function_count++] = (struct function){name->at, name->len, rounds};
    return true;
}

static uint64_t judge(struct reader *r)
{
    const struct word *w = r->words;
    uint64_t all = 0; /* outside of functions, and in main() */
    for (uint32_t i = 0; i < r->count; i++) {
        /* An argument that a function may change is not seen as a change of the variable. */
        if (is(&w[i], "inout") ||
            (is(&w[i], "out") && i && (is(w + i - 1, "(") || is(w + i - 1, ","))))
            return GLSL_ROUNDS_UNKNOWN;
    }
    for (uint32_t i = 0; w[i].kind != END;) {
        bool function = w[i].kind == NAME && is(&w[i + 1], "(") && is(&w[w[i + 1].pair + 1], "{");
        if (!function) {
            uint64_t more = range_rounds(r, i, i + 1);
            if (more)
                return GLSL_ROUNDS_UNKNOWN;
            i++;
            continue;
        }
        uint32_t body = w[i + 1].pair + 1, end = w[body].pair + 1;
        uint64_t rounds = range_rounds(r, body, end);
        if (rounds == GLSL_ROUNDS_UNKNOWN || !add_function(r, i, rounds))
            return GLSL_ROUNDS_UNKNOWN;
        if (is(&w[i], "main"))
            all = add_rounds(all, rounds);
        i = end;
    }
    return all;
}

/* Whether a word of a loop is anywhere in it, comments and all, or would be if lines that are
 * continued were one. */
static bool names_loop(struct ras_bytes text)
{
    static const char *const words[] = {"for", "while", "do"};
    char seen[8];
    size_t len = 0;
    for (size_t i = 0; i <= text.len; i++) {
        char c = i < text.len ? (char)text.at[i] : ' ';
        if (c == '\\') { /* and the end of the line after it */
            while (i + 1 < text.len && (text.at[i + 1] == '\r' || text.at[i + 1] == '\n'))
                i++;
            continue;
        }
        if (glsl_is_letter(c) || glsl_is_digit(c)) {
            if (len < sizeof seen)
                seen[len] = c;
            len++;
            continue;
        }
        for (size_t k = 0; k < sizeof words / sizeof *words; k++)
            if (len == strlen(words[k]) && !memcmp(seen, words[k], len))
                return true;
        len = 0;
    }
    return false;
}

uint64_t glsl_rounds(struct ras_bytes text)
{
    uint64_t rounds = GLSL_ROUNDS_UNKNOWN;
    if (!text.len || !names_loop(text))
        return 0;
    if (memchr(text.at, '\\', text.len) || memchr(text.at, 0, text.len))
        return rounds;
    struct reader *r = calloc(1, sizeof *r);
    if (!r)
        return rounds;
    r->at = (const char *)text.at;
    r->end = r->at + text.len;
    if (read_words(r))
        rounds = !r->loops ? 0 : r->unsure ? GLSL_ROUNDS_UNKNOWN : judge(r);
    free(r->words);
    free(r);
    return rounds;
}
