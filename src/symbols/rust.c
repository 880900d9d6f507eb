/* rust.c - names of Rust: the legacy scheme, which looks like C++, and v0 (RFC 2603).
 *
 * Of v0 all of the grammar is read that names of functions have; the name is written as in the
 * language, without the hashes that distinguish crates. */
#include "base/out.h"
#include "symbols/demangle.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MOST = 100, LENGTH_MOST = 1 << 16, HASH = 19 /* ::h and 16 digits */ };

/* ---- the first scheme ----------------------------------------------------------------------- */

/* Characters that are not allowed in a linker symbol, and their escapes. */
static const struct {
    const char *code;
    char means;
} escapes[] = {{"$SP$", '@'}, {"$BP$", '*'}, {"$RF$", '&'}, {"$LT$", '<'},
               {"$GT$", '>'}, {"$LP$", '('}, {"$RP$", ')'}, {"$C$", ','}};

static size_t escape_at(const char *at, char *means)
{
    for (size_t i = 0; i < sizeof escapes / sizeof *escapes; i++) {
        size_t len = strlen(escapes[i].code);
        if (!strncmp(at, escapes[i].code, len)) {
            *means = escapes[i].means;
            return len;
        }
    }
    char *end;
    unsigned long code = at[1] == 'u' ? strtoul(at + 2, &end, 16) : 0;
    if (code < 0x20 || code > 0x7e || *end != '$')
        return 0;
    *means = (char)code;
    return (size_t)(end + 1 - at);
}

/* Never longer than it was. */
static void resolve(char *name)
{
    char *to = name;
    for (const char *from = name; *from;) {
        size_t len = *from == '$' ? escape_at(from, to) : 0;
        if (len) {
            from += len;
            to++;
        } else if (from[0] == '.' && from[1] == '.') {
            *to++ = ':';
            *to++ = ':';
            from += 2;
        } else if (*from == '_' && from[1] == '$' && (from == name || from[-1] == ':')) {
            from++; /* precedes an escape that begins a part */
        } else {
            *to++ = *from++;
        }
    }
    *to = 0;
}

bool rust_clean(char *name)
{
    size_t len = strlen(name);
    if (len <= HASH || strncmp(name + len - HASH, "::h", 3) ||
        strspn(name + len - HASH + 3, "0123456789abcdef") != HASH - 3)
        return false;
    name[len - HASH] = 0;
    resolve(name);
    return true;
}

/* ---- its own scheme ------------------------------------------------------------------ */

struct mangled {
    const char *start, *at; /* after _R */
    struct out out;
    unsigned depth;
    bool bad, hushed; /* read, but not written */
};

static void path(struct mangled *m, bool in_value);
static void type(struct mangled *m);

static void put(struct mangled *m, const char *text, size_t len)
{
    if (m->out.len + len > LENGTH_MOST)
        m->bad = true;
    if (!m->hushed && !m->bad)
        out_bytes(&m->out, text, len);
}

static void say(struct mangled *m, const char *text)
{
    put(m, text, strlen(text));
}

static bool eat(struct mangled *m, char c)
{
    bool there = *m->at == c;
    m->at += there;
    return there;
}

/* Digits of base 62 up to _; no digits: 0, otherwise the value plus 1. */
static uint64_t base_62(struct mangled *m)
{
    uint64_t n = 0;
    if (eat(m, '_'))
        return 0;
    for (; *m->at && *m->at != '_'; m->at++) {
        char c = *m->at;
        unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                         : c >= 'a' && c <= 'z' ? (unsigned)(c - 'a') + 10
                         : c >= 'A' && c <= 'Z' ? (unsigned)(c - 'A') + 36
                                                : 62;
        if (digit == 62 || __builtin_mul_overflow(n, 62, &n) ||
            __builtin_add_overflow(n, digit, &n))
            m->bad = true;
    }
    m->bad |= !eat(m, '_');
    return n + 1;
}

