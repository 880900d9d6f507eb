/* regex.c - regular expressions: a pattern becomes a program of steps; a search tries all states of
 * it at once. */
#include "codec/regex.h"
#include "base/in.h"
#include "base/memory.h"
#include "codec/utf8.h"

#include <stdlib.h>

enum regex_op {
    REGEX_CHAR,  /* this character */
    REGEX_ANY,   /* any character */
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
    uint32_t round;
};

enum { NO_CHAR = 0x110000 }; /* plus the byte: not UTF-8 */

/* The next character and its size; a byte that is not UTF-8 has a number beyond all characters. */
static uint32_t regex_char(const uint8_t *at, size_t left, size_t *size)
{
    unsigned fault;
    *size = 1;
    if (at[0] < 0x80)
        return at[0];
    unsigned n = utf8_sequence(at, left, &fault);
    if (!n)
        return NO_CHAR + (uint32_t)at[0];
    *size = n;
    uint32_t c = at[0] & (0xffu >> (n + 1));
    for (unsigned i = 1; i < n; i++)
        c = c << 6 | (at[i] & 0x3fu);
    return c;
}

/* ---- entering states ------------------------------------------------------------------ */

/* Whether a place is the start or the end of the text. */
struct spot {
    bool start, end;
};

/* Enter a step and all that follows it without a character; true: it matches. */
static bool enter_step(struct regex *re, struct regex_states *to, size_t step, struct spot spot)
{
    size_t depth = 0;
    re->stack[depth++] = (uint16_t)step;
    while (depth) {
        size_t i = re->stack[--depth];
        const struct regex_step *s = &re->steps[i];
        if (re->seen[i] == re->round)
            continue;
        re->seen[i] = re->round;
        switch (s->op) {
        case REGEX_MATCH:
            return true;
        case REGEX_SPLIT:
            re->stack[depth++] = (uint16_t)((int32_t)i + s->b);
            re->stack[depth++] = (uint16_t)((int32_t)i + s->a);
            break;
        case REGEX_JUMP:
            re->stack[depth++] = (uint16_t)((int32_t)i + s->a);
            break;
        case REGEX_START:
        case REGEX_END:
            if (s->op == REGEX_START ? spot.start : spot.end)
                re->stack[depth++] = (uint16_t)(i + 1);
            break;
        default:
            to->at[to->count++] = (uint16_t)i;
        }
    }
    return false;
}

/* A new place in the text: no step has been entered for it. */
static void next_round(struct regex *re)
{
    if (++re->round)
        return;
    for (size_t i = 0; i < re->count; i++)
        re->seen[i] = 0;
    re->round = 1;
}

/* ---- taking characters ------------------------------------------------------------------- */

static uint32_t other_case(uint32_t c)
{
    uint32_t lower = c | 0x20;
    return c < 0x80 && lower >= 'a' && lower <= 'z' ? c ^ 0x20 : c;
}

static bool in_ranges(const struct regex *re, const struct regex_step *s, uint32_t c)
{
    const struct regex_range *r = &re->ranges[s->a];
    for (int32_t i = 0; i < s->b; i++)
        if (c >= r[i].from && c <= r[i].to)
            return true;
    return false;
}

static bool takes(const struct regex *re, const struct regex_step *s, uint32_t c)
{
    uint32_t other = re->fold ? other_case(c) : c;
    switch (s->op) {
    case REGEX_CHAR:
        return (uint32_t)s->a == c || (uint32_t)s->a == other;
    case REGEX_SET:
        return in_ranges(re, s, c) || (other != c && in_ranges(re, s, other));
    case REGEX_UNSET:
        return !in_ranges(re, s, c) && !(other != c && in_ranges(re, s, other));
    default:
        return true;
    }
}

/* ---- the search ---------------------------------------------------------------------------- */

