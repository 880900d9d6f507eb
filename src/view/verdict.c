/* verdict.c - the verdict of a comparison in words, and its cause from the first mismatches.
 *
 * The cause is looked for in a fixed order: settings that differ, a random number that one side
 * draws more, a command, a field, a call, a place that one side lacks. A sentence says what the
 * data shows, and no more than that: that one thing made the other is for the reader to conclude.
 */
#include "base/error.h"
#include "view/versus.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SETTINGS_MOST = 3, VALUE_MOST = 60, LATER = 3 };

const char *arena_count(struct arena *arena, uint64_t number)
{
    char text[32], *at = text + sizeof text;
    int digits = 0;
    *--at = 0;
    do {
        if (digits && digits % 3 == 0)
            *--at = ',';
        *--at = (char)('0' + number % 10);
        digits++;
    } while (number /= 10);
    return arena_format(arena, "%s", at);
}

static const char *number_word(struct arena *arena, uint64_t n)
{
    static const char *const words[] = {"no", "one", "two", "three", "four", "five", "six"};
    return n < sizeof words / sizeof *words ? words[n] : arena_count(arena, n);
}

static const char *capital(struct arena *arena, const char *text)
{
    char *copy = (char *)(uintptr_t)arena_format(arena, "%s", text);
    if (*copy >= 'a' && *copy <= 'z')
        *copy = (char)(*copy - 'a' + 'A');
    return copy;
}

static const char *things_of(const struct comparison *c)
{
    return c->run[0] ? "runs" : "traces";
}

static const char *thing_of(const struct comparison *c)
{
    return c->run[0] ? "run" : "trace";
}

/* ---- sentences --------------------------------------------------------------------------- */

/* Append a sentence to the cause. */
static void say_sentence(struct comparison *c, const char *sentence)
{
    if (*sentence)
        c->cause = arena_format(&c->texts, "%s%s%s", c->cause, *c->cause ? " " : "", sentence);
}

static const char *shortened(struct comparison *c, const char *value)
{
    size_t len = strlen(value);
    if (len <= VALUE_MOST)
        return value;
    for (len = VALUE_MOST; len && ((unsigned char)value[len] & 0xc0) == 0x80;)
        len--;
    return arena_format(&c->texts, "%.*s\xe2\x80\xa6", (int)len, value);
}

static void say_settings(struct comparison *c)
{
    const char *list = "";
    size_t count = 0, left = 0;
    for (const struct ras_value *row = c->settings ? c->settings + 1 : NULL;
         row && row < ras_value_next(c->settings); row = ras_value_next(row)) {
        const struct ras_value *path = ras_value_member(row, "path");
        const struct ras_value *a = ras_value_member(row, "expected");
        const struct ras_value *b = ras_value_member(row, "actual");
        if (count++ >= SETTINGS_MOST) {
            left++;
            continue;
        }
        list = arena_format(&c->texts, "%s%s%s %s and %s", list, *list ? ", " : "",
                            evidence_text(&c->texts, "", path),
                            shortened(c, evidence_text(&c->texts, "", a)),
                            shortened(c, evidence_text(&c->texts, "", b)));
    }
    if (!count)
        return;
    if (left)
        list = arena_format(&c->texts, "%s, and %zu more", list, left);
    say_sentence(c,
                 arena_format(&c->texts, "They were started with different settings: %s.", list));
}

/* "on all five lines", "on the three lines that were compared" */
static const char *on_lines(struct comparison *c)
{
    const char *count = number_word(&c->texts, c->compared);
    if (!c->run[0])
        return "";
    if (c->compared == c->line_count)
        return c->compared == 1   ? " on the only line"
               : c->compared == 2 ? " on both lines"
                                  : arena_format(&c->texts, " on all %s lines", count);
    return arena_format(&c->texts, " on the %s line%s that %s compared", count,
                        c->compared == 1 ? "" : "s", c->compared == 1 ? "was" : "were");
}

