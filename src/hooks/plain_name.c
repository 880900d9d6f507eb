/* plain_name.c - the plain name of a mangled C++ or Rust name, without parameters.
 *
 * Hooks choose functions by name when they are first called, where memory cannot be allocated;
 * so this copies the parts of a name and skips everything else. */
#include "hooks/hooks.h"

#include <string.h>

struct plain {
    const char *at;
    char *to, *end;
    const char *last; /* the part before, for constructors */
    size_t last_len;
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void plain_put(struct plain *p, const char *text, size_t len)
{
    size_t room = (size_t)(p->end - p->to);
    len = len < room ? len : room;
    memcpy(p->to, text, len);
    p->to += len;
    *p->to = 0;
}

static void put_part(struct plain *p, const char *text, size_t len, bool first)
{
    if (!first)
        plain_put(p, "::", 2);
    plain_put(p, text, len);
    p->last = text;
    p->last_len = len;
}

/* A length and so many characters. False: there are fewer. */
static bool take_name(struct plain *p, const char **text, size_t *len)
{
    size_t n = 0;
    while (is_digit(*p->at) && n < 4096)
        n = 10 * n + (size_t)(*p->at++ - '0');
    if (!n || strnlen(p->at, n) < n)
        return false;
    *text = p->at;
    *len = n;
    p->at += n;
    return true;
}

/* Skip template arguments up to their end: nesting is counted, names are skipped. */
static bool skip_arguments(struct plain *p)
{
    unsigned depth = 0;
    do {
        const char *text;
        size_t len;
        char c = *p->at;
        if (!c)
            return false;
        if (is_digit(c)) {
            if (!take_name(p, &text, &len))
                return false;
            continue;
        }
        p->at++;
        if (c == 'L' && *p->at != '_') { /* a literal: its digits are not a length */
            p->at += strcspn(p->at, "E");
            p->at += *p->at == 'E';
        } else if (c == 'S' || c == 'T') {
            p->at += strspn(p->at, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ");
            p->at += *p->at == '_';
        } else if (strchr("INXJF", c)) {
            depth++;
        } else if (c == 'E') {
            depth--;
        }
    } while (depth);
    return true;
}

static bool is_hash(const char *text, size_t len)
{
    return len == 17 && text[0] == 'h' && strspn(text + 1, "0123456789abcdef") >= 16;
}

/* Abbreviations of the ABI, and operators. */
struct code {
    char code[3];
    const char *name;
};
static const struct code standard[] = {{"Sa", "allocator"}, {"Sb", "basic_string"},
                                       {"Ss", "string"},    {"Si", "istream"},
                                       {"So", "ostream"},   {"Sd", "iostream"}};
static const struct code operators[] = {
    {"nw", " new"}, {"na", " new[]"}, {"dl", " delete"}, {"da", " delete[]"}, {"ls", "<<"},
    {"rs", ">>"},   {"lS", "<<="},    {"rS", ">>="},     {"eq", "=="},        {"ne", "!="},
    {"lt", "<"},    {"gt", ">"},      {"le", "<="},      {"ge", ">="},        {"ss", "<=>"},
    {"aS", "="},    {"pl", "+"},      {"mi", "-"},       {"ml", "*"},         {"dv", "/"},
    {"rm", "%"},    {"pL", "+="},     {"mI", "-="},      {"mL", "*="},        {"dV", "/="},
    {"rM", "%="},   {"an", "&"},      {"or", "|"},       {"eo", "^"},         {"aN", "&="},
    {"oR", "|="},   {"eO", "^="},     {"co", "~"},       {"nt", "!"},         {"aa", "&&"},
    {"oo", "||"},   {"pp", "++"},     {"mm", "--"},      {"ad", "&"},         {"de", "*"},
    {"ng", "-"},    {"ps", "+"},      {"cm", ","},       {"pm", "->*"},       {"pt", "->"},
    {"cl", "()"},   {"ix", "[]"}};

static const char *coded(struct plain *p, const struct code *codes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!strncmp(p->at, codes[i].code, 2)) {
            p->at += 2;
            return codes[i].name;
        }
    return NULL;
}

/* False: it is neither. */
static bool take_code(struct plain *p, bool first)
{
    const char *name = coded(p, standard, sizeof standard / sizeof *standard);
    if (name) {
        put_part(p, "std", 3, first);
        put_part(p, name, strlen(name), false);
        return true;
    }
    name = coded(p, operators, sizeof operators / sizeof *operators);
    if (!name)
        return false;
    put_part(p, "operator", 8, first);
    plain_put(p, name, strlen(name));
    return true;
}

static bool take_part(struct plain *p, bool first)
{
    const char *text;
    size_t len;
    if (is_digit(*p->at)) {
        if (!take_name(p, &text, &len))
            return false;
        if (!is_hash(text, len) || *p->at != 'E') /* of Rust, at the end */
            put_part(p, text, len, first);
        return true;
    }
    if (!strncmp(p->at, "St", 2)) {
        p->at += 2;
        put_part(p, "std", 3, first);
        return true;
    }
    if ((*p->at == 'C' || *p->at == 'D') && is_digit(p->at[1])) {
        plain_put(p, *p->at == 'D' ? "::~" : "::", *p->at == 'D' ? 3 : 2);
        plain_put(p, p->last, p->last_len);
        p->at += 2;
        return true;
    }
    return *p->at == 'I' ? skip_arguments(p) : take_code(p, first);
}

bool plain_name(const char *mangled, char *to, size_t room)
{
    struct plain p = {.at = mangled, .to = to, .end = to + room - 1, .last = ""};
    if (strncmp(mangled, "_Z", 2))
        return false;
    p.at += 2;
    p.at += *p.at == 'L';
    *to = 0;
    if (*p.at != 'N')
        return take_part(&p, true) && (p.last_len != 3 || p.to != to + 3 || take_part(&p, false));
    p.at++;
    p.at += strspn(p.at, "rVKRO");
    while (*p.at && *p.at != 'E')
        if (!take_part(&p, p.to == to))
            return p.to > to;
    return p.to > to;
}