/* Which bytes a match can begin with, so that others are skipped quickly. */
static void find_first(struct regex *re)
{
    next_round(re);
    re->now.count = 0;
    /* As if this were both ends of the text: that enters every step that can be first. */
    re->first_any = enter_step(re, &re->now, 0, (struct spot){true, true});
    for (unsigned byte = 0; byte < 256; byte++)
        for (size_t i = 0; i < re->now.count && !re->first[byte]; i++)
            re->first[byte] = byte >= 0x80 || takes(re, &re->steps[re->now.at[i]], byte);
}

/* Once all steps are there. False: memory is short. */
static bool regex_prepare(struct regex *re)
{
    re->now.at = calloc(re->count, sizeof *re->now.at);
    re->next.at = calloc(re->count, sizeof *re->next.at);
    re->stack = calloc(2 * re->count + 1, sizeof *re->stack); /* a split is entered once */
    re->seen = calloc(re->count, sizeof *re->seen);
    if (!re->now.at || !re->next.at || !re->stack || !re->seen)
        return false;
    find_first(re);
    return true;
}

bool regex_search(struct regex *re, const void *text, size_t len)
{
    const uint8_t *start = text, *at = start, *end = len ? start + len : start;
    re->now.count = 0;
    next_round(re);
    for (;;) {
        if (!re->now.count && !re->first_any && at < end && !re->first[*at]) {
            while (at < end && !re->first[*at])
                at++;
            next_round(re);
        }
        /* A match may begin anywhere. */
        if (enter_step(re, &re->now, 0, (struct spot){at == start, at == end}))
            return true;
        if (at == end)
            return false;
        size_t size;
        uint32_t c = regex_char(at, (size_t)(end - at), &size);
        at += size;
        next_round(re);
        re->next.count = 0;
        for (size_t i = 0; i < re->now.count; i++) {
            size_t step = re->now.at[i];
            if (takes(re, &re->steps[step], c) &&
                enter_step(re, &re->next, step + 1, (struct spot){false, at == end}))
                return true;
        }
        struct regex_states done = re->now;
        re->now = re->next;
        re->next = done;
    }
}

struct parser {
    const uint8_t *start, *at, *end;
    struct regex *re;
    const char *why; /* the first fault */
    const uint8_t *why_at;
    unsigned depth;
};

static bool wrong(struct parser *p, const uint8_t *at, const char *why)
{
    if (!p->why) {
        p->why = why;
        p->why_at = at;
    }
    return false;
}

/* ---- steps ----------------------------------------------------------------------- */

static bool steps_grow(struct parser *p, size_t more)
{
    struct regex *re = p->re;
    if (re->count + more > REGEX_STEPS_MAX)
        return wrong(p, p->at, "it needs more than 8192 steps");
    return array_grow(&re->steps, &re->room, re->count + more, sizeof *re->steps) ||
           wrong(p, p->at, "out of memory");
}

static bool emit(struct parser *p, enum regex_op op, int32_t a, int32_t b)
{
    if (!steps_grow(p, 1))
        return false;
    p->re->steps[p->re->count++] = (struct regex_step){op, a, b};
    return true;
}

/* A step before an existing piece, which moves as a whole. */
static bool emit_before(struct parser *p, size_t piece, enum regex_op op, int32_t a, int32_t b)
{
    struct regex *re = p->re;
    if (!steps_grow(p, 1))
        return false;
    memmove(&re->steps[piece + 1], &re->steps[piece], (re->count - piece) * sizeof *re->steps);
    re->steps[piece] = (struct regex_step){op, a, b};
    re->count++;
    return true;
}

static bool add_range(struct parser *p, uint32_t from, uint32_t to)
{
    struct regex *re = p->re;
    if (!array_grow(&re->ranges, &re->range_room, re->range_count + 1, sizeof *re->ranges))
        return wrong(p, p->at, "out of memory");
    re->ranges[re->range_count++] = (struct regex_range){from, to};
    return true;
}

/* ---- characters -------------------------------------------------------------------- */