/* What is before the first divergence is the same, if every line that was compared reaches it. */
static void say_unison(struct comparison *c)
{
    if (!c->diverged || c->first == RAS_NONE || c->first <= c->from || !c->exact ||
        c->stream_count > 1)
        return;
    for (size_t i = 0; i < c->line_count; i++) {
        const struct comparison_line *l = &c->lines[i];
        if (l->diverged && (l->first == RAS_NONE || l->about))
            return;
        for (int side = 0; side < 2 && l->diff; side++)
            if (l->ending[side].kind >= RAS_CUT &&
                (l->last[side] == RAS_NONE || l->last[side] + 1 < c->first))
                return;
    }
    c->unison = true;
    const char *word = capital(&c->texts, c->word);
    bool one = c->first - c->from == 1;
    say_sentence(c, one ? arena_format(&c->texts, "%s %s is the same%s.", word,
                                       arena_count(&c->texts, c->from), on_lines(c))
                        : arena_format(&c->texts, "%ss %s to %s are the same%s.", word,
                                       arena_count(&c->texts, c->from),
                                       arena_count(&c->texts, c->first - 1), on_lines(c)));
}

/* ---- the cause --------------------------------------------------------------------------- */

/* The first divergence of a line, if it is at the place where all began. */
static const struct ras_divergence *first_of(const struct comparison *c,
                                             const struct comparison_line *line)
{
    bool here =
        line->diverged && line->first == c->first && line->here && line->here->divergence_count;
    return here ? line->here->divergences : NULL;
}

/* The first map in a tree that has this member; NULL: none. */
static const struct ras_value *map_with(const struct ras_value *v, const char *key, int depth)
{
    if (!v || (v->kind != RAS_MAP && v->kind != RAS_LIST) || depth > 8)
        return NULL;
    if (v->kind == RAS_MAP && ras_value_member(v, key))
        return v;
    bool is_key = v->kind == RAS_MAP;
    for (const struct ras_value *item = v + 1; item < ras_value_next(v);
         item = ras_value_next(item)) {
        const struct ras_value *found = is_key ? NULL : map_with(item, key, depth + 1);
        if (found)
            return found;
        is_key = v->kind == RAS_MAP && !is_key;
    }
    return NULL;
}

static uint64_t member_number(const struct ras_value *map, const char *key)
{
    const struct ras_value *v = map && map->kind == RAS_MAP ? ras_value_member(map, key) : NULL;
    return v && (v->kind == RAS_UINT || (v->kind == RAS_INT && v->i >= 0)) ? v->u : RAS_NONE;
}

/* "In tick 300", "In tick 300 of calls" */
static const char *in_place(struct comparison *c)
{
    return c->first == RAS_NONE
               ? "At no known place"
               : arena_format(&c->texts, "In %s %s", c->word, arena_count(&c->texts, c->first));
}

/* "; the first that differs is number 1, drawn by caller 13 instead of 5" */
static const char *first_draw(struct comparison *c, const struct ras_value *map)
{
    uint64_t same = member_number(map, "prefix_match_len");
    uint64_t a = member_number(ras_value_member(map, "expected_first_mismatch"), "caller");
    uint64_t b = member_number(ras_value_member(map, "actual_first_mismatch"), "caller");
    const char *who = "";
    if (a != RAS_NONE && b != RAS_NONE && a != b)
        who = arena_format(&c->texts, ", drawn by caller %" PRIu64 " instead of %" PRIu64, b, a);
    else if (b != RAS_NONE)
        who = arena_format(&c->texts, ", drawn by caller %" PRIu64, b);
    else if (a != RAS_NONE)
        who = arena_format(&c->texts, ", which caller %" PRIu64 " draws in the first", a);
    return same == RAS_NONE ? ""
                            : arena_format(&c->texts, "the first that differs is number %s%s",
                                           arena_count(&c->texts, same + 1), who);
}

static const char *cause_of_draws(struct comparison *c, const struct ras_divergence *v)
{
    const struct ras_value *map = map_with(v->detail, "prefix_match_len", 0);
    uint64_t a = member_number(map, "expected_calls"), b = member_number(map, "actual_calls");
    if (!map || a == RAS_NONE || b == RAS_NONE)
        return "";
    const char *first = first_draw(c, map);
    if (a == b)
        return arena_format(&c->texts, "%s the second %s draws other random numbers: of %s %s.",
                            in_place(c), thing_of(c), arena_count(&c->texts, a), first);
    uint64_t n = a > b ? a - b : b - a;
    return arena_format(&c->texts, "%s the second %s draws %s random number%s %s (%s, not %s); %s.",
                        in_place(c), thing_of(c), number_word(&c->texts, n), n == 1 ? "" : "s",
                        b > a ? "more" : "less", arena_count(&c->texts, b),
                        arena_count(&c->texts, a), first);
}

