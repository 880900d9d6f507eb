/* regex_search.c - regular expressions: all states of a program at once over a text. */
#include "codec/regex_program.h"
#include "codec/utf8.h"

#include <stdlib.h>

enum { NO_CHAR = 0x110000 }; /* plus the byte: what is no UTF-8 */

uint32_t regex_char(const uint8_t *at, size_t left, size_t *size)
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

/* Where the text stands. */
struct spot {
    bool start, end;
};

/* Enter a step and all that follows it without a character; true: it matches. */
static bool enter(struct regex *re, struct regex_states *to, size_t step, struct spot spot)
{
    size_t depth = 0;
    re->stack[depth++] = (uint16_t)step;
    while (depth) {
        size_t i = re->stack[--depth];
        const struct regex_step *s = &re->steps[i];
        if (re->seen[i] == re->turn)
            continue;
        re->seen[i] = re->turn;
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

/* A new place in the text: no step was entered for it. */
static void turn(struct regex *re)
{
    if (++re->turn)
        return;
    for (size_t i = 0; i < re->count; i++)
        re->seen[i] = 0;
    re->turn = 1;
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

/* Which bytes a match can begin with, so that others are passed over quickly. */
static void find_first(struct regex *re)
{
    turn(re);
    re->now.count = 0;
    /* As if both ends were here: more is entered than ever will be, nothing is missed. */
    re->first_any = enter(re, &re->now, 0, (struct spot){true, true});
    for (unsigned byte = 0; byte < 256; byte++)
        for (size_t i = 0; i < re->now.count && !re->first[byte]; i++)
            re->first[byte] = byte >= 0x80 || takes(re, &re->steps[re->now.at[i]], byte);
}

bool regex_prepare(struct regex *re)
{
    re->now.at = calloc(re->count, sizeof *re->now.at);
    re->next.at = calloc(re->count, sizeof *re->next.at);
    re->stack = calloc(2 * re->count + 1, sizeof *re->stack); /* a split is taken once */
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
    turn(re);
    for (;;) {
        if (!re->now.count && !re->first_any && at < end && !re->first[*at]) {
            while (at < end && !re->first[*at])
                at++;
            turn(re);
        }
        /* A match may begin anywhere. */
        if (enter(re, &re->now, 0, (struct spot){at == start, at == end}))
            return true;
        if (at == end)
            return false;
        size_t size;
        uint32_t c = regex_char(at, (size_t)(end - at), &size);
        at += size;
        turn(re);
        re->next.count = 0;
        for (size_t i = 0; i < re->now.count; i++) {
            size_t step = re->now.at[i];
            if (takes(re, &re->steps[step], c) &&
                enter(re, &re->next, step + 1, (struct spot){false, at == end}))
                return true;
        }
        struct regex_states done = re->now;
        re->now = re->next;
        re->next = done;
    }
}