static const struct {
    const char *name;
    const char *ranges; /* pairs */
} classes[] = {
    {"alpha", "AZaz"},
    {"digit", "09"},
    {"alnum", "09AZaz"},
    {"upper", "AZ"},
    {"lower", "az"},
    {"xdigit", "09AFaf"},
    {"space", "\t\r  "},
    {"punct", "!/:@[`{~"},
    {"word", "09AZ__az"},
    {"print", " ~"},
    {"graph", "!~"},
    {"blank", "\t\t  "},
    {"cntrl", "\x01\x1f\x7f\x7f"},
};
enum { CLASS_COUNT = sizeof classes / sizeof *classes };

static bool add_class(struct parser *p, const void *name, size_t len, bool inverse)
{
    for (size_t i = 0; i < CLASS_COUNT; i++) {
        const uint8_t *r = (const uint8_t *)classes[i].ranges;
        if (strlen(classes[i].name) != len || memcmp(classes[i].name, name, len) != 0)
            continue;
        uint32_t next = 0;
        for (; *r; r += 2) {
            if (!(inverse ? r[0] == next || add_range(p, next, r[0] - 1u)
                          : add_range(p, r[0], r[1])))
                return false;
            next = r[1] + 1u;
        }
        return !inverse || add_range(p, next, UINT32_MAX);
    }
    return wrong(p, name, "unknown class of characters");
}

/* \d and the like; false, without a fault: it is not one of them. */
static bool shorthand(struct parser *p, uint8_t letter, bool *fine)
{
    static const char letters[] = "dws";
    static const char *const names[] = {"digit", "word", "space"};
    const char *found = letter ? strchr(letters, letter | 0x20) : NULL;
    if (!found)
        return false;
    const char *name = names[found - letters];
    *fine = add_class(p, name, strlen(name), !(letter & 0x20));
    return true;
}

/* The character after a backslash that escapes one. */
static uint32_t escaped(struct parser *p)
{
    size_t size;
    uint32_t c = regex_char(p->at, (size_t)(p->end - p->at), &size);
    p->at += size;
    if (c == 'n' || c == 'r' || c == 't')
        return c == 'n' ? '\n' : c == 'r' ? '\r' : '\t';
    if (c == 'x' && p->end - p->at >= 2 && hex_digit(p->at[0]) >= 0 && hex_digit(p->at[1]) >= 0) {
        c = (uint32_t)(hex_digit(p->at[0]) << 4 | hex_digit(p->at[1]));
        p->at += 2;
        return c;
    }
    bool word = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    if (word)
        wrong(p, p->at - size, "unknown escape");
    return c;
}

/* ---- sets --------------------------------------------------------------------------- */

static bool named_class(struct parser *p)
{
    const uint8_t *name = p->at + 2, *q = name;
    while (q < p->end && *q != ':' && *q != ']')
        q++;
    if (p->end - q < 2 || q[0] != ':' || q[1] != ']')
        return wrong(p, p->at, "a class of characters is written [:alpha:]");
    p->at = q + 2;
    return add_class(p, name, (size_t)(q - name), false);
}

/* One character of a set; false: a class of them, or a fault. */
static bool set_char(struct parser *p, uint32_t *c)
{
    size_t size;
    bool fine;
    if (*p->at == '[' && p->end - p->at > 1 && p->at[1] == ':') {
        named_class(p);
        return false;
    }
    if (*p->at == '\\') {
        if (++p->at == p->end)
            return wrong(p, p->at - 1, "nothing follows the backslash");
        if (shorthand(p, *p->at, &fine)) {
            p->at++;
            return false;
        }
        *c = escaped(p);
        return !p->why;
    }
    *c = regex_char(p->at, (size_t)(p->end - p->at), &size);
    p->at += size;
    return true;
}

static bool parse_set(struct parser *p)
{
    const uint8_t *open = p->at++;
    bool unset = p->at < p->end && *p->at == '^';
    p->at += unset;
    size_t first = p->re->range_count;
    for (const uint8_t *begin = p->at; p->at < p->end && (*p->at != ']' || p->at == begin);) {
        uint32_t from, to;
        const uint8_t *at = p->at;
        if (!set_char(p, &from)) {
            if (p->why)
                return false;
            continue;
        }
        to = from;
        if (p->end - p->at > 1 && p->at[0] == '-' && p->at[1] != ']') {
            p->at++;
            if (!set_char(p, &to))
                return wrong(p, at, "a range ends with a character");
        }
        if (to < from)
            return wrong(p, at, "the range ends before it begins");
        if (!add_range(p, from, to))
            return false;
    }
    if (p->at == p->end)
        return wrong(p, open, "the [ is not closed");
    p->at++;
    return emit(p, unset ? REGEX_UNSET : REGEX_SET, (int32_t)first,
                (int32_t)(p->re->range_count - first));
}