/* The name after an optional disambiguator. */
static void identifier(struct mangled *m)
{
    size_t len = 0;
    bool unicode = eat(m, 'u'); /* Punycode: shown as it is */
    bool none = eat(m, '0');    /* only one digit */
    while (!none && *m->at >= '0' && *m->at <= '9' && len < LENGTH_MOST)
        len = 10 * len + (size_t)(*m->at++ - '0');
    (void)eat(m, '_');
    if (strnlen(m->at, len) < len) {
        m->bad = true;
        return;
    }
    if (unicode)
        say(m, "punycode{");
    put(m, m->at, len);
    if (unicode)
        say(m, "}");
    m->at += len;
}

static uint64_t disambiguator(struct mangled *m)
{
    return eat(m, 's') ? base_62(m) + 1 : 0;
}

/* A back reference: read the earlier bytes again. */
static void back(struct mangled *m, void (*part)(struct mangled *))
{
    const char *here = m->at - 1;
    uint64_t offset = base_62(m);
    const char *after = m->at;
    if (m->bad || offset >= (uint64_t)(here - m->start)) {
        m->bad = true;
        return;
    }
    m->at = m->start + offset;
    if (!m->hushed)
        part(m);
    m->at = after;
}

static void lifetime(struct mangled *m)
{
    (void)base_62(m);
    say(m, "'_");
}

static void constant(struct mangled *m)
{
    if (++m->depth > DEPTH_MOST || m->bad || !*m->at) {
        m->bad = true;
    } else if (eat(m, 'B')) {
        back(m, constant);
    } else if (eat(m, 'p')) {
        say(m, "_");
    } else {
        char kind = *m->at++;
        if (eat(m, 'n'))
            say(m, "-");
        size_t len = strspn(m->at, "0123456789abcdef");
        uint64_t value = len <= 16 ? strtoull(m->at, NULL, 16) : 0;
        char text[24];
        snprintf(text, sizeof text, "%" PRIu64, value);
        if (kind == 'b')
            say(m, value ? "true" : "false");
        else if (len > 16) {
            say(m, "0x");
            put(m, m->at, len);
        } else
            say(m, text);
        m->at += len;
        m->bad |= !eat(m, '_');
    }
    m->depth--;
}

static void arguments(struct mangled *m)
{
    for (bool first = true; !m->bad && !eat(m, 'E'); first = false) {
        if (!first)
            say(m, ", ");
        if (eat(m, 'L'))
            lifetime(m);
        else if (eat(m, 'K'))
            constant(m);
        else
            type(m);
    }
}

static void path_in_type(struct mangled *m)
{
    path(m, false);
}

static void path_in_value(struct mangled *m)
{
    path(m, true);
}

/* <T> or <T as Trait>, whose own path is skipped. */
static void implementation(struct mangled *m, char kind)
{
    if (kind != 'Y') {
        bool was = m->hushed;
        (void)disambiguator(m);
        m->hushed = true;
        path(m, false);
        m->hushed = was;
    }
    say(m, "<");
    type(m);
    if (kind != 'M') {
        say(m, " as ");
        path(m, false);
    }
    say(m, ">");
}

static void nested(struct mangled *m, bool in_value)
{
    char space = *m->at;
    m->bad |= !space;
    m->at += !!space;
    path(m, in_value);
    uint64_t number = disambiguator(m);
    if (space >= 'a' && space <= 'z') {
        bool named = *m->at != '0';
        if (named)
            say(m, "::");
        identifier(m);
        return;
    }
    say(m, space == 'C' ? "::{closure" : space == 'S' ? "::{shim" : "::{");
    if (space != 'C' && space != 'S')
        put(m, &space, 1);
    if (*m->at != '0')
        say(m, ":");
    identifier(m);
    char text[32];
    snprintf(text, sizeof text, "#%" PRIu64 "}", number);
    say(m, text);
}

static void path(struct mangled *m, bool in_value)
{
    if (++m->depth > DEPTH_MOST || m->bad || !*m->at) {
        m->bad = true;
        m->depth--;
        return;
    }
    char kind = *m->at++;
    if (kind == 'C') {
        (void)disambiguator(m);
        identifier(m);
    } else if (kind == 'N') {
        nested(m, in_value);
    } else if (kind == 'M' || kind == 'X' || kind == 'Y') {
        implementation(m, kind);
    } else if (kind == 'I') {
        path(m, in_value);
        say(m, in_value ? "::<" : "<");
        arguments(m);
        say(m, ">");
    } else if (kind == 'B') {
        back(m, in_value ? path_in_value : path_in_type);
    } else {
        m->bad = true;
    }
    m->depth--;
}

