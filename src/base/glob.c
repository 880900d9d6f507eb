/* glob.c - names matched by shell patterns, and demangled names of C++ and Rust, shortened.
 *
 * A demangled name is "return type, name, template arguments, (parameters), qualifiers". Brackets
 * nest; only operators have brackets of their own, which are copied with the word `operator`. */
#include "base/glob.h"
#include <rastrum/rastrum.h>

#include <string.h>

/* Whether `c` is in the brackets at `at`, which then moves past them. */
static bool bracket_has(const char **at, char c)
{
    const char *p = *at + 1;
    bool not = *p == '!' || *p == '^', found = false;
    p += not ;
    for (const char *first = p; *p && (*p != ']' || p == first); p++) {
        char low = *p, high = *p;
        if (p[1] == '-' && p[2] && p[2] != ']') {
            high = p[2];
            p += 2;
        }
        found |= c >= low && c <= high;
    }
    *at = *p ? p + 1 : p;
    return found != not ;
}

bool glob_matches(const char *pattern, const char *text)
{
    const char *star = NULL, *retry = NULL;
    while (*text) {
        const char *next = pattern;
        bool good = false;
        if (*pattern == '*') {
            star = pattern++;
            retry = text;
            continue;
        }
        if (*pattern == '[') {
            good = bracket_has(&next, *text);
        } else if (*pattern) {
            good = *pattern == '?' || *pattern == *text;
            next++;
        }
        if (good) {
            pattern = next;
            text++;
        } else if (star) { /* the star takes one more */
            pattern = star + 1;
            text = ++retry;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return !*pattern;
}

/* ---- demangled names ---------------------------------------------------------------------- */

enum { NAME_MOST = 8192, PLAIN_MOST = 1024 };

struct text {
    const char *at, *end;
    char *to, *last;
};

static void text_put(struct text *t, const char *from, size_t len)
{
    size_t room = (size_t)(t->last - t->to);
    len = len < room ? len : room;
    memcpy(t->to, from, len);
    t->to += len;
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           (unsigned char)c >= 0x80;
}

static bool begins(const struct text *t, const char *word)
{
    size_t len = strlen(word);
    return (size_t)(t->end - t->at) >= len && !memcmp(t->at, word, len);
}

/* Copy `operator` and its symbol. False: it is another word. */
static bool take_operator(struct text *t, char before)
{
    static const char *const signs[] = {"()", "[]", "<=>", "<<=", ">>=", "->*", "<<",
                                        ">>", "<=", ">=",  "->",  "<",   ">",   NULL};
    static const char word[] = "operator";
    size_t len = sizeof word - 1;
    if (is_word(before) || !begins(t, word) || (t->at + len < t->end && is_word(t->at[len])))
        return false;
    text_put(t, t->at, len);
    t->at += len;
    for (int i = 0; signs[i]; i++)
        if (begins(t, signs[i])) {
            text_put(t, t->at, strlen(signs[i]));
            t->at += strlen(signs[i]);
            break;
        }
    if (t->end - t->at > 1 && t->at[0] == ' ' && t->at[1] == '<') /* operator<< <char> */
        t->at++;
    return true;
}

/* The end of the bracket at `at`, which may hold others; NULL: it is not closed. */
static const char *closed(const struct text *t, char open, char close)
{
    size_t depth = 0;
    for (const char *p = t->at; p < t->end; p++) {
        bool arrow = *p == '>' && p > t->at && (p[-1] == '-' || p[-1] == '=');
        if (*p == open)
            depth++;
        else if (*p == close && !arrow && !--depth)
            return p + 1;
    }
    return NULL;
}

/* Arguments of a template follow a name. Rust's `<T as Trait>::f` does not. */
static const char *arguments_end(const struct text *t, char before)
{
    bool follows = is_word(before) || (before && strchr(">]<)=+-*/%&|^~!,", before));
    return *t->at == '<' && follows ? closed(t, '<', '>') : NULL;
}

/* ---- plain ------------------------------------------------------------------------ */

/* The end of a qualifier after the parameters; NULL: it is something else. */
static const char *qualifier_end(const struct text *t)
{
    static const char *const words[] = {" const", " volatile", " noexcept", " &&", " &", NULL};
    for (int i = 0; words[i]; i++) {
        const char *end = t->at + strlen(words[i]);
        if (begins(t, words[i]) && (end == t->end || *end == ' '))
            return end;
    }
    return NULL;
}

/* The end of a bracket that is part of the name: of Rust's <impl T>, {lambda(int)#1}, [abi:x]. */
static const char *part_end(const struct text *t)
{
    if (begins(t, "(anonymous namespace)"))
        return t->at + sizeof "(anonymous namespace)" - 1;
    switch (*t->at) {
    case '<':
        return closed(t, '<', '>');
    case '{':
        return closed(t, '{', '}');
    case '[':
        return closed(t, '[', ']');
    default:
        return NULL;
    }
}

void function_plain_name(const char *name, size_t len, char *to, size_t room)
{
    struct text t = {name, name + len, to, to + room - 1};
    char *start = to; /* of the name: the return type is before it */
    bool is_operator = false;
    while (t.at < t.end && !begins(&t, " [clone")) {
        char before = t.to > to ? t.to[-1] : 0;
        const char *end;
        if (take_operator(&t, before)) {
            is_operator = true; /* conversions have spaces of their own */
        } else if ((end = arguments_end(&t, before)) || (end = qualifier_end(&t))) {
            t.at = end;
        } else if ((end = part_end(&t))) {
            text_put(&t, t.at, (size_t)(end - t.at));
            t.at = end;
        } else if (*t.at == '(' && (end = closed(&t, '(', ')'))) {
            t.at = end;
        } else {
            text_put(&t, t.at, 1);
            if (*t.at++ == ' ' && !is_operator)
                start = t.to;
        }
    }
    size_t left = (size_t)(t.to - start);
    memmove(to, start, left);
    to[left] = 0;
}

bool function_matches(const char *pattern, const char *name, size_t len)
{
    static const char *const memory[] = {"operator new", "operator new[]", "operator delete",
                                         "operator delete[]"};
    char text[NAME_MOST], plain[PLAIN_MOST];
    size_t shown = len < sizeof text ? len : sizeof text - 1;
    memcpy(text, name, shown);
    text[shown] = 0;
    if (glob_matches(pattern, text))
        return true;
    function_plain_name(name, len, plain + 5, sizeof plain - 5);
    if (glob_matches(pattern, plain + 5))
        return true;
    bool standard = false;
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
        standard |= !strcmp(plain + 5, memory[i]);
    memcpy(plain, "std::", 5);
    return standard && glob_matches(pattern, plain);
}

/* ---- short ------------------------------------------------------------------------ */

enum { ARGUMENTS_SHORT = 12 };

size_t ras_name_short(const char *name, size_t len, char *to, size_t room)
{
    struct text t = {name, name + len, to, to + room};
    const char *end;
    while (t.at < t.end) {
        char before = t.to > to ? t.to[-1] : 0;
        if (take_operator(&t, before))
            continue;
        if ((end = arguments_end(&t, before)) && end - t.at > ARGUMENTS_SHORT + 2) {
            text_put(&t, "<...>", 5);
            t.at = end;
        } else {
            text_put(&t, t.at++, 1);
        }
    }
    return (size_t)(t.to - to);
}