/* ---- pieces ------------------------------------------------------------------------- */

static bool parse_choice(struct parser *p);

static bool parse_group(struct parser *p)
{
    const uint8_t *open = p->at++;
    if (++p->depth > REGEX_DEPTH_MAX)
        return wrong(p, open, "parentheses are nested deeper than 64");
    if (p->at < p->end && *p->at == '?')
        return wrong(p, p->at, "only (?i) is supported, and only at the start");
    if (!parse_choice(p))
        return false;
    if (p->at == p->end)
        return wrong(p, open, "the ( is not closed");
    p->at++;
    p->depth--;
    return true;
}

static bool parse_escape(struct parser *p)
{
    size_t first = p->re->range_count;
    bool fine;
    if (++p->at == p->end)
        return wrong(p, p->at - 1, "nothing follows the backslash");
    if (shorthand(p, *p->at, &fine)) {
        p->at++;
        return fine && emit(p, REGEX_SET, (int32_t)first, (int32_t)(p->re->range_count - first));
    }
    uint32_t c = escaped(p);
    return !p->why && emit(p, REGEX_CHAR, (int32_t)c, 0);
}

static bool parse_atom(struct parser *p)
{
    size_t size;
    switch (*p->at) {
    case '(':
        return parse_group(p);
    case '[':
        return parse_set(p);
    case '\\':
        return parse_escape(p);
    case '.':
        p->at++;
        return emit(p, REGEX_ANY, 0, 0);
    case '^':
        p->at++;
        return emit(p, REGEX_START, 0, 0);
    case '$':
        p->at++;
        return emit(p, REGEX_END, 0, 0);
    case '*':
    case '+':
    case '?':
    case '{':
        return wrong(p, p->at, "there is nothing to repeat");
    default:
        break;
    }
    uint32_t c = regex_char(p->at, (size_t)(p->end - p->at), &size);
    p->at += size;
    return emit(p, REGEX_CHAR, (int32_t)c, 0);
}

/* ---- repetition ------------------------------------------------------------------------ */

static bool maybe(struct parser *p, size_t piece)
{
    return emit_before(p, piece, REGEX_SPLIT, 1, (int32_t)(p->re->count - piece + 1));
}

static bool many(struct parser *p, size_t piece)
{
    return emit(p, REGEX_SPLIT, (int32_t)piece - (int32_t)p->re->count, 1);
}

static bool append_copy(struct parser *p, const struct regex_step *copy, size_t len)
{
    if (!steps_grow(p, len))
        return false;
    for (size_t i = 0; i < len; i++)
        p->re->steps[p->re->count++] = copy[i];
    return true;
}

/* The piece at the end of the program `least` to `most` times; most < 0: no bound. */
static bool repeat(struct parser *p, size_t piece, int least, int most)
{
    struct regex *re = p->re;
    size_t len = re->count - piece;
    struct regex_step *copy = calloc(len + 1, sizeof *copy);
    if (!copy)
        return wrong(p, p->at, "out of memory");
    for (size_t i = 0; i < len; i++)
        copy[i] = re->steps[piece + i];
    re->count = piece;
    bool fine = true;
    size_t last = piece;
    for (int i = 0; fine && i < least; i++) {
        last = re->count;
        fine = append_copy(p, copy, len);
    }
    if (fine && most < 0 && !least)
        fine = append_copy(p, copy, len) && many(p, last) && maybe(p, last);
    else if (fine && most < 0)
        fine = many(p, last);
    for (int i = least; fine && i < most; i++) {
        last = re->count;
        fine = append_copy(p, copy, len) && maybe(p, last);
    }
    free(copy);
    return fine;
}