/* ---- types --------------------------------------------------------------------------- */

static const char *basic(char c)
{
    static const char *const names[26] = {"i8",   "bool",  "char",  "f64", "str", "f32", NULL,
                                          "u8",   "isize", "usize", NULL,  "i32", "u32", "i128",
                                          "u128", "_",     NULL,    NULL,  "i16", "u16", "()",
                                          "...",  NULL,    "i64",   "u64", "!"};
    return c >= 'a' && c <= 'z' ? names[c - 'a'] : NULL;
}

static void tuple(struct mangled *m)
{
    size_t count = 0;
    say(m, "(");
    for (; !m->bad && !eat(m, 'E'); count++) {
        if (count)
            say(m, ", ");
        type(m);
    }
    say(m, count == 1 ? ",)" : ")");
}

static void function(struct mangled *m)
{
    if (eat(m, 'G'))
        (void)base_62(m);
    if (eat(m, 'U'))
        say(m, "unsafe ");
    if (eat(m, 'K')) {
        say(m, "extern \"");
        if (eat(m, 'C'))
            say(m, "C");
        else
            identifier(m);
        say(m, "\" ");
    }
    say(m, "fn(");
    for (bool first = true; !m->bad && !eat(m, 'E'); first = false) {
        if (!first)
            say(m, ", ");
        type(m);
    }
    say(m, ")");
    if (eat(m, 'u'))
        return;
    say(m, " -> ");
    type(m);
}

static void traits(struct mangled *m)
{
    say(m, "dyn ");
    if (eat(m, 'G'))
        (void)base_62(m);
    for (bool first = true; !m->bad && !eat(m, 'E'); first = false) {
        if (!first)
            say(m, " + ");
        path(m, false);
        while (eat(m, 'p')) { /* appended to the arguments, if any */
            bool joins = !m->hushed && m->out.len && m->out.at[m->out.len - 1] == '>';
            m->out.len -= joins;
            say(m, joins ? ", " : "<");
            identifier(m);
            say(m, " = ");
            type(m);
            say(m, ">");
        }
    }
    if (eat(m, 'L'))
        (void)base_62(m);
}

static void compound(struct mangled *m, char kind)
{
    if (kind == 'R' || kind == 'Q') {
        say(m, "&");
        if (eat(m, 'L'))
            (void)base_62(m);
        say(m, kind == 'Q' ? "mut " : "");
        type(m);
    } else if (kind == 'P' || kind == 'O') {
        say(m, kind == 'P' ? "*const " : "*mut ");
        type(m);
    } else if (kind == 'A' || kind == 'S') {
        say(m, "[");
        type(m);
        if (kind == 'A') {
            say(m, "; ");
            constant(m);
        }
        say(m, "]");
    } else if (kind == 'T') {
        tuple(m);
    } else if (kind == 'F') {
        function(m);
    } else if (kind == 'D') {
        traits(m);
    } else if (kind == 'B') {
        back(m, type);
    } else {
        m->at--;
        path(m, false);
    }
}

static void type(struct mangled *m)
{
    if (++m->depth > DEPTH_MOST || m->bad || !*m->at) {
        m->bad = true;
    } else {
        char kind = *m->at++;
        const char *name = basic(kind);
        if (name)
            say(m, name);
        else
            compound(m, kind);
    }
    m->depth--;
}

char *rust_demangle(const char *name)
{
    if (strncmp(name, "_R", 2) || name[2] < 'A' || name[2] > 'Z')
        return NULL;
    struct mangled m = {.start = name + 2, .at = name + 2};
    path(&m, true);
    if (!m.bad && *m.at >= 'A' && *m.at <= 'Z') { /* the instantiating crate */
        m.hushed = true;
        path(&m, false);
        m.hushed = false;
    }
    bool good = !m.bad && (!*m.at || *m.at == '.' || *m.at == '$');
    out_byte(&m.out, 0);
    if (good && !m.out.failed)
        return (char *)m.out.at;
    out_free(&m.out);
    return NULL;
}