/* A row in words: "coord: expected [3,4], actual [3,5]" */
static const char *row_text(struct comparison *c, const struct evidence_row *row)
{
    if (!row->expected)
        return arena_format(&c->texts, "%s is only in the second: %s", row->label,
                            shortened(c, row->actual ? row->actual : ""));
    if (!row->actual)
        return arena_format(&c->texts, "%s is only in the first: %s", row->label,
                            shortened(c, row->expected));
    return arena_format(&c->texts, "%s, expected %s, actual %s", row->label,
                        shortened(c, row->expected), shortened(c, row->actual));
}

static const struct evidence_row *row_like(const struct evidence_place *p, const char *begin)
{
    for (size_t i = 0; i < p->row_count; i++)
        if (p->rows[i].differs && !strncmp(p->rows[i].label, begin, strlen(begin)))
            return &p->rows[i];
    return NULL;
}

static const char *cause_of_commands(struct comparison *c, const struct ras_divergence *v)
{
    struct evidence_place p;
    const char *text = "";
    if (!evidence_of(&p, &c->texts, v, c->word))
        return text;
    const struct evidence_row *row = row_like(&p, "commands[");
    if (row)
        text = arena_format(&c->texts, "%s a command differs: %s.", in_place(c), row_text(c, row));
    evidence_free(&p);
    return text;
}

/* Of calls with the path to it. */
static const char *cause_of_fields(struct comparison *c, const struct ras_divergence *v)
{
    struct evidence_place p;
    const char *text = "";
    if (!evidence_of(&p, &c->texts, v, c->word))
        return text;
    const struct evidence_row *row = row_like(&p, "");
    if (row && *p.context)
        text = arena_format(&c->texts, "%s the first that differs is %s: %s.", in_place(c),
                            shortened(c, p.context), row_text(c, row));
    else if (row)
        text = arena_format(&c->texts, "%s the first field that differs is %s.", in_place(c),
                            row_text(c, row));
    else if (*p.context)
        text = arena_format(&c->texts, "%s the first that differs is %s (%s).", in_place(c),
                            shortened(c, p.context), p.kind);
    evidence_free(&p);
    return text;
}

static const char *cause_of_missing(struct comparison *c, const struct ras_divergence *v)
{
    const struct ras_value *map = map_with(v->detail, "missing_in", 0);
    const struct ras_value *in = map ? ras_value_member(map, "missing_in") : NULL;
    if (!in || in->kind != RAS_STR || c->first == RAS_NONE)
        return "";
    bool actual = !strncmp(in->at, "actual", in->count);
    return arena_format(&c->texts, "%s %s is only in the %s %s.", capital(&c->texts, c->word),
                        arena_count(&c->texts, c->first), actual ? "first" : "second", thing_of(c));
}

/* Lines in the order in which their fields say most: the hash of an input is made of the whole
 * state, that of a picture is of bytes. */
static const int telling[] = {LINE_STATE,    LINE_EVENTS, LINE_INPUTS,
                              LINE_PICTURES, LINE_CALLS,  LINE_OTHER};

/* What is looked for, in this order, each in all lines. */
static const char *(*const causes[])(struct comparison *, const struct ras_divergence *) = {
    cause_of_draws, cause_of_commands, cause_of_missing, cause_of_fields};

static void say_first(struct comparison *c)
{
    for (size_t k = 0; k < sizeof causes / sizeof *causes; k++)
        for (size_t n = 0; n < sizeof telling / sizeof *telling; n++)
            for (size_t i = 0; i < c->line_count; i++) {
                const struct ras_divergence *v = first_of(c, &c->lines[i]);
                const char *sentence = v && c->lines[i].kind == telling[n] ? causes[k](c, v) : "";
                if (!*sentence)
                    continue;
                say_sentence(c, sentence);
                return;
            }
}

/* Lines that diverge later, or not at all. */
static void say_others(struct comparison *c)
{
    for (size_t i = 0; i < c->line_count && c->diverged && c->first != RAS_NONE; i++) {
        const struct comparison_line *l = &c->lines[i];
        const char *name = capital(&c->texts, l->name);
        if (l->diverged && l->first != RAS_NONE && l->first > c->first)
            say_sentence(c, arena_format(&c->texts, "%s diverge%s in %s%s %s.", name,
                                         l->kind == LINE_STATE ? "s" : "", l->about ? "about " : "",
                                         c->word, arena_count(&c->texts, l->first)));
        else if (l->diff && !l->diverged)
            say_sentence(c,
                         arena_format(&c->texts, "%s %s the same%s.", name,
                                      l->kind == LINE_STATE ? "stays" : "stay",
                                      l->ending[0].kind >= RAS_CUT || l->ending[1].kind >= RAS_CUT
                                          ? " as far as both go"
                                          : ""));
    }
}