static bool parse_count(struct parser *p, int *n)
{
    if (p->at == p->end || *p->at < '0' || *p->at > '9')
        return false;
    for (*n = 0; p->at < p->end && *p->at >= '0' && *p->at <= '9' && *n <= REGEX_REPEAT_MAX;)
        *n = *n * 10 + (*p->at++ - '0');
    return *n <= REGEX_REPEAT_MAX || wrong(p, p->at, "a repetition count is at most 255");
}

static bool parse_counts(struct parser *p, size_t piece)
{
    const uint8_t *open = p->at++;
    int least, most;
    if (!parse_count(p, &least))
        return wrong(p, open, "write {m}, {m,} or {m,n}, or \\{ for the character");
    most = least;
    if (p->at < p->end && *p->at == ',') {
        p->at++;
        if (p->at < p->end && *p->at == '}')
            most = -1;
        else if (!parse_count(p, &most))
            return wrong(p, open, "write {m}, {m,} or {m,n}, or \\{ for the character");
    }
    if (p->at == p->end || *p->at != '}')
        return wrong(p, open, "the { is not closed");
    if (most >= 0 && most < least)
        return wrong(p, open, "the maximum is less than the minimum");
    p->at++;
    return repeat(p, piece, least, most);
}

static bool parse_repeated(struct parser *p)
{
    size_t piece = p->re->count;
    if (!parse_atom(p))
        return false;
    while (p->at < p->end && strchr("*+?{", *p->at) && *p->at) {
        uint8_t how = *p->at;
        p->at += how != '{';
        bool fine = how == '{'   ? parse_counts(p, piece)
                    : how == '*' ? many(p, piece) && maybe(p, piece)
                    : how == '+' ? many(p, piece)
                                 : maybe(p, piece);
        if (!fine)
            return false;
    }
    return true;
}

static bool parse_choice(struct parser *p)
{
    size_t piece = p->re->count;
    for (;;) {
        while (p->at < p->end && *p->at != '|' && *p->at != ')')
            if (!parse_repeated(p))
                return false;
        if (p->at == p->end || *p->at == ')')
            return (p->at == p->end || p->depth) || wrong(p, p->at, "the ) has no (");
        p->at++;
        /* The steps so far are one side, which jumps over the other. */
        size_t side = p->re->count - piece;
        if (!emit_before(p, piece, REGEX_SPLIT, 1, (int32_t)side + 2) || !emit(p, REGEX_JUMP, 0, 0))
            return false;
        size_t jump = p->re->count - 1;
        while (p->at < p->end && *p->at != '|' && *p->at != ')')
            if (!parse_repeated(p))
                return false;
        p->re->steps[jump].a = (int32_t)(p->re->count - jump);
    }
}

struct regex *regex_parse(const void *pattern, size_t len, const char **why, size_t *at)
{
    struct parser p = {.start = pattern, .at = pattern, .re = calloc(1, sizeof *p.re)};
    p.end = p.at + len;
    p.why_at = p.at;
    if (!p.re)
        wrong(&p, p.at, "out of memory");
    else if (len > REGEX_LENGTH_MAX)
        wrong(&p, p.at + REGEX_LENGTH_MAX, "it is longer than 4096 bytes");
    else {
        p.re->fold = len >= 4 && !memcmp(p.at, "(?i)", 4);
        p.at += p.re->fold ? 4 : 0;
        if (parse_choice(&p) && emit(&p, REGEX_MATCH, 0, 0) && !regex_prepare(p.re))
            wrong(&p, p.at, "out of memory");
    }
    if (!p.why)
        return p.re;
    regex_free(p.re);
    *why = p.why;
    *at = (size_t)(p.why_at - p.start);
    return NULL;
}

void regex_free(struct regex *re)
{
    if (!re)
        return;
    free(re->steps);
    free(re->ranges);
    free(re->now.at);
    free(re->next.at);
    free(re->stack);
    free(re->seen);
    free(re);
}