/* A run.json that cannot be read; its traces were found by their bytes. */
static void say_unnamed(struct comparison *c)
{
    for (int side = 0; side < 2 && c->run[0]; side++)
        if (c->run[side]->json_err.status)
            say_sentence(c, arena_format(&c->texts, "run.json of %s cannot be read: %s.",
                                         c->name[side], c->run[side]->json_err.text));
}

/* Lines of which nothing is known, or only a part. */
static void say_missing(struct comparison *c)
{
    for (size_t i = 0; i < c->line_count; i++) {
        const struct comparison_line *l = &c->lines[i];
        for (int side = 0; side < 2; side++) {
            if (l->unread[side])
                say_sentence(
                    c, arena_format(&c->texts, "%s of %s cannot be read: %s.",
                                    l->file[side] ? l->file[side] : capital(&c->texts, l->name),
                                    c->name[side], l->missing[side]));
            else if (l->missing[side])
                say_sentence(c,
                             arena_format(&c->texts, "%s of %s: %s.", capital(&c->texts, l->name),
                                          c->name[side], l->missing[side]));
            else if (l->ending[side].kind >= RAS_CUT && l->last[side] != RAS_NONE)
                say_sentence(c, arena_format(&c->texts, "%s%s%s is %s after %s %s.", l->file[side],
                                             c->run[side] ? " of " : "",
                                             c->run[side] ? c->name[side] : "",
                                             ras_ending_name(l->ending[side].kind), c->word,
                                             arena_count(&c->texts, l->last[side])));
        }
        if (l->failed && !l->missing[0] && !l->missing[1])
            say_sentence(c, arena_format(&c->texts, "%s: not compared, %s.",
                                         capital(&c->texts, l->name), l->failed));
    }
}

/* ---- the title --------------------------------------------------------------------------- */

/* The cut line that weighs most: the one that ends first. NULL: none. */
static const char *cut_text(struct comparison *c)
{
    const char *text = NULL;
    uint64_t least = RAS_NONE;
    for (size_t i = 0; i < c->line_count; i++)
        for (int side = 0; side < 2; side++) {
            const struct comparison_line *l = &c->lines[i];
            if (l->missing[side] || l->ending[side].kind < RAS_CUT ||
                (text && l->last[side] >= least))
                continue;
            least = l->last[side];
            const char *what = ras_ending_name(l->ending[side].kind);
            const char *file = l->file[side] ? l->file[side] : l->name;
            text = !c->run[0]
                       ? arena_format(&c->texts, ", but %s is %s", c->name[side], what)
                       : arena_format(&c->texts, ", but %s of %s is %s", file, c->name[side], what);
            if (least != RAS_NONE)
                text = arena_format(&c->texts, "%s after %s %s", text, c->word,
                                    arena_count(&c->texts, least));
        }
    return text;
}

/* What cannot be read weighs more than what is cut: of it nothing is known. NULL: all can be. */
static const char *unread_text(struct comparison *c)
{
    const char *text = NULL;
    uint64_t more = 0;
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < c->line_count; i++) {
            const struct comparison_line *l = &c->lines[i];
            if (l->unread[side] && !text)
                text = arena_format(&c->texts, "the %s of %s", l->name, c->name[side]);
            else if (l->unread[side])
                more++;
        }
    for (int side = 0; side < 2 && c->run[0]; side++) {
        if (c->run[side]->json_err.status && !text)
            text = arena_format(&c->texts, "run.json of %s", c->name[side]);
        else if (c->run[side]->json_err.status)
            more++;
    }
    if (more)
        text = arena_format(&c->texts, "%s and %s more", text, number_word(&c->texts, more));
    return text ? arena_format(&c->texts, ", but %s cannot be read", text) : NULL;
}

/* A line that both have and that could not be compared; NULL: none. */
static const char *broken_text(struct comparison *c)
{
    for (size_t i = 0; i < c->line_count; i++)
        if (c->lines[i].broken)
            return arena_format(&c->texts, ", but the %s could not be compared", c->lines[i].name);
    return NULL;
}

/* A run whose program ended without closing it; NULL: none, or all that was requested is there. */
static const char *unfinished_text(struct comparison *c)
{
    for (int side = 0; side < 2 && c->rundiff && c->rundiff->unfinished; side++) {
        struct ras_rundir_ended ended;
        ras_rundir_how_ended(c->run[side], &ended);
        if (!ended.closed)
            return arena_format(
                &c->texts,
                ", but the program of %s did not close it: rastrum repair completes "
                "it",
                c->name[side]);
        if (ended.lost && ended.last != RAS_NONE)
            return arena_format(&c->texts, ", but %s lacks what came after tick %s", c->name[side],
                                arena_count(&c->texts, ended.last));
    }
    return NULL;
}

/* Why not all is known: ", but ..."; NULL: it is. */
static const char *lost_text(struct comparison *c)
{
    const char *text = unfinished_text(c);
    if (!text)
        text = unread_text(c);
    if (!text)
        text = broken_text(c);
    return text ? text : cut_text(c);
}

static void say_same(struct comparison *c, const char *cut)
{
    uint64_t count = c->from <= c->to ? c->to - c->from + 1 : 0;
    const char *places = arena_format(&c->texts, "%s %s%s", arena_count(&c->texts, count), c->word,
                                      count == 1 ? "" : "s");
    bool all = c->compared == c->line_count;
    const char *lines = number_word(&c->texts, c->compared);
    if (cut && !all)
        c->title[0] = arena_format(&c->texts, "No difference was found%s%s.", on_lines(c), cut);
    else if (cut)
        c->title[0] = arena_format(&c->texts, "No difference was found%s.", cut);
    else if (!c->run[0])
        c->title[0] = arena_format(&c->texts, "The two traces are the same: %s.", places);
    else if (all)
        c->title[0] = arena_format(&c->texts, "The two runs are the same: %s on %s line%s.", places,
                                   lines, c->compared == 1 ? "" : "s");
    else
        c->title[0] = arena_format(&c->texts,
                                   "The two runs are the same on the %s line%s that both have: %s.",
                                   lines, c->compared == 1 ? "" : "s", places);
}

static void say_title(struct comparison *c)
{
    const char *cut = lost_text(c);
    c->title[1] = c->title[2] = "";
    if (!c->compared) {
        c->title[0] =
            arena_format(&c->texts, "Nothing of the two %s could be compared.", things_of(c));
    } else if (!c->diverged) {
        say_same(c, cut);
    } else if (c->first == RAS_NONE) {
        c->title[0] = arena_format(&c->texts, "The two %s diverge, at no %s that is known%s.",
                                   things_of(c), c->word, cut ? cut : "");
    } else {
        c->title[0] = arena_format(&c->texts, "The two %s diverge in ", things_of(c));
        c->title[1] = arena_format(&c->texts, "%s %s", c->word, arena_count(&c->texts, c->first));
        c->title[2] = arena_format(&c->texts, "%s.", cut ? cut : "");
    }
}

void comparison_words(struct comparison *c)
{
    c->cause = "";
    say_title(c);
    say_settings(c);
    say_unison(c);
    if (c->diverged)
        say_first(c);
    say_others(c);
    say_missing(c);
    say_unnamed(c);
    say_sentence(c, c->order);
}

/* "162 rows of state", "3 events" */
static const char *amount_text(struct comparison *c, const struct comparison_line *l, uint64_t n)
{
    static const char *const things[] = {"command", "row", "command", "event", "call", "record"};
    const char *of = l->kind == LINE_EVENTS || l->kind == LINE_CALLS
                         ? ""
                         : arena_format(&c->texts, " of %s", l->name);
    return arena_format(&c->texts, "%s %s%s%s", arena_count(&c->texts, n), things[l->kind],
                        n == 1 ? "" : "s", of);
}

const char *comparison_later(struct comparison *c, const struct ras_staff *s)
{
    const char *best = "";
    uint64_t most = 0;
    if (c->first == RAS_NONE || c->first <= c->from || c->first < s->first ||
        c->first + LATER > s->last)
        return "";
    size_t at = (size_t)(c->first - s->first);
    for (size_t i = 0; i < s->line_count && i < c->line_count; i++) {
        uint64_t now = s->lines[i].d[at], then = s->lines[i].d[at + LATER];
        if (now == RAS_NONE || then == RAS_NONE || then <= now || then <= most)
            continue;
        most = then;
        best = arena_format(&c->texts, "Three %ss later %s differ, %s at first.", c->word,
                            amount_text(c, &c->lines[i], then), arena_count(&c->texts, now));
    }
    return best;
}
